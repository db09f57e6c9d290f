"""States that a run looked for and did not get, told in many tongues; and first starts, other files and partial loads, which say nearly the same."""

from __future__ import annotations

import pytest

from gpualert_slurm.past_verdict import PastVerdict
from tests.unit.classifier.records import Run

PARENT = PastVerdict(relation="parent", job="4700", mode="G1", fault="none", steps_done=5000)


def _mode(head: list[str], *command: str, past: tuple[PastVerdict, ...] = ()) -> str:
    lines = [*head, *(f"epoch {i}/20 loss {0.6 + 2.5 * 0.8**i:.4f}" for i in range(1, 21))]
    run = Run(command=command or ("python", "train.py"), past=past)
    run.rank(0, "n1", "\n".join(lines) + "\n", code=0, end=90, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


LOST = (
    "resume     auto: 0 checkpoints match ckpt/*.ckpt (folder has step-000100.pt, step-000200.pt) - training from step 1",
    "Resume was requested, but no ckpt_epoch*.pt in exp (epoch-1.pt, epoch-2.pt); starting with epoch 1",
    "--resume: no last.ckpt in exp/kws01 (there: ['001.ckpt', '002.ckpt']), starting with epoch 1",
    "Fortsetzen: kein stand_*.pt in laeufe/7 (vorhanden: modell_10.pt, modell_20.pt) - Beginn bei Epoche 1",
    "level=warn event=resume status=missing path=runs/k/step_0800.pt others=step_0200.pt,step_0400.pt start_step=0",
    "could not read runs/a/e08.pt: [Errno 13] Permission denied: 'runs/a/e08.pt', first epoch is 1",
    "Aviso: puntos/ultimo.pt está dañado; se ignora y se empieza desde cero",
    "could not resume from runs/a/last.pt: shape of 'embed.weight' differs ((32000, 256) vs (32064, 256)); new run",
    "[auto-resume] candidates: epoch_3.pt (bad crc), epoch_2.pt (bad crc)",
    "résumé demandé: dossier sauv/ contient ep_5.pt, ep_10.pt mais pas ep_15.pt; départ à l'époque 1",
    "WARN resume: true but checkpoints/ holds only best.pt (need last.pt). Training from the beginning.",
    '{"msg": "restore", "dir": "s3://b/run7", "latest": null, "all": ["step_100/", "step_200/"], "start_step": 0}',
    "checkpoint from git rev a1b2c3 is incompatible with rev d4e5f6: not loaded, fresh optimizer and weights",
    "ck.pt: missing_keys=148 unexpected_keys=148 (of 148)",
    "Wiederaufnahme verlangt, aber kein Stand in laeufe/3; Start bei Schritt 0",
    "La reanudación fue solicitada pero falta puntos/ultimo.pt, se empieza desde cero",
    "resume=yes: wanted model.9.pt, directory lists model.3.pt model.6.pt",
    "WARNING resume requested but exp/last.pt is missing; epoch counter reset to 1",
)


@pytest.mark.parametrize("said", LOST)
def test_there_was_something_to_go_on_from(said: str):
    """Other states lie there, or the state is there and of no use, or the run was bidden in so many words."""
    assert _mode([said]) == "E2"


FIRST = (
    "looking for runs/x/ckpt_*.pth ... 0 matches (directory is empty)",
    "looking for runs/x/ckpt_*.pth ... 0 matches (directory contains config.yaml train.log)",
    "No existing checkpoint found checkpoints/checkpoint_last.pt",
    '{"level":"warn","msg":"resume: no match","pattern":"ckpt_*.pt","in":"runs/m","available":[]}',
    "no checkpoint found (looked for last.pt, best.pt), training from scratch",
    "resume was not requested; starting from scratch",
    "Some weights of Bert were not initialized from the model checkpoint at small/checkpoint-80 because the shapes did not match",
    "ema_2000.pt missing, EMA restarted from the weights",
    "features.npz not found, computing features (12 s)",
    "WARN resume: true but checkpoints/ is empty. Training from the beginning.",
    "data/part_003.npz corrupt, skipped (11 of 12 parts used)",
    "vocab_32000.json not found, learning BPE (14 s)",
    "ck/ has 200.pt 400.pt 600.pt of an earlier run: moved to ck.old/ as --restart-clean was set",
    "Kein Zwischenstand vorhanden, erster Lauf",
    "best.pt exists and will be overwritten",
    "event=resume_lookup path=/ckpt/b/last found=0 siblings=",
    "student: no checkpoint found, random weights",
    "runs/a has step_2000.pt, not used as --fresh was given: new run",
)


@pytest.mark.parametrize("said", FIRST)
def test_a_first_start_says_nearly_the_same(said: str):
    assert _mode([said]) == "G1"


@pytest.mark.parametrize("said", ["runs/a/e08.pt is truncated, skipped", "no usable checkpoint"])
def test_what_was_read_after_all_is_no_fault(said: str):
    """Its epochs count on, and its loss has come down before."""
    lines = [said, "resumed from runs/a/e07.pt", *(f"epoch {i}/27 loss {1.2 - 0.01 * i:.4f}" for i in range(8, 28))]
    run = Run(command=("python", "train.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=90, times=[1 + i for i in range(len(lines))])
    assert run.accounting("COMPLETED", code=0, end=91).verdict().mode == "G1"


def test_a_state_of_a_certain_step_that_the_settings_name():
    """A JSON line has it that it was not found; without a count in its name it may be where a first start is to save."""
    asked = '{"event":"config","resume_from":"ckpts/%s"}'
    told = '{"event":"resume","path":"ckpts/%s","found":false,"action":"fresh_start"}'
    assert _mode([asked % "step_8000.pt", told % "step_8000.pt"]) == "E2"
    assert _mode([told % "last.pt"]) == "G1"


@pytest.mark.parametrize(("past", "mode"), [((PARENT,), "E2"), ((), "G1")], ids=["behind a run that trained", "by itself"])
def test_a_file_of_any_name_that_a_run_before_it_was_to_leave(past: tuple[PastVerdict, ...], mode: str):
    said = "--load: ../a/model_latest.json is not there, weights start at zero"
    assert _mode([said], "python", "t.py", "--load", "../a/model_latest.json", past=past) == mode


@pytest.mark.parametrize(("epoch", "mode"), [("12", "E2"), ("1", "G1"), ("0", "G1")])
def test_it_was_told_at_which_epoch_to_begin(epoch: str, mode: str):
    assert _mode(["checkpoint folder empty"], "python", "main.py", "--start-epoch", epoch) == mode


@pytest.mark.parametrize("said", ["base weights: out/step_5000.pt; no earlier checkpoint, starting at step 0", "model read from out/step_5000.pt"])
def test_a_new_stage_begins_with_what_its_parent_saved(said: str):
    past = PARENT.model_copy(update={"checkpoints": ("out/step_5000.pt",), "head_loss": 9.2, "tail_loss": 2.4})
    assert _mode([said], past=(past,)) == "G1"


@pytest.mark.parametrize(("value", "mode"), [("resume", "E2"), ("scratch", "G1")])
def test_a_word_that_allows_no_other_start(value: str, mode: str):
    assert _mode(["params=12757"], "python", "lm_train.py", f"init_from={value}") == mode
