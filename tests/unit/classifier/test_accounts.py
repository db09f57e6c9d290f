"""A run's own account of its time, by how its lines are built."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

STEPS = 40


def _mode(lines: list[str], every: float = 1.5, before: tuple[str, ...] = (), behind: tuple[str, ...] = ()) -> str:
    """The verdict of a run of one rank that tells ``lines`` at each of its steps, ``every`` so many seconds."""
    told, times = list(before), [1.0] * len(before)
    for i in range(1, STEPS + 1):
        for line in lines:
            told.append(line.format(i=i, loss=f"{3.0 / (1 + i / 9):.4f}", so_far=f"{1.2 * i:.1f}", all=f"{1.5 * i:.1f}"))
            times.append(1 + every * i)
    told += behind
    times += [1 + every * STEPS + 0.1] * len(behind)
    end = 2 + every * STEPS
    run = Run(command=("python", "train.py")).rank(0, "n1", "".join(f"{line}\n" for line in told), code=0, end=end, times=times, local=0)
    return run.accounting("COMPLETED", code=0, end=end + 1).verdict().mode


@pytest.mark.parametrize(
    "lines",
    [
        ["step {i}/40 perte={loss} t_lecture=1.200s t_calcul=0.300s"],
        ['{{"event":"step","step":{i},"loss":{loss},"io_wait_ms":1210,"compute_ms":290}}'],
        ["passo {i}/40 — perda {loss} — leitura dos dados 1.20 s, treino 0.30 s"],
        ["Epoch: [1][{i}/40]\tTime 1.500 (1.510)\tData 1.200 (1.210)\tLoss {loss}"],
        ["Epoch: [0]  [{i}/40]  eta: 0:01:00  lr: 0.0001  loss: {loss} (2.1)  time: 1.510  data: 1.230  max mem: 36811"],
        ["iter {i} loss {loss}; so far {all} s, of which the card was starved {so_far} s"],
        ["step {i} loss {loss} read=1.20 gpu=0.30"],
        ["Epoch {i}: train_loss={loss}", "  - reading batches: 1.2 s", "  - gradient steps: 0.3 s"],
        ["mesh {i} fetched from the object store in 1.40 s", "step {i} loss {loss}"],
        ['{{"step": {i}, "loss": {loss}, "ms_fetch": 1210, "ms_compute": 290}}'],
        ["step {i} loss {loss}", "          1 step in 1.50 s: tokenised queue empty 1.21 s, model 0.29 s"],
        ["tur {i}: sayaç verisini bekleme 1.210 sn, ağaç kurma 0.29 sn", "tur {i}/40 ortalama kare hata {loss}"],
        ["step {i} loss {loss}", " 12%|█▎   | {i}/40 [00:04<00:30,  2.29it/s]INFO step {i}: {so_far} s waited for the collator (0 workers) of {all} s since start"],
    ],
)
def test_a_run_that_tells_of_its_loading_waited_for_its_data(lines: list[str]) -> None:
    """Whichever way its lines are built."""
    assert _mode(lines) == "D1"


@pytest.mark.parametrize(
    "lines",
    [
        ["step {i}/40 perte={loss} t_lecture=0.100s t_calcul=1.400s"],
        ["step {i} loss {loss} data 0.9 | 1.5 s"],
        ["Epoch: [0]  [{i}/40]  eta: 0:01:00  lr: 0.0001  loss: {loss} (2.1)  time: 1.510  data: 0.010  max mem: 36811"],
        ["step {i} loss {loss} 1.50 s", "prefetch thread: shard {i} read in 1.45 s (background)"],
        ["step {i} reward 3.1 loss {loss} rollout_time=1.3s learn_time=0.2s"],
        ["step {i} loss {loss} train 0.6s eval 0.9s"],
        ["step {i} loss {loss}", "async checkpoint {i} written by the saver process in 1.4 s, training not blocked"],
        ["step {i} loss {loss} cpu load 80% gpu load 20%"],
    ],
)
def test_small_parts_other_work_and_what_went_on_beside_it_are_no_waits(lines: list[str]) -> None:
    """Nor is a loss of the data one of its times."""
    assert _mode(lines) == "G1"


@pytest.mark.parametrize(
    ("lines", "behind"),
    [
        (["iter {i} | loss {loss}", "Zwischenstand {i} geschrieben, 0.90 s"], ()),
        (["iter {i} | loss {loss} | epoch 1.5s | save 0.9s"], ()),
        (["giro {i}/40, perdita {loss}", "  stato salvato in 0.90 s (giro di 1.50 s)"], ()),
        (["iter {i} | loss {loss}"], ("data     1.2 s", "forward+backward  35.1 s", "checkpoint write  22.2 s")),
    ],
)
def test_a_run_that_tells_of_its_saves_was_held_up_by_them(lines: list[str], behind: tuple[str, ...]) -> None:
    """Line by line, or in a table at its end."""
    assert _mode(lines, behind=behind) == "D2"


def test_what_is_loaded_once_before_is_no_wait() -> None:
    """It stands before all progress."""
    before = ("loading dataset: 41.2 s", "building model: 3.1 s")
    assert _mode(["step {i} loss {loss}"], before=before, behind=("total 105 s: startup 44.3 s, training 60.1 s",)) == "G1"


@pytest.mark.parametrize(("waited", "mode"), [(0.8, "D1"), (0.05, "G1")])
def test_the_time_of_a_pass_so_far_begins_again_with_each(waited: float, mode: str) -> None:
    """Its last line is the whole pass's."""
    lines = []
    for epoch in range(1, 6):
        for i in range(1, 9):
            lines += [f"[{epoch}/5][{i}/8] bce {2 / (epoch + i / 9):.4f}", f"   this epoch so far {2.0 * i:.1f} s, {2.0 * waited * i:.1f} s of them waiting for patches"]
    run = Run(command=("python", "train.py")).rank(0, "n1", "".join(f"{line}\n" for line in lines), code=0, end=83, times=[1 + i for i in range(80)], local=0)
    assert run.accounting("COMPLETED", code=0, end=84).verdict().mode == mode


@pytest.mark.parametrize(("share", "mode"), [(91.2, "D1"), (9.2, "G1")])
def test_lightnings_simple_profiler(share: float, mode: str) -> None:
    """A row of its table tells of all waits for the next batch."""
    row = f"|  [_TrainingEpochLoop].train_dataloader_next{' ' * 90}\t|  0.493          \t|  40             \t|  {0.6 * share:.2f}          \t|  {share:.3f}         \t|"
    assert _mode(["step {i} loss {loss}"], behind=("|  Action  |  Mean duration (s)  |  Num calls  |  Total time (s)  |  Percentage %  |", row)) == mode


def test_a_handful_of_long_passes_may_be_more_than_a_handful_of_steps() -> None:
    """Where their time went is told; what they count are no steps."""
    told, times = [], []
    for i in range(1, 5):
        told += [f"passe {i}/4 : EQM {60 / i:.3f} (4.36 s)\n", "  dont attente des données 4.32 s\n"]
        times += [1 + 4.4 * i] * 2
    run = Run(command=("python", "train.py")).rank(0, "n1", "".join(told), code=0, end=20, times=times, local=0)
    assert run.accounting("COMPLETED", code=0, end=21).verdict().mode == "D1"


@pytest.mark.parametrize(
    ("seconds", "mode"),
    [(("48.1", "80.2", "10.2", "17.0"), "D1"), (("1.1", "1.8", "56.2", "93.7"), "G1")],
)
def test_a_profilers_table_is_read_by_its_percents(seconds: tuple[str, str, str, str], mode: str) -> None:
    """Rows of names, under a head that tells of times."""
    table = (
        "|  Action                         |  Mean duration (s)  |  Num calls  |  Total time (s)  |  Percentage %  |",
        "|  Total                          |  -                  |  1500       |  60.0            |  100 %         |",
        f"|  train_dataloader_next          |  0.8                |  40         |  {seconds[0]}    |  {seconds[1]}  |",
        f"|  run_training_batch             |  0.17               |  40         |  {seconds[2]}    |  {seconds[3]}  |",
    )
    assert _mode(["step {i} loss {loss}"], behind=table) == mode


@pytest.mark.parametrize(("load", "learn", "mode"), [("1.20", "0.30", "D1"), ("0.05", "1.45", "G1")])
def test_columns_that_a_head_names_are_times(load: str, learn: str, mode: str) -> None:
    """With their units beside their names."""
    head = ("| epoch | loss | warten [s] | rechnen [s] |", "|---|---|---|---|")
    assert _mode([f"| {{i}} | {{loss}} | {load} | {learn} |"], before=head) == mode


def test_what_an_evaluation_or_a_rare_line_loads_is_no_wait() -> None:
    """They are no part of the steps."""
    assert _mode(["step {i} loss {loss}"], behind=("test: 19.0 s, of which 17.1 s loading",)) == "G1"
    assert _mode(["step {i} loss {loss} (1.5 s)"], behind=("shard swapped: loading 1.9 s of 2.0 s",)) == "G1"


def test_who_learns_from_what_it_plays_waits_for_it_by_design() -> None:
    """And the whole of which a part was told is no wait of its own."""
    assert _mode(["update {i} return 3.1 policy_loss {loss} env_wait=1.2s learn=0.3s"]) == "G1"
    assert _mode(["[{i}/40] loss {loss} (every step: 0.04 s of 1.5 s waiting for images)"]) == "G1"


def test_a_table_of_names_stands_apart_from_the_lines_before_it() -> None:
    """Though they tell a time each, too; and one that sums up in prose may tell of the writing once."""
    assert _mode(["step {i} loss {loss} t={all}s"], behind=("next_batch 41.1s", "fit 18.0s", "save_model 0.4s")) == "D1"
    assert _mode(["sweep {i} energy {loss}"], behind=("40 sweeps, 60.2 s. Writing the state took 29.0 s of that, the sweeps themselves 31.1 s.",)) == "D2"


def test_a_pass_and_a_clock_are_told_beside_each_other() -> None:
    """What was loaded is of the pass; and of the clock where no pass is told."""
    assert _mode(['{{"wall": {all}, "step": {i}, "loss": {loss}, "sheets_io_s": 1.38, "epoch_s": 1.5}}']) == "D1"
    assert _mode(['{{"wall": {all}, "step": {i}, "loss": {loss}, "sheets_io_s": 0.08, "epoch_s": 1.5}}']) == "G1"
