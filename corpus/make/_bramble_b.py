"""Runs of single users in vision, science and games that broke off: before the first step, in the middle, by a signal, on a checkpoint, the first sheet."""

from corpus.make._crate import crate

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
)
