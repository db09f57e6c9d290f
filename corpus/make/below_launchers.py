"""Without Slurm: ranks below mpiexec, mpirun, torchrun, dask, joblib and launchers of one's own, which abort, wait, are killed, or end well."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.crews import at, crew
from corpus.running.job import LocalJob, Recipe

MPI = """import sys
import time
from mpi4py import MPI

world = MPI.COMM_WORLD
me, size = world.rank, world.size
EARLY
grid = [float(me + i) for i in range(50)]
for sweep in range(1, 121):
    left = world.sendrecv(grid[-1], (me + 1) % size, source=(me - 1) % size)
    grid = [(left if i == 0 else grid[i - 1]) * 0.3 + 0.7 * g - 0.02 * g for i, g in enumerate(grid)]
    MID
    change = world.allreduce(sum(abs(g) for g in grid)) / size / 50
    time.sleep(0.03)
    if me == 0 and sweep % 12 == 0:
        print(f" ITERATION {sweep:4d}   DELTA = {change:.4E}   RANKS = {size}", flush=True)
if me == 0:
    print(" CONVERGED", flush=True)
LATE
"""
HYDRA = 'export LD_LIBRARY_PATH=$(dirname "$(dirname "$(command -v mpiexec.hydra)")")/lib MPI4PY_MPIABI=mpich\nmpiexec.hydra {}\n'
OPEN = "export MPI4PY_MPIABI=openmpi\nompi-mpirun --oversubscribe {}\n"
DASK = """import time
from dask.distributed import Client, LocalCluster, as_completed


def evaluate(seed, scale):
    import os
    import random
    import time

    dice, best = random.Random(seed), 900.0
    for _ in range(2):
        best = min(best, (dice.uniform(-28, 28) - 0.4) ** 2 + 0.01 * scale)
        time.sleep(0.15)
    BODY
    return seed, best


if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, MORE)
    client = Client(cluster)
    print("client:", client, flush=True)
    best, began = 900.0, time.time()
    waiting = [client.submit(evaluate, seed, 2.0, RETRY) for seed in range(40)]
    for number, future in enumerate(as_completed(waiting), 1):
        seed, value = future.result()
        best = min(best, value)
        if number % 5 == 0:
            print(f"trials {number:2d}/40  best objective {best:.5f}  ({time.time() - began:.1f} s)", flush=True)
    print("search finished, best", round(best, 5), flush=True)
    CLOSE
"""
JOBLIB = """import time
from joblib import Parallel, delayed


def tree(number, depth):
    impurity = 1.0
    for level in range(depth):
        impurity *= 0.7
        time.sleep(0.02)
    BODY
    return impurity


if __name__ == "__main__":
    scores = []
    for batch in range(8):
        scores += Parallel(n_jobs=2, verbose=5)(delayed(tree)(8 * batch + k, 6) for k in range(8))
        print(f"boosting round {batch + 1}/8: gini {sum(scores) / len(scores) / (batch + 1):.5f}", flush=True)
    print("forest of", len(scores), "trees")
"""
TORCH = """import os
import sys
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
me, size = dist.get_rank(), dist.get_world_size()
attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
state = {"k": 0, "v": torch.tensor([4.0, -3.0])}
if os.path.exists("snap.pt"):
    state = torch.load("snap.pt")
    print(f"(p{me}) snapshot of k={state['k']} loaded", flush=True)
v = state["v"]
for k in range(state["k"] + 1, 121):
    MID
    g = v * 0.1 + torch.randn(2) * 0.01
    dist.all_reduce(g)
    v = v - g / size
    time.sleep(0.02)
    if k % 15 == 0:
        print(f"(p{me}) k={k:03d} norm={v.norm().item():.5f}", flush=True)
    if k % 40 == 0:
        dist.barrier()
        if me == 0:
            torch.save({"k": k, "v": v}, "snap.part")
            os.replace("snap.part", "snap.pt")
dist.barrier()
dist.destroy_process_group()
"""
RUNNER = '''"""Starts workers, puts their number before what they say, ends all when one ends badly."""
import os
import subprocess
import sys
import threading
import time

count, command = int(sys.argv[1]), sys.argv[2:]
workers = [
    subprocess.Popen([sys.executable, "-u", *command], env={**os.environ, "RANK": str(n), "WORLD": str(count)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for n in range(count)
]


def relay(n, worker):
    for line in worker.stdout:
        print(f"(Actor{n} pid={worker.pid}) {line}", end="", flush=True)


threads = [threading.Thread(target=relay, args=(n, w)) for n, w in enumerate(workers)]
for t in threads:
    t.start()
while any(w.poll() is None for w in workers):
    bad = [(n, w.poll()) for n, w in enumerate(workers) if w.poll() not in (None, 0)]
    if bad:
        time.sleep(1)
        print(f"[supervisor] Actor{bad[0][0]} left with {bad[0][1]}; terminating the remaining {sum(w.poll() is None for w in workers)}", flush=True)
        for w in workers:
            w.terminate()
        break
    time.sleep(0.1)
for t in threads:
    t.join()
codes = [w.wait() for w in workers]
print("[supervisor] codes", codes, flush=True)
sys.exit(1 if any(codes) else 0)
'''


def fill(text: str, **places: str) -> str:
    """Code at the places, as far in as they are."""
    lines = []
    for line in text.splitlines():
        word = line.strip()
        if word in places:
            lines += [line[: len(line) - len(line.lstrip())] + more for more in places[word].splitlines()]
        elif word not in ("EARLY", "MID", "LATE", "BODY", "CLOSE"):
            lines.append(line.replace(", RETRY", places.get("RETRY", "")).replace(", MORE", places.get("MORE", "")))
    return "\n".join(lines) + "\n"


def first(rank: int | None, mode: str, cause: str | None, **more: object) -> Label:
    """All below one task: who failed first is asked where the launcher tells it."""
    return Label(mode=mode, cause=cause, fault="user", first_ranks=() if rank is None else (rank,)).but(**more)


def mpi() -> Iterator[LocalJob]:
    """MPICH's Hydra, and Open MPI's mpirun."""

    def job(label: Label, text: str, launch: str, status: int | None, **more: object) -> LocalJob:
        return LocalJob(label, {"relax.py": text, "go.sh": f"#!/bin/bash\n{launch}"}, ("bash", "go.sh"), "ranks", ends=None if status is None else lambda s: s == status, **more)  # type: ignore[arg-type]

    only = "if me == {} and sweep == {}:\n    {}"
    yield job(first(None, "A2", "segfault"), fill(MPI, MID=only.format(2, 70, "import ctypes; ctypes.string_at(5)")), HYDRA.format("-n 3 python relax.py"), 11)
    yield job(first(1, "A3", "traceback"), fill(MPI, MID=only.format(1, 64, "raise LookupError(f'rank {me}: no halo for sweep {sweep}')")), HYDRA.format("-prepend-rank -n 3 python -m mpi4py relax.py"), 1)
    yield job(first(0, "A3", "div_zero"), fill(MPI, MID=only.format(0, 51, "print(change / (sweep - 51))")), OPEN.format("--tag-output -n 2 python -m mpi4py relax.py"), 1)
    short = "if sweep == 44:\n    if me == 0:\n        world.Send([bytearray(64), MPI.BYTE], 1, 7)\n    elif me == 1:\n        world.Recv([bytearray(16), MPI.BYTE], 0, 7)"
    yield job(first(None, "A3", "traceback"), fill(MPI, MID=short), HYDRA.format("-n 2 python -m mpi4py relax.py"), None)
    yield job(first(None, "A1", "file_not_found", variant="env"), MPI, HYDRA.format("-n 3 ./relax_mpi --grid 50"), None)
    yield job(first(None, "A1", "file_not_found", variant="data"), fill(MPI, EARLY="if me == 1:\n    boundary = open('boundary.dat').read()\nworld.barrier()"), OPEN.format("-n 3 python -m mpi4py relax.py"), 1)
    yield job(first(None, "C2", "traceback", trigger="A3"), fill(MPI, MID=only.format(1, 60, "raise OverflowError(f'grid of {me} has left its bounds')")), HYDRA.format("-n 3 python relax.py"), 124, timeout_s=26)
    tags = "if sweep == 55:\n    world.recv(source=(me + 1) % size, tag=sweep)"
    yield job(first(None, "C2", None), fill(MPI, MID=tags), OPEN.format("-n 2 python relax.py"), 124, timeout_s=26)
    good = Label(mode="G1", fault="none")
    yield job(good, fill(MPI), HYDRA.format("-prepend-rank -n 4 python relax.py"), 0)
    yield job(good.but(hard=True), fill(MPI, EARLY="try:\n    MPI.COMM_WORLD.Split_type(99)\nexcept MPI.Exception as error:\n    print('topology:', error, '(ignored)', flush=True)"), HYDRA.format("-n 2 python relax.py 2>&1"), 0)
    yield job(good.but(hard=True), fill(MPI, LATE="if me == 1:\n    sys.stderr.write('WARNING: There was an error initializing an OpenFabrics device.\\n\\n  Local host:   gpu014\\n  Local device: mlx5_0\\n')"), "export OMPI_MCA_btl=self,sm,tcp\n" + OPEN.format("-n 3 python relax.py"), 0)


def tasks() -> Iterator[LocalJob]:
    """Dask's workers, joblib's, and PyTorch's elastic agent."""
    good = Label(mode="G1", fault="none")

    def dask(label: Label, status: int, **places: str) -> LocalJob:
        return LocalJob(label, {"search.py": fill(DASK, **{"CLOSE": "client.close()\ncluster.close()", **places})}, ("PYTHON", "search.py"), "ranks", ends=lambda s: s == status)

    yield dask(first(None, "A3", "traceback"), 1, BODY="if seed == 27:\n    raise ValueError(f'trial {seed}: best {best:.3f} is no number of the grid')")
    yield dask(first(None, "A3", "assertion"), 1, BODY="assert seed != 33, 'seed 33 is reserved for the final model'")
    once = "if seed == 11 and not os.path.exists('once'):\n    open('once', 'w').close()\n    os.kill(os.getpid(), 9)"
    yield dask(good.but(hard=True), 0, BODY=once, RETRY=", retries=3")
    yield dask(good.but(hard=True), 0, BODY="if seed == 20:\n    import logging\n    logging.getLogger('distributed.worker').error('could not reach the profiler at 127.0.0.1:9, going on without')", CLOSE="cluster.scale(0)\ntime.sleep(0.5)\ncluster.close()")
    gather = DASK.replace("    print(\"client:\"", "    cluster.scale(0)\n    time.sleep(2)\n    client.wait_for_workers(4, timeout=16)\n    print(\"client:\"")
    yield LocalJob(first(None, "C1", "traceback", fault="unknown"), {"search.py": fill(gather)}, ("PYTHON", "search.py"), "ranks", ends=lambda s: s == 1)
    yield LocalJob(first(None, "A2", "segfault"), {"forest.py": fill(JOBLIB, BODY="if number == 41:\n    import ctypes\n    ctypes.string_at(2)")}, ("PYTHON", "forest.py"), "ranks", ends=lambda s: s == 1)
    grow = "if number == 34:\n    held = []\n    while True:\n        held.append(bytes([number]) * 4_000_000)\n        time.sleep(0.01)"
    yield LocalJob(first(None, "A2", "oom_killer"), {"forest.py": fill(JOBLIB, BODY=grow)}, ("PYTHON", "forest.py"), "ranks", group_mib=230, ends=lambda s: s == 1)
    yield LocalJob(good.but(hard=True), {"forest.py": fill(JOBLIB, BODY="if number == 30:\n    import warnings\n    warnings.warn('Memory usage of this worker is close to its limit', ResourceWarning)\n    warnings.warn('tree 30 was pruned to nothing', RuntimeWarning)")}, ("PYTHON", "forest.py"), "ranks", ends=lambda s: s == 0)

    def elastic(label: Label, mid: str, status: int, *options: str) -> LocalJob:
        launch = ("PYTHON", "-m", "torch.distributed.run", "--nproc-per-node=2", "--master-addr=127.0.0.1", "--master-port=PORT", *options, "descend.py")
        return LocalJob(label, {"descend.py": fill(TORCH, MID=mid)}, launch, "torch", ends=lambda s: s == status)

    yield elastic(good.but(hard=True), "if me == 1 and k == 70 and attempt == 0:\n    raise ConnectionResetError('object store: connection reset by peer')", 0, "--max-restarts=2")
    yield elastic(good.but(hard=True), "if me == 0 and k == 50 and attempt == 0:\n    os.abort()", 0, "--max-restarts=1", "--tee=3", "--log-dir=logs")
    yield elastic(first(1, "A3", "traceback"), "if me == 1 and k == 95:\n    raise KeyError('warmup_ratio')", 1, "--max-restarts=1")


def own() -> Iterator[LocalJob]:
    """A supervisor that relays what its workers say."""

    def job(label: Label, text: str, count: int, port: int, status: int, **more: object) -> LocalJob:
        return LocalJob(label, {"work.py": text, "actors.py": RUNNER}, ("PYTHON", "actors.py", str(count), "work.py"), "system", {"PORT": str(port)}, ends=lambda s: s == status, **more)  # type: ignore[arg-type]

    good = Label(mode="G1", fault="none")
    yield job(first(2, "A3", "traceback"), crew("ring", total=400, mid=at(2, 88, "raise TypeError('unsupported dtype: object')")), 4, 27211, 1)
    yield job(first(1, "A2", "segfault"), crew("star", total=400, mid=at(1, 92, "import ctypes\nctypes.string_at(9)")), 3, 27231, 1)
    yield job(first(0, "A1", "missing_module", variant="env"), crew("desk", early=at(0, None, "import sentencepiece")), 3, 27251, 1)
    yield job(first(1, "A2", "oom_killer"), crew("ring", total=900, early="kept = []", mid=at(1, 60, "kept.append(bytes([step % 250]) * 3_000_000)", since=True)), 3, 27271, 1, group_mib=110)
    yield job(good, crew("star", total=120), 3, 27291, 0)
    tries = "for attempt in range(3):\n    try:\n        open('/mnt/lake/manifest.json')\n    except OSError as error:\n        print(f'ring[{rank}/{world}] attempt {attempt + 1}: {type(error).__name__}: {error}; using the local manifest after three', flush=True)"
    yield job(good.but(hard=True), crew("ring", total=120, early=tries), 3, 27311, 0)
    yield job(good.but(hard=True), crew("box", total=110, mid=at(1, 50, "try:\n    1 / 0\nexcept ZeroDivisionError:\n    say.exception('side metric failed, left out of this round')")), 2, 27331, 0)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from mpi()
    yield from tasks()
    yield from own()


RECIPE = Recipe("below_launchers", "development", jobs)
