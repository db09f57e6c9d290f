"""What lines alike have in common."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.line_shape import MOST_LINE, line_shape


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-03-01 10:00:01 tile 7 of 900", "2026-03-01 10:00:09 tile 81 of 900"),
        ("pages 10%|#         | 40/400", "pages 60%|######    | 240/400"),
        ("  wrote part 1,024 (3.5 s)", "wrote part 2 (11 s)  "),
    ],
)
def test_numbers_clock_bar_and_margin_make_no_other_shape(one: str, other: str):
    assert line_shape(one) == line_shape(other)


def test_other_words_make_another_shape():
    assert line_shape("tile 7 fetched") != line_shape("tile 7 skipped")


def test_a_line_without_a_number_has_none():
    assert "#" not in line_shape("waiting for the others")


def test_a_long_line_is_told_by_its_head():
    """Some programs print whole tensors on one line."""
    assert line_shape("x" * MOST_LINE + " one") == line_shape("x" * MOST_LINE + " two")
