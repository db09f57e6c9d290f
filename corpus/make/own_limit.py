"""Commands under a time limit of their own (gpualert-run --timeout), ended while they advance."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

STYLES = ("plain", "logging", "epochs", "json", "dict", "nano", "lists", "wandbish", "rank_logging", "bar")


def jobs() -> Iterator[LocalJob]:
    """Steps come steadily until the end."""
    for number in range(10):
        script = Program(("line", "logistic")[number % 2], STYLES[number], total=5000, every=5, pause_s=(0.02, 0.05)[number % 2], save_every=(0, 60)[number % 2], seed=number).text()
        yield LocalJob(Label(mode="F3", variant="advancing", fault="user"), {"train.py": script}, ("PYTHON", "train.py"), "system", timeout_s=(6, 9, 12)[number % 3],
                       ends=lambda s: s == 124)


RECIPE = Recipe("own_limit", "development", jobs)
