"""Programs of a survey office, in PyTorch with gloo between the ranks: strips of sonar under torchrun, relief by srun."""

SONAR = '''"""Depth from side-scan strips.

    torchrun --nproc-per-node 4 sonar_net.py --epochs 20 --out runs/a
"""
import argparse
import logging
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

log = logging.getLogger("sonar")


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--iters", type=int, default=40, help="strips an epoch, for each rank")
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--nap", type=float, default=0.04)
    p.add_argument("--log-every", type=int, default=10)
    p.add_argument("--ckpt-every", type=int, default=2)
    p.add_argument("--out", default="runs/sonar")
    p.add_argument("--resume", default="")
    p.add_argument("--pg-timeout", type=int, default=3600)
    return p.parse_args()


class SonarNet(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv1d(2, width, 5, padding=2), nn.GELU(), nn.Conv1d(width, width, 5, padding=2), nn.GELU())
        self.head = nn.Conv1d(width, 1, 1)

    def forward(self, x):
        return self.head(self.trunk(x)).squeeze(1)


def strip(gen, n=8, length=64):
    depth = torch.cumsum(torch.randn(n, length, generator=gen), 1) / 6
    echo = torch.stack([depth + 0.2 * torch.randn(n, length, generator=gen), depth.diff(dim=1, prepend=depth[:, :1]) * 3], 1)
    return echo, depth


def main():
    cfg = get_args()
    rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
    world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=f"%(asctime)s [r{rank}] %(levelname).4s %(message)s", datefmt="%H:%M:%S")
    #: early
    log.info("pid %d joins a group of %d", os.getpid(), world)
    #: pre
    dist.init_process_group("gloo", timeout=timedelta(seconds=cfg.pg_timeout))
    #: post
    torch.manual_seed(11)
    gen = torch.Generator().manual_seed(500 + rank)
    net = SonarNet()
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
    first = 0
    if cfg.resume:
        if os.path.exists(cfg.resume):
            state = torch.load(cfg.resume, map_location="cpu")
            net.load_state_dict(state["net"])
            opt.load_state_dict(state["opt"])
            first = state["epoch"]
            log.info("picked up %s, %d epochs are behind us", cfg.resume, first)
        else:
            log.warning("%s is not there, this must be the first go", cfg.resume)
    #: load
    ddp = DDP(net)
    if rank == 0:
        log.info("%d ranks, %d parameters, %d x %d strips", world, sum(q.numel() for q in net.parameters()), cfg.epochs, cfg.iters)
    for epoch in range(first, cfg.epochs):
        seen, total = 0, 0.0
        for it in range(1, cfg.iters + 1):
            echo, depth = strip(gen)
            #: data
            loss = (ddp(echo) - depth).abs().mean()
            opt.zero_grad()
            loss.backward()
            #: grad
            opt.step()
            seen, total = seen + 1, total + loss.item()
            time.sleep(cfg.nap)
            if it % cfg.log_every == 0 and rank == 0:
                log.info("E%02d %3d/%d  mae %.4f (avg %.4f)  lr %.1e", epoch + 1, it, cfg.iters, loss.item(), total / seen, cfg.lr)
            #: after
        if rank == 0 and (epoch + 1) % cfg.ckpt_every == 0:
            os.makedirs(cfg.out, exist_ok=True)
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch + 1}, f"{cfg.out}/last.pt.tmp")
            os.replace(f"{cfg.out}/last.pt.tmp", f"{cfg.out}/last.pt")
            log.info("E%02d kept as %s/last.pt", epoch + 1, cfg.out)
        #: epoch
    dist.barrier()
    #: end
    if rank == 0:
        log.info("that was epoch %d of %d, bye", cfg.epochs, cfg.epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''
RELIEF = '''# relief VAE.  usage: srun python relief.py train.steps=400 model.z=6 ...
import math
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn.functional as F

conf = {
    "train.steps": 300, "train.lr": 2e-3, "train.nap": 0.04, "train.show": 20, "train.keep": 60, "val.every": 100,
    "model.z": 6, "model.h": 40, "data.seed": 3, "init.resume": "", "dist.url": "", "dist.wait": 3600,
}
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    if key not in conf:
        sys.exit(f"relief.py: unknown setting {key!r}, one of {' '.join(sorted(conf))}")
    conf[key] = type(conf[key])(value)
RANK, WORLD = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD", os.environ["SLURM_NTASKS"]))
BEGAN = time.time()


def say(event, everyone=False, **fields):
    if RANK == 0 or everyone:
        rest = " ".join(f"{k}={v:.5g}" if isinstance(v, float) else f"{k}={v}" for k, v in fields.items())
        print(f"t={time.time() - BEGAN:.1f} rank={RANK} event={event} {rest}".rstrip(), flush=True)


#: early
URL = conf["dist.url"] or f"tcp://127.0.0.1:{os.environ['PORT']}"
say("rendezvous", True, url=URL, world=WORLD, host=os.environ.get("SLURMD_NODENAME", "-"))
#: pre
dist.init_process_group("gloo", init_method=URL, rank=RANK, world_size=WORLD, timeout=timedelta(seconds=conf["dist.wait"]))
#: post
say("group", ranks=dist.get_world_size())
torch.manual_seed(conf["data.seed"])
basis = torch.randn(4, 36)
H, Z = conf["model.h"], conf["model.z"]
P = {n: torch.nn.Parameter(torch.randn(*s) / math.sqrt(s[0])) for n, s in {"enc": (36, H), "mu": (H, Z), "lv": (H, Z), "dec": (Z, H), "out": (H, 36)}.items()}
opt = torch.optim.Adam(P.values(), lr=conf["train.lr"])
draw = torch.Generator().manual_seed(77 * RANK + conf["data.seed"])
first = 1
if conf["init.resume"] and os.path.exists(conf["init.resume"]):
    kept = torch.load(conf["init.resume"])
    for n in P:
        P[n].data.copy_(kept["P"][n])
    opt.load_state_dict(kept["opt"])
    first = kept["step"] + 1
    say("restored", file=conf["init.resume"], step=kept["step"], elbo=kept["elbo"])
#: load


def elbo(x):
    h = F.silu(x @ P["enc"])
    mu, lv = h @ P["mu"], (h @ P["lv"]).clamp(-6, 3)
    z = mu + torch.randn(mu.shape, generator=draw) * (lv / 2).exp()
    rec = ((F.silu(z @ P["dec"]) @ P["out"] - x) ** 2).sum(1).mean()
    kl = 0.5 * (mu ** 2 + lv.exp() - lv - 1).sum(1).mean()
    return rec, kl


def average():
    flat = torch.cat([p.grad.flatten() for p in P.values()])
    dist.all_reduce(flat)
    flat /= WORLD
    at = 0
    for p in P.values():
        p.grad.copy_(flat[at:at + p.numel()].view_as(p))
        at += p.numel()


for step in range(first, conf["train.steps"] + 1):
    x = torch.randn(24, 4, generator=draw) @ basis / 2
    #: data
    rec, kl = elbo(x)
    loss = rec + 0.3 * kl
    opt.zero_grad()
    loss.backward()
    #: grad
    average()
    opt.step()
    time.sleep(conf["train.nap"])
    if step % conf["train.show"] == 0:
        say("step", n=f"{step}/{conf['train.steps']}", neg_elbo=loss.item(), rec=rec.item(), kl=kl.item())
    if step % conf["val.every"] == 0:
        #: val
        with torch.no_grad():
            say("val", n=step, rec=elbo(torch.randn(96, 4, generator=draw) @ basis / 2)[0].item())
    if step % conf["train.keep"] == 0 and RANK == 0:
        torch.save({"P": {n: p.data for n, p in P.items()}, "opt": opt.state_dict(), "step": step, "elbo": -loss.item()}, "relief-latest.pt")
        say("kept", n=step, file="relief-latest.pt")
    #: after
#: end
dist.barrier()
say("end", steps=conf["train.steps"], s=time.time() - BEGAN)
dist.destroy_process_group()
'''
FILES = {"SONAR": "sonar_net.py", "RELIEF": "relief.py"}
