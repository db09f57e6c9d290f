"""PyTorch ranks over gloo, started by torchrun on one node or two, by srun, or by torch.multiprocessing, which fail, wait for each other, or go well."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob

DDP = """import datetime
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Waves(Dataset):
    def __init__(self, size=4096):
        generator = torch.Generator().manual_seed(4)
        self.x = torch.rand(size, 6, generator=generator)
        self.y = self.x.sin().sum(1, keepdim=True)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        ITEM
        return self.x[i], self.y[i]


def setup():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    BEFORE
    dist.init_process_group("gloo"MEET)
    return rank, world


def train(rank, world):
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    EARLY
    net = torch.nn.Sequential(torch.nn.Linear(6, 20), torch.nn.GELU(), torch.nn.Linear(20, 1))
    model = DDP(net)
    loader = DataLoader(Waves(), batch_size=16, sampler=DistributedSampler(Waves(), world, rank), num_workers=WORKERS)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    step = 0
    for epoch in range(EPOCHS):
        for x, y in loader:
            step += 1
            MID
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(0.03)
            if step % 8 == 0:
                TELL
            if step >= 150:
                break
    LATE
    dist.destroy_process_group()


def main():
    rank, world = setup()
    train(rank, world)


if __name__ == "__main__":
    main()
"""
HAND = """import os, sys, time, datetime, logging
import torch
import torch.distributed as dist

logging.basicConfig(level=logging.INFO, format=f"%(asctime)s|{os.environ.get('RANK', '?')}|%(levelname)s|%(message)s")
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)
BEFORE
dist.init_process_group("gloo"MEET)
logging.info("joined group of %d", world)
EARLY
w = torch.zeros(5, requires_grad=True)
target = torch.linspace(-1, 1, 5)
for step in range(1, 161):
    x = torch.randn(24, 5)
    loss = ((x @ w - x @ target) ** 2).mean()
    loss.backward()
    MID
    dist.all_reduce(w.grad)
    with torch.no_grad():
        w -= 0.02 * w.grad / world
        w.grad.zero_()
    time.sleep(0.03)
    if step % 10 == 0:
        TELL
LATE
dist.destroy_process_group()
"""
LOADS = DDP.replace(
    "    model = DDP(net)", "    if rank == 0:\n        print('resuming from ckpt/last.pt', flush=True)\n        net.load_state_dict(torch.load('ckpt/last.pt'))\n    model = DDP(net)"
)
"""One that reads its weights before."""
SPAWN = """import os
import time
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, world):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["PORT"])
    BEFORE
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(0)
    layer = torch.nn.Linear(8, 1)
    EARLY
    for step in range(1, 121):
        x = torch.randn(32, 8 if rank or step < 0 else 8)
        MID
        loss = (layer(x) - x[:, :1]).pow(2).mean()
        loss.backward()
        for p in layer.parameters():
            dist.all_reduce(p.grad)
            p.data -= 0.05 * p.grad / world
            p.grad = None
        time.sleep(0.03)
        if step % 10 == 0 and rank == 0:
            TELL


if __name__ == "__main__":
    mp.spawn(worker, args=(int(os.environ["WORLD"]),), nprocs=int(os.environ["WORLD"]))
    print("all workers have returned")
"""
TELLS = {
    DDP: ('print(f"[rank {rank}] ep {epoch} it {step:>4} mse={loss.item():.5f}", flush=True)', 'if rank == 0:\n    print(f"epoch={epoch} global_step={step} train/loss={loss.item():.4f} throughput={16 * world / 0.03:.0f}/s", flush=True)'),
    HAND: ('logging.info("step=%d loss=%.5f", step, loss.item())', 'if rank == 0:\n    logging.info("[%d/160] loss %.4f | |w - w*| %.3f", step, loss.item(), (w - target).norm().item())'),
    SPAWN: ('print(f"Step {step:>3}/120  Loss: {loss.item():.5f}", flush=True)', 'print("step", step, "loss", round(loss.item(), 5), flush=True)'),
}
TELLS[LOADS] = TELLS[DDP]
PORT = "$((20000 + SLURM_JOB_ID * 7 % 11000))"
WRAP = '#!/bin/bash\nexport RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=${WORLD_SIZE:-$SLURM_NTASKS}\nexec "$@"\n'
LOCK = "import fcntl\nlock = open('setup.lock', 'w')\nprint(f'process {rank}: taking setup.lock', flush=True)\nfcntl.flock(lock, fcntl.LOCK_EX)\nprint(f'process {rank}: vocabulary is there', flush=True)"


def program(base: str, tell: int = 0, *, item: str = "", before: str = "", meet: str = "", early: str = "", mid: str = "pass", late: str = "", workers: int = 0, epochs: int = 1) -> str:
    """The base with code at its places."""
    values = {"ITEM": item, "BEFORE": before, "EARLY": early, "MID": mid, "LATE": late, "TELL": TELLS[base][tell]}
    lines = []
    for line in base.splitlines():
        if line.strip() in values:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + more for more in values[line.strip()].splitlines()]
        else:
            lines.append(line.replace("MEET", meet).replace("WORKERS", str(workers)).replace("EPOCHS", str(epochs)))
    return "\n".join(lines) + "\n"


def torchrun(ranks: int, nodes: int = 1, said: int = 0) -> str:
    """On one node, or an agent on each of several; ``said`` is the number of nodes that they are told of."""
    if nodes == 1 and not said:
        return f"#!/bin/bash\nexport OMP_NUM_THREADS=1\nsrun -n1 PYTHON -m torch.distributed.run --nproc-per-node={ranks} --master-addr=127.0.0.1 --master-port={PORT} train.py\n"
    return (f"#!/bin/bash\nhead=127.0.0.1:{PORT}\nsrun -N{nodes} -n{nodes} --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes={said or nodes} --nproc-per-node={ranks // nodes} "
            "--rdzv-backend=c10d --rdzv-id=$SLURM_JOB_ID --rdzv-endpoint=$head train.py\n")  # fmt: skip


def srun(options: str = "", head: str = "") -> str:
    """Each rank is a task, in a wrapper that sets RANK."""
    return f"#!/bin/bash\nexport MASTER_ADDR=127.0.0.1 MASTER_PORT={PORT}\n{head}srun {options} bash ./launch.sh PYTHON -u train.py\ncode=$?\nsleep 0.5\nexit $code\n"


def spawn(ranks: int) -> str:
    """One task that starts its ranks itself."""
    return f"#!/bin/bash\nexport WORLD={ranks} PORT={PORT}\nsrun -n1 PYTHON -u train.py\n"


def job(label: Label, text: str, script: str, ranks: int, nodes: int, state: str = "FAILED", *options: str, act: str = "", after: str = "", files: dict[str, str] | None = None) -> SlurmJob:  # noqa: PLR0917
    """``ranks`` tasks' worth of places."""
    return SlurmJob(label, {"train.py": text, "launch.sh": WRAP, **(files or {})}, script, (f"-N{nodes}", f"-n{ranks}", ELSEWHERE, *options), "torch", act=act, after=after, state=state)


def at_rank(rank: int, code: str, step: int | None = None) -> str:
    """Only there, and from that step on."""
    return f"if rank == {rank}{f' and step == {step}' if step else ''}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def failing() -> Iterator[SlurmJob]:
    """One rank fails; launchers and gloo take the others along."""

    def label(mode: str, cause: str | None, rank: int, variant: str | None = None, failed: tuple[int, ...] = ()) -> Label:
        return Label(mode=mode, cause=cause, variant=variant, fault="user", failed_ranks=failed or (rank,), first_ranks=(rank,))

    yield job(label("A1", "traceback", 2, "config"), program(DDP, 0, early="conf = {'hidden': 20, 'depth': 2}\n" + at_rank(2, "width = conf['hidden_size']")), torchrun(3), 3, 1)
    yield job(label("A1", "file_not_found", 1, "asset"), program(HAND, 1, early=at_rank(1, "base = torch.load('base/model-00002-of-00002.pt')")), torchrun(2, 2), 2, 2)
    yield job(label("A1", "runtime_error", 1, "data"), program(SPAWN, 0, early="if rank == 1:\n    layer(torch.randn(4, 9))"), spawn(2), 2, 1)
    need = "assert torch.cuda.device_count() >= world, f'{world} processes, {torch.cuda.device_count()} devices'"
    yield job(label("A1", "assertion", 0, "env"), program(HAND, 0, before="if rank == 0:\n    time.sleep(1)\n    " + need + "\ntime.sleep(12)"), srun("--kill-on-bad-exit=1"), 3, 1)
    yield job(label("A3", "device_mismatch", 1), program(DDP, 1, mid=at_rank(1, "y = y + torch.zeros(1, device='meta')", 57)), torchrun(2), 2, 1)
    yield job(label("A3", "traceback", 3), program(DDP, 0, item="if i == 3031:\n    raise IndexError(f'sample {i}: label 17 of 10')", workers=1, early="", mid="pass").replace("Waves(), world, rank)", "Waves(), world, rank, shuffle=False)"), torchrun(4, 2), 4, 2)
    yield job(label("A3", "permission", 1, failed=(0, 1)), program(HAND, 1, mid=at_rank(1, "torch.save({'w': w.data}, '/opt/w.pt') if os.access('/opt', os.W_OK) else open('/opt/w.pt', 'wb')", 63)), srun("--wait=25"), 2, 2)
    yield job(label("A3", "assertion", 0), program(SPAWN, 1, mid=at_rank(0, "assert x.abs().max() < 0.1, 'input is not normalised'", 43)), spawn(3), 3, 1)
    yield job(label("A3", "div_zero", 0), program(DDP, 1, mid=at_rank(0, "accuracy = 100 * 0 // (step % 47)", 94), epochs=2), torchrun(2, 2), 2, 2)
    yield job(label("A3", "ram_oom", 2), program(HAND, 0, mid=at_rank(2, "scores = torch.empty(9_000_000, 1_000_000)", 71)), srun("-K --label"), 3, 1)
    yield job(label("A3", "runtime_error", 1, failed=(0, 1)), program(HAND, 0, mid=at_rank(1, "x @ target.view(1, 5)", 38)), srun("--wait=25"), 2, 1)
    yield job(label("A2", "segfault", 1), program(DDP, 1, mid=at_rank(1, "import ctypes\nctypes.string_at(8)", 66)), torchrun(3), 3, 1)
    yield job(label("A2", None, 1), program(SPAWN, 0, mid=at_rank(1, "os.abort()", 52)), spawn(2), 2, 1)
    killed = label("A2", None, 1).but(fault="unknown")
    yield job(killed, program(DDP, 0, early=at_rank(1, "open('pid-1', 'w').write(str(os.getpid()))"), epochs=3), torchrun(2), 2, 1, act="kill_rank", after="it   56")
    shard = "state = torch.load(f'ckpt/shard-{rank}.pt', weights_only=True)\nprint(f'rank {rank}: loaded ckpt/shard-{rank}.pt, step {state[\"step\"]}', flush=True)\ndist.barrier()"
    make = "import torch\nfor r in range(2):\n    torch.save({'step': 900, 'w': torch.randn(2000)}, f'ckpt/shard-{r}.pt')\n"
    cut = "mkdir -p ckpt\nPYTHON make.py\ntruncate -s 5000 ckpt/shard-1.pt\n"
    yield job(label("E2", "traceback", 1, "corrupt"), program(HAND, 0, early=shard), srun("-K", cut), 2, 1, files={"make.py": make})
    wide = "mkdir -p ckpt\nPYTHON make.py\n"
    maker = "import torch\ntorch.save(torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.GELU(), torch.nn.Linear(32, 1)).state_dict(), 'ckpt/last.pt')\n"
    yield job(label("E2", "runtime_error", 0, "size_mismatch"), program(LOADS, 1), srun("-K", wide), 2, 2, files={"make.py": maker})


def waiting() -> Iterator[SlurmJob]:
    """Ranks that never meet, and ranks that wait in training."""
    never, hang = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="user")
    limit = "--time=1"
    yield job(never, program(DDP, 0), torchrun(4, 2, said=3), 4, 2, "TIMEOUT", limit)
    place = ", init_method=f'file:///tmp/meet-{os.environ[\"SLURM_JOB_ID\"]}-{os.environ[\"SLURMD_NODENAME\"]}', rank=rank, world_size=world"
    yield job(never, program(DDP, 1, before="print(f'{rank}/{world}: init_process_group', flush=True)", meet=place), srun(), 2, 2, "TIMEOUT", limit)
    place = ", init_method=f'file://{os.getcwd()}/meet', rank=int(os.environ['LOCAL_RANK']), world_size=world"
    yield job(never, program(HAND, 0, meet=place), srun(), 2, 2, "TIMEOUT", limit)
    yield job(never.but(fault="user"), program(HAND, 1, before=LOCK.replace("print(f'process {rank}: vocabulary", "time.sleep(1)\nprint(f'process {rank}: vocabulary")), srun("--label"), 3, 1, "TIMEOUT", limit)
    died = Label(mode="C1", trigger="A1", cause="file_not_found", fault="user", failed_ranks=(2,), first_ranks=(2,))
    yield job(died, program(DDP, 1, before=at_rank(2, "sizes = open('/datasets/waves/index.json').read()")), srun(), 3, 1, "TIMEOUT", limit)
    patience = ", timeout=datetime.timedelta(seconds=18)"
    late = never.but(failed_ranks=(0, 1))
    yield job(late, program(HAND, 0, before="logging.info('waiting for the group')", meet=patience), srun(head="export WORLD_SIZE=3\n"), 2, 2)
    peer = "if rank == 1 and step == 60:\n    print('rank 1 has no more batches, sending its statistics', flush=True)\n    share = torch.zeros(3)\n    dist.recv(share, src=0)"
    yield job(hang, program(HAND, 1, mid=peer), srun(), 2, 2, "TIMEOUT", limit)
    yield job(hang.but(fault="unknown"), program(DDP, 0, early=at_rank(1, "open('pid-1', 'w').write(str(os.getpid()))"), epochs=9), torchrun(2), 2, 1, "TIMEOUT", limit, act="stop_rank", after="it   40")
    queue = at_rank(2, "import queue\nrows = queue.Queue()\nrows.get()", 41)
    yield job(hang.but(cause="runtime_error"), program(DDP, 1, meet=", timeout=datetime.timedelta(seconds=14)", mid=queue), torchrun(4, 2), 4, 2)
    pipe = at_rank(0, "import subprocess\nprint('rank 0: writing a checkpoint through gzip', flush=True)\nchild = subprocess.Popen(['gzip', '-c'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\nchild.stdin.write(os.urandom(3_000_000))", 70)
    yield job(hang, program(HAND, 0, mid=pipe), srun("-l"), 2, 1, "TIMEOUT", limit)
    yield job(hang, program(HAND, 1, mid=at_rank(1, "import socket\nlicence = socket.create_server(('127.0.0.1', 0))\nlicence.accept()", 50)), srun(), 3, 1, "CANCELLED", act="scancel_late", after="40/160")
    forked = at_rank(1, "pool = torch.multiprocessing.get_context('fork').Pool(1)\npool.apply(os._exit, (1,))", 45)
    yield job(hang, program(HAND, 0, mid=forked), f"#!/bin/bash\nexport MASTER_ADDR=127.0.0.1 MASTER_PORT={PORT}\ntimeout 50 srun bash launch.sh PYTHON -u train.py\nstatus=$?\necho \"srun: $status\"\nexit $status\n", 2, 1)


def well() -> Iterator[SlurmJob]:
    """They end as planned, some with words at their end."""
    good = Label(mode="G1", fault="none")
    yield job(good, program(DDP, 1), torchrun(2), 2, 1, "COMPLETED")
    yield job(good, program(HAND, 0).replace("dist.destroy_process_group()\n", ""), srun(), 2, 2, "COMPLETED")
    slow = "dist.barrier()\nif rank == 1:\n    print('rank 1 writes the index, the others have left', flush=True)\n    time.sleep(14)"
    yield job(good.but(hard=True), program(HAND, 1, late=slow), srun("--wait=0"), 3, 1, "COMPLETED")
    check = "try:\n    dist.send(torch.zeros(1), dst=rank)\nexcept (RuntimeError, ValueError) as error:\n    print(f'self check, expected: {type(error).__name__}: {error}', flush=True)"
    yield job(good.but(hard=True), program(SPAWN, 0, early=check), spawn(2), 2, 1, "COMPLETED")


def jobs() -> Iterator[SlurmJob]:
    """All."""
    yield from failing()
    yield from waiting()
    yield from well()


RECIPE = Recipe("gloo_across_nodes", "development", jobs)
