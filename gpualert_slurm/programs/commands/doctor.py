"""``gpualert doctor``: what is wrong with gpualert on this machine, and the command that mends it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpualert_slurm.config import DEFAULT_PATH, ConfigError, load
from gpualert_slurm.programs.command import Command
from gpualert_slurm.programs.doctor.check import Host, Standing


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, help="gpualert.toml (default: /etc/gpualert/gpualert.toml)")
    parser.add_argument("--as", dest="hosts", action="append", choices=[h.value for h in Host],
                        help="what this machine is; by default what runs on it says so. May be given several times")  # fmt: skip
    parser.add_argument("--only", action="append", metavar="CHECK", help="only this check; may be given several times")
    parser.add_argument("--quiet", action="store_true", help="print only what is not well")


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.programs.doctor.examination import checks, examine, patient

    try:
        config = load(arguments.config)
    except ConfigError as error:
        print(f"BAD  {error}\n     mend: correct the file; slurm_conf_examples/gpualert.toml has every key", file=sys.stderr)
        return 1
    known = checks()
    for name in arguments.only or ():
        if name not in known:
            print(f"gpualert doctor: no check {name!r}; there are {', '.join(known)}", file=sys.stderr)
            return 2
    who = patient(config, arguments.config or DEFAULT_PATH, arguments.hosts)
    print(f"looked at as {', '.join(sorted(h.value for h in who.hosts))} (--as says otherwise)")
    worst = Standing.GOOD
    for name, check in known.items():
        if not check.hosts & who.hosts or (arguments.only and name not in arguments.only):
            continue
        for found in examine(check, who):
            if found.standing is not Standing.GOOD and worst is not Standing.BAD:
                worst = found.standing
            if found.standing is Standing.GOOD and arguments.quiet:
                continue
            print(f"{found.standing.value:<4} {check.title}: {found.what}")
            if found.mend:
                print(f"     mend: {found.mend}")
            sys.stdout.flush()
    return 1 if worst is Standing.BAD else 0


COMMAND = Command(help="what is wrong with gpualert on this machine, and the command that mends it", arguments=_arguments, run=_run)
