"""Jobs with cards, reinforcement loops, accelerate and scikit-learn on Slurm."""

from collections.abc import Iterator

from corpus.make import _bench_more, _pewter_ends, _pewter_good, _pewter_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _pewter_good.jobs()
    yield from _pewter_ends.jobs()
    yield from _pewter_slow.jobs()
    yield from _bench_more.pewter()


RECIPE = Recipe("pewter_windlass", "development", jobs)
