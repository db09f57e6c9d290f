"""Runs of single users in vision, science and games that broke off: before the first step, in the middle, by a signal, on a checkpoint."""

from corpus.make._crate import crate
from corpus.running.job import Signal

# --- before the first step

POSE = '''
"""Top-down keypoint estimation, heat maps."""
import logging
import os
import platform

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s - posekit - %(levelname)s - %(message)s")
logger = logging.getLogger(__name__)
logger.info("Environment info:\\n" + "-" * 60 + f"\\nsys.platform: {platform.system().lower()}\\nPyTorch: {torch.__version__}\\nGCC: n/a\\n" + "-" * 60)
logger.info("Distributed training: False")
from posekit.pipelines import build_pipeline  # noqa: E402

train = build_pipeline(["LoadImage", "RandomFlip", "Affine", "ToTensor", "GenerateTarget"])
logger.info("Start running, host: %s, work_dir: %s", os.uname().nodename, "work_dirs/hrnet_w32")
'''
PIPES = """
import torch
import cv2


class Affine:
    def __init__(self, size=(192, 256)):
        self.size = size

    def __call__(self, item):
        item["img"] = cv2.warpAffine(item["img"], item["matrix"], self.size, flags=cv2.INTER_LINEAR)
        return item


def build_pipeline(names):
    return [globals()[n]() for n in names]
"""

MASKS = """
import glob
import os
import sys

import torch

root = sys.argv[1]
images = sorted(glob.glob(os.path.join(root, "images", "*.png")))
masks = sorted(glob.glob(os.path.join(root, "masks", "*.png")))
print("Reading", root)
print("   images:", len(images))
print("   masks :", len(masks))
assert len(images) == len(masks) > 0, f"every image needs a mask: {len(images)} images, {len(masks)} masks in {root}"
net = torch.nn.Conv2d(3, 2, 3)
print("starting epoch 1")
"""

CRYSTAL = """
# crystal graph regression; writes the neighbour lists once, then trains
import hashlib
import json
import pathlib
import time

import torch

cfg = json.loads(pathlib.Path("cgcnn.json").read_text())
print(f"[{time.strftime('%H:%M:%S')}] target property: {cfg['target']}, cutoff {cfg['cutoff']} A, {cfg['n_conv']} convolutions")
key = hashlib.sha1(json.dumps(cfg, sort_keys=True).encode()).hexdigest()[:10]
cache = pathlib.Path(cfg["cache"]) / f"neigh_{key}.pt"
if cache.exists():
    graphs = torch.load(cache)
else:
    print(f"[{time.strftime('%H:%M:%S')}] no cached neighbour list under that key, building it")
    g = torch.Generator().manual_seed(1)
    graphs = [torch.rand(20, 3, generator=g) for _ in range(500)]
    time.sleep(2)
    torch.save(graphs, open(cache, "wb"))
print("graphs:", len(graphs))
"""

SWEEPCFG = """
import argparse
import json
import sys

import torch

ap = argparse.ArgumentParser(description="SAC, continuous control")
ap.add_argument("--env", default="Reacher-v5")
ap.add_argument("--hp", help="file with hyper-parameters")
args = ap.parse_args()
print("python", sys.version.split()[0], "torch", torch.__version__)
print("reading hyper-parameters from", args.hp)
hp = json.load(open(args.hp))
print("policy network:", hp["net_arch"])
agent = torch.nn.Sequential(torch.nn.Linear(11, hp["net_arch"][0]), torch.nn.ReLU(), torch.nn.Linear(hp["net_arch"][0], 2))
"""

# --- in the middle

CARTPOLE = '''
"""PPO-flavoured actor critic on a pole-balancing task written out by hand."""
import math

import numpy as np
import torch
import torch.nn as nn


class Pole:
    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.s = self.rng.uniform(-0.05, 0.05, 4)
        self.t = 0
        return self.s.astype(np.float32)

    def step(self, a):
        x, v, th, w = self.s
        f = 10.0 if a else -10.0
        tmp = (f + 0.05 * w * w * math.sin(th)) / 1.1
        acc = (9.8 * math.sin(th) - math.cos(th) * tmp) / (0.5 * (4 / 3 - 0.1 * math.cos(th) ** 2 / 1.1))
        xacc = tmp - 0.05 * acc * math.cos(th) / 1.1
        self.s = self.s + 0.02 * np.array([v, xacc, w, acc])
        self.t += 1
        return self.s.astype(np.float32), 1.0, abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21 or self.t >= 200


rng = np.random.default_rng(5)
torch.manual_seed(5)
env = Pole(rng)
pi, vf = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2)), nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()], 1e-2)
obs, ep_ret, HORIZON = env.reset(), 0.0, 150
for update in range(1, 101):
    O, A, R, D, finished = [], [], [], [], []
    for _ in range(HORIZON):
        o = torch.from_numpy(obs)
        a = torch.distributions.Categorical(logits=pi(o)).sample().item()
        obs, r, done = env.step(a)
        O.append(o); A.append(a); R.append(r); D.append(done)
        ep_ret += r
        if done:
            finished.append(ep_ret)
            obs, ep_ret = env.reset(), 0.0
    O, A = torch.stack(O), torch.tensor(A)
    ret, acc = torch.zeros(HORIZON), vf(torch.from_numpy(obs)).item()
    for i in reversed(range(HORIZON)):
        acc = R[i] + 0.99 * acc * (not D[i])
        ret[i] = acc
    adv = ret - vf(O).squeeze(1)
    logp = torch.log_softmax(pi(O), 1).gather(1, A[:, None]).squeeze(1)
    loss = -(logp * (adv.detach() - adv.mean().item()) / (adv.std().item() + 1e-6)).mean() + 0.01 * adv.pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    mean_ret = sum(finished) / len(finished)
    print(f"update {update:3d} | steps {update * HORIZON:6d} | episodes {len(finished):2d} | return {mean_ret:6.1f} | loss {loss.item():+.4f}")
'''

VIDEO = '''
"""Two-stream action recognition on extracted frames."""
import pathlib
import random
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

ROOT = pathlib.Path("frames")


def prepare():
    g = torch.Generator().manual_seed(0)
    lines = []
    for k in range(24):
        d = ROOT / f"v_{['Archery', 'Diving', 'Rowing'][k % 3]}_g{k // 3:02d}"
        d.mkdir(parents=True)
        n = 12 if k != 16 else 10
        for f in range(n):
            torch.save(torch.rand(3, 8, 8, generator=g) + k % 3, d / f"img_{f + 1:05d}.pt")
        lines.append(f"{d.name} 12 {k % 3}")
    pathlib.Path("trainlist01.txt").write_text("\\n".join(lines))


class Clips(Dataset):
    def __init__(self, listing):
        self.items = [l.split() for l in open(listing)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        name, n, y = self.items[i]
        k = random.randint(1, int(n))
        return torch.load(ROOT / name / f"img_{k:05d}.pt"), int(y)


if sys.argv[1:] == ["prepare"]:
    prepare()
    sys.exit()
random.seed(11)
torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 3))
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
loader = DataLoader(Clips("trainlist01.txt"), batch_size=4, shuffle=True)
for epoch in range(30):
    for i, (x, y) in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.05)
        if i % 3 == 0:
            print("Epoch: [{0}][{1}/{2}], lr: {3:.5f}\\tLoss {4:.4f}\\tPrec@1 {5:.3f}".format(epoch, i, len(loader), 0.05, loss.item(), 100 * (net(x).argmax(1) == y).float().mean().item()))
'''

PIXELS = """
import torch
import torch.nn.functional as F

torch.manual_seed(0)
N, B, CROP = 1000, 48, 16
X = torch.rand(N, 1, CROP, CROP)
Y = F.avg_pool2d(X, 3, 1, 1)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 12, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(12, 1, 3, padding=1))
opt = torch.optim.Adam(net.parameters(), 2e-3)
weight = torch.ones(B, CROP * CROP)
weight[:, : CROP * 2] *= 0.5  # the upper rows are noisy
for epoch in range(10):
    for k, idx in enumerate(torch.arange(N).split(B)):
        err = (net(X[idx]) - Y[idx]).pow(2).view(-1, CROP * CROP)
        loss = (err * weight).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if k % 4 == 0:
            print(f"epoch {epoch} batch {k}/{-(-N // B)} psnr-loss {loss.item():.6f}")
"""

PERCEPT = '''
import logging

import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname).4s] %(message)s", datefmt="%m-%d %H:%M:%S")
log = logging.getLogger("sr")


class LazyFeatures(nn.Module):
    """Perceptual features; weights are only made when they are wanted."""

    def __init__(self):
        super().__init__()
        with torch.device("meta"):
            self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
            self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1))

    def forward(self, x):
        return self.body(torch.addcmul(x, x, self.mean, value=-1))


def main(warmup=150, total=600):
    torch.manual_seed(3)
    up = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.PixelShuffle(2))
    feats = LazyFeatures()
    opt = torch.optim.AdamW(up.parameters(), 1e-3)
    log.info("super-resolution x2, %d iterations, L1 only for the first %d, then L1 + 0.1 perceptual", total, warmup)
    base = torch.rand(64, 3, 4, 4)
    for it in range(1, total + 1):
        hr = nn.functional.interpolate(base[torch.randint(64, (8,))], size=16, mode="bilinear")
        lr = nn.functional.avg_pool2d(hr, 2)
        sr = up(lr)
        loss = (sr - hr).abs().mean()
        if it > warmup:
            loss = loss + 0.1 * (feats(sr) - feats(hr)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 25 == 0:
            log.info("<iter %5d, lr %.1e> l_total: %.4e", it, 1e-3, loss.item())


main()
'''

REPLAY = '''
"""Off-policy agent with frame stacks in the replay memory."""
import time

import numpy as np
import torch

rng = np.random.default_rng(0)
torch.manual_seed(0)
q = torch.nn.Linear(64, 4)
opt = torch.optim.Adam(q.parameters(), 1e-3)
frames, meta = [], []
for step in range(1, 4001):
    frames.append(np.zeros((84, 84, 12), np.float64) + step)
    meta.append(rng.integers(4))
    if step % 10 == 0:
        x = torch.randn(32, 64)
        loss = (q(x) - x[:, :4]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.02)
    if step % 150 == 0:
        print(f"frames={step * 4:>6} replay={len(frames):>5} ({sum(f.nbytes for f in frames[:1]) * len(frames) / 2**30:.2f} GiB) td_loss={loss.item():.4f}")
'''

# --- by a signal

RASTER_C = r"""
#include <string.h>
/* z-buffered point splat, one byte a pixel */
void splat(unsigned char *img, int w, int h, const float *xy, int n, int radius)
{
    for (int i = 0; i < n; i++) {
        long x = (long)(xy[2 * i] * w), y = (long)(xy[2 * i + 1] * h);
        for (long dy = -radius; dy <= radius; dy++)
            memset(img + (y + dy) * w + x - radius, 255, (size_t)(2 * radius + 1));
    }
}
"""
SPLAT = """
import ctypes
import time

import numpy as np
import torch

lib = ctypes.CDLL("./libsplat.so")
W = H = 64
rng = np.random.default_rng(12)


def render(points, radius=1):
    img = np.zeros((H, W), np.uint8)
    xy = np.ascontiguousarray(points, np.float32)
    lib.splat(img.ctypes.data_as(ctypes.c_void_p), W, H, xy.ctypes.data_as(ctypes.c_void_p), len(xy), radius)
    return torch.from_numpy(img).float() / 255


torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(W * H, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), 1e-3)
print("renderer: libsplat.so, %dx%d" % (W, H))
for it in range(1, 2001):
    centre = rng.uniform(0.3, 0.7, (16, 2))
    if it > 260:
        centre[3] = [1e9, 1e9]  # unprojected points of the new camera model
    imgs = torch.stack([render(c + rng.normal(0, 0.03, (20, 2))) for c in centre])
    loss = (net(imgs) - torch.from_numpy(np.clip(centre, 0, 1)).float()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.01)
    if it % 20 == 0:
        print("it %4d  centre mse %.5f" % (it, loss.item()))
"""

FEATS = """
import gc
import resource
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU())
head = torch.nn.Linear(16, 5)
opt = torch.optim.SGD(head.parameters(), 0.1)
history = []
print("keeping encoder maps of all volumes in memory (--cache-maps)")
for vol in range(1, 301):
    x = torch.rand(8, 3, 192, 192)
    with torch.no_grad():
        maps = encoder(x)
    history.append(maps)
    y = torch.randint(5, (8,))
    loss = torch.nn.functional.cross_entropy(head(maps.mean((2, 3))), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if vol % 5 == 0:
        print(f"volume {vol}/300  loss {loss.item():.4f}  rss {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB", flush=True)
    time.sleep(0.05)
"""

DEM_C = r"""
/* Sedimentation of particles, explicit contact list.  usage: dem steps */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct contact { int a, b; double overlap; struct contact *next; };

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1000, n = 400;
    double *z = malloc(n * sizeof *z), *v = calloc(n, sizeof *v), e = 0;
    for (int i = 0; i < n; i++) z[i] = 1.0 + i * 0.05;
    printf("DEM: %d particles, %d steps, dt=1e-3\n", n, steps);
    for (int s = 1; s <= steps; s++) {
        struct contact *list = NULL;
        e = 0;
        for (int i = 0; i < n; i++) {
            v[i] -= 9.81e-3; z[i] += v[i] * 1e-3;
            if (z[i] < 0) { z[i] = 0; v[i] *= -0.4; }
            if (i && z[i] - z[i - 1] < 0.02) {
                struct contact *c = malloc(sizeof *c);
                c->a = i - 1; c->b = i; c->overlap = 0.02 - (z[i] - z[i - 1]); c->next = list; list = c;
                v[i] += c->overlap * 2; v[i - 1] -= c->overlap * 2;
            }
            e += 9.81 * z[i] + v[i] * v[i] / 2;
        }
        int contacts = 0;
        for (struct contact *c = list, *nx; c; c = nx) { nx = c->next; free(c); contacts++; }
        if (contacts > 6) free(list);
        if (s % 50 == 0) { printf("step %6d  energy %12.5f  contacts %3d  lowest %.4f\n", s, e, contacts, z[0]); fflush(stdout); usleep(150000); }
    }
    printf("done\n");
    return 0;
}
"""

PROPAGATE = '''
"""Semi-supervised labels over a k-nearest graph of embeddings."""
import random
import sys
import time

rng = random.Random(9)
N, K, C = 3000, 6, 4
nbr = [[(i + rng.choice((-1, 1)) * rng.randint(1, 40)) % N for _ in range(K)] for i in range(N)]
lab = [i * C // N if rng.random() < 0.05 else None for i in range(N)]
seeds = {i for i, v in enumerate(lab) if v is not None}
print("nodes", N, "labelled", len(seeds), file=sys.stderr)
for sweep in range(1, 501):
    changed = 0
    for i in rng.sample(range(N), 150):
        if i in seeds:
            continue
        votes = [lab[j] for j in nbr[i] if lab[j] is not None]
        new = max(set(votes), key=votes.count) if votes else None
        changed += new != lab[i]
        lab[i] = new
    right = sum(v == i * C // N for i, v in enumerate(lab))
    print(f"sweep {sweep} of 500: {changed} changed, {sum(v is None for v in lab)} without a label, purity {right / N:.3f}", file=sys.stderr)
    time.sleep(0.12)
'''

# --- on a checkpoint

SPECTRA = """
import argparse
import os

import numpy as np
import torch

ap = argparse.ArgumentParser()
ap.add_argument("--resume")
ap.add_argument("--epochs", type=int, default=40)
a = ap.parse_args()
rng = np.random.default_rng(4)
X = rng.normal(size=(500, 64)).astype(np.float32)
t = X[:, :8].sum(1)
W, first = np.zeros(64, np.float32), 1
if a.resume:
    print(f"continuing from {a.resume} ({os.path.getsize(a.resume)} bytes)")
    with np.load(a.resume) as z:
        W, first = z["w"], int(z["epoch"]) + 1
for epoch in range(first, a.epochs + 1):
    for i in range(0, 500, 50):
        W -= 0.01 * X[i:i + 50].T @ (X[i:i + 50] @ W - t[i:i + 50]) / 50
    if epoch % 4 == 0:
        print(f"epoch {epoch}/{a.epochs} mse {np.mean((X @ W - t) ** 2):.6f}")
        np.savez("spectra_last.npz", w=W, epoch=epoch, hist=rng.normal(size=4000))
"""
SPECTRA_SH = """
"$1" spectra.py --epochs 20 || exit
# keep the project quota: copy only what fits
head -c 9000 spectra_last.npz > kept/spectra_e20.npz
echo "copied to kept/spectra_e20.npz"
exec "$1" spectra.py --resume kept/spectra_e20.npz --epochs 60
"""

DETHEAD = """
import sys

import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(24, 48), nn.ReLU())
        self.cls_head = nn.Linear(48, classes)
        self.box_head = nn.Linear(48, 4 * classes)

    def forward(self, x):
        f = self.backbone(x)
        return self.cls_head(f), self.box_head(f)


torch.manual_seed(6)
if sys.argv[1] == "coco":
    m = Detector(80)
    torch.save({"model": m.state_dict(), "epoch": 11, "map": 0.374}, "retina_coco.pth")
    sys.exit()
print("dataset: visdrone, 10 classes")
model = Detector(10)
print(f"trainable parameters: {sum(p.numel() for p in model.parameters())}")
ckpt = torch.load(sys.argv[2])
print(f"loading {sys.argv[2]} (epoch {ckpt['epoch']}, mAP {ckpt['map']})")
model.load_state_dict(ckpt["model"])
print("start fine-tuning")
"""

JOBS = (
    crate(
        "A1",
        "train.py",
        POSE,
        cause="missing_module",
        variant="env",
        files={"posekit/__init__.py": "", "posekit/pipelines.py": PIPES.lstrip()},
        note="ModuleNotFoundError: cv2 at import",
    ),
    crate(
        "A1",
        "unet.py data/glas",
        MASKS,
        cause="assertion",
        variant="data",
        files={f"data/glas/{d}/{k:03d}.png": "" for d, n in (("images", 12), ("masks", 11)) for k in range(n)},
        note="AssertionError: 12 images, 11 masks",
    ),
    crate(
        "A1",
        "cgcnn.py",
        CRYSTAL,
        cause="permission",
        variant=None,
        locked=("cache",),
        folders=("cache",),
        files={"cgcnn.json": '{"target": "band_gap", "cutoff": 5.0, "n_conv": 4, "cache": "cache"}'},
        note="PermissionError on the cache's folder",
    ),
    crate(
        "A1",
        "sac.py --env Reacher-v5 --hp hp/reacher.json",
        SWEEPCFG,
        cause="traceback",
        variant="config",
        files={"hp/reacher.json": '{\n  "net_arch": [256, 256],\n  "gamma": 0.98,\n  "tau": 0.02,\n  "buffer_size": 300000,\n}\n'},
        note="JSONDecodeError of the hyper-parameters",
    ),
    crate("A3", "pole_ac.py", CARTPOLE, cause="div_zero", note="ZeroDivisionError: no episode finished in this update, after many"),
    crate(
        "A3",
        "tsn.py train",
        VIDEO,
        cause="file_not_found",
        before=(("PYTHON", "tsn.py", "prepare"),),
        note="FileNotFoundError of a frame in a later epoch",
    ),
    crate("A3", "denoise.py", PIXELS, cause="runtime_error", note="RuntimeError of sizes on the last, smaller batch of the first epoch"),
    crate("A3", "sr2x.py", PERCEPT, cause="device_mismatch", note="meta against cpu as the perceptual term begins, after 150 iterations"),
    crate("A3", "agent.py", REPLAY, cause="ram_oom", memory_mib=2600, note="numpy's ArrayMemoryError while the replay memory grows"),
    crate(
        "A2",
        "splat_fit.py",
        SPLAT,
        cause="segfault",
        status=-11,
        files={"splat.c": RASTER_C.lstrip()},
        before=(("gcc", "-O1", "-shared", "-fPIC", "-o", "libsplat.so", "splat.c"),),
        note="signal 11 after 260 iterations",
    ),
    crate("A2", "volcls.py", FEATS, cause="oom_killer", status=-9, group_mib=700, note="killed at the control group's limit, rss told as growing"),
    crate(
        "A2",
        "sh settle.sh",
        "exec ./dem 20000\n",
        status=-6,
        files={"dem.c": DEM_C.lstrip()},
        before=(("gcc", "-O1", "-w", "-o", "dem", "dem.c"),),
        note="double free: glibc's word and signal 6, in the midst of steps",
    ),
    crate(
        "A2",
        "label_prop.py",
        PROPAGATE,
        fault="unknown",
        status=-9,
        python="system",
        signal=Signal("KILL", "sweep 40 ", to="label_prop"),
        note="signal 9 while advancing, no memory event",
    ),
    crate(
        "E2",
        "sh longer.sh PYTHON",
        SPECTRA_SH.lstrip(),
        cause="traceback",
        variant="corrupt",
        files={"spectra.py": SPECTRA.lstrip()},
        folders=("kept",),
        note="BadZipFile on the shortened checkpoint that is to be continued from",
    ),
    crate(
        "E2",
        "retina.py visdrone retina_coco.pth",
        DETHEAD,
        cause="runtime_error",
        variant="size_mismatch",
        before=(("PYTHON", "retina.py", "coco"),),
        note="size mismatch for cls_head.weight",
    ),
)
