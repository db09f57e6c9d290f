"""The times that one line tells, and what each is of."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.line_times import parts_of


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("│        lettura delle immagini  3.02 s, rete  0.29 s               │", [("load", 3.02), ("work", 0.29)]),
        ("level=info batch=5 clip_loss=9.5310 wait_ms=11724 compute_ms=795", [("wait", 11.724), ("work", 0.795)]),
        ("09:00:46   lectura (gzip): 9.4 s de 9.5 s", [("load", 9.4), ("whole", 9.5)]),
        ("time of epochs 1-3: 18.8 s, of it waiting for tiles (bz2, no workers) 13.1 s", [("whole", 18.8), ("load", 13.1)]),
        ("Epoche 3 fertig nach 12,4 s, davon 9,1 s Warten auf Daten", [("whole", 12.4), ("load", 9.1)]),
        ("31.2 s training, 140.9 s checkpointing", [("work", 31.2), ("save", 140.9)]),
        ("step 5 loss 5.9615 step_s 13.44 (gradient exchange 12.54)", [("whole", 13.44), ("talk", 12.54)]),
        ("timers (s per step): forward-backward 1.31, grad all-reduce 12.70, optimizer 0.15", [("work", 1.31), ("talk", 12.7), ("work", 0.15)]),
        ("data_s=0.0001523 compute_s=0.0894 chars_per_s=2045", [("load", 0.0001523), ("work", 0.0894)]),
        ("第 3/20 轮 损失 1.2000 数据加载 8.10 秒 训练 2.00 秒", [("load", 8.1), ("work", 2.0)]),
        ("mesh 15 fetched from the object store in 3.10 s", [("load", 3.1)]),
        ("# each.pkl 7a0e68d5 13.7 ms at 1", [("save", 0.0137)]),
        ("page 4 MAE 9.69 min   waited for input 3.2 s, trained 0.1 s", [("load", 3.2), ("work", 0.1)]),
        ("tile 3 loss 0.2 | get 0.93s fit 0.009s", [("load", 0.93), ("work", 0.009)]),
        ("epoch 3 of 80  loss 0.8113  1793 s  saved", [("", 1793.0)]),
        ("1epoch:train:1-2batch: iter_time=1.351, forward_time=0.005", [("load", 1.351), ("work", 0.005)]),
    ],
)
def test_a_time_is_of_what_the_words_beside_it_say(line: str, told: list[tuple[str, float]]) -> None:
    """Before it or behind it, in the line's own order; decimal commas and units in names are read."""
    assert [(part.kind, round(part.seconds, 9)) for part in parts_of(line)] == told


@pytest.mark.parametrize(
    "line",
    [
        "epoch 3/8 loss 0.4312 acc 0.91",
        "mIoU: 0.9435 | lr: 2.0e-02",
        "prefetch thread: shard 3 read in 0.45 s (background)",
        "12:00:01 checkpoint 3 of 40",
        "0.41 samples/s, 12 GB free",
    ],
)
def test_what_is_no_time_of_the_runs_own_is_left_out(line: str) -> None:
    """Losses, scores, sizes, clocks and rates are none; what is done behind the run's back is nobody's."""
    assert not [part for part in parts_of(line) if not part.bare and part.kind in {"load", "save", "wait", "talk"}]
    assert not any(part.kind in {"load", "save"} for part in parts_of(line))


def test_a_time_of_each_step_is_known_as_one() -> None:
    """By the words behind it, or by the line's head."""
    assert [part.each for part in parts_of("sampler 5.31 s a step, card 0.52 s a step")] == [True, True]
    assert all(part.each for part in parts_of("averages per step: data 0.500 s, compute 0.100 s"))
