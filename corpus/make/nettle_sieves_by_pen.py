"""By hand: large models on many cards, how their hours went."""

from collections.abc import Iterator

from corpus.make import _nettle_a, _nettle_b, _nettle_c, _nettle_d
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_nettle_a.JOBS, *_nettle_b.JOBS, *_nettle_c.JOBS, *_nettle_d.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("nettle_sieves_by_pen", "development", jobs)
"""Pretraining, tuning, serving: 8 to 64 ranks."""
