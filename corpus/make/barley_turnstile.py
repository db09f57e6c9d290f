"""Plain PyTorch under srun: data parallel jobs, sweeps, a few with cards."""

from collections.abc import Iterator

from corpus.make import _barley_ends, _barley_good, _barley_slow, _bench_more
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _barley_good.jobs()
    yield from _barley_ends.jobs()
    yield from _barley_slow.jobs()
    yield from _bench_more.barley()


RECIPE = Recipe("barley_turnstile", "development", jobs)
