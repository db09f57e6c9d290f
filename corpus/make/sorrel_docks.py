"""What one department runs in a week: single cards, sweeps, evaluation, scientific codes, a few ranks on two nodes."""

from collections.abc import Iterator

from corpus.make import _sorrel_docks_ends, _sorrel_docks_good, _sorrel_docks_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _sorrel_docks_good.jobs()
    yield from _sorrel_docks_ends.jobs()
    yield from _sorrel_docks_slow.jobs()


RECIPE = Recipe("sorrel_docks", "test", jobs)
