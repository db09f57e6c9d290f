"""Trainers as companies and labs build them for themselves, in code of their own: events in JSON lines, hooks with an event storage."""

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
