"""By hand: jobs as their owners found them in the morning."""

from collections.abc import Iterator

from corpus.make import _walnut_sheaves_by_pen_ends as ends
from corpus.make import _walnut_sheaves_by_pen_fair as fair
from corpus.make import _walnut_sheaves_by_pen_ways as ways
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for write in (*ends.JOBS, *ways.JOBS, *fair.JOBS):
        label, hand = write()
        yield HandJob(label, hand)


RECIPE = Recipe("walnut_sheaves_by_pen", "test", jobs)
