"""Jobs that reach Slurm's time limit while they advance."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

STYLES = ("plain", "logging", "json", "epochs", "dict", "nano", "lists", "wandbish", "rank_logging", "bar")


def jobs() -> Iterator[SlurmJob]:
    """One to three ranks."""
    for number in range(10):
        program = Program(("line", "logistic")[number % 2], STYLES[number], total=9000, every=5, pause_s=(0.1, 0.2)[number % 2], save_every=(0, 100)[number % 2], seed=number)
        yield batch(Label(mode="F3", variant="advancing", fault="user"), program, ranks=1 + number % 3, options=("--time=1",), state="TIMEOUT")


RECIPE = Recipe("time_over", "development", jobs)
