"""Ranks that wait for one that stopped, died or fails, until the time limit."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

BARRIER = '''
def meet(rank, world, step):
    """All ranks wait for each other, over files that all nodes see."""
    os.makedirs("meet", exist_ok=True)
    open(f"meet/{step}.{rank}", "w").close()
    while sum(os.path.exists(f"meet/{step}.{other}") for other in range(world)) < world:
        time.sleep(0.05)
'''
ENDS = (
    ("import signal\nos.kill(os.getpid(), signal.SIGSTOP)", None, None, None),
    ("import signal\nos.kill(os.getpid(), signal.SIGKILL)", "A2", -9, None),
    ("raise ValueError(f'batch {step} of this shard is empty')", "A3", 1, "traceback"),
    ("import ctypes\nctypes.string_at(0)", "A2", -11, "segfault"),
    ("os.mkfifo('queue')\nopen('queue').read()", None, None, None),
)
STYLES = ("plain", "logging", "json", "epochs", "lists")


def jobs() -> Iterator[SlurmJob]:
    """Over files, and over gloo for those whose rank stands still: gloo itself notices a rank that died."""
    for number in range(15):
        code, trigger, _, cause = ENDS[number % 5]
        size = (2, 3, 4)[number % 3]
        rank = (number + 1) % size
        stop = f"meet(rank, world, step)\nif step == 90 and rank == {rank}:\n" + "\n".join("    " + line for line in code.splitlines())
        gloo = trigger is None and number % 2 == 0
        if gloo:
            size, rank = 2, (number // 2) % 2
            stop = f"if step == 90 and rank == {rank}:\n" + "\n".join("    " + line for line in code.splitlines())
        program = Program("mlp" if gloo else ("line", "logistic")[number % 2], STYLES[number % 5], total=900, every=5, pause_s=0.08, mid_step=1, seed=number, at={"mid": stop},
                          helpers="" if gloo else BARRIER, ranks=gloo, print_all=number % 2 == 0)
        label = Label(mode="C2", trigger=trigger, cause=None, fault="user", first_ranks=(rank,) if trigger else (), failed_ranks=(rank,) if trigger else ())
        yield batch(label.but(cause=cause), program, ranks=size, nodes=1 + number % 2, options=("--time=1",), python="torch" if gloo else "system", state="TIMEOUT")


RECIPE = Recipe("waiting_ranks", "development", jobs)
