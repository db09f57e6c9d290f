"""What came before: verdicts that blamed these nodes, the same failure of the same user, earlier attempts in the same log."""

from __future__ import annotations

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.mode import Said
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict

MOST = 4
OFTEN = 2
"""So many earlier verdicts against one node are a history."""


def node_history(job: JobRecord) -> tuple[Said, ...]:
    """Nodes of the allocation that earlier verdicts blamed: said beside any failure, evidence of none."""
    blamed: dict[str, list[PastVerdict]] = {}
    mine = set(job.nodes)
    for past in job.past:
        if past.fault == "node" and past.relation == "node":
            for node in (past.nodes or "").split(","):
                if node in mine:
                    blamed.setdefault(node, []).append(past)
    said = []
    for node, earlier in sorted(blamed.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:MOST]:
        modes = ", ".join(sorted({p.mode for p in earlier}))
        many = f"{len(earlier)} earlier jobs" if len(earlier) > 1 else "an earlier job"
        cites = tuple(_cite(p, "fault", f"{p.mode}, fault {p.fault}, on {node}") for p in earlier[:MOST])
        said.append(Said(f"{node} was found at fault before: {many} ({modes})", cites))
    return tuple(said)


def often_at_fault(job: JobRecord) -> tuple[str, ...]:
    """Nodes with a history, for ``--exclude``."""
    counts: dict[str, int] = {}
    for past in job.past:
        if past.fault == "node" and past.relation == "node":
            for node in (past.nodes or "").split(","):
                counts[node] = counts.get(node, 0) + 1
    return tuple(sorted(node for node, count in counts.items() if count >= OFTEN and node in set(job.nodes)))


def seen_before(job: JobRecord, fingerprint: str) -> tuple[str, ...]:
    """How often a failure that looks the same is known: equal fingerprints of the same user's earlier jobs."""
    same = {p.job: p for p in job.past if p.fingerprint == fingerprint}
    if not same:
        return ()
    nodes = {node for p in same.values() for node in (p.nodes or "").split(",") if node}
    here = nodes & set(job.nodes)
    names = ", ".join(sorted(same)[:MOST]) + (" …" if len(same) > MOST else "")
    where = f", on {len(nodes)} node{'s' if len(nodes) != 1 else ''}" if nodes else ""
    moved = "" if not nodes else "; each time with a node of this run" if here else "; on other nodes than this run's: look at the job, not the nodes"
    more = "s" if len(same) != 1 else ""
    return (f"the same failure was seen {len(same)} time{more} before (job{more} {names}{where}){moved}",)


def earlier_attempts(job: JobRecord) -> tuple[Said, ...]:
    """What ended the attempts before, for a verdict's warnings: evidence of no mode."""
    said = []
    for report in job.reports:
        for one in report.evidence:
            if one.says == "earlier_attempt":
                back = one.data.get("before_last")
                which = "the attempt before the last" if back == 1 else f"{back} attempts before the last"
                said.append(Said(f"the log holds earlier attempts of this run; {which} ended with {one.data.get('said', '?')}", (one,)))
    return tuple(said)


def _cite(past: PastVerdict, name: str, value: str) -> Evidence:
    return citations.field("past", f"verdict of {past.job} at {past.ended_ns}", "history", name, value, time_ns=past.ended_ns)
