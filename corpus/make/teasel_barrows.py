"""Language models, sampling, dynamics and searches on the queue, alone and over nodes."""

from collections.abc import Iterator

from corpus.make import _teasel_barrows_ends, _teasel_barrows_good, _teasel_barrows_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """Good ones first."""
    yield from _teasel_barrows_good.jobs()
    yield from _teasel_barrows_ends.jobs()
    yield from _teasel_barrows_slow.jobs()


RECIPE = Recipe("teasel_barrows", "development", jobs)
