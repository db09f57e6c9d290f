"""Single-process trainings that stand still, wait or are slow, the first sheet."""

from corpus.make._crate import crate

SPOOL = '''
"""Online fine-tuning: takes batches that a labelling service drops into spool/."""
import logging
import os
import time
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s spool-train: %(message)s")
os.makedirs("spool", exist_ok=True)
for k in range(70):
    torch.save(torch.randn(16, 9), f"spool/{k:05d}.pt")
os.mkfifo("spool/00070.pt")
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(9, 24), torch.nn.ReLU(), torch.nn.Linear(24, 9))
opt = torch.optim.Adam(net.parameters(), 4e-3)
for k in range(400):
    with open(f"spool/{k:05d}.pt", "rb") as handle:
        x = torch.load(handle)
    for _ in range(2):
        loss = (net(x) - x).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.03)
    if k % 5 == 4:
        logging.info("batch %d of 400: l1 %.4f", k + 1, loss.item())
'''


LOCKS = '''
import json
import threading
import time
import torch

torch.manual_seed(4)
net = torch.nn.Linear(20, 20)
opt = torch.optim.SGD(net.parameters(), 0.1)
weights_lock, metrics_lock = threading.Lock(), threading.Lock()
stats = {"n": 0}
t0 = time.time()


def ema():
    """Keeps a moving average of the weights."""
    shadow = {k: v.clone() for k, v in net.state_dict().items()}
    while True:
        time.sleep(0.5)
        if stats["n"] < 120:
            continue  # warm-up
        with metrics_lock:
            time.sleep(0.1)
            with weights_lock:
                for k, v in net.state_dict().items():
                    shadow[k].lerp_(v, 0.05)


threading.Thread(target=ema, daemon=True).start()
for step in range(1, 2001):
    x = torch.randn(64, 20)
    with weights_lock:
        loss = (net(x) - x.cumsum(1) / 5).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.04)
        with metrics_lock:
            stats["n"] += 1
    if step % 10 == 0:
        print(json.dumps({"step": step, "of": 2000, "loss": round(loss.item(), 5), "sec": round(time.time() - t0, 2)}), flush=True)
'''


BARWORKERS = '''
import sys
import threading
import time
import torch
from torch.utils.data import DataLoader, Dataset

cache_lock = threading.Lock()
cache = {}


def refresher():
    """Rereads the augmentation table now and then."""
    while True:
        with cache_lock:
            cache["table"] = list(range(1000))
            time.sleep(0.9)
        time.sleep(0.0005 if len(sys.argv) < 2 else 1)


class Faces(Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, i):
        if i % 50 == 0 and cache:
            with cache_lock:
                cache.get("table")
        time.sleep(0.004)
        return torch.randn(16)


def show(epoch, i, n, loss):
    sys.stderr.write(f"\\repoch {epoch}: {i:3d}/{n} [{'=' * (20 * i // n)}>{' ' * (20 - 20 * i // n)}] loss {loss:.4f}")
    sys.stderr.flush()


torch.manual_seed(0)
net = torch.nn.Linear(16, 16)
opt = torch.optim.Adam(net.parameters(), 5e-3)
for epoch in range(1, 21):
    if epoch == 4:
        print("epoch 4: turning on table augmentation", file=sys.stderr, flush=True)
        threading.Thread(target=refresher, daemon=True).start()
        time.sleep(0.3)
    for i, x in enumerate(DataLoader(Faces(), 20, num_workers=2, multiprocessing_context="fork"), 1):
        loss = (net(x) - x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.03)
        show(epoch, i, 30, loss.item())
    sys.stderr.write("\\n")
'''


STDINWAIT = """
import csv
import subprocess
import sys
import time

print("preparing the lexicon with the external tool", flush=True)
out = csv.writer(sys.stdout, delimiter="\\t")
w = [0.0, 0.0, 0.0]
proc = subprocess.Popen([sys.executable, "-u", "g2p.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
out.writerow(["update", "nll", "words"])
for update in range(1, 501):
    word = "abcdefghij"[update % 10] * (3 + update % 5)
    proc.stdin.write(word + "\\n")
    proc.stdin.flush()
    phones = proc.stdout.readline().split()
    grad = [a - 0.1 * len(phones) for a in w]
    w = [a - 0.03 * g for a, g in zip(w, grad)]
    time.sleep(0.05)
    if update % 10 == 0:
        out.writerow([update, f"{sum(g * g for g in grad):.6f}", update])
        sys.stdout.flush()
"""


G2P = """
import sys

seen = 0
for line in sys.stdin:
    seen += 1
    if seen == 153:
        sys.stdin.read()
    print(" ".join(line.strip()))
"""


NFSREAD = '''
import logging
import sys
import time
import torch
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(filename)s:%(lineno)d %(message)s")


class Volumes(Dataset):
    """One NIfTI volume per item, gunzipped and resampled in the main process."""

    def __len__(self):
        return 96

    def __getitem__(self, i):
        time.sleep(0.21)
        return torch.randn(1, 6, 6, 6), i % 2


class Timer:
    def __init__(self):
        self.total = {}

    def add(self, name, seconds):
        self.total[name] = self.total.get(name, 0.0) + seconds


torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(216, 2))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for epoch in range(1, 3):
    timer, mark = Timer(), time.time()
    for b, (x, y) in enumerate(DataLoader(Volumes(), batch_size=6, num_workers=0), 1):
        timer.add("load", time.time() - mark)
        mark = time.time()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        timer.add("gpu", time.time() - mark)
        mark = time.time()
        if b % 2 == 0:
            share = 100 * timer.total["gpu"] / sum(timer.total.values())
            logging.info("epoch %d batch %2d/16 loss %.4f | load %.2fs gpu %.2fs since epoch start | device busy %.1f%%", epoch, b, loss.item(), timer.total["load"], timer.total["gpu"], share)
        if b == 8 and epoch == 2:
            pass
logging.info("training finished after 2 epochs; the device waited for batches most of the time")
'''


DECODEMP4 = '''
import time
import torch


class AverageMeter:
    def __init__(self, name):
        self.name, self.n, self.sum, self.val = name, 0, 0.0, 0.0

    def update(self, v):
        self.val, self.n, self.sum = v, self.n + 1, self.sum + v

    def __str__(self):
        return f"{self.name} {self.val:.3f} (avg {self.sum / self.n:.3f})"


def decode_clip(i):
    """Software decoding of a 4K clip."""
    time.sleep(0.75 + 0.25 * (i % 3))
    return torch.randn(4, 3, 8)


torch.manual_seed(0)
net = torch.nn.GRU(8, 8, batch_first=True)
opt = torch.optim.Adam(net.parameters(), 2e-3)
data_t, step_t, losses = AverageMeter("DataTime"), AverageMeter("BatchTime"), AverageMeter("Loss")
end = time.time()
for i in range(1, 25):
    clip = decode_clip(i)
    data_t.update(time.time() - end)
    out, _ = net(clip)
    loss = (out - clip.tanh()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.update(loss.item())
    step_t.update(time.time() - end)
    end = time.time()
    print(f"Iter [{i}/24]\\t{step_t}\\t{data_t}\\t{losses}", flush=True)
print(f"Done. {step_t.sum:.1f}s in total, {data_t.sum:.1f}s of it waiting for clips.")
'''


PICKLEALL = """
import os
import pickle
import random
import sys
import time

random.seed(6)
table = [random.random() for _ in range(600_000)]
theta = 5.0
spent = 0.0
for it in range(1, 61):
    grad = 2 * (theta - 1.5) + random.gauss(0, 0.05)
    theta -= 0.05 * grad
    time.sleep(0.02)
    sys.stderr.write(f"[{it:>2}/60] objective {(theta - 1.5) ** 2:.5f}\\n")
    t = time.time()
    with open("state.tmp", "wb") as handle:
        pickle.dump({"theta": theta, "table": table, "it": it}, handle)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace("state.tmp", "state.pkl")
    time.sleep(0.2)
    spent += time.time() - t
    sys.stderr.write(f"[{it:>2}/60] checkpoint state.pkl saved ({os.path.getsize('state.pkl') / 1e6:.1f} MB, {time.time() - t:.2f} s)\\n")
sys.stderr.write(f"optimisation finished, {spent:.1f} s spent on checkpoints\\n")
"""


BESTSAVE = """
import argparse
import logging
import os
import time
import torch

ap = argparse.ArgumentParser()
ap.add_argument("--max-steps", type=int, default=70)
ap.add_argument("--save-steps", type=int, default=500)
a = ap.parse_args()
logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(levelname)s - trainer - %(message)s", datefmt="%m/%d/%Y %H:%M:%S")
log = logging.getLogger()
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(300, 3000), torch.nn.ReLU(), torch.nn.Linear(3000, 300))
opt = torch.optim.Adam(net.parameters(), 3e-4)
log.info("***** Running training *****")
log.info("  Total optimization steps = %d, save every %d", a.max_steps, a.save_steps)
for step in range(1, a.max_steps + 1):
    x = torch.randn(16, 300)
    loss = (net(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.info("step %d loss %.4f", step, loss.item())
    if step % a.save_steps == 0:
        folder = f"output/checkpoint-{step}"
        log.info("Saving model checkpoint to %s", folder)
        began = time.time()
        os.makedirs(folder)
        torch.save(net.state_dict(), f"{folder}/model.bin")
        torch.save(opt.state_dict(), f"{folder}/optimizer.pt")
        os.sync()
        time.sleep(0.3)
        log.info("Checkpoint saved in %.2f s", time.time() - began)
        old = f"output/checkpoint-{step - 2}"
        if os.path.isdir(old):
            for name in os.listdir(old):
                os.unlink(f"{old}/{name}")
            os.rmdir(old)
log.info("Training completed. Do not forget to share your model!")
"""

JOBS = (
    crate("C3", "spool_train.py", SPOOL, timeout_s=34, note="a batch every 0.07 s to the 70th, then silence to the limit"),
    crate("C3", "ema_fit.py", LOCKS, timeout_s=36, note="a line every half second to some step past 120, then silence to the limit"),
    crate("C3", "faces.py", BARWORKERS, timeout_s=38, note="three epochs of a second or two, then nothing in the fourth to the limit"),
    crate(
        "C3",
        "lexfit.py",
        STDINWAIT,
        python="system",
        files={"g2p.py": G2P},
        timeout_s=32,
        note="a line every half second to update 150, then silence to the limit",
    ),
    crate("D1", "volumes.py", NFSREAD, note="load is nearly all of the time, device busy below one in a hundred"),
    crate("D1", "clips4k.py", DECODEMP4, note="DataTime is nearly all of BatchTime"),
    crate("D2", "optimise.py", PICKLEALL, variant="save_storm", python="system", note="a checkpoint after every iteration, most of the time in them"),
    crate(
        "D2",
        "run_mlm.py --save-steps 1",
        BESTSAVE,
        variant="save_storm",
        folders=("output",),
        note="a checkpoint after every step, nearly all of the time in them",
    ),
)
