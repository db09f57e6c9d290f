"""A translator of several ranks on PyTorch that tells of its updates in JSON."""

from __future__ import annotations

FSEQ = '''#!/usr/bin/env python3
import json
import logging
import math
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
#: top

cfg = {"max_update": 260, "log_interval": 20, "lr": 0.01, "save_interval_updates": 0, "restore_file": "", "sleep": 0.04, "ddp_timeout": 1800, "hidden": 24}
cfg.update(json.loads(os.environ.get("CFG", "{}")))
RANK = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
WORLD = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
logging.basicConfig(format="%(asctime)s | %(levelname)s | %(name)s | %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level="INFO", stream=sys.stdout)
logger = logging.getLogger("fseq_cli.train")
inner = logging.getLogger("train_inner")
torch.set_num_threads(1)


def seed_batch(dice):
    src = torch.randint(2, 30, (6, 8), generator=dice)
    return src, src.flip(1)


class Reverser(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embed = torch.nn.Embedding(32, hidden)
        self.mix = torch.nn.Linear(8, 8)
        self.out = torch.nn.Linear(hidden, 32)

    def forward(self, src):
        return self.out(self.mix(self.embed(src).transpose(1, 2)).transpose(1, 2))


def main():
    logger.info("distributed init (rank %d): env://", RANK)
    store = f"tcp://{os.environ.get('MASTER_ADDR', '127.0.0.1')}:{os.environ.get('MASTER_PORT', os.environ.get('PORT'))}"
    #: before
    dist.init_process_group("gloo", init_method=store, rank=RANK, world_size=WORLD, timeout=timedelta(seconds=cfg["ddp_timeout"]))
    logger.info("initialized host %s as rank %d", os.environ.get("SLURMD_NODENAME", "localhost"), RANK)
    #: early
    torch.manual_seed(5)
    model = Reverser(cfg["hidden"])
    if RANK == 0:
        logger.info(json.dumps(cfg))
        logger.info("num. shared model params: %s (num. trained: %s)", *[f"{sum(p.numel() for p in model.parameters()):,}"] * 2)
    updates = 0
    #: load
    if cfg["restore_file"]:
        logger.info("Preparing to load checkpoint %s", cfg["restore_file"])
        state = torch.load(cfg["restore_file"], weights_only=True)
        model.load_state_dict(state["model"])
        updates = state["num_updates"]
        logger.info("Loaded checkpoint %s (epoch 1 @ %d updates)", cfg["restore_file"], updates)
    ddp = torch.nn.parallel.DistributedDataParallel(model)
    adam = torch.optim.Adam(ddp.parameters(), cfg["lr"], betas=(0.9, 0.98))
    dice = torch.Generator().manual_seed(RANK + 31 * updates)
    start = time.time()
    while updates < cfg["max_update"]:
        updates += 1
        #: data
        src, tgt = seed_batch(dice)
        loss = torch.nn.functional.cross_entropy(ddp(src).transpose(1, 2), tgt)
        #: loss
        adam.zero_grad()
        loss.backward()
        #: mid
        gnorm = torch.nn.utils.clip_grad_norm_(ddp.parameters(), 2.0)
        adam.step()
        time.sleep(cfg["sleep"])
        #: after
        if updates % cfg["log_interval"] == 0 and RANK == 0:
            nats = loss.item() / math.log(2)
            inner.info(json.dumps({"epoch": 1, "update": round(updates / cfg["max_update"], 3), "loss": f"{nats:.3f}", "ppl": f"{2 ** min(nats, 30):.2f}", "wps": f"{src.numel() * updates / (time.time() - start):.1f}", "ups": f"{updates / (time.time() - start):.2f}", "num_updates": str(updates), "lr": f"{cfg['lr']:g}", "gnorm": f"{gnorm.item():.3f}", "wall": f"{time.time() - start:.0f}"}))
        if cfg["save_interval_updates"] and updates % cfg["save_interval_updates"] == 0 and RANK == 0:
            torch.save({"model": model.state_dict(), "num_updates": updates}, "checkpoint_last.pt")
            logger.info("Saved checkpoint checkpoint_last.pt (epoch 1 @ %d updates, score %.3f)", updates, loss.item())
    #: late
    if RANK == 0:
        logger.info("done training in %.1f seconds", time.time() - start)
    dist.destroy_process_group()
    #: bye


if __name__ == "__main__":
    main()
'''
FILES = {"FSEQ": "fseq_train.py"}
