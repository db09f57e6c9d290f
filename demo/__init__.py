"""The demo: five jobs on a real Slurm cluster of this machine, with and without gpualert, and the mails their owner gets."""
