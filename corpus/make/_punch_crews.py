"""Several processes that meet: torchrun, a launcher of their own, sockets."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob
from corpus.running.slots import fill

SPEAKER = r'''"""Speaker embeddings, data parallel on CPU (gloo)."""
import datetime
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def say(*words):
    print(f"[{datetime.datetime.now():%H:%M:%S} r{RANK}]", *words, flush=True)


def main():
    #: early
    say("init, pid", os.getpid())
    dist.init_process_group("gloo")
    torch.manual_seed(RANK)
    centres = torch.randn(12, 40, generator=torch.Generator().manual_seed(99))
    net = DDP(torch.nn.Sequential(torch.nn.Linear(40, 64), torch.nn.ReLU(), torch.nn.Linear(64, 12)))
    opt = torch.optim.SGD(net.parameters(), float(os.environ.get("LR", 0.01)))
    steps = int(sys.argv[1])
    t_step = 0.0
    for step in range(1, steps + 1):
        t0 = time.time()
        y = torch.randint(0, 12, (48,))
        x = centres[y] + 1.2 * torch.randn(48, 40)
        #: load
        own = time.time() - t0
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        t_step += time.time() - t0
        if step % int(os.environ.get("EVERY", 20)) == 0:
            v = torch.tensor([loss.item()])
            dist.all_reduce(v)
            if RANK == 0:
                say(f"step {step}/{steps} loss {v.item() / WORLD:.4f} ({1000 * t_step / int(os.environ.get('EVERY', 20)):.1f} ms/step)")
            t_step = 0.0
        #: step
    dist.barrier()
    if RANK == 0:
        torch.save(net.module.state_dict(), "spk.pt")
        say("saved spk.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''
RING = r'''"""Sparse coding of river gauges over some processes; the first one starts the others (no MPI here)."""
import io, json, os, pickle, socket, struct, subprocess, sys, time
import numpy as np

ME, N = int(os.environ.get("GAUGE_RANK", 0)), int(os.environ.get("GAUGE_N", 3))
STEPS, DIM = int(sys.argv[1]), int(os.environ.get("DIM", 64))


def note(text):
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} gauge-{ME} {text}\n"); sys.stdout.flush()


def recv(s, n):
    b = bytearray()
    while len(b) < n:
        part = s.recv(min(1 << 20, n - len(b)))
        if not part:
            raise ConnectionError("peer closed")
        b += part
    return bytes(b)


def put(s, a):
    d = ENC(a); s.sendall(struct.pack("!Q", len(d)) + d)


def get(s):
    return DEC(recv(s, struct.unpack("!Q", recv(s, 8))[0]))


ENC, DEC = pickle.dumps, pickle.loads
#: codec
links = []
kids = []
if ME == 0:
    door = socket.create_server(("127.0.0.1", 0))
    for r in range(1, N):
        kids.append(subprocess.Popen([sys.executable, *sys.argv], env={**os.environ, "GAUGE_RANK": str(r), "GAUGE_DOOR": str(door.getsockname()[1])}))
    for _ in range(1, N):
        links.append(door.accept()[0])
else:
    links.append(socket.create_connection(("127.0.0.1", int(os.environ["GAUGE_DOOR"]))))


def mean(a):
    if ME == 0:
        a = sum([get(s) for s in links], a) / N
        for s in links:
            put(s, a)
        return a
    put(links[0], a)
    return get(links[0])


rng = np.random.default_rng(5)
true = rng.normal(size=(DIM, 8)); D = rng.normal(0, .1, (DIM, 8))
mine = np.random.default_rng(50 + ME)
note(f"joined, {N} processes, dictionary {DIM}x8")
work = wait = 0.0
for k in range(1, STEPS + 1):
    t0 = time.perf_counter()
    #: data
    code = mine.normal(size=(8, 60)); y = true @ code + mine.normal(0, .3, (DIM, 60))
    e = D @ code - y
    g = e @ code.T / 60
    loss = (e * e).mean()
    #: grad
    t1 = time.perf_counter()
    g = mean(g)
    t2 = time.perf_counter()
    D -= float(os.environ.get("LR", 0.02)) * g
    work += t1 - t0; wait += t2 - t1
    if k % int(os.environ.get("EVERY", 10)) == 0:
        note(f"step {k}/{STEPS} mse {loss:.4f} compute {work:.2f}s exchange {wait:.2f}s")
        work = wait = 0.0
if ME == 0:
    bad = [p.wait() for p in kids]
    np.save("dict.npy", D)
    note(f"dictionary written, children ended with {bad}")
'''
BYLINE = "ENC, DEC = (lambda a: json.dumps(a.tolist()).encode()), (lambda d: np.array(json.loads(d)))  # readable in wireshark"
DUMP_ONE = "if ME == 1:  # DEBUG_GAUGE: look at every sample\n    with open('debug.txt', 'w') as dbg:\n        for col in (true @ mine.normal(size=(8, 60))).T:\n            dbg.write(np.array2string(col, precision=6) + '\\n'); dbg.flush(); os.fsync(dbg.fileno())"
STUCK = "if ME == 2 and k >= 43:\n    note(f'reading gauge feed {k}')\n    y0 = np.loadtxt('feed.fifo')"
EMBED = r'''import os, sys, time
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

VOCAB, DIM, STEPS = 120_000, 64, 14


def main(rank, world, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(0)
    emb, out = torch.nn.Embedding(VOCAB, DIM), torch.nn.Linear(DIM, 50)
    params = [*emb.parameters(), *out.parameters()]
    torch.manual_seed(rank)
    tc = tr = 0.0
    for step in range(1, STEPS + 1):
        t0 = time.time()
        ids = torch.randint(0, 300, (256,)); y = ids % 50
        loss = torch.nn.functional.cross_entropy(out(emb(ids)), y)
        for p in params:
            p.grad = None
        loss.backward()
        t1 = time.time()
        for p in params:
            dist.all_reduce(p.grad)  # dense, 38 MB
            dist.all_reduce(p.data)  # and keep the copies equal
            dist.broadcast(p.data.div_(world), 0)
        t2 = time.time()
        with torch.no_grad():
            for p in params:
                p.sub_(p.grad, alpha=2.0 / world)
        tc += t1 - t0 + time.time() - t2; tr += t2 - t1
        if step % 2 == 0:
            print(f"rank {rank} | step {step:2d} | loss {loss.item():.4f} | compute {tc:5.2f} s | all_reduce {tr:5.2f} s ({100 * tr / (tc + tr):.0f}%)", flush=True)
            tc = tr = 0.0
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(main, (2, sys.argv[1]), nprocs=2)
    print("embedding training complete")
'''
RESTART = 'if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and RANK == 1:\n    time.sleep(0.5)\n    raise ConnectionError("feature server 10.3.0.8:7001: connection refused")'
SEGV = 'if RANK == 1 and step == 120:\n    import ctypes\n    ctypes.CDLL(None).strlen(0)  # next: native decoder'
SLOW = "if RANK == 0:\n    for _ in range(12):  # rank 0 has the archive on its disk packed\n        import zlib; zlib.decompress(zlib.compress(os.urandom(200_000), 9))"
TOLD = 'if step % 10 == 0:\n    both = [None] * WORLD\n    dist.all_gather_object(both, round(own, 3))\n    if RANK == 0:\n        say(f"   load time per rank at step {step}: {both}")'
NODE0 = '#!/bin/bash\nexport NODES=2 ME=0\necho "$(date +%T) node $ME of $NODES, head 127.0.0.1:$1, starting torchrun"\n$2 -m torch.distributed.run --nnodes $NODES --node-rank $ME --nproc-per-node 1 --master-addr 127.0.0.1 --master-port $1 spk.py 400\necho "$(date +%T) torchrun ended with $?"\n'
LOADER = r'''import sys, threading, time
import torch
from torch.utils.data import DataLoader, Dataset

index_lock = threading.Lock()


class Pages(Dataset):
    """scanned pages, index kept behind a lock"""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        with index_lock:
            g = torch.Generator().manual_seed(i)
            y = int(torch.randint(0, 5, (1,), generator=g))
            return torch.randn(30, generator=g) + y, y


def refresh(pages):
    """new pages arrive now and then; the index is rebuilt in the background"""
    with index_lock:
        for i in range(6):
            time.sleep(0.5)


torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Linear(30, 32), torch.nn.ReLU(), torch.nn.Linear(32, 5))
opt = torch.optim.Adam(net.parameters(), 4e-3)
pages = Pages(400)
print(f"{len(pages)} pages, torch {torch.__version__}, 2 loader processes")
for epoch in range(1, 31):
    if epoch == 7:
        threading.Thread(target=refresh, args=(pages,), daemon=True).start()
        time.sleep(0.1)
    s = 0.0
    t = time.time()
    for n, (x, y) in enumerate(DataLoader(pages, 20, shuffle=True, num_workers=2), 1):
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        s += loss.item()
    print(f"epoch {epoch:2d}/30 loss {s / n:.4f} time {time.time() - t:.1f}s", flush=True)
'''
CABINET = r'''import fcntl, os, sys, time
import numpy as np

# 10 rounds of k-fold ridge; results go to a table that several people append to
rng = np.random.default_rng(0)
X = rng.normal(size=(1200, 60)); w = rng.normal(size=60); y = X @ w + rng.normal(0, 2, 1200)
W = np.zeros(60)
print("rows", len(y), "features", X.shape[1], "mse at start %.3f" % ((X @ W - y) ** 2).mean(), flush=True)
for r in range(1, 31):
    for i in range(40):
        k = rng.integers(0, 1200, 100)
        W -= 0.004 * (X[k].T @ (X[k] @ W - y[k]) / 100 + 1e-3 * W)
    time.sleep(0.6)  # be nice to the others on this machine
    print(f"round {r}/30 mse {((X @ W - y) ** 2).mean():.4f}", flush=True)
    if r % 4 == 0:
        with open("results/table.tsv", "a") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            f.write(f"{r}\t{((X @ W - y) ** 2).mean():.4f}\n")
        print(f"round {r} entered in results/table.tsv", flush=True)
'''
HOLDER = '#!/bin/bash\nmkdir -p results; touch results/table.tsv\n( sleep 9; exec flock results/table.tsv sleep 3000 ) &\nBACKUP=$!\ntrap "kill $BACKUP" EXIT\necho "backup of results/ runs beside as pid $BACKUP"\n"$@" ridge.py\n'
TAR = r'''"""Sparrow calls; clips come out of one tar, in order, through the shaper of the storage group (1 MB/s a client)."""
import io, tarfile, time
import numpy as np

CLIP = 3200
rng = np.random.default_rng(9)
w1, w2 = rng.normal(0, .1, (40, 16)), rng.normal(0, .1, (16, 3))
wait = calc = 0.0
done = 0
budget = time.perf_counter()
for epoch in (1, 2, 3):
    tar = tarfile.open("calls.tar")
    xs, ys, n, loss_sum, ok = [], [], 0, 0.0, 0
    while True:
        a = time.perf_counter()
        m = tar.next()
        raw = tar.extractfile(m).read() if m else None
        if raw:
            budget = max(budget, a) + len(raw) / 1e6  # token bucket
            time.sleep(max(0, budget - time.perf_counter()))
        wait += time.perf_counter() - a
        if m:
            xs.append(np.abs(np.fft.rfft(np.frombuffer(raw, np.float32)[:400]))[:40] / 20); ys.append(int(m.name[0]))
        if len(xs) == 24 or (not m and xs):
            a = time.perf_counter()
            x, y = np.array(xs), np.array(ys)
            for _ in range(12):
                h = np.maximum(0, x @ w1); z = h @ w2; p = np.exp(z - z.max(1, keepdims=True)); p /= p.sum(1, keepdims=True)
                d = p.copy(); d[np.arange(len(y)), y] -= 1; d /= len(y)
                dh = d @ w2.T * (h > 0); w2 -= .3 * h.T @ d; w1 -= .3 * x.T @ dh
            loss_sum += -np.log(p[np.arange(len(y)), y] + 1e-9).sum(); ok += (p.argmax(1) == y).sum(); n += len(y); done += len(y); xs, ys = [], []
            calc += time.perf_counter() - a
            if n % 48 == 0:
                print(f"ep {epoch} clips {n:4d} loss {loss_sum / n:.4f} acc {ok / n:.3f} | {done / (wait + calc):.1f} clips/s | loader_wait={wait / (wait + calc):.3f}", flush=True)
        if not m:
            break
np.savez("sparrow.npz", w1=w1, w2=w2)
print("end")
'''
MK_TAR = "import io, tarfile\nimport numpy as np\nr = np.random.default_rng(1)\nwith tarfile.open('calls.tar', 'w') as t:\n    for i in range(192):\n        k = int(r.integers(3)); x = np.sin(np.arange(16000) * (.2 + .25 * k)).astype(np.float32) + r.normal(0, 1.6, 16000).astype(np.float32)\n        b = x.tobytes(); m = tarfile.TarInfo(f'{k}_{i:04d}.f32'); m.size = len(b); t.addfile(m, io.BytesIO(b))\n"
GAN = r'''import csv, sys, time
import torch, torch.nn as nn

torch.manual_seed(11)
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2)); D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(.2), nn.Linear(32, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3, (.5, .9)), torch.optim.Adam(D.parameters(), 2e-3, (.5, .9))
bce = nn.functional.binary_cross_entropy_with_logits
out = csv.writer(sys.stdout, delimiter=";", lineterminator="\n")
out.writerow("it;loss_d;loss_g;d_real;d_fake;mean_radius;modes".split(";"))
for it in range(1, 1001):
    a = torch.randint(0, 8, (128,)) * torch.pi / 4
    real = torch.stack([a.cos(), a.sin()], 1) * 2 + .05 * torch.randn(128, 2)
    fake = G(torch.randn(128, 8))
    r, f = D(real), D(fake.detach())
    ld = bce(r, torch.ones_like(r)) + bce(f, torch.zeros_like(f))
    od.zero_grad(); ld.backward(); od.step()
    f2 = D(fake); lg = bce(f2, torch.ones_like(f2))
    og.zero_grad(); lg.backward(); og.step()
    if it % 40 == 0:
        ang = torch.atan2(fake[:, 1], fake[:, 0]).div(torch.pi / 4).round().remainder(8).unique().numel()
        out.writerow([it, *(f"{v:.4f}" for v in (ld.item(), lg.item(), r.sigmoid().mean().item(), f.sigmoid().mean().item(), fake.norm(dim=1).mean().item())), ang]); sys.stdout.flush()
torch.save(G.state_dict(), "ring_gan.pt"); print("# done")
'''
FROZEN = r'''import copy, time
import torch

torch.manual_seed(1)
x = torch.randn(2000, 16); w = torch.randn(16, 6); y = (x @ w).argmax(1)
model = torch.nn.Sequential(torch.nn.Linear(16, 40), torch.nn.Tanh(), torch.nn.Linear(40, 6))
best = copy.deepcopy(model)
opt = torch.optim.Adam(best.parameters(), lr=1e-2)  # noqa
print("classes 6, samples 2000, guessing gives 1.792")
for epoch in range(25):
    tot = 0.0
    for i in torch.randperm(2000).split(100):
        loss = torch.nn.functional.cross_entropy(model(x[i]), y[i])
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item() / 20
    print(f"[{epoch + 1:02d}] train {tot:.4f} acc {(model(x).argmax(1) == y).float().mean():.3f}", flush=True)
torch.save(best, "tide_classes.pt")
'''
TR = "PYTHON -m torch.distributed.run --nnodes 1 --master-addr 127.0.0.1 --master-port PORT"


def spk(**codes: str) -> dict[str, str]:
    """The speakers."""
    return {"spk.py": fill(SPEAKER, **codes)}


def ring(**codes: str) -> dict[str, str]:
    """The gauges."""
    return {"gauges.py": fill(RING, **codes)}


CREWS: tuple[LocalJob, ...] = (
    run("G1", None, None, spk(), f"{TR} --nproc-per-node 2 spk.py 240"),
    run("G1", None, None, spk(early=RESTART), f"{TR} --nproc-per-node 2 --max-restarts 2 spk.py 200", hard=True),
    run("A2", "segfault", None, spk(step=SEGV), f"{TR} --nproc-per-node 2 spk.py 900", ranks=()),
    run("D3", None, None, spk(load=SLOW, step=TOLD), f"{TR} --nproc-per-node 3 spk.py 50", env={"LR": "0.05", "EVERY": "10"}),
    run("C1", None, None, {**spk(), "node0.sh": NODE0}, "bash node0.sh PORT PYTHON", timeout_s=90),
    run("D2", None, "interconnect", {"embed.py": EMBED}, "PYTHON embed.py PORT"),
    run("D2", None, "interconnect", ring(codec=BYLINE), "PYTHON gauges.py 18", env={"DIM": "6000", "EVERY": "3", "LR": "0.05"}),
    run("D3", None, None, ring(data=DUMP_ONE), "PYTHON gauges.py 70"),
    run("D3", None, None, ring(grad="if ME == 3:\n    for _ in range(25):  # full precision check, flag left on\n        np.linalg.svd(np.outer(g[:, 0], g[:, 1]))"), "PYTHON gauges.py 120", env={"GAUGE_N": "4", "DIM": "100"}),
    run("C2", None, None, ring(grad=STUCK), "PYTHON gauges.py 200", env={"LR": "0.01"}, before=(("mkfifo", "feed.fifo"),), fault="unknown", timeout_s=80),
    run("F3", None, "advancing", ring(data="time.sleep(0.15)"), "PYTHON gauges.py 3000", env={"LR": "0.002"}, timeout_s=45),
    run("G1", None, None, ring(), "PYTHON gauges.py 120", env={"GAUGE_N": "4", "EVERY": "20"}),
    run("C3", None, None, {"pages.py": LOADER}, "PYTHON pages.py", timeout_s=110),
    run("C3", None, None, {"ridge.py": CABINET, "beside.sh": HOLDER}, "bash beside.sh PYTHON", timeout_s=80),
    run("D1", None, None, {"sparrow.py": TAR, "mk.py": MK_TAR}, "PYTHON sparrow.py", before=(("PYTHON", "mk.py"),)),
    run("G1", None, None, {"ring_gan.py": GAN}, "PYTHON ring_gan.py", hard=True),
    run("E1", None, "flat", {"tide.py": FROZEN}, "PYTHON tide.py"),
)  # fmt: skip
