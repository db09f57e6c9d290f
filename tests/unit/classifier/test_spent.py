"""What a run says of where its time went; and runs of a handful of rounds."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.spent import share_of
from tests.unit.classifier.records import Run


def _mode(lines: list[str], every: float = 0.4) -> str:
    text = "\n".join(lines) + "\n"
    times = [1 + every * i for i in range(len(lines))]
    run = Run(command=("python", "train.py")).rank(0, "n1", text, code=0, end=times[-1] + 1, times=times)
    return run.accounting("COMPLETED", code=0, end=times[-1] + 2).verdict().mode


def _steps(line: str) -> list[str]:
    return [line.format(i=i, loss=3.0 / (1 + i / 9)) for i in range(1, 61)]


@pytest.mark.parametrize(
    ("line", "kind", "share"),
    [
        ("wall 41.0 s: compute 9.8 s, saving 30.75 s, other 0.45 s", "save", 0.75),
        ("Time spent: training 12.0s, checkpointing 88.0s", "save", 0.88),
        ("step 5 loss 1.2 ckpt_time 61%", "save", 0.61),
        ("[30/600] loss 1.2 | avg fwd+bwd 20 ms | avg ckpt 180 ms (every step)", "save", 0.9),
        ("epoch 3/20 loss 1.1 (load 2.7s train 0.3s)", "load", 0.9),
        ('{"n": 8, "clip": 4.09, "data_s": 3.0, "gpu_s": 1.0}', "load", 0.75),
        ("Epoch: [1][5/80] Time 2.000 (2.060) Data 1.800 (1.811) Loss 0.31", "load", 0.9),
        ("Gesamtzeit 40,0 s, davon Rechnen 30,0 s, Sichern 10,0 s", "save", 0.25),
        ("gesamt 40 s: rechnen 30 s, speichern 10 s", "save", 0.25),
        ("step=5 loss=4.1 allgather_ms=18000 compute_ms=2000", "talk", 0.9),
        ("it=10 lm=7.3 comm_share=0.90 sec=9.66", "talk", 0.9),
        ("step 8 | all-reduce 0.3 s | fwd 0.2 s | bwd 0.5 s", "talk", 0.3),
        ("batch 5 wait_ms=11400 compute_ms=600", "load", 0.95),
        ("of 8.0 s in this pass 6.0 s were spent waiting for decoded images", "load", 0.75),
        ("6.0 s of the 8.0 s went into saving", "save", 0.75),
        ("spent 30.0 s saving out of 40.0 s", "save", 0.75),
    ],
)
def test_the_share_that_a_line_tells(line: str, kind: str, share: float):
    found = share_of(line, kind)
    assert found is not None
    assert found[0] == pytest.approx(share)


@pytest.mark.parametrize(
    "line",
    [
        "avg step 20 ms, avg ckpt 900 ms",
        "saved in 3 s",
        "train 400 samples, save every 20 steps",
        "step 30 loss 1.2 lr 3e-4",
        "loaded 30 files in 4 s",
        "checkpoint 30 of 60",
        "12.1 s of saving",
        "6.0 s of the 8.0 s went into waiting",
    ],
)
def test_lines_that_set_nothing_against_each_other(line: str):
    assert share_of(line, "save") is None


@pytest.mark.parametrize(
    ("last", "mode"),
    [
        ("wall 41.0 s: compute 9.8 s, saving 29.7 s, other 1.5 s", "D2"),
        ("wall 41.0 s: compute 39.0 s, saving 0.7 s, other 1.3 s", "G1"),
        ("wall 0.4 s: compute 0.2 s, saving 0.2 s", "G1"),
        ("Time spent: training 12.1s, checkpointing 88.4s", "D2"),
        ("Time spent: training 88.4s, checkpointing 12.1s", "G1"),
        ("time: 31.2 s training, 140.9 s checkpointing", "D2"),
        ("31 s went into training, 4 s into saving", "G1"),
    ],
)
def test_a_last_line_that_sums_up(last: str, mode: str):
    assert _mode([*_steps("step {i} loss {loss:.3f}"), last]) == mode


@pytest.mark.parametrize(("took", "mode"), [("0.31", "D2"), ("0.01", "G1")])
def test_a_column_of_times_against_the_time_between_two_lines(took: str, mode: str):
    assert _mode(["step   loss    save_s", *_steps("{i:4d}  {loss:.4f}  " + took)]) == mode


def _passes(saves: int) -> list[str]:
    batches = [f"wrote net/step.pt ({b} of 15)" for b in range(16 - saves, 16)]
    return [line for e in range(1, 4) for line in (*batches, f"epoch {e:02d} loss {2.0 / e:.4f} top1 0.7")]


@pytest.mark.parametrize(("saves", "mode"), [(15, "D2"), (1, "G1")])
def test_a_save_of_each_batch_where_only_epochs_are_counted(saves: int, mode: str):
    assert _mode(_passes(saves)) == mode


@pytest.mark.parametrize("line", ["round {0}/{1} mse {2:.4f}", "[solver] round    {0}/{1}  loss {2:.6f}", "generation {0} of {1}: loss {2:.4f}", "Runde {0} von {1}: Verlust {2:.4f}"])
@pytest.mark.parametrize(("planned", "every", "mode"), [(3, 0.01, "E3"), (3, 30.0, "G1"), (60, 0.01, "G1")], ids=["moments", "long ones", "many"])
def test_a_handful_of_rounds(line: str, planned: int, every: float, mode: str):
    """Three that each took a moment are a try; three of half a minute each may be passes over much data."""
    assert _mode([line.format(i, planned, 2.0 / i) for i in range(1, planned + 1)], every) == mode


def test_rounds_of_boosting_and_of_validation_are_none():
    assert _mode([f"boosting round {i}/5: gini {0.1 * i:.4f}" for i in range(1, 6)], 0.01) == "G1"
    assert _mode([f"fold round {i}/5: auc 0.9{i}" for i in range(1, 6)], 0.01) == "G1"


@pytest.mark.parametrize(("count", "mode"), [(3, "E3"), (18, "G1")])
def test_generations_in_a_table(count: int, mode: str):
    """Eighteen whole populations may be all that is wanted."""
    rows = [f"{i:3d}  {-155.0 / i:9.2f}  {0.0:9.2f}  {0.7758 / i**2:9.4f}  1.620" for i in range(1, count + 1)]
    assert _mode(["gen     return      best      loss  sigma", *rows], 0.01) == mode


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ("step {i} loss {loss:.3f} data 0.912s compute 0.071s", "D1"),
        ("step {i} loss {loss:.3f} data 0.012s compute 0.971s", "G1"),
        ("epoch {i}/60 loss {loss:.3f} (load 2.6s train 0.4s)", "D1"),
        ("epoch {i}/60 loss {loss:.3f} (load 0.1s train 2.9s)", "G1"),
    ],
)
def test_a_run_with_cards_that_says_how_long_it_waits_for_data(line: str, mode: str):
    assert _mode(_steps(line), 1.0) == mode


TABLE = ("phase        seconds", "forward         {0:.2f}", "backward        8.20", "checkpoint     {1:.2f}", "other           0.90")


@pytest.mark.parametrize(
    ("last", "mode"),
    [
        ([line.format(6.1, 24.9) for line in TABLE], "D2"),
        ([line.format(26.1, 0.9) for line in TABLE], "G1"),
        (["durée totale 40,2 s dont calcul 12,1 s et sauvegarde 27,4 s"], "D2"),
        (["Gesamtzeit 40,2 s, davon Rechnen 38,1 s, Sichern 0,4 s"], "G1"),
    ],
)
def test_it_sums_up_in_a_table_or_with_commas(last: list[str], mode: str):
    assert _mode([*_steps("epoch {i} loss {loss:.4f}"), *last]) == mode


@pytest.mark.parametrize(("took", "mode"), [(2.4, "D2"), (0.04, "G1")])
def test_a_column_of_what_each_save_took(took: float, mode: str):
    """By a name with the unit before it; and within a line that tells the time of a step as well, which is no count."""
    rows = [f"{i},{3 / i:.4f},0.50,{took + 0.01 * (i % 3):.2f}" for i in range(1, 41)]
    assert _mode(["epoch,loss,t_train,t_save", *rows], every=took + 0.5) == mode
    told = [f"[{i:04d}] loss={3 / i:.4f} step=0.31s ckpt={took:.2f}s" for i in range(1, 61)]
    assert _mode(told, every=took + 0.31) == mode


@pytest.mark.parametrize("line", ["step 3 loss 1.2 gpu 97% loader queue 31/32", "step 3 loss 1.2 cpu: 12% train, gpu 80% data ok"])
def test_a_share_belongs_to_the_name_before_it(line: str):
    assert share_of(line, "load") is None


@pytest.mark.parametrize(("data", "mode"), [("0.360 (0.361)", "D1"), ("0.060 (0.061)", "G1")])
def test_of_steps_that_are_told_now_and_then_the_others_are_alike(data: str, mode: str):
    """Every third step of four passes is told: those between took as long, and what was waited in all is worth a word."""
    lines = [f"Epoch: [{e}][{s}/12]\tTime 0.363 (0.364)\tData {data}\tLoss {0.7 / (1 + 12 * e + s):.4f}" for e in range(4) for s in range(0, 12, 3)]
    assert _mode(lines, 3 * 0.363) == mode


def test_a_share_that_says_of_what_it_is_counts_alone():
    """``share_of_checkpoint=89%``; a rate by its name is no time."""
    lines = [f"n={i:02d}/60 loss={3.8 / i:.5f} step=0.039s checkpoint(full+mirror)=0.335s share_of_checkpoint=89%" for i in range(1, 61)]
    assert _mode(lines, 0.38) == "D2"
    fine = [f"n={i:02d}/60 loss={3.8 / i:.5f} step=0.339s checkpoint(full+mirror)=0.005s share_of_checkpoint=1%" for i in range(1, 61)]
    assert _mode(fine, 0.35) == "G1"


def test_a_checkpoint_that_is_judged_is_not_written():
    lines = [f'{{"ckpt": "model.ckpt-{2000 * i}", "ppl": {29 - 0.6 * i:.3f}, "bleu": {22 + 0.4 * i:.2f}, "sec": 51}}' for i in range(1, 11)]
    assert _mode(lines, 53) == "G1"


def test_a_call_that_gives_the_next_batch_is_waited_for():
    """``of which next(batch) 4.5s``."""
    lines = [f"epoch 0 batch {20 * i} | train_loss {8.4 - 0.1 * i:.3f} | step 5.92s of which next(batch) 4.5s" for i in range(1, 33)]
    assert _mode(lines, 118) == "D1"


def test_espnets_time_for_the_next_batch():
    """Its ``iter_time``, beside its own ``train_time``: a step's mean of as many as the line names."""
    head = "[gpu07:0/1] 2025-03-25 06:54:45,381 (trainer:762) INFO: "
    told = "forward_time=0.108, loss_ctc={loss:.3f}, backward_time=0.126, optim_step_time=0.029, train_time=1.419"
    lines = [f"{head}1epoch:train:{20 * i + 1}-{20 * i + 20}batch: iter_time=1.157, " + told.format(loss=315 - 6 * i) for i in range(20)]
    assert _mode(lines, 28.4) == "D1"
    assert _mode([line.replace("iter_time=1.157", "iter_time=0.021") for line in lines], 5.7) == "G1"
