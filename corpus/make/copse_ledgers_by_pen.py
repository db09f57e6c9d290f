"""By hand: jobs of many houses on a shared cluster."""

from collections.abc import Iterator

from corpus.make import _ledgers_a, _ledgers_b
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_ledgers_a.JOBS, *_ledgers_b.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("copse_ledgers_by_pen", "development", jobs)
