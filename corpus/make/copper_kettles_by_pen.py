"""By hand: companies of ranks on a cluster's cards."""

from collections.abc import Iterator

from corpus.make import _kettles_a, _kettles_b, _kettles_c
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_kettles_a.JOBS, *_kettles_b.JOBS, *_kettles_c.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("copper_kettles_by_pen", "development", jobs)
