"""The sub-commands of ``gpualert``, one file each, found by name."""
