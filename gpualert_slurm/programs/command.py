from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A sub-command of ``gpualert``: ``commands/<name>.py`` defines one as ``COMMAND``.

    ``arguments`` declares its flags, ``run`` does the work and returns the exit status. ``parses_own_help`` is for a
    command that hands all of its words (``words`` in the namespace) to another program; ``hidden`` for one that
    programs call, not people.
    """

    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    parses_own_help: bool = False
    hidden: bool = False
