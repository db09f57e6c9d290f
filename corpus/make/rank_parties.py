"""Several ranks, started in other ways than one: torchrun with prefixes and redirects, Accelerate, Lightning's own processes, spawn, a shell's background jobs, JAX."""

from collections.abc import Iterator
from dataclasses import replace

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import LocalJob, Recipe

SUM = """import datetime
import os
import sys
import time
import torch
import torch.distributed as dist
{imports}

def say(*words):
    print(f"r{{os.environ['RANK']}}>", *words, flush=True)


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds={patience}))
    me, all_ = dist.get_rank(), dist.get_world_size()
    {early}
    dist.barrier()
    w = torch.zeros(5)
    gen = torch.Generator().manual_seed(10 + me)
    for k in range(1, {n} + 1):
        x = torch.randn(64, 5, generator=gen)
        err = x @ w - x @ torch.arange(5.0)
        grad = x.T @ err / 64
        {late}
        dist.all_reduce(grad)
        w -= 0.1 * grad / all_
        if k % 15 == 0:
            say(f"k={{k}}/{n}", f"sse={{err.pow(2).mean().item():.5f}}", f"{{time.perf_counter() % 100:.1f}}s")
    dist.barrier()
    if me == 0:
        say("weights", [round(v, 3) for v in w.tolist()])
    dist.destroy_process_group()


main()
"""
SPAWN = """import time
import torch
import torch.multiprocessing as mp


def work(me, lr):
    torch.manual_seed(me)
    a = torch.ones(3)
    for t in range(60):
        a -= lr * a
        if t % 6 == 0:
            print(f"<{me}> t={t} |a|={a.norm().item():.4f}", flush=True)
        time.sleep(0.01)
        if t == 44 and me == 1:
            chunks = [1, 2][2:]
            print(60 // len(chunks))


if __name__ == "__main__":
    mp.spawn(work, args=(0.07,), nprocs=2)
"""
WORKER = """import os
import sys
import time

me = int(sys.argv[1])
table = {"en": 5.0, "de": 4.0, "cs": 6.0}
language = ["en", "de", "pl"][me]
for k in range(1, 41):
    for name in table:
        table[name] *= 0.95
    if k % 5 == 0:
        print(f"task {me} | iteration {k} of 40 | perplexity {1 + sum(table.values()):.3f}", flush=True)
    time.sleep(0.02)
    if k == 22 + me:
        print(f"task {me} | {language}: {table[language]:.3f}", flush=True)
"""
LIT = """import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Line(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, i):
        loss = (self.layer(batch[0]) - batch[1]).pow(2).mean()
        if i % 8 == 0:
            print(f"[{self.global_rank}] {self.current_epoch}.{i:02d} mse {loss.item():.5f}", flush=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


x = torch.randn(512, 2)
L.Trainer(max_epochs=3, accelerator="cpu", devices=2, strategy="ddp", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False).fit(
    Line(), DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), 16))
"""
ACC = """import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.05)
x = torch.randn(640, 3)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.mean(1, keepdim=True)), 16)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for epoch in range(4):
    for a, b in loader:
        loss = (model(a) - b).abs().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.print(f"epoch {epoch}: l1 = {loss.item():.4f}", flush=True)
accelerator.wait_for_everyone()
{end}
"""
JAX = """import sys
import jax
import jax.numpy as jnp

jax.distributed.initialize("127.0.0.1:" + sys.argv[2], 2, int(sys.argv[1]), initialization_timeout=40)
me = jax.process_index()
theta = jnp.array([4.0, -1.0 - me])
step = jax.jit(lambda t: t - 0.1 * jax.grad(lambda v: jnp.sum((v - 1) ** 2))(t), device=jax.local_devices()[0])
for i in range(1, 61):
    theta = step(theta)
    if i % 10 == 0:
        print(f"process {me} of {jax.process_count()}: it {i} gap {float(jnp.abs(theta - 1).max()):.6f}", flush=True)
print(f"process {me}: done", flush=True)
jax.distributed.shutdown()
"""


def torchrun(count: int, *options: str) -> tuple[str, ...]:
    """The launcher's words."""
    return ("PYTHON", "-m", "torch.distributed.run", f"--nproc-per-node={count}", "--master-addr=127.0.0.1", "--master-port=PORT", *options)


def sums(n: int = 150, early: str = "pass", late: str = "pass", imports: str = "", patience: int = 60) -> str:
    """The sum program with code at its places."""
    return SUM.format(n=n, early=early.replace("\n", "\n    "), late=late.replace("\n", "\n        "), imports=imports, patience=patience)


NEW = (
    Flat(sums(), "G1", script="lsq.py", launch=torchrun(3)),
    Flat(sums(early="if me == 2:\n    torch.load('shards/part-2.pt')"), "A1", "file_not_found", "data", "lsq.py", launch=torchrun(4), failed=(), first=(2,)),
    Flat(sums(late="if me == 1 and k == 71:\n    assert err.isnan().any(), f'batch {k} is clean'"), "A3", "assertion", script="lsq.py", launch=torchrun(2, "--tee", "3", "--log-dir", "logs"), failed=(), first=(1,)),
    Flat(sums(imports="import apex_lite"), "A1", "missing_module", "env", "lsq.py", launch=torchrun(2), failed=(0, 1), first=()),
    Flat(sums(late="if me == 0 and k == 64:\n    replay = torch.zeros(400_000, 300_000)"), "A3", "ram_oom", script="lsq.py", launch=torchrun(2), failed=(), first=(0,)),
    Flat(sums(), "A1", "file_not_found", "config", "lsq.py", launch=torchrun(2, "train_lsq.py"), failed=(0, 1), first=()),
    Flat(LIT, "G1", script="line.py"),
    Flat(ACC.replace("{end}", "accelerator.save_model(model, 'final')\naccelerator.print('saved')"), "G1", script="acc.py", launch=("PYTHON", "-m", "accelerate.commands.launch", "--cpu", "--num_processes=2", "--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no", "--main_process_port=PORT")),
    Flat(ACC.replace("{end}", "if accelerator.is_main_process:\n    import os\n    os.makedirs('/usr/local/models')"), "A3", "permission", script="acc.py", launch=("PYTHON", "-m", "accelerate.commands.launch", "--cpu", "--num_processes=2", "--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no", "--main_process_port=PORT"), failed=(0,), first=(0,)),
    Flat(sums(), "C1", None, script="lsq.py", launch=("PYTHON", "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:PORT", "--rdzv-conf=join_timeout=9"), fault="unknown", failed=(), first=()),
)
OLD = (
    Flat(sums(late="if me == 2 and k == 100:\n    raise ValueError('label 11 is outside [0, 10)')"), "A3", "traceback", script="lsq.py", launch=torchrun(3), failed=(), first=(2,)),
    Flat(sums(late="if me == 1 and k == 49:\n    import ctypes\n    ctypes.string_at(1)"), "A2", "segfault", script="lsq.py", launch=torchrun(2), failed=(), first=(1,)),
    Flat(sums(late="if me == 1 and k == 82:\n    import signal\n    os.kill(os.getpid(), signal.SIGSTOP)", patience=11), "C2", "runtime_error", script="lsq.py", launch=torchrun(2), failed=(), first=()),
    Flat(SPAWN, "A3", "div_zero", script="spawned.py"),
    Flat(sums(n=240), "G1", script="lsq.py", launch=torchrun(2, "--redirects", "0:1", "--log-dir", "logs")),
)
SYSTEM = (
    Flat("for t in 0 1 2; do python3 worker.py $t & pids[$t]=$!; done\nstatus=0\nfor t in 0 1 2; do wait ${pids[$t]} || { echo \"task $t ended with $?\" >&2; status=1; }; done\nexit $status", "A3", "traceback", script="tasks.sh", files=(("worker.py", WORKER),), failed=(), first=()),
    Flat("seq 0 1 | xargs -P2 -I{} python3 worker.py {}\necho all tasks over", "G1", script="tasks.sh", files=(("worker.py", WORKER),)),
)
TWO = "port=$(python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(s.getsockname()[1])')\npython3 two.py 1 $port &\npython3 two.py 0 $port\nrc=$?\nwait\nexit $rc"


def jobs() -> Iterator[LocalJob]:
    """On two versions of PyTorch, below shells, with JAX."""
    for python, scripts in (("torch-26", NEW), ("torch-22", OLD), ("system", SYSTEM)):
        for job in flat_jobs(scripts, python):
            words = tuple(w for w in job.command if not (w == "lsq.py" and "train_lsq.py" in job.command))
            yield replace(job, command=words)
    yield from flat_jobs([Flat(TWO, "G1", script="two.sh", files=(("two.py", JAX),))], "jax")


RECIPE = Recipe("rank_parties", "development", jobs)
