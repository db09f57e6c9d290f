"""G1: on positive evidence, in the print of several frameworks."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import busy, done, sm, ticks, trained

HF5 = "".join(f"{{'loss': '{3 - i / 50:.4f}', 'grad_norm': '1.2', 'learning_rate': '5e-05', 'epoch': '{i / 100:.2f}'}}\n" for i in range(1, 101))
LIGHTNING = steps(1, 100) + "`Trainer.fit` stopped: `max_epochs=3` reached.\n"
AXOLOTL = steps(1, 100) + "[INFO] Training completed! Saving trained model to ./out\n"


def _prints(text: str):
    return lambda: done(Run().rank(0, "n1", text, code=0, end=205, times=ticks(200)), end=206)


EXAMPLES = {
    "transformers 5": _prints(HF5),
    "lightning 1.9 to 2.6": _prints(LIGHTNING),
    "axolotl": _prints(AXOLOTL),
    "with SMs at work": lambda: done(trained(200, 200).node("n1", series=[busy("n1", [97.0] * 21, every=10), sm("n1", [60.0] * 21, every=10)])),
    "slow": lambda: done(trained(200, 200).node("n1", series=[busy("n1", [9.0] * 21, every=10)])),
    "noise after the end": lambda: done(
        Run().rank(
            0, "n1", steps(1, 100, 100) + "Training complete\n" + trace("OSError: [Errno 9] Bad file descriptor"), code=0, end=205, times=ticks(200)
        ),
        end=206,
    ),
}
NEAR_MISSES = {
    "exit 1 after the planned end": lambda: (
        Run()
        .rank(0, "n1", steps(1, 100, 100) + trace("OSError: [Errno 28] No space left on device"), code=1, end=120, times=ticks(110))
        .accounting(end=121)
        .verdict()
    ),
    "a handful of steps": lambda: done(trained(3), end=14),
    "no record of any end": lambda: Run().rank(0, "n1", steps(1, 30), times=ticks(30)).verdict(),
    "a NaN to the end": lambda: done(trained(200, loss=lambda i: 3.0 if i < 50 else float("nan"))),
}
