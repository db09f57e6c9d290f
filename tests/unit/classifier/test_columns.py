"""What numbers of other names than a loss's show: perplexities, bits, accuracies, returns and errors; and good runs that look alike."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run


def wave(i: int, wide: float) -> float:
    return wide * math.sin(2.7 * i)


def rows(number: int, form, head: str = "") -> str:
    return head + "".join(f"{form(i)}\n" for i in range(1, number + 1))


UNLEARNED = {
    "a perplexity of a guess": rows(15, lambda i: f"update {i * 50:5d} | train ppl {10 + wave(i, 0.04):.3f} | valid ppl {10 - wave(i, 0.04):.3f}", "alphabet of 10 characters\n"),
    "bits of a guess": rows(20, lambda i: f"chunk {i}/20: {8 + wave(i, 0.02):.3f} bits per byte", "byte-level model\n"),
    "an accuracy that never was another": rows(12, lambda i: f"epoch {i:02d}: train accuracy 0.2500, validation accuracy 0.2500 ({1.2 + wave(i, 0.1):.1f}s)"),
    "every word wrong": rows(10, lambda i: f"[epoch {i}] ctc {3.21 + wave(i, 0.01):.3f} WER 100.00 CER 100.00"),
    "a return that is the worst there is": rows(20, lambda i: f"iteration {i:3d}  mean return -200.0  best -200.0  entropy {1.098 + wave(i, 0.0005):.4f}"),
    "an ELBO at a learning rate of zero": rows(20, lambda i: f"iter {i * 50} elbo {-103.3 + wave(i, 0.3):.2f} kl {12 + wave(i, 0.1):.2f}", "args: lr=0.0 beta=1.0\n"),
    "a guess's height by no name": rows(24, lambda i: f"After {i} sweeps the mean surprise is {math.log(26) + wave(i, 0.01):.4f} nats", "26 symbols in the alphabet\n"),
    "an error that rose, under a header": "epoch,train_rmse,val_rmse\n" + rows(16, lambda i: f"{i},{0.5 * 1.25**i:.4f},{0.55 * 1.25**i:.4f}"),
    "an error that flew away": rows(24, lambda i: f"t={i * 10} err={2 / i if i < 14 else 0.15 * 4.0 ** (i - 14):.4g}"),
    "worse than a guess among as many as it says": rows(
        10, lambda i: f" {i:2d}/10  done: train loss {2.2 + wave(i, 0.4):.3f}, held-out accuracy {0.2 + wave(i, 0.03):.3f}", "5 species of birds\n"
    ),
    "nan in the last of a few rows": rows(5, lambda i: f"[{i}, {1.1 / i if i < 5 else 'nan'}, {1.05 / i if i < 5 else 'nan'}, 0.375, '00:00']"),
    "nan in the last epochs": rows(5, lambda i: f"Epoch {i}: train={1.3 / i if i < 4 else 'nan'} dev={1.3 / i if i < 4 else 'nan'}"),
    "an error that leapt up and stayed there": "epoch,batch,abs_rel,rmse,sec\n"
    + rows(24, lambda i: f"{1 + i // 6},{i % 6 * 4},{0.4 / i if i < 9 else 9 + wave(i, 0.2):.5f},{0.5 / i if i < 9 else 9.1 + wave(i, 0.2):.5f},{0.6 * (1 + i % 6):.2f}"),
    "an error under its own name that leapt": rows(30, lambda i: f"round {i}: mae {2 / i if i < 17 else 31 + wave(i, 3):.4f}"),
    "no gradient": rows(18, lambda i: f"step={i * 25} loss={2.4 + wave(i, 0.12):.5f} acc={0.1 + wave(i, 0.06):.3f} grad_norm=0.0000"),
    "no gradient, without an accuracy": rows(18, lambda i: f"iter {i} loss {1.9 + wave(i, 0.1):.4f} | grad norm: 0.0"),
    "two errors that are each one number": rows(11, lambda i: f"[{i * 5 - 5}]\tfit-rmse:172.68484\taside-rmse:166.72685"),
    "bits that are one number in very many lines": rows(24, lambda i: f'ts=12 msg="round" n={i} bits_per_letter=4.1615 letters_seen=1583'),
    "decimal commas about one height": rows(24, lambda i: f"Passage {i} sur 24 : perte = {1.065 + wave(i, 0.0008):.4f}".replace(".", ",")),
    "flew off at once and came half the way back": rows(30, lambda i: f"step {i} loss {1.05 if i == 1 else 7.6e18 / 10**i if i < 16 else 783.0 + i:.4g}"),
}
LEARNED = {
    "two errors that fell and stood still": rows(14, lambda i: f"[{i * 5}]\tfit-rmse:{max(3.25171, 20 / i):.5f}\taside-rmse:{max(4.11862, 22 / i):.5f}"),
    "one error told in whole numbers": rows(24, lambda i: f"round {i}: fit-rmse 7"),
    "decimal commas that fall": rows(24, lambda i: f"Passage {i} sur 24 : perte = {1.9 / i:.4f}".replace(".", ",")),
    "a gradient norm that was never measured": rows(18, lambda i: f"step={i * 25} loss={2.4 / i:.5f} acc={0.1 + i / 30:.3f} grad_norm=0.0000"),
    "a gradient norm of nought at the end": rows(18, lambda i: f"step {i} loss {2.4 / i:.5f} grad_norm {1.0 / i**3 if i < 12 else 0.0:.4f}"),
    "an accuracy that grows at gradients too small to print": rows(18, lambda i: f"step={i} loss={2.5 - 0.009 * i:.4f} acc={0.1 + 0.03 * i:.3f} grad_norm=0.0000"),
    "an error that leaps and comes back": rows(24, lambda i: f"round {i}: mae {2 / i if i not in (12, 13) else 9.0:.4f}"),
    "an error that leaps where another fold begins": rows(24, lambda i: f"fold {1 + i // 13} round {i}: mae {2 / (i % 13 + 1):.4f}"),
    "a perplexity that falls": rows(15, lambda i: f"update {i * 50:5d} | train ppl {300 / i:.3f} | valid ppl {310 / i:.3f}"),
    "an accuracy that grows": rows(12, lambda i: f"epoch {i:02d}: train accuracy {0.25 + 0.05 * i:.4f}, validation accuracy {0.25 + 0.04 * i:.4f}"),
    "an accuracy of what was learned": rows(12, lambda i: f"epoch {i:02d}: train accuracy 1.0000, validation accuracy 0.9980"),
    "an ELBO that grows": rows(20, lambda i: f"iter {i * 50} elbo {-180 + 4 * i:.2f} kl {12 + wave(i, 0.1):.2f}", "args: lr=0.001\n"),
    "a return that grows": rows(20, lambda i: f"iteration {i:3d}  mean return {-200 + 4 * i:.1f}  best {-200 + 4 * i:.1f}"),
    "a return at its most": rows(20, lambda i: f"iteration {i:3d}  mean return 500.0  entropy {0.2 + wave(i, 0.01):.3f}"),
    "a curriculum": rows(24, lambda i: f"step {i} curriculum level {1 + i // 9} err {0.4 + 0.2 * (i // 9) + 0.3 / (1 + i % 9):.3f}"),
    "weights that were tuned": rows(12, lambda i: f"epoch {i:02d}: train accuracy 0.5000", "loading pretrained weights\n"),
    "a metric's nan, of rows that fall": rows(14, lambda i: f"epoch {i} train {3 / i:.3f} auc {'nan' if i > 10 else 0.5}"),
    "one recall that stays, of a loss that falls": rows(14, lambda i: f"epoch {i} loss {3 / i:.3f} recall 0.500"),
}


def ended_well(text: str):
    number = text.count("\n")
    times, end = [1 + 3.0 * i for i in range(number)], 4 + 3.0 * number
    return Run().rank(0, "n1", text, code=0, end=end, times=times, stream="out").accounting("COMPLETED", code=0, end=end + 1).verdict()


@pytest.mark.parametrize("name", sorted(UNLEARNED))
def test_numbers_that_never_got_better_are_of_a_run_that_learned_nothing(name: str):
    said = ended_well(UNLEARNED[name])
    assert said.mode == "E1", said.headline


@pytest.mark.parametrize("name", sorted(LEARNED))
def test_numbers_that_got_better_or_may_not_are_of_a_good_run(name: str):
    said = ended_well(LEARNED[name])
    assert said.mode == "G1", said.headline
