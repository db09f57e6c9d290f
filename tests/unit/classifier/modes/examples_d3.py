"""D3: one rank computes while its peers wait, by SM activity; or its clock is below theirs."""

from __future__ import annotations

from tests.unit.classifier.signals import Run, done, gpu, process, series, sm, trained


def _ranks(active: list[float], name: str = "gpu_sm_activity_percent", **more) -> Run:
    run = trained(200, ranks=len(active), nodes=("n1",))
    for rank, value in enumerate(active):
        run.node("n1", series=[series(name, "n1", [value] * 21, uuid=f"GPU-{rank}", every=10, rank=rank)])
    return run.node("n1", **more)


def _table(active: list[float]) -> Run:
    """Rank 0 prints nothing but numbers: a clock, a count, a loss."""
    text = "".join(f"05:{i // 6:02d}:{i % 6}0,{20 * i},{3.0 / (1 + i / 10):.5f},1.887\n" for i in range(1, 21))
    run = Run(("n1",)).rank(0, "n1", text, code=0, end=210, times=[10.0 * i for i in range(1, 21)], stream="out")
    for rank, value in enumerate(active):
        run = run if rank == 0 else run.rank(rank, "n1", "", code=0, end=210)
        run.node("n1", series=[series("gpu_sm_activity_percent", "n1", [value] * 21, uuid=f"GPU-{rank}", every=10, rank=rank)])
    return run


def _spoken(said: str) -> Run:
    return _ranks([16.0, 55.0, 16.0, 15.0]).rank(0, "n1", f"{said}\n", stream="out")


def _drawing(watts: list[float], busy: float = 100.0) -> Run:
    """Power alone, of cards that are busy by their engines."""
    run = _ranks([1000.0 * w for w in watts], "gpu_power_mw")
    for rank in range(len(watts)):
        run.node("n1", series=[series("gpu_utilization_percent", "n1", [busy] * 21, uuid=f"GPU-{rank}", every=10, rank=rank)])
    return run


def _without_steps(active: list[float], engine: float, points: int) -> Run:
    """Nothing that its lines say is progress; its cards were busy."""
    run = Run(("n1",))
    for rank, value in enumerate(active):
        run.rank(rank, "n1", "4 ranks, same mesh each\n" if rank == 0 else "", code=0, end=points * 10 + 5)
        told = [series("gpu_sm_activity_percent", "n1", [value] * points, uuid=f"GPU-{rank}", every=10, rank=rank)]
        run.node("n1", series=[*told, series("gpu_utilization_percent", "n1", [engine] * points, uuid=f"GPU-{rank}", every=10, rank=rank)])
    return run


STAGES = (
    "[00/03 n2] pipeline drained",
    "pipeline stage 1 of 4 ready",
    "schedule: 1F1B with 8 micro-batches",
    "GPipe, 4 partitions",
    "pipeline-model-parallel size: 4",
    "pipeline_parallel_size=2",
    "using pp=4 tp=1",
    "pipeline depth 4",
    "the pipeline is full",
    "pipeline rank 3: layers 18 to 24",
)
ONE_STAGE = (
    "pipeline-model-parallel size: 1",
    "pipeline_parallel_size=1",
    "using pp=1 tp=4",
    "data pipeline ready, 4 workers",
    "input pipeline warmed, prefetch 2",
    "pipeline parallel: off",
    "ZeRO stage 2",
    "second stage of the training",
    "pipeline stages: 1",
    "text-generation pipeline loaded",
)
EXAMPLES = {
    "0.55 against 0.16": lambda: done(_ranks([16.0, 55.0, 16.0, 15.0])),
    **{f"one stage: {said}": lambda said=said: done(_spoken(said)) for said in ONE_STAGE},
    "steps in a CSV without a head, behind a clock": lambda: done(_table([16.0, 55.0, 16.0, 15.0])),
    "cards that were busy for long, whatever the lines are like": lambda: done(_without_steps([15.0, 60.0, 15.0, 16.0], 99.0, 60), end=610),
    "two ranks are enough": lambda: done(_ranks([20.0, 60.0])),
    "power that is plain, every engine busy": lambda: done(_drawing([130.0, 290.0, 128.0, 135.0])),
    "a clock below its peers'": lambda: done(_ranks([1900.0, 1900.0, 900.0, 1890.0], "gpu_sm_clock_mhz")),
}
NEAR_MISSES = {
    "no steps, and cards that were busy now and then": lambda: done(_without_steps([15.0, 60.0, 15.0, 16.0], 60.0, 60), end=610),
    "no steps, and cards that were busy for a moment": lambda: done(_without_steps([15.0, 60.0, 15.0, 16.0], 99.0, 9), end=100),
    "power alone only warns": lambda: done(_ranks([300_000.0, 690_000.0, 300_000.0, 310_000.0], "gpu_power_mw")),
    "power that is plain, engines at rest now and then": lambda: done(_drawing([130.0, 290.0, 128.0, 135.0], busy=70.0)),
    "power of two that work more": lambda: done(_drawing([130.0, 290.0, 280.0, 135.0, 131.0])),
    "a little more power": lambda: done(_drawing([230.0, 310.0, 228.0, 235.0])),
    "different kinds of GPU": lambda: done(
        _ranks(
            [1900.0, 1900.0, 900.0, 1890.0],
            "gpu_sm_clock_mhz",
            gpus_after=tuple(gpu("n1", f"GPU-{i}", 205, name="NVIDIA A30" if i == 2 else "NVIDIA H100") for i in range(4)),
        )
    ),
    "even": lambda: done(_ranks([55.0, 57.0, 54.0, 56.0])),
    "stages": lambda: done(_ranks([16.0, 55.0, 16.0, 15.0], processes=(process(rank=0, command=("python", "pretrain.py", "--pp-size=4")),))),
    **{f"stages by its own word: {said}": lambda said=said: done(_spoken(said)) for said in STAGES},
    "for a moment": lambda: done(
        trained(200, ranks=2).node("n1", series=[sm("n1", [16.0] * 21, "GPU-0", every=10), sm("n1", [90.0] * 6 + [16.0] * 15, "GPU-1", every=10)])
    ),
}
