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
    "Lightning: the limit that it names": _prints(
        "".join(f"\rEpoch 0: {b * 50:3d}%|{'#' * b:2}| {b}/2 [00:01<00:09,  1.00it/s, train_loss=5.0]" for b in (1, 2))
        + "\n`Trainer.fit` stopped: `max_steps=2` reached.\n"
    ),
    "Keras: one epoch of two batches": _prints("1/2 ━━━━━━━━━━ 0s 781ms/step - loss: 0.72\n2/2 ━━━━━━━━━━━━━━━━━━━━ 1s 17ms/step - loss: 0.71\n"),
    "of many planned": _prints(steps(1, 3, 1000)),
}
EPOCH = "".join(f"\r{b * 10:3d}%|{'#' * b:10}| {b}/10 [00:01<00:09,  1.00it/s]" for b in range(1, 11)) + "\nepoch {} loss {}\n"
NEAR_MISSES = {
    "batches of an epoch, counted anew in each": _prints("".join(EPOCH.format(e, 3 - e / 10) for e in range(1, 21))),
    "Lightning: a limit of epochs": _prints(
        "".join(f"\rEpoch {e}: 100%|##| 2/2 [00:01<00:09,  1.00it/s, train_loss=5.0]" for e in range(12))
        + "\n`Trainer.fit` stopped: `max_epochs=12` reached.\n"
    ),
    "Keras: an epoch a line": _prints("2/2 - 0s - 4ms/step - loss: 0.4311\n" * 30),
    "two hundred steps": lambda: done(trained(200)),
    "a crash after two": lambda: Run().rank(0, "n1", steps(1, 2) + trace("KeyError: 'x'"), code=1, end=60, times=[50.0]).accounting(end=61).verdict(),
    "no steps counted": _prints("hello\nbye\n"),
}
