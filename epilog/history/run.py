from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport


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
    """A run's notes and reports."""

    notes: tuple[JobNote, ...]
    reports: tuple[NodeReport, ...]


@dataclass(frozen=True)
class Added:
    """What became of a document: its run, whether it was new, and whether the run had been judged before it came."""

    run: Run
    new: bool
    late: bool
