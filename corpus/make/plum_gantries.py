"""Jobs of torchrun and of ranks that meet by themselves, arrays, generation, single cards, solvers."""

from collections.abc import Iterator

from corpus.make import _plum_gantries_ends, _plum_gantries_good, _plum_gantries_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _plum_gantries_good.jobs()
    yield from _plum_gantries_ends.jobs()
    yield from _plum_gantries_slow.jobs()


RECIPE = Recipe("plum_gantries", "test", jobs)
