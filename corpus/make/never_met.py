"""Ranks that do not find each other until the time limit is over."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import ELSEWHERE, batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program


def jobs() -> Iterator[SlurmJob]:
    """A rank told of another address; a world larger than what was started; torchrun on one node of two."""
    label = Label(mode="C1", fault="unknown")
    for number in range(5):
        top = "if os.environ.get('RANK') == '1':\n    os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 1)" if number % 2 else "os.environ['WORLD_SIZE'] = '4'"
        program = Program(("mlp", "cnn")[number % 2], ("plain", "logging", "epochs")[number % 3], at={"top": top, "config": "print(f'rank {rank}: waiting for the others', flush=True)"}, ranks=True)
        yield batch(label, program, ranks=2, nodes=1 + number % 2, options=("--time=1",), python="torch", state="TIMEOUT")
    for number in range(3):
        program = Program("mlp", ("json", "lists", "plain")[number], ranks=True)
        script = (
            f"#!/bin/bash\nPYTHON -m torch.distributed.run --nnodes=2 --node-rank={number % 2} --nproc-per-node=1 --rdzv-backend=c10d --rdzv-id=job$SLURM_JOB_ID "
            "--rdzv-endpoint=127.0.0.1:$((12000 + RANDOM % 20000)) train.py\n"
        )
        yield SlurmJob(label, {"train.py": program.text()}, script, ("-N2", "-n2", "--time=1", ELSEWHERE), "torch", state="TIMEOUT")


RECIPE = Recipe("never_met", "development", jobs)
