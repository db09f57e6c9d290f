"""How a mail names who failed first."""

from __future__ import annotations

import pytest

from gpualert_slurm.notify.view_builder import first_failure_words
from gpualert_slurm.verdict import FirstFailure


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (None, ""),
        (FirstFailure(ranks=(3,), nodes=("n07",)), "rank 3 on n07"),
        (FirstFailure(ranks=(2, 3), nodes=("n6",)), "ranks 2-3 on n6"),
        (FirstFailure(ranks=(), nodes=("n6",)), "a rank whose number is not known on n6"),
    ],
)
def test_who_it_was(first: FirstFailure | None, words: str):
    assert first_failure_words(first, None) == words


def test_a_tie_is_one_of_time():
    """Ranks that were lost with their node have no time of their own, and are no tie."""
    tied = first_failure_words(FirstFailure(ranks=(2, 3), nodes=("n6",), time_ns=1_795_192_215_000_000_000, uncertainty_s=0.2), None)
    assert tied.startswith("ranks 2-3, too close to tell apart, on n6, at ")
