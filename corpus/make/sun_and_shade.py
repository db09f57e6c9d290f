"""Several ranks with a card beside each, whose readings are told beforehand: cards that wait for the wire or for one of them, or do their work.

No GPU is there: what a program says of CUDA it says by itself. It waits and lags in earnest.
"""

from collections.abc import Iterator, Mapping

from corpus.label import Label
from corpus.make._glass import DONE, Readings, lit
from corpus.running.job import Recipe, SlurmJob
from tests.testbed.gpu_scenarios import work

HELD = {"memory.used": str(36 << 30)}


def reads(first: Mapping[str, str], *more: tuple[float, Mapping[str, str]]) -> Readings:
    """At first, and from when on what else; its memory is held from the first on."""
    return {**first, **HELD}, tuple((at_s, {**changes}) for at_s, changes in more)


def bound() -> Iterator[SlurmJob]:
    """D2."""
    slow = {**work(8, memory=3, tensor=1), "utilization.gpu": "100", "power.usage": "176000"}
    wire = Label(mode="D2", variant="interconnect", fault="cluster")
    yield lit(wire, "SPORES", 4, {}, reads(slow), 2, head="export NCCL_IB_DISABLE=1\n", code={"mid": "time.sleep(0.35)"}, given="updates=110 every=5", **DONE)


def lagging() -> Iterator[SlurmJob]:
    """D3."""
    label = Label(mode="D3", fault="unknown")

    slow, rest = reads(work(57)), reads(work(15, memory=6, tensor=2))
    yield lit(label, "SPORES", 4, {2: slow}, rest, 2, how="tasks", code={"mid": "time.sleep(0.18 if rank == 2 else 0.01)"}, given="updates=230 pause=0.01 save_every=900", **DONE)


def at_work() -> Iterator[SlurmJob]:
    """G1."""
    fine = Label(mode="G1", fault="none")
    yield lit(fine, "SPORES", 4, {}, reads(work(53)), 2, given="updates=320 pause=0.06 save_every=160", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (bound, lagging, at_work):
        yield from part()


RECIPE = Recipe("sun_and_shade", "development", jobs)
