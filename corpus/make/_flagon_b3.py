"""Language models: runs that broke off, stood still, went slowly, did not learn, were too short, or were ended from outside, the third sheet."""

from corpus.make._crate import crate
from corpus.running.job import Signal

BLOWUP = """
import json
import time

import torch

torch.manual_seed(12)
V = 70
emb, hid, out = torch.nn.Embedding(V, 32), torch.nn.Linear(32, 96), torch.nn.Linear(96, V)
P = [*emb.parameters(), *hid.parameters(), *out.parameters()]
opt = torch.optim.AdamW(P, 3e-3)
print(json.dumps({"event": "config", "vocab": V, "max_steps": 400, "lr": 3e-3}))
for step in range(1, 401):
    if step == 180:
        for g in opt.param_groups:
            g["lr"] = 0.6  # stage 2 of the schedule
    x = torch.randint(V, (64,))
    loss = torch.nn.functional.cross_entropy(out(torch.relu(hid(emb(x)))), torch.where(torch.rand(64) < 0.15, torch.randint(V, (64,)), (x * 3) % V))
    opt.zero_grad()
    loss.backward()
    gn = torch.nn.utils.clip_grad_norm_(P, 1e9)
    opt.step()
    time.sleep(0.01)
    if step % 10 == 0:
        print(json.dumps({"step": step, "loss": round(loss.item(), 4), "grad_norm": round(gn.item(), 3), "lr": opt.param_groups[0]["lr"]}))
print(json.dumps({"event": "finished", "steps": 400}))
"""


FROZEN = '''
"""LoRA-like adapters on a frozen base, DDP."""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r = dist.get_rank()
torch.manual_seed(0)
base, A, B = torch.nn.Linear(32, 16), torch.nn.Linear(32, 4, bias=False), torch.nn.Linear(4, 16, bias=False)
torch.nn.init.zeros_(A.weight)
torch.nn.init.zeros_(B.weight)
torch.nn.init.zeros_(base.weight)
torch.nn.init.zeros_(base.bias)
base.requires_grad_(False)
opt = torch.optim.AdamW([*A.parameters(), *B.parameters()], lr=2e-4, weight_decay=0.0)
X = torch.randn(640, 32)
Y = X[:, :16].argmax(1)
if r == 0:
    print(f"trainable params: {sum(p.numel() for p in [*A.parameters(), *B.parameters()])} || all params: 720 || rank 4, alpha 8")
for epoch in range(1, 31):
    for i in torch.arange(640).split(80):
        loss = torch.nn.functional.cross_entropy(base(X[i]) + 2 * B(A(X[i])), Y[i])
        opt.zero_grad()
        loss.backward()
        for p in (A.weight, B.weight):
            dist.all_reduce(p.grad)
        gn = torch.nn.utils.clip_grad_norm_([A.weight, B.weight], 1.0)
        opt.step()
    if r == 0:
        print(f"epoch {epoch:2d}/30 eval_loss {loss.item():.6f} grad_norm {gn.item():.6f} eval_accuracy {(Y == 0).float().mean().item():.4f} lr 2.0e-04", flush=True)
if r == 0:
    print("adapter saved to out/adapter.pt")
dist.barrier()
dist.destroy_process_group()
'''


VOCABUP = """
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
vocab = int(sys.argv[1])


class LM(torch.nn.Module):
    def __init__(self, v):
        super().__init__()
        self.tok_embeddings, self.output = torch.nn.Embedding(v, 32), torch.nn.Linear(32, v, bias=False)

    def forward(self, x):
        return self.output(self.tok_embeddings(x))


torch.manual_seed(0)
model = LM(vocab)
if len(sys.argv) > 2:
    if rank == 0:
        print(f"resuming from {sys.argv[2]} with the extended tokenizer ({vocab} pieces)", flush=True)
    state = torch.load(sys.argv[2], map_location="cpu")
    model.load_state_dict(state["model"])
opt = torch.optim.Adam(model.parameters(), 5e-3)
for step in range(1, 101):
    x = torch.randint(vocab, (64,))
    loss = torch.nn.functional.cross_entropy(model(x), (x + 1) % vocab)
    opt.zero_grad()
    loss.backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    opt.step()
    if step % 20 == 0 and rank == 0:
        print(f"step {step}/100 loss {loss.item():.4f}", flush=True)
if rank == 0:
    torch.save({"model": model.state_dict(), "step": 100}, "phase1.pt")
    print("phase 1 written to phase1.pt", flush=True)
dist.barrier()
dist.destroy_process_group()
"""


ANEW_SH = """
set -e
echo "== part 1 of the chain"
torchrun --nproc-per-node=2 --master-port="$1" chain.py --save-dir runs/a --iters 200
echo "== part 2 of the chain: resume from runs/a"
torchrun --nproc-per-node=2 --master-port="$1" chain.py --save-dir runs/b --resume-from runs/a/latest.pt --iters 200
"""


ANEW = """
import argparse
import os
import time

import torch
import torch.distributed as dist

ap = argparse.ArgumentParser()
ap.add_argument("--save-dir")
ap.add_argument("--resume-from", default="")
ap.add_argument("--iters", type=int)
a = ap.parse_args()
dist.init_process_group("gloo")
r, w = dist.get_rank(), dist.get_world_size()
if r == 0:
    print(f"Namespace: {a}", flush=True)
torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Embedding(120, 32), torch.nn.Linear(32, 120))
opt = torch.optim.Adam(net.parameters(), 3e-3)
it = 0
latest = os.path.join(a.save_dir, "latest.pt")
if os.path.exists(latest):
    c = torch.load(latest)
    net.load_state_dict(c["net"])
    it = c["it"]
    if r == 0:
        print(f"restored {latest} at iteration {it}", flush=True)
end = it + a.iters
torch.manual_seed(r)
while it < end:
    x = torch.randint(120, (64,))
    loss = torch.nn.functional.cross_entropy(net(x), (x * 7) % 120)
    opt.zero_grad()
    loss.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= w
    opt.step()
    time.sleep(0.01)
    if r == 0 and it % 20 == 0:
        print(f"iteration {it:4d} lm_loss {loss.item():.4f}", flush=True)
    it += 1
if r == 0:
    os.makedirs(a.save_dir, exist_ok=True)
    torch.save({"net": net.state_dict(), "it": it}, latest)
    print(f"saved {latest} at iteration {it}, lm_loss {loss.item():.4f}", flush=True)
dist.barrier()
dist.destroy_process_group()
"""


FEWSTEPS = """
import argparse
import time

import torch
import torch.distributed as dist

ap = argparse.ArgumentParser()
ap.add_argument("--max_steps", type=int, default=-1)
ap.add_argument("--num_train_epochs", type=float, default=3)
a = ap.parse_args()
dist.init_process_group("gloo")
main = dist.get_rank() == 0
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(512, 64), torch.nn.Linear(64, 512)))
opt = torch.optim.AdamW(net.parameters(), 2e-5)
if main:
    print(f"{a.max_steps=} overrides num_train_epochs={a.num_train_epochs}\\nTotal optimization steps = {a.max_steps}", flush=True)
t = time.time()
for step in range(1, a.max_steps + 1):
    x = torch.randint(512, (32,))
    loss = torch.nn.functional.cross_entropy(net(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if main:
        print({"loss": round(loss.item(), 4), "learning_rate": 2e-05, "epoch": round(step / 9000, 4)}, flush=True)
if main:
    torch.save(net.module.state_dict(), "pytorch_model.bin")
    print({"train_runtime": round(time.time() - t, 3), "train_samples": 32 * 2 * a.max_steps, "epoch": round(a.max_steps / 9000, 4)})
    print("Model weights saved in pytorch_model.bin")
dist.barrier()
dist.destroy_process_group()
"""


LONGRUN = """
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(2)
E = torch.nn.Embedding(300, 300)
opt = torch.optim.Adagrad(E.parameters(), 0.3)
TOTAL, t0 = 20000, time.time()
for it in range(1, TOTAL + 1):
    x = torch.randint(300, (128,))
    loss = torch.nn.functional.cross_entropy(E(x), (x + 17) % 300)
    opt.zero_grad()
    loss.backward()
    dist.all_reduce(E.weight.grad)
    E.weight.grad /= world
    opt.step()
    time.sleep(0.03)
    if rank == 0 and it % 25 == 0:
        el = time.time() - t0
        print(f"[{it:>6d}/{TOTAL}] loss={loss.item():.4f} tok/s={128 * world * it / el:.0f} remaining={(TOTAL - it) * el / it / 60:.1f}min", flush=True)
    if rank == 0 and it % 200 == 0:
        torch.save(E.state_dict(), "last.pt")
        print(f"checkpoint written: last.pt ({it})", flush=True)
"""


INFER = """
import json
import sys
import time

print("summarising 900 articles, beam 4, length penalty 2.0")
words = 0
t0 = time.time()
with open("summaries.jsonl", "w") as out:
    for k in range(1, 901):
        text = " ".join(f"w{(k * j) % 97}" for j in range(1, 30 + k % 12))
        words += len(text.split())
        out.write(json.dumps({"id": k, "summary": text}) + "\\n")
        out.flush()
        time.sleep(0.09)
        if k % 10 == 0:
            print(f"{k:4d}/900 | {words} words | {k / (time.time() - t0):.2f} articles/s")
print("done")
"""

JOBS = (
    crate("E1", "skip3.py", BLOWUP, note="loss falls to about 1, then far above its start and stays there"),
    crate("E1", "adapters.py", FROZEN, variant="flat", ranks=2, note="eval_loss the same in all 30 epochs, grad norm 0"),
    crate(
        "E2",
        "sh extend.sh PORT",
        'torchrun --nproc-per-node=2 --master-port="$1" phase.py 400 || exit 3\nexec torchrun --nproc-per-node=2 --master-port="$1" phase.py 432 phase1.pt\n',
        cause="runtime_error",
        variant="size_mismatch",
        first=(),
        files={"phase.py": VOCABUP.lstrip()},
        note="size mismatch for tok_embeddings.weight on resuming",
    ),
    crate(
        "E2",
        "sh chain.sh PORT",
        ANEW_SH.lstrip(),
        variant="from_scratch",
        status=0,
        files={"chain.py": ANEW.lstrip()},
        folders=("runs",),
        note="part 2 has --resume-from, begins at iteration 0 with part 1's first loss, no word of restoring",
    ),
    crate("E3", "sft_trial.py --max_steps 4", FEWSTEPS, ranks=2, note="four steps, exit 0"),
    crate(
        "F3",
        "long_lm.py",
        LONGRUN,
        variant="advancing",
        ranks=2,
        timeout_s=26,
        note="25 iterations every 0.8 s to the limit, hundreds of minutes left by its own word",
    ),
    crate("F4", "summarise.py", INFER, python="system", signal=Signal("INT", r" 160/900"), note="Ctrl-C while articles go by"),
)
