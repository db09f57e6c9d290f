"""More jobs of several ranks and nodes under srun: language, vision, speech, science; a third with cards."""

from collections.abc import Iterator

from corpus.make import _damson_gears_ends, _damson_gears_good, _damson_gears_more, _damson_gears_slow, _damson_gears_stops
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _damson_gears_good.jobs()
    yield from _damson_gears_ends.jobs()
    yield from _damson_gears_slow.jobs()
    yield from _damson_gears_stops.jobs()
    yield from _damson_gears_more.jobs()


RECIPE = Recipe("damson_gears", "development", jobs)
