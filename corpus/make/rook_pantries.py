"""Jobs of several ranks and nodes under srun, a third with cards."""

from collections.abc import Iterator

from corpus.make import _rook_pantries_ends, _rook_pantries_good, _rook_pantries_more, _rook_pantries_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _rook_pantries_good.jobs()
    yield from _rook_pantries_ends.jobs()
    yield from _rook_pantries_slow.jobs()
    yield from _rook_pantries_more.jobs()


RECIPE = Recipe("rook_pantries", "development", jobs)
