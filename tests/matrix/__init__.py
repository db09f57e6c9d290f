"""The system tests on several Slurm versions: one folder a Debian suite, entered by chroot in namespaces of its own."""
