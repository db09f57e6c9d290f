"""``gpualert finish``: what gpualert-run's guardian starts when the command is over. Its words go to the bundle's report.log."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from gpualert_slurm.programs.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE")


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.programs.bundle import VERDICT_NAME, job_of, read_run
    from gpualert_slurm.programs.log_paths import PathError
    from gpualert_slurm.programs.run_mail import send
    from gpualert_slurm.spool import write_whole

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    log = logging.getLogger("gpualert.finish")
    bundle = arguments.bundle.absolute()
    try:
        run = read_run(bundle)
        job = job_of(bundle, artifacts=bool(run.notify and run.wishes.addresses))
    except PathError as error:
        log.error("no diagnosis: %s", error)
        return 2
    from gpualert_slurm.classifier import judge

    verdict = judge(job)
    try:
        write_whole(bundle / VERDICT_NAME, verdict.json_bytes() + b"\n")
    except OSError as error:
        log.error("the verdict could not be kept: %s", error)
    log.info("verdict: %s %s: %s", verdict.mode, verdict.title, verdict.headline)
    return send(bundle, run, job, verdict)


COMMAND = Command(help="diagnose a bundle and send its mail (called by gpualert-run)", arguments=_arguments, run=_run, hidden=True)
