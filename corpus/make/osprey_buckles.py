"""A week of one group's queue: language, vision and speech jobs, most under srun."""

from collections.abc import Iterator

from corpus.make import _osprey_ends, _osprey_fine, _osprey_slow, _osprey_stalls
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them."""
    yield from _osprey_fine.jobs()
    yield from _osprey_ends.jobs()
    yield from _osprey_stalls.jobs()
    yield from _osprey_slow.jobs()


RECIPE = Recipe("osprey_buckles", "development", jobs)
