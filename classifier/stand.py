"""Where the ranks stood when the run stood still: probes' stacks, cold GPUs among spinning ones, who did not join, who was lost."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.activity import Activity
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.ras import read_ras
from gpualert_slurm.evidence import Evidence, Role, Trust, Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.process import Process
from gpualert_slurm.rank import RankExit
from gpualert_slurm.stall import RankStand, Stall, Waits

_JOINED = re.compile(r"(\d{1,6})/(\d{1,6}) clients joined")
MOST_GENERATIONS = 8
_FOR_PEERS = {Waits.COLLECTIVE, Waits.RENDEZVOUS}


@dataclass(frozen=True)
class Culprit:
    """A rank that does not wait for a peer while the others do, and what shows it."""

    who: str
    rank: int | None
    why: str
    evidence: tuple[Evidence, ...]
    waits: Waits = Waits.UNKNOWN


@dataclass(frozen=True)
class Stand:
    """``stalls``: standstills that lasted to the end, as they were seen while the job ran; ``stacks``: what each rank waited in."""

    stalls: tuple[Evidence, ...]
    stacks: tuple[tuple[RankStand, Evidence], ...]
    culprits: tuple[Culprit, ...]
    missing: tuple[int, ...]
    """Ranks that never joined a rendezvous, as far as known by name."""
    joined: tuple[int, int, Evidence] | None
    """How many joined, of how many, by the store's own words."""
    stopped: tuple[tuple[RankStand, Evidence], ...]
    """Ranks that a signal or the freezer had stopped."""

    @property
    def storage(self) -> tuple[tuple[RankStand, Evidence], ...]:
        """Ranks that waited in the kernel for a file system."""
        return tuple((rank, said) for rank, said in self.stacks if rank.waits is Waits.STORAGE and rank.waits_by != "stack")


Absent = tuple[tuple[int, tuple[Evidence, ...]], ...]
"""Ranks that stayed away from a collective, each with what shows it."""


def stand_of(job: JobRecord, activity: Activity, evidence: tuple[Evidence, ...], exits: tuple[RankExit, ...], absent: Absent = ()) -> Stand:
    """All that is known of the standstill; empty where nobody looked. ``absent``: who did not give up the collective that the others did."""
    lasting = [(r.node, s) for r in job.reports for s in r.stalls if s.resumed_ns is None and s.silent]
    stacks = tuple((rank, _stack(rank, stall)) for _, stall in lasting for rank in stall.ranks)
    culprits = [*_probed(lasting), *_of_ras(lasting), *_cold(activity), *_of_sequence(evidence), *_stayed_away(absent, exits)]
    texts = [(found, e) for e in evidence if e.says == "rendezvous" and (found := _JOINED.search(_text(e)))]
    joined = (int(texts[-1][0][1]), int(texts[-1][0][2]), texts[-1][1]) if texts else None
    return Stand(
        stalls=tuple(_stall(s) for _, s in lasting),
        stacks=stacks,
        culprits=_once(culprits),
        missing=_never_joined(job, exits),
        joined=joined,
        stopped=tuple((rank, said) for rank, said in stacks if rank.waits is Waits.STOPPED and rank.waits_by != "stack"),
    )


def lost_children(job: JobRecord) -> tuple[tuple[Process, Evidence], ...]:
    """Processes of the job that are no ranks (a loader's workers) and were ended by a signal, first one first: the kernel's word.

    A worker that lived too shortly to be looked at has its parent's rank.
    """
    tasks = {(e.node, e.pid) for r in job.reports for e in r.exits}
    dead = [_with_rank(p, job) for r in job.reports for p in r.processes if p.exit_signal in {6, 7, 9, 11} and (p.node, p.pid) not in tasks]
    return tuple((p, process(p, "exit_signal", str(p.exit_signal))) for p in sorted(dead, key=lambda p: (p.ended_ns or 0, p.node, p.pid)))


def _with_rank(one: Process, job: JobRecord) -> Process:
    if one.rank is not None:
        return one
    here = [r for r in job.reports if r.node == one.node]
    known: dict[int | None, tuple[int | None, int | None]] = {p.pid: (p.rank, p.parent_pid) for r in here for p in r.processes}
    for end in (e for r in here for e in r.exits if e.pid is not None and e.step not in SCRIPT):
        known[end.pid] = (end.rank, None)
    at, rank = one.parent_pid, None
    for _ in range(MOST_GENERATIONS):
        rank, at = known.get(at, (None, None))
        if rank is not None or at is None:
            break
    return one if rank is None else one.model_copy(update={"rank": rank})


def process(one: Process, name: str, value: str) -> Evidence:
    """One field of a process as evidence."""
    where = Where(node=one.node, rank=one.rank, local_rank=one.local_rank, pid=one.pid, step=one.step)
    who = f"process {one.pid} of {one.node}" + (f" (rank {one.rank})" if one.rank is not None else "")
    return citations.field("process_field", who, "process map", name, value, where=where, time_ns=one.ended_ns or one.started_ns, data={"name": name})


def _stall(stall: Stall) -> Evidence:
    since = f"since {stall.since_ns}" if stall.since_ns is not None else "since an unknown time"
    usual = f", usually {stall.usual_interval_s:.0f} s apart" if stall.usual_interval_s is not None else ""
    value = f"nobody wrote {since}{usual}"
    return citations.field(
        "stall", f"stall probe on {stall.node}", "gpualert-node", "since_ns", value, where=Where(node=stall.node), time_ns=stall.found_ns
    )


def _stack(rank: RankStand, stall: Stall) -> Evidence:
    """What one rank waited in; its frames are the user's own names, its state and wchan the kernel's."""
    value = rank.waits.value + (f": {rank.waits_on}" if rank.waits_on else "")
    value += f" (state {rank.state})" if rank.state else ""
    where = Where(node=rank.node, rank=rank.rank, local_rank=rank.local_rank, pid=rank.pid, step=rank.step)
    who = f"rank {rank.rank}" if rank.rank is not None else f"process {rank.pid}"
    trust = Trust.USER if rank.waits_by == "stack" else Trust.SYSTEM
    return citations.field(
        "stack", f"stall probe of {who} on {rank.node}", "gpualert-node", "waits", value, trust=trust, where=where, time_ns=stall.found_ns,
        data={"waits": rank.waits.value},
    )  # fmt: skip


def _probed(lasting: list[tuple[str, Stall]]) -> list[Culprit]:
    """Who the probes name: the one rank that waits for no peer while all others do, over all nodes."""
    every = [(rank, stall) for _, stall in lasting for rank in stall.ranks]
    waiting = [rank for rank, _ in every if rank.waits in _FOR_PEERS]
    others = [(rank, stall) for rank, stall in every if rank.waits not in _FOR_PEERS and rank.waits is not Waits.UNKNOWN]
    found = []
    if waiting and 0 < len(others) <= max(1, len(waiting) // 2):
        for rank, stall in others:
            who = f"rank {rank.rank}" if rank.rank is not None else f"process {rank.pid}"
            words = {Waits.STORAGE: "waited for storage", Waits.DATA_LOADER: "waited in its data loader", Waits.STOPPED: "was stopped by a signal",
                     Waits.LOCK: "waited for a lock of its own", Waits.KERNEL: "waited in the kernel", Waits.DEAD: "was gone",
                     Waits.COMPUTE: "computed on the CPU"}.get(rank.waits, rank.waits.value)  # fmt: skip
            on = f" ({rank.waits_on})" if rank.waits_on else ""
            found.append(
                Culprit(f"{who} on {rank.node}", rank.rank, f"{words}{on} while the others waited for it", (_stack(rank, stall),), rank.waits)
            )
    return found


def _of_ras(lasting: list[tuple[str, Stall]]) -> list[Culprit]:
    """What NCCL's RAS service said while the run stood still: ranks that are missing, or behind the others in their collectives."""
    found = []
    for node, one in lasting:
        if not one.nccl_ras:
            continue
        for told in read_ras(one.nccl_ras):
            cite = citations.field(
                "nccl_ras", f"NCCL RAS on {node}", "ncclras -v on 127.0.0.1:28028", f"rank {told.rank}", told.line, trust=Trust.USER,
                where=Where(node=node, rank=told.rank), time_ns=one.found_ns, data={"missing" if told.missing else "behind": told.rank},
            )  # fmt: skip
            found.append(Culprit(f"rank {told.rank}", told.rank, told.why, (cite,), Waits.DEAD if told.missing else Waits.UNKNOWN))
    return found


def _cold(activity: Activity) -> list[Culprit]:
    """One GPU idle while the others spin: its rank has not entered the collective that they wait in."""
    spinning, idle = activity.spinning_at_end(), activity.idle_at_end()
    if len(spinning) < 1 or not idle or len(idle) > max(1, len(spinning) // 2):
        return []
    cold = []
    for card in idle:
        cites = tuple(
            c for c in (card.cite("gpu_utilization_percent", "gpu_activity", activity.recent), spinning[0].cite("gpu_utilization_percent")) if c
        )
        who = f"rank {card.rank} on {card.node}" if card.rank is not None else card.name
        cold.append(Culprit(who, card.rank, "its GPU was idle while the others' spun", cites))
    return cold


def _of_sequence(evidence: tuple[Evidence, ...]) -> list[Culprit]:
    """By collective sequence: within one process group, the rank whose last enqueued work lies behind the others'."""
    groups: dict[str, dict[int, tuple[int, Evidence]]] = {}
    for said in evidence:
        if said.says != "collective_timeout" or said.where.rank is None:
            continue
        number = said.data.get("enqueued")
        if isinstance(number, int):
            group = groups.setdefault(str(said.data.get("group", "")), {})
            if said.where.rank not in group or number > group[said.where.rank][0]:
                group[said.where.rank] = (number, said)
    found = []
    for ranks in groups.values():
        most = max(n for n, _ in ranks.values())
        behind = [(rank, n, e) for rank, (n, e) in sorted(ranks.items()) if n < most]
        if behind and len(behind) <= len(ranks) // 2:
            words = "had enqueued collective {} when others had enqueued {}"
            found += [Culprit(f"rank {rank}", rank, words.format(n, most), (e,)) for rank, n, e in behind]
    return found


def _stayed_away(absent: Absent, exits: tuple[RankExit, ...]) -> list[Culprit]:
    """Who did not give up the collective that the others did."""
    homes = {e.rank: e.node for e in exits if e.rank is not None and e.step not in SCRIPT}
    words = "did not report the time-out that the others did: it stayed away from the collective"
    return [Culprit(f"rank {rank}" + (f" on {homes[rank]}" if rank in homes else ""), rank, words, cites) for rank, cites in absent]


def _never_joined(job: JobRecord, exits: tuple[RankExit, ...]) -> tuple[int, ...]:
    """Ranks that were expected and of which no process, log text or exit is known."""
    sizes = {int(v) for r in job.reports for p in r.processes if (v := p.environment.get("WORLD_SIZE", "")).isascii() and v.isdigit() and len(v) < 8}
    if len(sizes) != 1 or not 1 < (size := sizes.pop()) <= 65536:
        return ()
    seen = {p.rank for r in job.reports for p in r.processes} | {e.rank for e in exits if e.step not in SCRIPT}
    absent = [rank for rank in range(size) if rank not in seen]
    return tuple(absent) if len(absent) < size else ()


def _once(found: list[Culprit]) -> tuple[Culprit, ...]:
    """One entry a rank: what the probes say first; evidence of all that agree."""
    kept: dict[object, Culprit] = {}
    for one in found:
        key = one.rank if one.rank is not None else one.who
        before = kept.get(key)
        kept[key] = (
            one if before is None else Culprit(before.who, before.rank, f"{before.why}; {one.why}", (*before.evidence, *one.evidence), before.waits)
        )
    return tuple(kept.values())


def _text(said: Evidence) -> str:
    return str(getattr(said.source, "text", "")) + str(said.data.get("message", "")) if said.role is not Role.MARKER else ""
