"""By hand: long runs on a cluster's cards that went well, smoothly or not."""

from collections.abc import Iterator

from corpus.make import _heather_a, _heather_b
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_heather_a.JOBS, *_heather_b.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("heather_slopes_by_pen", "development", jobs)
