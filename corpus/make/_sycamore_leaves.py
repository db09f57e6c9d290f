"""Trainers of several processes that stand still, are slow, or run out of time, the first sheet."""

from corpus.make._crate import crate

OFFBYONE = """
import logging
import sys
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

PLAN = {"trainers": 3, "evaluators": 1}


def role(rank, port):
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(processName)s %(message)s")
    world = PLAN["trainers"] + PLAN["evaluators"]
    logging.info("rank %d of %d joins tcp://127.0.0.1:%s", rank, world, port)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    logging.info("rank %d joined", rank)
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 3))
    logging.info("training %s", net)


if __name__ == "__main__":
    mp.spawn(role, args=(sys.argv[1],), nprocs=PLAN["trainers"])
"""


PORTS = """
import os
import time
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
hosts = dict(line.split("=") for line in open("cluster.env").read().split())
os.environ["MASTER_ADDR"] = hosts["ADDR"]
os.environ["MASTER_PORT"] = hosts[f"PORT{rank}"]
print(time.strftime("%H:%M:%S"), "rank", rank, "rendezvous at", os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"], flush=True)
dist.init_process_group("gloo", rank=rank, world_size=2)
print(time.strftime("%H:%M:%S"), "rank", rank, "in the group", flush=True)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
for step in range(100):
    print(step, model(torch.ones(1, 8)).mean().item())
"""


PORTRUN = """
printf 'ADDR=127.0.0.1 PORT0=%s PORT1=%s\\n' "$2" "$(( $2 + 3 ))" > cluster.env
RANK=0 "$1" twonode.py > >(sed -u 's/^/node0: /') 2>&1 &
RANK=1 "$1" twonode.py > >(sed -u 's/^/node1: /') 2>&1 &
wait
"""


READY = """
import logging
import os
import time
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s %(levelname)s [{rank}] %(message)s")
cache = os.path.join("cache", os.environ.get("HOSTNAME_TAG", f"local{rank}"))
if rank == 0:
    os.makedirs(cache, exist_ok=True)
    logging.info("packing the vocabulary into %s", cache)
    time.sleep(1)
    open(os.path.join(cache, "READY"), "w").close()
    logging.info("packing done, going to init_process_group")
else:
    flag = os.path.join(cache, "READY")
    polls = 0
    logging.info("waiting for rank 0 to write %s", flag)
    while not os.path.exists(flag):
        time.sleep(0.5)
        polls += 1
        if polls % 20 == 0:
            logging.info("still waiting for %s (%d s)", flag, polls // 2)
dist.init_process_group("gloo")
dist.barrier()
logging.info("group of %d ready", dist.get_world_size())
for step in range(500):
    logging.info("step %d", step)
"""


FEEDER = """
import queue
import threading
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
buffer = queue.Queue(3)


def feed():
    n = 0
    while n < (400 if rank == 0 else 110):
        buffer.put(torch.randn(16, 12))
        n += 1


threading.Thread(target=feed, daemon=True).start()
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 12))
opt = torch.optim.Adam(net.parameters(), 4e-3)
t0 = time.time()
for it in range(1, 401):
    x = buffer.get()
    loss = (net(x) - x.roll(2, 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.04)
    if it % 5 == 0:
        print(f"rank {rank} | it {it:3d}/400 | mse {loss.item():.4f} | {time.time() - t0:6.2f} s", flush=True)
"""


ALLREDUCERING = '''
"""Federated rounds over pipes; the coordinator is the main process."""
import sys
import time
import torch
import torch.multiprocessing as mp


def client(rank, down, up):
    torch.manual_seed(rank)
    mean, log_every = torch.randn(6), 4
    sites = {0: "muc", 1: "ham", 2: "ber"}
    stats = {"muc": [1.0] * 200, "ham": [1.0] * 200, "ber": [1.0] * 36}
    while True:
        rnd, w = down.get()
        w = w.clone().requires_grad_()
        x = torch.randn(64, 6)
        loss = ((x * w).sum(1) - (x * mean).sum(1)).pow(2).mean() * stats[sites[rank]][rnd]
        loss.backward()
        if rnd % log_every == 0:
            print(f"[client {rank} {sites[rank]}] round {rnd} local loss {loss.item():.4f}", flush=True)
        up.put((rank, (w - 0.02 * w.grad).detach()))


if __name__ == "__main__":
    mp.set_start_method("spawn")
    up = mp.Queue()
    downs = [mp.Queue() for _ in range(3)]
    for k in range(3):
        mp.Process(target=client, args=(k, downs[k], up), daemon=True).start()
    w = torch.zeros(6)
    for rnd in range(200):
        for d in downs:
            d.put((rnd, w))
        got = [up.get()[1] for _ in downs]
        w = torch.stack(got).mean(0)
        time.sleep(0.08)
        if rnd % 4 == 0:
            print(f"[server] round {rnd}/200 aggregated 3 updates, |w| = {w.norm():.4f}", flush=True)
'''


RELOCK = """
import logging
import multiprocessing
import sys
import time
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, port, lock):
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s.%(msecs)03d w%(process)d %(message)s", datefmt="%H:%M:%S")
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=3)
    torch.manual_seed(0)
    net = torch.nn.Linear(10, 10)
    opt = torch.optim.SGD(net.parameters(), 0.1)
    best = 1e9
    for step in range(1, 1001):
        x = torch.randn(20, 10)
        loss = (net(x) - 0.5 * x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        for p in net.parameters():
            dist.all_reduce(p.grad)
            p.grad /= 3
        opt.step()
        time.sleep(0.04)
        if step % 10 == 0:
            logging.info("rank %d step %d loss %.5f", rank, step, loss.item())
        if step % 100 == 0 and loss.item() < best:
            best = loss.item()
            logging.info("rank %d writes its part of the snapshot", rank)
            with lock:
                torch.save(net.state_dict(), f"part{rank}.pt")
                if step == 100 and rank == 1:
                    with lock:  # index of the parts
                        open("index", "a").close()


if __name__ == "__main__":
    mp.spawn(run, args=(sys.argv[1], multiprocessing.get_context("spawn").Lock()), nprocs=3)
"""


SLOWREADER = '''
import csv
import sys
import time
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Slides(Dataset):
    """Tiles are cut from whole-slide images on the fly, over sshfs."""

    def __len__(self):
        return 960

    def __getitem__(self, i):
        time.sleep(0.07)
        g = torch.Generator().manual_seed(i)
        tile = torch.randn(3, 8, 8, generator=g)
        return tile, (tile[0].mean() > 0).long()


dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 2)))
opt = torch.optim.SGD(net.parameters(), 0.01)
out = csv.writer(sys.stdout)
if rank == 0:
    out.writerow(["epoch", "batch", "loss", "wait_for_data_s", "forward_backward_s", "images_per_s"])
data = Slides()
for epoch in range(2):
    sampler = DistributedSampler(data, shuffle=True)
    mark = time.time()
    for b, (x, y) in enumerate(DataLoader(data, batch_size=16, sampler=sampler, num_workers=1)):
        waited = time.time() - mark
        if b == 11:
            break
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        whole = time.time() - mark
        if rank == 0:
            out.writerow([epoch, b, f"{loss.item():.4f}", f"{waited:.3f}", f"{whole - waited:.3f}", f"{32 / whole:.1f}"])
            sys.stdout.flush()
        mark = time.time()
if rank == 0:
    print("finished 2 epochs")
dist.destroy_process_group()
'''


EVERYBATCH = """
import os
import time
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Linear(128, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 128))
opt = torch.optim.AdamW(net.parameters(), 1e-3)
SAVE_EVERY = int(os.environ.get("SAVE_EVERY", "1"))
TOTAL = 45
train_s = save_s = 0.0
for step in range(1, TOTAL + 1):
    t0 = time.perf_counter()
    x = torch.randn(32, 128)
    loss = (net(x) - x.flip(0)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad)
    opt.step()
    t1 = time.perf_counter()
    train_s += t1 - t0
    if rank == 0:
        print(f"global_step={step}/{TOTAL} train_loss={loss.item():.4f} step_time={t1 - t0:.3f}", flush=True)
    if step % SAVE_EVERY == 0:
        path = f"ckpt/global_step{step % 2}"
        dcp.save({"model": net.state_dict(), "optim": opt.state_dict()}, checkpoint_id=path)
        os.sync()
        time.sleep(0.25)
        dist.barrier()
        save_s += time.perf_counter() - t1
        if rank == 0:
            print(f"Saving model checkpoint to {path} (global_step={step}) took {time.perf_counter() - t1:.2f}s", flush=True)
if rank == 0:
    print(f"Training completed: {train_s:.1f}s in steps, {save_s:.1f}s in checkpoints")
dist.destroy_process_group()
"""

JOBS = (
    crate(
        "C1",
        "roles.py PORT",
        OFFBYONE,
        fault="user",
        timeout_s=40,
        note="three of four ranks say that they join, none has joined, silence to the limit",
    ),
    crate(
        "C1",
        "sh both.sh PYTHON PORT",
        PORTRUN,
        files={"twonode.py": PORTS},
        timeout_s=42,
        note="the two ranks rendezvous at different ports; neither in the group at the limit",
    ),
    crate(
        "C1",
        "pack_and_go.py",
        READY,
        ranks=2,
        timeout_s=42,
        note="rank 1 waits for a flag in another folder than rank 0 wrote; no group, no step, to the limit",
    ),
    crate("C2", "feedthread.py", FEEDER, ranks=2, timeout_s=42, note="both ranks stop after iteration 110 of 0.04 s, silent to the limit"),
    crate(
        "C2",
        "fedsites.py",
        ALLREDUCERING,
        trigger="A3",
        cause="traceback",
        timeout_s=40,
        note="client 2's IndexError in round 36; server and the others wait for its update to the limit",
    ),
    crate("C2", "snapshots.py PORT", RELOCK, timeout_s=42, note="all three stop in the snapshot after step 100, silent to the limit"),
    crate("D1", "slides.py", SLOWREADER, ranks=2, note="wait_for_data_s a second or more, forward_backward_s some hundredths"),
    crate(
        "D2",
        "gpt_ffn.py",
        EVERYBATCH,
        variant="save_storm",
        ranks=2,
        folders=("ckpt",),
        note="a checkpoint after every step, nearly all of the time in them",
    ),
)
