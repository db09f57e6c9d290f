"""Jobs that a person cancels: their owner, or somebody else."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

STYLES = ("plain", "logging", "json", "epochs", "nano", "lists")


def jobs() -> Iterator[SlurmJob]:
    """Some by scancel, some by root's."""
    for number in range(10):
        own = number % 5 < 3
        program = Program(("line", "logistic")[number % 2], STYLES[number % 6], total=9000, every=5, pause_s=0.05, seed=number)
        label = Label(mode="F4", variant="by_owner" if own else "by_other", fault="none" if own else "unknown")
        yield batch(label, program, ranks=1 + number % 2, act="scancel" if own else "scancel_by_admin", after="35", state="CANCELLED")


RECIPE = Recipe("called_off", "development", jobs)
