"""By hand: what became of runs on many cards."""

from collections.abc import Iterator

from corpus.make import _gates_a, _gates_b, _gates_c
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_gates_a.JOBS, *_gates_b.JOBS, *_gates_c.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("meadow_gates_by_pen", "development", jobs)
