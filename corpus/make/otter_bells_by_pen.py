"""By hand: jobs of many cards, and what became of them."""

from collections.abc import Iterator

from corpus.make import _otter_bells_by_pen_a, _otter_bells_by_pen_b, _otter_bells_by_pen_c, _otter_bells_by_pen_d
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for page in (_otter_bells_by_pen_a, _otter_bells_by_pen_b, _otter_bells_by_pen_c, _otter_bells_by_pen_d):
        for teller in page.JOBS:
            yield HandJob(*teller())


RECIPE = Recipe("otter_bells_by_pen", "development", jobs)
