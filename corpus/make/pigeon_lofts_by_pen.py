"""By hand: jobs of a university's labs, on one card or a few."""

from collections.abc import Iterator

from corpus.make import _pigeon_a, _pigeon_b
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_pigeon_a.JOBS, *_pigeon_b.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("pigeon_lofts_by_pen", "development", jobs)
