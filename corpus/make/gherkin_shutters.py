"""Batch scripts of many users, one node and one card each."""

from collections.abc import Iterator

from corpus.make import _gherkin_ends, _gherkin_good, _gherkin_slow
from corpus.running.job import Recipe, SlurmJob


def jobs() -> Iterator[SlurmJob]:
    """All of them, good ones first."""
    yield from _gherkin_good.jobs()
    yield from _gherkin_ends.jobs()
    yield from _gherkin_slow.jobs()


RECIPE = Recipe("gherkin_shutters", "development", jobs)
