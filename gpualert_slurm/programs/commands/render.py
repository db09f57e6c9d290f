"""``gpualert render``: the mail about a verdict, as text, as HTML or as the whole message; nothing is sent."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pydantic import ValidationError

from gpualert_slurm.config import ConfigError, Mail, load
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.programs.command import Command
from gpualert_slurm.spool import read_bounded
from gpualert_slurm.verdict import Verdict
from gpualert_slurm.wishes import When, Wishes

MAX_BYTES = 64 << 20


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verdict", type=Path, help="a verdict.json, as mails carry it and 'gpualert diagnose --json' prints it; - reads stdin")
    parser.add_argument("--job", type=Path, help="the job record (JSON), for logs, GPU counters and artifacts")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--text", dest="form", action="store_const", const="text", help="the text part (default)")
    form.add_argument("--html", dest="form", action="store_const", const="html", help="the HTML part")
    form.add_argument("--eml", dest="form", action="store_const", const="eml", help="the whole message")
    parser.add_argument("--to", default="owner@example.org", help="whom the message is addressed to (default: %(default)s)")
    parser.add_argument("--config", type=Path, help="gpualert.toml, for the sender, the support line and the size")
    parser.set_defaults(form="text")


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.notify.compose import compose
    from gpualert_slurm.notify.message import build

    try:
        config = load(arguments.config)
        verdict = Verdict.model_validate_json(_read(arguments.verdict))
        job = JobRecord.model_validate_json(_read(arguments.job)) if arguments.job else bare_job(verdict)
        # A look at a mail is no mail: every address is allowed here, and the owner's wish for silence does not count.
        mail = Mail.model_validate({**config.mail.model_dump(), "allowed_domains": ("*",)})
        job = job.model_copy(update={"wishes": Wishes(addresses=(arguments.to,), when=When.ALWAYS)})
        composition = compose(verdict, job, mail, config.site)
        if composition.notification is None:
            print(f"gpualert render: {composition.reason}", file=sys.stderr)
            return 1
        if arguments.form == "eml":
            ended = verdict.ended_ns or verdict.started_ns or 0
            sys.stdout.buffer.write(build(composition.notification, mail, ended)[1])
        else:
            sys.stdout.write(composition.notification.html if arguments.form == "html" else composition.notification.text)
    except ConfigError as error:
        print(f"gpualert render: {error}", file=sys.stderr)
        return 1
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        print(f"gpualert render: {error.title} cannot be read: {where}: {first['msg']}", file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print(f"gpualert render: {error}", file=sys.stderr)
        return 1
    return 0


def bare_job(verdict: Verdict) -> JobRecord:
    """As much of a job record as the verdict itself holds."""
    return JobRecord(
        attempt=verdict.attempt,
        user=verdict.user,
        name=verdict.job_name,
        nodes=verdict.nodes,
        under_slurm=verdict.state is not None,
        started_ns=verdict.started_ns,
        ended_ns=verdict.ended_ns,
    )


def _read(path: Path) -> bytes:
    return sys.stdin.buffer.read(MAX_BYTES) if str(path) == "-" else read_bounded(path.resolve(), MAX_BYTES)


COMMAND = Command(help="show the mail about a verdict: text, HTML or .eml", arguments=_arguments, run=_run)
