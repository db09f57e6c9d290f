"""How the run ended, by the best source there is: the ladder's first question. A disposition is not a cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpualert_slurm.classifier import citations
from gpualert_slurm.evidence import Evidence, Role
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankExit

FINAL = {"COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "CANCELLED", "REQUEUED", "BOOT_FAIL", "DEADLINE", "REVOKED"}
SCRIPT = {"batch", "interactive", "extern"}
"""Steps that are not srun's."""
SIGNALLED = 128
"""An exit code above it is a shell's word for a signal."""
LAST_SECOND_NS = 1_000_000_000
"""Slurm's end of a job is a whole second: what happened in it cannot be put before or after the stopping."""


@dataclass(frozen=True)
class Ending:
    """``state`` is sacct's word, ``""`` when nothing says it; ``known_by`` is ``accounting``, ``exits``, ``own``, ``text`` or ``nothing``."""

    state: str
    known_by: str
    exit_code: int | None = None
    exit_signal: int | None = None
    by_uid: int | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    limit_s: int | None = None
    suspended_s: int = 0
    evidence: tuple[Evidence, ...] = ()

    @property
    def well(self) -> bool:
        """Whether Slurm (or the exit status) calls it a success."""
        return self.state == "COMPLETED"

    @property
    def elapsed_s(self) -> float | None:
        """Wall time of the run."""
        if self.started_ns is None or self.ended_ns is None:
            return None
        return max(0.0, (self.ended_ns - self.started_ns) / 1e9)


def ending_of(job: JobRecord, exits: tuple[RankExit, ...], texts: tuple[Evidence, ...]) -> Ending:
    """The run's end from accounting, else from exit records, else from the run's own status, else from what slurmstepd wrote."""
    starts = [job.started_ns, *(r.job_started_ns for r in job.reports), *(e.start_time_ns for e in exits)]
    ends = [job.ended_ns, *(r.job_ended_ns for r in job.reports)]
    started = min((t for t in starts if t is not None), default=None)
    ended = max((t for t in ends if t is not None), default=max((e.end_time_ns for e in exits if e.end_time_ns is not None), default=None))
    row = job.accounting[-1] if job.accounting else None
    limit = row.time_limit_s if row else None
    if row is not None and row.state.split()[0] in FINAL:
        return Ending(
            row.state.split()[0],
            "accounting",
            row.exit_code,
            row.exit_signal,
            row.cancelled_by_uid,
            row.start_ns or started,
            row.end_ns or ended,
            limit,
            row.suspended_s or 0,
            (citations.state(row),),
        )
    said = _said(texts, alone=not exits and job.exit_code is None)
    told = _told_epilog(job)
    if exits:
        bad = [e for e in exits if e.failed]
        cites = tuple(citations.rank_exit(e) for e in (bad or list(exits))[:8])
        first = min(bad, key=lambda e: e.end_time_ns or 0) if bad else None
        state = (said.state if said and bad else "FAILED") if bad else "COMPLETED"
        if not bad and any(e.wait_status is None and e.exit_code is None for e in exits):
            state = ""
        by_uid = said.evidence[0].data.get("uid") if said and state == "CANCELLED" else None  # gpualert-run knows who sent the signal
        return Ending(
            state,
            "exits",
            first.exit_code if first else 0,
            first.signal if first else None,
            by_uid if isinstance(by_uid, int) else None,
            started,
            ended,
            limit,
            0,
            cites + (said.evidence if said and bad else ()),
        )
    if told is not None:
        code, number = told
        cite = citations.field("own_exit", "the Epilog's environment", "SLURM_JOB_EXIT_CODE2", "exit", f"{code}:{number}")
        state = "COMPLETED" if code == number == 0 else (said.state if said else "FAILED")
        return Ending(state, "exits", code, number or None, None, started, ended, limit, 0, (cite,))
    if job.exit_code is not None or job.exit_signal is not None:
        cite = citations.field("own_exit", "the command's own end", "exit status", "exit", f"{job.exit_code or 0}:{job.exit_signal or 0}")
        state = "COMPLETED" if not job.exit_code and not job.exit_signal else (said.state if said else "FAILED")
        return Ending(state, "own", job.exit_code, job.exit_signal, None, started, ended, limit, 0, (cite,))
    if said is not None:
        return Ending(said.state, "text", None, None, None, started, ended, limit, 0, said.evidence)
    return Ending("", "nothing", None, None, None, started, ended, limit)


@dataclass(frozen=True)
class _Said:
    state: str
    evidence: tuple[Evidence, ...]


def _said(texts: tuple[Evidence, ...], *, alone: bool) -> _Said | None:
    """What launchers wrote; ``alone``: nothing else is known. A cancelled step may be srun's own reaction to a dead task: only a job's counts."""
    states = {"time_limit_text": "TIMEOUT", "node_failure_text": "NODE_FAIL", "preempted_text": "PREEMPTED", "step_cancelled": "CANCELLED"}
    for word, state in states.items():
        found = tuple(e for e in texts if e.says == word and e.role is not Role.MARKER)
        if word == "step_cancelled":
            found = tuple(e for e in found if e.data.get("what") == "JOB" or (alone and "TASK FAILURE" not in str(e.data.get("why", "")).upper()))
        if found:
            return _Said(state, found[:1])
    return None


def _told_epilog(job: JobRecord) -> tuple[int, int] | None:
    for report in job.reports:
        told = report.epilog_env.get("SLURM_JOB_EXIT_CODE2", "")
        code, _, number = told.partition(":")
        if code.isdigit() and number.isdigit():
            return int(code), int(number)
    return None


def step_stopped(step: str, end_ns: int, exits: Iterable[RankExit], *, cut: bool) -> int:
    """When a step that Slurm calls cancelled was stopped at the earliest, ns: in its last second.

    Of a run that was not itself ``cut``, not before the task for whose own exit code srun took the step down.
    """
    begun = end_ns - LAST_SECOND_NS
    own = [e.end_time_ns for e in exits if e.step == step and e.exit_code and e.exit_code < SIGNALLED and e.end_time_ns is not None]
    return max(begun, min(own) + LAST_SECOND_NS) if own and not cut else begun
