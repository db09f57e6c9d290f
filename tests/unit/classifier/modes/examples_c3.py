"""C3: one rank that stood still until it was ended."""

from __future__ import annotations

from gpualert_slurm.stall import Waits
from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import busy, cpu_of, gpu, process, series, stall, stand, ticks


def _still(text: str = "", engine: tuple[float, ...] = (90.0,) + (0.0,) * 59, **node) -> Run:
    run = Run().rank(0, "n1", text or steps(1, 50), signal=9, end=3600.5, times=ticks(50) if not text else [1.0])
    return run.node("n1", series=[busy("n1", engine), *node.pop("series", [])], **node)


def _short(*engine: float) -> Run:
    """One rank that advanced for twelve seconds of a minute."""
    run = Run().rank(0, "n1", steps(1, 60), signal=15, end=60.5, times=ticks(60, 0.2))
    return run.node("n1", series=[busy("n1", engine, every=1)] if engine else [])


def _slept(cpu: float, engine: float = 0.0):
    """One rank, silent from its third second on, before a limit of two minutes; the node read its CPU every two seconds."""
    run = Run().rank(0, "n1", "reading the settings\n", signal=15, end=120.5, times=[3.0])
    run.node("n1", processes=(process("n1", 100, rank=0, command=("python3", "fit.py")),), series=[cpu_of("n1", 0, [cpu] * 59), busy("n1", [engine] * 120, every=1)])
    return run.accounting("TIMEOUT", code=0, end=120, time_limit_s=120).verdict()


EXAMPLES = {
    "asleep for most of two minutes, the GPU idle": lambda: _slept(0.5),
    "a minute's limit, the GPU idle": lambda: _short(*[90.0] * 12, *[0.0] * 48).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict(),
    "a minute's limit, silent for most of it, and nothing known of the GPU": lambda: (
        _short().accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict()
    ),
    "progress, then an idle GPU to the limit": lambda: _still().accounting("TIMEOUT", code=0, end=3600).verdict(),
    "no word at all, and the GPU never used": lambda: (
        _still("loading\n", (0.0,) * 60, gpus_after=(gpu("n1", when=3600, job_attached=False),)).accounting("TIMEOUT", code=0, end=3600).verdict()
    ),
    "until the owner cancels, with a stack": lambda: (
        _still(stalls=(stall(stand(0, Waits.LOCK, waits_on="acquire (threading.py)")),))
        .accounting("CANCELLED", code=0, end=3600, cancelled_by_uid=1000)
        .verdict()
    ),
    "in storage, by the kernel's word": lambda: (
        _still(stalls=(stall(stand(0, Waits.STORAGE, by="kernel", waits_on="nfs_wait_bit_killable", file_systems=("nfs4 /data",))),))
        .accounting("TIMEOUT", code=0, end=3600)
        .verdict()
    ),
}
NEAR_MISSES = {
    "two minutes at work on the CPU": lambda: _slept(99.0),
    "two minutes asleep, and the GPU at work": lambda: _slept(0.5, engine=80.0),
    "a minute's limit soon after the last step, and nothing known of the GPU": lambda: (
        Run().rank(0, "n1", steps(1, 60), signal=15, end=60.5, times=ticks(60, 0.8)).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict()
    ),
    "a minute's limit, the GPU at work": lambda: _short(*[90.0] * 60).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict(),
    "a busy CPU": lambda: (
        _still(series=[series("cpu_percent", "n1", [99.0] * 60, uuid=None, rank=0)]).accounting("TIMEOUT", code=0, end=3600).verdict()
    ),
    "suspended by Slurm": lambda: _still().accounting("TIMEOUT", code=0, end=3600, suspended_s=3500).verdict(),
    "advancing": lambda: (
        Run().rank(0, "n1", steps(1, 700), signal=9, end=3601, times=ticks(700, 5)).accounting("TIMEOUT", code=0, end=3600).verdict()
    ),
    "the GPU at work": lambda: _still(engine=(60.0,) * 60).accounting("TIMEOUT", code=0, end=3600).verdict(),
}
