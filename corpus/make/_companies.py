"""Small distributed programs in PyTorch, each as another group of people would write it, with places for what goes wrong in them."""

from __future__ import annotations

SEG = '''"""Trains a segmentation head on blobs."""
import argparse
import logging
import os
import sys
import time
TOP
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Blobs(Dataset):
    def __init__(self, n=2048, seed=1):
        g = torch.Generator().manual_seed(seed)
        self.centers = torch.randint(3, 9, (n, 2), generator=g)
        self.noise = torch.randn(n, 1, 12, 12, generator=g) * 0.3

    def __len__(self):
        return len(self.centers)

    def __getitem__(self, index):
        ITEM
        mask = torch.zeros(12, 12)
        y, x = self.centers[index].tolist()
        mask[y - 2:y + 2, x - 2:x + 2] = 1
        return self.noise[index] + mask, mask


class Runner:
    def __init__(self, args):
        self.args = args
        self.rank = rank = int(os.environ["RANK"])
        self.world = world = int(os.environ["WORLD_SIZE"])
        logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, stream=sys.stdout,
                            format="%(asctime)s - seglab - %(levelname)s - %(message)s", datefmt="%m/%d %H:%M:%S")
        self.log = logging.getLogger("seglab")
        BEFORE
        dist.init_process_group(backend="gloo"MEET)
        torch.manual_seed(args.seed + rank)
        torch.set_num_threads(1)
        self.net = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 1, 3, padding=1))
        self.log.info("Distributed training: True, GPU number: %d, launcher: pytorch", world)
        EARLY
        self.model = DistributedDataParallel(self.net)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=args.lr, momentum=0.9)
        data = Blobs()
        self.loader = DataLoader(data, 4, sampler=DistributedSampler(data, world, rank, shuffle=SHUFFLE), num_workers=WORKERS)

    def train(self):
        rank, world, args, step = self.rank, self.world, self.args, 0
        for epoch in range(1, 50):
            for x, y in self.loader:
                step += 1
                began = time.time()
                MID
                logits = self.model(x).squeeze(1)
                loss = F.binary_cross_entropy_with_logits(logits, y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                time.sleep(PAUSE)
                AFTER
                if step % EVERY == 0:
                    acc = ((logits > 0) == (y > 0.5)).float().mean().item() * 100
                    self.log.info(f"Epoch(train)  [{epoch}][{step:>4}/{args.max_iters}]  lr: {args.lr:.4e}  eta: 0:00:{int((args.max_iters - step) * 0.04) % 60:02d}  time: {time.time() - began:.4f}  data_time: 0.0011  decode.loss_ce: {loss.item():.4f}  decode.acc_seg: {acc:.4f}")
                if step >= args.max_iters:
                    LATE
                    self.log.info("Training finished after %d iterations", step)
                    return


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-iters", type=int, default=TOTAL)
    parser.add_argument("--lr", type=float, default=RATE)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--resume", default="")
    Runner(parser.parse_args()).train()
    dist.destroy_process_group()
'''

ASR = '''import json, logging, math, os, sys, time
TOP
import torch
import torch.distributed as dist

logging.basicConfig(format="%(asctime)s | %(levelname)s | %(name)s | %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level=logging.INFO, stream=sys.stdout)
logger = logging.getLogger("speechlab_cli.train")
metrics_log = logging.getLogger("train_inner")


class Encoder(torch.nn.Module):
    def __init__(self, mel=10, hidden=16, phones=6):
        super().__init__()
        self.rnn = torch.nn.GRU(mel, hidden, batch_first=True)
        self.out = torch.nn.Linear(hidden, phones)

    def forward(self, frames):
        states, _ = self.rnn(frames)
        return self.out(states)


def utterances(rank, count=6):
    phones = torch.randint(0, 6, (count, 8))
    return torch.nn.functional.one_hot(phones, 10).float() + 0.2 * torch.randn(count, 8, 10), phones


def average_gradients(model, world):
    flat = torch.cat([p.grad.view(-1) for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= world
    offset = 0
    for p in model.parameters():
        p.grad.copy_(flat[offset:offset + p.numel()].view_as(p))
        offset += p.numel()
    return flat.norm().item()


def cli_main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    BEFORE
    dist.init_process_group("gloo"MEET)
    torch.set_num_threads(1)
    torch.manual_seed(17)
    model = Encoder()
    if rank == 0:
        logger.info("num. model params: %d (num. trained: %d)", sum(p.numel() for p in model.parameters()), sum(p.numel() for p in model.parameters()))
        logger.info("training on %d devices (GPUs/TPUs)", world)
    EARLY
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    torch.manual_seed(100 + rank)
    start = time.time()
    for step in range(START, TOTAL + 1):
        x, y = utterances(rank)
        MID
        logits = model(x)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        gnorm = average_gradients(model, world)
        optimizer.step()
        time.sleep(PAUSE)
        AFTER
        if rank == 0 and step % EVERY == 0:
            metrics_log.info(json.dumps({"epoch": 1 + step // 1000, "update": round(step / 1000, 3), "loss": f"{loss.item() / math.log(2):.3f}", "ppl": f"{2 ** (loss.item() / math.log(2)):.2f}", "wps": f"{48 * world / 0.03:.1f}", "num_updates": str(step), "lr": "RATE", "gnorm": f"{gnorm:.3f}", "train_wall": f"{time.time() - start:.0f}", "wall": f"{time.time() - start:.0f}"}))
    LATE
    if rank == 0:
        logger.info("done training in %.1f seconds", time.time() - start)
    dist.destroy_process_group()


if __name__ == "__main__":
    cli_main()
'''

GPT = '''# pretraining of a very small decoder; the last rank reports
import os
import time
from datetime import datetime
TOP
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
world = int(os.environ["WORLD_SIZE"])


def print_rank_0(*message):
    if rank == 0:
        print(*message, flush=True)


def print_rank_last(message):
    if rank == world - 1:
        print(message, flush=True)


class Block(torch.nn.Module):
    def __init__(self, vocab=24, width=16):
        super().__init__()
        self.embed = torch.nn.Embedding(vocab, width)
        self.norm = torch.nn.LayerNorm(width)
        self.mlp = torch.nn.Linear(width, width)
        self.head = torch.nn.Linear(width, vocab)

    def forward(self, tokens):
        h = self.embed(tokens)
        h = h + torch.nn.functional.gelu(self.mlp(self.norm(h)))
        return self.head(h)


def pretrain():
    print_rank_0(f"using world size: {world}, data-parallel-size: {world}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1")
    BEFORE
    dist.init_process_group("gloo"MEET)
    torch.manual_seed(1234)
    torch.set_num_threads(1)
    print_rank_0("building GPT model ...")
    model = Block()
    print_rank_0(f" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): {sum(p.numel() for p in model.parameters())}")
    EARLY
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    print_rank_0(f"[before the start of training step] datetime: {datetime.now():%Y-%m-%d %H:%M:%S}")
    torch.manual_seed(rank)
    for step in range(START, TOTAL + 1):
        tick = time.time()
        x = torch.randint(0, 24, (4, 12))
        y = (x * 5 + 1) % 24
        MID
        loss = torch.nn.functional.cross_entropy(model(x).view(-1, 24), y.view(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        total = 0.0
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= world
            total += p.grad.norm().item() ** 2
        optimizer.step()
        time.sleep(PAUSE)
        AFTER
        if step % EVERY == 0:
            print_rank_last(f" [{datetime.now():%Y-%m-%d %H:%M:%S}] iteration {step:8d}/{TOTAL:8d} | consumed samples: {step * 4 * world:12d} | elapsed time per iteration (ms): {(time.time() - tick) * 1000:.1f} | learning rate: {RATE:.6E} | global batch size: {4 * world:5d} | lm loss: {loss.item():.6E} | loss scale: 1.0 | grad norm: {total ** 0.5:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")
    LATE
    print_rank_0(f"[after training is done] datetime: {datetime.now():%Y-%m-%d %H:%M:%S}")


if __name__ == "__main__":
    pretrain()
    dist.destroy_process_group()
'''

DET = '''import logging
import os
import sys
import time
TOP
import torch
from torch import distributed as comm
from torch import nn

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(asctime)s boxnet.%(name)s]: %(message)s", datefmt="%m/%d %H:%M:%S")
logger = logging.getLogger("utils.events")


def boxes(n=8):
    image = torch.rand(n, 16)
    return image, torch.stack([image[:, :8].mean(1), image[:, 8:].mean(1)], 1), (image.mean(1) > 0.5).long()


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(16, 32), nn.ReLU())
        self.cls, self.box = nn.Linear(32, 2), nn.Linear(32, 2)

    def forward(self, x):
        h = self.trunk(x)
        return self.cls(h), self.box(h)


class DefaultTrainer:
    def __init__(self, rank, world):
        self.rank, self.world = rank, world
        torch.manual_seed(0)
        self.head = Head()
        self.model = nn.parallel.DistributedDataParallel(self.head)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=RATE, momentum=0.9)

    def run_step(self, step):
        rank, world = self.rank, self.world
        x, target, y = boxes()
        MID
        scores, deltas = self.model(x)
        loss_cls = nn.functional.cross_entropy(scores, y)
        loss_box_reg = nn.functional.smooth_l1_loss(deltas, target)
        loss = loss_cls + loss_box_reg
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {"total_loss": loss.item(), "loss_cls": loss_cls.item(), "loss_box_reg": loss_box_reg.item()}

    def train(self):
        rank, world = self.rank, self.world
        if rank == 0:
            logging.getLogger("engine.train_loop").info("Starting training from iteration 0")
        for step in range(START, TOTAL + 1):
            losses = self.run_step(step)
            time.sleep(PAUSE)
            AFTER
            if rank == 0 and step % EVERY == 0:
                logger.info(" eta: 0:00:%02d  iter: %d  %s  time: 0.0331  last_time: 0.0330  data_time: 0.0007  lr: RATE  max_mem: 0M", (TOTAL - step) // 30 % 60, step - 1, "  ".join(f"{k}: {v:.4g}" for k, v in losses.items()))
        LATE
        if rank == 0:
            logging.getLogger("engine.hooks").info("Overall training speed: %d iterations in 0:00:%02d (0.0331 s / it)", TOTAL - 2, TOTAL // 30 % 60)


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    BEFORE
    comm.init_process_group("gloo"MEET)
    torch.set_num_threads(1)
    dist = comm
    EARLY
    DefaultTrainer(rank, world).train()
    comm.destroy_process_group()


if __name__ == "__main__":
    main()
'''

CLIP = '''import logging
import math
import os
import time
TOP
import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F


def gather(features, world, rank):
    parts = [torch.zeros_like(features) for _ in range(world)]
    dist.all_gather(parts, features)
    parts[rank] = features
    return torch.cat(parts)


class AverageMeter:
    def __init__(self):
        self.sum = self.count = self.val = 0

    def update(self, val):
        self.val, self.sum, self.count = val, self.sum + val, self.count + 1

    @property
    def avg(self):
        return self.sum / max(1, self.count)


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format=f"%(asctime)s | %(levelname)s | %(message)s", datefmt="%Y-%m-%d,%H:%M:%S")
    BEFORE
    dist.init_process_group(backend="gloo"MEET)
    torch.set_num_threads(1)
    logging.info(f"Running in distributed mode with multiple processes. Device: cpu. Process (global: {rank}, local {os.environ.get('LOCAL_RANK', 0)}), total {world}.")
    torch.manual_seed(2)
    visual, text = torch.nn.Linear(20, 8), torch.nn.Linear(12, 8)
    logit_scale = torch.nn.Parameter(torch.tensor(math.log(1 / 0.07)))
    mixing = torch.randn(6, 20), torch.randn(6, 12)
    EARLY
    params = [*visual.parameters(), *text.parameters(), logit_scale]
    optimizer = torch.optim.AdamW(params, lr=RATE)
    rng = np.random.default_rng(rank)
    losses = AverageMeter()
    logging.info("Start epoch 0")
    for step in range(START, TOTAL + 1):
        z = torch.from_numpy(rng.standard_normal((8, 6), dtype=np.float32))
        x, y = z @ mixing[0], z @ mixing[1]
        MID
        image, caption = F.normalize(visual(x), dim=1), F.normalize(text(y), dim=1)
        logits = logit_scale.exp() * gather(image, world, rank) @ gather(caption, world, rank).T
        labels = torch.arange(len(logits))
        loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
        optimizer.zero_grad()
        loss.backward()
        for p in params:
            dist.all_reduce(p.grad)
        optimizer.step()
        losses.update(loss.item())
        time.sleep(PAUSE)
        AFTER
        if step % EVERY == 0:
            logging.info(f"Train Epoch: 0 [{step * 8 * world:>6}/{TOTAL * 8 * world} ({100 * step / TOTAL:.0f}%)] Data (t): 0.001 Batch (t): 0.033, {8 * world / 0.033:#g}/s, {8 / 0.033:#g}/s/gpu LR: {RATE:5f} Logit Scale: {logit_scale.exp().item():.3f} Contrastive_loss: {losses.val:#.5g} ({losses.avg:#.5g}) Loss: {losses.val:#.5g} ({losses.avg:#.5g})")
    LATE
    dist.destroy_process_group()
    logging.info("exiting")


if __name__ == "__main__":
    main()
'''
