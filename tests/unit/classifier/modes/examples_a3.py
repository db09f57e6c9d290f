"""A3: exceptions after progress in the print of several frameworks."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import ticks

HF4 = "".join(f"{{'loss': {3 - i / 100:.4f}, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': {i / 100:.2f}}}\n" for i in range(1, 31))
HF5 = "".join(f"{{'loss': '{3 - i / 100:.4f}', 'grad_norm': '1.2', 'learning_rate': '5e-05', 'epoch': '{i / 100:.2f}'}}\n" for i in range(1, 31))
MEGATRON = "".join(
    f" iteration {i:8d}/     500 | consumed samples: {i * 8} | elapsed time per iteration (ms): 900.1 | lm loss: {3 - i / 100:.6E} | loss scale: 1.0 | grad norm: 1.200 |"
    " number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    for i in range(1, 31)
)


def _dies(text: str, error: str):
    return lambda: Run().rank(0, "n1", text + trace(error), code=1, end=40, times=[*ticks(30), 39.5]).accounting(end=41).verdict()


COUNTED = "time,who,round,of,inner_loss,drift\n" + "".join(f"00:02:{12 + i},w0,{4 * i},200,{0.43 / i:.5f},0.018{i}\n" for i in range(1, 5))
"""No pattern knows these."""


def _other_rank(counted: str, step: str = "0"):
    """Rank 0 prints, rank 2 dies."""
    run = Run().rank(0, "n1", counted, stream="out", step=step, code=1, end=40, times=ticks(5))
    run.rank(2, "n1", trace("RuntimeError: [enforce fail at alloc_cpu.cpp:127] err == 0."), local=2, code=1, end=39.6, times=[39.5])
    return lambda: run.accounting(end=41).verdict()


EXAMPLES = {
    "counted in numbers alone, by another rank": _other_rank(COUNTED),
    "transformers 4: an index": _dies(HF4, "IndexError: index 512 is out of bounds for dimension 1 with size 512"),
    "transformers 5: an assertion": _dies(HF5, "AssertionError: batch is empty"),
    "Megatron-LM: a file": _dies(MEGATRON, "FileNotFoundError: [Errno 2] No such file or directory: 'shard-31.bin'"),
    "a plain loop: quota": _dies(steps(1, 30), "OSError: [Errno 122] Disk quota exceeded: 'out/step-30.pt'"),
}
NEAR_MISSES = {
    "counted in the step before": _other_rank(COUNTED, step="prepare"),
    "another rank reads its shards": _other_rank("".join(f"shard {i} read, 0.{i}3 GB\n" for i in range(1, 6))),
    "before progress": lambda: Run().rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting().verdict(),
    "survived": lambda: (
        Run()
        .rank(0, "n1", steps(1, 20) + trace("ValueError: x") + steps(21, 60), code=0, end=70, times=ticks(70))
        .accounting("COMPLETED", code=0, end=71)
        .verdict()
    ),
    "after scancel": lambda: (
        Run()
        .rank(0, "n1", steps(1, 90) + trace("RuntimeError: DataLoader worker (pid 9) exited: Terminated"), code=1, end=99.8, times=[*ticks(90), 99.7])
        .accounting("CANCELLED", code=0, end=100, cancelled_by_uid=1000)
        .verdict()
    ),
}
