"""A person ends the command: Ctrl-C or kill, in a good run."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.programs import Program

STYLES = ("plain", "logging", "epochs", "json", "lists", "wandbish", "rank_logging")


def jobs() -> Iterator[LocalJob]:
    """SIGINT and SIGTERM to gpualert-run, which passes them on."""
    for number in range(10):
        script = Program(("line", "logistic")[number % 2], STYLES[number % 7], total=5000, every=5, pause_s=0.03, seed=number).text()
        name = ("INT", "TERM")[number % 2]
        yield LocalJob(Label(mode="F4", fault="none"), {"train.py": script}, ("PYTHON", "train.py"), "system", signal=Signal(name, "45|epoch.: 0.9| 40/", wait_s=0.5),
                       ends=lambda s: s in (-2, -15, 130, 143))


RECIPE = Recipe("stopped_by_hand", "development", jobs)
