"""Random bytes, guided by coverage, against what reads a job's output and verdict files. ``python -m tests.fuzz`` runs all of it for a bounded time."""
