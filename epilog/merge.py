"""Notes, reports and Slurm's records of one run become its ``JobRecord``. Pure; the order of the documents does not matter.

One report a node is kept, reports of other runs are refused, and what was expected and is not there is a ``Gap``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.epilog.attempts import same_owner
from gpualert_slurm.epilog.slurm_text import words
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.wishes import Wishes

Document = JobNote | NodeReport


def merge(
    notes: Sequence[JobNote],
    reports: Sequence[NodeReport],
    accounting: Sequence[AccountingRecord],
    *,
    node_states: Sequence[NodeState] = (),
    node_events: Sequence[NodeEvent] = (),
    past: Sequence[PastVerdict] = (),
    gaps: Sequence[Gap] = (),
    waited_s: float | None = None,
    fallback: Document | None = None,
) -> JobRecord:
    """Everything known about one run.

    Args:
        notes: of this run (``attempts()`` sorts them out), in any order.
        reports: of this run, in any order.
        accounting: the job's attempts in order of start up to this run, whose row is the last; empty without accounting.
        node_states: of the allocation, as found after the end.
        node_events: of the allocation, around the run.
        past: earlier verdicts that belong to the story.
        gaps: what the caller knows to be missing.
        waited_s: how long after the job's end missing reports were waited for, for the words of a gap.
        fallback: a document of an earlier run of the same job: it says who asked where this run left none.

    Raises:
        ValueError: neither a note nor a report nor ``fallback``: nobody has asked for this job.
    """
    row = accounting[-1] if accounting else None
    first = _first(notes, reports, row) or fallback
    if first is None:
        raise ValueError("a run without a note or a report belongs to nobody who asked")
    allocation = _allocation(row, (*notes, *reports))
    kept, refused = _sift(reports, first, row, set(words.expand_nodes(row.node_list)) if row else set())
    found = {report.node for report in kept}
    missing = [_missing(node, node_states, waited_s) for node in expected_nodes(row, (*notes, *reports)) if node not in found]
    own = sorted((n for n in notes if _why_foreign(n, first, row) is None), key=lambda n: (n.written_ns, n.node, n.json_bytes()))
    code, sig = _ending(row, kept)
    return JobRecord(
        attempt=_attempt(first, row, accounting, kept),
        uid=first.uid,
        user=first.user or (row.user if row else None),
        name=_name(row, kept),
        nodes=allocation,
        wishes=_wishes(own, kept, fallback),
        work_dir=(row.work_dir if row else None) or first.work_dir,
        exit_code=code,
        exit_signal=sig,
        started_ns=row.start_ns if row and row.start_ns else min((t for t in _starts(own, kept)), default=None),
        ended_ns=row.end_ns if row and row.end_ns else max((r.job_ended_ns for r in kept if r.job_ended_ns), default=None),
        reports=tuple(sorted(kept, key=lambda r: (_place(r.node, allocation), r.node))),
        accounting=tuple(accounting),
        node_events=tuple(sorted(node_events, key=lambda e: (e.start_ns or 0, e.node, e.state))),
        node_states=tuple(sorted(node_states, key=lambda s: (_place(s.node, allocation), s.node))),
        past=tuple(past),
        gaps=(*gaps, *missing, *refused),
    )


def expected_nodes(row: AccountingRecord | None, documents: Sequence[Document]) -> tuple[str, ...]:
    """The nodes that owe a report: those where a step ran (the plugin begins with a step); else the allocation."""
    if row is not None:
        steps = [s for s in row.steps if s.step != "extern" and s.node_list]
        ran = [name for s in steps for name in words.expand_nodes(s.node_list)]
        if ran:
            return tuple(dict.fromkeys(ran))
    return _allocation(row, documents)


def _allocation(row: AccountingRecord | None, documents: Sequence[Document]) -> tuple[str, ...]:
    if row is not None and (nodes := words.expand_nodes(row.node_list)):
        return nodes
    said = {name for d in documents for name in (*words.expand_nodes(d.nodes), d.node)}
    return words.expand_nodes(words.fold_nodes(tuple(sorted(said)))) if said else ()


def _first(notes: Sequence[JobNote], reports: Sequence[NodeReport], row: AccountingRecord | None) -> Document | None:
    """The document that says whose run this is: the earliest one that Slurm's row does not contradict; notes first."""
    for kind in (notes, reports):
        fitting = [d for d in kind if row is None or (d.attempt.job_id == row.job_id and same_owner(row, d.uid, d.user))]
        if fitting:
            return _ordered(fitting)[0]
    return None


_D = TypeVar("_D", bound=Document)


def _ordered(documents: Sequence[_D]) -> list[_D]:
    """By time and node; only what is still alike is told apart by its whole content, which costs."""
    groups: dict[tuple[int, str], list[_D]] = {}
    for document in documents:
        groups.setdefault((document.written_ns, document.node), []).append(document)
    return [d for key in sorted(groups) for d in (groups[key] if len(groups[key]) == 1 else sorted(groups[key], key=lambda d: d.json_bytes()))]


def _sift(
    reports: Sequence[NodeReport], first: Document, row: AccountingRecord | None, allocation: set[str]
) -> tuple[list[NodeReport], list[Gap]]:
    """One report a node (the one written last), and a gap for each node whose report is not of this run."""
    kept: dict[str, NodeReport] = {}
    refused: dict[tuple[str, str], Gap] = {}
    for report in _ordered(reports):
        why = _why_foreign(report, first, row)
        if why is None and allocation and report.node not in allocation:
            why = f"{report.node} is not in the allocation {row.node_list if row else ''}"
        if why is None:
            kept[report.node] = report
        else:
            refused[report.node, why] = Gap(what="report refused", why=why, node=report.node, time_ns=report.written_ns)
    return list(kept.values()), [refused[key] for key in sorted(refused)]


def _why_foreign(document: Document, first: Document, row: AccountingRecord | None) -> str | None:
    theirs, ours = document.attempt, first.attempt
    if theirs.cluster != ours.cluster:
        return f"it is of the cluster {theirs.cluster}"
    if theirs.job_id != ours.job_id:
        return f"it is of job {theirs.job_id}"
    if document.uid != first.uid:
        return f"it is of a job of uid {document.uid}"
    if row is not None and not same_owner(row, document.uid, document.user):
        return f"Slurm has the job as {row.user or row.uid}'s"
    return None


def _missing(node: str, states: Sequence[NodeState], waited_s: float | None) -> Gap:
    for state in states:
        if state.node == node and words.node_is_lost(state.state):
            return Gap(what="no report", why=f"Slurm has the node as {state.state}", node=node)
    waited = f"none arrived within {waited_s:g} s of the job's end" if waited_s is not None else "none arrived"
    return Gap(what="no report", why=waited, node=node)


def _attempt(first: Document, row: AccountingRecord | None, accounting: Sequence[AccountingRecord], kept: Sequence[NodeReport]) -> Attempt:
    base = first.attempt
    known = row if row is not None and row.uid is not None else base  # with the owner slurmdbd is told array and het job
    counts = [r.attempt.restart_count for r in kept if r.attempt.restart_count is not None]
    restart = max(counts, default=None)
    if restart is None and row is not None:
        restart = row.restarts if row.restarts is not None else len([r for r in accounting[:-1] if r.start_ns is not None])
    return Attempt(
        cluster=base.cluster,
        job_id=base.job_id,
        array_job_id=known.array_job_id,
        array_task_id=known.array_task_id,
        het_job_id=known.het_job_id,
        het_offset=known.het_offset,
        restart_count=restart,
        start_time_ns=row.start_ns if row and row.start_ns else base.start_time_ns,
        sluid=(row.sluid if row else None) or base.sluid,
    )


def _wishes(notes: Sequence[JobNote], reports: Sequence[NodeReport], fallback: Document | None) -> Wishes:
    """What the first node was asked; where it was asked nothing, what another was (``srun`` in an allocation may ask alone)."""
    documents: list[Document] = [*notes, *sorted(reports, key=lambda r: (r.job_started_ns or r.written_ns, r.node))]
    for document in documents:
        if document.wishes.addresses:
            return document.wishes
    if documents:
        return documents[0].wishes
    return fallback.wishes if fallback else Wishes()


def _name(row: AccountingRecord | None, reports: Sequence[NodeReport]) -> str | None:
    """Slurm's record of it; where that has no owner yet it has no name either (sacct prints ``allocation``)."""
    if row is not None and row.name and row.uid is not None:
        return row.name
    return next((name for r in sorted(reports, key=lambda r: r.node) if (name := r.epilog_env.get("SLURM_JOB_NAME"))), None)


def _ending(row: AccountingRecord | None, reports: Sequence[NodeReport]) -> tuple[int | None, int | None]:
    if row is not None and row.exit_code is not None:
        return row.exit_code, row.exit_signal
    for report in sorted(reports, key=lambda r: r.node):
        found = words.exit_code(report.epilog_env.get("SLURM_JOB_EXIT_CODE2", ""))
        if found[0] is not None:
            return found
    return None, None


def _starts(notes: Sequence[JobNote], reports: Sequence[NodeReport]) -> list[int]:
    return [t for t in (*(n.attempt.start_time_ns for n in notes), *(r.job_started_ns for r in reports)) if t]


def _place(node: str, allocation: Sequence[str]) -> int:
    return allocation.index(node) if node in allocation else len(allocation)
