"""Errors as weights are loaded: somebody else's are an asset that is missing, the run's own a resume that failed; and settings called after resuming."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

MISSING = "FileNotFoundError: [Errno 2] No such file or directory: '{}'"


def _mode(error: str, doing: str, *command: str, before: str = "", function: str = "main") -> str:
    text = f'{before}Traceback (most recent call last):\n  File "/home/alice/train.py", line 30, in {function}\n    {doing}\n{error}\n'
    run = Run(command=command or ("python", "train.py")).rank(0, "n1", text, code=1, end=9)
    return run.accounting("FAILED", code=1, end=10).verdict().mode


OTHERS = (
    ("model.load_state_dict(torch.load(cfg.base_model))", "/models/vit_b16.pth", "--base-model=/models/vit_b16.pth"),
    ("net.load_state_dict(torch.load('zoo/unet.pt'))", "zoo/unet.pt", "x"),
    ('rede.load_state_dict(torch.load(P["base"])["rede"])', "/dados/vae_v3.pt", "base=/dados/vae_v3.pt"),
    ("teacher.load_state_dict(torch.load(a.teacher))", "t/net.pt", "--teacher=t/net.pt"),
)


@pytest.mark.parametrize(("doing", "path", "option"), OTHERS)
def test_weights_of_others_that_are_not_there(doing: str, path: str, option: str):
    assert _mode(MISSING.format(path), doing, "python", "t.py", option) == "A1"


def test_a_file_in_the_zoo_that_the_run_was_to_go_on_from():
    assert _mode(MISSING.format("zoo/last.pt"), "torch.load(args.resume)", "python", "t.py", "--resume", "zoo/last.pt") == "E2"


@pytest.mark.parametrize(
    ("error", "doing"),
    [
        ("KeyError: 'adamx'", 'opt = OPTS[cfg["optimizer"]](net.parameters(), resume=cfg.get("resume"))'),
        ("KeyError: 'denoize'", 'Engine(TASKS[run["task"]], Keeper(run.get("resume", "")))'),
        ("ValueError: unknown option lrr; valid options: ['batch', 'checkpoint_every', 'resume', 'weights']", "raise ValueError(text)"),
        ("ValueError: --resume and --init are exclusive", "raise ValueError(text)"),
        ("omegaconf.errors.ConfigAttributeError: Key 'resume_frm' is not in struct", "x = cfg.trainer.resume_frm"),
    ],
)
def test_a_setting_that_there_is_not(error: str, doing: str):
    assert _mode(error, doing) == "A1"


def test_what_comes_behind_a_load_that_was_done():
    """A size that does not fit in the model's own work is none of the state's."""
    error = "RuntimeError: The size of tensor a (56) must match the size of tensor b (40) at non-singleton dimension 1"
    command = ("python", "t.py", "--resume", "runs/a/9.pt")
    assert _mode(error, "return x + self.pos", *command, before="resumed from runs/a/9.pt at step 9000\n", function="forward") == "A1"
    assert _mode(error, "p.data.copy_(saved[n])", *command) == "E2"


@pytest.mark.parametrize(
    ("before", "error", "mode"),
    [
        ("lade Stand aus stand.bin\n", "ValueError: Pruefsumme von stand.bin stimmt nicht", "E2"),
        ("lade Daten aus daten.bin\n", "ValueError: Pruefsumme von daten.bin stimmt nicht", "A1"),
        ("cargando estado de corrida/estado_7.npz\n", "ValueError: el estado guardado tiene 4 capas, el modelo 6", "E2"),
    ],
)
def test_other_tongues(before: str, error: str, mode: str):
    assert _mode(error, "raise ValueError(text)", before=before, function="laden") == mode


def test_settings_that_say_in_quotes_that_nothing_is_resumed():
    before = 'args: {"lr": "0.002", "workdir": "exp/ecg", "resume": "None", "init_weights": "None"}\n'
    error = "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
    assert _mode(error, 'meta = json.loads(Path("holter.json").read_text())', before=before) == "A1"
