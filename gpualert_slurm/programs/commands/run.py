"""``gpualert run``: the same as ``gpualert-run``, which it becomes."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from gpualert_slurm.programs.command import Command

EXIT_OWN = 125
"""gpualert-run's own status for a call that ran nothing, as env(1) and timeout(1) have it."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="OPTION … [--] COMMAND …", help="see gpualert-run --help")


def _run(arguments: argparse.Namespace) -> int:
    program = find_program()
    if program is None:
        words = "gpualert-run is neither beside gpualert nor in PATH; nothing was run. It is built where a C compiler is"
        print(f"gpualert run: {words}", file=sys.stderr)
        return EXIT_OWN
    return become(program, arguments.words)


def become(program: str, words: list[str]) -> int:
    """Exec ``program``: same process, same everything. Returns only where that fails, as an OSError."""
    sys.stdout.flush()
    sys.stderr.flush()
    return os.execv(program, [program, *words])  # noqa: S606 - becoming that program is the point


def find_program() -> str | None:
    """gpualert-run beside this program, else the one in PATH."""
    beside = Path(sys.argv[0]).resolve().parent / "gpualert-run"
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("gpualert-run")


COMMAND = Command(help="run a command, keep what it prints, diagnose its end (gpualert-run)", arguments=_arguments, run=_run, parses_own_help=True)
