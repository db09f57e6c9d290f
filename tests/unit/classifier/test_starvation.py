"""A run's word that it was starved, told without the seconds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.classifier.starvation import of_time, starvation


def _share(*lines: str, times: int = 1) -> float:
    """The largest share that a log of steps tells, in which ``lines`` stand ``times`` times."""
    told = [text.replace("#", str(i)) for i in range(20) for text in ("step # loss 0.#", *(lines if times > 1 else ()))]
    return max((one.share for one in starvation("\n".join([*told, *(lines if times == 1 else ())]), 60.0)), default=0.0)


@pytest.mark.parametrize(
    ("line", "share"),
    [
        ("step # loss 0.2# (75% of this window went to the reader)", 0.75),
        ("prefetch buffer was empty on 9 of the last 10 steps (#)", 0.9),
        ("step # samples/s 38 (pipeline 39/s, gpu 152/s)", 0.75),
        ("step # loss 0.2# sps 152.0 input_sps 155.1 compute_sps 640.5", 0.76),
        ("it # GPU waiting 71.2% on host input", 0.71),
        ("# data=0.72 fwd=0.10 bwd=0.17 (0.21 s/it)", 0.73),
    ],
)
def test_lines_alike_tell_it(line: str, share: float) -> None:
    """By percents of the time, counts, fractions and rates."""
    assert _share(line, times=20) == pytest.approx(share, abs=0.015)


@pytest.mark.parametrize(
    "lines",
    [
        ("GPU utilisation over the run: 25 % (gaps: waiting for dataloader workers)",),
        ("done: 400 steps in 80 s. The GPU worked for 20 s; the rest of the time it waited for tiles from the NFS.",),
        ("profile:", "  75.0%  loader.__next__", "  20.0%  model.forward", "  5.0%  optimizer.step"),
        ("timers", "read_parquet   n=400  sum=45.1  mean=0.11", "train_step     n=400  sum=14.2  mean=0.03"),
        ("Time budget:", "  loading  ██████████████ 74%", "  training ████ 26%"),
        ("   45.10  data/reader.py:41(read_record)", "   14.20  torch/autograd/graph.py:823(backward)"),
    ],
)
def test_the_end_of_a_log_sums_it_up(lines: tuple[str, ...]) -> None:
    """In a sentence, or in rows."""
    assert _share(*lines) >= 0.7


@pytest.mark.parametrize(
    "line",
    [
        "step # loader ready 98% of the time",
        "step # cache hit 91% reads 20.3 MB/s",
        "step # gpu util 88% loader queue 90% full",
        "read #% of the corpus, loss 0.3",
        "duty 93% (input stall 6%) #",
        "step # 120 img/s (loader can do 510 img/s)",
        "step # loader 1400 img/s model 310 img/s",
        "queue empty 3 of 200 times (#)",
    ],
)
def test_what_is_full_or_ready_or_elsewhere_starves_nobody(line: str) -> None:
    """A loader that could do more than it is asked for is no bound."""
    assert _share(line, times=20) < 0.2
    assert not of_time("loader ready 98% of the time")


@given(st.text(alphabet="ab 01.9:,;/()s%=|+\nload", max_size=400))
def test_any_text_is_read(text: str) -> None:
    """Shares are shares."""
    assert all(0.0 <= one.share <= 1.0 for one in starvation(text, 10.0))
