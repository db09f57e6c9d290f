"""Runs that end well after a handful of steps."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

STYLES = ("plain", "logging", "epochs", "json", "dict", "nano", "lists", "wandbish", "rank_logging")


def jobs() -> Iterator[LocalJob]:
    """One to four steps, told and done."""
    for number in range(18):
        steps = 1 + number % 4
        script = Program(("line", "np_mlp", "logistic", "mlp")[number % 4], STYLES[number % 9], total=steps, every=1, save_every=steps, seed=number).text()
        yield LocalJob(Label(mode="E3", fault="user"), {"train.py": script}, ("PYTHON", "train.py"), "torch", ends=lambda s: s == 0)


RECIPE = Recipe("handful", "development", jobs)
