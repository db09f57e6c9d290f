"""More light jobs of several ranks: speech, games, chemistry, recommenders; half of them with cards."""

from collections.abc import Iterator

from corpus.make import _sedge_trunks_ends, _sedge_trunks_good, _sedge_trunks_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _sedge_trunks_good.jobs()
    yield from _sedge_trunks_ends.jobs()
    yield from _sedge_trunks_slow.jobs()


RECIPE = Recipe("sedge_trunks", "development", jobs)
