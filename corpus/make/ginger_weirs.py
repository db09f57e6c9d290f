"""Data parallel jobs under srun and torchrun, plain Python ranks, arrays, single cards."""

from collections.abc import Iterator

from corpus.make import _ginger_weirs_ends, _ginger_weirs_good, _ginger_weirs_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _ginger_weirs_good.jobs()
    yield from _ginger_weirs_ends.jobs()
    yield from _ginger_weirs_slow.jobs()


RECIPE = Recipe("ginger_weirs", "test", jobs)
