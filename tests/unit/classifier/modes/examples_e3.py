"""E3: a handful of steps and exit 0, by several programs' counts."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import done, trained

MEGATRON = " iteration        3/       3 | consumed samples: 24 | elapsed time per iteration (ms): 900.1 | lm loss: 2.400000E+00 | loss scale: 1.0 | grad norm: 1.200 |\n"


def _prints(text: str, **job):
    return lambda: done(Run(**job).rank(0, "n1", text, code=0, end=60, times=[50.0]), end=61)


def _passes(count: int, of: int) -> str:
    """Epochs of ``of`` steps in mmengine's words, told at the end of each."""
    return "".join(f"2026-11-22 23:55:49,9 - seg - INFO - Epoch [{e}][{of}/{of}]  lr: 5.0e-02, time: 0.011, loss: {1.1 - e / 100:.4f}\n" for e in range(1, count + 1))


EXAMPLES = {
    "three epochs of one step each": _prints(_passes(3, 1)),
    "updates counted beside the epoch": _prints("".join(f"ep 01 upd {i:05d} | ctc {4.7 - i / 10:.4f} | lr 4.0e-03\n" for i in (1, 2, 3))),
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
    "thirty epochs of one step each": _prints(_passes(30, 1)),
    "three epochs of three hundred steps": _prints(_passes(3, 300)),
    "updates counted on beside the epoch": _prints("".join(f"ep {1 + i // 3:02d} upd {i * 10:05d} | ctc {4.7 * 0.8**i:.4f}\n" for i in range(1, 16))),
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
