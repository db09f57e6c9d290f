"""What of a record can be judged: reports of another run, of a node that is not the job's, or told twice are left out, and said."""

from __future__ import annotations

import statistics

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.classifier.earlier import last_attempts
from gpualert_slurm.classifier.printed import dated
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport

APART_NS = 2 * 10**9
"""Tasks of one step start within this of each other where clocks agree; more is added to the clock's uncertainty."""
SAID_NS = 30 * 10**9
"""From here on a clock that is off is said."""


def admitted(job: JobRecord) -> JobRecord:
    """The record with the reports that are this run's, one a node, clocks no better than they showed themselves, and its logs' last attempts.

    What is left out becomes a gap of the record. Never raises.
    """
    return last_attempts(dated(_of_this_run(job)))


def _of_this_run(job: JobRecord) -> JobRecord:
    kept: dict[str, NodeReport] = {}
    gaps: list[Gap] = []
    for report in sorted(job.reports, key=lambda r: (r.written_ns, r.node)):
        why = _foreign(report, job)
        if why is not None:
            gaps.append(Gap(what="a node report", why=why, node=report.node))
        else:
            kept[report.node] = report
    offsets = _offsets(tuple(kept.values()))
    for node, off_ns in offsets.items():
        report = kept[node]
        kept[node] = report.model_copy(update={"clock_uncertainty_ns": max(report.clock_uncertainty_ns, abs(off_ns))})
        if abs(off_ns) >= SAID_NS:
            way = "ahead of" if off_ns > 0 else "behind"
            gaps.append(
                Gap(what="its clock", why=f"it stands {abs(off_ns) / 1e9:.0f} s {way} the other nodes': order of failures only within it", node=node)
            )
    if not gaps and not offsets and len(kept) == len(job.reports):
        return job
    return job.model_copy(update={"reports": tuple(kept[n] for n in sorted(kept)), "gaps": (*job.gaps, *gaps)})


def _foreign(report: NodeReport, job: JobRecord) -> str | None:
    """Why a report is not this run's; None when it is."""
    mine, its = job.attempt, report.attempt
    if (its.job_id, its.cluster) != (mine.job_id, mine.cluster):
        return f"it is of job {its.label} of cluster {its.cluster}, not of this one"
    if _differ(mine, its):
        return f"it is of attempt {its.restart_count}, not of this one ({mine.restart_count})"
    if job.accounting and job.nodes and report.node not in job.nodes:
        return f"{report.node} is not in the job's allocation"
    return None


def _differ(mine: Attempt, its: Attempt) -> bool:
    return mine.restart_count is not None and its.restart_count is not None and mine.restart_count != its.restart_count


def _offsets(reports: tuple[NodeReport, ...]) -> dict[str, int]:
    """How far each node's clock stands from the others', by when the tasks of one step started: only what exceeds APART_NS."""
    steps: dict[str, dict[str, int]] = {}
    for report in reports:
        for end in report.exits:
            if end.start_time_ns is not None and end.step not in {"batch", "extern", "interactive"}:
                starts = steps.setdefault(end.step, {})
                starts[report.node] = min(starts.get(report.node, end.start_time_ns), end.start_time_ns)
    most = max(steps.values(), key=len, default={})
    if len(most) < 2:
        return {}
    middle = statistics.median(most.values())
    return {node: off for node, start in sorted(most.items()) if abs(off := round(start - middle)) > APART_NS}
