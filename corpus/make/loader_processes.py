"""PyTorch's loader workers and spawned processes that fail under their parent."""

from collections.abc import Iterator
from dataclasses import replace

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import LocalJob, Recipe

HEAD = """import os
import signal
import torch
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, bad_at, do):
        self.bad_at, self.do = bad_at, do

    def __len__(self):
        return 400

    def __getitem__(self, index):
        if index == self.bad_at:
            self.do()
        return torch.full((4,), float(index % 7))


def loop(bad_at, do, workers=2):
    net = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.005)
    for number, batch in enumerate(DataLoader(Items(bad_at, do), batch_size=4, num_workers=workers)):
        loss = (net(batch) - batch.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"batch {number} loss {loss.item():.4f}", flush=True)
    print("end of training")


def raising(error):
    def do():
        raise error
    return do


"""
SPAWN = "import torch.multiprocessing as mp\n\ndef worker(rank):\n    print('worker', rank, 'up', flush=True)\n    if rank == 1:\n        {}\n\nif __name__ == '__main__':\n    mp.spawn(worker, nprocs=2)\n"
SCRIPTS = (
    Flat("loop(301, raising(FileNotFoundError(2, 'No such file or directory', 'data/img_000301.jpg')))", "A3", "file_not_found"),
    Flat("loop(1, raising(PermissionError(13, 'Permission denied', 'data/img_000001.jpg')))", "A1", "permission", "data"),
    Flat("loop(280, raising(ValueError('truncated image')))", "A3", "traceback"),
    Flat("loop(0, raising(ZeroDivisionError('float division by zero')))", "A1", "div_zero", "data"),
    Flat("loop(222, raising(AssertionError('mask and image differ')))", "A3", "assertion"),
    Flat("loop(2, lambda: __import__('cv2'))", "A1", "missing_module", "env"),
    Flat("loop(300, lambda: os.kill(os.getpid(), signal.SIGSEGV))", "A2", "segfault"),
    Flat("loop(300, lambda: os.kill(os.getpid(), signal.SIGKILL))", "A2", None, fault="unknown"),
    Flat("loop(240, lambda: torch.ones(2, 2) @ torch.ones(3, 3))", "A3", "runtime_error"),
    Flat("loop(-1, None)", "G1"),
    Flat("loop(-1, None, 0)", "G1"),
    Flat(SPAWN.format("raise IndexError('list index out of range')"), "A1", "traceback", "data"),
    Flat(SPAWN.format("open('data/rank1.bin')"), "A1", "file_not_found", "data"),
    Flat(SPAWN.format("os.kill(os.getpid(), signal.SIGSEGV)"), "A2", "segfault"),
    Flat(SPAWN.format("assert False, 'rank 1 has no shard'"), "A1", "assertion", "config"),
)


def jobs() -> Iterator[LocalJob]:
    """On both versions of PyTorch; in a command of its own the parent is the only rank."""
    yield from flat_jobs(SCRIPTS, "torch", (HEAD,))
    for job in flat_jobs(SCRIPTS[:8], "torch-old", (HEAD,)):
        yield replace(job, python="torch-old")


RECIPE = Recipe("loader_processes", "development", jobs)
