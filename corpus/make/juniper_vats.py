"""A second department on Slurm: physics, genomes, graphs, speech, tuners, on several nodes and on one."""

from collections.abc import Iterator

from corpus.make import _juniper_vats_ends, _juniper_vats_good, _juniper_vats_slow, _juniper_vats_stops
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _juniper_vats_good.jobs()
    yield from _juniper_vats_ends.jobs()
    yield from _juniper_vats_slow.jobs()
    yield from _juniper_vats_stops.jobs()


RECIPE = Recipe("juniper_vats", "development", jobs)
