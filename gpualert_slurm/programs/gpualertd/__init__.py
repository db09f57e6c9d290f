"""The parts of ``gpualertd``: one file a task, joined in ``loop.py``."""
