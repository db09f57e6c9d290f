"""PyTorch under torchrun, the Trainer and Lightning, arrays and single tasks on Slurm."""

from collections.abc import Iterator

from corpus.make import _bench_more, _nutmeg_ends, _nutmeg_good, _nutmeg_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _nutmeg_good.jobs()
    yield from _nutmeg_ends.jobs()
    yield from _nutmeg_slow.jobs()
    yield from _bench_more.nutmeg()


RECIPE = Recipe("nutmeg_parapet", "development", jobs)
