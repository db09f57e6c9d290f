"""gpualertd runs, and nothing lies in the outbox that nobody looks at."""

from __future__ import annotations

import fcntl
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpualert_slurm.epilog.provider import ProviderFile
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown

OLD_S = 3600.0


def _run(who: Patient) -> Iterator[Found]:
    folder = who.config.daemon.state_dir
    try:
        alive = runs(folder)
    except PermissionError:
        yield unknown(f"{folder} cannot be looked at as this user", "run gpualert doctor as root")
        return
    except OSError:
        yield bad("gpualertd has never run here", "systemctl enable --now gpualertd")
        return
    yield good("gpualertd runs") if alive else bad("gpualertd does not run", "systemctl start gpualertd; journalctl -u gpualertd -n 50")
    yield from _outbox(folder / "outbox")
    yield from _provider(who)


def runs(state_dir: Path) -> bool:
    """Whether somebody holds the daemon's lock. Raises OSError: there is none, or it cannot be opened."""
    fd = os.open(state_dir / "gpualertd.lock", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _outbox(folder: Path) -> Iterator[Found]:
    counts: Counter[str] = Counter()
    oldest_s = 0.0
    for state in ("queued", "deferred", "refused", "corrupt"):
        try:
            files = list((folder / state).glob("*.msg"))
        except OSError:
            continue
        counts[state] = len(files)
        if state == "queued" and files:
            oldest_s = max(time.time() - f.stat().st_mtime for f in files)
    if oldest_s > OLD_S:
        yield bad(f"a mail has been waiting for its first try for {oldest_s / 60:.0f} minutes", "journalctl -u gpualertd | grep sending")
    for state in ("refused", "corrupt"):
        if counts[state]:
            yield bad(f"{counts[state]} mails are {state}", f"gpualert outbox list --state {state}; then gpualert outbox retry or drop")
    yield good(f"outbox: {counts['queued']} queued, {counts['deferred']} waiting for another try")


def _provider(who: Patient) -> Iterator[Found]:
    from gpualert_slurm.discovery import discover
    from gpualert_slurm.epilog import slurm_records

    wanted = who.config.daemon.provider
    found = sorted(discover(slurm_records, "PROVIDER", ProviderFile).items(), key=lambda item: -item[1].preference)
    reasons = {name: provider.why_not() for name, provider in found}
    chosen = next((name for name, _ in found if reasons[name] is None and wanted in ("auto", name)), None)
    others = "; ".join(f"not {name}: {why}" for name, why in reasons.items() if why is not None)
    if chosen is None:
        yield bad(f"no provider of Slurm's records works here ({others})", "PATH must have sacct, scontrol and sacctmgr; or install pyslurm")
    else:
        yield good(f"Slurm's records come from {chosen}" + (f" ({others})" if others else ""))


CHECK = Check("daemon", frozenset({Host.DAEMON}), _run, order=25)
