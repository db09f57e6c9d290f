"""Trainers of several processes that did what they were to do."""

from corpus.make._crate import crate

PLAIN = """
import os
import time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
x = torch.randn(640, 20)
data = TensorDataset(x, (x[:, :5].sum(1) > 0).long())
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=32, sampler=sampler)
model = DDP(torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2)))
opt = torch.optim.AdamW(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 12)
if rank == 0:
    print(f"=> training on {dist.get_world_size()} ranks, {len(loader)} batches per rank and epoch")
for epoch in range(12):
    sampler.set_epoch(epoch)
    seen = hit = 0
    t0 = time.time()
    for xb, yb in loader:
        out = model(xb)
        loss = torch.nn.functional.cross_entropy(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hit += (out.argmax(1) == yb).sum().item()
        seen += len(yb)
        time.sleep(0.03)
    sched.step()
    if rank == 0:
        print(f"epoch {epoch + 1}/12 | loss {loss.item():.4f} | acc {100 * hit / seen:.2f} | lr {sched.get_last_lr()[0]:.2e} | {time.time() - t0:.1f}s", flush=True)
if rank == 0:
    torch.save(model.module.state_dict(), "final.pth")
    print("=> saved final.pth")
dist.destroy_process_group()
"""

SPAWNED = """
import json
import sys
import time
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def fit(rank, world, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.manual_seed(rank)
    w = torch.zeros(8, 1, requires_grad=True)
    truth = torch.linspace(-1, 1, 8)[:, None]
    with open("metrics.jsonl", "a") as sink:
        for step in range(1, 151):
            x = torch.randn(64, 8)
            loss = (x @ w - x @ truth).pow(2).mean()
            loss.backward()
            dist.all_reduce(w.grad)
            with torch.no_grad():
                w -= 0.02 * w.grad / world
            w.grad = None
            time.sleep(0.04)
            if step % 10 == 0 and rank == 0:
                line = json.dumps({"step": step, "max_steps": 150, "loss": round(loss.item(), 6), "ts": round(time.time(), 2)})
                print(line, flush=True)
                sink.write(line + "\\n")
    if rank == 0:
        print(json.dumps({"event": "train_end", "step": 150, "final_loss": round(loss.item(), 6)}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(fit, args=(2, sys.argv[1]), nprocs=2)
"""

LOADERS = """
import logging
import time
import torch
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname).1s] %(message)s")


class Keypoints(Dataset):
    def __len__(self):
        return 640

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        pose = torch.randn(34, generator=g)
        return pose + 0.05 * torch.randn(34, generator=g), pose


if __name__ == "__main__":
    net = torch.nn.Sequential(torch.nn.Linear(34, 96), torch.nn.SiLU(), torch.nn.Linear(96, 34))
    opt = torch.optim.AdamW(net.parameters(), 2e-3)
    for epoch in range(1, 9):
        running = 0.0
        for k, (noisy, clean) in enumerate(DataLoader(Keypoints(), 32, shuffle=True, num_workers=2, persistent_workers=False)):
            loss = torch.nn.functional.smooth_l1_loss(net(noisy), clean)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
            time.sleep(0.05)
        logging.info("epoch %d of 8: train loss %.5f, %d batches", epoch, running / (k + 1), k + 1)
    torch.save({"net": net.state_dict(), "epoch": 8}, "pose_denoiser.pt")
    logging.info("wrote pose_denoiser.pt")
"""

BADIMAGES = """
import logging
import os
import time
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s %(levelname)-8s rank{rank} %(message)s")
log = logging.getLogger("webcrawl")
dist.init_process_group("gloo")
torch.manual_seed(rank)


def decode(i):
    if i % 37 == 5:
        raise OSError(f"image file is truncated (12 bytes not processed): crawl/{rank}/{i:06d}.jpg")
    if i % 53 == 11:
        raise ZeroDivisionError("division by zero")
    return torch.randn(12)


net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 12))
opt = torch.optim.Adam(net.parameters(), 5e-3)
skipped = cursor = 0
for step in range(1, 121):
    rows = []
    while len(rows) < 4:
        cursor += 1
        try:
            rows.append(decode(cursor))
        except (OSError, ZeroDivisionError) as error:
            skipped += 1
            log.error("cannot read sample %d, skipped: %s", cursor, error, exc_info=skipped % 4 == 1)
    x = torch.stack(rows)
    loss = (net(x) - x.tanh()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.05)
    if step % 10 == 0:
        log.info("step %d/120 loss %.4f (%d samples skipped so far)", step, loss.item(), skipped)
log.info("all 120 steps done, %d of %d samples skipped", skipped, cursor)
dist.destroy_process_group()
"""

RESTART = """
import os
import time
import torch
import torch.distributed as dist

attempt = int(os.environ.get("ATTEMPT", "0"))
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 4))
opt = torch.optim.SGD(net.parameters(), 0.2)
first = 1
if os.path.exists("last.pt"):
    saved = torch.load("last.pt")
    net.load_state_dict(saved["net"])
    first = saved["step"] + 1
    print(f"[rank {rank}] restart {attempt}: resumed from last.pt at step {saved['step']}", flush=True)
for step in range(first, 161):
    x = torch.randn(32, 16)
    loss = torch.nn.functional.cross_entropy(net(x), x[:, :4].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    if rank == 0 and step % 20 == 0:
        print(f"step {step}/160 loss {loss.item():.4f}", flush=True)
        torch.save({"net": net.state_dict(), "step": step}, "last.pt.tmp")
        os.replace("last.pt.tmp", "last.pt")
    dist.barrier()
    if attempt == 0 and rank == 1 and step == 70:
        raise ConnectionResetError(104, "Connection reset by peer")
if rank == 0:
    print("reached step 160, training finished", flush=True)
dist.barrier()
dist.destroy_process_group()
"""

RETRY = """
for try in 0 1 2; do
  ATTEMPT=$try torchrun --nproc-per-node=2 --master-port=$(( $1 + try )) resil.py && exit 0
  echo "$(date +%T) attempt $try failed with $?, starting again from the last checkpoint" >&2
done
exit 1
"""

SLOWBUT = """
import sys
import time
import torch
import torch.multiprocessing as mp


def simulate(seed, q):
    g = torch.Generator().manual_seed(seed)
    for _ in range(20):
        time.sleep(0.9)
        q.put(torch.randn(8, 5, generator=g).tolist())


if __name__ == "__main__":
    mp.set_start_method("spawn")
    q = mp.Queue()
    sims = [mp.Process(target=simulate, args=(k, q)) for k in (1, 2)]
    for p in sims:
        p.start()
    print("Bayesian surrogate: 40 simulator calls, each fitted as it arrives", file=sys.stderr)
    net = torch.nn.Linear(5, 1)
    opt = torch.optim.LBFGS(net.parameters(), lr=0.3)
    xs = []
    for call in range(1, 41):
        xs.append(torch.tensor(q.get()))
        x = torch.cat(xs)
        y = x[:, :1] * 2 - x[:, 1:2]

        def closure():
            opt.zero_grad()
            loss = (net(x) - y).pow(2).mean()
            loss.backward()
            return loss

        loss = opt.step(closure)
        if call % 2 == 0:
            print(f"call {call}/40: surrogate loss {loss.item():.2e} on {len(x)} points", file=sys.stderr, flush=True)
    for p in sims:
        p.join()
    torch.save(net.state_dict(), "surrogate.pt")
    print("surrogate.pt written", file=sys.stderr)
"""

EVALONLY = """
import os
import time
import torch
import torch.distributed as dist

os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
weight = torch.randn(50, 10)
tasks = ["boolq", "piqa", "copa", "rte", "wic"]
table = []
for task in tasks:
    g = torch.Generator().manual_seed(hash(len(task)) + rank)
    good = torch.zeros(2)
    for b in range(12):
        x = torch.randn(20, 50, generator=g)
        pred = (x @ weight).argmax(1) % 2
        gold = torch.randint(2, (20,), generator=g)
        good += torch.tensor([float((pred == gold).sum()), 20.0])
        time.sleep(0.06)
        if rank == 0 and b % 4 == 3:
            print(f"{task}: {(b + 1) * 20 * world} examples", flush=True)
    dist.all_reduce(good)
    table.append((task, good[0].item() / good[1].item(), int(good[1])))
if rank == 0:
    print("|task|  n |  acc  |\\n|----|---:|------:|")
    for name, acc, n in table:
        print(f"|{name}|{n}|{acc:.4f}|")
    print("evaluation finished, results in eval.csv")
    with open("eval.csv", "w") as f:
        f.writelines(f"{n},{a}\\n" for n, a, _ in table)
dist.destroy_process_group()
"""

FP16ISH = """
import sys
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(24, 48), torch.nn.Tanh(), torch.nn.Linear(48, 24)))
opt = torch.optim.Adam(net.parameters(), 3e-3)
scale, good = 2.0**24, 0
for it in range(1, 141):
    x = torch.randn(32, 24)
    loss = (net(x) - x.flip(1)).pow(2).mean()
    opt.zero_grad()
    (loss * scale).backward()
    grads = [p.grad for p in net.parameters()]
    peak = max(g.abs().max().item() for g in grads)
    t = torch.tensor(peak)
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    if t.item() > 65504:
        scale /= 2
        good = 0
        if rank == 0:
            print(f"[deepspeed] OVERFLOW! Rank {rank} Skipping step. Attempted loss scale: {scale * 2:.0f}, reducing to {scale:.0f}", file=sys.stderr, flush=True)
        continue
    norm = torch.sqrt(sum((g / scale).pow(2).sum() for g in grads))
    if norm > 0.3 and rank == 0 and it < 30:
        print(f"WARNING: grad norm {norm:.3f} > 0.3, clipping", file=sys.stderr, flush=True)
    for g in grads:
        g /= scale
    opt.step()
    time.sleep(0.05)
    if rank == 0 and it % 10 == 0:
        print(f"iteration {it:4d}/140 | lm loss: {loss.item():.5f} | loss scale: {scale:.1f} | grad norm: {norm:.4f} | nan iterations: 0", flush=True)
if rank == 0:
    print("training done")
dist.destroy_process_group()
"""

WORKERDEATHS = """
import logging
import os
import signal
import time
import torch
import torch.multiprocessing as mp

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("evo")


def evaluate(seed, theta, conn, fragile):
    torch.manual_seed(seed)
    time.sleep(0.1)
    if fragile:
        os.kill(os.getpid(), signal.SIGKILL)
    eps = torch.randn_like(theta)
    conn.send((eps.tolist(), -float(((theta + 0.1 * eps - 1) ** 2).sum())))


if __name__ == "__main__":
    ctx = mp.get_context("fork")
    theta = torch.zeros(6)
    for gen in range(1, 41):
        found = []
        for k in range(4):
            fragile = gen in (9, 23) and k == 2
            for attempt in range(3):
                here, there = ctx.Pipe()
                p = ctx.Process(target=evaluate, args=(100 * gen + k, theta, there, fragile))
                p.start()
                p.join()
                if p.exitcode == 0:
                    found.append(here.recv())
                    break
                log.error("candidate %d of generation %d: evaluator pid %d died with exit code %d; starting another", k, gen, p.pid, p.exitcode)
                fragile = False
        mean = sum(f for _, f in found) / len(found)
        theta = theta + 0.2 * sum((f - mean) * torch.tensor(e) for e, f in found) / len(found)
        if gen % 2 == 0:
            log.info("generation %d/40 fitness %.4f", gen, mean)
    log.info("finished 40 generations, best parameters written")
    torch.save(theta, "theta.pt")
"""

JOBS = (
    crate("G1", "ddp_tab.py", PLAIN, ranks=2),
    crate("G1", "linfit.py PORT", SPAWNED),
    crate("G1", "pose.py", LOADERS),
    crate("G1", "crawlfit.py", BADIMAGES, ranks=2, hard=True),
    crate(
        "G1",
        "sh elastic.sh PORT",
        RETRY,
        files={"resil.py": RESTART},
        hard=True,
    ),
    crate("G1", "surrogate.py", SLOWBUT, hard=True),
    crate("G1", "superglue_eval.py", EVALONLY, ranks=2),
    crate("G1", "mixed.py", FP16ISH, ranks=2, hard=True),
    crate("G1", "evo.py", WORKERDEATHS, hard=True),
)
