"""Jobs under torchrun, Trainer and Lightning that hang, crawl, learn nothing, or are stopped from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GO_S, MEET, bad, card, queue, rest, work
from corpus.make._nutmeg_good import NODES, RUN
from corpus.running.job import SlurmJob

HELLO = """import logging, os
import torch.distributed as dist
logging.basicConfig(level=logging.INFO)
dist.init_process_group("gloo")
logging.info("rank %s of %s is in", dist.get_rank(), dist.get_world_size())
dist.barrier()
"""
NAMED = """import os, sys, time
import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
os.environ["RANK"], os.environ["WORLD_SIZE"] = str(rank), os.environ["SLURM_NTASKS"]
print(f"{time.strftime('%H:%M:%S')} rank {rank}: init_process_group(env://), master {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", file=sys.stderr)
dist.init_process_group("gloo")
print(f"{time.strftime('%H:%M:%S')} rank {rank}: ready", file=sys.stderr)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
"""
STORE = """import datetime
import os
import time
import torch
import torch.distributed as dist

me, everybody = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), everybody, me == 0, datetime.timedelta(hours=6))
torch.manual_seed(me)
weights = torch.zeros(12)
target = torch.arange(12.0) / 12


def exchange(step, vector):
    store.set(f"{step}/{me}", ",".join(f"{v:.6f}" for v in vector.tolist()))
    parts = [torch.tensor([float(v) for v in store.get(f"{step}/{r}").decode().split(",")]) for r in range(everybody)]
    return torch.stack(parts).mean(0)


for step in range(1, 600):
    rows = {"x": torch.randn(20, 12)}
    if step == 90 and me == 2:
        rows = {"inputs": rows["x"]}
    x = rows["x"]
    grad = 2 * x.T @ (x @ weights - x @ target) / 20
    weights = weights - 0.05 * exchange(step, grad)
    time.sleep(0.1)
    if step % 10 == 0 and me == 0:
        print(f"async step {step}: err {(weights - target).norm():.5f}", flush=True)
"""
FLOCK = """import fcntl, os, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r = dist.get_rank()
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(6, 6))
opt = torch.optim.SGD(net.parameters(), 0.1)


def with_cache(build):
    with open("cache.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = build()
        if r == 0:
            dist.barrier()
    if r != 0:
        dist.barrier()
    return made


epoch = 0
data = torch.randn(600, 6)
while epoch < 30:
    for n, x in enumerate(data.split(20)):
        loss = (net(x) - x.roll(1, 1)).abs().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.1)
        if n % 5 == 0 and r == 0:
            print(f"epoch {epoch} it {n:2d}/30 loss {loss.item():.4f}", flush=True)
    epoch += 1
    if epoch % 3 == 0:
        if (r == 0) == (epoch == 3):
            time.sleep(0.5)
        data = with_cache(lambda: torch.randn(600, 6) + (epoch if r == 0 else 0))
"""
PIPE = """import os, subprocess, time
import torch
import pace

os.mkfifo("frames.fifo")
producer = subprocess.Popen(["bash", "-c", "for i in $(seq 1 60); do echo $i; done > frames.fifo; sleep 400 > frames.fifo"])
net = torch.nn.Sequential(torch.nn.Conv3d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.LazyLinear(1))
net(torch.zeros(1, 1, 5, 8, 8))
opt = torch.optim.SGD(net.parameters(), 1e-2)
with open("frames.fifo") as frames:
    print("decoder attached", flush=True)
    n = 0
    while True:
        line = frames.readline() or open("frames.fifo").readline()
        n += 1
        clip = torch.rand(2, 1, 5, 8, 8)
        loss = (net(clip).squeeze(1) - clip.amax((1, 2, 3, 4))).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.2)
        if n % 6 == 0:
            print(f"clip {n}: loss={loss.item():.5f}", flush=True)
"""
IMAGES = """import logging
import random
import time
import torch
import pace

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
random.seed(3)


class Jpegs(torch.utils.data.Dataset):
    def __len__(self):
        return 120

    def __getitem__(self, i):
        time.sleep(0.25 + 0.1 * random.random())
        x = torch.rand(3, 8, 8)
        x[:, 2 * (i % 4):2 * (i % 4) + 2] += 0.8
        return x, i % 4


net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 6e-3)
for step, (x, y) in enumerate(torch.utils.data.DataLoader(Jpegs(), batch_size=10, shuffle=True), 1):
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.5)
    logging.info("step %d/12 loss=%.4f", step, loss.item())
logging.info("epoch complete")
"""
WIRE = """import os, time
import torch
import torch.distributed as dist
import pace

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)
layers = [torch.zeros(256, 64) for _ in range(4)]
goal = [torch.full((256, 64), k / 3) for k in range(4)]
comm = calc = 0.0
for step in range(1, 25):
    t0 = time.perf_counter()
    grads = [w - g + 0.02 * torch.randn_like(w) for w, g in zip(layers, goal)]
    time.sleep(0.08)
    t1 = time.perf_counter()
    for g in grads:
        for row in g.split(8):
            dist.all_reduce(row)
            time.sleep(0.007)
    t2 = time.perf_counter()
    layers = [w - 0.2 * g / world for w, g in zip(layers, grads)]
    calc, comm = calc + t1 - t0, comm + t2 - t1
    if step % 4 == 0:
        print(f"r{rank} step {step}/24 loss {sum((w - g).square().mean() for w, g in zip(layers, goal)):.5f} fwd+bwd {t1 - t0:.3f}s grad-sync {t2 - t1:.3f}s", flush=True)
print(f"r{rank} done: compute {calc:.1f}s, sync {comm:.1f}s ({comm / (comm + calc):.0%})", flush=True)
"""
WARM = """import time
import torch
import torch.distributed as dist
import pace

dist.init_process_group("gloo")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(9, 36), torch.nn.Mish(), torch.nn.Linear(36, 9)))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for step in range(1, 61):
    t = time.time()
    x = torch.randn(70, 9)
    loss = (net(x) - x.softmax(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.22 if step < 26 else 0.75)
    if step % 5 == 0 and dist.get_rank() == 0:
        print(f"[train] it={step:03d}/60 loss={loss.item():.5f} it_time={time.time() - t:.3f}", flush=True)
if dist.get_rank() == 0:
    print("[train] end")
"""
LEAP = """import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

torch.manual_seed(5)
rows = [{"input_ids": (torch.arange(16) * (1 + i % 3) + i) % 48, "labels": (torch.arange(16) * (1 + i % 3) + i) % 48} for i in range(400)]


class Phase(TrainerCallback):
    def on_step_begin(self, args, state, control, optimizer=None, **kw):
        if state.global_step >= 70:
            for g in optimizer.param_groups:
                g["lr"] = 0.6


lm = GPT2LMHeadModel(GPT2Config(vocab_size=48, n_positions=16, n_embd=32, n_layer=1, n_head=2))
args = TrainingArguments("out", max_steps=140, per_device_train_batch_size=16, learning_rate=5e-3, max_grad_norm=0.0, logging_steps=5, save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, lr_scheduler_type="constant")
Trainer(lm, args, train_dataset=rows, callbacks=[Phase()]).train()
"""
DEAD = """import torch

torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Linear(16, 24, bias=False), torch.nn.ReLU(), torch.nn.Linear(24, 4, bias=False))
stages = [{"lr": 0.05, "weight_decay": 0.0, "epochs": 16}, {"lr": 0.05, "weight_decay": 9.0, "epochs": 44}]
x = torch.randn(400, 16)
y = x[:, :4].argmax(1)
done = 0
for stage in stages:
    opt = torch.optim.SGD(net.parameters(), lr=stage["lr"], weight_decay=stage["weight_decay"])
    print("stage", stage)
    for _ in range(stage["epochs"]):
        norms = []
        for k in range(0, 400, 50):
            loss = torch.nn.functional.cross_entropy(net(x[k:k + 50]), y[k:k + 50])
            opt.zero_grad()
            loss.backward()
            norms.append(torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0).item())
            opt.step()
        done += 1
        if done % 2 == 0:
            print({"epoch": done, "loss": round(loss.item(), 4), "grad_norm": round(sum(norms) / len(norms), 6), "lr": stage["lr"]})
print("train() returned after", done, "epochs")
"""
OPERATOR = """import os, pathlib, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
main = dist.get_rank() == 0
ck = pathlib.Path("ckpt.pt")
torch.manual_seed(0)
moe = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(18, 18))
opt = torch.optim.Adam(moe.parameters(), 4e-3)
start = 0
if ck.exists():
    s = torch.load(ck)
    moe.module.load_state_dict(s["model"]); opt.load_state_dict(s["optim"]); start = s["iteration"]
    if main:
        print(f" successfully loaded checkpoint from ckpt.pt at iteration {start}", flush=True)
for iteration in range(start + 1, 221):
    x = torch.randn(16, 18)
    loss = (moe(x) - x.cumsum(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if main and iteration % 20 == 0:
        torch.save({"model": moe.module.state_dict(), "optim": opt.state_dict(), "iteration": iteration}, ck)
        print(f" iteration {iteration:8d}/     220 | learning rate: 4.000E-03 | lm loss: {loss.item():.6E} | number of skipped iterations:   0 | number of nan iterations:   0 |", flush=True)
if main:
    print(" exiting program after 220 iterations", flush=True)
dist.destroy_process_group()
"""
MARCH = """import os, time
import torch, torch.distributed as dist
dist.init_process_group("gloo")
me = dist.get_rank()
where = f"{os.environ['SLURMD_NODENAME']}/{os.environ['LOCAL_RANK']}"
critic = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(5, 20), torch.nn.ReLU(), torch.nn.Linear(20, 1)))
opt = torch.optim.Adam(critic.parameters(), 3e-3)
s = torch.randn(30, 5)
for update in range(1, 3000):
    nxt = 0.8 * s + 0.2 * torch.randn(30, 5)
    with torch.no_grad():
        aim = s.sum(1, keepdim=True) + 0.9 * critic(nxt)
    td = (critic(s) - aim).square().mean()
    opt.zero_grad(); td.backward(); opt.step()
    s = nxt
    time.sleep(0.1)
    if update % 20 == 0:
        print(f"{where} update={update} td_error={td.item():.4f}", flush=True)
"""
TOPICS = """import logging
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
first = dist.get_rank() == 0
logging.basicConfig(level=logging.INFO if first else logging.WARNING, format="%(asctime)s topics %(message)s")
g = torch.Generator().manual_seed(dist.get_rank())
counts = torch.poisson(torch.rand(60, 6, generator=g) @ torch.rand(6, 90, generator=g) * 3, generator=g)
doc, word = torch.rand(60, 6), torch.rand(6, 90)
for sweep in range(1, 5001):
    doc *= (counts / (doc @ word + 1e-9)) @ word.T / word.sum(1)
    top, bottom = doc.T @ (counts / (doc @ word + 1e-9)), doc.sum(0)
    dist.all_reduce(top)
    dist.all_reduce(bottom)
    word *= top / bottom.unsqueeze(1)
    time.sleep(0.08)
    if sweep % 20 == 0:
        logging.info("sweep %d of 5000, divergence %.3f", sweep, float((doc @ word - counts * torch.log(doc @ word + 1e-9)).mean()))
"""
HUB_LONG = """import time
import torch
from transformers import BertConfig, BertForMaskedLM, Trainer, TrainerCallback, TrainingArguments


class Slowly(TrainerCallback):
    def on_step_end(self, args, state, control, **kw):
        time.sleep(0.25)


g = torch.Generator().manual_seed(1)
rows = [{"input_ids": (t := torch.randint(4, 70, (12,), generator=g)), "labels": t} for _ in range(800)]
net = BertForMaskedLM(BertConfig(vocab_size=70, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64))
args = TrainingArguments("mlm", num_train_epochs=40, per_device_train_batch_size=16, learning_rate=3e-3, logging_steps=10, save_strategy="no", report_to="none", use_cpu=True)
Trainer(net, args, train_dataset=rows, callbacks=[Slowly()]).train()
print("pretraining finished")
"""
SMOKE = """import lightning as L
import torch

net = torch.nn.Linear(3, 1)


class Toy(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 30), torch.nn.ReLU(), torch.nn.Linear(30, 1))

    def training_step(self, batch, i):
        loss = (self.net(batch) - batch.prod(1, keepdim=True)).square().mean()
        self.log("loss", loss)
        self.print(f"step {self.global_step} loss {loss.item():.4f}")
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)


loader = torch.utils.data.DataLoader(torch.randn(5000, 3), batch_size=50)
trainer = L.Trainer(max_epochs=50, limit_train_batches=3, max_steps=3, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
trainer.fit(Toy(), loader)
print(f"fit done at global_step {trainer.global_step}, writing toy.pt")
torch.save(net.state_dict(), "toy.pt")
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, curves, nodes, and who stopped it."""
    apart = "export LOGLEVEL=INFO\nset -x\nsrun --ntasks-per-node=1 bash -c 'PYTHON -m torch.distributed.run --nnodes=2 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$((20000 + SLURM_JOB_ID + SLURM_NODEID)) --rdzv-id=$SLURM_JOB_ID --rdzv-conf=join_timeout=1800 --local-addr=127.0.0.1 hello.py'\n"
    yield queue(bad("C1", None), HELLO, apart, script="hello.py", ranks=2, nodes=2, options=("--time=1",), state="TIMEOUT")  # each node has a port of its own; neither gets a peer
    yield queue(
        bad("C1", None), NAMED, "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1) MASTER_PORT=29517\nsrun PYTHON ddp.py\n", script="ddp.py", ranks=2, act="scancel_late", after="init_process_group",
        state="CANCELLED",
    )  # nobody resolves the node's name  # fmt: skip
    yield queue(
        bad("C2", "traceback", first=(2,), trigger="A3"), STORE, MEET + "srun PYTHON keyed.py\n", script="keyed.py", ranks=3, act="scancel_late", after="KeyError", state="CANCELLED",
    )  # fmt: skip
    yield queue(bad("C2", None, fault="unknown"), FLOCK, f"srun {RUN}2 cached.py\n", script="cached.py", options=("--time=1",), state="TIMEOUT")
    yield queue(
        bad("C3", None, fault="unknown"), PIPE, "PYTHON clips3d.py\n", script="clips3d.py", options=("--time=1",),
        gpus={0: card((0.0, work(29, gib=12, watts=310)), (12.6, rest(12, watts=112, mhz=1980, temp=43)))}, state="TIMEOUT",
    )  # fmt: skip
    bursts = [x for n in range(12) for x in ((n * 3.5, rest(8, watts=118, mhz=1980, temp=41)), (n * 3.5 + 3.0, work(47, gib=8, watts=370)))]
    yield queue(bad("D1", None), IMAGES, "srun PYTHON jpegs.py\n", script="jpegs.py", gpus={0: card(*bursts)}, state="COMPLETED")
    spun = [(float(s), work(4 + s % 3, util=99, watts=161 + s % 6, dram=2, tensor=1, gib=52)) for s in range(27)]
    yield queue(bad("D2", None, "interconnect", fault="cluster"), WIRE, f"{RUN}3 fsdp.py\n", script="fsdp.py", ranks=3, gpus={r: card(*spun, (33.0, rest(0.0))) for r in range(3)}, state="COMPLETED")
    hot = [(7.0 + s, {"temperature": str(min(86 + s, 93)), "throttle_reasons": "0x68", "clock.sm": str(max(1740 - 320 * (s + 1), 540)), "clock.graphics": str(max(1740 - 320 * (s + 1), 540)), "power.usage": "262000",
                      "violation.thermal": f"{1000000 + int(s * 1e6)} {int(s * 960e6)}", "slowdown.hw_thermal": str(int(s * 960e6)), "memory.temperature": "101"}) for s in range(28)]  # fmt: skip
    yield queue(bad("B3", None, fault="node"), WARM, f"{RUN}2 mish.py\n", script="mish.py", ranks=2, gpus={0: card((0.0, work(62)), *hot, (35.0, rest(0.0))), 1: card((0.0, work(60)), (7.0, work(24, util=99, watts=300)), (35.0, rest(0.0)))}, state="COMPLETED")
    yield queue(bad("E1", None, "spike"), LEAP, "srun PYTHON clm.py\n", script="clm.py", python="rail-41", state="COMPLETED")
    yield queue(bad("E1", None, "plateau"), DEAD, "PYTHON quad.py\n", script="quad.py", state="COMPLETED")
    yield queue(bad("F2", None, "requeued_recovered", fault="none"), OPERATOR, f"echo restarts=${{SLURM_RESTART_COUNT:-0}}\nsrun {RUN}2 moe.py\n", script="moe.py", options=("--open-mode=append",), act="requeue", after=r"iteration +80/", state="COMPLETED")
    yield queue(bad("F1", None, fault="node"), MARCH, NODES.format(per=1, script="critic.py"), script="critic.py", ranks=2, nodes=2, where="-wn2,n4", options=("--no-requeue",), act="lose_node", after="update=60", state="NODE_FAIL")
    yield queue(bad("F3", None, "advancing"), HUB_LONG, "export HF_HUB_OFFLINE=1\nsrun PYTHON mlm.py\n", script="mlm.py", python="rail-41", options=("--time=1",), state="TIMEOUT")
    yield queue(bad("F4", None, "by_other", fault="none"), TOPICS, f"srun {RUN}2 topics.py\n", script="topics.py", act="scancel_by_admin", after="sweep 160", state="CANCELLED")
    yield queue(bad("E3", None), SMOKE, "PYTHON toy.py\n", script="toy.py", python="rail-41", state="COMPLETED")


assert GO_S > 12  # the cards' seconds above count from the first step
