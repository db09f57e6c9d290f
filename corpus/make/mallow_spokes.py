"""Language, vision and speech jobs of one to eight ranks on the bed's nodes, a third with told cards."""

from collections.abc import Iterator

from corpus.make import _mallow_spokes_a, _mallow_spokes_b, _mallow_spokes_c, _mallow_spokes_d
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them."""
    yield from _mallow_spokes_a.jobs()
    yield from _mallow_spokes_b.jobs()
    yield from _mallow_spokes_c.jobs()
    yield from _mallow_spokes_d.jobs()


RECIPE = Recipe("mallow_spokes", "development", jobs)
