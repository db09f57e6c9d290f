"""Several ranks that come to their end and have learnt nothing: losses that are no numbers, that leap or stand still, and runs of a few steps."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._glass import DONE, bed, on
from corpus.running.job import Recipe, SlurmJob


def nothing_learnt() -> Iterator[SlurmJob]:
    """E1."""
    base = Label(mode="E1", fault="user")
    nan = base.but(variant="non_finite", cause="nan_loss")
    yield bed(nan, "SPORES", 2, 2, code={"loss": "if step >= 90:\n    loss = loss * float('nan')"}, **DONE)
    yield bed(base.but(variant="flat"), "SPORES", 2, given="lr=0 updates=300", **DONE)
    yield bed(base.but(variant="spike"), "TRELLIS", 2, code={"after": on(None, 110, "for group in opt.param_groups:\n    group['lr'] = 3.0")}, given="--train-iters 200", **DONE)


def few_steps() -> Iterator[SlurmJob]:
    """E3."""
    few = Label(mode="E3", fault="user")
    yield bed(few, "PETALS", 2, 2, given="--epochs 1 --images 128 --log-interval 1", **DONE)


def in_the_pond() -> Iterator[SlurmJob]:
    """By MPI."""
    _base, few = Label(mode="E1", fault="user"), Label(mode="E3", fault="user")
    yield bed(few, "ALGAE", 2, head="export GENERATIONS=3\n", code={"after": "if rank == 0:\n    print(f'generation {step} of {GENERATIONS}: loss {everyone[0][0]:.4f}', flush=True)"}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    yield from nothing_learnt()
    yield from few_steps()
    yield from in_the_pond()


RECIPE = Recipe("graft_table", "development", jobs)
