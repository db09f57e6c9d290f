"""By hand: cards of labs and courses."""

from collections.abc import Iterator

from corpus.make import _cobble_a, _cobble_a2, _cobble_b, _cobble_b2
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_cobble_a.JOBS, *_cobble_a2.JOBS, *_cobble_b.JOBS, *_cobble_b2.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("cobble_wicks_by_pen", "development", jobs)
