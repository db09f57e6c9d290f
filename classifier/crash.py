"""What A1, A3, B1 and A2 share: the end of the first failing rank, its words, and who only followed."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Said
from gpualert_slurm.classifier.remedies import remedy
from gpualert_slurm.evidence import Evidence


def shows_crash(facts: Facts, error: Evidence | None) -> tuple[Said, ...]:
    """The error, the exit, the end, and what the others did, each with its evidence."""
    said: list[Said] = []
    who = words.who(facts.first, error)
    if error is not None:
        place = words.place_of(error)
        at = f", raised at {place}" if place else ""
        said.append(Said(f"{who or 'the job'} said: {words.headline(words.told(error))}{at}", (error,)))
    first = facts.first
    if first is not None and first.end is not None:
        said.append(Said(f"{first.name} ended with {first.words}", (first.evidence,)))
        kept = citations.cgroup(first.end)
        if kept is not None and first.end.memory is not None and first.end.memory.oom_kill_events == 0:
            said.append(Said("its memory cgroup counted no oom kill", (kept,)))
    elif first is not None and first.evidence is not error:
        said.append(Said(f"{first.name} ended with {first.words}", (first.evidence,)))
    said += shows_followers(facts)
    if facts.cite_end() and not (facts.ending.known_by == "exits" and first is not None):
        said.append(Said(f"the run ended as {facts.ending.state}", facts.cite_end()))
    return tuple(said)


def shows_followers(facts: Facts) -> list[Said]:
    """Ranks that went down with the first, and ranks that ran on until they were stopped."""
    followers = [f for f in facts.failures if f.follows]
    if not followers:
        return []
    many = f"{len(followers)} other rank{'s' if len(followers) != 1 else ''}"
    causes = tuple(f.evidence for f in followers[:4]) + facts.said("step_cancelled", "teardown")[:1]
    first = facts.first
    gap_s = None
    if first is not None and first.time_ns is not None:
        times = [f.time_ns for f in followers if f.time_ns is not None]
        gap_s = (min(times) - first.time_ns) / 1e9 if times else None
    waited = f" {words.duration(gap_s)} later" if gap_s is not None and gap_s >= 1 else ""
    return [Said(f"{many} ended{waited} ({_endings(facts)}): taken down, not failed by themselves", causes)]


LONG_S = 300.0
"""Ranks that ran on for so long after the first had died had nothing to do but wait for it."""
END_THE_STEP = "srun --kill-on-bad-exit=1 …   # one dead task ends the step instead of leaving the others waiting"


def waited_on(facts: Facts) -> str | None:
    """That the others went on waiting after the first failure until somebody ended them: by default srun leaves a dead task's peers alone."""
    first = facts.first
    times = [f.time_ns for f in facts.failures if f.follows and f.time_ns is not None]
    if first is None or first.time_ns is None or not times or (gap_s := (min(times) - first.time_ns) / 1e9) < LONG_S:
        return None
    many = f"{len(times)} other rank{'s' if len(times) != 1 else ''} went on waiting"
    return f"{many} for {words.duration(gap_s)} after {first.name} had ended, until they were stopped: a hang, whose trigger is that end"


def one_node(facts: Facts) -> str | None:
    """The node on which all ranks that failed by themselves ran, where there are several and other nodes' ranks did not fail."""
    own = [f for f in facts.failures if not f.follows]
    nodes = {f.node for f in own}
    node = next(iter(nodes), None)
    return node if len(own) > 1 and len(nodes) == 1 and len(set(facts.job.nodes)) > 1 else None


CONTEXT_SHARE = 0.02
"""What a CUDA context alone takes of a card's memory, roughly."""


def shows_gpu_memory(facts: Facts, *, only_empty: bool) -> tuple[Said, ...]:
    """NVML's word on how full the GPUs' memory was at most: of startup crashes only where it was never filled."""
    total = {g.uuid: g.memory_total_bytes for g in facts.hardware.gpus if g.memory_total_bytes}
    seen = [c for c in facts.activity.cards if c.uuid in total and c.values("gpu_memory_used_bytes")]
    if not seen:
        return ()
    fullest = max(seen, key=lambda c: max(c.values("gpu_memory_used_bytes")) / (total[c.uuid] or 1))
    share = max(fullest.values("gpu_memory_used_bytes")) / (total[fullest.uuid] or 1)
    cite = fullest.cite("gpu_memory_used_bytes")
    if cite is None or (only_empty and share > CONTEXT_SHARE):
        return ()
    empty = ": no more than a context" if share <= CONTEXT_SHARE else ""
    return (Said(f"the GPUs' memory stayed at or below {100 * share:.1f} %{empty}", (cite,)),)


def _endings(facts: Facts) -> str:
    return ", ".join(sorted({f.words for f in facts.failures if f.follows})[:4])


def same_everywhere(facts: Facts, error: Evidence) -> bool:
    """Whether at least two ranks said the same: then it is the job's own, not one node's."""
    own = [f for f in facts.failures if f.root is not None]
    return len(own) > 1 and len({(f.root.data.get("type"), f.root.cause) for f in own if f.root}) == 1 and error.cause is not None


def advice_for(facts: Facts, error: Evidence | None, cause: Cause | None, detail: str | None) -> tuple[str, ...]:
    """What to do, paste-ready where it can be; the job's own command lines name the model."""
    row = facts.row
    lines = [" ".join(p.command) for p in facts.processes if p.command][:8]
    lines += [" ".join(facts.job.command), row.submit_line or "" if row is not None else "", words.told(error) if error is not None else ""]
    return remedy(error, cause, detail, "\n".join(lines)[:20_000])
