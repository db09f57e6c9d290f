"""By hand: jobs of several groups on a shared cluster's cards."""

from collections.abc import Iterator

from corpus.make import _brindle_a, _brindle_b, _brindle_c, _brindle_d
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for writer in (*_brindle_a.JOBS, *_brindle_b.JOBS, *_brindle_c.JOBS, *_brindle_d.JOBS):
        yield HandJob(*writer())


RECIPE = Recipe("brindle_shelves_by_pen", "development", jobs)
