"""By hand: what people of one lab ran on a few cards."""

from collections.abc import Iterator

from corpus.make import _lichen_a, _lichen_a2, _lichen_b, _lichen_b2, _lichen_c
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for writer in (*_lichen_a.JOBS, *_lichen_a2.JOBS, *_lichen_b.JOBS, *_lichen_b2.JOBS, *_lichen_c.JOBS):
        yield HandJob(*writer())


RECIPE = Recipe("lichen_spools_by_pen", "development", jobs)
