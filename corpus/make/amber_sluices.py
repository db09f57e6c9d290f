"""Training, solvers and data jobs over one and two nodes, with and without cards."""

from collections.abc import Iterator

from corpus.make import _amber_sluices_ends, _amber_sluices_good, _amber_sluices_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """Good ones first."""
    yield from _amber_sluices_good.jobs()
    yield from _amber_sluices_ends.jobs()
    yield from _amber_sluices_slow.jobs()


RECIPE = Recipe("amber_sluices", "development", jobs)
