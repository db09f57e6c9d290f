"""Numbers that stand to the last digit: where they had begun or in the midst of their way; and where learning came to its end."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run

FORMS = {
    "log-likelihood": lambda i, v: f"{70 + 50 * i:5d} ms  INFO    it {i:3d}/24  log-likelihood {-400 * v:.3f}  per day {-v:.5f}",
    "Spanish": lambda i, v: f"   ronda {i:3d} de 24   ajuste {v:.4f}   prueba {1.1 * v:.4f}   mejor {1.1 * v:.4f}",
    "German table": lambda i, v: f"{i};{v:.5f};{v / 2:.5f};0.0300".replace(".", ","),
    "French": lambda i, v: f"Au tour {i} sur 24, la pseudo-vraisemblance négative vaut {v:.5f} ; le plus fort couplage, {0.2 * v:.4f}.",
    "a bar": lambda i, v: f"▕{'█' * i}{'·' * (24 - i)}▏ lap {i:3d}  {v:.4f} bits/letter  0.13s",
    "a letter before the count": lambda i, v: f"e{i:02d} → huber {v:.4f} → held-out off by {1.2 * v:.3f} coins → 0.42 s",
}
SHAPES = {
    "comes back to where it began": (lambda i: 2.3026 * 0.8**i if i < 10 else 2.3026 * 0.8, "E1"),
    "is held on its way": (lambda i: 2.3026 - 0.1171 * min(i, 9), "E1"),
    "jumps and stays": (lambda i: 2.1821 * 0.9**i if i < 9 else 97.4394 - 0.1317 * (i % 5), "E1"),
    "comes to rest": (lambda i: round(0.4151 + 1.8234 * 0.3**i, 4), "G1"),
    "falls on": (lambda i: 2.3026 * 0.9**i, "G1"),
    "wobbles back for a while": (lambda i: 2.3026 * 0.88**i if i != 12 else 2.2911, "G1"),
}


def _mode(lines: list[str]) -> str:
    text = "\n".join([*lines, "done"]) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_in_a_form(form: str, shape: str):
    """A log-likelihood says by its name that it is to rise: one that falls off has jumped, too."""
    value, mode = SHAPES[shape]
    assert _mode([FORMS[form](i, value(i)) for i in range(1, 25)]) == mode


def test_a_reward_may_settle():
    assert _mode([f"Episode {i * 10}\tAverage reward: {20 + 9 * i if i < 18 else 130:.2f}\tLast length: 21" for i in range(1, 37)]) == "G1"


def test_all_was_learned():
    """A perceptron that makes no error any more changes nothing any more."""
    told = [0.5213, 0.7822, 0.9117] + [1.0] * 20
    assert _mode([f"pass {i} right {v:.4f} |w| {min(i, 4) * 1.1133:.4f}" for i, v in enumerate(told, 1)]) == "G1"


def _validated(stands: int, at: float) -> list[str]:
    """Two numbers of a validation, of which the batches' own is noise."""
    told = [0.6 * 0.8**i + 0.1 for i in range(12)] + [at] * stands
    return [f"{20 * i:6d}  {v:.4e}  {0.3 + 0.1 * math.sin(7 * i):.4e}  {1.7 * v:.4e}" for i, v in enumerate(told, 1)]


def test_a_validation_that_stands_above_its_best():
    header = "#  step   rmse_e_val   rmse_e_trn   rmse_f_val"
    assert _mode([header, *_validated(12, 0.41)]) == "E1"
    assert _mode([header, *_validated(12, 0.1412)]) == "G1"  # at its best
    assert _mode([header, *_validated(4, 0.41)]) == "G1"  # not for long


def test_a_loss_that_is_nailed_beside_a_score_that_is_low():
    rows = "Epoch {:03d}/014 | train/bce {:.4f} | val/dice {:.4f} | 1169.3 tiles/s"
    assert _mode([rows.format(i, 0.5841 + 0.0001 * (i % 2), 0.06 + 0.0003 * (i % 3)) for i in range(1, 15)]) == "E1"
    assert _mode([rows.format(i, 0.5841 + 0.0001 * (i % 2), 0.91 + 0.0003 * (i % 3)) for i in range(1, 15)]) == "G1"


def test_numbers_that_all_stand_a_little_above_their_best_for_half_of_the_lines():
    """A rate that became nought: what is told is of weights that change no more, and are not the best that they were."""
    held = [2.3026 * 0.9**i if i < 9 else 2.3026 * 0.9**8 * 1.06 for i in range(24)]
    form = "   ronda {i:3d} de 24   ajuste {v:.4f}   prueba {w:.4f}"
    assert _mode([form.format(i=i + 1, v=v, w=1.1 * v) for i, v in enumerate(held)]) == "E1"
    best = [round(0.4151 + 1.8234 * 0.3**i, 4) for i in range(24)]
    assert _mode([form.format(i=i + 1, v=v, w=1.1 * v) for i, v in enumerate(best)]) == "G1", "it stands at its best"


def _beside(value, count: int = 24) -> list[str]:
    return [f"pass {i}/{count} nll={value(i):.4f} held-out nll={1.1 * value(i):.4f} acc={0.9 - 0.2 * value(i):.3f}" for i in range(1, count + 1)]


def test_it_broke_off_on_its_way():
    """A rate that became nought: the steps before were as large as those before them."""
    assert _mode(_beside(lambda i: 0.6 + 0.5 * 0.85 ** min(i, 7))) == "E1"


@pytest.mark.parametrize("value", [lambda i: 0.6 + 0.5 * 0.3**i, lambda i: 0.6 + 0.5 * 0.85**i])
def test_what_was_found_by_ever_smaller_steps(value):
    assert _mode(_beside(value)) == "G1"


def test_an_exact_solver_is_there_with_the_first_step():
    assert _mode([f"sweep {i}: rmse {0.2693 if i > 1 else 0.7686:.4f}, norm {2.8318 if i > 1 else 2.7973:.4f}" for i in range(1, 21)]) == "G1"
