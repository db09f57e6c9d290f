"""How fast mail may go to one domain."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notify.pace import MINUTE_NS, Pace

S = 1_000_000_000


def test_without_a_limit_all_goes_at_once():
    pace = Pace(4, 0)
    assert {pace.reserve(["a@x.org"], 7) for _ in range(1000)} == {7}


def test_a_minute_worth_goes_at_once_and_the_rest_evenly_after_it():
    pace = Pace(4, 6)
    at = [pace.reserve([f"u{i}@x.org"], 0) for i in range(9)]
    assert at[:6] == [0] * 6
    assert at[6:] == [10 * S, 20 * S, 30 * S]


def test_domains_do_not_wait_for_each_other():
    pace = Pace(4, 1)
    assert pace.reserve(["a@x.org"], 0) == 0
    assert pace.reserve(["a@y.org"], 0) == 0
    assert pace.reserve(["a@X.ORG"], 0) == MINUTE_NS


@given(st.integers(1, 60), st.lists(st.integers(0, 3 * MINUTE_NS), min_size=1, max_size=80))
def test_in_no_minute_go_more_than_twice_what_is_allowed(per_minute, arrivals):
    """A burst that was saved up, and what is allowed meanwhile."""
    pace = Pace(4, per_minute)
    at = sorted(pace.reserve(["a@x.org"], now) for now in sorted(arrivals))
    for start in at:
        assert sum(start <= t < start + MINUTE_NS for t in at) <= 2 * per_minute
