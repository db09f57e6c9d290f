"""Stall notes on their way to mails: kept on disk until the outbox has the message, the nodes of one job gathered, never twice an hour."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import time
from pathlib import Path

from pydantic import ValidationError

from gpualert_slurm.config import Config
from gpualert_slurm.notify.outbox import Outbox
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.spool import finished, read_bounded, write_whole
from gpualert_slurm.stall import StallNote

log = logging.getLogger(__name__)

GATHER_S = 30.0
"""The nodes of a job notice a standstill at their own pace, looking every ten seconds: so long after the first, or when all of them have
spoken, one mail tells of all."""
AGAIN_NS = 3_600_000_000_000
OLD_NS = 6 * AGAIN_NS
"""A note that comes later (the daemon was away) is about yesterday's standstill."""
_MOST_BYTES = 1 << 20
_TOLD = ".told.json"


class Told(Record):
    """When each job's owner was last written to about a stall: ``jobs`` by thread and start."""

    jobs: dict[str, TimeNs] = {}


class StallDesk:
    """``take`` a note, ``step`` now and then."""

    def __init__(self, folder: Path, outbox: Outbox, config: Config, gather_s: float = GATHER_S) -> None:
        """Notes wait in ``folder``, which is made. Raises OSError."""
        self._folder, self._outbox, self._config, self._gather_s = folder, outbox, config, gather_s
        folder.mkdir(mode=0o700, exist_ok=True)
        self._told = self._read_told()

    def take(self, note: StallNote) -> None:
        """Keep it, durably, until it was told. Raises OSError."""
        named = repr((_job(note), note.node, note.number, note.kind)).encode()
        write_whole(self._folder / hashlib.sha256(named).hexdigest()[:32], note.json_bytes())
        log.info(line("stall", job=note.attempt.label, node=note.node, kind=note.kind, number=note.number))

    def step(self) -> None:
        """Mail what has been gathered. Never raises: a stall mail is worth less than the daemon."""
        try:
            self._step()
        except Exception:
            log.exception(line("stall_mail_failed"))

    def _step(self) -> None:
        groups: dict[tuple[str, str], list[tuple[Path, StallNote]]] = {}
        for path in finished(self._folder):
            try:
                note = StallNote.model_validate_json(read_bounded(path, _MOST_BYTES))
            except (OSError, ValidationError, ValueError):
                with contextlib.suppress(OSError):
                    path.unlink()
                continue
            groups.setdefault((_job(note), note.kind), []).append((path, note))
        for (job, kind), found in sorted(groups.items(), key=lambda item: item[0][1] == "resumed"):
            now = time.time_ns()
            written = min(note.written_ns for _, note in found)
            if now - written >= self._gather_s * 1e9 or _all_spoke([note for _, note in found]):
                self._tell(job, kind, [note for _, note in sorted(found, key=lambda item: item[1].node)], now, old=now - written > OLD_NS)
                for path, _ in found:
                    path.unlink(missing_ok=True)

    def _tell(self, job: str, kind: str, notes: list[StallNote], now: int, *, old: bool) -> None:
        from gpualert_slurm.notify.stall_mail import compose_stall

        last = self._told.jobs.get(job, 0)
        # An all-clear only to whom was told; a stall not twice an hour.
        unwanted = old or (last == 0 if kind == "resumed" else now - last < AGAIN_NS)
        if unwanted:
            log.info(line("stall_not_told", job=notes[0].attempt.label, kind=kind))
            return
        composition = compose_stall(notes, self._config.mail)
        if composition.notification is None:
            log.info(line("no_mail", job=notes[0].attempt.label, why=composition.reason))
            return
        self._outbox.enqueue(composition.notification, self._config.mail)
        if kind == "stalled":
            recent = {name: at for name, at in self._told.jobs.items() if now - at < 24 * AGAIN_NS}
            self._told = Told(jobs={**recent, job: now})
            write_whole(self._folder / _TOLD, self._told.json_bytes())
        log.info(line("queued", job=notes[0].attempt.label, key=composition.notification.key, stall=kind, nodes=len(notes)))

    def _read_told(self) -> Told:
        try:
            return Told.model_validate_json(read_bounded(self._folder / _TOLD, _MOST_BYTES))
        except (OSError, ValidationError, ValueError):
            return Told()


def _all_spoke(notes: list[StallNote]) -> bool:
    """Whether every node of the job is there. Which those are the job says: a wrong list costs patience only."""
    from gpualert_slurm.epilog.slurm_text.words import expand_nodes

    expected = set(expand_nodes(notes[0].nodes))
    return bool(expected) and expected <= {note.node for note in notes}


def _job(note: StallNote) -> str:
    """The run: a requeued one may stall again."""
    attempt = note.attempt
    return f"{attempt.cluster}.{attempt.label}.{(attempt.start_time_ns or 0) // 60_000_000_000}"
