from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from gpualert_slurm.job_note import JobNote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.verdict import Verdict


class RunState(str, Enum):
    """How far the daemon is with a job. Each change is one transaction."""

    COLLECTING = "collecting"
    JUDGED = "judged"
    """Verdict and record are stored; the message is not in the outbox yet, or the daemon died before it said so."""
    COMPOSED = "composed"
    """The message is in the outbox."""
    DONE = "done"
    """Sent, refused, or not wanted: ``outcome`` says which."""


@dataclass(frozen=True)
class Run:
    """One job as submitted, with all of its attempts: what one mail is about."""

    id: int
    cluster: str
    job_id: int
    uid: int
    user: str | None
    label: str
    state: RunState
    outcome: str | None
    first_seen_ns: int
    started_ns: int
    ended_seen_ns: int | None
    ended_ns: int | None
    judged_ns: int | None


@dataclass(frozen=True)
class Documents:
    """A run's notes and reports; ``report_ids`` are the reports' places in the history, in the same order."""

    notes: tuple[JobNote, ...]
    reports: tuple[NodeReport, ...]
    report_ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Added:
    """What became of a document: its run, whether it was new, and whether the run had been judged before it came."""

    run: Run
    new: bool
    late: bool


class Judged(NamedTuple):
    """An attempt's record and verdict. With ``report_ids`` the record's reports lie in the history, and may be their heads alone here.

    ``losses`` are the first and last of the longest loss series; absent: the record says them.
    """

    record: JobRecord
    verdict: Verdict
    losses: tuple[float | None, float | None] | None = None
    report_ids: tuple[int, ...] | None = None
    packed: bytes | None = None
    """The record without its reports, as ``History.packed`` gave it; absent: it is packed anew."""


@dataclass(frozen=True)
class JudgedRun:
    """A run whose message is in no plan yet, with what decides whether its mail waits for others.

    ``addresses`` is empty where nobody is to be written to; ``known`` is false for a row of an older schema.
    """

    run: Run
    known: bool
    addresses: tuple[str, ...]
    problem: bool
    started_ns: int | None
    array_job_id: int | None
    het_job_id: int | None
    fingerprint: str | None


@dataclass(frozen=True)
class MessageRow:
    """A message and its runs; ``group`` and ``thread`` are absent in rows of an older schema."""

    key: str
    run_ids: tuple[int, ...]
    recipients: tuple[str, ...]
    queued_ns: int
    group: str | None
    thread: str | None
    subject: str | None
