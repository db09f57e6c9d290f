"""Several ranks and the queue: nodes that are lost, preemption, and people who cancel."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._glass import AGAIN, DONE, bed
from corpus.running.job import Recipe, SlurmJob

GO_ON = "LAST=\n[ -f checkpoint_last.pt ] && LAST=restore=checkpoint_last.pt\nexport LAST\n"
KEPT = "updates=300 save_every=40 $LAST"


def lost() -> Iterator[SlurmJob]:
    """F1: a node dies, its slurmd dies, a health check sets it down."""
    label = Label(mode="F1", fault="node")
    stay: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
    last = label.but(failed_ranks=(1,), first_ranks=(1,))
    yield bed(last, "SPORES", 2, 2, where="-wn1,n6", given="updates=90000 pause=0.08", act="lose_node", after="num_updates=60,", **stay)
    yield bed(label, "HEATH", 2, where="-wn4", head="export ITERS=90000\n", act="node_down", after="it   100/", **stay)
    yield bed(label, "ALGAE", 3, where="-wn5", head="export GENERATIONS=90000\n", act="slurmd_dies", after="gen   80 ", **stay)


def again() -> Iterator[SlurmJob]:
    """F2: it ran again, and went on; or was preempted for good."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    urgent = twice.but(variant="preempted_recovered")
    yield bed(urgent, "SPORES", 2, where="-wn3", head=GO_ON, given=KEPT, options=AGAIN, act="preempt", after="saved=checkpoint_last.pt, num_updates=80", **DONE)
    yield bed(twice.but(variant="preempted"), "PETALS", 3, where="-wn3", given="--epochs 4000", options=("--no-requeue",), act="preempt_for_good", after="Train: 1 ", state="PREEMPTED")


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    own, _other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    gone: dict[str, Any] = {"state": "CANCELLED"}
    yield bed(own, "SPORES", 2, 2, given="updates=90000", act="scancel", after="num_updates=120,", **gone)
    yield bed(own, "ALGAE", 2, head="export GENERATIONS=90000\n", options=("--array=2",), act="scancel_all_of_name", after="gen  100 ", **gone)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (lost, again, called_off):
        yield from part()


RECIPE = Recipe("late_frost", "development", jobs)
