"""Programs over plain PyTorch that look at pictures and signals: faults in cloth, sharper pictures from coarse ones, heart beats (a German's), boxes around stamps."""

FABRIC = '''"""Weave faults in 16x16 patches of cloth. Settings as key=value, see Config."""
import dataclasses
import os
import random
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

KINDS = ["even", "broken pick", "float", "slub"]


@dataclasses.dataclass
class Config:
    epochs: int = 12
    bs: int = 32
    lr: float = 2e-3
    width: int = 10
    shards: int = 3
    seed: int = 0
    out: str = "weave"
    init: str = ""
    resume: str = ""
    keep: int = 5
    limit: int = 0
    decay: float = 0.9


def parse(argv):
    cfg = Config()
    names = [f.name for f in dataclasses.fields(cfg)]
    for word in argv:
        key, _, value = word.partition("=")
        if key not in names:
            sys.exit(f"fabric.py: there is no setting {key!r} (there are: {', '.join(names)})")
        setattr(cfg, key, type(getattr(cfg, key))(value))
    return cfg


def shard(i, rows=224):
    """Patches and their kinds; stands in for the camera's archive when that is not mounted."""
    rng = np.random.default_rng(100 + i)
    at = np.arange(16)
    warp = np.sin(at[None, :, None] * 1.6 + rng.uniform(0, 6, (rows, 1, 1))) * np.sin(at[None, None, :] * 1.6)
    kind = rng.integers(0, len(KINDS), rows)
    for n in range(rows):
        line = rng.integers(3, 13)
        if kind[n] == 1:
            warp[n, line, :] = 0.0
        elif kind[n] == 2:
            warp[n, line, 4:12] = 1.2
        elif kind[n] == 3:
            warp[n, line - 2 : line + 2, line - 2 : line + 2] += 1.1
    return (warp + 0.35 * rng.standard_normal(warp.shape)).astype("float32"), kind


class Block(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(a, b, 3, stride, 1, bias=False), nn.BatchNorm2d(b)
        self.c2, self.n2 = nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b)
        self.skip = nn.Conv2d(a, b, 1, stride, bias=False)

    def forward(self, x):
        return F.relu(self.n2(self.c2(F.relu(self.n1(self.c1(x))))) + self.skip(x))


def build(cfg):
    w = cfg.width
    return nn.Sequential(Block(1, w, 1), Block(w, 2 * w, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * w, len(KINDS)))


def batches(x, y, bs, order):
    for i in range(0, len(order) - bs + 1, bs):
        rows = order[i : i + bs]
        #: rows
        yield torch.from_numpy(x[rows]).unsqueeze(1), torch.from_numpy(y[rows])


def main():
    cfg = parse(sys.argv[1:])
    torch.manual_seed(cfg.seed), random.seed(cfg.seed), np.random.seed(cfg.seed)
    os.makedirs(cfg.out, exist_ok=True)
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    print("cfg:", dataclasses.asdict(cfg))
    #: early
    parts = [shard(i) for i in range(cfg.shards)]
    #: shards
    x, y = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
    vx, vy = shard(99, 160)
    net = build(cfg).to(dev)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, cfg.decay)
    start, best = 0, 0.0
    if cfg.init:
        had = torch.load(cfg.init, map_location=dev)["net"]
        had = {k: v for k, v in had.items() if not k.startswith("4.")}
        net.load_state_dict(had, strict=False)
        print(f"trunk initialised from {cfg.init}: {len(had)} tensors taken, the classifier is new")
    if cfg.resume:
        #: resume
        ck = torch.load(cfg.resume, map_location=dev)
        net.load_state_dict(ck["net"]), opt.load_state_dict(ck["opt"]), sched.load_state_dict(ck["sched"])
        start, best = ck["epoch"] + 1, ck["best"]
        print(f"picked up {cfg.resume}: {start} epochs done, best acc {100 * best:.1f}")
    print(f"{len(x)} patches in {cfg.shards} shards | {sum(p.numel() for p in net.parameters())} weights | {dev}")
    #: ready
    for epoch in range(start, cfg.epochs):
        t0, tot, hit, n = time.time(), 0.0, 0, 0
        net.train()
        for it, (bx, by) in enumerate(batches(x, y, cfg.bs, np.random.permutation(len(x)))):
            if cfg.limit and it >= cfg.limit:
                break
            bx, by = bx.to(dev), by.to(dev)
            #: batch
            out = net(bx)
            loss = F.cross_entropy(out, by)
            #: loss
            opt.zero_grad()
            loss.backward()
            #: grads
            opt.step()
            tot, hit, n = tot + float(loss) * len(by), hit + int((out.argmax(1) == by).sum()), n + len(by)
            #: step
        sched.step()
        net.eval()
        with torch.no_grad():
            out = net(torch.from_numpy(vx).unsqueeze(1).to(dev))
            val, acc = float(F.cross_entropy(out, torch.from_numpy(vy))), float((out.argmax(1) == torch.from_numpy(vy)).float().mean())
        #: valid
        lr = opt.param_groups[0]["lr"]
        print(f"[E{epoch + 1:02d}/{cfg.epochs}] train {tot / n:.4f} (acc {100 * hit / n:4.1f})  held-out {val:.4f} (acc {100 * acc:4.1f})  lr {lr:.1e}  {n / (time.time() - t0):.0f} img/s", flush=True)
        if (epoch + 1) % cfg.keep == 0 or epoch + 1 == cfg.epochs:
            best = max(best, acc)
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(), "epoch": epoch, "best": best}, f"{cfg.out}/e{epoch + 1:03d}.pt")
            print(f"        -> {cfg.out}/e{epoch + 1:03d}.pt", flush=True)
        #: epoch
    print("finished. best held-out acc so far:", f"{100 * max(best, acc):.1f}")


if __name__ == "__main__":
    main()
'''

SHARPER = '''#!/usr/bin/env python
# sharper.py - x2 upscaling of small greyscale textures, residual CNN, L1 loss
# r.m. 03/2026
import argparse, csv, math, os, sys, time
import torch
from torch import nn
from torch.nn import functional as F

ap = argparse.ArgumentParser(prog="sharper.py")
ap.add_argument("--steps", type=int, default=500)
ap.add_argument("--patch", type=int, default=16)
ap.add_argument("--feats", type=int, default=14)
ap.add_argument("--lr", type=float, default=1e-3)
ap.add_argument("--print-freq", type=int, default=25)
ap.add_argument("--val-freq", type=int, default=100)
ap.add_argument("--save-freq", type=int, default=250)
ap.add_argument("--workdir", default="sr_x2")
ap.add_argument("--pretrain", default=None, help="start from these weights, counters at zero")
ap.add_argument("--resume-state", default=None)
ap.add_argument("--nap", type=float, default=0.0)
opt = ap.parse_args()
torch.manual_seed(1)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class Upscaler(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.head = nn.Conv2d(1, f, 3, padding=1)
        self.body = nn.ModuleList(nn.Sequential(nn.Conv2d(f, f, 3, padding=1), nn.PReLU(), nn.Conv2d(f, f, 3, padding=1)) for _ in range(3))
        self.tail = nn.Sequential(nn.Conv2d(f, 4, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, lq):
        h = self.head(lq)
        for b in self.body:
            h = h + b(h)
        return self.tail(h) + F.interpolate(lq, scale_factor=2, mode="bilinear", align_corners=False)


def textures(n, g):
    s = 2 * opt.patch
    yy, xx = torch.meshgrid(torch.linspace(0, 1, s), torch.linspace(0, 1, s), indexing="ij")
    k, p = 4 + 18 * torch.rand(n, 4, 1, 1, generator=g), 6.3 * torch.rand(n, 4, 1, 1, generator=g)
    hq = sum(torch.sin(k[:, i] * (xx if i % 2 else yy) + p[:, i]) for i in range(4)) / 4
    return hq.unsqueeze(1)


def degrade(hq):
    return F.avg_pool2d(hq, 2)


def psnr(a, b):
    return 10 * math.log10(4 / max(F.mse_loss(a, b).item(), 1e-12))


os.makedirs(opt.workdir, exist_ok=True)
#: early
gen = torch.Generator().manual_seed(5)
val_hq = textures(24, torch.Generator().manual_seed(77))
net_g = Upscaler(opt.feats).to(device)
optim_g = torch.optim.Adam(net_g.parameters(), lr=opt.lr, betas=(0.9, 0.99))
current = 0
if opt.pretrain:
    net_g.load_state_dict(torch.load(opt.pretrain, map_location=device)["params"])
    print("Loading net_g weights from", opt.pretrain, "(new optimiser, step 0)")
if opt.resume_state:
    #: resume
    state = torch.load(opt.resume_state, map_location=device)
    net_g.load_state_dict(state["params"])
    optim_g.load_state_dict(state["optim"])
    current = state["step"]
    print("Resuming from", opt.resume_state, "at step", current)
with torch.no_grad():
    base = psnr(F.interpolate(degrade(val_hq), scale_factor=2, mode="bilinear", align_corners=False), val_hq)
print("net_g: %d parameters; bilinear baseline %.2f dB" % (sum(p.numel() for p in net_g.parameters()), base))
#: ready
print("+--------+----------+----------+---------+")
print("|   step |  l1      | psnr val | s/step  |")
print("+--------+----------+----------+---------+", flush=True)
track, t_last, val = [], time.time(), float("nan")
while current < opt.steps:
    current += 1
    hq = textures(12, gen).to(device)
    #: batch
    lq = degrade(hq)
    sr = net_g(lq)
    l1 = F.l1_loss(sr, hq)
    #: loss
    optim_g.zero_grad()
    l1.backward()
    #: grads
    optim_g.step()
    if opt.nap:
        time.sleep(opt.nap)
    #: step
    if current % opt.val_freq == 0:
        with torch.no_grad():
            val = psnr(net_g(degrade(val_hq)), val_hq)
        #: valid
    if current % opt.print_freq == 0:
        shown = "   --   " if math.isnan(val) else "%8.2f" % val
        print("| %6d | %8.5f | %s | %7.4f |" % (current, l1.item(), shown, (time.time() - t_last) / opt.print_freq), flush=True)
        t_last = time.time()
        track.append((current, l1.item(), val))
    if current % opt.save_freq == 0:
        torch.save({"params": net_g.state_dict(), "optim": optim_g.state_dict(), "step": current}, os.path.join(opt.workdir, "state_%06d.pth" % current))
        print("|        saved state_%06d.pth         |" % current, flush=True)
        #: saved
print("+--------+----------+----------+---------+")
with open(os.path.join(opt.workdir, "track.csv"), "w", newline="") as f:
    csv.writer(f).writerows(track)
print("done: psnr %.2f dB (bilinear %.2f) after %d steps" % (val, base, current))
'''

HERZ = '''"""Herzschlaege in vier Klassen: ein 1D-CNN ueber 96 Abtastwerte."""
import argparse
import json
import logging
import pathlib
import sys
import time

import torch
from torch import nn

p = argparse.ArgumentParser(description=__doc__)
p.add_argument("--epochen", type=int, default=12)
p.add_argument("--stapel", type=int, default=48)
p.add_argument("--lernrate", type=float, default=3e-3)
p.add_argument("--kanaele", type=int, default=12)
p.add_argument("--ablage", type=pathlib.Path, default=pathlib.Path("ablage"))
p.add_argument("--fortsetzen", type=pathlib.Path)
p.add_argument("--grundmodell", type=pathlib.Path, help="Gewichte eines anderen Laufs, der Kopf wird neu gelernt")
p.add_argument("--sichern-alle", type=int, default=4)
p.add_argument("--patienten", type=int, default=26)
p.add_argument("--geduld", type=int, default=0, help="nach so vielen Epochen ohne Fortschritt aufhoeren")
a = p.parse_args()
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s,%(msecs)03d [%(levelname).4s] %(message)s", datefmt="%d.%m.%Y %H:%M:%S")
log = logging.getLogger("herz")
torch.manual_seed(3)


def patient(nr, schlaege=24):
    """Aufzeichnung eines Patienten: Kurven und ihre Klassen."""
    g = torch.Generator().manual_seed(nr)
    t = torch.linspace(0, 1, 96)
    klasse = torch.randint(0, 4, (schlaege,), generator=g)
    breite = torch.tensor([0.02, 0.05, 0.02, 0.03])[klasse][:, None]
    lage = torch.tensor([0.5, 0.5, 0.38, 0.5])[klasse][:, None] + 0.02 * torch.randn(schlaege, 1, generator=g)
    hoehe = torch.tensor([1.0, 1.0, 1.0, -0.8])[klasse][:, None]
    kurve = hoehe * torch.exp(-((t - lage) ** 2) / (2 * breite**2)) + 0.15 * torch.sin(6.28 * t + nr)
    #: patient
    return kurve + 0.22 * torch.randn(kurve.shape, generator=g), klasse


class Netz(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.stamm = nn.Sequential(nn.Conv1d(1, k, 7, 2, 3), nn.GELU(), nn.Conv1d(k, 2 * k, 5, 2, 2), nn.GELU(), nn.Conv1d(2 * k, 2 * k, 3, 2, 1), nn.GELU())
        self.kopf = nn.Linear(2 * k * 12, 4)

    def forward(self, x):
        return self.kopf(self.stamm(x.unsqueeze(1)).flatten(1))


def main():
    a.ablage.mkdir(parents=True, exist_ok=True)
    log.info("Aufruf: %s", " ".join(sys.argv))
    #: early
    daten = [patient(n) for n in range(a.patienten)]
    x, y = torch.cat([d[0] for d in daten]), torch.cat([d[1] for d in daten])
    #: data
    px, py = (torch.cat(teil) for teil in zip(*(patient(900 + n) for n in range(6))))
    netz = Netz(a.kanaele)
    opt = torch.optim.AdamW(netz.parameters(), lr=a.lernrate, weight_decay=0.01)
    erste, beste, seit = 1, 9.9, 0
    if a.grundmodell:
        alt = torch.load(a.grundmodell)["netz"]
        netz.stamm.load_state_dict({k[6:]: w for k, w in alt.items() if k.startswith("stamm.")})
        log.info("Stamm aus %s uebernommen, Kopf beginnt neu", a.grundmodell)
    if a.fortsetzen:
        #: resume
        stand = torch.load(a.fortsetzen)
        netz.load_state_dict(stand["netz"])
        opt.load_state_dict(stand["opt"])
        erste, beste = stand["epoche"] + 1, stand["beste"]
        log.info("Stand aus %s geladen, weiter mit Epoche %d (bisher bester Pruefverlust %.4f)", a.fortsetzen, erste, beste)
    log.info("%d Schlaege von %d Patienten, %d Gewichte", len(x), a.patienten, sum(w.numel() for w in netz.parameters()))
    #: ready
    for epoche in range(erste, a.epochen + 1):
        beginn, summe, schritte = time.time(), 0.0, 0
        netz.train()
        for auswahl in torch.randperm(len(x)).split(a.stapel):
            bx, by = x[auswahl], y[auswahl]
            #: batch
            verlust = nn.functional.cross_entropy(netz(bx), by)
            #: loss
            opt.zero_grad()
            verlust.backward()
            norm = nn.utils.clip_grad_norm_(netz.parameters(), 5.0)
            #: grads
            opt.step()
            summe, schritte = summe + verlust.item(), schritte + 1
            #: step
        netz.eval()
        with torch.no_grad():
            aus = netz(px)
            pruef, treffer = nn.functional.cross_entropy(aus, py).item(), (aus.argmax(1) == py).float().mean().item()
        #: valid
        log.info("Epoche %d/%d: Verlust %.4f, Pruefverlust %.4f, Treffer %.1f %%, Gradient %.3f (%.2f s)", epoche, a.epochen, summe / schritte, pruef, 100 * treffer, norm, time.time() - beginn)
        seit = 0 if pruef < beste else seit + 1
        beste = min(beste, pruef)
        if epoche % a.sichern_alle == 0:
            ziel = a.ablage / f"stand_{epoche:03d}.pt"
            torch.save({"netz": netz.state_dict(), "opt": opt.state_dict(), "epoche": epoche, "beste": beste}, ziel)
            log.info("Stand gesichert: %s", ziel)
            #: saved
        if a.geduld and seit >= a.geduld:
            log.info("seit %d Epochen kein Fortschritt, Training endet frueher (beste %.4f)", seit, beste)
            break
        #: epoch
    (a.ablage / "ergebnis.json").write_text(json.dumps({"beste": beste, "treffer": treffer}))
    log.info("Fertig nach Epoche %d, Ergebnis in %s", epoche, a.ablage / "ergebnis.json")


if __name__ == "__main__":
    main()
'''

STAMPS = '''import json, os, pathlib, sys, time
import torch, torch.nn as nn, torch.nn.functional as F

# where is the stamp on the page? one box per page, logfmt on stdout
D = {"iters": 600, "bs": 24, "lr": 0.002, "ch": 8, "report": 20, "ckpt": 200, "dir": "stamps", "load": None, "weights": None, "pages": 512}
unknown = []
for kv in sys.argv[1:]:
    k, v = kv.lstrip("-").split("=", 1)
    if k in D:
        D[k] = type(D[k])(v) if D[k] is not None else v
    else:
        unknown.append(k)
if unknown:
    raise KeyError(f"no such option: {unknown}")


def say(level="info", **kw):
    print(f"ts={time.time():.3f} level={level} " + " ".join(f'{k}="{v}"' if " " in str(v) else f"{k}={v}" for k, v in kw.items()), flush=True)


def make_pages(n, seed):
    g = torch.Generator().manual_seed(seed)
    img = 0.3 * torch.randn(n, 1, 32, 32, generator=g)
    wh, box = torch.randint(7, 14, (n, 2), generator=g), torch.zeros(n, 4)
    for i in range(n):
        w, h = wh[i].tolist()
        x, y = (int(torch.randint(0, 32 - s, (1,), generator=g)) for s in (w, h))
        img[i, 0, y : y + h, x : x + w] += 1.0
        box[i] = torch.tensor([x, y, x + w, y + h]) / 32
    return img, box


class Finder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, c, 3, 2, 1), nn.ReLU(), nn.Conv2d(c, 2 * c, 3, 2, 1), nn.ReLU(), nn.Conv2d(2 * c, 2 * c, 3, 1, 1), nn.ReLU())
        self.box = nn.Sequential(nn.Flatten(), nn.Linear(2 * c * 64, 48), nn.ReLU(), nn.Linear(48, 4))

    def forward(self, x):
        return self.box(self.features(x)).sigmoid()


def iou(a, b):
    lt, rb = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(1)
    area = lambda t: (t[:, 2:] - t[:, :2]).clamp(min=0).prod(1)
    return inter / (area(a) + area(b) - inter)


torch.manual_seed(0)
home = pathlib.Path(D["dir"])
home.mkdir(exist_ok=True, parents=True)
say(event="start", pid=os.getpid(), torch=torch.__version__, **{k: v for k, v in D.items() if v is not None})
#: early
img, box = make_pages(D["pages"], 1)
timg, tbox = make_pages(96, 2)
#: data
net = Finder(D["ch"])
opt = torch.optim.SGD(net.parameters(), lr=D["lr"] * 30, momentum=0.9)
it = 0
if D["weights"]:
    missing = net.load_state_dict(torch.load(D["weights"])["net"], strict=False)
    say(event="init", file=D["weights"], note="pretrained weights, schedule starts over", missing=len(missing.missing_keys))
if D["load"]:
    #: load
    c = torch.load(D["load"])
    net.load_state_dict(c["net"])
    opt.load_state_dict(c["opt"])
    it = c["it"]
    say(event="restored", file=D["load"], it=it)
run_loss = None
t0 = time.perf_counter()
#: ready
while it < D["iters"]:
    it += 1
    pick = torch.randint(0, len(img), (D["bs"],))
    x, y = img[pick], box[pick]
    #: batch
    out = net(x)
    loss_box = F.smooth_l1_loss(out, y, beta=0.05)
    loss_iou = (1 - iou(out, y)).mean()
    loss = loss_box * 4 + loss_iou
    #: loss
    opt.zero_grad()
    loss.backward()
    gn = nn.utils.clip_grad_norm_(net.parameters(), 10)
    #: grads
    opt.step()
    run_loss = float(loss) if run_loss is None else 0.9 * run_loss + 0.1 * float(loss)
    #: step
    if it % D["report"] == 0:
        say(event="train", it=it, of=D["iters"], loss=f"{run_loss:.4f}", loss_box=f"{float(loss_box):.4f}", grad=f"{float(gn):.3f}", sec=f"{(time.perf_counter() - t0) / D['report']:.4f}")
        t0 = time.perf_counter()
    if it % D["ckpt"] == 0:
        with torch.no_grad():
            miou = iou(net(timg), tbox).mean().item()
        path = home / f"it{it:05d}.pt"
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "it": it}, path)
        say(event="eval", it=it, mean_iou=f"{miou:.4f}", saved=path)
        #: saved
with torch.no_grad():
    miou = iou(net(timg), tbox).mean().item()
json.dump({"mean_iou": miou, "it": it}, open(home / "final.json", "w"))
say(event="end", it=it, mean_iou=f"{miou:.4f}")
'''
