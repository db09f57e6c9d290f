"""``gpualert diagnose``: why did this run fail, from its logs alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpualert_slurm.programs.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    what = "a log, a bundle of gpualert-run, a job's log or record folder, or a folder of logs; all of one run"
    parser.add_argument("paths", nargs="+", metavar="PATH", help=what)
    parser.add_argument("--json", action="store_true", help="the verdict as one JSON object")
    parser.add_argument("--exit-code", type=int, metavar="N", help="how the run ended, where nothing else says it: 128 + n and -n are signal n")
    parser.epilog = (
        "Ranks are taken from exit records and log headers, else from names: rank3.log, task_3.err, 3.out, log.3, <run>/attempt_0/3/stderr.log. "
        "slurm-42.out names the job, not a rank. "
        "Exit status: 0 a verdict was given (also 'unknown'), 2 a PATH is missing, unreadable or holds no log."
    )


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.programs.log_paths import PathError, find
    from gpualert_slurm.programs.verdict_text import as_json, as_text, write

    try:
        found = find([Path(p) for p in arguments.paths])
    except PathError as error:
        print(f"gpualert diagnose: {error}", file=sys.stderr)
        return 2
    from gpualert_slurm.classifier import judge

    if found.bundle is not None:
        from gpualert_slurm.programs.bundle import job_of

        try:
            job = job_of(found.bundle, found=found, exit_code=arguments.exit_code)
        except PathError as error:
            print(f"gpualert diagnose: {error}", file=sys.stderr)
            return 2
    else:
        from gpualert_slurm.programs.loose_logs import job_of_logs

        job = job_of_logs(found, arguments.exit_code)
    verdict = judge(job)
    write(as_json(verdict) if arguments.json else as_text(verdict))
    return 0


COMMAND = Command(help="say why a run failed, from its logs, its folder or a bundle", arguments=_arguments, run=_run)
