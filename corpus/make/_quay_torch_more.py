"""The same in two more hands: speech with lines of JSON, segmentation."""

from __future__ import annotations

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

FILES = {"SPEECH": "asr_train.py", "SEG": "segrun.py"}
