"""What C1, C2 and C3 share: the run stood still until somebody or the time limit ended it."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.activity import IDLE_PERCENT, SM, within
from gpualert_slurm.classifier.asleep import asleep as asleep_since
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.failure import Failure
from gpualert_slurm.classifier.meeting import last_lines
from gpualert_slurm.classifier.mode import Said
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.patience import leaves
from gpualert_slurm.classifier.silence import SAFETY_FACTOR, SCANT_S
from gpualert_slurm.evidence import Evidence, Trust

STOPPED = {"TIMEOUT", "CANCELLED", "DEADLINE"}


def stopped(facts: Facts) -> bool:
    """Whether the end came from outside, or from a watchdog: a run that stood still does not end by itself."""
    return facts.ending.state in STOPPED or bool(facts.waiting.gave_up or facts.stopping.own_limit or left(facts))


def left(facts: Facts) -> tuple[Failure, ...]:
    """Ranks that left with a code of their own after a long stillness, whose last line was that the others did not come or answer."""
    if facts.ranks_total < 2 or facts.ending.started_ns is None:
        return ()
    last, said = facts.advance.last_ns or facts.ending.started_ns, last_lines(facts.job)
    enough = max(SCANT_S, SAFETY_FACTOR * (facts.advance.interval_s or 0.0)) * 1e9
    gone = [f for f in facts.failures if not f.victim and f.root is None and f.code and f.signal is None and f.time_ns is not None]
    return tuple(f for f in gone if (f.time_ns or 0) - last >= enough and leaves(said.get(f.rank if f.rank is not None else -1, "")))


def alive(facts: Facts) -> frozenset[int]:
    """Tasks that ran on until the run was stopped."""
    gone = {f.rank for f in facts.failures if not f.follows and not f.victim}
    return frozenset(e.rank for e in facts.exits if e.step not in SCRIPT and e.rank is not None and e.failed and e.rank not in gone)


def asleep(facts: Facts, *, late: bool = False, since_ns: int | None = None) -> tuple[Evidence, ...]:
    """That all ranks still alive slept from the last sign of life (or ``since_ns``) on: what shows it; ``late``: in the second half of that time."""
    if facts.silence is None or facts.ending.ended_ns is None:
        return ()
    since = since_ns if since_ns is not None else facts.ending.ended_ns - round(facts.silence.seconds * 1e9)
    until = facts.stopping.at[0] if facts.stopping.at is not None else None
    if late:
        since += max(0, (until or facts.ending.ended_ns) - since) // 2
    return asleep_since(facts.job, alive(facts), since, until, facts.ending.elapsed_s)


def suspended(facts: Facts) -> tuple[Evidence, ...]:
    """Slurm's record that the job was suspended, where that explains the silence: what is left of it without the suspension is short."""
    if facts.row is None or not facts.row.suspended_s or (facts.silence is not None and facts.silence.long):
        return ()
    return (_suspension(facts),)


def against(facts: Facts) -> tuple[str, ...]:
    """What speaks against a hang, although it stands."""
    if facts.row is not None and facts.row.suspended_s:
        return (f"Slurm had suspended the job for {words.duration(facts.row.suspended_s)} of its time",)
    return ()


def _suspension(facts: Facts) -> Evidence:
    row = facts.row
    if row is None:
        raise ValueError("a suspension is known by accounting only")
    return citations.accounting(row, "Suspended", f"{row.suspended_s} s")


def gpu_idle(facts: Facts) -> tuple[Evidence, ...]:
    """Engines near zero on every sampled GPU in the recent window: NVML's own samples."""
    cards, idle = facts.activity.sampled, facts.activity.idle_at_end()
    if not cards or len(idle) < len(cards):
        return ()
    cites = [c.cite("gpu_utilization_percent", "gpu_activity", facts.activity.recent) for c in idle[:4]]
    return tuple(c for c in cites if c is not None)


def gpu_working(facts: Facts) -> tuple[Evidence, ...]:
    """GPUs that computed until the end: by their SMs, else an engine at neither end of the scale (a waiting collective shows as ~100 %)."""
    names = (SM, "gpu_utilization_percent")
    cites = (next((e for n in names if (e := c.cite(n, "gpu_activity", facts.activity.recent))), None) for c in facts.activity.working_at_end()[:4])
    return tuple(c for c in cites if c is not None)


def counted_still(facts: Facts) -> tuple[bool | None, tuple[Evidence, ...]]:
    """Whether kernels and collectives stood at zero in the recent window while the run had made many: None where nobody counted."""
    begin = facts.activity.recent[0]
    counted = [s for s in facts.series if s.name in {"kernel_launches", "collectives"} and sum(finite(s.values)) > 0]
    if not counted or begin is None:
        return None, ()
    late = [(s, within(s, (begin + round((facts.silence.interval_s if facts.silence else 0.0) * 1e9), None))) for s in counted]
    known = [(s, v) for s, v in late if v]
    cites = tuple(c for s, _ in known[:2] if (c := citations.series(s, trust=Trust.SYSTEM)) is not None)
    return (all(max(v) == 0 for _, v in known), cites) if known else (None, ())


def uncounted(facts: Facts) -> tuple[str, ...]:
    """What no count of kernels and collectives can decide here: said where there are GPUs at all."""
    if counted_still(facts)[0] is not None or not facts.activity.cards:
        return ()
    return ("whether kernels and collectives still ran: there are no CUDA counts, the GPUs' own readings stand in",)


def shows_standstill(facts: Facts) -> list[Said]:
    """The silence, what the GPUs and the ranks did, and the end."""
    said = []
    silence, activity = facts.silence, facts.activity
    if silence is not None and silence.long:
        said.append(Said(f"the last {silence.of} came {words.duration(silence.seconds)} before the end", silence.cites))
    said += [Said("nobody wrote any more, seen while the job ran", facts.stand.stalls[:2])] if facts.stand.stalls else []
    idle, spinning = gpu_idle(facts), activity.spinning_at_end()
    if idle:
        said.append(Said(f"the GPUs were idle (at most {IDLE_PERCENT:.0f} %) at the end", idle))
    if spinning:
        cites = tuple(
            e for c in spinning[:3] for n in ("gpu_utilization_percent", SM) if (e := c.cite(n, "gpu_activity", activity.recent)) is not None
        )
        said.append(
            Said(f"{len(spinning)} GPU{'s' if len(spinning) != 1 else ''} busy by the engine and computing nothing: waiting in a collective", cites)
        )
    zero, counts = counted_still(facts)
    if zero and counts:
        said.append(Said("kernels and collectives were at zero in the end, after many before", counts))
    said += [Said(f"{one.who}: {one.why}", one.evidence) for one in facts.stand.culprits[:4] if one.evidence]
    for rank, cite in facts.stand.storage[:3]:
        on = f" ({', '.join(rank.file_systems[:2]) or rank.waits_on})" if rank.file_systems or rank.waits_on else ""
        said.append(Said(f"{_whose(rank.rank, rank.node)} waited in the kernel for storage{on}", (cite,)))
    if facts.cite_end():
        said.append(Said(f"the run ended as {facts.ending.state}", facts.cite_end()))
    blocked = facts.said("kernel_hung_task")[:2]
    return said + [Said("a process was blocked in the kernel: storage or a driver did not answer", (e,)) for e in blocked]


def _whose(rank: int | None, node: str) -> str:
    return f"rank {rank} on {node}" if rank is not None else f"a process on {node}"


WATCHDOG = (
    (
        "export TORCH_NCCL_ASYNC_ERROR_HANDLING=1 TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_NCCL_TRACE_BUFFER_SIZE=2000   # a "
        "lost peer then fails the run, with a trace"
    ),
    "srun --kill-on-bad-exit=1 …   # one dead task ends the step instead of leaving the others waiting",
)
