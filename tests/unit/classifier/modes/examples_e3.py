"""E3: a handful of steps and exit 0, by several programs' counts."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import done, trained

MEGATRON = " iteration        3/       3 | consumed samples: 24 | elapsed time per iteration (ms): 900.1 | lm loss: 2.400000E+00 | loss scale: 1.0 | grad norm: 1.200 |\n"


def _prints(text: str, **job):
    return lambda: done(Run(**job).rank(0, "n1", text, code=0, end=60, times=[50.0]), end=61)


EXAMPLES = {
    "a plain loop": _prints(steps(1, 2)),
    "Megatron-LM": _prints(MEGATRON),
    "a named smoke test keeps the verdict": _prints(steps(1, 5), name="smoke-test"),
    "of many planned": _prints(steps(1, 3, 1000)),
}
EPOCH = "".join(f"\r{b * 10:3d}%|{'#' * b:10}| {b}/10 [00:01<00:09,  1.00it/s]" for b in range(1, 11)) + "\nepoch {} loss {}\n"
NEAR_MISSES = {
    "batches of an epoch, counted anew in each": _prints("".join(EPOCH.format(e, 3 - e / 10) for e in range(1, 21))),
    "two hundred steps": lambda: done(trained(200)),
    "a crash after two": lambda: Run().rank(0, "n1", steps(1, 2) + trace("KeyError: 'x'"), code=1, end=60, times=[50.0]).accounting(end=61).verdict(),
    "no steps counted": _prints("hello\nbye\n"),
}
