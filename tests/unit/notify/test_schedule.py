"""Delays grow, jitter, and end at an hour."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notify.schedule import delay_s


def test_delays_double_from_ten_seconds_to_an_hour():
    assert [delay_s(n, 0.0) for n in range(1, 12)] == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]


def test_two_days_take_few_attempts():
    """So that a relay that is away over a weekend does not ban us when it is back."""
    waited, attempts = 0.0, 0
    while waited < 48 * 3600:
        attempts += 1
        waited += delay_s(attempts, 0.0)
    assert attempts < 60


@given(st.integers(min_value=-5, max_value=10_000))
def test_jitter_stays_within_a_fifth(attempts):
    plain = delay_s(attempts, 0.0)
    assert 0.8 * plain <= delay_s(attempts) <= 1.2 * plain
