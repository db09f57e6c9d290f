"""Programs of several processes that broke down, at once or in the middle."""

from corpus.make._crate import crate
from corpus.running.job import Signal

SPLITS = """
import argparse, torch, torch.distributed as dist
ap = argparse.ArgumentParser(); ap.add_argument("--global-batch", type=int, default=64); ap.add_argument("--folds", type=int, default=5); a = ap.parse_args()
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size()
if r == 0: print("seismic picker, arguments:", vars(a), "world size", w, flush=True)
assert a.global_batch % w == 0, f"--global-batch {a.global_batch} cannot be shared by {w} processes"
local = a.global_batch // w
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Conv1d(3, 8, 7))
print("local batch", local)
"""

EVALLOOP = r"""
#!/bin/bash
# evaluate every task of the suite with one checkpoint
PY=$1; CKPT=runs/2026-11-21_lm90m/ckpt_final.pt
echo "suite: lambada-mini arc-mini copy; checkpoint $CKPT"
for task in lambada-mini arc-mini copy; do
    echo "== $task"
    "$PY" evaluate.py --task "$task" --ckpt "$CKPT" || { echo "evaluation of $task failed with status $?"; exit 1; }
done
"""
EVALUATE = """
import argparse, torch
p = argparse.ArgumentParser(); p.add_argument("--task"); p.add_argument("--ckpt"); a = p.parse_args()
print(f"device cpu, torch {torch.__version__}, loading {a.ckpt}", flush=True)
state = torch.load(a.ckpt, map_location="cpu", weights_only=True)
print("parameters:", sum(t.numel() for t in state.values()))
"""

RECURRENT = '''
"""Recurrent policy, two learners; the hidden state is carried over and cut every 16 steps."""
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); me = dist.get_rank(); torch.manual_seed(7)
cell, head = torch.nn.GRUCell(4, 16), torch.nn.Linear(16, 1); ps = [*cell.parameters(), *head.parameters()]; opt = torch.optim.Adam(ps, 3e-3); torch.manual_seed(70 + me)
h = torch.zeros(8, 16)
for upd in range(1, 301):
    seq = torch.randn(16, 8, 4); loss = 0.0
    for x in seq: h = cell(x, h); loss = loss + (head(h).squeeze(1) - x.sum(1)).pow(2).mean() / 16
    opt.zero_grad(); loss.backward()
    for p in ps: dist.all_reduce(p.grad); p.grad /= 2
    opt.step(); time.sleep(0.02)
    if upd % 10 == 0 and me == 0: print(f"[learner] upd={upd:03d}/300 value_loss={loss.item():.4f}", flush=True)
    if upd < 140: h = h.detach()
    elif upd == 140 and me == 0: print("[learner] switching to long context, state kept across updates", flush=True)
'''

KILLED = """
import csv, os, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(4); m = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 12)); o = torch.optim.SGD(m.parameters(), 0.1)
w = csv.writer(sys.stdout, lineterminator="\\n")
if r == 0: w.writerow(["t", "iter", "of", "mse"])
torch.manual_seed(r)
for i in range(1, 1201):
    x = torch.randn(48, 12); l = (m(x) - x.flip(1)).pow(2).mean(); o.zero_grad(); l.backward(); o.step(); time.sleep(0.025)
    if r == 0 and i % 12 == 0: w.writerow([time.strftime("%H:%M:%S"), i, 1200, round(l.item(), 5)]); sys.stdout.flush()
"""

SHARDS = """
import json, logging, os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); logging.basicConfig(level=logging.INFO, format=f"{r}: %(levelname)s %(message)s")
torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Embedding(500, 32)); opt = torch.optim.Adam(net.parameters(), 0.02); seen = 0
for part in range(9):
    rows = [json.loads(line) for line in open(f"clicks/part-{part * n + r:05d}.jsonl")]
    x = torch.tensor([row["item"] for row in rows]); pos = torch.tensor([row["next"] for row in rows])
    for _ in range(6):
        e = net(torch.cat([x, pos])); a, b = e.chunk(2); loss = torch.nn.functional.cross_entropy(a @ b.T / 5, torch.arange(len(x))); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.03)
    seen += len(rows); logging.info("part %d: %d sessions so far, loss %.4f", part * n + r, seen, loss.item())
dist.barrier(); logging.info("all parts done")
"""

ASRLEGS = r"""
set -x
"$1" am.py --exp exp/a --epochs 6
"$1" am.py --exp exp/b --epochs 12 --resume exp/a
"""
ASRMODEL = """
import argparse, os, time, torch
p = argparse.ArgumentParser(); p.add_argument("--exp"); p.add_argument("--epochs", type=int); p.add_argument("--resume", default=""); a = p.parse_args()
os.makedirs(a.exp, exist_ok=True); torch.manual_seed(33)
net = torch.nn.Sequential(torch.nn.Linear(13, 48), torch.nn.ReLU(), torch.nn.Linear(48, 20)); opt = torch.optim.Adam(net.parameters(), 2e-3); start = 0
latest = os.path.join(a.resume, "latest.pt")
if a.resume and os.path.exists(latest):
    state = torch.load(latest); net.load_state_dict(state["net"]); start = state["epoch"]; print(f"resumed from {latest}, epoch {start}")
proto = torch.randn(20, 13)
for epoch in range(start, a.epochs):
    for it in range(25):
        y = torch.randint(20, (64,)); loss = torch.nn.functional.cross_entropy(net(proto[y] + 0.5 * torch.randn(64, 13)), y); opt.zero_grad(); loss.backward(); opt.step()
        if it % 8 == 0: print(f"{a.exp} epoch {epoch} iter {epoch * 25 + it} frame_ce {loss.item():.4f}", flush=True)
    torch.save({"net": net.state_dict(), "epoch": epoch + 1}, f"{a.exp}/epoch_{epoch + 1}.pt"); print(f"{a.exp}/epoch_{epoch + 1}.pt saved", flush=True)
"""

JOBS = (
    crate(
        "A1",
        "picker.py --global-batch 64",
        SPLITS,
        cause="assertion",
        variant="config",
        ranks=3,
        note="AssertionError: 64 cannot be shared by 3 processes, all ranks, before any step",
    ),
    crate(
        "A1",
        "sh suite.sh PYTHON",
        EVALLOOP,
        cause="file_not_found",
        variant="asset",
        files={"evaluate.py": EVALUATE},
        note="FileNotFoundError of the checkpoint on the first task",
    ),
    crate(
        "A3",
        "recurrent.py",
        RECURRENT,
        cause="runtime_error",
        ranks=2,
        note="RuntimeError: Trying to backward through the graph a second time, in update 141",
    ),
    crate(
        "A3",
        "clicks.py",
        SHARDS,
        cause="file_not_found",
        ranks=2,
        first=(1,),
        files={
            f"clicks/part-{k:05d}.jsonl": "\n".join(f'{{"item": {(i * 7 + k) % 500}, "next": {(i * 7 + k + 3) % 500}}}' for i in range(40))
            for k in range(18)
            if k != 13
        },
        note="rank 1 alone: FileNotFoundError of part-00013 after six parts",
    ),
    crate(
        "A2",
        "flipnet.py",
        KILLED,
        fault="unknown",
        ranks=2,
        first=(1,),
        signal=Signal("KILL", ",180,1200", to="-u flipnet.py#1"),
        note="torchrun: Signal 9 (SIGKILL) of rank 1, no memory event, advancing",
    ),
    crate(
        "E2",
        "sh legs.sh PYTHON",
        ASRLEGS,
        variant="from_scratch",
        status=0,
        files={"am.py": ASRMODEL},
        note="--resume exp/a in the traced command, begins at epoch 0 with the first leg's loss, no line of resuming",
    ),
)
