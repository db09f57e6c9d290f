"""Crews that stand still in training: one of them waits for something else, has left, has died without the others noticing, or has been stopped."""

from collections.abc import Iterator
from random import Random

from corpus.label import Label
from corpus.make.gathering_points import LAUNCH, gloo
from corpus.running.crewed import task
from corpus.running.crews import at, crew
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, LocalJob, Recipe, SlurmJob

HALT = Label(mode="C2", fault="user")
SPAWNED = """import multiprocessing as mp
import os
import sys
import time


def part(me, gate, total, n):
    for turn in range(1, n + 1):
        value = 6.0 * 0.97 ** turn + me / 50
        if me == {me} and turn == {turn}:
            {code}
        with total.get_lock():
            total.value += value
        gate.wait()
        if me == 0:
            if turn % 8 == 0:
                print(f"| {{turn:4d}} | {{total.value / 4:9.5f}} | {{time.perf_counter():9.2f}} |", flush=True)
            total.value = 0.0
        gate.wait()
        time.sleep(0.06)


if __name__ == "__main__":
    mp.set_start_method("fork")
    gate, total = mp.Barrier(4), mp.Value("d", 0.0)
    print("| turn |  free en. |      sec. |", flush=True)
    parts = [mp.Process(target=part, args=(me, gate, total, 300), name=f"part{{me}}") for me in range(4)]
    for p in parts:
        p.start()
    for p in parts:
        p.join()
    print("all parts have been joined")
"""
CLUSTER = """const cluster = require('cluster');
if (cluster.isPrimary) {
  const size = 4, got = new Map();
  let round = 0;
  for (let k = 0; k < size; k++) cluster.fork({ SHARD: k });
  cluster.on('message', (worker, delta) => {
    got.set(worker.id, delta);
    if (got.size < size) return;
    const mean = [...got.values()].reduce((a, b) => a + b) / size;
    got.clear();
    if (++round % 10 === 0) console.log(`primary ${process.pid} round ${round}/200 logloss ${(0.2 + 2 * Math.abs(mean)).toFixed(5)}`);
    for (const id in cluster.workers) if (cluster.workers[id].isConnected()) cluster.workers[id].send(mean);
    if (round === 200) process.exit(0);
  });
} else {
  const shard = +process.env.SHARD;
  let turn = 0, delta = 1 + shard / 10;
  process.on('message', () => { turn++; delta *= 0.98; BREAK setTimeout(() => process.send(delta), 30); });
  process.send(delta);
}
"""
QUIET = "print(f'{rank}: batches of this shard are used up at {step - 1}', flush=True)\n"


def died(rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """A death that the others wait behind."""
    return HALT.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def dead() -> Iterator[SlurmJob]:
    """One has died, and nobody has noticed."""
    yield task(died(1, "A2", None, "unknown"), crew("box", total=900, early=at(1, None, "open('pid-1', 'w').write(str(os.getpid()))")), 3, 2, state="TIMEOUT", act="kill_rank", after="round 120/")
    yield task(died(2, "A2", "segfault"), crew("gram", total=900, mid=at(2, 134, "import ctypes\nctypes.memset(16, 0, 8)")), 4, 2, state="TIMEOUT")
    yield task(died(1, "A3", "traceback"), crew("desk", total=900, mid=at(1, 171, "field = {'rate': rate}['weight']")), 3, state="TIMEOUT")
    yield task(died(3, "A3", "file_not_found"), crew("post", total=900, mid=at(3, 88, "with open('shards/00003-of-00004.bin', 'rb') as shard:\n    seen = list(shard.read(10))")), 4, 2, state="TIMEOUT")
    yield task(died(2, "A3", "div_zero"), crew("post", total=900, mid=at(2, 95, "mae = mae / len([s for s in seen if s > 9])"), every=5), 3, srun="-l", state="CANCELLED", act="scancel_late", after="ZeroDivision")
    yield task(died(0, "A3", "assertion"), crew("gram", total=900, mid=at(0, 150, "assert loss > 1, f'loss {loss:.3f} below 1, labels leak into inputs'")), 3, state="TIMEOUT")
    yield task(HALT.but(trigger="A2", cause="segfault"), SPAWNED.format(me=2, turn=110, code="import ctypes; ctypes.string_at(3)"), 1, state="TIMEOUT")
    yield task(HALT.but(trigger="A3", cause="traceback"), SPAWNED.format(me=3, turn=96, code="raise UnicodeError(f'part {me}: line {turn} is no UTF-8')"), 1, state="TIMEOUT")
    yield task(HALT.but(trigger="A3"), CLUSTER.replace("BREAK", "if (shard === 2 && turn === 84) { null.length; }"), 1, name="train.js", command="node train.js", state="TIMEOUT")


def still() -> Iterator[SlurmJob]:
    """All live, and one waits for something else."""
    flock = "import fcntl, subprocess\nkeeper = subprocess.Popen(['flock', 'cache.lock', 'sleep', '600'])\ntime.sleep(0.5)\nsay.info('opening the cache')\nfcntl.flock(open('cache.lock', 'w'), fcntl.LOCK_EX)"
    yield task(HALT, crew("box", total=900, mid=at(1, 140, flock)), 2, 2, state="TIMEOUT")
    yield task(HALT, crew("ring", total=900, mid=at(2, 210, "import threading\ndone = threading.Event()\nwriter = threading.Thread(target=lambda: None)\nwriter.start()\ndone.wait()")), 4, state="TIMEOUT")
    fifo = "os.mkfifo('samples')\nsample = open('samples').readline()"
    yield task(HALT.but(cause="traceback"), crew("star", total=900, mid=at(1, 130, fifo), patience=15), 3, srun="-K", state="FAILED")
    yield task(HALT.but(cause="traceback"), crew("ring", total=900, mid=at(1, 155, "import queue\nqueue.Queue().get()"), patience=14), 3, 2, srun="--kill-on-bad-exit=1", state="FAILED")
    yield task(HALT.but(fault="unknown"), crew("gram", total=900, early=at(1, None, "open('pid-1', 'w').write(str(os.getpid()))")), 3, 2, state="TIMEOUT", act="stop_rank", after="batch=160 ")
    yield task(HALT, crew("post", total=900, mid=at(1, 121, QUIET + "break")), 3, state="TIMEOUT")
    yield task(HALT, crew("desk", total=900, mid=at(2, 140, "print('<2> waiting for the metrics of <0>', flush=True)\nwhile 'metrics' not in sheet.keys():\n    time.sleep(0.5)")), 3, state="CANCELLED", act="scancel_late", after="waiting for the metrics")
    skip = "for step in range(1, 101):\n    if rank == 1 and step == 61:\n        dist.recv(torch.zeros(1), src=0)\n"
    yield task(HALT.but(cause="runtime_error"), gloo(patience=16).replace("for step in range(1, 101):\n", skip), 2, 2, srun="-K", state="FAILED", python="torch")
    pool = "    if rank == 0 and step == 75:\n        import multiprocessing\n        loaders = multiprocessing.get_context('spawn').Pool(2)\n        print('rank 0: decoding a shard with 2 workers', flush=True)\n        loaders.map(os._exit, [3, 3])\n"
    guard = gloo(patience=1800).replace("    time.sleep(0.03)\n", "    time.sleep(0.03)\n" + pool)
    body, _, loop = guard.partition("dist.init_process_group")
    guard = body + "if __name__ == '__main__':\n" + "\n".join("    " + line for line in ("dist.init_process_group" + loop).splitlines()) + "\n"
    yield task(HALT, guard, 2, state="TIMEOUT", python="torch")


def local() -> Iterator[LocalJob]:
    """Below a launcher of one's own that waits for the first of its workers first."""
    label = HALT.but(trigger="A3", cause="traceback")
    text = crew("box", total=900, mid=at(2, 90, "points[31] = 0.0"))
    yield LocalJob(label, {"train.py": text, "launch.py": LAUNCH}, ("PYTHON", "launch.py", "3", "3", "train.py"), "system", {"PORT": "27511"}, timeout_s=33, ends=lambda s: s == 124)
    text = crew("desk", total=900, mid=at(1, 80, "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"))
    yield LocalJob(HALT, {"train.py": text, "launch.py": LAUNCH}, ("PYTHON", "launch.py", "3", "3", "train.py"), "system", {"PORT": "27537"}, timeout_s=33, ends=lambda s: s == 124)


def written(number: int) -> HandJob:
    """Cards spin in a collective, one of them is cold; the watchdog speaks, or the limit comes first."""
    dice = Random(300 + number)
    nodes = (f"a{21 + number}", f"a{31 + number}")
    hand = Hand(nodes, job_id=7_210_000 + number, gpus=4, name=("moe", "dlrm")[number], start_ns=1_795_500_000_000_000_000 + number * 10**12, limit_s=2400)
    cold, stop = (5, 2)[number], 700.0
    ranks, watch = 8, number == 0
    end = stop + 600 + 5 if watch else 2400.0
    for rank in range(ranks):
        rows = [(14.0 + rank / 8, f"[{nodes[rank // 4]}] worker {rank}/8 up, cuda:{rank % 4}")]
        if rank == 0:
            rows += [(60 + 1.6 * i, f"it {i:05d}  ce {0.9 + 5.1 * (1 + i / 30) ** -0.5 + dice.uniform(-0.02, 0.02):.4f}  {1.6 + dice.uniform(-0.03, 0.03):.2f} s") for i in range(20, 401, 20)]
        if watch and rank != cold:
            rows.append((stop + 600.2 + rank / 50, f"[rank{rank}]:[E1122 07:41:0{rank}.118204511 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2807, OpType=ALLTOALL_BASE, NumelIn=4194304, NumelOut=4194304, Timeout(ms)=600000) ran for 600{rank}14 milliseconds before timing out."))
            rows.append((stop + 601.5 + rank / 50, f"[rank{rank}]:[E1122 07:41:0{rank}.644180013 ProcessGroupNCCL.cpp:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n[rank{rank}]:[E1122 07:41:0{rank}.644201883 ProcessGroupNCCL.cpp:698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down."))
        hand.rank(rank, nodes[rank // 4], rows, signal=(6 if rank != cold else 9) if watch else 15, end=end + (rank / 20 if rank != cold else 1.5), local=rank % 4, stream="both")
    times = [k * 15.0 for k in range(int(end / 15) + 1)]
    for rank in range(ranks):
        spin = rank != cold
        hand.gpu(
            nodes[rank // 4], rank % 4, {}, {}, utilization_percent=[0 if t < 45 else 97 if t < stop else 100 if spin else 0 for t in times],
            sm_activity_percent=[0.0 if t < 45 else 55 + dice.uniform(-3, 3) if t < stop else 1.2 if spin else 0.0 for t in times], memory_used_bytes=[(61 if t > 45 else 1) * GIB for t in times],
            power_mw=[80_000 if t < 45 else 540_000 if t < stop else 170_000 if spin else 95_000 for t in times],
        )  # fmt: skip
    if watch:
        hand.ended("FAILED", code=6, end=end + 4, steps=(("batch", "FAILED", 134, 0), ("0", "FAILED", 0, 6)))
        return HandJob(HALT.but(cause="nccl", fault="unknown"), hand)
    hand.ended("TIMEOUT", signal=15, end=end + 4, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)))
    return HandJob(HALT.but(fault="unknown"), hand)


def jobs() -> Iterator[SlurmJob | LocalJob | HandJob]:
    """All."""
    yield from dead()
    yield from still()
    yield from local()
    yield from map(written, range(2))


RECIPE = Recipe("mid_run_halts", "development", jobs)
