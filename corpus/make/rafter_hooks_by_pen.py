"""By hand: runs on a cluster's cards that waited, crept, learnt nothing, or were ended from outside."""

from collections.abc import Iterator

from corpus.make import _rafter_a, _rafter_b, _rafter_c
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_rafter_a.JOBS, *_rafter_b.JOBS, *_rafter_c.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("rafter_hooks_by_pen", "development", jobs)
