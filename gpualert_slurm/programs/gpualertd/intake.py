"""From the transport into the history: open, join, keep, and only then let go of the sealed pieces."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from gpualert_slurm.config import Config
from gpualert_slurm.epilog.history.run import Added
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.pieces import Piece, complete, join, open_sealed
from gpualert_slurm.epilog.seal import Seal, SealKeys, SealRefusedError, SealUnavailableError
from gpualert_slurm.epilog.transport import Arrival, Transport
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.programs.gpualertd.stall_desk import StallDesk
from gpualert_slurm.programs.gpualertd.systemd import tell
from gpualert_slurm.stall import StallNote

log = logging.getLogger(__name__)

INCOMPLETE_S = 24 * 3600.0
"""Pieces whose others did not come for this long are put aside."""
LONGEST_PAUSE_S = 30.0
MOST_AT_ONCE = 1000
"""Pieces opened in one pass: then the jobs are looked at."""


@dataclass
class _Waiting:
    """Opened pieces of one document that is not whole yet, by the transport's name."""

    pieces: dict[str, tuple[Arrival, Piece]] = field(default_factory=dict)
    since: float = field(default_factory=time.monotonic)


class Intake:
    """What arrives becomes part of the history.

    A piece stays with the transport until the history has the document durably: a daemon that dies in between meets it
    again, and the history knows it.
    """

    def __init__(
        self, config: Config, cluster: str, *, transport: Transport, seal: Seal, history: History, stopping: Callable[[], bool] = lambda: False,
        stalls: StallDesk | None = None,
    ) -> None:
        self._site = config.site
        self._cluster = cluster
        self._transport = transport
        self._seal = seal
        self._history = history
        self._stopping = stopping
        self._stalls = stalls
        self._keys = SealKeys(daemon_uid=os.geteuid(), munge_socket=config.site.munge_socket)
        self._max_bytes = config.daemon.max_report_bytes
        self._waiting: dict[str, _Waiting] = {}
        self._opened: set[str] = set()
        self._pause_s, self._not_before = 0.0, 0.0
        self.unread = False
        """Whether the last look left pieces for the next."""

    def prepare(self) -> None:
        """Make what senders need. Raises OSError."""
        self._transport.prepare(self._site)

    def take_in(self) -> list[tuple[JobNote | NodeReport, Added]]:
        """Everything that is there now. While munged or the folder is away, looks come at growing intervals."""
        if self._stalls is not None:
            self._stalls.step()
        if time.monotonic() < self._not_before:
            return []
        taken: list[tuple[JobNote | NodeReport, Added]] = []
        looked_at = 0
        try:
            for looked_at, arrival in enumerate(self._transport.arrivals(self._site, MOST_AT_ONCE), 1):  # noqa: B007
                if self._stopping():
                    break
                tell("WATCHDOG=1")  # opening a piece takes munged's time
                if arrival.name not in self._opened:
                    taken += self._take(arrival)
        except (SealUnavailableError, OSError) as error:
            self.unread = True
            self._pause_s = min(LONGEST_PAUSE_S, max(1.0, 2 * self._pause_s))
            self._not_before = time.monotonic() + self._pause_s
            log.warning(line("intake_waits", why=error, again_in_s=self._pause_s))
            return taken
        self._pause_s = 0.0
        self.unread = looked_at >= MOST_AT_ONCE
        self._put_aside_incomplete()
        return taken

    def _take(self, arrival: Arrival) -> list[tuple[JobNote | NodeReport, Added]]:
        try:
            piece = open_sealed(arrival.sealed, self._seal, self._keys, self._cluster)
        except SealRefusedError as error:
            self._refuse([arrival], str(error))
            return []
        waiting = self._waiting.setdefault(piece.whole_sha256, _Waiting())
        waiting.pieces[arrival.name] = (arrival, piece)
        self._opened.add(arrival.name)
        if not complete(p for _, p in waiting.pieces.values()):
            return []
        self._forget(piece.whole_sha256)
        arrivals = [a for a, _ in waiting.pieces.values()]
        try:
            document = join([p for _, p in waiting.pieces.values()], self._max_bytes)
        except SealRefusedError as error:
            self._refuse(arrivals, str(error))
            return []
        if isinstance(document, StallNote):
            if self._stalls is not None:
                self._stalls.take(document)
            for each in arrivals:
                self._transport.remove(each, self._site)
            return []
        added = self._history.add(document, time.time_ns())
        for each in arrivals:
            self._transport.remove(each, self._site)
        kind = "note" if isinstance(document, JobNote) else "report"
        late = None if not added.late else "yes"
        log.info(line(kind, job=document.attempt.label, node=document.node, new=added.new or None, late=late, sealed_at=piece.sealed_by.host))
        return [(document, added)]

    def _put_aside_incomplete(self) -> None:
        for whole, waiting in list(self._waiting.items()):
            if time.monotonic() - waiting.since > INCOMPLETE_S:
                self._forget(whole)
                self._refuse([a for a, _ in waiting.pieces.values()], "its other pieces did not come within a day")

    def _forget(self, whole: str) -> None:
        for name in self._waiting.pop(whole).pieces:
            self._opened.discard(name)

    def _refuse(self, arrivals: list[Arrival], why: str) -> None:
        for arrival in arrivals:
            log.warning(line("piece_refused", piece=arrival.name, why=why))
            self._transport.refuse(arrival, why, self._site)
