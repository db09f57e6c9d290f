"""Batch jobs that go well, some of which look as if they did not: suspended, steps that failed and were tried again, tools that are not there."""

from collections.abc import Iterator
from dataclasses import replace

from corpus.label import Label
from corpus.running.batch import batch
from corpus.running.job import Recipe, SlurmJob
from corpus.running.programs import Program

STYLES = ("plain", "logging", "json", "epochs", "dict", "nano", "lists", "wandbish", "rank_logging")
HEADERS = (
    "srun -n1 false\n", "srun -n1 cat /data/none.txt || echo 'no list, reading all'\n", "module load cuda\nnvidia-smi\n", "srun -n1 bash -c 'kill -SEGV $$' || true\n",
    "for i in 1 2; do srun -n1 bash -c \"exit $((2 - i))\" && break; echo attempt $i failed; done\n", "timeout 1 srun -n1 sleep 30\n",
    "srun -n1 bash -c 'ulimit -v 20000; python3 -c \"x = 1\"'\n",
)  # fmt: skip


def jobs() -> Iterator[SlurmJob]:
    """Plainly good; suspended and resumed; with a bad beginning that is overcome."""
    good = Label(mode="G1", fault="none")
    for number in range(9):
        program = Program(("line", "logistic")[number % 2], STYLES[number], total=200, every=5, pause_s=0.03, seed=number, save_every=(0, 50)[number % 2])
        yield batch(good, program, ranks=1 + number % 4, nodes=1 + (number % 4 > 1), state="COMPLETED")
    for number in range(4):
        program = Program("line", STYLES[number], total=260, every=5, pause_s=0.06, seed=number)
        yield batch(good.but(hard=True), program, ranks=1 + number % 2, act="suspend", after="35", state="COMPLETED")
    for number, header in enumerate(HEADERS * 2):
        program = Program(("logistic", "line")[number % 2], STYLES[number % 9], total=200, every=5, pause_s=0.02, seed=number)
        job = batch(good.but(hard=True), program, ranks=1 + number % 2, header=header, state="COMPLETED")
        yield replace(job, script=job.script)


RECIPE = Recipe("bed_good", "development", jobs)
