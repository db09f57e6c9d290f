"""By hand: jobs of a lab's people and of groups that train large models."""

from collections.abc import Iterator

from corpus.make import _brine_steps_by_pen_a, _brine_steps_by_pen_b, _brine_steps_by_pen_c, _brine_steps_by_pen_d
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_brine_steps_by_pen_a.JOBS, *_brine_steps_by_pen_b.JOBS, *_brine_steps_by_pen_d.JOBS, *_brine_steps_by_pen_c.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("brine_steps_by_pen", "development", jobs)
