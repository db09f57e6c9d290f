"""By hand: what a month's jobs on many cards, and a few on one, came to."""

from collections.abc import Iterator

from corpus.make import _parsley_hulls_by_pen_a, _parsley_hulls_by_pen_b, _parsley_hulls_by_pen_c, _parsley_hulls_by_pen_d
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_parsley_hulls_by_pen_a.JOBS, *_parsley_hulls_by_pen_b.JOBS, *_parsley_hulls_by_pen_d.JOBS, *_parsley_hulls_by_pen_c.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("parsley_hulls_by_pen", "development", jobs)
