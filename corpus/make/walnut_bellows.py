"""Speech, vision, language and science groups on Slurm: staged batch scripts, first lot."""

from collections.abc import Iterator

from corpus.make import _walnut_ill, _walnut_well
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """Good ones first."""
    yield from _walnut_well.jobs()
    yield from _walnut_ill.jobs()


RECIPE = Recipe("walnut_bellows", "development", jobs)
