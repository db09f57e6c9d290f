"""Another group's queue: science, recommenders, control, and what runs beside them."""

from collections.abc import Iterator

from corpus.make import _cumin_evenings, _cumin_mornings
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them."""
    yield from _cumin_mornings.jobs()
    yield from _cumin_evenings.jobs()


RECIPE = Recipe("cumin_lattice", "development", jobs)
