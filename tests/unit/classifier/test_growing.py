"""Progress by counting alone: no word names the counter, a number grows and another changes; bars of any library fill."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.growing import Growing
from gpualert_slurm.classifier.lines import Line
from tests.unit.classifier.records import Run, trace

LOOPS = {
    "a share and a value": [f"done {i * 4.5:5.1f}%  J={2.5 / i:.5f}" for i in range(1, 12)],
    "Kaldi's objective": [f"LOG (train:Print():nn.cc:9) objective for 'output' for {i * 100}-{i * 100 + 99} is -{2 / i:.6f} over 25600" for i in range(1, 12)],
    "tokens seen": [f"tokens={i / 2:.1f}M nats/tok={3 / i:.3f} at {i * 8}" for i in range(1, 12)],
    "a file each": [f"wrote out/w_{i:05d}.npy ({2.5 / i:.3f})" for i in range(1, 12)],
    "progressbar2": [f"{i * 8:3d}% ({i} of 12) |{'#' * i:<12}| Elapsed Time: 0:00:{i:02d} ETA:   0:00:{12 - i:02d}" for i in range(1, 12)],
    "click": [f"Training  [{'#' * i}{'-' * (12 - i)}]  {i * 8}%  00:00:{12 - i:02d}" for i in range(1, 12)],
    "rich": [f"Training... {'━' * i:<12} {i * 8:3d}% 0:00:{12 - i:02d}" for i in range(1, 12)],
    "two networks": [f"[0/25][{i * 50}/500]\tLoss_D: {2 / i:.4f}\tLoss_G: {3 / i:.4f}" for i in range(1, 12)],
}
LOOPS["a share of errors that rises and falls"] = [f"perceptron   {i}/9000  misses  {60 - 4 * i + 9 * (i % 2)} z 300  ({(60 - 4 * i + 9 * (i % 2)) / 3:.1f}%)" for i in range(1, 12)]
NO_LOOPS = {
    "a share that only says how far it is": [f"kopia {i}/12 ({i * 8.3:.1f}%)" for i in range(1, 12)],
    "loading": [f"loading shard {i}/12 ({i / 10:.2f} s)" for i in range(1, 12)],
    "downloads": [f"downloading model.bin {i * 8}% |{'#' * i:<12}| {i * 10.0:.1f}/120.0 MB" for i in range(1, 12)],
    "layers": [f"layer {i}: std {0.02 + i / 1000:.4f}" for i in range(1, 12)],
    "a machine": [f"cpu {3.1 * i:.1f} mem {1.2 / i:.2f} at {i}" for i in range(1, 12)],
    "a clock": [f"10:00:{i:02d} phase one, ratio {0.1 / i:.3f}" for i in range(1, 12)],
    "processes": [f"boot {0.1 * i:.3f} pid {2000 + i}" for i in range(1, 12)],
    "sizes": [f"{i * 10}MB at {0.5 / i:.2f}" for i in range(1, 12)],
}


def crash(lines: list[str], *, apart: bool = True) -> str:
    text = "\n".join(lines) + "\n"
    times = [float(i) for i in range(1, len(lines) + 2)] if apart else [5.0]
    return Run().rank(0, "n1", text + trace("KeyError: 'fold'"), code=1, end=40, times=times).accounting(end=41).verdict().mode


@pytest.mark.parametrize("name", sorted(LOOPS))
def test_a_loop_counts_in_words_of_its_own(name):
    assert crash(LOOPS[name]) == "A3"


@pytest.mark.parametrize("name", sorted(NO_LOOPS))
def test_what_counts_before_training_is_no_progress(name):
    assert crash(NO_LOOPS[name]) == "A1"


def test_rows_that_came_at_once_are_a_list():
    """A loop's lines arrive one by one."""
    assert crash(LOOPS["a share and a value"], apart=False) == "A1"


def _line(i: int, text: str) -> Line:
    return Line(text, text.encode(), i * 100, i)


@pytest.mark.parametrize(("row", "losses"), [("{i} of it, loss {v:.3f} z", 6), ("{i} of it, val loss {v:.3f} z", 0), ("{i} of it, J {v:.3f} z", 0)])
def test_a_growing_row_tells_its_loss_by_name(row: str, losses: int) -> None:
    """One of held-out data is none of training's."""
    rows = Growing()
    for i in range(1, 7):
        rows.take(_line(i, row.format(i=i, v=2 / i)))
    found = [data for _, data in rows.rows(lambda offset: (offset, offset))]
    assert len(found) == 6
    assert [data["loss"] for data in found if "loss" in data] == [round(2 / i, 3) for i in range(1, 7)][:losses]


@pytest.mark.parametrize(("name", "rows"), [("gpu {t:.2f}s", 6), ("gpu {t:.0f}", 0), ("gpu {t:.1f} GiB", 0)])
def test_a_card_s_time_is_no_word_of_the_machine(name: str, rows: int) -> None:
    """What a step took on the card stands beside a loop's count; what the card has in use is no loop."""
    growing = Growing()
    for i in range(1, 7):
        growing.take(_line(i, f"{i} J {2 / i:.3f} " + name.format(t=1.1 + i)))
    assert len(list(growing.rows(lambda offset: (offset, offset)))) == rows
