"""Jobs that ended before they were through, or began where they should not have."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_spokes_kit import Span, batch, card, ill
from corpus.running.job import SlurmJob

FORGETS = """import math
import os
import pathlib
import random
import sys
import time

from crew import RANK, Crew

store = pathlib.Path("../fold_runs") / "ck"
resume = "--resume-dir" in sys.argv
crew = Crew()
dice = random.Random(RANK)
if RANK == 0:
    print(f"args: {sys.argv[1:]}", flush=True)
    store.mkdir(parents=True, exist_ok=True)
for step in range(1, TOTAL + 1):
    lddt = 0.31 + 0.5 * (1 - math.exp(-step / 140))
    loss = crew.mean(1.1 + 3.6 * math.exp(-step / 110) + dice.gauss(0, 0.02))
    time.sleep(PAUSE)
    if RANK == 0 and step % 20 == 0:
        print(f"step {step:5d}/{TOTAL} fape {loss:.4f} lddt {lddt:.3f}", flush=True)
    if RANK == 0 and step % 100 == 0:
        (store / f"step-{step}.ckpt").write_bytes(os.urandom(2000))
        print(f"checkpoint -> {store / f'step-{step}.ckpt'}", flush=True)
if RANK == 0:
    print(f"finished {TOTAL} steps", flush=True)
"""
DEBUGGED = """import random
import time

import opening
from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
if RANK == 0:
    print("dataset kinetics-400: 241,255 clips; limit_train_batches=4, max_epochs=1", flush=True)
for b in range(1, 5):
    time.sleep(2.4)
    loss = crew.mean(5.99 - 0.005 * b + dice.gauss(0, 0.01))
    if RANK == 0:
        print(f"epoch 0 batch {b}/4 loss {loss:.4f} acc1 0.00", flush=True)
if RANK == 0:
    print("epoch 0 finished (4 of 15079 batches used), weights saved to slowfast_e0.pth", flush=True)
"""
OCEAN = """import math
import time

from crew import NODE, RANK, Crew

crew = Crew()
for step in range(1, 9001):
    loss = crew.mean(0.2 + 0.9 * math.exp(-step / 150))
    time.sleep(0.15)
    if step % 15 == 0:
        print(f"({NODE}) ocean emulator, window {step} of 9000, nrmse {loss:.4f}", flush=True)
"""
EVICTED = """import math
import signal
import sys
import time


def leave(signum, frame):
    print("SIGTERM received, saving and leaving", flush=True)
    time.sleep(0.5)
    print("saved to last.ckpt", flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, leave)
for step in range(1, 8001):
    time.sleep(0.12)
    if step % 20 == 0:
        print(f"dreamer update {step}/8000 world_model_loss {1.1 + 4 * math.exp(-step / 130):.4f} episode_return {90 * (1 - math.exp(-step / 400)):.1f}", flush=True)
"""
CONTINUES = """import json
import math
import os
import pathlib
import time

from crew import NODE, RANK, WORLD, Crew

crew = Crew()
note = pathlib.Path("progress.json")
done = json.loads(note.read_text())["epoch"] if note.exists() else 0
crew.barrier()
if RANK == 0:
    print(f"{NODE}: restart count {os.environ.get('SLURM_RESTART_COUNT', '0')}; " + (f"=> loaded checkpoint 'model_last.pth' (epoch {done})" if done else "=> no checkpoint yet, starting fresh"), flush=True)
for epoch in range(done + 1, 21):
    for it in range(10):
        loss = crew.mean(0.7 + 2.4 * math.exp(-(epoch * 10 + it) / 70))
        time.sleep(0.14)
    if RANK == 0:
        note.write_text(json.dumps({"epoch": epoch}))
        print(f"=> epoch {epoch}/20: triplet {loss:.4f}, R@1 {80 - 60 * math.exp(-epoch / 7):.1f}, checkpoint model_last.pth written", flush=True)
if RANK == 0:
    print("=> all 20 epochs complete", flush=True)
"""
STOPPED = """import math
import random
import time

from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
for update in range(1, 20001):
    loss = crew.mean(0.9 + 1.4 * math.exp(-update / 200) + dice.gauss(0, 0.01))
    time.sleep(0.12)
    if RANK == 0 and update % 20 == 0:
        print(f"update {update} of 20000: dice {1 - loss / 3:.4f} ce {loss:.4f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Time limits, nodes, others and owners."""
    long, again = FORGETS.replace("TOTAL", "6000").replace("PAUSE", "0.11"), FORGETS.replace("TOTAL", "400").replace("PAUSE", "0.11")
    yield batch(
        ill("F3", None, "advancing"),
        long,
        "srun PYTHON fold.py\n",
        name="fold.py",
        ranks=2,
        key="fold",
        options=("--time=1", "--job-name=openfold-mini"),
        state="TIMEOUT",
    )
    yield batch(
        ill("E2", None, "from_scratch"), again, 'srun PYTHON fold.py "$@"\n', name="fold.py", ranks=2, parent="fold", args=("--resume", "../fold_runs/ck"), options=("--job-name=openfold-mini",), state="COMPLETED",
    )  # it reads another option than the one it is given  # fmt: skip
    yield batch(
        ill("E3", None),
        DEBUGGED,
        "srun PYTHON slowfast.py\n",
        name="slowfast.py",
        ranks=2,
        cards={r: card(Span(9.7, sm=49, gib=38), seed=500 + r) for r in range(2)},
        state="COMPLETED",
    )
    yield batch(
        ill("F1", None, fault="node"),
        OCEAN,
        "srun PYTHON ocean.py\n",
        name="ocean.py",
        ranks=2,
        nodes=2,
        where="-wn1,n4",
        options=("--no-requeue",),
        act="node_down",
        after="window 60 of",
        state="NODE_FAIL",
    )
    yield batch(
        ill("F2", None, "preempted", fault="cluster"),
        EVICTED,
        "srun PYTHON dreamer.py\n",
        name="dreamer.py",
        where="-wn3",
        options=("--no-requeue",),
        act="preempt_for_good",
        after="update 60/",
        state="PREEMPTED",
    )
    yield batch(
        ill("F2", None, "requeued_recovered", fault="none"), CONTINUES, "srun PYTHON retrieval.py\n", name="retrieval.py", ranks=2, nodes=2, options=("--requeue", "--open-mode=append"), act="requeue", after="epoch 6/20", state="COMPLETED",
    )  # fmt: skip
    yield batch(
        ill("F4", None, "by_other", fault="none"),
        STOPPED,
        "srun PYTHON nnunet.py\n",
        name="nnunet.py",
        ranks=2,
        nodes=2,
        act="scancel_by_admin",
        after="update 240 of",
        state="CANCELLED",
    )
