"""Runs that learn all over again in spite of what they were to go on from, and those that rightly begin or go on."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _losses(first: float, last: float, count: int = 20) -> list[float]:
    return [last + (first - last) * 0.75**i for i in range(count)]


def _mode(lines: list[str], *command: str) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=command or ("python", "train.py")).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


SAID = (
    ("state of epoch 15 read from ridges.pth", "Restoring parameters from ridges.pth.ema"),
    ("Restoring weights from out/hills.npz (epoch 12)",),
    ("picked up the state of hills.pt at epoch 30",),
)


@pytest.mark.parametrize("said", SAID)
def test_it_says_where_it_goes_on_from_and_counts_from_one(said: tuple[str, ...]):
    """Its loss comes down by nearly all there is: a model of epoch 15 had come down already."""
    assert _mode([*said, *(f"epoch {i + 1}/20 nll={v:.3f}" for i, v in enumerate(_losses(180, 18)))]) == "E2"


@pytest.mark.parametrize("said", SAID)
def test_it_goes_on_from_where_it_says(said: tuple[str, ...]):
    assert _mode([*said, *(f"epoch {i + 31}/50 nll={v:.3f}" for i, v in enumerate(_losses(19, 17)))]) == "G1"


@pytest.mark.parametrize("said", SAID)
def test_weights_of_another_task_are_a_start(said: tuple[str, ...]):
    assert _mode(["fine-tuning on a new task", *said, *(f"epoch {i + 1}/20 nll={v:.3f}" for i, v in enumerate(_losses(180, 18)))]) == "G1"


@pytest.mark.parametrize("command", ["FROM=runs/w.json python3 fit.py rounds=20", "python3 fit.py --from=runs/w.json", "python3 fit.py resume_from=runs/w.json"])
@pytest.mark.parametrize(
    ("said", "first", "mode"),
    [("hello", 0.9, "E2"), ("weights of round 200 read from runs/w.json", 0.9, "G1"), ("hello", 0.03, "G1")],
    ids=["named nowhere", "read", "as low from the first on"],
)
def test_a_state_that_a_command_line_names_and_the_run_never(command: str, said: str, first: float, mode: str):
    lines = [said, *(f"round {i + 1}/20 mse {v:.4f}" for i, v in enumerate(_losses(first, 0.02)))]
    assert _mode(lines, "bash", "-c", command) == mode


def test_where_it_writes_to_is_not_what_it_goes_on_from():
    lines = [f"round {i + 1}/20 mse {v:.4f}" for i, v in enumerate(_losses(0.9, 0.02))]
    assert _mode(lines, "python3", "fit.py", "out=runs/w.json") == "G1"


HALVES = [f"ep {i + 1}/10 logloss {v:.4f}" for i, v in enumerate(_losses(0.42, 0.15, 10))]


@pytest.mark.parametrize(
    ("between", "second", "mode"),
    [
        ("init <- fold.json (0 of 10 values taken: keys differ)", HALVES, "E2"),
        ("init <- fold.json (10 of 10 values taken)", [f"ep {i + 11}/20 logloss {0.15 - i / 1000:.4f}" for i in range(10)], "G1"),
        ("init <- fold.json (0 of 10 values taken: keys differ)", [f"ep {i + 11}/20 logloss {0.15 - i / 1000:.4f}" for i in range(10)], "G1"),
    ],
    ids=["nothing, and begun again", "all of it", "it goes on all the same"],
)
def test_a_second_part_that_took_nothing_over_from_the_first(between: str, second: list[str], mode: str):
    assert _mode(["[1/2] first half", *HALVES, "saved fold.json", between, *second], "bash", "job.sh") == mode


@pytest.mark.parametrize("option", ["--model-in", "--resume", "--restart_from", "DESDE"])
@pytest.mark.parametrize("said", ["140 rounds are in hires.ubj", "arguments: --rounds 140 --resume hires.ubj", "wrote hires.ubj", "config: hires.ubj, 140 rounds"])
def test_what_it_was_given_and_what_it_wrote_says_of_no_reading(option: str, said: str):
    rows = [f"round {i + 1}/20 nll={v:.3f}" for i, v in enumerate(_losses(15.2, 3.4))]
    command = ("python", "hires.py", option, "hires.ubj") if option.startswith("-") else ("env", f"{option}=hires.ubj", "python", "hires.py")
    assert _mode([*rows, said], *command) == "E2"


@pytest.mark.parametrize("said", ["no model at hires.ubj", "hires.ubj has 60 rounds", "hires.ubj not found: a first run"])
def test_what_it_says_of_the_file_is_heard(said: str):
    rows = [f"round {i + 1}/20 nll={v:.3f}" for i, v in enumerate(_losses(15.2, 3.4))]
    assert _mode([said, *rows, "140 rounds are in hires.ubj"], "python", "hires.py", "--model-in", "hires.ubj") == "G1"


LEARNS = [f"epoch {i + 1}/20 nll={v:.3f}" for i, v in enumerate(_losses(180, 18))]


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("exp/run7 already exists, 14 checkpoints in it", ("python", "train.py", "--continue-training")),
        ("resumed_from=runs/best.pt start_epoch=0", ("python", "train.py", "--resume", "runs/best.pt")),
        ("resume dir /local/88/ckpt: 0 files", ("python", "train.py", "--resume-dir", "/local/88/ckpt", "--require-resume")),
        ("GPU available: True", ("python", "fit.py", "ckpt_path=runs/epoch=19-step=400.ckpt")),
    ],
)
def test_it_was_bidden_and_passed_by_what_was_there(said: str, command: tuple[str, ...]):
    assert _mode([said, *LEARNS], *command) == "E2"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("keeping the last 3 checkpoints", ("python", "train.py", "--continue-training")),
        ("looking in out/ ... nothing there, start_epoch=0", ("python", "train.py", "--auto-resume", "--out", "out")),
        ("exp/run7 already exists, 14 checkpoints in it", ("python", "train.py", "--overwrite")),
        ("GPU available: True", ("python", "fit.py", "ckpt_path=runs/best.ckpt")),
    ],
)
def test_it_was_bidden_and_nothing_was_there_or_it_was_not(said: str, command: tuple[str, ...]):
    assert _mode([said, *LEARNS], *command) == "G1"
