"""Training jobs under srun, one after another as a group's week has them."""

from collections.abc import Iterator

from corpus.make import _copse_ends, _copse_good, _copse_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _copse_good.jobs()
    yield from _copse_ends.jobs()
    yield from _copse_slow.jobs()


RECIPE = Recipe("copse_ladles", "development", jobs)
