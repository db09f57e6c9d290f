"""Jobs that Slurm runs again: requeued by an operator, preempted by an urgent job."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

STYLES = ("plain", "logging", "json", "epochs", "nano", "lists")


def jobs() -> Iterator[SlurmJob]:
    """Both run to their end the second time."""
    for number in range(8):
        program = Program(("line", "logistic")[number % 2], STYLES[number % 6], total=300, every=5, pause_s=0.06, seed=number)
        yield batch(Label(mode="F2", variant="requeued_recovered", fault="none"), program, ranks=1 + number % 2, options=("--requeue",), act="requeue", after="35", state="COMPLETED")
    for number in range(8):
        program = Program(("logistic", "line")[number % 2], STYLES[number % 6], total=300, every=5, pause_s=0.1, seed=number)
        yield batch(Label(mode="F2", variant="preempted_recovered", fault="none"), program, ranks=1, where="-wn5", options=("--requeue",), act="preempt", after="15", state="COMPLETED")


RECIPE = Recipe("run_twice", "development", jobs)
