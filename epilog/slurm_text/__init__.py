"""What Slurm's commands print, parsed: pure functions, one file a command, shared words in ``words.py``."""
