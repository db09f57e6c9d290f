"""More of what companies and labs build for themselves: a translation toolkit, a flow matcher with a table."""

NMT = '''"""Train a tiny sequence model that reverses digits; options as a translation toolkit has them."""
import argparse
import math
import os
import sys
import time
from datetime import datetime

import torch
from torch import nn


def log(text, level="INFO"):
    print(f"[{datetime.now():%Y-%m-%d %H:%M:%S,%f}"[:-3] + f" {level}] {text}", file=sys.stderr, flush=True)


def options():
    p = argparse.ArgumentParser(prog="nmt_train")
    p.add_argument("-train_steps", type=int, default=400)
    p.add_argument("-report_every", type=int, default=25)
    p.add_argument("-valid_steps", type=int, default=100)
    p.add_argument("-save_checkpoint_steps", type=int, default=200)
    p.add_argument("-save_model", default="m/rev")
    p.add_argument("-train_from", default="")
    p.add_argument("-learning_rate", type=float, default=0.004)
    p.add_argument("-rnn_size", type=int, default=40)
    p.add_argument("-batch_size", type=int, default=48)
    p.add_argument("-src_vocab", default="")
    p.add_argument("-keep_checkpoint", type=int, default=-1)
    p.add_argument("-optim", default="adam", choices=["adam", "sgd"])
    return p.parse_args()


class Reverser(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.src_emb = nn.Embedding(12, size)
        self.encoder = nn.GRU(size, size, batch_first=True, bidirectional=True)
        self.decoder = nn.GRU(2 * size, size, batch_first=True)
        self.generator = nn.Linear(size, 12)

    def forward(self, src):
        memory, _ = self.encoder(self.src_emb(src))
        out, _ = self.decoder(memory.flip(1))
        return self.generator(out)


def main():
    opt = options()
    torch.manual_seed(3435)
    #: early
    if opt.src_vocab:
        log(f"Loading vocab from {opt.src_vocab}")
        with open(opt.src_vocab, encoding="utf-8") as f:
            log(f" * src vocab size = {len(f.read().split())}")
    model = Reverser(opt.rnn_size)
    log(f"number of parameters: {sum(p.numel() for p in model.parameters())}")
    optimizer = torch.optim.Adam(model.parameters(), lr=opt.learning_rate) if opt.optim == "adam" else torch.optim.SGD(model.parameters(), lr=opt.learning_rate)
    step = 0
    if opt.train_from:
        log(f"Loading checkpoint from {opt.train_from}")
        ck = torch.load(opt.train_from)
        model.load_state_dict(ck["model"])
        optimizer.load_state_dict(ck["optim"])
        step = ck["step"]
        #: loaded
        log(f"Checkpoint loaded, training state at step {step}")
    os.makedirs(os.path.dirname(opt.save_model) or ".", exist_ok=True)
    log("Start training loop and validate every %d steps..." % opt.valid_steps)
    #: ready
    start, tokens, total_nll, right, n = time.time(), 0, 0.0, 0, 0
    kept = []
    while step < opt.train_steps:
        step += 1
        src = torch.randint(2, 12, (opt.batch_size, 8))
        tgt = src.flip(1)
        #: mid
        logits = model(src)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten())
        #: loss
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        tokens, n = tokens + tgt.numel(), n + tgt.numel()
        total_nll += loss.item() * tgt.numel()
        right += (logits.argmax(-1) == tgt).sum().item()
        if step % opt.report_every == 0:
            xent = total_nll / n
            log(f"Step {step}/{opt.train_steps:5d}; acc: {100 * right / n:4.1f}; ppl: {math.exp(min(xent, 100)):7.2f}; xent: {xent:4.2f}; lr: {optimizer.param_groups[0]['lr']:7.5f}; bsz: {opt.batch_size:4d}; {tokens / (time.time() - start):6.0f} tok/s; {time.time() - start:6.0f} sec;")
            total_nll = right = n = 0
        #: after
        if step % opt.valid_steps == 0:
            with torch.no_grad():
                src = torch.randint(2, 12, (300, 8))
                out = model(src)
                xent = nn.functional.cross_entropy(out.flatten(0, 1), src.flip(1).flatten()).item()
            log(f"valid stats: ppl {math.exp(min(xent, 100)):.3f} acc {100 * (out.argmax(-1) == src.flip(1)).float().mean():.2f}")
            #: valid
        if opt.save_checkpoint_steps and step % opt.save_checkpoint_steps == 0:
            path = f"{opt.save_model}_step_{step}.pt"
            log(f"Saving checkpoint {path}")
            torch.save({"model": model.state_dict(), "optim": optimizer.state_dict(), "step": step}, path)
            kept.append(path)
            if 0 < opt.keep_checkpoint < len(kept):
                os.remove(kept.pop(0))
            #: saved
    #: late
    log(f"Training finished at step {step}.")


if __name__ == "__main__":
    main()
'''
FLOW = '''import os
import sys
import time

import torch
from loguru import logger
from omegaconf import OmegaConf
from rich.console import Console
from rich.table import Table

logger.remove()
logger.add(sys.stderr, format="{time:HH:mm:ss.SSS} | {level: <8} | {message}", colorize=False, backtrace=False, diagnose=False)
base = OmegaConf.create({"train": {"epochs": 10, "iters": 40, "lr": 3e-3, "bs": 128}, "net": {"width": 48, "depth": 2}, "ckpt": {"every": 5, "dir": "flow_ckpt", "load": ""}, "sleep": 0.0})
OmegaConf.set_struct(base, True)
#: early


class Velocity(torch.nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layers = [torch.nn.Linear(3, width), torch.nn.SiLU()]
        for _ in range(depth - 1):
            layers += [torch.nn.Linear(width, width), torch.nn.SiLU()]
        self.net = torch.nn.Sequential(*layers, torch.nn.Linear(width, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], 1))


def moons(n):
    a = torch.rand(n) * 3.1416
    up = torch.rand(n) < 0.5
    return torch.stack([torch.where(up, a.cos(), 1 - a.cos()), torch.where(up, a.sin(), 0.5 - a.sin())], 1) + 0.05 * torch.randn(n, 2)


@logger.catch(reraise=False, onerror=lambda _: sys.exit(1))
def main():
    cfg = OmegaConf.merge(base, OmegaConf.from_cli(sys.argv[1:]))
    logger.info("config\\n{}", OmegaConf.to_yaml(cfg).rstrip())
    torch.manual_seed(41)
    console = Console(width=96)
    net = Velocity(cfg.net.width, cfg.net.depth)
    ema = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99))
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.train.lr)
    first = 1
    if cfg.ckpt.load:
        state = torch.load(cfg.ckpt.load, weights_only=True)
        net.load_state_dict(state["net"])
        first = state["epoch"] + 1
        logger.success("resumed {} at epoch {}", cfg.ckpt.load, state["epoch"])
    os.makedirs(cfg.ckpt.dir, exist_ok=True)
    #: ready
    rows = []
    for epoch in range(first, cfg.train.epochs + 1):
        total = 0.0
        for i in range(cfg.train.iters):
            x1 = moons(cfg.train.bs)
            x0, t = torch.randn_like(x1), torch.rand(len(x1), 1)
            #: mid
            loss = ((net((1 - t) * x0 + t * x1, t) - (x1 - x0)) ** 2).mean()
            #: loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema.update_parameters(net)
            total += loss.item()
            time.sleep(cfg.sleep)
            #: after
        mean = total / cfg.train.iters
        rows.append((epoch, mean, loss.item()))
        logger.info("epoch {:>3}/{} | flow loss {:.4f} | last {:.4f}", epoch, cfg.train.epochs, mean, loss.item())
        if cfg.ckpt.every and epoch % cfg.ckpt.every == 0:
            path = f"{cfg.ckpt.dir}/epoch{epoch:03d}.pt"
            torch.save({"net": net.state_dict(), "epoch": epoch}, path)
            logger.info("checkpoint -> {}", path)
        #: epoch
    #: late
    table = Table("epoch", "mean loss", "last loss", title="flow matching")
    for e, m, last in rows[-6:]:
        table.add_row(str(e), f"{m:.4f}", f"{last:.4f}")
    console.print(table)
    logger.success("trained {} epochs", cfg.train.epochs)


if __name__ == "__main__":
    main()
'''
