"""Runs that learn and end as planned, in every way of telling it."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program
from corpus.running.spread import environment_of

MODELS = ("line", "np_mlp", "mlp", "logistic", "np_factors", "cnn", "line", "lm", "gru")
STYLES = ("plain", "logging", "json", "epochs", "dict", "nano", "table", "rank_logging", "lists", "bar", "wandbish", "tqdm", "loguru", "silent")


def jobs() -> Iterator[LocalJob]:
    """Models and styles in turn; some save now and then."""
    for number in range(44):
        model, style = MODELS[number % 9], STYLES[number % 14]
        old = number % 4 == 3
        script = Program(model, style, total=(120, 200, 320)[number % 3], every=(5, 10, 20)[number % 3], save_every=(0, 60, 100)[number % 3], seed=number,
                         pause_s=0.005 if number % 2 else 0).text()
        python = environment_of(model, style, number, old=old)
        label = Label(mode="G1", fault="none")
        yield LocalJob(label, {"train.py": script}, ("PYTHON", "train.py"), python, ends=lambda s: s == 0)


RECIPE = Recipe("good_runs", "development", jobs)
