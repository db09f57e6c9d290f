"""By hand: large jobs and their ranks."""

from collections.abc import Iterator

from corpus.make import _barns_a, _barns_b, _barns_c, _barns_d
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_barns_a.JOBS, *_barns_b.JOBS, *_barns_c.JOBS, *_barns_d.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("winter_barns_by_pen", "development", jobs)
