"""F1: a node of the job was lost while the job ran on it."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lost_ranks import lost_ranks
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.evidence import FieldValue, Where
from gpualert_slurm.verdict import Fault, FirstFailure

APART_S = 10.0
"""Samples are 10 s apart: less is no order."""


class NodeLost(FailureMode):
    """Slurm's records say that a node went down with the job on it; the node itself may have said nothing at all."""

    code = "F1"
    title = "node down in mid-run"
    place = 32
    needs = "Slurm's accounting and node events"
    positive = "NODE_FAIL, or DOWN / NOT_RESPONDING co-incident with the end; the node's reports and logs stop first or never come"
    excludes = "drained long before, 'Kill task failed' caused by the job"
    leaves_open = "the hardware's reason"

    def assess(self, facts: Facts) -> Assessment:
        """IN when Slurm lost a node of the job at the job's end."""
        flip = "NODE_FAIL, or a node of the job DOWN or not responding at its end"
        machine = facts.hardware
        notes = tuple(Said(f"node {e.where.node}: {e.source.value}", (e,)) for e in machine.node_notes[:4] if isinstance(e.source, FieldValue))
        if not facts.job.under_slurm:
            return (
                ruled_out("the run was not under Slurm", "a run under Slurm on a node that was lost")
                if not notes
                else latent("outside Slurm", flip, *notes)
            )
        if facts.ended_well:
            return ruled_out("the run ended well", flip, *facts.cite_end(), warnings=notes)
        if not machine.lost:
            if facts.row is None and not facts.job.node_states and not facts.job.node_events:
                return not_testable("no accounting and no node events are known", flip)
            if facts.row is None and facts.said("node_failure_text"):
                return not_testable("a line in the output names a node failure, and no record of Slurm confirms it", flip)
            return ruled_out("no node of the job was lost at its end", flip, *facts.cite_end(), warnings=notes)
        return ruled_in("Slurm lost a node of the job while it ran", "all nodes in service at the end", _account(facts))


def _account(facts: Facts) -> Account:
    lost = facts.hardware.lost
    silent = [n for n in facts.job.nodes if n not in {r.node for r in facts.job.reports}]
    names = sorted({e.where.node for e in lost if e.where.node}) or (silent if len(silent) == 1 else [])
    shows = [Said(_said(e.source), (e,)) for e in lost[:4]]
    implies = []
    if names and all(n in silent for n in names):
        implies.append(f"{', '.join(names)} sent no report: it went down before it could, or its network did")
    if facts.advance.seen:
        done = facts.advance.steps_done
        shows.append(
            Said(f"until then the run advanced (step {done})" if done is not None else "until then the run advanced", facts.advance.marks[-1:])
        )
    first = _fell_silent_first(facts, names)
    shows += [first] if first is not None else []
    which = ", ".join(names) or "a node of the job"
    advice = ["Submit again; a run that saves checkpoints can resume from the last one."]
    if names:
        advice.insert(0, f"#SBATCH --exclude={','.join(names)}   # until the operators say it is well")
    if facts.row is not None and facts.job.under_slurm:
        advice.append("#SBATCH --requeue   # lets Slurm start the job again by itself after a node failure")
    ranks = lost_ranks(facts, names)
    return Account(
        first=FirstFailure(ranks=ranks, nodes=tuple(names)) if ranks else None,
        headline=words.headline(f"node {which} was lost while the job ran" if names else "a node was lost while the job ran"),
        shows=tuple(shows),
        fault=Fault.NODE,
        implies=tuple(implies),
        cannot_decide=("why the node went down: power, kernel, network or hardware",),
        advice=tuple(advice),
    )


def _fell_silent_first(facts: Facts, names: list[str]) -> Said | None:
    """The lost node's logs and samples end before the others' do."""
    last: dict[str, int] = {}
    for report in facts.job.reports:
        times = [log.last_write_ns for log in report.logs if log.last_write_ns is not None]
        times += [t for one in report.series if one.where.gpu_uuid is not None for t in one.times_ns[-1:] if t is not None]
        if times:
            last[report.node] = max(times)
    others = [t for node, t in last.items() if node not in names]
    mine = [(node, last[node]) for node in names if node in last]
    if not others or not mine:
        return None
    node, when = min(mine, key=lambda one: one[1])
    gap_s = (max(others) - when) / 1e9
    if gap_s < APART_S:
        return None
    cite = citations.field(
        "log_activity", f"logs and samples of {node}", "time index and NVML samples", "last sign of life", f"{gap_s:.0f} s before the other nodes'",
        where=Where(node=node), time_ns=when,
    )  # fmt: skip
    return Said(f"{node} fell silent {words.duration(gap_s)} before the other nodes", (cite,))


def _said(source: object) -> str:
    return f"{source.record}: {source.name} {source.value}" if isinstance(source, FieldValue) else "Slurm lost the node"


MODE = NodeLost()
