"""What C1, C2 and C3 share: the run stood still until somebody or the time limit ended it."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Said
from gpualert_slurm.evidence import Evidence, Trust

STOPPED = {"TIMEOUT", "CANCELLED", "DEADLINE"}
IDLE_PERCENT = 5.0
BUSY_PERCENT = 95.0
RECENT_POINTS = 3


def stopped(facts: Facts) -> bool:
    """Whether the end came from outside, or from a watchdog: a run that stood still does not end by itself."""
    return facts.ending.state in STOPPED or bool(facts.said("collective_timeout"))


def suspended(facts: Facts) -> tuple[Evidence, ...]:
    """Slurm's record that the job was suspended."""
    if facts.row is not None and facts.row.suspended_s:
        return (citations.accounting(facts.row, "Suspended", f"{facts.row.suspended_s} s"),)
    return ()


def gpu_idle(facts: Facts) -> tuple[Evidence, ...]:
    """Utilisation near zero on every GPU in the recent window: NVML's own samples."""
    seen = [s for s in facts.series if s.name == "gpu_utilization_percent" and len(s.values) >= RECENT_POINTS]
    if not seen or any(max(s.values[-RECENT_POINTS:]) > IDLE_PERCENT for s in seen):
        return ()
    cites = [citations.series(s, len(s.values) - RECENT_POINTS, trust=Trust.SYSTEM) for s in seen[:4]]
    return tuple(c for c in cites if c is not None)


def gpu_working(facts: Facts) -> bool:
    """GPUs at neither end of the scale in the recent window: work, not waiting (a waiting collective shows as ~100 %)."""
    seen = [s for s in facts.series if s.name == "gpu_utilization_percent" and len(s.values) >= RECENT_POINTS]
    return any(IDLE_PERCENT < sum(s.values[-RECENT_POINTS:]) / RECENT_POINTS < BUSY_PERCENT for s in seen)


def shows_standstill(facts: Facts) -> list[Said]:
    """The silence, the idle GPUs and the end."""
    said = []
    silence = facts.silence
    if silence is not None and silence.long:
        said.append(Said(f"the last {silence.of} came {words.duration(silence.seconds)} before the end", silence.cites))
    idle = gpu_idle(facts)
    if idle:
        said.append(Said(f"the GPUs were idle (at most {IDLE_PERCENT:.0f} %) at the end", idle))
    if facts.cite_end():
        said.append(Said(f"the run ended as {facts.ending.state}", facts.cite_end()))
    blocked = facts.said("kernel_hung_task")[:2]
    return said + [Said("a process was blocked in the kernel: storage or a driver did not answer", (e,)) for e in blocked]


WATCHDOG = (
    (
        "export TORCH_NCCL_ASYNC_ERROR_HANDLING=1 TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_NCCL_TRACE_BUFFER_SIZE=2000   # a "
        "lost peer then fails the run, with a trace"
    ),
    "srun --kill-on-bad-exit=1 …   # one dead task ends the step instead of leaving the others waiting",
)
