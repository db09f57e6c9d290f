"""``gpualertd --once``: for sites without a daemon, from cron and behind EpilogSlurmctld.

It works until nothing is due for ``QUIET_S``: reports follow a job's end by seconds. What is still open after the
deadlines for reports is left to the next call; nothing is lost, since all state is on disk.
"""

from __future__ import annotations

import threading
import time

from gpualert_slurm.config import Config
from gpualert_slurm.notify.outbox import State
from gpualert_slurm.programs.gpualertd.service import Service

QUIET_S = 5.0
MOST_S = 30.0
"""Beyond ``report_deadline_s``, the time for judging and sending."""


def work_off(service: Service, config: Config, stop: threading.Event) -> None:
    """Passes until all is quiet, at most ``report_deadline_s`` + 30 s."""
    until = time.monotonic() + config.daemon.report_deadline_s + MOST_S
    quiet_since = time.monotonic()
    while not stop.is_set() and time.monotonic() < until:
        service.loop.once()
        if service.loop.hot or _sending(service):
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since >= QUIET_S:
            return
        stop.wait(config.daemon.poll_interval_s)


def _sending(service: Service) -> bool:
    return any(state in (State.QUEUED, State.ACTIVE) for state, _ in service.outbox.messages())
