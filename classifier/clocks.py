"""Clocks of nodes against Slurm's: what a slow clock stamped happened later than it says."""

from __future__ import annotations

from gpualert_slurm.job_record import JobRecord

CLOCK_OFF_NS = 30 * 10**9
"""Slurm's end of the job and a node's own lie closer together where their clocks agree."""


def behind(job: JobRecord, end_ns: int | None) -> dict[str, int]:
    """How far a node's clock lies behind Slurm's, by its own word of the job's end; only nodes where it does.

    A slow clock must not look like silence, nor like a death before the time limit. A node that says a later end is left alone:
    cleaning up takes time, and later stamps only make silence shorter.
    """
    if end_ns is None:
        return {}
    ends = {r.node: end_ns - r.job_ended_ns for r in job.reports if r.job_ended_ns is not None}
    return {node: off for node, off in ends.items() if off >= CLOCK_OFF_NS}
