"""D2: saves, the interconnect, launch blocking."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import busy, done, process, sm, trained


def _saving(every: int, *, cost: float = 0.0) -> Run:
    lines, times, clock = "", [], 0.0
    for i in range(1, 101):
        clock += 1.0
        lines += steps(i, i)
        times.append(clock)
        if i % every == 0:
            clock += cost
            lines += f"Saving model checkpoint to out/checkpoint-{i}\n"
            times.append(clock)
    return Run().rank(0, "n1", lines, code=0, end=clock + 5, times=times)


def _even(active: float, engine: float = 99.0, ranks: int = 4, **more) -> Run:
    run = trained(200, ranks=ranks, nodes=("n1", "n2"))
    for rank in range(ranks):
        node = f"n{1 + rank // 2}"
        run.node(
            node, series=[busy(node, [engine] * 21, f"GPU-{rank}", every=10), sm(node, [active + rank % 2] * 21, f"GPU-{rank}", every=10)], **more
        )
    return run


def _blocking(name: str, value: str = "1", **environment: str) -> Run:
    return trained(200).node("n1", processes=(process(rank=0, environment={name: value, **environment}),))


EXAMPLES = {
    "transformers: a save at every step": lambda: done(_saving(1), end=120),
    "a fifth of the time in saves": lambda: done(_saving(10, cost=10.0), end=230),
    "engines busy with idle SMs on all ranks": lambda: done(_even(8.0)),
    "CUDA_LAUNCH_BLOCKING": lambda: done(_blocking("CUDA_LAUNCH_BLOCKING")),
    "AMD_SERIALIZE_KERNEL": lambda: done(_blocking("AMD_SERIALIZE_KERNEL", "3")),
}
NEAR_MISSES = {
    "CUDA's advice line": lambda: done(
        trained(200).rank(1, "n1", "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.\n", code=0, end=210, local=1, times=[1.0])
    ),
    "the flag set to 0": lambda: done(_blocking("CUDA_LAUNCH_BLOCKING", "0")),
    "a save at every fiftieth step": lambda: done(_saving(50), end=120),
    "one rank alone is bound by its own kernels": lambda: done(
        trained(200).node("n1", series=[busy("n1", [99.0] * 21, every=10), sm("n1", [9.0] * 21, every=10)])
    ),
    "one rank far above the others": lambda: done(
        _even(8.0).node("n1", series=[sm("n1", [60.0] * 21, "GPU-9", every=10), busy("n1", [99.0] * 21, "GPU-9", every=10)])
    ),
}
