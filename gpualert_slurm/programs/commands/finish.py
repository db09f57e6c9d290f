"""``gpualert finish``: what gpualert-run's guardian starts when the command is over. Its words go to the bundle's report.log."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from gpualert_slurm.programs.command import Command

if TYPE_CHECKING:
    from gpualert_slurm.job_record import JobRecord
    from gpualert_slurm.verdict import Verdict


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
    verdict = _judged(job, log)
    try:
        write_whole(bundle / VERDICT_NAME, verdict.json_bytes() + b"\n")
    except OSError as error:
        log.error("the verdict could not be kept: %s", error)
    log.info("verdict: %s %s: %s", verdict.mode, verdict.title, verdict.headline)
    return send(bundle, run, job, verdict)


def _judged(job: JobRecord, log: logging.Logger) -> Verdict:
    """The classifier's verdict; where it fails, one that says so: the owner waits for a mail."""
    from gpualert_slurm.gap import Gap
    from gpualert_slurm.programs.undiagnosed import unknown

    try:
        from gpualert_slurm.classifier import judge

        return judge(job)
    except Exception as error:
        log.exception("the diagnosis failed")
        return unknown(job, Gap(what="the diagnosis", why=f"the classifier failed: {type(error).__name__}: {error}"))


COMMAND = Command(help="diagnose a bundle and send its mail (called by gpualert-run)", arguments=_arguments, run=_run, hidden=True)
