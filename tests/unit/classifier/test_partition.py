"""Parts of the time between lines, by how their numbers stand to each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.classifier.partition import partition
from gpualert_slurm.classifier.time_kinds import LOAD, WAIT

KINDS = frozenset({LOAD, WAIT})
LINES = 20


def _share(line: str, part: float) -> float:
    """The largest share that such lines, two seconds apart, tell: their part wobbles, and what is left is the work's."""
    told, so_far, gone = list[str](), 0.0, 0.0
    for i in range(1, LINES + 1):
        took = 2.0 * part * (1 + 0.02 * (i % 5 - 2))
        so_far, gone = (so_far, gone) if i % 5 != 1 else (0.0, 0.0)
        so_far, gone = so_far + took, gone + 2.0
        told.append(line.format(i=i, w=f"{took:.2f}", k=f"{2.0 - took:.2f}", t="2.00", so=f"{so_far:.2f}", gone=f"{gone:.2f}"))
    return max((one.share for one in partition(["\n".join(told)], 2.0 * LINES, 10.0, KINDS)), default=0.0)


@pytest.mark.parametrize(
    "line",
    [
        "step {i} loss 0.{i}: spectrogram extraction {w} s, U-Net {k} s",
        "step {i} | {t}s since the last print, {w}s of them in next(it)",
        "step {i}: loader {w} + net {k} = {t} s",
        "step {i} time/s: total={t} cpu_prep={w} gpu={k}",
        "batch {i} arrived after {w}s, took {k}s to process",
        "step {i} – {w} of {t} s lost to slow storage",
        "epoch 2 {i}; since its start: augmentations {so}s, network {gone}s in all",
        "In the last {t} seconds the accelerator computed for {k} and waited for input for {w}.",
        "the learner slept {w} s out of {t} s because no minibatch was ready ({i})",
    ],
)
def test_the_part_that_takes_most_of_the_clock_is_found(line: str) -> None:
    """And told by the words nearest to it; where it is small it is told as small."""
    assert _share(line, 0.8) >= 0.6
    assert _share(line, 0.05) < 0.2


@pytest.mark.parametrize(
    "line",
    [
        "step {i} batch {t}s model {w}s",
        "step {i} env {w}s learn {k}s",
        "epoch {i} train {k}s evaluating samples {w}s",
        "step {i} fetch {w} s (hidden behind the work) model {k} s",
        "step {i} text encoder {k}s unet {w}s",
        "step {i} eta {w}s left, batch 32",
    ],
)
def test_work_play_and_what_is_hidden_are_no_waits(line: str) -> None:
    """Nor is the whole."""
    assert _share(line, 0.8) < 0.4


@given(st.text(alphabet="ab 01.9:,;/()s%=|+\n", max_size=400))
def test_any_text_is_read(text: str) -> None:
    """Shares are shares."""
    assert all(0.0 <= one.share <= 1.0 for one in partition([text], 10.0, 1.0, KINDS))
