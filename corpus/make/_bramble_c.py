"""Runs of single users that stood still, went slowly, did not learn, were too short, or were ended from outside, the first sheet."""

from corpus.make._crate import crate

PREVIEW = '''
"""Style transfer; a second thread keeps the contact sheet of previews up to date."""
import threading
import time

import torch

torch.manual_seed(0)
weights_lock, sheet_lock = threading.Lock(), threading.Lock()
net = torch.nn.Sequential(torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(6, 3, 3, padding=1))
opt = torch.optim.Adam(net.parameters(), 2e-3)
sheet, wanted = [], threading.Event()


def previews():
    while True:
        wanted.wait()
        wanted.clear()
        with sheet_lock:
            time.sleep(0.03 * (1 + len(sheet)))
            with weights_lock, torch.no_grad():
                sheet.append(net(torch.rand(1, 3, 32, 32)))


threading.Thread(target=previews, daemon=True).start()
start = time.time()
for step in range(1, 5001):
    x = torch.rand(4, 3, 32, 32)
    with weights_lock:
        loss = (net(x) - x.flip(1)).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 40 == 0:
            time.sleep(0.05)
            with sheet_lock:
                del sheet[:-16]
    time.sleep(0.03)
    if step % 10 == 0:
        print(f"[{time.time() - start:7.2f}s] step {step}/5000 content+style {loss.item():.4f}")
    if step % 32 == 0:
        wanted.set()
'''


VIEWER = """
import json
import socket
import sys

srv = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("viewer: listening", flush=True)
conn, _ = srv.accept()
f = conn.makefile("rw")
points, keep = 0, []
for line in f:
    points += 1
    if points == 15:
        other, _ = srv.accept()  # a second window is to be opened
    keep.append(json.loads(line))
    f.write("ok\\n")
    f.flush()
"""


PLOTTED = """
import json
import math
import random
import socket
import sys
import time

time.sleep(1)
conn = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
plot = conn.makefile("rw")
rng = random.Random(0)
xs = [rng.uniform(-3, 3) for _ in range(400)]
ys = [math.sin(x) + rng.gauss(0, 0.1) for x in xs]
c = [0.0] * 6
print("fitting a polynomial of degree 5 by SGD, curve is sent to the viewer")
for epoch in range(1, 301):
    tot = 0.0
    for x, y in zip(xs, ys):
        phi = [(x / 3) ** k for k in range(6)]
        e = sum(a * b for a, b in zip(c, phi)) - y
        tot += e * e
        c = [a - 0.03 * e * b for a, b in zip(c, phi)]
    time.sleep(0.15)
    if epoch % 2 == 0:
        print(f"epoch {epoch:3d} of 300   mse {tot / 400:.5f}")
        plot.write(json.dumps({"epoch": epoch, "c": c}) + "\\n")
        plot.flush()
        plot.readline()
"""


LOADERW = """
import os
import pathlib
import time

import torch
from torch.utils.data import DataLoader, Dataset

root = pathlib.Path("spool")
root.mkdir(exist_ok=True)
g = torch.Generator().manual_seed(0)
for i in range(400):
    if i == 263:
        os.mkfifo(root / f"{i:04d}.pt")  # still being received from the scanner
    else:
        torch.save(torch.rand(32, generator=g), root / f"{i:04d}.pt")


class Spool(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, i):
        return torch.load(root / f"{i:04d}.pt")


if __name__ == "__main__":
    torch.manual_seed(7)
    ae = torch.nn.Sequential(torch.nn.Linear(32, 8), torch.nn.Tanh(), torch.nn.Linear(8, 32))
    opt = torch.optim.Adam(ae.parameters(), 3e-3)
    loader = DataLoader(Spool(), batch_size=2, num_workers=1)
    for epoch in range(5):
        for k, x in enumerate(loader):
            loss = torch.nn.functional.mse_loss(ae(x), x)
            opt.zero_grad()
            loss.backward()
            opt.step()
            time.sleep(0.05)
            if k % 12 == 0:
                print(time.strftime("%d.%m. %H:%M:%S"), "ep", epoch, "batch", k, "rec", round(loss.item(), 4))
"""


DECODE = """
import time

import torch


class AverageMeter:
    def __init__(self):
        self.val = self.sum = self.n = 0

    def update(self, v):
        self.val, self.sum, self.n = v, self.sum + v, self.n + 1

    @property
    def avg(self):
        return self.sum / self.n


def decode(k):
    time.sleep(0.36)  # reads the JPEGs off the tape cache
    g = torch.Generator().manual_seed(k)
    y = torch.randint(2, (16,), generator=g)
    return torch.randn(16, 3, 16, 16, generator=g) + y.view(-1, 1, 1, 1), y


torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(392, 2))
opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
bt, dt, losses = AverageMeter(), AverageMeter(), AverageMeter()
for epoch in range(4):
    end = time.time()
    for i in range(12):
        x, y = decode(epoch * 12 + i)
        dt.update(time.time() - end)
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.update(loss.item())
        bt.update(time.time() - end)
        end = time.time()
        if i % 3 == 0:
            print(f"Epoch: [{epoch}][{i}/12]\\tTime {bt.val:.3f} ({bt.avg:.3f})\\tData {dt.val:.3f} ({dt.avg:.3f})\\tLoss {losses.val:.4f} ({losses.avg:.4f})")
print(f" * epochs 4, mean time a batch {bt.avg:.3f} s, of which waiting for data {dt.avg:.3f} s ({100 * dt.avg / bt.avg:.0f} %)")
"""


ACTORS = '''
"""Learner and actors with a queue between them."""
import multiprocessing as mp
import queue
import time

import torch


def actor(k, q):
    torch.manual_seed(k)
    torch.set_num_threads(1)
    while True:
        time.sleep(1.1)  # one episode of the physics engine
        q.put(torch.randn(64, 12).numpy())


if __name__ == "__main__":
    mp.set_start_method("spawn")
    q = mp.Queue(8)
    crew = [mp.Process(target=actor, args=(k, q), daemon=True) for k in range(1)]
    for p in crew:
        p.start()
    torch.manual_seed(0)
    critic = torch.nn.Sequential(torch.nn.Linear(12, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    opt = torch.optim.Adam(critic.parameters(), 2e-3)
    q.get()
    waited = worked = 0.0
    print("learner is up, 1 actor")
    for update in range(1, 19):
        t0 = time.perf_counter()
        x = torch.from_numpy(q.get())
        t1 = time.perf_counter()
        for _ in range(20):
            v = (critic(x).squeeze(1) - x[:, :3].sum(1)).pow(2).mean()
            opt.zero_grad()
            v.backward()
            opt.step()
        t2 = time.perf_counter()
        waited += t1 - t0
        worked += t2 - t1
        print(f"update {update:02d}/18 value_loss={v.item():.4f} queue_wait={t1 - t0:.3f}s learn={t2 - t1:.3f}s batches_ready={q.qsize()}")
    print(f"18 updates; learner waited for experience {waited:.1f} s and learned for {worked:.1f} s, i.e. busy {100 * worked / (waited + worked):.1f} % of the time")
    for p in crew:
        p.terminate()
'''


EVERYIT = """
import logging
import os
import time

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d  %(message)s", datefmt="%H:%M:%S")
torch.manual_seed(1)
unet = torch.nn.Sequential(torch.nn.Linear(64, 1500), torch.nn.SiLU(), torch.nn.Linear(1500, 1500), torch.nn.SiLU(), torch.nn.Linear(1500, 64))
opt = torch.optim.AdamW(unet.parameters(), 3e-4)
ema = {k: v.clone() for k, v in unet.state_dict().items()}
save_every, total = 1, 60
t_all = t_save = 0.0
logging.info("denoiser with %.1fM weights, %d steps, checkpoint every %d step(s)", sum(p.numel() for p in unet.parameters()) / 1e6, total, save_every)
for step in range(1, total + 1):
    t0 = time.time()
    x = torch.randn(32, 1) * torch.ones(32, 64)
    s = torch.rand(32, 1)
    eps = torch.randn_like(x)
    loss = (unet(x + s * eps) - eps).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for k, v in unet.state_dict().items():
        ema[k].lerp_(v, 0.01)
    t1 = time.time()
    if step % save_every == 0:
        with open("ckpt_tmp.pt", "wb") as f:
            torch.save({"model": unet.state_dict(), "ema": ema, "opt": opt.state_dict(), "step": step}, f)
            f.flush()
            os.fsync(f.fileno())
        os.replace("ckpt_tmp.pt", "ckpt_last.pt")
        logging.info("step %03d: loss %.4f, train %.0f ms, saved ckpt_last.pt (%d MB) in %.0f ms", step, loss.item(), 1e3 * (t1 - t0), os.path.getsize("ckpt_last.pt") >> 20, 1e3 * (time.time() - t1))
    t_all += time.time() - t0
    t_save += time.time() - t1
logging.info("finished: %.1f s in all, %.1f s of it writing checkpoints (%.0f %%)", t_all, t_save, 100 * t_save / t_all)
"""


BURGERS = """
import torch
from torch import nn

torch.manual_seed(42)
net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.95)
grow = 1.012
print("Burgers, nu = 0.01/pi, collocation 200 points, SGD with warm-up")
for n in range(1, 701):
    xt = (torch.rand(200, 2) * 2 - 1).requires_grad_(True)
    u = net(xt)
    d = torch.autograd.grad(u.sum(), xt, create_graph=True)[0]
    dd = torch.autograd.grad(d[:, 0].sum(), xt, create_graph=True)[0][:, :1]
    f = d[:, 1:] + u * d[:, :1] - 0.00318 * dd
    x0 = torch.rand(100, 1) * 2 - 1
    ic = (net(torch.cat([x0, -torch.ones_like(x0)], 1)) + torch.sin(3.14159 * x0)).pow(2).mean()
    loss = f.pow(2).mean() + ic
    opt.zero_grad()
    loss.backward()
    opt.step()
    for g in opt.param_groups:
        g["lr"] *= grow
    if n % 25 == 0:
        print("It: %d, Loss: %.3e, f: %.3e, ic: %.3e, lr: %.2e" % (n, loss.item(), f.pow(2).mean().item(), ic.item(), opt.param_groups[0]["lr"]))
print("Training time: %d iterations done" % n)
torch.save(net.state_dict(), "burgers.pt")
"""


COOLED = """
import csv
import sys

import torch

torch.manual_seed(0)
means = torch.randn(8, 3, 12, 12)
Y = torch.randint(8, (1200,))
X = means[Y] + torch.randn(1200, 3, 12, 12)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(432, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
for p in net[-1].parameters():
    torch.nn.init.zeros_(p)
opt = torch.optim.SGD(net.parameters(), 1e-4)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=1e-3)
log = csv.writer(sys.stdout)
log.writerow(["epoch", "lr", "train_loss", "grad_norm", "val_loss", "val_p_true"])
for epoch in range(1, 31):
    for i in torch.arange(1000).split(100):
        loss = torch.nn.functional.cross_entropy(net(X[i]), Y[i])
        opt.zero_grad()
        loss.backward()
        gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 1e9)
        opt.step()
    with torch.no_grad():
        tr = torch.nn.functional.cross_entropy(net(X[:1000]), Y[:1000]).item()
        out = net(X[1000:])
        va, ptrue = torch.nn.functional.cross_entropy(out, Y[1000:]).item(), torch.softmax(out, 1).gather(1, Y[1000:, None]).mean().item()
    log.writerow([epoch, f"{opt.param_groups[0]['lr']:.0e}", f"{tr:.5f}", f"{gn:.2e}", f"{va:.5f}", f"{ptrue:.4f}"])
    sched.step()
print("weights: run_b2/final.pt")
"""

JOBS = (
    crate(
        "C3",
        "stylise.py",
        PREVIEW,
        timeout_s=36,
        note="a step every 0.03 s, then two threads wait for each other's lock, silence of ~30 s to the limit",
    ),
    crate(
        "C3",
        "sh fit_and_view.sh PYTHON PORT",
        '"$1" viewer.py "$2" &\n"$1" fit.py "$2"\n',
        python="system",
        timeout_s=38,
        files={"viewer.py": VIEWER.lstrip(), "fit.py": PLOTTED.lstrip()},
        note="told every 0.3 s to epoch 30, then silence to the limit: the viewer does not answer",
    ),
    crate(
        "C3", "spool_ae.py", LOADERW, timeout_s=40, note="a line every 0.6 s, then silence: the loader's process reads a pipe that nobody writes to"
    ),
    crate("D1", "finetune.py", DECODE, note="Data is nearly all of Time in every line, the sum says so"),
    crate("D1", "learner.py", ACTORS, note="queue_wait 1 s against learn 0.02 s; its own sum: busy a few per cent"),
    crate("D2", "denoiser.py", EVERYIT, variant="save_storm", note="a checkpoint after each of 60 steps, most of the time in it by its own sum"),
    crate("E1", "burgers.py", BURGERS, cause="nan_loss", variant="non_finite", note="loss nan to the last iteration, exit 0"),
    crate(
        "E1",
        "octet.py",
        COOLED,
        variant="plateau",
        note="loss stands at ln 8 to five digits, lr falls to nothing, the true class's share at one in eight",
    ),
)
