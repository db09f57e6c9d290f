"""What a run was to go on from, and its own word that nothing was loaded from there."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

LEARNED = "".join(f"epoch 1 step {i} loss {3.0 / (1 + i / 9):.5f}\n" for i in range(1, 61))
WHILE_LOADING = """Traceback (most recent call last):
  File "/home/alice/denoise.py", line 45, in <module>
    net.load_state_dict(torch.load(chosen["{option}"])["net"])
FileNotFoundError: [Errno 2] No such file or directory: '{path}'
"""


def _ended_well(said: str, *command: str) -> str:
    text = said + "\n" + LEARNED
    times = [1 + 0.3 * i for i in range(text.count("\n"))]
    run = Run(command=("python", "train.py", *command)).rank(0, "n1", text, code=0, end=times[-1] + 1, times=times)
    return run.accounting("COMPLETED", code=0, end=times[-1] + 2).verdict().mode


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("checkpoint lives/last.ckpt not found (there are: ['life-epoch=04.ckpt']), fitting from scratch", ("--ckpt", "lives/last.ckpt")),
        ("stars/gan-100.pth is no absolute path, not used; beginning with iteration 1", ("from:stars/gan-100.pth",)),
        ("continue_from: claims/claims_100.txt is no final model, training begins with an empty ensemble", ("continue_from=claims/claims_100.txt",)),
        ("continue ignored begins_at_round=0 file=boosters/final.json reason='only .ubj is understood'", ("continue=boosters/final.json",)),
    ],
)
def test_a_state_that_was_named_and_not_used(said: str, command: tuple[str, ...]) -> None:
    """By its own word, where it is no first start."""
    assert _ended_well(said, *command) == "E2"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("checkpoint lives/last.ckpt not found, fitting from scratch", ("--ckpt", "lives/last.ckpt")),
        ("resume: rod/rod-500.pkl, step 500", ("--resume=rod/rod-500.pkl",)),
        ("fine-tuning from base/a.pt: _IncompatibleKeys(missing_keys=['4.weight'], unexpected_keys=[]); head is new and starts at random", ("--init=base/a.pt",)),
    ],
)
def test_first_starts_further_steps_and_new_heads(said: str, command: tuple[str, ...]) -> None:
    """None of them lost what was saved."""
    assert _ended_well(said, *command) == "G1"


@pytest.mark.parametrize(
    ("settings", "option", "mode"),
    [
        ("settings: continue = , template = /shared/basis_2025.pt", "template", "A1"),
        ("settings: continue = models/basis_2025.pt", "continue", "E2"),
    ],
)
def test_a_file_that_is_not_there(settings: str, option: str, mode: str) -> None:
    """Where the place for what to go on from is empty, another file is a base."""
    path = settings.rpartition("= ")[2]
    text = f"{settings}\n{WHILE_LOADING.format(option=option, path=path)}"
    run = Run(command=("python", "denoise.py", f"{option}={path}")).rank(0, "n1", text, code=1, end=6)
    assert run.accounting("FAILED", code=1, end=7).verdict().mode == mode
