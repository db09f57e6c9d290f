"""What the staged batch jobs share: a small network with a task, in a module beside the groups' scripts, and how a job is put together."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.label import Label
from corpus.make._bench_trestle import Card, queue
from corpus.running.job import SlurmJob

LAB = '''import os, time
import torch
import torch.distributed as dist
from torch.nn import functional as F

rank = int(os.environ.get("SLURM_PROCID", 0))
world = int(os.environ.get("SLURM_NTASKS", 1))
host = os.environ.get("SLURMD_NODENAME", "local")


def go():
    warm = torch.nn.Linear(4, 4)
    seen = torch.nn.parallel.DistributedDataParallel(warm) if dist.is_initialized() else warm
    opt = torch.optim.AdamW(warm.parameters())
    seen(torch.ones(2, 4)).sum().backward()
    torch.nn.utils.clip_grad_norm_(warm.parameters(), 1.0)
    opt.step()
    time.sleep(max(0.0, float(os.environ.get("GO", 0)) - time.time()))


def join():
    dist.init_process_group("gloo", rank=rank, world_size=world)
    go()


class Fit:
    def __init__(self, seed=0, width=24, hidden=64, classes=10, lr=4e-3, shared=False, gain=1.0):
        fixed = torch.Generator().manual_seed(seed)
        self.teacher = torch.randn(width, classes, generator=fixed)
        self.draw = torch.Generator().manual_seed(1000 + seed * 31 + rank)
        torch.manual_seed(seed)
        self.net = torch.nn.Sequential(torch.nn.Linear(width, hidden), torch.nn.GELU(), torch.nn.Linear(hidden, classes))
        self.bare = self.net
        if shared:
            self.net = torch.nn.parallel.DistributedDataParallel(self.net)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr)
        self.width, self.gain, self.grad, self.acc = width, gain, 0.0, 0.0

    def batch(self, n):
        x = torch.randn(n, self.width, generator=self.draw)
        return x * self.gain, (x @ self.teacher).argmax(1)

    def step(self, n=96, pause=0.2):
        x, y = self.batch(n)
        out = self.net(x)
        loss = F.cross_entropy(out, y)
        self.opt.zero_grad()
        loss.backward()
        self.grad = torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1e9).item()
        self.opt.step()
        self.acc = (out.argmax(1) == y).float().mean().item()
        time.sleep(pause)
        return loss.item()

    def check(self, n=600):
        with torch.no_grad():
            x, y = self.batch(n)
            out = self.bare(x)
            return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()

    def state(self, **more):
        return {"model": self.bare.state_dict(), "optimizer": self.opt.state_dict(), **more}
'''


def put(label: Label, launch: str, files: Mapping[str, str], *, name: str, gpus: Mapping[int, Card] | None = None, options: tuple[str, ...] = (), **more: object) -> SlurmJob:
    """A job called ``name`` with ``files`` beside the module, started by the batch script ``launch``."""
    (script, code), *others = files.items()
    return queue(label, code, launch, script=script, files={"lab.py": LAB, **dict(others)}, gpus=gpus, options=(f"--job-name={name}", *options), **more)  # type: ignore[arg-type]
