"""By hand: large jobs of departments, their ranks, cards and nodes."""

from collections.abc import Iterator

from corpus.make import _heron_ledgers_by_pen_good as good
from corpus.make import _heron_ledgers_by_pen_slow as slow
from corpus.make import _heron_ledgers_by_pen_stops as stops
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for write in (*stops.JOBS, *slow.JOBS, *good.JOBS):
        label, hand = write()
        yield HandJob(label, hand)


RECIPE = Recipe("heron_ledgers_by_pen", "test", jobs)
