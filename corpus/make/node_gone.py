"""Jobs one of whose nodes dies under them: power, network, kernel."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

STYLES = ("plain", "logging", "json", "epochs", "dict", "nano", "lists", "rank_logging")


def jobs() -> Iterator[SlurmJob]:
    """On one node or two."""
    for number in range(12):
        two = number % 3 == 0
        program = Program(("line", "logistic")[number % 2], STYLES[number % 8], total=9000, every=5, pause_s=0.1, seed=number)
        yield batch(Label(mode="F1", fault="node"), program, ranks=2 if two else 1 + number % 2, nodes=2 if two else 1, where="-wn6,n4" if two else "-wn4", options=("--no-requeue",),
                    act="lose_node", after="15", state="NODE_FAIL")


RECIPE = Recipe("node_gone", "development", jobs)
