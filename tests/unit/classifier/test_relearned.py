"""A log with an earlier run's numbers, a state that was not there, and the same learning all over again."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _rows(first: int, count: int) -> list[str]:
    return [f"epoch {i}: loss {2.31 * 0.8**i:.4f}" for i in range(first, first + count)]


def _mode(lines: list[str]) -> str:
    text = "\n".join([*lines, "done"]) + "\n"
    run = Run(command=("bash", "stages.sh")).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


@pytest.mark.parametrize(
    "said",
    [
        "=> no checkpoint found at 'runs/part1.pth.tar'",
        '{"resume": "auto", "file": "runs/part1.pt", "found": false}',
        "cannot resume: runs/part1.pt does not exist",
    ],
)
def test_what_had_been_learned_is_learned_again_behind_a_state_that_was_not_there(said: str):
    """Rows of another seed or fold begin as high, and nobody looked for anything."""
    assert _mode([*_rows(0, 20), said, *[f"{row[:-1]}7" for row in _rows(0, 20)]]) == "E2"
    assert _mode([*_rows(0, 20), "fold 2 of 2", *[f"{row[:-1]}7" for row in _rows(0, 20)]]) == "G1"


def test_a_stage_that_goes_on_loses_nothing():
    """The second counts anew from where the first had come to."""
    assert (
        _mode([*_rows(0, 20), "=> no checkpoint found at 'runs/ema.pth.tar'", *[f"epoch {i}: loss {0.03 * 0.97**i:.4f}" for i in range(20)]]) == "G1"
    )


def test_what_both_runs_say_is_no_fault():
    assert (
        _mode(
            [
                "no checkpoint found at 'runs/stage1.pt'",
                *_rows(0, 20),
                "no checkpoint found at 'runs/stage2.pt'",
                *[f"{row[:-1]}7" for row in _rows(0, 20)],
            ]
        )
        == "G1"
    )


def test_a_listed_state_is_there():
    """A first run has the same word for an empty folder."""
    said = "Checkpoint 'latest' does not exist. Starting a new training run."
    assert _mode(["out/checkpoint-150", "out/checkpoint-75", said, *_rows(0, 20)]) == "E2"
    assert _mode(["-rw-r--r-- 1 alice alice 57201 Nov 26 00:29 out/checkpoint-150", said, *_rows(0, 20)]) == "E2"
    assert _mode([said, *_rows(0, 20)]) == "G1"


def test_the_very_same_numbers_behind_a_wish_to_go_on():
    """Two runs of one seed that nobody bids go on repeat each other, too."""
    assert _mode(["epochs=20 lr=0.1", *_rows(0, 20), "epochs=40 resume=True", *_rows(0, 30)]) == "E2"
    assert _mode(["epochs=20 lr=0.1", *_rows(0, 20), "epochs=40 lr=0.1", *_rows(0, 30)]) == "G1"
    assert (
        _mode(["epochs=20 lr=0.1", *_rows(0, 20), "epochs=40 resume=True", *[f"epoch {i}: loss {0.03 * 0.97**i:.4f}" for i in range(20, 40)]])
        == "G1"
    )
