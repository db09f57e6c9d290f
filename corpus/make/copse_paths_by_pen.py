"""By hand: runs on a cluster's cards whose record has more than one thing in it."""

from collections.abc import Iterator

from corpus.make import _copse_a
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_copse_a.JOBS,):
        yield HandJob(*maker())


RECIPE = Recipe("copse_paths_by_pen", "development", jobs)
