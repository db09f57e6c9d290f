"""Evaluation, fine-tuning, science and vision groups on Slurm: second lot."""

from collections.abc import Iterator

from corpus.make import _cinder_ill, _cinder_more, _cinder_well
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """Good ones first."""
    yield from _cinder_well.jobs()
    yield from _cinder_ill.jobs()
    yield from _cinder_more.jobs()


RECIPE = Recipe("cinder_mandolin", "development", jobs)
