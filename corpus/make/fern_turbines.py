"""What another department runs: speech, graphs, solvers, worker pools, harnesses, with and without cards."""

from collections.abc import Iterator

from corpus.make import _fern_turbines_ends, _fern_turbines_good, _fern_turbines_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _fern_turbines_good.jobs()
    yield from _fern_turbines_ends.jobs()
    yield from _fern_turbines_slow.jobs()


RECIPE = Recipe("fern_turbines", "test", jobs)
