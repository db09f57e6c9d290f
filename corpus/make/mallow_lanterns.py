"""Jobs of several tasks on one to four nodes, started by srun."""

from collections.abc import Iterator

from corpus.make import _mallow_ends, _mallow_good, _mallow_late, _mallow_more, _mallow_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _mallow_good.jobs()
    yield from _mallow_ends.jobs()
    yield from _mallow_slow.jobs()
    yield from _mallow_late.jobs()
    yield from _mallow_more.mallow()


RECIPE = Recipe("mallow_lanterns", "development", jobs)
