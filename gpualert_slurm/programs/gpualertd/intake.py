"""From the transport into the history: open, join, keep, and only then let go of the sealed pieces."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from gpualert_slurm.config import Config
from gpualert_slurm.epilog.history.run import Added
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.pieces import Document, Piece, complete, join, open_sealed, whole
from gpualert_slurm.epilog.seal import Opened, Seal, SealKeys, SealRefusedError, SealUnavailableError
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
MOST_AT_ONCE = 900
"""Pieces opened in one pass: then the jobs are looked at and their mails queued, so that nobody's mail waits for the reports of a thousand others."""
SIDE_BY_SIDE = 4
"""Pieces opened at the same time: each waits for munged and for a process."""
BATCH, BATCH_BYTES = 64, 8 << 20
"""Pieces whose documents are kept in one transaction, and how much sealed text of them is in memory at once."""

Taken = tuple[bool, Added]
"""Whether a document that was kept is a report, and what became of it."""
Opening = Piece | SealRefusedError | SealUnavailableError | OSError


@dataclass
class _Waiting:
    """Opened pieces of one document that is not whole yet, by the transport's name."""

    pieces: dict[str, tuple[Arrival, Piece]] = field(default_factory=dict)
    since: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class _Whole:
    """A document that is all there: itself, its text as it came, the pieces to let go of, and who sealed the last of them."""

    document: Document
    packed: bytes
    arrivals: list[Arrival]
    sealed_by: Opened


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
        self._keys = SealKeys.of(config.site, os.geteuid())
        self._max_bytes = config.daemon.max_report_bytes
        self._waiting: dict[str, _Waiting] = {}
        self._opened: set[str] = set()
        self._pause_s, self._not_before = 0.0, 0.0
        self._pool = ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="opening")
        self.unread = False
        """Whether the last look left pieces for the next."""
        self.kept: Counter[str] = Counter()
        """Documents kept so far, by kind; one that was known counts again."""
        self.refused = 0
        """Pieces refused so far."""

    def prepare(self) -> None:
        """Make what senders need. Raises OSError."""
        self._transport.prepare(self._site)

    def take_in(self) -> list[Taken]:
        """Everything that is there now; of what was kept not the documents, for hundreds of them are large.

        While munged or the folder is away, looks come at growing intervals.
        """
        if self._stalls is not None:
            self._stalls.step()
        if time.monotonic() < self._not_before:
            return []
        taken: list[Taken] = []
        looked_at = 0
        try:
            for batch in self._batches():
                if self._stopping():
                    break
                looked_at += len(batch)
                taken += self._take(batch)
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

    def close(self) -> None:
        """End the threads that open; what they were at is opened again by the next start."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _batches(self) -> Iterator[list[Arrival]]:
        batch: list[Arrival] = []
        for arrival in self._transport.arrivals(self._site, MOST_AT_ONCE, self._opened):
            batch.append(arrival)
            if len(batch) >= BATCH or sum(len(a.sealed) for a in batch) >= BATCH_BYTES:
                yield batch
                batch = []
        if batch:
            yield batch

    def _take(self, arrivals: Sequence[Arrival]) -> list[Taken]:
        """Open them side by side, keep what became whole in one transaction, and only then let go of its pieces.

        Raises:
            SealUnavailableError, OSError: some could not be opened just now; the others were taken, and are met again.
        """
        found: list[_Whole] = []
        trouble: SealUnavailableError | OSError | None = None
        for arrival, opening in zip(arrivals, self._pool.map(self._open, arrivals), strict=True):
            if isinstance(opening, SealRefusedError):
                self._refuse([arrival], str(opening))
            elif isinstance(opening, Piece):
                found += self._joined(arrival, opening)
            else:
                trouble = opening
        taken = self._keep(found)
        if trouble is not None:
            raise trouble
        return taken

    def _open(self, arrival: Arrival) -> Opening:
        tell("WATCHDOG=1")  # opening a piece takes munged's time
        try:
            return open_sealed(arrival.sealed, self._seal, self._keys, self._cluster)
        except (SealRefusedError, SealUnavailableError, OSError) as error:
            return error

    def _joined(self, arrival: Arrival, piece: Piece) -> list[_Whole]:
        """The document that this piece makes whole, with its pieces and the seal of the last; none while others are missing."""
        waiting = self._waiting.setdefault(piece.whole_sha256, _Waiting())
        waiting.pieces[arrival.name] = (arrival, piece)
        self._opened.add(arrival.name)
        if not complete(p for _, p in waiting.pieces.values()):
            return []
        self._forget(piece.whole_sha256)
        arrivals, pieces = [a for a, _ in waiting.pieces.values()], [p for _, p in waiting.pieces.values()]
        try:
            return [_Whole(join(pieces, self._max_bytes, head_only=True), whole(pieces), arrivals, piece.sealed_by)]
        except SealRefusedError as error:
            self._refuse(arrivals, str(error))
            return []

    def _keep(self, found: Sequence[_Whole]) -> list[Taken]:
        taken: list[Taken] = []
        if not found:
            return taken
        with self._history.together():
            for one in found:
                document = one.document
                if not isinstance(document, StallNote):
                    added = self._history.add(document, time.time_ns(), one.packed)
                    taken.append((isinstance(document, NodeReport), added))
                    kind = "note" if isinstance(document, JobNote) else "report"
                    self.kept[kind] += 1
                    late = None if not added.late else "yes"
                    told = line(kind, job=document.attempt.label, node=document.node, new=added.new or None, late=late, sealed_at=one.sealed_by.host)
                    log.info(told)
                elif self._stalls is not None:
                    self._stalls.take(document)
        for one in found:
            for each in one.arrivals:
                self._transport.remove(each, self._site)
        return taken

    def _put_aside_incomplete(self) -> None:
        for digest, waiting in list(self._waiting.items()):
            if time.monotonic() - waiting.since > INCOMPLETE_S:
                self._forget(digest)
                self._refuse([a for a, _ in waiting.pieces.values()], "its other pieces did not come within a day")

    def _forget(self, digest: str) -> None:
        for name in self._waiting.pop(digest).pieces:
            self._opened.discard(name)

    def _refuse(self, arrivals: list[Arrival], why: str) -> None:
        self.refused += len(arrivals)
        for arrival in arrivals:
            log.warning(line("piece_refused", piece=arrival.name, why=why))
            self._transport.refuse(arrival, why, self._site)
