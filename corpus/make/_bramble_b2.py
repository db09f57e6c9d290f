"""Runs of single users in vision, science and games that broke off: before the first step, in the middle, by a signal, on a checkpoint, the second sheet."""

from corpus.make._crate import crate
from corpus.running.job import Signal

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
