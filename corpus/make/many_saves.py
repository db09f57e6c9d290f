"""Good runs that save at every step, or at every second one."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

STYLES = ("plain", "logging", "epochs", "json", "nano", "lists", "wandbish", "rank_logging", "dict")


def jobs() -> Iterator[LocalJob]:
    """Every save is told."""
    for number in range(12):
        program = Program(("line", "np_mlp", "mlp")[number % 3], STYLES[number % 9], total=(80, 120)[number % 2], every=1, save_every=1 + number % 2, pause_s=0.02, seed=number)
        yield LocalJob(Label(mode="D2", variant="save_storm", fault="user"), {"train.py": program.text()}, ("PYTHON", "train.py"), "torch", ends=lambda s: s == 0)


RECIPE = Recipe("many_saves", "development", jobs)
