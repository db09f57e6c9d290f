"""Jobs of one lab on two nodes: srun with a rank for each card, torchrun on each node."""

from collections.abc import Iterator

from corpus.make import _tinsel_ends, _tinsel_good, _tinsel_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _tinsel_good.jobs()
    yield from _tinsel_ends.jobs()
    yield from _tinsel_slow.jobs()


RECIPE = Recipe("tinsel_ploughs", "development", jobs)
