"""Several ranks that never come together, or stop in the midst of training because one of them stands still or is out of it."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._glass import FAILED, OVER, bed, on
from corpus.running.job import Recipe, SlurmJob

NEVER, HANG = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="user")
PID = on(1, None, "with open('pid-1', 'w') as note:\n    note.write(str(os.getpid()))")
LONG: dict[str, Any] = {"given": "updates=90000"}


def died(base: Label, mode: str, cause: str | None, rank: int, fault: str = "user") -> Label:
    """The others waited for one that was dead."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def never_met() -> Iterator[SlurmJob]:
    """C1."""
    yield bed(NEVER, "SPORES", 2, 2, head="export WORLD_SIZE=4  # 2 nodes x 2\n", **OVER)
    stray = "if rank == 1:\n    os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 40)\nsay('lm.distributed', rank=rank, init='env://', host=os.environ['MASTER_ADDR'], port=os.environ['MASTER_PORT'])"
    yield bed(NEVER, "SPORES", 2, 2, code={"early": stray}, srun="-l", **OVER)
    yield bed(died(NEVER, "A1", "file_not_found", 2), "SPORES", 3, code={"early": on(2, None, "corpus = open('/scratch/flora/latin.00002.txt', encoding='utf-8').read()")}, **OVER)
    yield bed(NEVER, "CITRUS", 3, code={"meet": "where['num_processes'] = 4\nlogging.info('connecting to %s as %d of %d', where['coordinator_address'], rank, 4)"}, **OVER)
    short = "meet['timeout'] = datetime.timedelta(seconds=35)\nsay('lm.distributed', rank=rank, world=world)"
    yield bed(NEVER, "SPORES", 2, code={"meet": short}, head="export WORLD_SIZE=2\n", script="srun -N1 -n1 bash sets.sh PYTHON -u lm/train.py  # and the second half from my other terminal", **FAILED)


def stopped() -> Iterator[SlurmJob]:
    """C2."""
    yield bed(HANG.but(fault="unknown"), "SPORES", 2, 2, code={"early": PID}, act="stop_rank", after="num_updates=60,", **LONG, **OVER)
    yield bed(HANG.but(fault="unknown"), "PETALS", 3, code={"early": PID}, given="--epochs 4000", act="stop_rank", after=r"Train: 1 ", **OVER)
    yield bed(HANG.but(trigger="A3", cause="traceback", first_ranks=(2,)), "ALGAE", 3, code={"mid": "if step == 70 and rank == 2:\n    import threading\n    def send():\n        raise LookupError('no row for site 31')\n    t = threading.Thread(target=send)\n    t.start()\n    t.join()\n    comm.recv(source=2, tag=99)"}, head="export GENERATIONS=90000\n", **OVER)


def jobs() -> Iterator[SlurmJob]:
    """Those first that never met."""
    yield from never_met()
    yield from stopped()


RECIPE = Recipe("fern_house", "development", jobs)
