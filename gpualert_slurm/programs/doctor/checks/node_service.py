"""gpualert-node: started when a job file appears, and the epilog that hands jobs to it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from gpualert_slurm.epilog.bounded_command import CommandError, run
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown
from gpualert_slurm.programs.doctor.checks.controller import epilog
from gpualert_slurm.programs.doctor.examination import processes

LATE_S = 60.0
"""A job file older than this with no service is a service that does not start."""


def _run(who: Patient) -> Iterator[Found]:
    alive = [pid for pid, name in processes().items() if name.startswith("gpualert-node")]
    waiting = _waiting(who.config.site.state_dir)
    if alive:
        yield good(f"gpualert-node runs, pid {', '.join(map(str, alive))}")
    elif waiting is None:
        yield unknown("whether jobs wait for gpualert-node: the folders are root's", "run gpualert doctor as root")
    elif waiting > LATE_S:
        yield bad(f"gpualert-node does not run, and a job has been waiting for it for {waiting:.0f} s", "systemctl enable --now gpualert-node.path")
    else:
        yield from _unit()
    yield from epilog(who)


def _waiting(state_dir: Path) -> float | None:
    """Seconds that the oldest job file has been waiting, 0 without one; None where we may not look."""
    try:
        files = [f for folder in ("jobs", "ended") for f in state_dir.glob(f"node/*/{folder}/*")]
        if not (state_dir / "node").exists():
            return 0.0
        list((state_dir / "node").iterdir())
        return max((time.time() - f.stat().st_mtime for f in files), default=0.0)
    except OSError:
        return None


def _unit() -> Iterator[Found]:
    if not Path("/run/systemd/system").is_dir():
        yield unknown(
            "gpualert-node does not run, and no job waits for it; there is no systemd to start it",
            "gpualert-node --config /etc/gpualert/gpualert.toml",
        )
        return
    try:
        run(["systemctl", "is-active", "--quiet", "gpualert-node.path"], timeout_s=10)
    except CommandError:
        yield bad("gpualert-node.path is not active: no job will start gpualert-node", "systemctl enable --now gpualert-node.path")
        return
    yield good("gpualert-node.path is active, and starts gpualert-node with the next job")


CHECK = Check("node service", frozenset({Host.NODE}), _run, order=30)
