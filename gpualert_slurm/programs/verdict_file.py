"""A verdict read from a file, from a folder that holds one, or from stdin."""

from __future__ import annotations

import sys
from pathlib import Path

from gpualert_slurm.verdict import Verdict

MAX_BYTES = 64 << 20


class VerdictFileError(Exception):
    """Why there is no verdict, in words for people."""


def read_verdict(path: Path) -> Verdict:
    """The verdict in ``path``: a JSON file, a folder with ``verdict.json``, or ``-`` for stdin.

    Raises:
        VerdictFileError: it is not there, too large, or no verdict.
    """
    from gpualert_slurm.programs.wrong import wrong
    from gpualert_slurm.spool import read_bounded

    file = path / "verdict.json" if path.is_dir() else path
    try:
        raw = sys.stdin.buffer.read(MAX_BYTES + 1) if str(path) == "-" else read_bounded(file, MAX_BYTES)
        return Verdict.model_validate_json(raw)
    except FileNotFoundError:
        hint = f"; gpualert diagnose --json {path} gives a verdict" if path.is_dir() else ""
        raise VerdictFileError(f"{file}: no such file{hint}") from None
    except (OSError, ValueError) as error:
        raise VerdictFileError(f"{file}: no verdict that this gpualert can read: {wrong(error)}") from None
