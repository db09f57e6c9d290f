"""The way of a report: a node can put one in, or reach the daemon, and the daemon proves that it is the daemon."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path

from gpualert_slurm.config import ConfigError
from gpualert_slurm.epilog.seal import SealUnavailableError
from gpualert_slurm.epilog.transport import transport_of
from gpualert_slurm.epilog.transports.tcp import Tcp
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown

LATE_S = 20.0
"""A folder that does not answer for so long is a dead mount."""


def _run(who: Patient) -> Iterator[Found]:
    site = who.config.site
    try:
        transport = transport_of(site)
    except ConfigError as error:
        yield bad(str(error), f"$EDITOR {who.config_path}   # [site] transport")
        return
    if isinstance(transport, Tcp):
        yield from _tcp(who, transport)
    elif os.geteuid() == 0:
        yield _put_in(site.spool_dir)
    else:
        yield unknown(f"whether root can put reports into {site.spool_dir}", "run gpualert doctor as root")


def _tcp(who: Patient, transport: Tcp) -> Iterator[Found]:
    site = who.config.site
    where = f"{site.daemon_host}:{site.daemon_port}"
    if site.daemon_host is None:
        yield bad("site.transport is tcp, and site.daemon_host is not set", f'$EDITOR {who.config_path}   # [site] daemon_host = "HOST"')
        return
    if os.geteuid() != 0:
        yield unknown(f"gpualertd at {where}: only root can open its answer", "run gpualert doctor as root")
        return
    try:
        transport.probe(site)
    except (OSError, SealUnavailableError, KeyError) as error:
        yield bad(str(error), f"on {site.daemon_host}: systemctl status gpualertd; ss -ltn sport = {site.daemon_port}   # and firewalls in between")
    else:
        yield good(f"gpualertd at {where} answers, and proves that it is {site.daemon_user}")


def _put_in(folder: Path) -> Found:
    """By a thread, so that a dead mount costs a thread and no more."""
    trouble: list[str] = []

    def work() -> None:
        path = folder / f".{secrets.token_hex(16)}"  # a private name: the daemon does not look at it
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        except OSError as error:
            trouble.append(error.strerror or str(error))
        finally:
            with contextlib.suppress(OSError):
                path.unlink()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(LATE_S)
    if thread.is_alive():
        return bad(f"{folder} does not answer within {LATE_S:g} s", f"mount | grep {folder}; umount -l {folder}   # and mount it again")
    if trouble:
        return bad(f"no report can be put into {folder}: {trouble[0]}", f"chmod 1733 {folder}; mount | grep {folder}   # mounted for writing?")
    return good(f"reports can be put into {folder}")


CHECK = Check("transport", frozenset({Host.NODE, Host.DAEMON}), _run, order=42)
