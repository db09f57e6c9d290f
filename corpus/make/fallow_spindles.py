"""A second week of batch jobs: launchers, cards, several steps, sweeps."""

from collections.abc import Iterator

from corpus.make import _fallow_ends, _fallow_good, _fallow_more, _fallow_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _fallow_good.jobs()
    yield from _fallow_ends.jobs()
    yield from _fallow_slow.jobs()
    yield from _fallow_more.jobs()


RECIPE = Recipe("fallow_spindles", "development", jobs)
