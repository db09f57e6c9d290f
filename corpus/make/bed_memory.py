"""Batch scripts that are killed for their memory, by NumPy arrays, child processes and shells."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

GROW = ("data = [i for i in range(400_000_000)]", "text = 'ab' * 90_000_000\ncopies = [text + str(i) for i in range(30)]", "import subprocess\nsubprocess.run([sys.executable, '-c', 'x = bytearray(900_000_000); x[::4096] = b\"a\" * len(x[::4096])'], check=True)")


def jobs() -> Iterator[SlurmJob]:
    """In the batch script itself or in a step."""
    for number in range(9):
        text = Program(("line", "logistic")[number % 2], ("table", "nano", "wandbish")[number % 3], total=200, every=4, mid_step=81, pause_s=0.02, seed=number, at={"mid" if number % 2 else "first": GROW[number % 3]}).text()
        label = Label(mode="A2", cause="oom_killer", fault="user", failed_ranks=(0,), first_ranks=(0,))
        run = "srun -n1 python3 -u train.py" if number % 2 else "python3 -u train.py"
        yield SlurmJob(label, {"train.py": text}, f"#!/bin/bash\n{run}\ncode=$?; sleep 0.5; exit $code\n", ("-N1", "-n1", "--mem=150M"), "system", bed="cgroup")


RECIPE = Recipe("bed_memory", "development", jobs)
