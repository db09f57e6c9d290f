"""E1: losses that are not finite, far above their best, dead or flat, as several programs print them."""

from __future__ import annotations

import math

from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import done, ticks, trained

HF_NAN = "".join(f"{{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 5e-05, 'epoch': {i / 100:.2f}}}\n" for i in range(1, 61))
MEGATRON_NAN = "".join(
    f" iteration {i:8d}/     100 | consumed samples: {i} | elapsed time per iteration (ms): 900.1 | lm loss: {'NAN' if i > 50 else f'{3 - i / 100:.6E}'} | loss scale: 1.0 | grad norm: nan |\n"
    for i in range(1, 101)
)
MEGATRON = "".join(
    f" iteration {i:8d}/     100 | consumed samples: {i} | lm loss: {3 - i / 100:.6E} | loss scale: 1.0 | grad norm: 1.2 | number of nan iterations:   0 |\n"
    for i in range(1, 101)
)


def _hf(losses: list[float], norm: str | None = None) -> str:
    """Lines of the Trainer: before 4.38 without a gradient norm."""
    beside = f", 'grad_norm': {norm}" if norm is not None else ""
    return "".join(f"{{'loss': {loss}{beside}, 'learning_rate': 5e-05, 'epoch': {i / 100:.2f}}}\n" for i, loss in enumerate(losses, 1))


def _prints(text: str, code: int = 0):
    state = ("COMPLETED", 0) if code == 0 else ("FAILED", code)
    return lambda: Run().rank(0, "n1", text, code=code, end=205, times=ticks(400, 0.5)).accounting(state[0], code=state[1], end=206).verdict()


def _rated(rate, fall: float = 0.0) -> str:
    """Lines of a CTC loop with its learning rate, about one height."""
    losses = (3.4 + 0.15 * math.sin(i * 2.3) - fall * i for i in range(1, 41))
    return "".join(f"ep {1 + i // 8:02d} upd {i * 10:05d} | ctc {loss:.4f} | lr {rate(i):.1e}\n" for i, loss in enumerate(losses, 1))


def _judged(word: str, fall: float = 0.0) -> str:
    """Passes, each judged by other data in words of another tongue."""
    return "".join(
        f"Durchgang {i:3d}/25: Verlust {0.419 + 0.006 * math.sin(i * 2.3) - fall * i:.5f}  {word} {0.44704 - fall * i:.5f}\n" for i in range(1, 26)
    )


EXAMPLES = {
    "a learning rate that is nought from the second line on": _prints(_rated(lambda i: 1e-3 if i < 3 else 0.0)),
    "noise about one height, whatever the learning rate": _prints(_rated(lambda _: 1e-3)),
    "German: the same loss on other data each time": _prints(_judged("Prüfverlust")),
    "French: the same loss on other data each time": _prints(_judged("perte de validation")),
    "transformers 4: the NaN filter": _prints(HF_NAN),
    "transformers 4.30: the same, without a gradient norm": _prints(_hf([2.1377, *[0.0] * 5])),
    "transformers 4.30: a long run, from its middle on": _prints(_hf([*(3.0 - i / 50 for i in range(60)), *[0.0] * 60])),
    "Megatron-LM: NaN from step 51 on": _prints(MEGATRON_NAN),
    "deepspeed: the smallest loss scale": _prints(
        steps(1, 30)
        + 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nException: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.\n',
        1,
    ),
    "a spike": lambda: done(trained(200, loss=lambda i: 3.0 - i / 100 if i < 100 else 3.0 + (i - 100) / 4)),
    "flat from the start": lambda: done(trained(200, loss=lambda i: 2.3026 + 0.004 * math.sin(i))),
    "thrown back to chance, with a gradient of zero": _prints(
        "".join(f"step {i} loss {2.4 - i / 7 if i < 15 else 0.6931:.4f} grad_norm {1.3 if i < 15 else 0.0}\n" for i in range(60))
    ),
    "German: nan from a third on": _prints("".join(f"Verlust={2.4 - i / 10 if i < 20 else math.nan:.4f} Schritt={i}/60\n" for i in range(61))),
    "XGBoost: the squares run over": _prints("".join(f"[{i}]\ttrain-rmse:{9.0 * 30.0**i if i < 12 else math.nan:.5f}\n" for i in range(60))),
    "PyTorch's tutorial: nan": _prints("".join(f"0m 0s ({i * 10} {i}%) {2.5 if i < 4 else math.nan:.4f}\n" for i in range(1, 30))),
    "Stable-Baselines3: nan": _prints("".join(f"|    total_timesteps | {i * 64:<12} |\n|    loss            | {0.5 if i < 9 else math.nan:<12.5f} |\n" for i in range(1, 26))),
    "at chance, identical": lambda: done(trained(200, loss=lambda _: 0.6931)),
}
NEAR_MISSES = {
    "a program that prints itself": _prints(
        "+ cat sif.py\n    if not torch.isfinite(loss):\n        raise RuntimeError('loss is nan, stopping')\n+ python sif.py\n"
        + "".join(f"s={25 * i} l={3.2 * 0.97**i:.4f}\n" for i in range(1, 60))
    ),
    "runs of a sweep, the last ones of which flew off": _prints(
        "".join(
            f"run {i:2d}/16  lr={(0.003, 0.03, 0.3, 30000)[(i - 1) // 4]}  seed={i % 4}  final loss={(1.1, 0.5, 0.03, float('nan'))[(i - 1) // 4] - 0.01 * (i % 4):.4f}"
            f"  test acc=0.{300 + i}\n"
            for i in range(1, 17)
        )
    ),
    "a learning rate that comes to nought at the end": _prints(_rated(lambda i: 1e-3 if i < 36 else 0.0, fall=0.006)),
    "a learning rate that begins with nought": _prints(_rated(lambda i: 1e-3 if i > 3 else 0.0, fall=0.006)),
    "German: a loss on other data that falls": _prints(_judged("Prüfverlust", fall=0.008)),
    "Megatron-LM counts no NaN": _prints(MEGATRON),
    "an early overflow of the loss scale": _prints(
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 4294967296, reducing to 2147483648\n" * 3 + steps(1, 100)
    ),
    "a loss of reinforcement learning": lambda: done(trained(200, loss=lambda i: -0.01 * i)),
    "still falling, a target missed": lambda: done(trained(200, loss=lambda i: 3.0 - i / 500)),
    "a model that has learned what there is": lambda: done(trained(200, loss=lambda i: 0.31 + 0.002 * math.sin(i))),
    "flat for a few steps of warm-up": lambda: done(trained(40, loss=lambda i: 11.9 - 0.0005 * i), end=51),
    "the Trainer: a loss that falls to nothing": _prints(_hf([*(round(2.0 / 2**i, 4) for i in range(20)), *[0.0] * 20])),
    "the Trainer: exactly 0 with a finite gradient norm": _prints(_hf([0.6931, *[0.0] * 20], "0.0")),
    "the Trainer: a single 0 among others": _prints(_hf([2.0, 1.9, 0.0, *(1.8 - i / 100 for i in range(20))])),
    "another program prints 0.0000 from one epoch to the next": _prints(
        steps(1, 3) + "".join(f"step {i} loss 0.0000 lr 0.0001\n" for i in range(4, 40))
    ),
    "at its best, with a gradient of zero": _prints(
        "".join(f"step {i} loss {max(0.6931, 2.4 - i / 10):.4f} grad_norm {1.3 if i < 18 else 0.0}\n" for i in range(60))
    ),
    "noise": lambda: done(trained(200, loss=lambda i: 2.0 + 0.3 * (-1) ** i)),
}
