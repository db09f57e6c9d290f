"""Light jobs of several ranks on one to four nodes, half of them with cards."""

from collections.abc import Iterator

from corpus.make import _fife_lockers_ends, _fife_lockers_good, _fife_lockers_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _fife_lockers_good.jobs()
    yield from _fife_lockers_ends.jobs()
    yield from _fife_lockers_slow.jobs()


RECIPE = Recipe("fife_lockers", "development", jobs)
