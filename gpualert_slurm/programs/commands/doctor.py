"""``gpualert doctor``: what is wrong with gpualert on this machine, and the command that mends it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from gpualert_slurm.config import DEFAULT_PATH, ConfigError, load
from gpualert_slurm.programs.command import Command
from gpualert_slurm.programs.doctor.check import Found, Host, Standing, good


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, help="gpualert.toml (default: /etc/gpualert/gpualert.toml)")
    parser.add_argument("--as", dest="hosts", action="append", choices=[h.value for h in Host],
                        help="what this machine is; by default what runs on it says so. May be given several times")  # fmt: skip
    parser.add_argument("--only", action="append", metavar="CHECK", help="only this check; may be given several times")
    parser.add_argument("--canary", metavar="ADDRESS",
                        help="also submit a job that fails at once, as you, and follow it until the mail to ADDRESS is queued")  # fmt: skip
    parser.add_argument("--sbatch", metavar="OPTIONS", default="", help="what else sbatch needs for it, such as '--partition=gpu --account=lab'")
    parser.add_argument("--follow", metavar="JOB", type=int, help="only follow this job from its end to its mail (root, on the daemon's host)")
    parser.add_argument("--wait", metavar="SECONDS", type=float, default=300.0, help="how long a job is followed (default: 300)")
    parser.add_argument("--quiet", action="store_true", help="print only what is not well")


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.programs.doctor.examination import checks, examine, patient

    try:
        config = load(arguments.config)
    except ConfigError as error:
        print(f"BAD  {error}\n     mend: correct the file; slurm_conf_examples/gpualert.toml has every key", file=sys.stderr)
        return 1
    from gpualert_slurm.programs.doctor import canary

    known = checks()
    for name in arguments.only or ():
        if name not in known:
            print(f"gpualert doctor: no check {name!r}; there are {', '.join(known)}", file=sys.stderr)
            return 2
    who = patient(config, arguments.config or DEFAULT_PATH, arguments.hosts)
    print(f"looked at as {', '.join(sorted(h.value for h in who.hosts))} (--as says otherwise)")
    report = _Report(quiet=arguments.quiet)
    if arguments.follow is not None:
        report.add("canary", canary.follow(arguments.follow, who, arguments.wait))
        return report.status()
    for name, check in known.items():
        if not check.hosts & who.hosts or (arguments.only and name not in arguments.only):
            continue
        report.add(check.title, examine(check, who))
    if arguments.canary is not None:
        try:
            job_id = canary.submit(arguments.canary, canary.options(arguments.sbatch))
        except canary.CanaryError as error:
            report.add("canary", [canary.refused(str(error))])
        else:
            report.add("canary", [good(f"job {job_id} was submitted")])
            report.add("canary", canary.follow(job_id, who, arguments.wait))
    return report.status()


class _Report:
    """Prints each line as it is found, and remembers the worst."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet, self._bad = quiet, False

    def add(self, title: str, lines: Iterable[Found]) -> None:
        """Print them."""
        from gpualert_slurm.notify.plain import visible

        for found in lines:
            self._bad = self._bad or found.standing is Standing.BAD
            if found.standing is Standing.GOOD and self._quiet:
                continue
            print(f"{found.standing.value:<4} {title}: {visible(found.what)}")  # relays, slurmctld and users have words in it
            if found.mend:
                print(f"     mend: {visible(found.mend)}")
            sys.stdout.flush()

    def status(self) -> int:
        """The exit status."""
        return int(self._bad)


COMMAND = Command(help="what is wrong with gpualert on this machine, and the command that mends it", arguments=_arguments, run=_run)
