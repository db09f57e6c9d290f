"""Wishes to go on that were not met, told over one line or two in many tongues; and what says nearly the same of first starts, data and partial loads."""

from __future__ import annotations

import pytest

from gpualert_slurm.past_verdict import PastVerdict
from tests.unit.classifier.records import Run

RESUME = ("python", "fit.py", "--resume", "out/step_0400.pt")


def _mode(head: str, *command: str, past: tuple[PastVerdict, ...] = (), behind: tuple[str, ...] = ()) -> str:
    lines = [*head.split("\n"), *(f"epoch {i}/20 loss {0.6 + 2.5 * 0.8**i:.4f}" for i in range(1, 21)), *behind]
    run = Run(command=command or ("python", "fit.py"), past=past)
    run.rank(0, "n1", "\n".join(lines) + "\n", code=0, end=90, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


NAMED = (
    "Zwischenstand out/step_0400.pt gesucht\nkeiner da, fange vorne an",
    "reprise demandée depuis out/step_0400.pt\nfichier introuvable : on recommence",
    "se pidió continuar con out/step_0400.pt\nno se pudo leer, pesos nuevos",
    "ripresa da out/step_0400.pt: il file manca\nparto con pesi casuali",
    "retomar de out/step_0400.pt: arquivo não encontrado",
    "hervatten vanaf out/step_0400.pt\nbestand bestaat niet, begin opnieuw",
    "wznawianie z pliku out/step_0400.pt: brak pliku",
    "продолжение с out/step_0400.pt\nфайл не найден",
    "尝试从 out/step_0400.pt 恢复\n文件不存在",
    "out/step_0400.pt が見つかりません\n最初から学習します",
    "체크포인트 out/step_0400.pt 을(를) 찾을 수 없어 처음부터 학습합니다",
    "out/step_0400.pt bulunamadı, devam edilemiyor",
    '{"event": "state", "path": "out/step_0400.pt", "exists": false}',
    "Fetching previous weights from the store ... HTTP 404\nusing initial weights",
)
"""A state that an option names, and that was not there."""
UNUSED = (
    "config hash differs (a81f now, 77c0 then): none of them is used\nfound 2 checkpoints in out: step_100 step_200",
    "prior state: rejected (trained on 10 classes, now 12)",
    "Stand aus Lauf 12 (Schritt 800): Prüfsumme falsch, wird verworfen",
    "tussenstand stap_400.npz hoort bij een ander netwerk",
    "El estado guardado es de otra versión y no se usa",
    "checkpoint was saved with world size 8, now 4: optimizer and weights not loaded",
    "SLURM_RESTART_COUNT=1\nsnapshot of the first try: none that can be read",
)
"""What was there, and was of no use."""
TWINS = (
    "resume ok: 214 of 214 matched, none missing; read from out/step_0400.pt",
    "resume: step_0400.pt is not there yet, it will be created",
    "--fresh given: existing checkpoints in out/ are ignored on purpose",
    "state of the data loader not found, shuffling anew",
    "prior state: none, and none expected",
    "stage 2: weights of out/step_0400.pt taken, the counter begins anew, scheduler not loaded",
)
"""Nearly the same, of a run that an option bids go on."""
UNBIDDEN = (
    "removing old checkpoints of an earlier experiment, expired: ckpt_100.pt ckpt_200.pt",
    "config: resume: null, checkpoint: ''\nno pretrained weights given, random initialisation",
    "no earlier state was asked for; old ones in st/ (st.100 st.200) are left alone",
    "aucune reprise demandée ; l'ancien fichier etape_0400.bin reste en place",
    "Resuming the tracker's run failed, a new one is opened",
    "could not fetch part-0.tar: connection refused (attempt 2 of 4)",
    "legacy config format version 1 ignored, using defaults of version 2",
    "checkpoints go to out/; use --resume out/last.pt to continue after a stop, none is there now",
    "Continuing with 4 workers; 2 unreadable images skipped",
    "continuing with CPU: GPU state unreadable",
    "no state file given -> a fresh model, seed 7",
    "checkpoint last.ckpt: written 2026-10-02, more than 30 days ago, ignoring it",
)


@pytest.mark.parametrize("head", [*NAMED, *UNUSED])
def test_a_wish_that_was_not_met(head: str) -> None:
    """It was to go on, could not, and learns from the first epoch on."""
    assert _mode(head, *RESUME) == "E2"


@pytest.mark.parametrize("head", TWINS)
def test_what_was_met_or_not_meant(head: str) -> None:
    assert _mode(head, "python", "fit.py", "--resume") == "G1"


@pytest.mark.parametrize("head", UNBIDDEN)
def test_nobody_wished_it(head: str) -> None:
    assert _mode(head) == "G1"


def test_what_the_run_saves_itself_is_its_first_start() -> None:
    """A script that is submitted again and again names where it saves, and the first time nothing lies there."""
    command = ("python", "fit.py", "--resume", "runs/n/last.pt")
    head = "runs/n/last.pt is missing, new weights"
    assert _mode(head, *command, behind=("saved checkpoint to runs/n/last.pt",)) == "G1"


def test_an_age_or_a_version_is_told_of_what_is_there() -> None:
    assert _mode("checkpoint last.ckpt: written 2026-10-02, more than 30 days ago, ignoring it", "python", "fit.py", "--resume") == "E2"


def test_megatrons_word_of_a_first_start() -> None:
    """Where there is none, none is loaded."""
    head = "WARNING: could not find the metadata file out/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random"
    assert _mode(head) == "G1"


def test_a_first_line_some_steps_on_beside_a_known_parent() -> None:
    """A parent's loss went from 3.9 to 0.5; one that was told to go on begins three quarters of that way above its end; one that was not told may."""
    past = (PastVerdict(relation="parent", job="4700", mode="G1", fault="none", steps_done=9000, head_loss=3.9, tail_loss=0.1),)
    assert _mode("2.1M parameters", "python", "fit.py", "--continue", past=past) == "E2"
    assert _mode("2.1M parameters", past=past) == "G1"


def test_a_resume_that_counts_far_short_of_what_it_names():
    """``checkpoint-18000`` was named; it counts from 50 to 1000, and its loss comes down as from nothing."""
    def told(first: int, top: float) -> str:
        lines = [f"step {first + 50 * i}/20000 loss {top * 0.97**i:.4f} lr 5.0e-06" for i in range(20)]
        end = 2.0 + 20
        run = Run().rank(0, "n1", "".join(f"{x}\n" for x in lines), code=0, end=end, times=[1.0 + i for i in range(20)])
        line = "sbatch mlm.sh --resume_from_checkpoint out/checkpoint-18000 --output_dir out"
        return run.accounting("COMPLETED", code=0, end=end + 1, submit_line=line).verdict().mode

    assert told(50, 9.89) == "E2"
    assert told(18050, 2.31) != "E2"


def test_a_command_that_the_shell_shows_is_the_programs_own():
    text = "+ python -u train.py --continue-from runs/exp14/best.ckpt --epochs 80\ntrying to load runs/exp14/best.ckpt ...\n"
    text += "could not load (No such file or directory), starting from scratch\n"
    lines = "".join(f"epoch  {i:2d}/12   loss {0.9 + 0.7 * 0.8**i:.4f}   miou {0.03 * i:.3f}\n" for i in range(1, 13))
    run = Run(command=("sh", "go.sh")).rank(0, "n1", text + lines, code=0, end=20, times=[1.0] * 3 + [1.0 + i for i in range(1, 13)])
    assert run.accounting("COMPLETED", code=0, end=21).verdict().mode == "E2"
