"""By hand: cards of a university."""

from collections.abc import Iterator

from corpus.make import _fuller_a, _fuller_a2, _fuller_b
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_fuller_a.JOBS, *_fuller_a2.JOBS, *_fuller_b.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("fuller_sedges_by_pen", "development", jobs)
