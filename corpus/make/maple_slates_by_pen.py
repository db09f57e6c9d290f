"""By hand: large jobs of several frameworks, good and bad."""

from collections.abc import Iterator

from corpus.make import _maple_slates_by_pen_a, _maple_slates_by_pen_b, _maple_slates_by_pen_c, _maple_slates_by_pen_d
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for slate in (_maple_slates_by_pen_a, _maple_slates_by_pen_b, _maple_slates_by_pen_c, _maple_slates_by_pen_d):
        for teller in slate.JOBS:
            yield HandJob(*teller())


RECIPE = Recipe("maple_slates_by_pen", "development", jobs)
