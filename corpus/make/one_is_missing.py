"""Ranks without PyTorch, in several languages, that wait for one which has died, stands still, has left or never came, until somebody or something ends them."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.running import trainers
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob
from corpus.running.meeting import COMM

PORT = "export MASTER_PORT=$((26000 + SLURM_JOB_ID * 3 % 4000))\n"
PERL_MEET = 'open(my $mine, ">", "at.$step.$rank"); close $mine; for my $other (0 .. $world - 1) { sleep(0.1) until -e "at.$step.$other"; }'
C_MEET = 'if (step % 10 == 0) { char name[64]; snprintf(name, sizeof name, "at.%d.%d", step, rank); fclose(fopen(name, "w")); for (int other = 0; other < 3; other++) { snprintf(name, sizeof name, "at.%d.%d", step, other); while (access(name, F_OK)) usleep(100000); } }'
SERVER = """import json
import os
import sys
import time

workers, weights = int(sys.argv[1]), [0.0, 0.0]
print(f'server: expecting gradients of {workers} workers', flush=True)
for turn in range(1, 400):
    grads = []
    for worker in range(1, workers + 1):
        name = f'grad.{turn}.{worker}'
        while not os.path.exists(name):
            time.sleep(0.05)
        grads.append(json.load(open(name)))
    weights = [w + sum(g[k] for g in grads) / workers for k, w in enumerate(weights)]
    if turn % 5 == 0:
        print(f'server: turn {turn}/399 mean loss {sum(g[2] for g in grads) / workers:.4f}', flush=True)
    with open('weights.part', 'w') as out:
        json.dump([turn, *weights], out)
    os.replace('weights.part', 'weights.json')
"""
WORKER = """'use strict';
const fs = require('fs');
const me = Number(process.argv[2]);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
fs.writeFileSync(`pid-${me - 1}`, String(process.pid));

async function main() {
  let w = 0, b = 0;
  for (let turn = 1; turn < 400; turn++) {
    const x = 3 * Math.random() - 1.5, error = w * x + b - (1.4 * x + 0.5) + 0.4 * Math.random() - 0.2;
    fs.writeFileSync(`part.${me}`, JSON.stringify([-0.1 * error * x, -0.1 * error, error * error]));
    fs.renameSync(`part.${me}`, `grad.${turn}.${me}`);
    for (;;) {
      const have = fs.existsSync('weights.json') ? JSON.parse(fs.readFileSync('weights.json')) : [0];
      if (have[0] >= turn) { [, w, b] = have; break; }
      await pause(40);
    }
    if (turn % 10 === 0) console.log(`worker ${me}: turn ${turn} loss ${(error * error).toFixed(4)}`);
    await pause(60);
  }
}

main();
"""


def together(patience: str = "") -> dict[str, Any]:
    """All ranks share their loss."""
    return {"helpers": COMM, "early": f"self.group = Group(rank, world, int(os.environ['MASTER_PORT']){patience})", "sync": "loss = self.group.mean(loss)"}


def job(label: Label, files: dict[str, str], script: str, ranks: int, *options: str, nodes: int = 1, state: str = "TIMEOUT", act: str = "", after: str = "") -> SlurmJob:
    """A minute where nothing else is said."""
    limit = ("--time=1",) if state == "TIMEOUT" else ()
    return SlurmJob(label, files, f"#!/bin/bash\n{script}\n", (f"-N{nodes}", f"-n{ranks}", ELSEWHERE, *limit, *options), "system", act=act, after=after, state=state)


def in_training() -> Iterator[SlurmJob]:
    """They had begun."""
    hang = Label(mode="C2", fault="user")

    def died(rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
        return hang.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))

    text = trainers.perl(total=900, at=91, mid='if ($rank == 1) { open(my $list, "<", "lists/dev.scp") or die "train.pl: lists/dev.scp: $!"; }').replace("    sleep(0.03);", f"    if ($step % 10 == 0) {{ {PERL_MEET} }}\n    sleep(0.03);")
    yield job(died(1, "A3", "file_not_found"), {"train.pl": text}, "srun perl train.pl", 3)
    roles = "0 python3 -u server.py 3\n1-3 node worker.js %t\n"
    yield job(died(2, "A2", None, "unknown"), {"server.py": SERVER, "worker.js": WORKER, "roles.conf": roles}, "srun --multi-prog roles.conf", 4, nodes=2, act="kill_rank", after="turn 40/")
    text = trainers.python("ignite", "class", total=900, pause=0.05, **{**together(), "early": together()["early"] + "\nif rank == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"})
    yield job(hang.but(fault="unknown"), {"fit.py": text}, f"{PORT}srun python3 -u fit.py", 3, nodes=2, act="stop_rank", after=r"\[120/")
    left = "if rank == 2:\n    print('rank 2 has seen all of its 110 batches, waiting for all.done', flush=True)\n    while not os.path.exists('all.done'):\n        time.sleep(0.5)"
    text = trainers.python("steps_of", "class", total=900, pause=0.05, at=111, mid=left, **together())
    yield job(hang, {"train.py": text}, f"{PORT}srun -l python3 -u train.py", 3)
    stuck = "if rank == 1:\n    os.mkfifo('rows')\n    row = open('rows').readline()"
    text = trainers.python("logfmt", "class", total=900, pause=0.05, at=90, mid=stuck, **together(", patience=16"))
    yield job(hang.but(cause="traceback", failed_ranks=(0,)), {"train.py": text}, f"{PORT}srun -K python3 -u train.py", 2, nodes=2, state="FAILED")
    text = trainers.c(total=900, at=104, mid="if (rank == 1) { double *next = NULL; loss += next[step]; }").replace("        usleep(", f"        {C_MEET}\n        usleep(", 1)
    yield job(died(1, "A2", "segfault"), {"nnfit.c": text}, "gcc -O0 nnfit.c -o nnfit -lm\nsrun ./nnfit", 3, state="CANCELLED", act="scancel_late", after="step=100 ")


def before() -> Iterator[SlurmJob]:
    """They had not."""
    never = Label(mode="C1", fault="unknown")
    text = trainers.python("box", "class", everyone=False, **{**together(), "early": "print(f'process {rank}: joining {world} processes', flush=True)\nport = int(os.environ['MASTER_PORT']) + (17 if os.environ['SLURMD_NODENAME'] == 'n2' else 0)\nself.group = Group(rank, world, port)"})
    yield job(never, {"train.py": text}, f"{PORT}srun python3 -u train.py", 4, nodes=2)
    text = trainers.perl(early='open(my $mine, ">", "ready.$rank"); close $mine; while (1) { my @here = glob("ready.*"); last if @here >= 4; printf "part %d: %d of 4 are here\\n", $rank, scalar(@here); sleep(5); }')
    yield job(never, {"train.pl": text}, "srun perl train.pl", 3)
    text = trainers.python("jsonl", "class", **{**together(), "early": "if rank == 1:\n    import lmdb\nprint(f'rank {rank}: waiting for {world - 1} others', flush=True)\n" + together()["early"]})
    gone = never.but(trigger="A1", cause="missing_module", fault="user", failed_ranks=(1,), first_ranks=(1,))
    yield job(gone, {"train.py": text}, f"{PORT}srun python3 -u train.py", 3, nodes=2)


def jobs() -> Iterator[SlurmJob]:
    """Both."""
    yield from in_training()
    yield from before()


RECIPE = Recipe("one_is_missing", "development", jobs)
