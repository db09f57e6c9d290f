"""How far a job is, and whether all is there that can be expected: the one place that decides to wait or to go on. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gpualert_slurm.accounting import AccountingRecord, NodeState
from gpualert_slurm.epilog.attempts import Try
from gpualert_slurm.epilog.merge import expected_nodes
from gpualert_slurm.epilog.slurm_text.words import FINAL_STATES, node_is_lost
from gpualert_slurm.gap import Gap

SECOND_NS = 1_000_000_000
FORGOTTEN_S = 48 * 3600.0
"""A job that only a note speaks of, and that Slurm has not heard of for this long, is reported as it is."""
UNJOINED_S = 6.0
"""slurmctld tells slurmdbd a job's name, owner and limits every 5 s (22.05: ``_set_db_inx_thread``): a job shorter than
that has its end in accounting before them."""
UNREAD_DEADLINES = 10
"""While arrived documents are still being opened, a missing report is waited for so many times as long: a large job's come all at once."""
REQUEUED_LATER = frozenset({"NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "LAUNCH_FAILED"})
"""Ends that slurmctld follows with a requeue by itself, a moment after the row was closed."""
RUNS_ON = frozenset(
    {"PENDING", "RUNNING", "CONFIGURING", "SUSPENDED", "STOPPED", "RESIZING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"}
)
"""slurmctld's states (``squeue``) of a job that is not over. COMPLETING is."""


class Stage(str, Enum):
    """Where a job stands."""

    RUNNING = "running"
    ENDING = "ending"
    """It is over, or seems so, and something is still waited for: worth looking often."""
    READY = "ready"


@dataclass(frozen=True)
class Progress:
    """Where the job stands and why; ``gaps`` is what ``READY`` goes without, ``missing`` the nodes still waited for."""

    stage: Stage
    why: str
    gaps: tuple[Gap, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Known:
    """What is known besides the documents, times by the daemon's own clock.

    ``unfinished`` is slurmctld's answer (job id to state), None when it was not asked or did not answer.
    ``ended_seen_ns``: when the newest run was first seen to be over (by its row or by a report).
    """

    now_ns: int
    first_seen_ns: int
    ended_seen_ns: int | None
    report_deadline_s: float
    accounting_deadline_s: float
    unfinished: Mapping[int, str] | None = None
    records_error: str | None = None
    node_states: Sequence[NodeState] = ()
    unread: bool = False
    """Whether documents have arrived that were not opened yet."""


def is_over(row: AccountingRecord | None) -> bool:
    """Whether Slurm has closed the row for good: a final state and an end."""
    return row is not None and row.state in FINAL_STATES and row.end_ns is not None


def progress(tries: Sequence[Try], known: Known) -> Progress:
    """Where the job stands. ``tries`` as ``attempts()`` gives them."""
    newest = tries[-1]
    row = newest.row
    late_s = 0.0 if known.ended_seen_ns is None else (known.now_ns - known.ended_seen_ns) / SECOND_NS
    if row is not None and is_over(row):
        return _over(newest, row, known, late_s)
    if row is not None and row.state == "REQUEUED":
        gone = known.unfinished is not None and row.job_id not in known.unfinished
        if gone and late_s >= known.accounting_deadline_s:
            gap = _no_record(f"it says REQUEUED, and no later row came in {late_s:.0f} s")
            return Progress(Stage.READY, "requeued, but slurmctld has forgotten it", (gap,))
        return Progress(Stage.RUNNING, "REQUEUED: another row follows")
    return _open(newest, known, late_s)


def _over(newest: Try, row: AccountingRecord, known: Known, late_s: float) -> Progress:
    in_time = late_s < known.accounting_deadline_s
    state = (known.unfinished or {}).get(row.job_id)
    if state in RUNS_ON:
        return Progress(Stage.RUNNING, f"{row.state}, and slurmctld has it as {state} again")
    if row.state in REQUEUED_LATER and (known.unfinished is None or state == "COMPLETING") and in_time:
        return Progress(Stage.ENDING, f"{row.state}: it may be requeued")
    if row.uid is None and late_s < UNJOINED_S:
        return Progress(Stage.ENDING, f"{row.state}, but slurmdbd has not been told whose job it is yet")
    running = [s.step for s in row.steps if s.state == "RUNNING" and s.end_ns is None]
    if running and in_time:
        return Progress(Stage.ENDING, f"accounting has step {running[0]} as RUNNING")
    gaps = [Gap(what=f"the end of step {step}", why=f"accounting still says RUNNING {late_s:.0f} s after the job's end") for step in running]
    return _reports(newest, known, late_s, row.state, gaps)


def _open(newest: Try, known: Known, late_s: float) -> Progress:
    """Slurm's accounting does not say that it is over: it runs, or accounting is late or away."""
    row, job_id = newest.row, newest.documents[0].attempt.job_id if newest.documents else (newest.row.job_id if newest.row else 0)
    says = known.records_error or (f"it still says {row.state}" if row else "it has no row of this job")
    if not newest.reports:
        forgotten = (known.now_ns - known.first_seen_ns) / SECOND_NS > FORGOTTEN_S
        if row is None and forgotten and known.records_error is None:
            if known.unfinished is None:
                return Progress(Stage.ENDING, "accounting has never heard of it")
            if job_id not in known.unfinished:
                return Progress(Stage.READY, "Slurm does not know it", (_no_record(says),))
        return Progress(Stage.RUNNING, "no report, and accounting does not say that it is over")
    if known.unfinished is not None and known.unfinished.get(job_id) in RUNS_ON:
        return Progress(Stage.RUNNING, f"a report is there, but slurmctld has it as {known.unfinished[job_id]}")
    if late_s < known.accounting_deadline_s:
        return Progress(Stage.ENDING, f"accounting: {says}")
    waited = f"{says}, {late_s:.0f} s after the first report"
    return _reports(newest, known, late_s, "over by its reports", [_no_record(waited)])


def _reports(newest: Try, known: Known, late_s: float, state: str, gaps: Sequence[Gap]) -> Progress:
    there = {report.node for report in newest.reports}
    missing = [node for node in expected_nodes(newest.row, newest.documents) if node not in there]
    lost = {s.node for s in known.node_states if node_is_lost(s.state)}
    awaited = tuple(node for node in missing if node not in lost)
    unread = known.unread and known.report_deadline_s <= late_s < UNREAD_DEADLINES * known.report_deadline_s
    if awaited and unread:
        return Progress(Stage.ENDING, f"{state}, and what came from {len(awaited)} nodes may still lie in the spool", missing=tuple(missing))
    if awaited and late_s < known.report_deadline_s:
        return Progress(Stage.ENDING, f"{state}, waits for the report of {', '.join(awaited[:5])}", missing=tuple(missing))
    return Progress(Stage.READY, state, tuple(gaps), tuple(missing))


def _no_record(why: str) -> Gap:
    return Gap(what="Slurm's final accounting record", why=why)
