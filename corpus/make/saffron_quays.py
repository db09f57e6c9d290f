"""A mixed department on Slurm: segmentation, docking, folding, MD, sweeps, sessions, with and without cards."""

from collections.abc import Iterator

from corpus.make import _saffron_quays_ends, _saffron_quays_good, _saffron_quays_slow, _saffron_quays_stops
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _saffron_quays_good.jobs()
    yield from _saffron_quays_ends.jobs()
    yield from _saffron_quays_slow.jobs()
    yield from _saffron_quays_stops.jobs()


RECIPE = Recipe("saffron_quays", "development", jobs)
