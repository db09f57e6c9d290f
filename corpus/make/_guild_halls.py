"""Trainers as companies and labs build them for themselves, in code of their own: events in JSON lines, hooks with an event storage, a translation toolkit, a flow matcher with a table."""

EVENTS = '''"""ranker: click-through model on the house trainer."""
import json
import os
import platform
import sys
import time
import traceback
import uuid

import torch
from torch import nn

RUN = uuid.UUID(int=0x5EED).hex[-8:]


def emit(msg, lvl="INFO", **kw):
    sys.stdout.write(json.dumps({"ts": round(time.time(), 3), "run": RUN, "lvl": lvl, "msg": msg, **kw}) + "\\n")
    sys.stdout.flush()


DEFAULTS = {"steps": 300, "report_every": 10, "eval_every": 100, "ckpt_every": 150, "lr": 0.03, "dim": 8, "batch": 256, "users": 50, "items": 60, "restore": None, "out": "artifacts", "pause": 0.0}


def load_config(path):
    cfg = dict(DEFAULTS)
    if path:
        with open(path) as f:
            given = json.load(f)
        for key, value in given.items():
            if key not in cfg:
                raise KeyError(f"unknown option {key!r}; known: {', '.join(sorted(cfg))}")
            cfg[key] = value
    return cfg


class Ranker(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.user, self.item = nn.Embedding(cfg["users"], cfg["dim"]), nn.Embedding(cfg["items"], cfg["dim"])
        self.top = nn.Sequential(nn.Linear(3 * cfg["dim"], 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, u, i):
        a, b = self.user(u), self.item(i)
        return self.top(torch.cat([a, b, a * b], -1)).squeeze(-1)


def main(argv):
    cfg = load_config(argv[0] if argv else None)
    emit("boot", host=platform.node()[:6], python=platform.python_version(), torch=torch.__version__, config=cfg)
    torch.manual_seed(17)
    #: early
    taste_u, taste_i = torch.randn(cfg["users"], 3), torch.randn(cfg["items"], 3)
    #: data

    def sample(n):
        u, i = torch.randint(cfg["users"], (n,)), torch.randint(cfg["items"], (n,))
        return u, i, ((taste_u[u] * taste_i[i]).sum(-1) > 0).float()

    net = Ranker(cfg)
    opt = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
    bce = nn.BCEWithLogitsLoss()
    first = 1
    if cfg["restore"]:
        emit("restore_begin", path=cfg["restore"])
        state = torch.load(cfg["restore"], map_location="cpu")
        net.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])
        first = state["step"] + 1
        emit("restore_end", path=cfg["restore"], step=state["step"])
    os.makedirs(cfg["out"], exist_ok=True)
    #: ready
    t0 = time.time()
    for step in range(first, cfg["steps"] + 1):
        u, i, y = sample(cfg["batch"])
        #: mid
        loss = bce(net(u, i), y)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        if cfg["pause"]:
            time.sleep(cfg["pause"])
        if step % cfg["report_every"] == 0:
            emit("train_step", step=step, of=cfg["steps"], metrics={"logloss": round(loss.item(), 5), "lr": opt.param_groups[0]["lr"]}, examples_per_s=round(step * cfg["batch"] / (time.time() - t0)))
        #: after
        if step % cfg["eval_every"] == 0:
            with torch.no_grad():
                u, i, y = sample(2000)
                p = net(u, i)
            emit("eval", step=step, metrics={"logloss": round(bce(p, y).item(), 5), "acc": round(((p > 0) == (y > 0)).float().mean().item(), 4)})
            #: evaluated
        if cfg["ckpt_every"] and step % cfg["ckpt_every"] == 0:
            path = f"{cfg['out']}/ranker-{step:06d}.pt"
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, path)
            emit("checkpoint", step=step, path=path, bytes=os.path.getsize(path))
            #: saved
    #: late
    emit("finished", steps=cfg["steps"], seconds=round(time.time() - t0, 1))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Exception as error:
        emit("crash", lvl="FATAL", error=f"{type(error).__name__}: {error}", stack=traceback.format_exc())
        sys.exit(70)
'''
HOOKS = '''import datetime
import importlib.util
import logging
import os
import sys
import time
import weakref

import torch
import torch.nn.functional as F

_FORMAT = "[%(asctime)s %(name)s]: %(message)s"
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter(_FORMAT, datefmt="%m/%d %H:%M:%S"))
root = logging.getLogger("keypoints")
root.setLevel(logging.INFO)
root.addHandler(handler)
say = logging.getLogger("keypoints.engine")


class Storage:
    def __init__(self):
        self.values, self.iter = {}, 0

    def put(self, **kw):
        for k, v in kw.items():
            self.values.setdefault(k, []).append(float(v))

    def median(self, k, n=20):
        tail = sorted(self.values[k][-n:])
        return tail[len(tail) // 2]


class Hook:
    def before_train(self): ...
    def after_step(self): ...
    def after_train(self): ...


class Printer(Hook):
    def __init__(self, period):
        self.period = period

    def after_step(self):
        t, s = self.trainer, self.trainer.storage
        if (s.iter + 1) % self.period == 0:
            eta = s.median("time") * (t.max_iter - s.iter - 1)
            logging.getLogger("keypoints.events").info("eta: %s  iter: %d  total_loss: %.4g  loss_xy: %.4g  loss_vis: %.4g  time: %.4f  data_time: %.4f  lr: %.5g", datetime.timedelta(seconds=int(eta)), s.iter + 1, s.median("total_loss"), s.median("loss_xy"), s.median("loss_vis"), s.median("time"), s.median("data_time"), t.opt.param_groups[0]["lr"])


class Saver(Hook):
    def __init__(self, period):
        self.period = period

    def after_step(self):
        if self.period and (self.trainer.storage.iter + 1) % self.period == 0:
            self.save(f"model_{self.trainer.storage.iter:07d}")

    def save(self, name):
        path = os.path.join(self.trainer.out, name + ".pth")
        logging.getLogger("keypoints.checkpoint").info("Saving to %s", path)
        torch.save({"model": self.trainer.model.state_dict(), "iteration": self.trainer.storage.iter}, path)
        with open(os.path.join(self.trainer.out, "last_checkpoint"), "w") as f:
            f.write(name + ".pth")
        #: saved

    def after_train(self):
        self.save("model_final")


class KeypointNet(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.backbone = torch.nn.Sequential(torch.nn.Conv2d(1, width, 5, 2, 2), torch.nn.ReLU(), torch.nn.Flatten())
        self.roi_heads = torch.nn.Linear(width * 64, 3)

    def forward(self, image):
        out = self.roi_heads(self.backbone(image))
        return out[:, :2], out[:, 2]


class Trainer:
    def __init__(self, cfg):
        self.max_iter, self.out, self.batch = cfg.MAX_ITER, cfg.OUTPUT_DIR, cfg.IMS_PER_BATCH
        self.pause = getattr(cfg, "PAUSE", 0)
        os.makedirs(self.out, exist_ok=True)
        self.model = KeypointNet(cfg.WIDTH)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=cfg.BASE_LR, momentum=0.9)
        self.storage, self.start = Storage(), 0
        self.hooks = [Printer(cfg.PRINT), Saver(cfg.CHECKPOINT_PERIOD)]
        for h in self.hooks:
            h.trainer = weakref.proxy(self)
        #: build
        say.info("Model:\\n%s", self.model)

    def resume_or_load(self, resume, weights):
        ck = logging.getLogger("keypoints.checkpoint")
        if resume:
            with open(os.path.join(self.out, "last_checkpoint")) as f:
                weights = os.path.join(self.out, f.read().strip())
        if not weights:
            ck.info("No checkpoint found. Initializing model from scratch")
            return
        ck.info("Loading checkpoint from %s", weights)
        saved = torch.load(weights)
        self.model.load_state_dict(saved["model"])
        if resume:
            self.start = saved["iteration"] + 1
            ck.info("Resuming from iteration %d", self.start)

    def batch_of(self):
        xy = torch.rand(self.batch, 2)
        grid = torch.linspace(0, 1, 16)
        blob = torch.exp(-((grid[None, None, :] - xy[:, 0, None, None]) ** 2 + (grid[None, :, None] - xy[:, 1, None, None]) ** 2) / 0.01)
        seen = (torch.rand(self.batch) < 0.8).float()
        #: data
        return blob[:, None] * seen[:, None, None, None] + 0.1 * torch.randn(self.batch, 1, 16, 16), xy, seen

    def run_step(self):
        it = self.storage.iter
        t0 = time.perf_counter()
        image, xy, seen = self.batch_of()
        data_time = time.perf_counter() - t0
        #: mid
        pxy, pvis = self.model(image)
        losses = {"loss_xy": 10 * ((pxy - xy) ** 2 * seen[:, None]).mean(), "loss_vis": F.binary_cross_entropy_with_logits(pvis, seen)}
        total = sum(losses.values())
        #: loss
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        time.sleep(self.pause)
        self.storage.put(total_loss=total.item(), time=time.perf_counter() - t0, data_time=data_time, **losses)

    def train(self):
        say.info("Starting training from iteration %d", self.start)
        try:
            for self.storage.iter in range(self.start, self.max_iter):
                self.run_step()
                for h in self.hooks:
                    h.after_step()
                #: after
        except Exception:
            say.exception("Exception during training:")
            raise
        for h in self.hooks:
            h.after_train()


def main():
    path = sys.argv[sys.argv.index("--config-file") + 1]
    spec = importlib.util.spec_from_file_location("cfg", path)
    cfg = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cfg)
    for word in sys.argv[1:]:
        if "=" in word:
            key, value = word.split("=")
            setattr(cfg, key, type(getattr(cfg, key))(value))
    torch.manual_seed(5)
    say.info("Command line arguments: %s", sys.argv[1:])
    #: early
    trainer = Trainer(cfg)
    trainer.resume_or_load("--resume" in sys.argv, getattr(cfg, "WEIGHTS", ""))
    #: ready
    trainer.train()
    #: late
    say.info("Overall training speed: %d iterations in %s", trainer.max_iter - trainer.start, datetime.timedelta(seconds=int(sum(trainer.storage.values["time"]))))


if __name__ == "__main__":
    main()
'''
HOOKS_CFG = 'BASE_LR = 0.02\nMAX_ITER = 300\nIMS_PER_BATCH = 24\nWIDTH = 8\nPRINT = 20\nCHECKPOINT_PERIOD = 150\nOUTPUT_DIR = "output/kp"\n'
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
