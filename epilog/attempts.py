"""Which note, report and accounting row belong to the same run of a job: requeues share the id, and ids wrap.

Pure. A document is put where its start lies between a row's start and end; without a row, documents with the same
restart count belong together, and a note goes with the reports that started soonest after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport

Document = JobNote | NodeReport
SLACK_NS = 5_000_000_000
"""Clocks of nodes and controller may differ by this much; sacct's times are cut to seconds."""


@dataclass(frozen=True)
class Try:
    """One run of one job: its row (None while accounting does not have it), its notes and reports."""

    row: AccountingRecord | None = None
    notes: tuple[JobNote, ...] = ()
    reports: tuple[NodeReport, ...] = ()

    @property
    def documents(self) -> tuple[Document, ...]:
        """Notes, then reports."""
        return (*self.notes, *self.reports)

    @property
    def start_ns(self) -> int | None:
        """When it started: Slurm's word, else the earliest document's."""
        if self.row is not None and self.row.start_ns is not None:
            return self.row.start_ns
        return min((started(d) for d in self.documents), default=None)


def started(document: Document) -> int:
    """When the document's node began with the job, as far as it says so; else when it was written."""
    if document.attempt.start_time_ns is not None:
        return document.attempt.start_time_ns
    if isinstance(document, NodeReport) and document.job_started_ns is not None:
        return document.job_started_ns
    return document.written_ns


def same_owner(row: AccountingRecord, uid: int, user: str | None) -> bool:
    """Whether a row can be this owner's. By uid; by name where slurmdbd has no uid yet."""
    if row.uid is not None:
        return row.uid == uid
    return row.user is None or user is None or row.user == user


def attempts(notes: Sequence[JobNote], reports: Sequence[NodeReport], rows: Sequence[AccountingRecord]) -> tuple[Try, ...]:
    """The job's runs in order of start, the newest last; a row that has not started yet stands at the end."""
    ordered = sorted(rows, key=lambda r: (r.start_ns is None, r.start_ns or 0, r.submit_ns or 0))
    homes: list[list[Document]] = [[] for _ in ordered]
    homeless: list[Document] = []
    documents: list[Document] = [*notes, *reports]
    for document in sorted(documents, key=_order) if len(documents) > 1 else documents:
        place = _row_of(document, ordered)
        (homeless if place is None else homes[place]).append(document)
    found = [_try(row, home) for row, home in zip(ordered, homes, strict=True)]
    found += [_try(None, group) for group in _grouped(homeless)]
    latest = 1 << 63
    return tuple(sorted(found, key=lambda t: (t.start_ns if t.start_ns is not None else latest, t.row is None)))


def _order(document: Document) -> tuple[int, str, bytes]:
    return started(document), document.node, document.json_bytes()


def _row_of(document: Document, rows: Sequence[AccountingRecord]) -> int | None:
    """The row whose run the document's start lies in; of several the nearest, the later one in a tie."""
    at, count = started(document), document.attempt.restart_count
    best: tuple[int, int] | None = None
    for place, row in enumerate(rows):
        if row.start_ns is None and isinstance(document, JobNote) and document.origin is not None and document.attempt.start_time_ns is None:
            return place  # it was made of this row
        if row.start_ns is None or (count is not None and row.restarts is not None and count != row.restarts):
            continue
        before = row.start_ns - at
        after = 0 if row.end_ns is None else at - (row.end_ns + 999_999_999)
        off = max(before, after, 0)
        if off <= SLACK_NS and (best is None or off <= best[0]):
            best = off, place
    return None if best is None else best[1]


def _grouped(documents: Sequence[Document]) -> list[list[Document]]:
    by_count: dict[int | None, list[Document]] = {}
    notes: list[JobNote] = []
    for document in documents:
        if isinstance(document, JobNote):
            notes.append(document)
        else:
            by_count.setdefault(document.attempt.restart_count, []).append(document)
    groups = list(by_count.values())
    firsts = [min(started(d) for d in group) for group in groups]
    for note in notes:
        later = [(first, place) for place, first in enumerate(firsts) if first >= started(note) - SLACK_NS]
        if later:
            groups[min(later)[1]].append(note)
            continue
        groups.append([note])
        firsts.append(started(note))
    return groups


def _try(row: AccountingRecord | None, documents: Sequence[Document]) -> Try:
    return Try(
        row, tuple(d for d in documents if isinstance(d, JobNote)), tuple(d for d in documents if isinstance(d, NodeReport))
    )
