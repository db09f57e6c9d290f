"""More jobs of several tasks under srun, on one to four nodes."""

from collections.abc import Iterator

from corpus.make import _lupin_ends, _lupin_good, _lupin_late, _lupin_slow, _mallow_more
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _lupin_good.jobs()
    yield from _lupin_ends.jobs()
    yield from _lupin_slow.jobs()
    yield from _lupin_late.jobs()
    yield from _mallow_more.lupin()


RECIPE = Recipe("lupin_pulleys", "development", jobs)
