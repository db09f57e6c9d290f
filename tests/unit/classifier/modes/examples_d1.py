"""D1: confirmed by stalls of seconds, or by launches at an idle engine; anything less only warns."""

from __future__ import annotations

from tests.unit.classifier.signals import GIB, Run, busy, done, gpu, series, trained

STOP_AND_GO = ([0.0] * 8 + [90.0]) * 12


LONG_STALLS = ([98.0, 98.0, 0.0, 0.0, 0.0, 0.0] * 70)[:400]
"""Read twice a second: two seconds without work in every three."""
SHORT_GAPS = ([98.0, 0.0, 0.0] * 140)[:400]
BURSTS = [6.0, 3.0, 9.0, 4.0] * 12


def _read_often(duty: list[float]) -> Run:
    held = series("gpu_memory_used_bytes", "n1", [60 * GIB] * 20, every=10)
    return trained(200).node("n1", gpus_after=(gpu("n1", when=205),), series=[busy("n1", duty, every=0.5), held])


def _bursts(step_s: float, spread: float = 96.0, memory: float = 60 * GIB) -> Run:
    every = 200 * step_s / len(BURSTS)
    duty, far = series("gpu_duty_percent", "n1", BURSTS, every=every), series("gpu_duty_spread_percent", "n1", [spread] * len(BURSTS), every=every)
    held = series("gpu_memory_used_bytes", "n1", [memory] * 20, every=10)
    return trained(200, every=step_s).node("n1", gpus_after=(gpu("n1", when=205),), series=[duty, far, held])


def _epochs(memory: float = 60 * GIB) -> Run:
    """Lines count epochs of a minute alone: how many steps one has, nothing says."""
    text = "".join(f"epoch {i}/20 loss {3.0 / (1 + i / 10):.4f}\n" for i in range(1, 21))
    every = 1200 / len(BURSTS)
    duty, far = series("gpu_duty_percent", "n1", BURSTS, every=every), series("gpu_duty_spread_percent", "n1", [96.0] * len(BURSTS), every=every)
    held = series("gpu_memory_used_bytes", "n1", [memory] * 20, every=60)
    run = Run().rank(0, "n1", text, code=0, end=1205, times=[60.0 * i for i in range(1, 21)])
    return run.node("n1", gpus_after=(gpu("n1", when=1205),), series=[duty, far, held])


def _two(first: list[float], second: list[float] | None = None) -> Run:
    run = trained(200, ranks=2)
    for rank, duty in enumerate([(first * 12)[:100], (second or first * 12)[:100]]):
        run.node("n1", series=[series("gpu_duty_percent", "n1", duty, uuid=f"GPU-{rank}", every=2, rank=rank)])
    return run


def _samples() -> Run:
    """Its lines count samples: a step is of a few milliseconds."""
    text = "".join(f"samples {4096 * i} loss {3.0 / (1 + i / 10):.4f}\n" for i in range(1, 61))
    every = 1200 / len(BURSTS)
    duty, far = series("gpu_duty_percent", "n1", BURSTS, every=every), series("gpu_duty_spread_percent", "n1", [96.0] * len(BURSTS), every=every)
    held = series("gpu_memory_used_bytes", "n1", [60 * GIB] * 20, every=60)
    run = Run().rank(0, "n1", text, code=0, end=1205, times=[20.0 * i for i in range(1, 61)])
    return run.node("n1", gpus_after=(gpu("n1", when=1205),), series=[duty, far, held])


def _slow(memory: float = 60 * GIB, **node) -> Run:
    run = trained(200)
    duty = series("gpu_duty_percent", "n1", node.pop("duty", STOP_AND_GO), every=2)
    held = series("gpu_memory_used_bytes", "n1", [memory] * 20, every=10)
    return run.node("n1", gpus_after=(gpu("n1", when=205),), series=[duty, held, *node.pop("series", [])], **node)


def _instants(step_s: float, values: tuple[float, ...] = (90.0, 0.0, 0.0), memory: float = 60 * GIB) -> Run:
    """A reading of the engine every ten seconds: nothing says what it did between them."""
    count = int(200 * step_s / 10)
    duty = busy("n1", (list(values) * count)[:count], every=10)
    held = series("gpu_memory_used_bytes", "n1", [memory] * 20, every=10)
    return trained(200, every=step_s).node("n1", gpus_after=(gpu("n1", when=205),), series=[duty, held])


def _at_once() -> Run:
    """Its output came out of a buffer when it ended."""
    text = "".join(f"step {i}/200 loss {3.0 / (1 + i / 10):.4f}\n" for i in range(1, 201))
    duty, held = series("gpu_duty_percent", "n1", STOP_AND_GO, every=2), series("gpu_memory_used_bytes", "n1", [60 * GIB] * 20, every=10)
    return Run().rank(0, "n1", text, code=0, end=205, times=[204.0] * 200).node("n1", gpus_after=(gpu("n1", when=205),), series=[duty, held])


EXAMPLES = {
    "steps of four seconds, and no work at three of four instants": lambda: done(_instants(4.0, (90.0, 0.0, 0.0, 0.0)), end=811),
    "the engine stops and goes, and all that was printed came at the end": lambda: done(_at_once()),
    "steps of six seconds, and no work at two of three instants": lambda: done(_instants(6.0), end=1211),
    "the engine stops and goes": lambda: done(_slow()),
    "and processes wait for storage": lambda: done(_slow(series=[series("host_psi_io_percent", "n1", [60.0] * 20, uuid=None, every=10)])),
    "stalls of seconds are no small model's": lambda: done(_slow(memory=2 * GIB)),
    "launches at an idle engine": lambda: done(
        _slow(duty=[3.0] * 100, series=[series("kernel_launches", "n1", [500.0] * 20, uuid=None, every=10, rank=0)])
    ),
    "the loader's process at a whole core": lambda: done(_slow(series=[series("cpu_percent", "n1", [100.0] * 20, uuid=None, every=10, rank=0)])),
    "two seconds without work in every three, read twice a second": lambda: done(_read_often(LONG_STALLS)),
    "bursts in steps of six seconds, by the spread of the driver's samples": lambda: done(_bursts(6.0), end=1211),
    "bursts in steps of six seconds, of a model that is small on a large card alone": lambda: done(_bursts(6.0, memory=14 * GIB), end=1211),
    "a small model in steps of six seconds: its own work would be over in a fraction of one": lambda: done(_instants(6.0, memory=2 * GIB), end=1211),
    "a small model's bursts in steps of six seconds": lambda: done(_bursts(6.0, memory=2 * GIB), end=1211),
    "two cards that stop and go together": lambda: done(_two(STOP_AND_GO)),
    "bursts of samples that are counted by the thousand": lambda: done(_samples(), end=1211),
    "bursts between lines a minute apart": lambda: done(_epochs(), end=1211),
}
NEAR_MISSES = {
    "steps of two seconds, and no work at two of three instants": lambda: done(_instants(2.0), end=411),
    "steps of six seconds, and work at two of three instants": lambda: done(_instants(6.0, (90.0, 90.0, 0.0)), end=1211),
    "two cards that work in turn": lambda: done(_two([90.0] * 8 + [0.0], ([0.0] * 8 + [90.0]) * 12)),
    "gaps of a second": lambda: done(_read_often(SHORT_GAPS)),
    "one pause of two minutes in busy work": lambda: done(_read_often([98.0] * 170 + [0.0] * 230)),
    "bursts in steps of a second": lambda: done(_bursts(1.0)),
    "a low and even duty in long steps": lambda: done(_bursts(6.0, spread=8.0), end=1211),
    "a small model, whose bursts may be all it has to do, in steps that are not timed": lambda: done(_epochs(memory=2 * GIB), end=1211),
    "a low duty cycle alone": lambda: done(trained(200).node("n1", series=[busy("n1", [8.0] * 20, every=10)])),
    "busy": lambda: done(_slow(duty=[95.0] * 100)),
    "a handful of steps": lambda: done(trained(5).node("n1", series=[busy("n1", [1.0] * 12, every=1)]), end=16),
}
