from __future__ import annotations

from enum import Enum

from gpualert_slurm.record import Record


class When(str, Enum):
    """When the owner wants mail: always, on a problem (failure-modes: all but G1, F4 by the owner, recovered F2), never."""

    ALWAYS = "always"
    PROBLEM = "problem"
    NEVER = "never"


class Wishes(Record):
    """What the owner asked for at submit time. User input: checked again wherever it is used.

    ``addresses`` is empty where the owner opted out or did not ask; ``artifacts`` are globs under ``work_dir``.
    """

    addresses: tuple[str, ...] = ()
    when: When = When.ALWAYS
    artifacts: tuple[str, ...] = ()
