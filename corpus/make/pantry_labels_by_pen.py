"""By hand: jobs of the science departments, in the order of their submission."""

from collections.abc import Iterator

from corpus.make import _labels_a, _labels_b
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_labels_a.JOBS, *_labels_b.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("pantry_labels_by_pen", "development", jobs)
