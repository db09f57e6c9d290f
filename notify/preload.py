"""Import this to have all of composing in memory: for a server process whose forks compose one mail each.

Templates parsed, patterns compiled, libraries loaded: half a second once, not for every mail.
"""

from __future__ import annotations

from gpualert_slurm.notify import compose, pictures, redact, render

redact.patterns()
render.warm()

__all__ = ["compose", "pictures"]
