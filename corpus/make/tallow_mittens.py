"""Staged batch jobs of vision, speech, language and science groups on Slurm: load, train, evaluate, export."""

from collections.abc import Iterator

from corpus.make import _tallow_ends, _tallow_good, _tallow_late, _tallow_queue, _tallow_rest, _tallow_slow, _tallow_still
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _tallow_good.jobs()
    yield from _tallow_ends.jobs()
    yield from _tallow_still.jobs()
    yield from _tallow_slow.jobs()
    yield from _tallow_queue.jobs()
    yield from _tallow_rest.jobs()
    yield from _tallow_late.jobs()


RECIPE = Recipe("tallow_mittens", "development", jobs)
