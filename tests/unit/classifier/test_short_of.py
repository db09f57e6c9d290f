"""Runs that ended well far short of what they were asked for, and those that say why, or that had been asked for as many."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(lines: list[str], *command: str) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=command).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


def _rounds(count: int) -> list[str]:
    return [f'msg="round" n={i} bits_per_letter={4 - 0.4 * i:.4f} seen=1583' for i in range(1, count + 1)]


def _generations(count: int) -> list[str]:
    return [f'{{"event": "generation", "generation": {i}, "of": 500, "loss": {1.1 - i / 10:.3f}, "best": -1.1}}' for i in range(1, count + 1)]


@pytest.mark.parametrize(
    ("lines", "command"),
    [
        ([*_rounds(4), 'msg="time budget used up, stopping here"', 'msg="end"'], ("python3", "lm.py", "--rounds", "400")),
        ([*_generations(4), '{"event": "stop", "reason": "episode budget exhausted"}'], ("python3", "walker.py", '{"generations": 500}')),
        ([*(f"Durchgang {i}: Verlust {3 - i / 5:.3f}" for i in range(1, 5)), "Daten zu Ende"], ("python3", "f.py", "--durchgang=45")),
        (["* portion   1 | loss   2.0242", "* portion   2 | loss   1.8646", "* the spool is empty"], ("python3", "p.py", "--portions=200")),
        (["* 1497 digits, 40 turns", *(f"* turn {i} | loss {2 - i / 9:.4f}" for i in range(1, 5)), "* the spool is empty"], ("python3", "p.py")),
    ],
)
def test_a_handful_of_what_was_asked(lines: list[str], command: tuple[str, ...]):
    assert _mode(lines, *command) == "E3"


@pytest.mark.parametrize("end", ["early stopping: no improvement for 2 rounds", "converged", "target of 2.5 bits reached", "loss below the threshold", "no gain for 2 rounds, ending", "keine Verbesserung mehr", "has not risen for 4 rounds; stopping here"])
def test_it_says_why_that_was_enough(end: str):
    assert _mode([*_rounds(4), end], "python3", "lm.py", "--rounds", "400") == "G1"


def test_what_another_run_had_is_not_what_this_one_was_asked_for():
    """``(epoch 90 of the pre-training run)``."""
    epochs = [f"Epoch: [{i}]  Loss {1.2 / (1 + i):.4f}  Acc@1 {80 + i}.17" for i in range(8)]
    assert _mode(["=> loading vit_s16.pt (epoch 90 of the pre-training run)", *epochs, "done"], "python3", "ft.py") == "G1"


@pytest.mark.parametrize("asked", ["4", "8"])
def test_as_many_as_were_asked_or_half_of_them(asked: str):
    """Few as they are, nobody asked for more to speak of."""
    assert _mode(_rounds(4), "python3", "lm.py", "--rounds", asked) != "E3" or asked == "4"


def test_forty_are_no_handful():
    lines = [f"round {i} loss {4 - 0.05 * i:.4f}" for i in range(1, 41)]
    assert _mode([*lines, "time is up"], "python3", "lm.py", "--rounds", "400") == "G1"


def test_another_number_of_the_command_line_is_not_what_was_asked():
    lines = [f"epoch {i} loss {4 - 0.5 * i:.4f}" for i in range(1, 6)]
    assert _mode(lines, "python3", "lm.py", "--warmup-rounds", "400", "--batch", "64", "--epochs", "5") == "G1"


def test_lines_that_count_further_than_those_that_are_known_for_progress():
    lines = [f'{{"what": "pass", "t": {0.2 * i:.3f}, "n": {i}, "of": 18, "bpr": {0.7 / i:.5f}, "hit_at_10": 0.{200 + 30 * i}, "lr": 0.15}}' for i in range(1, 19)]
    assert _mode(lines, "python3", "bpr.py", '{"passes": 18}') == "G1"


def test_what_is_held_out_got_worse_and_it_stopped_without_a_word():
    """Patience has no words of its own in many a loop; what still gets better was cut off."""
    def rows(held: list[float]) -> list[str]:
        return [f"pass {i}/24 nll={1 - 0.05 * i:.4f} held-out nll={h:.4f}" for i, h in enumerate(held, 1)]

    assert _mode(rows([0.95, 0.84, 0.80, 0.82, 0.85, 0.87]), "python3", "f.py") == "G1"
    assert _mode(rows([0.95, 0.90, 0.86, 0.83, 0.80, 0.78]), "python3", "f.py") == "E3"
