"""By hand: how runs on a cluster's cards came to an end by their own error, the cards' or the host's."""

from collections.abc import Iterator

from corpus.make import _fennel_a, _fennel_b
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_fennel_a.JOBS, *_fennel_b.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("fennel_baskets_by_pen", "development", jobs)
