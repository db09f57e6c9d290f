"""Progress as different programs and versions print it: a line a step, for runs written by hand. A test holds each against a recorded log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Loss = Callable[[int], float]


def falling(step: int) -> float:
    """The loss of a run that learns."""
    return 3.0 / (1 + step / 10)


def _bar(step: int, planned: int) -> str:
    return f"{100 * step // planned:3d}%|{'█' * (10 * step // planned):10}| {step}/{planned} [00:12<00:12,  1.00it/s]"


def _trainer_4(step: int, planned: int, loss: float) -> str:
    return f"\r{_bar(step, planned)}\r{{'loss': {loss:.4f}, 'learning_rate': 0.0008333333333333333, 'epoch': {step / planned:.2f}}}"


def _trainer_5(step: int, planned: int, loss: float) -> str:
    return f"\r{_bar(step, planned)}\r{{'loss': '{loss:.4g}', 'grad_norm': '1.331', 'learning_rate': '0.00075', 'epoch': '{step / planned:.4g}'}}"


def _lightning_1(step: int, planned: int, loss: float) -> str:
    return f"Epoch 0: {_bar(step, planned).replace('00:12,  1.00it/s', f'00:12,  1.00it/s, loss={loss:.3g}, train_loss={loss:.3g}')}"


def _lightning_2(step: int, planned: int, loss: float) -> str:
    return f"Epoch 0: {_bar(step, planned).replace('00:12,  1.00it/s', f'00:12,  1.00it/s, train_loss={loss:.3g}')}"


def _keras_2(step: int, planned: int, loss: float) -> str:
    done = 29 * step // planned
    shown = "=" * done + ">" + "." * (29 - done) if step < planned else "=" * 30
    return f"{step}/{planned} [{shown}] - ETA: 9s - loss: {loss:.4f} - mae: 0.5038"


def _megatron(step: int, planned: int, loss: float) -> str:
    return (
        f" iteration {step:8d}/{planned:8d} | consumed samples: {step * 8:12d} | elapsed time per iteration (ms): 1000.1 | learning rate: 1.5E-04 |"
        f" global batch size:     8 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: 1.200 | number of skipped iterations:   0 | number of nan"
        " iterations:   0 |"
    )


@dataclass(frozen=True)
class Style:
    """How one version prints a step. ``like``: the recorded log that holds such lines, where there is one.

    ``whole``: its steps count over the whole run, not within an epoch.
    """

    software: str
    line: Callable[[int, int, float], str]
    like: str | None
    whole: bool = True

    def steps(self, first: int, last: int, planned: int, loss: Loss = falling) -> str:
        """One line a step."""
        return "".join(self.line(step, planned, loss(step)) + "\n" for step in range(first, last + 1))


STYLES = (
    Style("transformers 4.30", _trainer_4, "trainer-4.30/01"),
    Style("transformers 5.23", _trainer_5, "trainer-5.23/01"),
    Style("lightning 1.9", _lightning_1, "lightning-1.9/01", whole=False),
    Style("lightning 2.6", _lightning_2, "lightning-2.6/01", whole=False),
    Style("keras 2.13", _keras_2, "keras-2.13/01", whole=False),
    Style("megatron-lm 0.16", _megatron, None),
)
