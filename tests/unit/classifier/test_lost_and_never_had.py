"""Returns that were lost again, scores far below their beginning or at nought all along, rates and loss scales that came to nothing; and their good twins."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.classifier.returns import lost_again, sunk
from tests.unit.classifier.records import Run

COUNTS = range(1, 41)


def _mode(lines: list[str], *before: str, apart_s: float = 4.0) -> str:
    text = "\n".join([*before, *lines, "done"]) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=900, times=[1 + apart_s * i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=901).verdict().mode


def _came_back(i: int) -> float:
    return 20 + 9 * min(i, 25) + 11 * math.sin(2 * i) if i < 27 else 17 + math.sin(i)


NAMED = {
    "a short name": "iter {i} | ep_ret {v:.2f} | approx_kl 0.01{d} | fps 23{d}1",
    "Spanish": "episodio {i}0: recompensa media {v:.1f}",
    "a success": "frames {i}0k success {v:.2f} critic 0.{d}1",
}


@pytest.mark.parametrize("form", NAMED.values(), ids=NAMED.keys())
def test_a_return_by_any_name_that_is_lost_again(form: str):
    assert _mode([form.format(i=i, v=_came_back(i), d=i % 10) for i in COUNTS]) == "E1"


def test_a_return_that_wobbles_or_is_of_an_agent_whose_task_gets_harder():
    wobbles = [f"iter {i} | ep_ret {20 + 9 * i + 60 * math.sin(2 * i):.2f} | approx_kl 0.01{i % 10}" for i in COUNTS]
    harder = [f"iter {i} | ep_ret {_came_back(i):.2f} | approx_kl 0.01{i % 10}" for i in COUNTS]
    assert _mode(wobbles) == "G1"
    assert _mode(harder, "self-play against the last five opponents") == "G1"


def test_what_is_won_of_so_many_is_a_share():
    won = [21, 29, 34, 38, 41, 44, 46, 45, 12, 3, 1, 0, 0, 1, 0, 0]
    assert _mode([f"after {200 * i} games: won {w} of 50" for i, w in enumerate(won)]) == "E1"
    assert _mode([f"after {200 * i} games: won {w} of 50" for i, w in enumerate(sorted(won))]) == "G1"


@given(st.lists(st.floats(-1e6, 1e6), max_size=80))
def test_of_no_numbers_whatever_is_a_return_both_lost_and_at_its_best(values: list[float]):
    if (best := lost_again(values)) is not None:
        assert best > max(values[-4:]) or best == max(values)
    if sunk(values):
        assert max(values[-4:]) < min(values[:4])


def test_a_game_by_letters_alone_that_one_of_two_has_won():
    lost = [f"[{i}/40] D: {1.2 - 0.1 * i if i < 8 else 0.0:.5f} G: {1.1 + 0.2 * i if i < 8 else 57 + 0.1 * (i % 3):.4f}" for i in COUNTS]
    plays = [f"[{i}/40] D: {1.2 + 0.1 * (i % 4):.5f} G: {1.1 + 0.3 * (i % 3):.4f}" for i in COUNTS]
    assert _mode(lost, "two nets") == "E1"
    assert _mode(plays, "two nets") == "G1"


def test_a_score_far_below_where_it_began():
    fell = [f"iter {i}000 psnr {22 + 0.4 * i if i < 12 else 6.11:.2f} dB ssim {0.6 + 0.01 * i if i < 12 else 0.012:.3f}" for i in COUNTS]
    rises = [f"iter {i}000 psnr {22 + 0.1 * i:.2f} dB ssim {0.6 + 0.005 * i:.3f}" for i in COUNTS]
    trades = [f"pass {i} precision {0.97 - 0.01 * i:.3f} recall {0.1 + 0.02 * i:.3f} loss {2 * 0.95**i:.4f}" for i in COUNTS]
    assert _mode(fell) == "E1"
    assert _mode(rises) == "G1"
    assert _mode(trades) == "G1"


def test_a_score_of_nought_or_an_error_of_all_in_every_line():
    blank = [f"[{i}00] ctc={1.2 * 0.5**i + 3.31 + 0.01 * math.sin(7 * i):.3f} cer=100.00%" for i in COUNTS]
    falls = [f"[{i}00] ctc={21 * 0.9**i:.3f} cer=100.00%" for i in COUNTS]
    nought = [f"epoch {i}: train {0.31 + 0.004 * math.sin(9 * i):.4f} | val {0.29 + 0.003 * math.sin(5 * i):.4f} | IoU 0.0" for i in COUNTS]
    assert _mode(blank) == "E1"
    assert _mode(nought) == "E1"
    assert _mode(falls) == "G1"


def test_nothing_to_learn_from_shows_as_a_loss_and_a_gradient_of_nought():
    rows = [f"{{'loss': 0.0, 'grad_norm': 0.0, 'learning_rate': {2e-5 * (1 - i / 50):.3e}, 'epoch': {i * 0.05:.2f}}}" for i in COUNTS]
    assert _mode(rows) == "E1"


def test_a_loss_scale_that_came_down_to_nothing():
    lost = [f"Gradient overflow. Skipping step, loss scaler reducing to {2.0 ** (16 - i):g}" for i in COUNTS]
    few = [*lost[:5], *(f"step {i}0 loss {9 * 0.95**i:.3f}" for i in COUNTS)]
    assert _mode(lost, "training in fp16") == "E1"
    assert _mode(few, "training in fp16") == "G1"


def test_a_rate_in_a_column_that_came_to_nought():
    head = "   ciclo   pérdida    prueba      tasa"
    gone = [f"{i}00   {0.65 + 0.02 * math.sin(4 * i):.4f}   {0.66 - 0.002 * min(i, 3):.4f}   {0.013 * 0.1 ** (i / 2):.1e}" for i in COUNTS]
    assert _mode(gone, head) == "E1"
    nameless = [f"{i}00  5.66365E-02  2.33372E-01  {0.1 + 0.02 * (i % 7):.5E}  {3e-6 * 1e-4**i:.5E}" for i in COUNTS]
    assert _mode(nameless) == "E1"


def test_each_line_of_a_setting_of_its_own():
    rates = ((1e-5, "1.91"), (1e-4, "0.92"), (1e-3, "0.61"), (1e-2, "0.88"), (1e-1, "2.31"), (1, "nan"))
    assert _mode([f"lr={rate:g}: final val loss {loss}" for rate, loss in rates], apart_s=60) == "G1"


def test_what_a_simulation_keeps_is_no_loss():
    assert _mode([f"t={i / 10:.1f} E={-4120.11 + 1e-4 * math.sin(i):.6f} T={300 + math.sin(5 * i):.2f} steps {i}000" for i in COUNTS]) == "G1"


def test_an_epoch_s_bar_is_no_count_that_begins_further_on():
    rows = [
        f"Epoch {i}/14\n312/312 - 19s - 61ms/step - accuracy: 0.09{85 + i % 7} - loss: 2.303{i % 9} - val_accuracy: 0.0980 - val_loss: 2.304{i % 7}"
        for i in range(1, 15)
    ]
    assert _mode(rows, apart_s=10) == "E1"


def test_a_table_whose_first_cell_has_how_many_there_are_to_be():
    rows = [f"│ {i}/40 │ {2 + 0.1 * math.sin(3 * i) if i < 15 else -0.6:.3f} │ {0.5 * 0.9**i:.4f} │ {1.09 * 0.9**i:.4f} │" for i in COUNTS]
    assert _mode(rows, "┃ iter ┃ recompensa ┃ perdida ┃ entropia ┃") == "E1"
