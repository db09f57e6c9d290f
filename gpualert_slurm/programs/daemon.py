"""``gpualertd``: node reports and Slurm's records in, mail out. One per cluster, as the user the reports are sealed for."""

from __future__ import annotations

import argparse
import logging
import os
import pwd
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from gpualert_slurm import __version__
from gpualert_slurm.config import Config, ConfigError, load
from gpualert_slurm.programs.gpualertd.lock import BusyError, held, held_in_turn
from gpualert_slurm.programs.gpualertd.log import line, set_up
from gpualert_slurm.programs.gpualertd.systemd import tell

log = logging.getLogger(__name__)


class StartError(Exception):
    """The daemon cannot start; the text says what is in the way and what to do."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="gpualertd", description="Merges node reports with Slurm's records, diagnoses each job that asked, and mails its owner."
    )
    top.add_argument("--config", type=Path, metavar="FILE", help="default: /etc/gpualert/gpualert.toml")
    top.add_argument("--once", action="store_true", help="finish what is due, wait a bounded time for what is about to be, and end: for cron")
    top.add_argument("--foreground", action="store_true", help="log for people, with the time of day, instead of for the journal")
    top.add_argument("--version", action="version", version=f"gpualertd {__version__}")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run; gives 0 after SIGTERM or a finished ``--once``, 1 where it cannot start, 2 for a wrong command line or configuration."""
    arguments = parser().parse_args(argv)
    set_up(for_people=arguments.foreground)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        config = load(arguments.config)
        folder = _prepare(config)
        if arguments.once:
            return _once(config, folder, stop)
        with held(folder, once=False):
            return _serve(config, stop)
    except ConfigError as error:
        print(f"gpualertd: {error}", file=sys.stderr)
        return 2
    except (StartError, BusyError) as error:
        print(f"gpualertd: {error}", file=sys.stderr)
        return 1


def _prepare(config: Config) -> Path:
    site = config.site
    try:
        account = pwd.getpwnam(site.daemon_user)
    except KeyError as error:
        raise StartError(f"there is no user {site.daemon_user!r}: make it, or set site.daemon_user") from error
    if os.geteuid() != account.pw_uid:
        raise StartError(f"runs as uid {os.geteuid()}, but reports are sealed for {site.daemon_user} (uid {account.pw_uid}): start it as that user")
    os.umask(0o077)
    os.chdir("/")  # also keeps Python's helper processes from importing what lies in the folder we were started in
    folder = config.daemon.state_dir
    try:
        folder.mkdir(mode=0o700, parents=False, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(f"{site.daemon_user} may not write there")
    except OSError as error:
        raise StartError(f"daemon.state_dir {folder} cannot be used: {error}; make it, owned by {site.daemon_user}, mode 0700") from error
    return folder


def _serve(config: Config, stop: threading.Event) -> int:
    from gpualert_slurm.programs.gpualertd.service import Service

    with Service(config, stop) as service:
        tell("READY=1")
        log.info(line("started", version=__version__, pid=os.getpid(), cluster=service.cluster, provider=service.provider_name))
        service.loop.run_until(stop)
        tell("STOPPING=1")
        log.info(line("stopping"))
    return 0


def _once(config: Config, folder: Path, stop: threading.Event) -> int:
    from gpualert_slurm.programs.gpualertd.once import MOST_S, work_off
    from gpualert_slurm.programs.gpualertd.service import Service

    begun = time.monotonic()
    with held_in_turn(folder, wait_s=config.daemon.report_deadline_s + MOST_S) as ours:
        if ours:
            with Service(config, stop) as service:
                work_off(service, config, stop)
    log.debug(line("once", seconds=round(time.monotonic() - begun, 1)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
