"""Jobs on Slurm beside whose programs the GPUs' readings are scripted; programs look at the clock, so that both tell of the same moment.

No GPU is there: what a program says of CUDA it says by itself (``gpu = "scripted"``). It waits, starves, lags and saves in earnest.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.running import trainers
from corpus.running.job import Recipe, SlurmJob
from corpus.running.meeting import COMM
from tests.testbed.gpu_scenarios import work

Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
ZERO = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "92000", "throttle_reasons": "0x1"}
LOST = ({"events": "8:79"}, {"*": "!GPU_IS_LOST"})
CLOCK = "time.time() - float(os.environ['T0'])"
ASYNC = "\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\n"
OOM = "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.65 GiB of which 1.19 GiB is free. Including non-PyTorch memory, this process has 78.45 GiB memory in use. Of the allocated memory 75.90 GiB is allocated by PyTorch, and 1.83 GiB is reserved by PyTorch but unallocated."
TOGETHER: dict[str, Any] = {"helpers": COMM, "early": "self.group = Group(rank, world, int(os.environ['MASTER_PORT']))", "sync": "loss = self.group.mean(loss)"}


def job(label: Label, files: dict[str, str], command: str, ranks: int, gpus: Mapping[tuple[int, int], Readings], *options: str, nodes: int = 1, head: str = "", tail: str = "", python: str = "system", **more: Any) -> SlurmJob:
    """A card for each rank; ``T0`` is when the script began, in seconds since the epoch."""
    script = f"#!/bin/bash\nexport T0=$(date +%s.%N) MASTER_PORT=$((23000 + SLURM_JOB_ID * 3 % 7000))\n{head}srun {command}\n{tail or 'code=$?; sleep 0.5; exit $code'}\n"
    memory = "--mem=900M" if python == "torch" else "--mem=250M"
    return SlurmJob(label.but(gpu="scripted"), files, script, (f"-N{nodes}", f"-n{ranks}", f"--ntasks-per-node={ranks // nodes}", f"--gres=gpu:{ranks // nodes}", memory, *options), python, gpus=gpus, bed="cgroup", **more)


def when(after_s: float, code: str, rank: int | None = None) -> dict[str, Any]:
    """From so many seconds on, at one rank or at all."""
    who = "" if rank is None else f"rank == {rank} and "
    return {"at": 1, "reach": ">=", "mid": f"if {who}{CLOCK} > {after_s}:\n" + "\n".join(f"    {line}" for line in code.splitlines())}


def held(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]]) -> Readings:
    """What it reads first, and from when on what else."""
    return first, later


def broken() -> Iterator[SlurmJob]:
    """Hardware that fails as the run ends."""
    base = Label(mode="B2", cause="cuda_runtime", fault="node")
    ecc = {"ecc.volatile.uncorrected": "3", "ecc.aggregate.uncorrected": "3", "ecc.volatile.uncorrected.dram": "3"}
    one, fine = base.but(failed_ranks=(0,), first_ranks=(0,)), held(work(51))
    text = trainers.python("ignite", "class", total=900, pause=0.04, **when(12, f"raise RuntimeError('CUDA error: uncorrectable ECC error encountered{ASYNC}')", 1))
    yield job(base.but(failed_ranks=(1,), first_ranks=(1,)), {"fit.py": text}, "-K python3 -u fit.py", 2, {(0, 0): fine, (0, 1): held(work(52), (9.5, {**ecc, "events": "8:48"}))}, state="FAILED")
    text = trainers.c(total=900, pause=0.04, at=300, mid='fprintf(stderr, "CUDA failure kernels.cu:118: uncorrectable ECC error encountered (214)\\n"); exit(1);')
    yield job(one, {"nnfit.c": text}, "./nnfit", 1, {(0, 0): held(work(66), (11.5, {**ecc, "remapped.uncorrected": "1", "remapped.pending": "1"}))}, head="gcc nnfit.c -o nnfit -lm\n", state="FAILED")
    text = trainers.python("steps_of", "class", total=900, pause=0.04, **when(12, "raise RuntimeError('CUDA error: unspecified launch failure')", 2), **TOGETHER)
    yield job(base.but(failed_ranks=(0, 1, 2, 3), first_ranks=(2,)), {"train.py": text}, "--wait=20 python3 -u train.py", 4, {(0, 0): fine, (0, 1): fine, (1, 0): held(work(50), (10.0, LOST[0]), (11.0, LOST[1])), (1, 1): fine}, nodes=2, state="FAILED")
    link = {"nvlink.0.replay": "41", "nvlink.0.recovery": "2", "nvlink.0.crc_data": "77", "events": "8:74"}
    text = trainers.python("logfmt", "class", total=900, pause=0.04, **when(12, "raise RuntimeError('CUDA error: uncorrectable NVLink error detected during the execution')", 0), **TOGETHER)
    yield job(base.but(failed_ranks=(0, 1), first_ranks=(0,)), {"train.py": text}, "--wait=20 python3 -u train.py", 2, {(0, 0): held(work(44), (9.5, link)), (0, 1): held(work(45))}, state="FAILED")
    text = trainers.python("percent", "flat", total=900, pause=0.04, **when(12, "raise RuntimeError('CUDA error: an illegal memory access was encountered')"))
    remap = {"remapped.uncorrected": "2", "remapped.failure": "1", "events": "8:64", "ecc.volatile.uncorrected": "5", "ecc.aggregate.uncorrected": "5", "recovery_action": "2"}
    yield job(one, {"train.py": text}, "python3 -u train.py", 1, {(0, 0): held(work(73), (10.0, remap))}, "--array=6", state="FAILED")
    text = trainers.python("boost", "parts", total=900, pause=0.04, **when(12, "import signal\nos.kill(os.getpid(), signal.SIGBUS)\ntime.sleep(9)", 1))
    yield job(base.but(cause=None, failed_ranks=(1,), first_ranks=(1,)), {"boost.py": text}, "-K1 python3 -u boost.py", 3, {(0, 0): fine, (0, 1): held(work(47), (10.0, LOST[0]), (11.0, LOST[1])), (0, 2): fine}, state="FAILED")
    text = trainers.python("keras", "class", total=900, pause=0.04, **when(12, "print('CUDA error: the launch timed out and was terminated', file=sys.stderr, flush=True)\nsys.exit(3)"))
    yield job(one, {"fit.py": text}, "python3 -u fit.py", 1, {(0, 0): held(work(38), (9.5, {"events": "8:95", **ecc}))}, state="FAILED")


def full() -> Iterator[SlurmJob]:
    """Memory of a card that was not enough."""
    base = Label(mode="B1", cause="cuda_oom", fault="user")
    grows = held({**work(40), "memory.used": str(30 << 30)}, *((2.0 + k, {"memory.used": str(min(79, 34 + 6 * k) << 30)}) for k in range(11)))
    text = trainers.python("ppl", "class", total=900, pause=0.04, **when(12, f"import torch\nraise torch.OutOfMemoryError('{OOM}')"))
    yield job(base.but(failed_ranks=(0,), first_ranks=(0,)), {"lm.py": text}, "PYTHON -u lm.py", 1, {(0, 0): grows}, python="torch", state="FAILED")
    text = trainers.python("jsonl", "parts", total=900, pause=0.04, **when(12, f"import torch\nraise torch.OutOfMemoryError('{OOM}')", 1))
    yield job(base.but(failed_ranks=(1,), first_ranks=(1,)), {"train.py": text}, "-K PYTHON -u train.py", 2, {(0, 0): held({**work(40), "memory.used": str(61 << 30)}), (0, 1): grows}, python="torch", state="FAILED")
    text = trainers.c(total=900, pause=0.04, at=290, mid='fprintf(stderr, "nnfit: cudaMalloc of 6442450944 bytes failed: out of memory\\n"); return 2;')
    yield job(base.but(failed_ranks=(0,), first_ranks=(0,)), {"nnfit.c": text}, "./nnfit", 1, {(0, 0): grows}, head="gcc nnfit.c -o nnfit -lm\n", state="FAILED")


def hot(since_s: float, clock: int, *, thermal: bool, seconds: int = 34) -> tuple[tuple[float, Mapping[str, str]], ...]:
    """Held down, second after second."""
    policy, field, mask = ("thermal", "hw_thermal", "0x60") if thermal else ("power", "hw_power_brake", "0x88")
    return tuple(
        (since_s + k, {"temperature": str(89 + k % 5) if thermal else "63", "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 3)), "power.usage": "310000",
                       f"violation.{policy}": f"{1_000_000 + int((since_s + k) * 1e6)} {int(9.4e8 * (k + 1))}", f"slowdown.{field}": str(int(9.4e8 * (k + 1)))})
        for k in range(seconds)
    )  # fmt: skip


def throttled() -> Iterator[SlurmJob]:
    """All cards of the job are slowed down, and its steps with them."""
    label = Label(mode="B3", fault="node")
    slower = when(11, "time.sleep(0.12)")

    def run(tell: str, shape: str, ranks: int, nodes: int, clock: int, *, thermal: bool, since_s: float = 10.0, synced: bool = False) -> SlurmJob:
        text = trainers.python(tell, shape, total=340, pause=0.04, **slower, **(TOGETHER if synced else {}))
        gpus = {(n, g): held(work(64), *hot(since_s, clock, thermal=thermal, seconds=44)) for n in range(nodes) for g in range(ranks // nodes)}
        return job(label, {"train.py": text}, "python3 -u train.py", ranks, gpus, nodes=nodes, state="COMPLETED")

    yield run("glog", "flat", 1, 1, 735, thermal=True)
    yield run("steps_of", "parts", 1, 1, 405, thermal=False)
    yield run("ignite", "class", 2, 1, 600, thermal=True, synced=True)
    yield run("box", "class", 4, 2, 510, thermal=True, synced=True)
    yield run("jsonl", "flat", 2, 2, 345, thermal=False)
    yield run("csv", "parts", 1, 1, 870, thermal=True, since_s=14.0)


def stuck() -> Iterator[SlurmJob]:
    """One process on one card stands still."""
    label = Label(mode="C3", fault="user", failed_ranks=(), first_ranks=())
    memory = {"memory.used": str(26 << 30)}
    gpus = {(0, 0): held({**work(57), **memory}, (9.0, {**ZERO, **memory}))}
    lost = "import multiprocessing\npool = multiprocessing.Pool(2)\npool.apply(os._exit, (1,))"
    text = trainers.python("logfmt", "class", total=900, pause=0.04, **when(7, lost))
    yield job(label, {"train.py": text}, "python3 -u train.py", 1, gpus, "--time=1", state="TIMEOUT")
    text = trainers.node(total=900, pause_ms=40, at=170, mid="setInterval(() => {}, 1000); await new Promise(() => {});")
    yield job(label, {"trainer.js": text}, "node trainer.js", 1, gpus, "--time=1", state="TIMEOUT")
    text = trainers.c(total=900, pause=0.04, at=170, more="#include <pthread.h>\n", mid="pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_lock(&m);")
    yield job(label, {"nnfit.c": text}, "./nnfit", 1, gpus, "--time=1", head="gcc nnfit.c -o nnfit -lm -lpthread\n", state="TIMEOUT")
    text = trainers.python("ppl", "flat", total=900, pause=0.04, **when(7, "import socket\ndoor = socket.create_server(('127.0.0.1', 0))\nlink = socket.create_connection(door.getsockname())\nlink.recv(64)"))
    yield job(label, {"lm.py": text}, "python3 -u lm.py", 1, gpus, state="CANCELLED", act="scancel_late", after=r"batches", tail="echo \"ended: $?\"")
    text = trainers.perl(total=900, pause=0.04, at=170, mid="pipe(my $in, my $out); my $line = <$in>;")
    yield job(label, {"train.pl": text}, "perl train.pl", 1, gpus, "--time=1", state="TIMEOUT")
    text = trainers.python("rollout", "parts", total=900, pause=0.04, **when(7, "import queue, threading\nrows = queue.Queue(2)\nthreading.Thread(target=lambda: [rows.put(n) for n in range(2)], daemon=True).start()\nwhile True:\n    rows.get()"))
    yield job(label, {"ppo.py": text}, "-n1 timeout 48 python3 -u ppo.py", 1, gpus, "--time=2", state="FAILED")


def starved() -> Iterator[SlurmJob]:
    """Cards that wait for data, step after step."""
    label = Label(mode="D1", fault="user")

    def gaps(busy: float, every: int, seconds: int = 64) -> Readings:
        return held(work(10), *((1.0 + k, work(busy) if k % every == 0 else ZERO) for k in range(seconds)))

    def run(text: str, name: str, command: str, ranks: int, busy: float, every: int, head: str = "", nodes: int = 1) -> SlurmJob:  # noqa: PLR0917
        files = {name: text, "feed.py": FEED, "store.py": STORE}
        return job(label, files, command, ranks, {(n, g): gaps(busy, every) for n in range(nodes) for g in range(ranks // nodes)}, nodes=nodes, head=head, state="COMPLETED")

    slow = "if step % 2 == 0:\n    began = time.time()\n    time.sleep(2.3)\n    print(f'  data {time.time() - began:.2f} s', flush=True)"
    yield run(trainers.python("steps_of", "flat", total=36, every=2, pause=0.05, at=1, reach=">=", mid=slow, lr=0.004), "train.py", "python3 -u train.py", 1, 35, 3)
    pipe = "self.pipe = open('rows')"
    yield run(trainers.python("ignite", "class", total=40, every=2, pause=0.02, early=pipe, at=1, reach=">=", mid="row = self.pipe.readline()", lr=0.004), "fit.py", "python3 -u fit.py", 1, 28, 4, head="mkfifo rows\npython3 feed.py 1.2 > rows &\n")
    get = "import urllib.request\nurllib.request.urlopen(f'http://127.0.0.1:{os.environ[\"STORE\"]}/part-{step}').read()"
    serve = "export STORE=$((30000 + SLURM_JOB_ID % 2000))\npython3 store.py $STORE 1.8 &\nsleep 1\n"
    yield run(trainers.python("jsonl", "parts", total=24, every=1, pause=0.02, at=1, reach=">=", mid=get, lr=0.004), "train.py", "python3 -u train.py", 1, 40, 4, head=serve)
    yield run(trainers.python("glog", "flat", total=24, every=1, pause=0.02, at=1, reach=">=", mid=get, lr=0.004), "solver.py", "python3 -u solver.py", 2, 33, 3, head=serve)
    yield run(trainers.perl(total=40, every=2, pause=1.1), "train.pl", "perl train.pl", 1, 22, 5)
    yield run(trainers.node(total=20, every=1, pause_ms=2300), "trainer.js", "node trainer.js", 2, 30, 3, nodes=2)
    wait = "time.sleep(6.5 if step % 12 == 0 else 0.02)"
    yield run(trainers.python("box", "class", total=84, every=6, pause=0.02, at=1, reach=">=", mid=wait, lr=0.003), "train.py", "python3 -u train.py", 1, 45, 6)
    unpack = "import subprocess\nsubprocess.run('for n in 1 2 3; do sleep 0.8; head -c 200000 /dev/zero | gzip -9 | gunzip > /dev/null; done', shell=True, check=True)"
    yield run(trainers.python("boost", "parts", total=20, every=1, pause=0.02, at=1, reach=">=", mid=unpack, lr=0.004), "boost.py", "python3 -u boost.py", 2, 26, 4)


FEED = "import sys, time\nfor n in range(200):\n    time.sleep(float(sys.argv[1]))\n    try:\n        print(n, 'row', flush=True)\n    except BrokenPipeError:\n        sys.stderr = None\n        break\n"
STORE = "import sys, time\nfrom http.server import BaseHTTPRequestHandler, ThreadingHTTPServer\n\n\nclass Parts(BaseHTTPRequestHandler):\n    def do_GET(self):\n        time.sleep(float(sys.argv[2]))\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(b'x' * 4000)\n\n    def log_message(self, *args):\n        pass\n\n\nThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Parts).serve_forever()\n"


def bound() -> Iterator[SlurmJob]:
    """Cards that are busy with waiting for each other, or for each launch."""
    for ranks, nodes, tell, sm in ((4, 2, "logfmt", 11), (2, 2, "steps_of", 8), (8, 2, "ignite", 13)):
        text = trainers.python(tell, "class", total=300, pause=0.1, lr=0.003, everyone=ranks < 8, **TOGETHER)
        busy = {**work(sm, memory=4, tensor=2), "utilization.gpu": "100", "power.usage": "205000"}
        yield job(Label(mode="D2", variant="interconnect", fault="cluster"), {"train.py": text}, "python3 -u train.py", ranks, {(n, g): held(busy) for n in range(nodes) for g in range(ranks // nodes)}, nodes=nodes, state="COMPLETED")
    for ranks, tell in ((1, "ppl"), (2, "glog")):
        text = trainers.python(tell, "flat", total=240, pause=0.12, lr=0.003)
        gpus = {(0, g): held({**work(19, memory=9, tensor=4), "utilization.gpu": "71", "power.usage": "230000"}) for g in range(ranks)}
        yield job(Label(mode="D2", variant="launch_blocking", fault="user"), {"train.py": text}, "python3 -u train.py", ranks, gpus, head="export CUDA_LAUNCH_BLOCKING=1\n", state="COMPLETED")


def lagging() -> Iterator[SlurmJob]:
    """One rank takes longer than the others, which wait for it at every step."""
    label = Label(mode="D3", fault="unknown")
    for ranks, nodes, slow, tell, high, low, clock in ((4, 2, 3, "logfmt", 61, 16, 0), (3, 1, 1, "ignite", 54, 14, 0), (8, 2, 5, "glog", 66, 19, 0), (4, 1, 0, "steps_of", 57, 12, 0), (4, 2, 2, "jsonl", 71, 17, 1005), (6, 2, 4, "csv", 49, 13, 0)):
        text = trainers.python(tell, "class", total=260, pause=0.03, lr=0.004, at=1, reach=">=", mid=f"time.sleep(0.09 if rank == {slow} else 0.01)", everyone=ranks < 6, **{**TOGETHER, "sync": ""}, each="loss = self.group.mean(loss)")
        per = ranks // nodes
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        gpus = {(r // per, r % per): held(own if r == slow else work(low, memory=8, tensor=3)) for r in range(ranks)}
        yield job(label, {"train.py": text}, "python3 -u train.py", ranks, gpus, nodes=nodes, state="COMPLETED")


def healthy() -> Iterator[SlurmJob]:
    """Cards that rest for good reasons, are warm, or have a past."""
    hard, good = Label(mode="G1", fault="none", hard=True), Label(mode="G1", fault="none")
    rest = held({**work(58), "memory.used": str(12 << 30)}, (10.0, {**ZERO, "memory.used": str(12 << 30)}), (24.0, work(58)))
    text = trainers.python("ignite", "class", total=560, pause=0.03, lr=0.003, at=220, mid="log.info('validating on 30000 held-out samples')\ntime.sleep(13)\nlog.info('validation: accuracy 0.913')")
    yield job(hard, {"fit.py": text}, "python3 -u fit.py", 1, {(0, 0): rest}, state="COMPLETED")
    text = trainers.python("ppl", "flat", total=500, pause=0.03, lr=0.003, early="print('building the vocabulary from 2.1M lines', flush=True)\ntime.sleep(16)\nprint('vocabulary: 32000 words', flush=True)")
    yield job(hard, {"lm.py": text}, "python3 -u lm.py", 2, {(0, g): held(ZERO, (16.0, work(62))) for g in range(2)}, state="COMPLETED")
    warm = {**work(69), "temperature": "83", "throttle_reasons": "0x4", "clock.sm": "1620", "power.usage": "698000", "ecc.volatile.corrected": "12", "ecc.aggregate.corrected": "90", "pcie.replay": "2"}
    yield job(hard, {"trainer.js": trainers.node(total=500, pause_ms=40)}, "node trainer.js", 2, {(n, 0): held(warm) for n in range(2)}, nodes=2, state="COMPLETED")
    old = {**work(55), "ecc.aggregate.uncorrected": "6", "remapped.uncorrected": "2", "remapped.corrected": "1", "retired.sbe": "0"}
    text = trainers.python("logfmt", "class", total=420, pause=0.04, lr=0.003, **TOGETHER)
    yield job(hard, {"train.py": text}, "python3 -u train.py", 3, {(0, 0): held(work(54)), (0, 1): held(old), (0, 2): held(work(55))}, state="COMPLETED")
    yield job(good, {"train.pl": trainers.perl(total=420, pause=0.04)}, "perl train.pl", 1, {(0, 0): held(work(47))}, state="COMPLETED")


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (broken, full, throttled, stuck, starved, bound, lagging, healthy):
        yield from part()


RECIPE = Recipe("cards_and_clocks", "development", jobs)
