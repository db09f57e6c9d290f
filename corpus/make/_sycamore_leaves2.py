"""Trainers of several processes that stand still, are slow, or run out of time, the second sheet."""

from corpus.make._crate import crate

SLOWLINK = '''
import json
import os
import time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

rank = int(os.environ["RANK"])
dist.init_process_group("gloo")
torch.manual_seed(0)
net = DDP(torch.nn.Linear(64, 64))
opt = torch.optim.SGD(net.parameters(), 0.3)
comm = [0.0]


def throttled(state, bucket):
    """The tunnel between the two sites carries 10 Mbit/s."""
    began = time.perf_counter()
    flat = bucket.buffer().div_(dist.get_world_size())
    time.sleep(flat.numel() * 4 * 24 / 1.0e6)
    fut = dist.all_reduce(flat, async_op=True).get_future().then(lambda f: f.value()[0])
    comm[0] += time.perf_counter() - began
    return fut


net.register_comm_hook(None, throttled)
for step in range(1, 41):
    comm[0] = 0.0
    t0 = time.perf_counter()
    x = torch.randn(64, 64)
    loss = (net(x) - x.flip(1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    whole = time.perf_counter() - t0
    if step % 2 == 0:
        print(json.dumps({"step": step, "rank": rank, "loss": round(loss.item(), 4), "step_s": round(whole, 3), "allreduce_s": round(comm[0], 3), "compute_s": round(whole - comm[0], 3), "comm_pct": round(100 * comm[0] / whole, 1), "bus_mb_s": round(64 * 65 * 4 / 1e6 / comm[0], 3)}), flush=True)
if rank == 0:
    print(json.dumps({"done": True, "steps": 40}))
dist.destroy_process_group()
'''


LAGGARD = """
import logging
import os
import time
import torch
import torch.distributed as dist

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
dist.init_process_group("gloo")
torch.manual_seed(rank)
net = torch.nn.Linear(32, 4)
opt = torch.optim.Adam(net.parameters(), 5e-3)


def busy(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        time.sleep(0.005)


for step in range(1, 61):
    t0 = time.perf_counter()
    x = torch.randn(32, 32)
    loss = torch.nn.functional.cross_entropy(net(x), x[:, :4].argmax(1))
    opt.zero_grad()
    loss.backward()
    busy(0.27 if rank == 1 else 0.035)
    t1 = time.perf_counter()
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world
    opt.step()
    t2 = time.perf_counter()
    row = torch.tensor([t1 - t0, t2 - t1])
    rows = [torch.zeros(2) for _ in range(world)]
    dist.all_gather(rows, row)
    if rank == 0 and step % 5 == 0:
        logging.info("step %2d/60 loss %.4f | compute ms: %s | in all_reduce ms: %s", step, loss.item(), " ".join(f"r{i}={1000 * r[0]:.0f}" for i, r in enumerate(rows)), " ".join(f"r{i}={1000 * r[1]:.0f}" for i, r in enumerate(rows)))
if rank == 0:
    logging.info("run complete after 60 steps")
dist.barrier()
time.sleep(0.2 + 0.2 * (rank == 0))
dist.destroy_process_group()
"""


DETECTOR = """
import sys
import time
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def train(rank, world, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.manual_seed(9)
    w = torch.zeros(12, requires_grad=True)
    for epoch in range(1, 6):
        own = waiting = 0.0
        for _ in range(10):
            a = time.monotonic()
            x = torch.randn(40, 12)
            loss = ((x @ w) - x[:, 0]).pow(2).mean()
            loss.backward()
            time.sleep(0.31 if rank == world - 1 else 0.05)
            b = time.monotonic()
            dist.all_reduce(w.grad)
            waiting += time.monotonic() - b
            own += b - a
            with torch.no_grad():
                w -= 0.1 * w.grad / world
            w.grad = None
        print(f"Epoch {epoch}/5 [rank {rank}] loss={loss.item():.4f} compute={own:.2f}s sync={waiting:.2f}s", flush=True)
        dist.barrier()
    if rank == 0:
        print("Finished training.")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(train, args=(3, int(sys.argv[1])), nprocs=3)
"""


UNEQUAL = '''
import json
import os
import sys
import time
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
dist.init_process_group("gloo")
torch.manual_seed(4)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.GRU(6, 6, batch_first=True))
opt = torch.optim.Adam(net.parameters(), 5e-3)


def work():
    """Heavier on the one whose host is short of cores."""
    time.sleep(0.40 if rank == 0 else 0.06)


log = sys.stdout
for step in range(1, 37):
    s = time.time()
    work()
    x = torch.randn(8, 12, 6).cumsum(1)
    f = time.time()
    loss = (net(x[:, :-1])[0] - x[:, 1:].tanh()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    e = time.time()
    if step % 3 == 0:
        log.write(json.dumps({"host": f"gn{21 + rank}", "rank": rank, "step": step, "of": 36, "loss": round(loss.item(), 4), "t_prepare": round(f - s, 3), "t_step_incl_sync": round(e - f, 3)}) + "\\n")
        log.flush()
dist.barrier()
dist.destroy_process_group()
'''


LONGHAUL = """
import datetime
import os
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(30, 6))
opt = torch.optim.SGD(net.parameters(), 0.05)
TOTAL = 4000
start = time.time()
for it in range(1, TOTAL + 1):
    x = torch.randn(32, 30)
    loss = torch.nn.functional.cross_entropy(net(x), x[:, :6].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    if rank == 0 and it % 20 == 0:
        eta = datetime.timedelta(seconds=int((time.time() - start) / it * (TOTAL - it)))
        print(f"eta: {eta}  iter: {it}/{TOTAL}  total_loss: {loss.item():.4f}  time: {(time.time() - start) / it:.4f}  lr: 0.05  max_mem: 0M", flush=True)
    if rank == 0 and it % 100 == 0:
        torch.save(net.module.state_dict(), f"model_{it:07d}.pth")
"""


ARENA = """
import time
import torch
import torch.multiprocessing as mp
from torch.distributions import Categorical


def play(seed, params, out):
    g = torch.Generator().manual_seed(seed)
    while True:
        w = params.clone()
        obs = torch.randn(64, 4, generator=g)
        probs = torch.softmax(obs @ w, 1)
        act = torch.multinomial(probs, 1, generator=g).squeeze(1)
        reward = (act == obs.argmax(1)).float()
        out.put((obs, act, reward))
        time.sleep(0.15)


if __name__ == "__main__":
    mp.set_start_method("spawn")
    params = torch.zeros(4, 4).share_memory_()
    out = mp.Queue(8)
    for s in range(2):
        mp.Process(target=play, args=(s, params, out), daemon=True).start()
    print("learner started, 2 self-play processes, goal 1500 updates")
    t0, mean = time.time(), 0.25
    for update in range(1, 1501):
        obs, act, reward = out.get()
        w = params.clone().requires_grad_()
        loss = -(Categorical(logits=obs @ w).log_prob(act) * (reward - mean)).mean()
        loss.backward()
        with torch.no_grad():
            params -= 0.5 * w.grad
        mean = 0.95 * mean + 0.05 * reward.mean().item()
        if update % 10 == 0:
            print(f"update {update:5d}/1500  reward {mean:.3f}  policy_loss {loss.item():+.4f}  fps {update * 64 / (time.time() - t0):.0f}", flush=True)
"""

JOBS = (
    crate("D2", "twosite.py", SLOWLINK, variant="interconnect", ranks=2, fault="cluster", note="comm_pct above 90 on both ranks in each line"),
    crate("D3", "adhoc_ddp.py", LAGGARD, ranks=3, fault="unknown", note="compute of r1 eight times the others', who stand in all_reduce"),
    crate("D3", "ranker.py PORT", DETECTOR, fault="unknown", note="rank 2's compute six times the others', its sync next to nothing"),
    crate("D3", "seqmodel.py", UNEQUAL, ranks=3, fault="unknown", note="rank 0's t_prepare 0.4 s, the others' 0.06 s; they wait in the step"),
    crate("F3", "train_net.py", LONGHAUL, variant="advancing", ranks=2, timeout_s=26, note="iterations go on to the limit, with minutes of eta"),
    crate("F3", "selfplay.py", ARENA, variant="advancing", timeout_s=28, note="updates go on to the limit, of 1500"),
)
