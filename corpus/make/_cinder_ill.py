"""Evaluation, fine-tuning, science and vision jobs that break, stall or crawl."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, queue, rest, wavy, work
from corpus.running.job import SlurmJob

TOP = """import datetime, logging, os, pathlib, sys, time
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy, mse_loss

r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
"""
JOIN = "dist.init_process_group('gloo', rank=r, world_size=n)\n"
ROWS = TOP + """def parse(line):
    name, *values = line.split(",")
    return name, [float(v) for v in values]


print(f"[{r}] reading spectra.csv")
table = [parse(line) for line in pathlib.Path("spectra.csv").read_text().splitlines()[1:]]
print(f"[{r}] {len(table)} spectra")
x = torch.tensor([v for _, v in table])
"""
SHAPES = """import time, torch
torch.manual_seed(0)
print("AudioClassifier(frontend=logmel64, classes=35)")
front = torch.nn.Sequential(torch.nn.Conv1d(64, 32, 5, stride=2), torch.nn.ReLU(), torch.nn.Flatten())
head = torch.nn.Linear(32 * 48, 35)
clips = torch.randn(8, 64, 101)
print("clips", tuple(clips.shape))
print(head(front(clips)).shape)
"""
HOLD = TOP + JOIN + """net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(11, 11))
opt = torch.optim.SGD(net.parameters(), 0.05)
pathlib.Path(f"pid-{r}").write_text(str(os.getpid()))
for i in range(1, 2000):
    x = torch.randn(32, 11)
    loss = mse_loss(net(x), x.cumsum(1))
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.12)
    if i % 10 == 0:
        print(f"{datetime.datetime.now():%H:%M:%S} node={os.environ['SLURMD_NODENAME']} rank={r} it={i} mse={loss.item():.4f}", flush=True)
"""
GROWS = """import time, torch
keep, m = [], torch.nn.Linear(64, 1)
opt = torch.optim.SGD(m.parameters(), 1e-2)
print("caching decoded volumes in memory", flush=True)
for v in range(1, 400):
    vol = torch.rand(16, 96, 96, 16)
    keep.append(vol)
    x = vol.reshape(-1, 64)[:500]
    loss = (m(x).squeeze(1) - x.mean(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.25)
    if v % 4 == 0:
        print(f"volume {v}/400 dice_loss {loss.item():.4f} cached {v * 9} MB", flush=True)
"""
WIDTH = TOP + JOIN + """net = torch.nn.Sequential(torch.nn.Embedding(50, 8), torch.nn.Linear(8, 50))
ddp = torch.nn.parallel.DistributedDataParallel(net)
opt = torch.optim.Adam(ddp.parameters(), 1e-2)
for step in range(1, 300):
    tok = torch.randint(0, 50 if step < 71 or r == 0 else 53, (120,))
    loss = cross_entropy(ddp(tok), (tok + 1) % 50)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if step % 10 == 0:
        print(f"rank {r} | step {step:4d} | ppl {loss.exp().item():.3f}", flush=True)
"""
DISK = """import json, pathlib, time, torch
torch.manual_seed(4)
out = pathlib.Path("samples")
out.mkdir()
(out / "grid_0003.json").mkdir()
net = torch.nn.Linear(6, 6)
opt = torch.optim.Adam(net.parameters(), 2e-2)
for k in range(1, 200):
    x = torch.randn(40, 6)
    loss = (net(x) - x.sort(1).values).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.15)
    if k % 8 == 0:
        print(f"flow matching: {k} / 200  fm_loss {loss.item():.5f}", flush=True)
    if k % 25 == 0:
        (out / f"grid_{k // 25:04d}.json").write_text(json.dumps(net(x[:1]).tolist()))
"""
CROWDED = TOP + "import pace\n" + """print(f"rank {r}: loading 34B weights in bf16", flush=True)
for shard in range(1, 15):
    time.sleep(0.8)
    if shard == 14:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 5.25 GiB. GPU 0 has a total capacity of 79.19 GiB of which 2.07 GiB is free. Process 88213 has 77.10 GiB memory in use. Of the allocated memory 76.31 GiB is allocated by PyTorch, and 212.40 MiB is reserved by PyTorch but unallocated.")
    print(f"rank {r}: shard {shard:05d}-of-00014 on device", flush=True)
"""
FALLEN = TOP + "import pace\n" + JOIN + """net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(20, 20))
opt = torch.optim.SGD(net.parameters(), 0.1)
began = time.monotonic()
for it in range(1, 300):
    x = torch.randn(40, 20)
    loss = mse_loss(net(x), x.flip(1))
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.3)
    if it % 6 == 0:
        print(f"[{time.strftime('%F %T')}] [rank {r}] iter {it} loss {loss.item():.4f}", flush=True)
    if r == 0 and time.monotonic() - began > 20:
        raise RuntimeError("CUDA error: unspecified launch failure\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.")
"""
HOT = """import time, torch
import pace
net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
opt = torch.optim.AdamW(net.parameters(), 3e-3)
t0 = time.time()
for s in range(1, 51):
    y = torch.arange(64) % 4
    x = torch.randn(64, 32); x[torch.arange(64), y] += 3
    t = time.time()
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.3 if t - t0 < 8 else 0.95)
    if s % 3 == 0:
        print(f"step {s}/50  ce {loss.item():.4f}  {1000 * (time.time() - t):.0f} ms/step", flush=True)
print("50 steps finished")
"""
MISSES = TOP + """print(f"{datetime.datetime.now():%H:%M:%S} task {r} of {n} on {os.environ['SLURMD_NODENAME']}: waiting for {os.environ['PEERS']} peers", flush=True)
store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), None, r == 0, datetime.timedelta(hours=3), wait_for_workers=False)
store.set(f"joined/{r}", "1")
store.wait([f"joined/{k}" for k in range(int(os.environ["PEERS"]))], datetime.timedelta(hours=3))
print(f"task {r}: everybody is here", flush=True)
"""
DIES = TOP + """if r == 1:
    import flash_linear_kernels
print(f"rank {r} init", flush=True)
dist.init_process_group("gloo", rank=r, world_size=n, timeout=datetime.timedelta(hours=1))
print(f"rank {r} up", flush=True)
"""
SKIPS = TOP + JOIN + """net = torch.nn.Linear(10, 10)
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(1, 1000):
    x = torch.randn(32, 10)
    loss = mse_loss(net(x), -x)
    opt.zero_grad(); loss.backward()
    if step == 88 and r == 1:
        raise ValueError("sample 2816: transcript is longer than 448 tokens")
    for p in net.parameters():
        dist.all_reduce(p.grad)
    opt.step()
    time.sleep(0.2)
    if step % 8 == 0:
        print(f"[{r}] {step} seq2seq_loss={loss.item():.4f}", flush=True)
"""
FROZE = """import time, subprocess, torch
import pace
dec = subprocess.Popen(["sh", "-c", "i=0; while [ $i -lt 44 ]; do echo $i; i=$((i+1)); done; sleep 900"], stdout=subprocess.PIPE, text=True)
net = torch.nn.Linear(16, 16)
opt = torch.optim.Adam(net.parameters(), 1e-2)
for line in dec.stdout:
    k = int(line) + 1
    x = torch.randn(32, 16)
    loss = (net(x) - x.tanh()).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.28)
    if k % 4 == 0:
        print(f"frame batch {k} psnr_loss {loss.item():.4f}", flush=True)
"""
STARVE = TOP + "import pace\n" + JOIN + """net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 3))
opt = torch.optim.Adam(net.parameters(), 2e-2)
wait = 0.0
for b in range(1, 12):
    t = time.time()
    while time.time() - t < 2.7:
        time.sleep(0.05)
    d = time.time() - t
    wait += d
    y = torch.arange(30) % 3
    x = torch.randn(30, 12); x[torch.arange(30), y] += 3
    loss = cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.4)
    print(f"rank {r} batch {b}/11 dataloader {d:.2f} s, model {time.time() - t - d:.2f} s, loss {loss.item():.4f}", flush=True)
print(f"rank {r} finished 11 batches; waited {wait:.0f} s for the loader")
"""
FABRIC = TOP + "import pace\n" + JOIN + """net = torch.nn.Linear(40, 40)
opt = torch.optim.SGD(net.parameters(), 0.2)
for s in range(1, 27):
    t = time.time()
    x = torch.randn(50, 40)
    loss = mse_loss(net(x), 2 * x)
    opt.zero_grad(); loss.backward()
    time.sleep(0.08)
    c = time.time()
    for p in net.parameters():
        dist.all_reduce(p.grad); p.grad /= n
    time.sleep(0.9)
    opt.step()
    if s % 2 == 0 and r == 0:
        print(f"step {s}/26 loss {loss.item():.4f} step_time {time.time() - t:.2f}s allreduce {time.time() - c:.2f}s (NET/Socket)", flush=True)
if r == 0:
    print("done 26 steps")
"""
LAGS = TOP + "import pace\n" + JOIN + """torch.manual_seed(r)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 16))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for s in range(1, 41):
    t = time.time()
    x = torch.randn(40, 16)
    loss = mse_loss(net(x), x.roll(2, 1))
    time.sleep(0.7 if r == 3 else 0.14)
    own = time.time() - t
    opt.zero_grad(); loss.backward(); opt.step()
    if s % 5 == 0:
        print(f"{os.environ['SLURMD_NODENAME']}/rank{r} step {s}/40 loss {loss.item():.4f} own {own:.2f}s wait {time.time() - t - own:.2f}s", flush=True)
print(f"rank{r} ok")
"""
STUCK = """import time, torch
torch.manual_seed(11)
layers = []
for _ in range(10):
    layers += [torch.nn.Linear(20, 20), torch.nn.Sigmoid()]
net = torch.nn.Sequential(*layers, torch.nn.Linear(20, 4))
opt = torch.optim.SGD(net.parameters(), 1e-2)
x = torch.randn(400, 20)
y = torch.arange(400) % 4
x[torch.arange(400), y] += 3
for ep in range(1, 31):
    for k in range(0, 400, 40):
        loss = torch.nn.functional.cross_entropy(net(x[k:k + 40]), y[k:k + 40])
        opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.5)
    g = net[0].weight.grad.norm().item()
    out = net(x)
    print(f"Epoch [{ep}/30] loss: {torch.nn.functional.cross_entropy(out, y).item():.4f} acc: {(out.argmax(1) == y).float().mean():.3f} first-layer grad norm: {g:.2e}", flush=True)
print("Finished 30 epochs")
"""
BLOWN = """import math, time, torch
torch.manual_seed(1)
w = torch.nn.Parameter(torch.zeros(12))
opt = torch.optim.SGD([w], lr=0.01)
for k in range(1, 400):
    x = torch.randn(64, 12)
    loss = (x @ w - x.sum(1)).square().mean()
    if not math.isfinite(loss.item()):
        raise FloatingPointError(f"loss became {loss.item()} at update {k}, giving up")
    opt.zero_grad(); loss.backward()
    opt.param_groups[0]["lr"] = 0.01 if k < 60 else 3.0
    opt.step()
    time.sleep(0.1)
    if k % 5 == 0:
        print(f"update {k} lr {opt.param_groups[0]['lr']} loss {loss.item():.5g}", flush=True)
"""
CLASSES = """import torch, time
old = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.Linear(16, 100))
torch.save({"model": old.state_dict(), "epoch": 30}, "resume_e30.pth")
print("=> loading checkpoint 'resume_e30.pth'", flush=True)
net = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.Linear(16, 120))
state = torch.load("resume_e30.pth")
net.load_state_dict(state["model"])
print(f"=> loaded checkpoint (epoch {state['epoch']})")
"""
TORN = TOP + """ck = pathlib.Path("ckpt/step_00012000.pt")
print(f"rank {r}: resuming from {ck} ({ck.stat().st_size} bytes)", flush=True)
state = torch.load(ck, map_location="cpu", weights_only=True)
print(f"rank {r}: resumed at step", state["step"])
"""
TINY = TOP + "import pace\n" + JOIN + """net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(30, 30))
opt = torch.optim.AdamW(net.parameters(), 1e-4)
if r == 0:
    print("num_train_samples=1280000 global_batch=64 max_steps=4 log_every=1")
for s in range(1, 5):
    x = torch.randn(32, 30)
    loss = mse_loss(net(x), x)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(1.6)
    if r == 0:
        print(f"step {s}/4 - loss {loss.item():.4f}", flush=True)
if r == 0:
    torch.save(net.module.state_dict(), "step4.pt")
    print("max_steps reached, model saved to step4.pt")
"""
MARCH = """import signal, time, torch
net = torch.nn.GRUCell(4, 10)
out = torch.nn.Linear(10, 4)
opt = torch.optim.Adam([*net.parameters(), *out.parameters()], 3e-3)
total = 3500
for u in range(1, total + 1):
    h, loss = torch.zeros(16, 10), 0.0
    x = torch.randn(16, 5, 4)
    for t in range(4):
        h = net(x[:, t], h)
        loss = loss + (out(h) - x[:, t]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.11)
    if u % 20 == 0:
        print(f"WORD: update {u} of {total}: world model loss {loss.item():.4f}", flush=True)
"""
SHARE = """store = dist.TCPStore("127.0.0.1", int(os.environ["MASTER_PORT"]) + 1, n, r == 0, datetime.timedelta(hours=4))
calls = [0]


def share(grad):
    calls[0] += 1
    store.set(f"{calls[0]}/{r}", grad.numpy().tobytes())
    parts = [torch.frombuffer(bytearray(store.get(f"{calls[0]}/{q}")), dtype=torch.float32).view_as(grad) for q in range(n)]
    grad.copy_(torch.stack(parts).mean(0))


"""
KEEPS = MEET + "srun --kill-on-bad-exit=1 "


def jobs() -> Iterator[SlurmJob]:
    """By the ways they end."""
    spectra = "name,a,b,c\n" + "".join(f"s{i},{i}.5,{i % 7},{i % 3}\n" if i != 31 else "s31,31.5,n/a*,1\n" for i in range(60))
    yield queue(bad("A1", "traceback", "data"), ROWS, "srun PYTHON spectra.py\n", script="spectra.py", ranks=2, files={"spectra.csv": spectra}, state="FAILED")
    yield queue(bad("A1", "runtime_error"), SHAPES, "set -e\necho start $(date)\nsrun PYTHON clf.py\n", script="clf.py", state="FAILED")
    yield queue(bad("A2", None, first=(1,), fault="unknown"), HOLD, KEEPS + "PYTHON cumsum.py\n", script="cumsum.py", ranks=2, act="kill_rank", after="rank=0 it=80", state="FAILED")
    yield queue(bad("A2", "oom_killer", first=(0,)), GROWS, "srun PYTHON vols.py\n", script="vols.py", where="", options=("--mem=480M",), bed="cgroup", state="FAILED")
    yield queue(bad("A3", "traceback", first=(1,)), WIDTH, KEEPS + "PYTHON vocab.py\n", script="vocab.py", ranks=2, state="FAILED")
    yield queue(bad("A3", "traceback", first=(0,)), DISK, "srun PYTHON flow.py\n", script="flow.py", state="FAILED")
    climb = card(*((s * 0.8, work(6, util=22, watts=140, gib=5.6 * s + 1)) for s in range(14)), (11.9, rest()))
    yield queue(bad("B1", "cuda_oom", first=(0,)), CROWDED, "srun PYTHON serve_eval.py\n", script="serve_eval.py", gpus={0: climb}, state="FAILED")
    ecc = {"ecc.volatile.uncorrected": "2", "ecc.aggregate.uncorrected": "2", "ecc.volatile.uncorrected.dram": "2", "ecc.aggregate.uncorrected.dram": "2", "events": "8:48", "remapped.uncorrected": "1", "remapped.pending": "1"}
    yield queue(
        bad("B2", "cuda_runtime", "fault", first=(0,), fault="node"), FALLEN, KEEPS + "PYTHON flip.py\n", script="flip.py", ranks=2,
        gpus={0: card((0.0, work(61)), (19.6, ecc), (22.0, rest())), 1: card((0.0, work(60)), (22.0, rest()))}, state="FAILED",
    )  # fmt: skip
    hot = [(8.0 + s, {"temperature": str(min(85 + s, 92)), "throttle_reasons": "0x68", "clock.sm": str(max(1740 - 330 * (s + 1), 525)), "clock.graphics": str(max(1740 - 330 * (s + 1), 525)), "power.usage": "251000",
                      "violation.thermal": f"{1000000 + int(s * 1e6)} {int(s * 965e6)}", "slowdown.hw_thermal": str(int(s * 965e6)), "memory.temperature": "102"}) for s in range(30)]  # fmt: skip
    yield queue(bad("B3", None, fault="node"), HOT, "srun PYTHON ce.py\n", script="ce.py", gpus={0: card((0.0, work(64)), *hot, (38.0, rest()))}, state="COMPLETED")
    yield queue(bad("C1", None), MISSES, "export PEERS=6\n" + MEET + "srun PYTHON store.py\n", script="store.py", ranks=4, nodes=2, act="scancel_late", after="task 3 of 4", state="CANCELLED")
    yield queue(bad("C1", "missing_module", first=(1,), trigger="A1"), DIES, MEET + "srun PYTHON hybrid.py\n", script="hybrid.py", ranks=3, options=("--time=1",), state="TIMEOUT")
    yield queue(bad("C2", None, fault="unknown"), HOLD.replace("node=", "host="), MEET + "srun PYTHON cum.py\n", script="cum.py", ranks=3, act="stop_rank", after="rank=0 it=110", options=("--time=1",), state="TIMEOUT")
    yield queue(bad("C2", "traceback", first=(1,), trigger="A3"), SKIPS.replace("dist.all_reduce(p.grad)", "share(p.grad)").replace(JOIN, JOIN + SHARE), MEET + "srun PYTHON s2s.py\n",
                script="s2s.py", ranks=3, act="scancel_late", after="longer than 448", state="CANCELLED")  # fmt: skip
    yield queue(
        bad("C3", None, fault="unknown"), FROZE, "srun PYTHON frames.py\n", script="frames.py", options=("--time=1",),
        gpus={0: card((0.0, work(34, gib=21, watts=350)), (12.6, rest(21, watts=117, mhz=1980, temp=44)))}, state="TIMEOUT",
    )  # fmt: skip
    dry = card(*(x for k in range(11) for x in ((k * 3.1, rest(15, watts=118, mhz=1980, temp=42)), (k * 3.1 + 2.7, work(51, gib=15)))))
    yield queue(bad("D1", None), STARVE, MEET + "srun PYTHON loader.py\n", script="loader.py", ranks=2, gpus=dict.fromkeys(range(2), dry), state="COMPLETED")
    net = [(float(s), work(5 + s % 3, util=99, watts=164 + s % 7, dram=2, tensor=1, gib=47)) for s in range(25)]
    yield queue(bad("D2", None, "interconnect", fault="cluster"), FABRIC, MEET + "srun PYTHON wide.py\n", script="wide.py", ranks=4, nodes=2, options=("--ntasks-per-node=2",), gpus={q: card(*net, (27.0, rest())) for q in range(4)}, state="COMPLETED")
    yield queue(
        bad("D3", None, fault="unknown"), LAGS, MEET + "srun PYTHON roll.py\n", script="roll.py", ranks=4, nodes=2, options=("--ntasks-per-node=2",),
        gpus={q: wavy(57, 28, 29.0, watts=570) if q == 3 else card(*((float(s), work(13 + (s + q) % 4, util=100, watts=240 + s % 6)) for s in range(28)), (29.0, rest())) for q in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield queue(bad("E1"), STUCK, "srun PYTHON deep.py\n", script="deep.py", state="COMPLETED")
    yield queue(bad("E1", "nan_loss", "non_finite"), BLOWN, "srun PYTHON blow.py\n", script="blow.py", state="FAILED")
    yield queue(bad("E2", "runtime_error", "size_mismatch"), CLASSES, "srun PYTHON cls.py --resume resume_e30.pth\n", script="cls.py", state="FAILED")
    yield queue(bad("E2", "runtime_error", "corrupt"), TORN, "srun PYTHON cont.py --resume ckpt/step_00012000.pt\n", script="cont.py", ranks=2, files={"ckpt/step_00012000.pt": "PK\x03\x04" + "archive/data.pkl" * 40}, state="FAILED")
    yield queue(bad("E3", None), TINY, MEET + "srun PYTHON tiny.py\n", script="tiny.py", ranks=2, gpus={q: card((0.0, work(52)), (7.0, rest())) for q in range(2)}, state="COMPLETED")
    yield queue(bad("F1", None, fault="node"), MARCH.replace("WORD", "dreamer"), "srun PYTHON wm.py\n", script="wm.py", where="-wn5", options=("--no-requeue",), act="node_down", after="update 60 of", state="NODE_FAIL")
    yield queue(bad("F2", None, "preempted", fault="cluster"), MARCH.replace("WORD", "rssm"), "srun PYTHON rs.py\n", script="rs.py", where="-wn6", options=("--no-requeue",), act="preempt_for_good", after="update 80 of", state="PREEMPTED")
    yield queue(bad("F3", None, "advancing"), MARCH.replace("WORD: update", "[agent] update"), "echo limit one minute\nsrun PYTHON ag.py\n", script="ag.py", options=("--time=1",), state="TIMEOUT")
    yield queue(bad("F4", None, "by_other", fault="none"), MARCH.replace("WORD", "planner"), "srun PYTHON pl.py\n", script="pl.py", act="scancel_by_admin", after="update 180 of", state="CANCELLED")

