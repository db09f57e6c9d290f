"""Programs of several ranks on PyTorch: a byte model, a detector's loop with a config file, a transformer in the manner of large clusters."""

from __future__ import annotations

BYTES = '''"""bytelm: next-byte prediction on whatever text is given. torchrun --nproc_per_node N bytelm.py --help"""
import argparse
import datetime
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
#: top

parser = argparse.ArgumentParser()
parser.add_argument("--iters", type=int, default=260)
parser.add_argument("--say", type=int, default=20)
parser.add_argument("--keep", type=int, default=0)
parser.add_argument("--out", default="runs/bytelm.pt")
parser.add_argument("--resume", action="store_true")
parser.add_argument("--lr", type=float, default=6e-3)
parser.add_argument("--nap", type=float, default=0.04)
parser.add_argument("--patience", type=float, default=1800.0, help="seconds until a collective is given up")
parser.add_argument("--embd", type=int, default=32)
a = parser.parse_args()
me, all_of_us = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)
BOOK = (b"A lighthouse keeper wrote down every ship that passed, its flag, its hour and the weather; nobody read the book until the lamp went out. " * 30)


def p0(*words):
    if me == 0:
        print(*words, flush=True)


def draw(g, rows=6, width=20):
    data = torch.frombuffer(bytearray(BOOK), dtype=torch.uint8).long()
    at = torch.randint(0, len(data) - width - 1, (rows,), generator=g)
    return torch.stack([data[i:i + width] for i in at]), torch.stack([data[i + 1:i + width + 1] for i in at])


class Net(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = torch.nn.Embedding(256, n)
        self.rnn = torch.nn.GRU(n, n, batch_first=True)
        self.head = torch.nn.Linear(n, 256)

    def forward(self, x):
        h, _ = self.rnn(self.emb(x))
        return self.head(h)


#: before
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=a.patience))
p0(f"bytelm | {all_of_us} ranks | {a.iters} iters | book of {len(BOOK)} bytes")
#: early
torch.manual_seed(11)
net = Net(a.embd)
start = 0
#: load
if a.resume and os.path.exists(a.out):
    p0(f"bytelm | loading {a.out}")
    blob = torch.load(a.out, weights_only=True)
    net.load_state_dict(blob["net"])
    start = blob["it"]
    p0(f"bytelm | resumed from {a.out} at it {start}")
ddp = torch.nn.parallel.DistributedDataParallel(net)
opt = torch.optim.Adam(ddp.parameters(), a.lr)
g = torch.Generator().manual_seed(1000 + me + start)
t0 = time.time()
for it in range(start + 1, a.iters + 1):
    #: data
    x, y = draw(g)
    loss = F.cross_entropy(ddp(x).transpose(1, 2), y)
    #: loss
    opt.zero_grad(set_to_none=True)
    loss.backward()
    #: mid
    opt.step()
    time.sleep(a.nap)
    #: after
    if it % a.say == 0:
        p0(f"it {it:5d}/{a.iters} | nll {loss.item():.4f} | lr {a.lr:.1e} | {it * x.numel() * all_of_us / 1e3:8.1f}k bytes | {time.time() - t0:6.1f}s")
    if a.keep and it % a.keep == 0 and me == 0:
        os.makedirs(os.path.dirname(a.out) or ".", exist_ok=True)
        torch.save({"net": net.state_dict(), "it": it}, a.out + ".new")
        os.replace(a.out + ".new", a.out)
        print(f"bytelm | saved {a.out} (it {it})", flush=True)
#: late
p0(f"bytelm | done: {it} iters, nll {loss.item():.4f}")
dist.destroy_process_group()
#: bye
'''

DET = '''import datetime
import logging
import os
import runpy
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
#: top


class Runner:
    def __init__(self, cfg):
        self.cfg, self.iter = cfg, 0
        self.rank, self.world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
        self.log = logging.getLogger("det")
        self.log.setLevel(logging.INFO if self.rank == 0 else logging.ERROR)
        out = logging.StreamHandler(sys.stdout)
        out.setFormatter(logging.Formatter("%(asctime)s - %(name)s - %(levelname)s - %(message)s", "%Y-%m-%d %H:%M:%S"))
        self.log.addHandler(out)

    def init_dist(self):
        cfg, rank = self.cfg, self.rank
        host, port = os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ["PORT"])
        #: before
        dist.init_process_group("gloo", init_method=f"tcp://{host}:{port}", rank=rank, world_size=self.world, timeout=datetime.timedelta(seconds=cfg["dist"].get("timeout", 1800)))
        self.log.info("Distributed training: True, GPU number: %d", self.world)
        self.log.info("Config:\\n%s", "\\n".join(f"{k} = {v!r}" for k, v in sorted(cfg.items())))

    def build(self):
        cfg, rank = self.cfg, self.rank
        torch.manual_seed(cfg["seed"])
        width = cfg["model"]["width"]
        self.model = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(width * 25, 4))
        #: load
        if cfg.get("load_from"):
            self.log.info("load checkpoint from local path: %s", cfg["load_from"])
            kept = torch.load(cfg["load_from"], weights_only=True)
            self.model.load_state_dict(kept["state_dict"])
            self.iter = kept["iter"] if cfg.get("resume") else 0
            self.log.info("resumed epoch: %d, iter: %d" if cfg.get("resume") else "weights only (epoch %d, iter %d)", self.iter // cfg["epoch_iters"] + 1, self.iter)
        self.opt = torch.optim.SGD(self.model.parameters(), cfg["lr"], momentum=0.9)

    def batch(self):
        boxes = torch.rand(8, 4, generator=self.dice) * 4 + 2
        i, j = torch.meshgrid(torch.arange(10.0), torch.arange(10.0), indexing="ij")
        inside = ((i - boxes[:, 0, None, None]).abs() < boxes[:, 2, None, None]) & ((j - boxes[:, 1, None, None]).abs() < boxes[:, 3, None, None])
        return inside.float()[:, None], boxes / 6

    def train(self):
        cfg, rank = self.cfg, self.rank
        self.dice = torch.Generator().manual_seed(rank + 17 * self.iter)
        per, last = cfg["epoch_iters"], cfg["epochs"] * cfg["epoch_iters"]
        began = time.time()
        while self.iter < last:
            self.iter += 1
            it, epoch, tick = self.iter, (self.iter - 1) // per + 1, time.time()
            #: data
            image, want = self.batch()
            loss = nn.functional.smooth_l1_loss(self.model(image), want)
            #: loss
            self.opt.zero_grad()
            loss.backward()
            #: mid
            for p in self.model.parameters():
                dist.all_reduce(p.grad)
                p.grad /= self.world
            norm = nn.utils.clip_grad_norm_(self.model.parameters(), 35)
            self.opt.step()
            time.sleep(cfg["pause"])
            #: after
            if it % cfg["interval"] == 0:
                eta = datetime.timedelta(seconds=int((time.time() - began) / max(1, it) * (last - it)))
                self.log.info("Epoch [%d][%d/%d]\\tlr: %.3e, eta: %s, time: %.3f, data_time: 0.004, memory: 0, loss_bbox: %.4f, loss: %.4f, grad_norm: %.4f", epoch, (it - 1) % per + 1, per, cfg["lr"], eta, time.time() - tick, loss.item(), loss.item(), norm.item())
            if it % per == 0:
                #: val
                if rank == 0:
                    os.makedirs(cfg["work_dir"], exist_ok=True)
                    self.log.info("Saving checkpoint at %d epochs", epoch)
                    torch.save({"state_dict": self.model.state_dict(), "iter": it}, os.path.join(cfg["work_dir"], "latest.pth"))
        #: late
        self.log.info("Done training, %d iterations, loss %.4f", it, loss.item())


def main():
    cfg = runpy.run_path(sys.argv[1])
    cfg = {k: v for k, v in cfg.items() if not k.startswith("_")}
    for pair in sys.argv[2:]:
        key, _, value = pair.partition("=")
        cfg[key] = type(cfg.get(key, ""))(value) if not isinstance(cfg.get(key), (bool, dict)) else value == "True"
    runner = Runner(cfg)
    rank = runner.rank
    torch.set_num_threads(1)
    #: start
    runner.init_dist()
    #: early
    runner.build()
    runner.train()
    #: bye


if __name__ == "__main__":
    main()
'''
CONFIG = """seed = 3
model = dict(type='TinyBoxes', width=6)
dist = dict(backend='gloo')
lr = 0.02
epochs = 3
epoch_iters = 90
interval = 15
pause = 0.04
work_dir = 'work_dirs/boxes'
load_from = ''
resume = False
"""

MEGA = '''import argparse
import math
import os
import sys
import time
from datetime import datetime, timedelta

import torch
import torch.distributed as dist
#: top


def arguments():
    p = argparse.ArgumentParser(allow_abbrev=False)
    p.add_argument("--num-layers", type=int, default=1)
    p.add_argument("--hidden-size", type=int, default=24)
    p.add_argument("--seq-length", type=int, default=16)
    p.add_argument("--train-iters", type=int, default=240)
    p.add_argument("--log-interval", type=int, default=10)
    p.add_argument("--save-interval", type=int, default=0)
    p.add_argument("--save", default="ckpts")
    p.add_argument("--load", default="")
    p.add_argument("--lr", type=float, default=8e-3)
    p.add_argument("--tensor-model-parallel-size", type=int, default=1)
    p.add_argument("--pipeline-model-parallel-size", type=int, default=1)
    p.add_argument("--distributed-timeout-seconds", type=int, default=1800)
    p.add_argument("--ms", type=float, default=40.0)
    return p.parse_args()


def print_rank_0(text):
    if dist.get_rank() == 0:
        print(text, flush=True)


def print_last(text):
    if dist.get_rank() == dist.get_world_size() - 1:
        print(text, flush=True)


class Block(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = torch.nn.LayerNorm(size)
        self.qkv = torch.nn.Linear(size, 3 * size)
        self.mlp = torch.nn.Sequential(torch.nn.LayerNorm(size), torch.nn.Linear(size, 2 * size), torch.nn.GELU(), torch.nn.Linear(2 * size, size))

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        x = x + torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.mlp(x)


class Model(torch.nn.Module):
    def __init__(self, args):
        super().__init__()
        self.word = torch.nn.Embedding(64, args.hidden_size)
        self.place = torch.nn.Parameter(torch.zeros(args.seq_length, args.hidden_size))
        self.layers = torch.nn.ModuleList(Block(args.hidden_size) for _ in range(args.num_layers))

    def forward(self, tokens):
        x = self.word(tokens) + self.place
        for layer in self.layers:
            x = layer(x)
        return x @ self.word.weight.T


def main():
    args = arguments()
    torch.set_num_threads(1)
    rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0)))
    world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", os.environ.get("PORT", "29500"))
    #: before
    if rank == 0:
        print("> initializing torch distributed ...", flush=True)
    dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(seconds=args.distributed_timeout_seconds))
    tp, pp = args.tensor_model_parallel_size, args.pipeline_model_parallel_size
    if world % (tp * pp):
        raise AssertionError(f"world size ({world}) is not divisible by tensor_model_parallel_size ({tp}) x pipeline_model_parallel_size ({pp})")
    print_rank_0(f"using world size: {world}, data-parallel size: {world // (tp * pp)}, tensor-model-parallel size: {tp}, pipeline-model-parallel size: {pp}")
    print_rank_0("------------------------ arguments ------------------------")
    for name, value in sorted(vars(args).items()):
        print_rank_0(f"  {name} {'.' * (46 - len(name))} {value}")
    print_rank_0("-------------------- end of arguments ---------------------")
    #: early
    torch.manual_seed(1234)
    model = Model(args)
    print_rank_0(f" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): {sum(p.numel() for p in model.parameters())}")
    first = 0
    #: load
    if args.load:
        print_rank_0(f" loading checkpoint from {args.load}")
        latest = os.path.join(args.load, "latest_checkpointed_iteration.txt")
        if os.path.exists(latest):
            first = int(open(latest).read())
            model.load_state_dict(torch.load(os.path.join(args.load, f"iter_{first:07d}.pt"), weights_only=True))
            print_rank_0(f"  successfully loaded checkpoint from {args.load} at iteration {first}")
        else:
            print_rank_0(f"WARNING: could not find the metadata file {latest}\\n    will not load any checkpoints and will start from random")
    opt = torch.optim.AdamW(model.parameters(), args.lr, weight_decay=0.01)
    dice = torch.Generator().manual_seed(rank + 100 * first)
    print_rank_0(f"[before the start of training step] datetime: {datetime.now():%Y-%m-%d %H:%M:%S}")
    total, skipped, nans, tick = 0.0, 0, 0, time.time()
    for iteration in range(first + 1, args.train_iters + 1):
        #: data
        begin = torch.randint(0, 64, (4, 1), generator=dice)
        text = (begin + torch.arange(args.seq_length + 1) * 5) % 64
        lr = args.lr * min(1, iteration / 20)
        for group in opt.param_groups:
            group["lr"] = lr
        loss = torch.nn.functional.cross_entropy(model(text[:, :-1]).transpose(1, 2), text[:, 1:])
        #: loss
        opt.zero_grad()
        loss.backward()
        #: mid
        flat = torch.cat([p.grad.flatten() for p in model.parameters()])
        dist.all_reduce(flat)
        at = 0
        for p in model.parameters():
            p.grad.copy_((flat[at:at + p.numel()] / world).view_as(p))
            at += p.numel()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
        opt.step()
        total += loss.item()
        time.sleep(args.ms / 1000)
        #: after
        if iteration % args.log_interval == 0:
            ms = (time.time() - tick) * 1000 / args.log_interval
            print_last(f" [{datetime.now():%Y-%m-%d %H:%M:%S}] iteration {iteration:8d}/{args.train_iters:8d} | consumed samples: {iteration * 4 * world:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {lr:.6E} | global batch size: {4 * world:5d} | lm loss: {total / args.log_interval:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of skipped iterations: {skipped:3d} | number of nan iterations: {nans:3d} |")
            total, tick = 0.0, time.time()
        if args.save_interval and iteration % args.save_interval == 0:
            print_rank_0(f"saving checkpoint at iteration {iteration:7d} to {args.save} in torch format")
            if rank == 0:
                os.makedirs(args.save, exist_ok=True)
                torch.save(model.state_dict(), os.path.join(args.save, f"iter_{iteration:07d}.pt"))
                open(os.path.join(args.save, "latest_checkpointed_iteration.txt"), "w").write(str(iteration))
            print_rank_0(f"  successfully saved checkpoint from iteration {iteration:7d} to {args.save}")
    print_rank_0(f"[after training is done] datetime: {datetime.now():%Y-%m-%d %H:%M:%S}")
    #: late
    dist.destroy_process_group()
    #: bye


if __name__ == "__main__":
    main()
'''

FILES = {"BYTES": "bytelm.py", "DET": "tools/train_det.py", "MEGA": "pretrain_small.py"}
