"""``gpualert show``: a verdict that was given before."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpualert_slurm.programs.command import Command

MAX_BYTES = 64 << 20


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="BUNDLE|VERDICT.json", help="without one: the newest bundle of gpualert-run")
    parser.add_argument(
        "--signals", action="store_true", help="draw what was watched: GPUs, logs and load by rank (of a bundle, a job record or a node's report)"
    )
    parser.add_argument("--json", action="store_true", help="the verdict as one JSON object")


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.programs.bundle import VERDICT_NAME, newest, state_folder
    from gpualert_slurm.programs.log_paths import shown
    from gpualert_slurm.programs.verdict_text import as_json, as_text, write
    from gpualert_slurm.spool import read_bounded
    from gpualert_slurm.verdict import Verdict

    path = Path(arguments.path) if arguments.path else newest()
    if path is None:
        return _refuse(f"no bundle in {shown(state_folder())}; run a command with gpualert-run, or name a verdict")
    if arguments.signals:
        return _signals(path)
    file = path / VERDICT_NAME if path.is_dir() else path
    try:
        verdict = Verdict.model_validate_json(read_bounded(file, MAX_BYTES))
    except FileNotFoundError:
        again = f"not there (yet), see {shown(path / 'report.log')}; gpualert diagnose {shown(path)} gives one now"
        return _refuse(f"{shown(file)}: {again if path.is_dir() else 'no such file'}")
    except (OSError, ValueError) as error:
        return _refuse(f"{shown(file)}: no verdict that this gpualert can read: {str(error).splitlines()[0]}")
    write(as_json(verdict) if arguments.json else as_text(verdict))
    return 0


def _signals(path: Path) -> int:
    from gpualert_slurm.programs.signals_text import NoSignalsError, draw, load
    from gpualert_slurm.programs.verdict_text import write

    try:
        write(draw(load(path)))
    except NoSignalsError as error:
        return _refuse(str(error))
    return 0


def _refuse(words: str) -> int:
    print(f"gpualert show: {words}", file=sys.stderr)
    return 2


COMMAND = Command(help="show the verdict of a bundle or of a verdict.json", arguments=_arguments, run=_run)
