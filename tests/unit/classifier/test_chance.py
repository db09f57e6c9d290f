"""Losses that never left a guess's height, that rose all the way or ran off; and good ones that look alike."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run


def wave(i: int, wide: float) -> float:
    return wide * math.sin(2.7 * i)


def epochs(number: int, loss, accuracy=None, head: str = "") -> str:
    told = (f" acc {accuracy(i):.3f}" if accuracy else "" for i in range(number))
    return head + "".join(f"epoch {i + 1}/{number} loss {loss(i):.4f}{more}\n" for i, more in enumerate(told))


UNLEARNED = {
    "seven epochs of a guess among five": epochs(7, lambda i: 1.6094 + wave(i, 0.01)),
    "down to a guess, with a guess's accuracy": epochs(8, lambda i: 1.0986 + 0.15 * math.exp(-i), lambda i: 0.33 + wave(i, 0.02)),
    "settled at a guess among as many as it says": epochs(
        40, lambda i: (3.65 if i == 0 else 3.32 if i < 3 else 3.22) + wave(i, 0.01), head="vocab size: 25\n"
    ),
    "seven values as good as one": epochs(7, lambda i: 11.9 + wave(i, 0.005)),
    "steps of each epoch at a guess's height": "".join(
        f"Epoch: [{e}][{s:3d}/10]\tTime 0.1 (0.1)\tLoss {1.3863 + wave(e + s, 0.003):.4e} ({1.387:.4e})\n" for e in range(3) for s in (0, 5)
    ),
    "died on its way": "".join(f"sweep {i * 10}/260 nll {max(1.203856, 1.5 - 0.05 * i):.6f}\n" for i in range(26)),
    "rose all the way": epochs(12, lambda i: 2.3 + 0.02 * i * i + wave(i, 0.03)),
    "ran off within seven values": epochs(7, lambda i: 2.3 if i < 3 else 2.0 * 30.0**i),
    "a loss by the name of what is learned": "".join(f"Step {i * 10}/400: caption_loss={2.1489 + wave(i, 0.001):.4f} step_time=0.1s\n" for i in range(1, 41)),
    "a perplexity of a loss that is none": "".join(f"| step {i * 50} | ppl {'nan' if i > 6 else 90 / i} | lr 0.001 |\n" for i in range(1, 13)),
    "trn and val beside an accuracy": "".join(f"ep{i:02d} trn {2.303 + wave(i, 0.005):.3f} val 2.304 acc 0.100\n" for i in range(1, 13)),
}
LEARNED = {
    "from a guess's height down": epochs(7, lambda i: 1.6094 - 0.06 * i + wave(i, 0.01)),
    "a guess's loss of one that was tuned from another": epochs(7, lambda i: 0.6931 + wave(i, 0.004), head="loaded pretrained weights\n"),
    "a measure of speed": epochs(12, lambda i: 10.825 + wave(i, 0.01), head="throughput benchmark, random tokens\n"),
    "an accuracy that grows": epochs(8, lambda i: 1.12 - 0.02 * i, lambda i: 0.33 + 0.05 * i),
    "settled, but from far above": epochs(40, lambda i: (10.8 if i == 0 else 6.2 if i < 3 else 2.996) + wave(i, 0.03)),
    "an optimum that was found": "".join(f"sweep {i * 10}/260 nll {1.203856 + 0.16 * 10.0 ** (-2.2 * i):.6f}\n" for i in range(26)),
    "an over-fitted model's": epochs(12, lambda i: 0.8 * math.exp(-i) + 0.2 + 0.01 * i),
    "noisy": epochs(12, lambda i: 2.3 * math.exp(-0.08 * i) + wave(i, 0.25)),
    "a perplexity that overflows": "".join(f"| step {i * 50} | ppl {'inf' if i > 9 else 90 / i} | lr 0.001 |\n" for i in range(1, 13)),
    "a harder task each time": epochs(12, lambda i: 2.3 + 0.02 * i * i, head="curriculum: 4 stages\n"),
    "validation's alone": "".join(f"Step {i * 10}/400: val_loss={0.41 + 0.02 * i:.4f} step_time=0.1s\n" for i in range(1, 41)),
}


def ended_well(text: str) -> str:
    number = text.count("\n")
    times, end = [1 + 3.0 * i for i in range(number)], 4 + 3.0 * number
    return Run().rank(0, "n1", text, code=0, end=end, times=times, stream="out").accounting("COMPLETED", code=0, end=end + 1).verdict().mode


@pytest.mark.parametrize("name", sorted(UNLEARNED))
def test_a_loss_that_never_was_better_than_at_its_start_learned_nothing(name: str):
    assert ended_well(UNLEARNED[name]) == "E1"


@pytest.mark.parametrize("name", sorted(LEARNED))
def test_a_loss_that_came_down_or_had_come_down_before_is_none(name: str):
    assert ended_well(LEARNED[name]) == "G1"
