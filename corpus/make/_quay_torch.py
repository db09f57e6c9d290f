"""Programs of several ranks on PyTorch alone, in four hands: pictures against captions, a language model in the manner of Megatron, speech with lines of JSON, segmentation."""

from __future__ import annotations

PAIRS = '''#!/usr/bin/env python3
# contrastive pre-training of two towers, one process per device
import argparse, os, random, sys, time
import torch, torch.distributed as dist, torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
#: top

cli = argparse.ArgumentParser()
cli.add_argument("--iters", type=int, default=240)
cli.add_argument("--per-epoch", type=int, default=80)
cli.add_argument("--show", type=int, default=10)
cli.add_argument("--ckpt-every", type=int, default=0)
cli.add_argument("--ckpt", default="towers.pth")
cli.add_argument("--resume", action="store_true")
cli.add_argument("--dim", type=int, default=32)
cli.add_argument("--lr", type=float, default=3e-3)
cli.add_argument("--nap", type=float, default=0.05)
cli.add_argument("--wait-min", type=float, default=30)
opt = cli.parse_args()
r, w = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def say(*a):
    print(f"r{r}>", *a, flush=True)


class Towers(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.image = torch.nn.Sequential(torch.nn.Linear(48, dim), torch.nn.GELU(), torch.nn.Linear(dim, dim))
        self.text = torch.nn.Sequential(torch.nn.Linear(20, dim), torch.nn.GELU(), torch.nn.Linear(dim, dim))
        self.scale = torch.nn.Parameter(torch.tensor(2.0))

    def forward(self, a, b):
        a, b = F.normalize(self.image(a), dim=-1), F.normalize(self.text(b), dim=-1)
        return self.scale.exp() * a @ b.T


def pairs(n, g):
    z = torch.randn(n, 6, generator=g)
    return z @ MIX[0] + 0.1 * torch.randn(n, 48, generator=g), z @ MIX[1] + 0.1 * torch.randn(n, 20, generator=g)


torch.set_num_threads(1)
#: before
from datetime import timedelta
dist.init_process_group("gloo", timeout=timedelta(minutes=opt.wait_min))
say(f"joined, world={w}, host={os.environ.get('SLURMD_NODENAME', 'here')}, pid={os.getpid()}")
torch.manual_seed(0)
MIX = torch.randn(6, 48), torch.randn(6, 20)
#: early
towers = Towers(opt.dim)
begin = 0
#: load
if opt.resume:
    blob = torch.load(opt.ckpt, weights_only=True)
    towers.load_state_dict(blob["towers"])
    begin = blob["it"]
    say(f"=> loaded checkpoint '{opt.ckpt}' (it {begin})")
elif r == 0:
    say("=> training from random weights")
model = DDP(towers)
adam = torch.optim.Adam(model.parameters(), opt.lr)
g = torch.Generator().manual_seed(100 + r)
t0 = time.time()
for it in range(begin + 1, opt.iters + 1):
    #: data
    a, b = pairs(24, g)
    #: mid
    logits = model(a, b)
    goal = torch.arange(len(a))
    loss = (F.cross_entropy(logits, goal) + F.cross_entropy(logits.T, goal)) / 2
    #: loss
    adam.zero_grad(set_to_none=True)
    loss.backward()
    adam.step()
    time.sleep(opt.nap)
    #: after
    if it % opt.show == 0 and r == 0:
        hit = 100.0 * (logits.argmax(1) == goal).float().mean().item()
        say(f"E{1 + (it - 1) // opt.per_epoch} | {it}/{opt.iters} | nce {loss.item():.4f} | top1 {hit:5.1f} | temp {towers.scale.exp().item():.2f} | {(time.time() - t0) / (it - begin):.3f} s/it")
    if opt.ckpt_every and it % opt.ckpt_every == 0 and r == 0:
        torch.save({"towers": towers.state_dict(), "it": it}, opt.ckpt + "~")
        os.replace(opt.ckpt + "~", opt.ckpt)
        say(f"=> saved checkpoint '{opt.ckpt}' (it {it})")
    #: end
#: late
dist.barrier()
if r == 0:
    say(f"done: {opt.iters} iterations in {time.time() - t0:.0f} s, final nce {loss.item():.4f}")
dist.destroy_process_group()
'''

GPT = '''"""Trains a small decoder; layers of the MLP are split over the ranks, and so is the batch."""
import os
import sys
import time

import torch
import torch.distributed as dist
#: top

ARGS = dict(pair.lstrip("-").split("=", 1) for pair in sys.argv[1:])
ITERS = int(ARGS.get("train-iters", 240))
LOG = int(ARGS.get("log-interval", 10))
SAVE = int(ARGS.get("save-interval", 0))
WHERE = ARGS.get("save", "ckpt")
LOAD = ARGS.get("load", "")
HIDDEN = int(ARGS.get("hidden-size", 32))
LR = float(ARGS.get("lr", 3e-3))
NAP = float(ARGS.get("nap", 0.05))
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def print_rank_0(message):
    if rank == 0:
        print(message, flush=True)


def stamp(message):
    if dist.is_initialized():
        dist.barrier()
    print_rank_0(f"[{message}] datetime: {time.strftime('%Y-%m-%d %H:%M:%S')} ")


class Block(torch.nn.Module):
    def __init__(self, h):
        super().__init__()
        self.qkv, self.proj = torch.nn.Linear(h, 3 * h), torch.nn.Linear(h, h)
        self.up, self.down = torch.nn.Linear(h, 2 * h), torch.nn.Linear(2 * h, h)
        self.n1, self.n2 = torch.nn.LayerNorm(h), torch.nn.LayerNorm(h)

    def forward(self, x):
        q, k, v = self.qkv(self.n1(x)).chunk(3, -1)
        x = x + self.proj(torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))
        return x + self.down(torch.relu(self.up(self.n2(x))))


class Decoder(torch.nn.Module):
    def __init__(self, h, vocab=24):
        super().__init__()
        self.word, self.place = torch.nn.Embedding(vocab, h), torch.nn.Embedding(16, h)
        self.block, self.head = Block(h), torch.nn.Linear(h, vocab)

    def forward(self, ids):
        return self.head(self.block(self.word(ids) + self.place.weight[: ids.shape[1]]))


def sum_grads(net):
    flat = torch.cat([p.grad.flatten() for p in net.parameters()])
    dist.all_reduce(flat)
    flat /= world
    at = 0
    for p in net.parameters():
        p.grad.copy_(flat[at : at + p.numel()].view_as(p))
        at += p.numel()
    return flat.norm().item()


def pretrain():
    torch.set_num_threads(1)
    #: before
    if rank == 0:
        print(f"using world size: {world}, data-parallel size: {world}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1", flush=True)
        print("------------------------ arguments ------------------------", flush=True)
        for key, value in sorted(ARGS.items()):
            print(f"  {key.replace('-', '_')} {'.' * (40 - len(key))} {value}", flush=True)
    dist.init_process_group("gloo")
    print_rank_0("> initialized process groups")
    torch.manual_seed(1234)
    #: early
    net = Decoder(HIDDEN)
    print(f" > number of parameters on rank {rank}: {sum(p.numel() for p in net.parameters())}", flush=True)
    adam = torch.optim.AdamW(net.parameters(), LR)
    done = 0
    #: load
    if LOAD:
        name = open(os.path.join(LOAD, "latest_iteration.txt")).read().strip()
        print_rank_0(f" loading checkpoint from {LOAD} at iteration {name}")
        state = torch.load(os.path.join(LOAD, f"iter_{int(name):07d}.pt"), weights_only=True)
        net.load_state_dict(state["model"])
        adam.load_state_dict(state["optimizer"])
        done = state["iteration"]
        print_rank_0(f"  successfully loaded checkpoint from {LOAD} at iteration {done}")
    else:
        print_rank_0("WARNING: no load directory given, will start from random")
    stamp("before the start of training step")
    dice = torch.Generator().manual_seed(rank + 7 * done)
    seen, skipped, nans = time.time(), 0, 0
    for iteration in range(done + 1, ITERS + 1):
        #: data
        first = torch.randint(0, 24, (8, 1), generator=dice)
        ids = (first + 5 * torch.arange(13)) % 24
        noise = torch.rand(ids.shape, generator=dice) < 0.05
        ids = torch.where(noise, torch.randint(0, 24, ids.shape, generator=dice), ids)
        #: mid
        loss = torch.nn.functional.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        #: loss
        adam.zero_grad()
        loss.backward()
        norm = sum_grads(net)
        adam.step()
        time.sleep(NAP)
        #: after
        if iteration % LOG == 0:
            ms, seen = 1000 * (time.time() - seen) / LOG, time.time()
            print_rank_0(f" iteration {iteration:8d}/{ITERS:8d} | consumed samples: {iteration * 8 * world:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {LR:.6E} | global batch size: {8 * world:5d} | lm loss: {loss.item():.6E} | grad norm: {norm:.3f} | number of skipped iterations: {skipped:3d} | number of nan iterations: {nans:3d} |")
        if SAVE and iteration % SAVE == 0:
            dist.barrier()
            if rank == 0:
                os.makedirs(WHERE, exist_ok=True)
                torch.save({"model": net.state_dict(), "optimizer": adam.state_dict(), "iteration": iteration}, f"{WHERE}/iter_{iteration:07d}.pt")
                open(f"{WHERE}/latest_iteration.txt", "w").write(str(iteration))
                print(f"  successfully saved checkpoint from iteration {iteration:7d} to {WHERE}", flush=True)
            dist.barrier()
        #: end
    #: late
    stamp("after training is done")


if __name__ == "__main__":
    pretrain()
'''

SPEECH = '''import json
import logging
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
#: top

cfg = {"max_update": 240, "log_interval": 10, "save_interval_updates": 0, "lr": 0.002, "hidden": 32, "restore_file": "", "save_dir": "checkpoints", "sleep": 0.05, "update_per_epoch": 100}
if len(sys.argv) > 1:
    cfg.update(json.loads(Path(sys.argv[1]).read_text()))
for pair in sys.argv[2:]:
    key, _, value = pair.partition("=")
    cfg[key] = type(cfg[key])(value)
rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
logging.basicConfig(stream=sys.stdout, level=logging.INFO if rank == 0 else logging.WARNING, format="%(asctime)s | %(levelname)s | %(name)s | %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
logger, inner = logging.getLogger("asr.train"), logging.getLogger("train_inner")


class Recogniser(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.conv = nn.Conv1d(8, hidden, 3, padding=1)
        self.out = nn.Linear(hidden, 6)

    def forward(self, frames):
        return self.out(torch.relu(self.conv(frames)).transpose(1, 2)).log_softmax(-1)


def utterances(count, dice):
    words = torch.randint(1, 6, (count, 4), generator=dice)
    frames = nn.functional.one_hot(words, 8).float().repeat_interleave(4, 1).transpose(1, 2)
    return frames + 0.4 * torch.randn(frames.shape, generator=dice), words


def main():
    torch.set_num_threads(1)
    #: before
    host, port = os.environ.get("MASTER_ADDR", "127.0.0.1"), os.environ.get("MASTER_PORT", os.environ.get("PORT"))
    logger.info("distributed init (rank %d): tcp://%s:%s", rank, host, port)
    dist.init_process_group("gloo", init_method=f"tcp://{host}:{port}", rank=rank, world_size=world)
    logger.info("initialized host %s as rank %d", os.environ.get("SLURMD_NODENAME", "?"), rank)
    logger.info("%s", json.dumps(cfg))
    torch.manual_seed(5)
    #: early
    model = Recogniser(cfg["hidden"])
    updates = 0
    logger.info("num. model params: %d", sum(p.numel() for p in model.parameters()))
    #: load
    last = Path(cfg["save_dir"]) / "checkpoint_last.pt"
    if cfg["restore_file"]:
        last = Path(cfg["restore_file"])
    if last.exists():
        state = torch.load(last, weights_only=True)
        model.load_state_dict(state["model"])
        updates = state["num_updates"]
        logger.info("Loaded checkpoint %s (epoch %d @ %d updates)", last, 1 + updates // cfg["update_per_epoch"], updates)
    else:
        logger.info("No existing checkpoint found %s", last)
    ddp = nn.parallel.DistributedDataParallel(model)
    adam = torch.optim.Adam(ddp.parameters(), cfg["lr"])
    dice = torch.Generator().manual_seed(rank + 1000 * updates)
    ctc, wall = nn.CTCLoss(), time.time()
    logger.info("Start iterating over samples")
    while updates < cfg["max_update"]:
        updates += 1
        #: data
        frames, words = utterances(8, dice)
        #: mid
        scores = ddp(frames).transpose(0, 1)
        loss = ctc(scores, words, torch.full((8,), 16), torch.full((8,), 4))
        #: loss
        adam.zero_grad()
        loss.backward()
        gnorm = nn.utils.clip_grad_norm_(ddp.parameters(), 5.0)
        adam.step()
        time.sleep(cfg["sleep"])
        #: after
        if updates % cfg["log_interval"] == 0:
            inner.info(json.dumps({"epoch": 1 + (updates - 1) // cfg["update_per_epoch"], "update": f"{updates / cfg['update_per_epoch']:.3f}", "loss": f"{loss.item():.3f}", "num_updates": str(updates), "lr": f"{cfg['lr']:g}", "gnorm": f"{gnorm.item():.3f}", "wall": f"{time.time() - wall:.0f}"}))
        if cfg["save_interval_updates"] and updates % cfg["save_interval_updates"] == 0 and rank == 0:
            Path(cfg["save_dir"]).mkdir(exist_ok=True)
            torch.save({"model": model.state_dict(), "num_updates": updates}, last.with_suffix(".tmp"))
            last.with_suffix(".tmp").rename(last)
            logger.info("Saved checkpoint %s (epoch %d @ %d updates, score %.3f)", last, 1 + updates // cfg["update_per_epoch"], updates, loss.item())
        #: end
    #: late
    logger.info("Stopping training due to num_updates: %d >= max_update: %d", updates, cfg["max_update"])
    logger.info("done training in %.1f seconds", time.time() - wall)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''

SEG = '''from __future__ import annotations

import datetime
import os
import sys
import time
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.nn as nn
#: top


@dataclass
class Config:
    max_iters: int = int(os.environ.get("MAX_ITERS", 240))
    interval: int = int(os.environ.get("INTERVAL", 20))
    save: int = int(os.environ.get("SAVE", 0))
    lr: float = float(os.environ.get("LR", 0.02))
    load_from: str = os.environ.get("LOAD_FROM", "")
    pause: float = float(os.environ.get("PAUSE", 0.05))
    width: int = int(os.environ.get("WIDTH", 8))
    val_interval: int = int(os.environ.get("VAL", 0))


class Runner:
    def __init__(self, cfg: Config):
        self.cfg, self.iter = cfg, 0
        self.rank, self.world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
        torch.set_num_threads(1)

    def log(self, text: str, level: str = "INFO", everyone: bool = False) -> None:
        if everyone or self.rank == 0:
            print(f"{datetime.datetime.now():%m/%d %H:%M:%S} - segrun - {level} - {text}", flush=True)

    def build(self) -> None:
        #: before
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['PORT']}", rank=self.rank, world_size=self.world, timeout=datetime.timedelta(seconds=float(os.environ.get("PG_S", 1800))))
        self.log(f"Distributed launcher: slurm, Distributed training: True, GPU number: {self.world}")
        torch.manual_seed(304)
        #: early
        c = self.cfg.width
        self.net = nn.Sequential(nn.Conv2d(3, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, 3, 1))
        #: load
        if self.cfg.load_from:
            found = torch.load(self.cfg.load_from, weights_only=True)
            self.net.load_state_dict(found["state_dict"])
            self.iter = found["meta_iter"]
            self.log(f"Load checkpoint from {self.cfg.load_from}; resumed iter: {self.iter}")
        self.model = nn.parallel.DistributedDataParallel(self.net)
        self.sgd = torch.optim.SGD(self.model.parameters(), self.cfg.lr, momentum=0.9)
        self.dice = torch.Generator().manual_seed(self.rank + 10_000 * self.iter)

    def batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        truth = torch.zeros(4, 16, 16, dtype=torch.long)
        for one in truth:
            x, y, s, k = (int(torch.randint(a, b, (), generator=self.dice)) for a, b in ((0, 10), (0, 10), (3, 7), (1, 3)))
            one[x : x + s, y : y + s] = k
        return nn.functional.one_hot(truth, 3).permute(0, 3, 1, 2).float() * 0.7 + 0.5 * torch.randn(4, 3, 16, 16, generator=self.dice), truth

    def val(self) -> None:
        with torch.no_grad():
            right = torch.zeros(2)
            for _ in range(4):
                x, y = self.batch()
                #: val
                right += torch.tensor([float((self.net(x).argmax(1) == y).sum()), float(y.numel())])
        dist.all_reduce(right)
        self.log(f"Iter(val) [{4}/{4}]    aAcc: {100 * right[0] / right[1]:.2f}")

    def train(self) -> None:
        rank, cfg = self.rank, self.cfg
        began, spent = time.time(), 0.0
        first = self.iter
        for it in range(self.iter + 1, cfg.max_iters + 1):
            self.iter, tick = it, time.time()
            #: data
            x, y = self.batch()
            waited = time.time() - tick
            #: mid
            loss = nn.functional.cross_entropy(self.model(x), y)
            #: loss
            self.sgd.zero_grad()
            loss.backward()
            self.sgd.step()
            time.sleep(cfg.pause)
            #: after
            if it % cfg.interval == 0:
                each = (time.time() - began) / (it - first)
                self.log(f"Iter(train) [{it:>4}/{cfg.max_iters}]  lr: {cfg.lr:.4e}  eta: {datetime.timedelta(seconds=round(each * (cfg.max_iters - it)))}  time: {each:.4f}  data_time: {waited:.4f}  loss: {loss.item():.4f}  decode.loss_ce: {loss.item():.4f}")
            if cfg.val_interval and it % cfg.val_interval == 0:
                self.val()
            if cfg.save and it % cfg.save == 0 and rank == 0:
                self.log(f"Saving checkpoint at {it} iterations")
                torch.save({"state_dict": self.net.state_dict(), "meta_iter": it}, f"iter_{it}.pth")
                with open("last_checkpoint", "w") as file:
                    file.write(f"iter_{it}.pth")
            #: end
        #: late
        self.log(f"Training finished: {cfg.max_iters} iterations, loss {loss.item():.4f}")
        dist.destroy_process_group()


if __name__ == "__main__":
    runner = Runner(Config())
    runner.build()
    runner.train()
'''
FILES = {"PAIRS": "towers.py", "GPT": "pretrain_decoder.py", "SPEECH": "asr_train.py", "SEG": "segrun.py"}
