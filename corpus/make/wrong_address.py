"""Ranks that never meet: a wrong MASTER_ADDR or port, a peer that was not started, another world size."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe

CODE = """import datetime
import os
import torch
import torch.distributed as dist

{before}
dist.init_process_group("gloo", {how}timeout=datetime.timedelta(seconds={wait}))
net = torch.nn.Linear(4, 1)
for step in range(100):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    print(f"step {{step}} loss {{loss.item():.3f}}", flush=True)
"""
WAYS: tuple[tuple[str, dict[str, str]], ...] = (
    ("", {"MASTER_ADDR": "127.0.0.9", "MASTER_PORT": "29517", "RANK": "1", "WORLD_SIZE": "2"}),
    ("", {"MASTER_ADDR": "localhost", "MASTER_PORT": "1", "RANK": "3", "WORLD_SIZE": "4"}),
    ("", {"MASTER_ADDR": "127.0.0.1", "RANK": "0", "WORLD_SIZE": "2"}),
    ("init_method='tcp://127.0.0.1:29611', rank=1, world_size=2, ", {}),
    ("", {"MASTER_ADDR": "127.0.0.1", "RANK": "0", "WORLD_SIZE": "8"}),
)
BEFORE = ("print('initializing process group', flush=True)", "print(f'rank {os.environ.get(\"RANK\")} of {os.environ.get(\"WORLD_SIZE\")} starts', flush=True)", "import logging\nlogging.basicConfig(level=logging.INFO)\nlogging.info('setting up distributed')")


def jobs() -> Iterator[LocalJob]:
    """Each with its own patience, on two versions."""
    for turn in range(18):
        old = turn >= 12
        how, env = WAYS[turn % len(WAYS)]
        rank = int(env.get("RANK", "1"))
        code = CODE.format(before=BEFORE[turn % 3], how=how, wait=(4, 7, 11)[turn % 3])
        label = Label(mode="C1", fault="unknown", first_ranks=(), failed_ranks=(rank,))
        command = ("PYTHON", "train.py") if "MASTER_PORT" in env or how else ("bash", "-c", "MASTER_PORT=PORT exec python train.py")
        yield LocalJob(label, {"train.py": code}, command, "torch-old" if old else "torch", env=env, ends=lambda s: s == 1)


RECIPE = Recipe("wrong_address", "development", jobs)
