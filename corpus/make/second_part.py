"""Chains: a job trains, the next one is to go on from it, and begins anew; and chains that do go on."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

STYLES = ("plain", "logging", "json", "epochs", "lists", "nano", "dict")


def jobs() -> Iterator[SlurmJob]:
    """The parents first, each a good run; then their children."""
    for number in range(12):
        program = Program("line", STYLES[number % 7], total=300, every=5, pause_s=0.02, seed=number, save_every=100)
        yield batch(Label(mode="G1", fault="none"), program, options=(f"--job-name=stage{number}",), key=f"p{number}", state="COMPLETED")
    for number in range(12):
        good = number % 4 == 3
        first = "net.a, net.b = 0.71, 0.19\nprint('Resuming from checkpoint ckpt/step_00300.pkl', flush=True)" if good else ""
        program = Program("line", STYLES[number % 7], total=300, every=5, pause_s=0.02, seed=number, save_every=100, at={"first": first} if first else {})
        label = Label(mode="G1", fault="none") if good else Label(mode="E2", variant="from_scratch", fault="user")
        yield batch(label, program, options=(f"--job-name=stage{number}",), parent=f"p{number}", state="COMPLETED")


RECIPE = Recipe("second_part", "development", jobs)
