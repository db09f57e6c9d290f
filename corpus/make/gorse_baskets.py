"""Science, speech, recommendation, agents and serving on the bed's nodes, a third with told cards."""

from collections.abc import Iterator

from corpus.make import _gorse_a, _gorse_b, _gorse_c, _gorse_d
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them."""
    yield from _gorse_a.jobs()
    yield from _gorse_b.jobs()
    yield from _gorse_c.jobs()
    yield from _gorse_d.jobs()


RECIPE = Recipe("gorse_baskets", "development", jobs)
