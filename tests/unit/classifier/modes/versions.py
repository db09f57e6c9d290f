"""Each mode in the words of different software, version by version: recorded logs where one tells it, else a run beside progress as that version prints it.

Recorded (tests/goldens) are modes that a program's own output tells. What only a node, a GPU or Slurm tells (hardware, hangs, throughput, ends by the
scheduler) is written by hand around progress in the print style of six versions, so that no rule rests on one framework's lines.
"""

from __future__ import annotations

from collections.abc import Callable

from gpualert_slurm.verdict import Verdict
from tests.unit.classifier.modes.styles import STYLES, Style
from tests.unit.classifier.records import Run, trace
from tests.unit.classifier.signals import GIB, busy, done, down, gpu, series, sm, ticks, xid
from tests.unit.classifier.test_judge_goldens import RECIPES, verdict_of

STEPS = 200
Case = Callable[[], Verdict]


def _well(style: Style, count: int = STEPS, *, times: list[float] | None = None, ranks: int = 1, **job) -> Run:
    """All planned steps, and exit 0."""
    times = times or ticks(count)
    run = Run(**job).rank(0, "n1", style.steps(1, count, count), code=0, end=times[-1] + 10, times=times)
    for rank in range(1, ranks):
        run.rank(rank, "n1", code=0, end=times[-1] + 10, local=rank)
    return run


def _cut(style: Style, last: int, end: float, *, planned: int = 1000, every: float = 1.0, signal: int = 9, **job) -> Run:
    """Some of the planned steps, and an end from outside."""
    return Run(**job).rank(0, "n1", style.steps(1, last, planned), signal=signal, end=end, times=ticks(last, every))


def b1(style: Style) -> Verdict:
    said = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.19 GiB is free."
    return Run().rank(0, "n1", style.steps(1, 40, 1000) + trace(said), code=1, end=50, times=[*ticks(40), 49.5]).accounting(end=51).verdict()


def b2(style: Style) -> Verdict:
    text = style.steps(1, 40, 1000) + trace("torch.AcceleratorError: CUDA error: unspecified launch failure")
    run = Run().rank(0, "n1", text, code=1, end=50, times=[*ticks(40), 49.5])
    return run.node("n1", evidence=[xid(79, 49, words="pid=1, GPU has fallen off the bus.")]).accounting(end=51).verdict()


def b3(style: Style) -> Verdict:
    times = [float(i) for i in range(1, 101)] + [100 + i * 2.0 for i in range(1, 101)]
    points = [i * 10 > 100 for i in range(30)]
    hot = [
        busy("n1", [99.0] * 30, every=10),
        series("gpu_throttle_reasons", "n1", [0x40 if slow else 0 for slow in points], every=10),
        series("gpu_sm_clock_mhz", "n1", [900.0 if slow else 1900.0 for slow in points], every=10),
        series("gpu_temperature_c", "n1", [91.0 if slow else 70.0 for slow in points], every=10),
    ]
    return done(_well(style, times=times).node("n1", gpus_before=(gpu("n1"),), gpus_after=(gpu("n1", when=305),), series=hot), end=320)


def c2(style: Style) -> Verdict:
    run = _cut(style, 50, 3600.5).rank(1, "n1", signal=9, end=3600.5, local=1)
    idle = [busy("n1", [97.0, *[value] * 59], f"GPU-{rank}", rank=rank) for rank, value in ((0, 100.0), (1, 0.0))]
    still = [sm("n1", [40.0, *[0.0] * 59], f"GPU-{rank}", rank=rank) for rank in (0, 1)]
    return run.node("n1", series=[*idle, *still]).accounting("TIMEOUT", code=0, end=3600).verdict()


def c3(style: Style) -> Verdict:
    run = _cut(style, 50, 3600.5).node("n1", series=[busy("n1", [90.0, *[0.0] * 59])])
    return run.accounting("TIMEOUT", code=0, end=3600).verdict()


def d1(style: Style) -> Verdict:
    stalls = series("gpu_duty_percent", "n1", ([0.0] * 8 + [90.0]) * 12, every=2)
    held = series("gpu_memory_used_bytes", "n1", [60 * GIB] * 20, every=10)
    return done(_well(style).node("n1", gpus_after=(gpu("n1", when=205),), series=[stalls, held]))


def d2(style: Style) -> Verdict:
    run = _well(style, ranks=4)
    for rank in range(4):
        waits = [busy("n1", [99.0] * 21, f"GPU-{rank}", every=10, rank=rank), sm("n1", [9.0 + rank % 2] * 21, f"GPU-{rank}", every=10, rank=rank)]
        run.node("n1", series=waits)
    return done(run)


def d3(style: Style) -> Verdict:
    run = _well(style, ranks=4)
    for rank, active in enumerate((16.0, 55.0, 16.0, 15.0)):
        run.node("n1", series=[sm("n1", [active] * 21, f"GPU-{rank}", every=10, rank=rank)])
    return done(run)


def e3(style: Style) -> Verdict:
    return done(Run().rank(0, "n1", style.steps(1, 3, 3), code=0, end=60, times=[20.0, 35.0, 50.0]), end=61)


def f1(style: Style) -> Verdict:
    run = _cut(style, 280, 300, nodes=("n1", "n2"), node_events=(down(290),)).silent("n2")
    return run.accounting("NODE_FAIL", code=0, end=300).verdict()


def f2(style: Style) -> Verdict:
    return _cut(style, 90, 100, signal=15).accounting("PREEMPTED", code=0, end=100).verdict()


def f3(style: Style) -> Verdict:
    return _cut(style, 700, 3601, every=5).accounting("TIMEOUT", code=0, end=3600).verdict()


def f4(style: Style) -> Verdict:
    return _cut(style, 90, 100, signal=15).accounting("CANCELLED", code=0, end=100, cancelled_by_uid=1000).verdict()


def g1(style: Style) -> Verdict:
    return done(_well(style).node("n1", series=[busy("n1", [97.0] * 21, every=10), sm("n1", [60.0] * 21, every=10)]))


BY_STYLE = {"B1": b1, "B2": b2, "B3": b3, "C2": c2, "C3": c3, "D1": d1, "D2": d2, "D3": d3, "E3": e3, "F1": f1, "F2": f2, "F3": f3, "F4": f4, "G1": g1}
RECORDED = {
    "A1": ("datasets-5.2/04", "hub-2.4/01", "keras-3.15/04", "peft-0.4/01", "peft-0.21/02", "torchrun-2.13/06", "trainer-5.23/06"),
    "A2": ("deepspeed-0.19/03", "torchrun-2.0/02", "torchrun-2.13/03", "trainer-5.23/14"),
    "A3": ("accelerate-1.15/02", "deepspeed-0.19/02", "torch-2.13/18", "torchrun-2.0/01", "trainer-5.23/16"),
    "C1": ("jax-0.10/08", "torchrun-2.0/03", "torchrun-2.13/05"),
    "C2": ("torchrun-2.0/04", "torchrun-2.13/07"),
    "E3": ("accelerate-1.15/01", "torchrun-2.13/01", "trainer-4.30/11", "trainer-5.23/17"),
    "G1": ("jax-0.10/01", "keras-3.15/01", "lightning-2.6/02", "peft-0.21/01", "trainer-4.30/02", "trl-1.16/03"),
    "E1": ("jax-0.10/04", "keras-2.13/03", "keras-3.15/03", "lightning-1.9/04", "lightning-2.6/04", "trainer-4.30/04", "trainer-5.23/04"),
    "E2": ("accelerate-1.15/03", "lightning-2.6/10", "torch-2.13/05", "trainer-4.30/05"),
}


def examples() -> dict[str, dict[str, Case]]:
    """By mode and software with its version: what makes the verdict."""
    found: dict[str, dict[str, Case]] = {}
    for mode, logs in RECORDED.items():
        for log in logs:
            found.setdefault(mode, {})[log.partition("/")[0].replace("-", " ")] = lambda log=log: verdict_of(RECIPES[log])
    for mode, make in BY_STYLE.items():
        for style in STYLES:
            if mode == "E3" and not style.whole:
                continue  # how many steps an epoch has, and how many epochs there were, is not told
            found.setdefault(mode, {})[style.software] = lambda make=make, style=style: make(style)
    return found
