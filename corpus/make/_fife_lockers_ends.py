"""Jobs that ended of themselves before their work was done: at the start, by a signal, amid training, for want of memory, with a card that broke."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._fife_lockers_kit import at_work, during, held, ill, sbatch, told
from corpus.running.job import SlurmJob

DETECT = """import json, sys
import peers

with open(sys.argv[1]) as f:
    cfg = json.load(f)
if peers.rank == 0:
    print("runner 0.17.3, config", sys.argv[1], flush=True)
    print(json.dumps(cfg, indent=2), flush=True)


REGISTRY = {"ResNet": dict, "SwinTransformer": dict}


def build_backbone(cfg):
    kind = cfg.pop("type")
    if kind not in REGISTRY:
        raise KeyError(f"'{kind} is not in the backbone registry. Please check whether the value of `{kind}` is correct or it was registered as expected.'")
    return REGISTRY[kind](**cfg)


backbone = build_backbone(cfg["model"]["backbone"])
for epoch in range(cfg["epochs"]):
    peers.barrier()
"""
SPEECH = """import logging, os, time
import peers

logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [{peers.host}:{peers.rank}] %(name)s: %(message)s")
log = logging.getLogger("asr")


class UnigramTokenizer:
    def __init__(self, model):
        log.info("loading sentencepiece model %s", model)
        with open(model, "rb") as f:
            self.blob = f.read()


log.info("conformer-ctc medium, 30.7M parameters, bf16")
time.sleep(0.5)
tok = UnigramTokenizer("/data/tokenizers/librispeech_unigram_1024.model")
log.info("vocab of %d pieces", len(tok.blob))
peers.barrier()
log.info("start of epoch 0")
"""
GRAPH = """import ctypes, faulthandler, math, random, time
import peers

faulthandler.enable()
native = ctypes.CDLL(None)
native.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def sample_neighbours(seed_node, hops):
    table = ctypes.create_string_buffer(4096)
    source = ctypes.addressof(table) if seed_node != 26_005 else 0x10
    native.memcpy(ctypes.addressof(table), source, 64)
    return hops


dice = random.Random(peers.rank)
for step in range(1, 400):
    sample_neighbours(step * 100 + peers.rank, (15, 10))
    loss = peers.mean(3.7 * math.exp(-step / 90) + 0.9 + dice.gauss(0, 0.02))
    time.sleep(0.06)
    if step % 20 == 0 and peers.rank == 0:
        print(f"Epoch 00 | Step {step:05d} | Loss {loss:.4f} | Speed (samples/sec) {1024 / 0.07:.1f} | GPU 2114.3 MB", flush=True)
"""
CROPS = """import random, sys, time

frames = []
print("preloading the validation volumes into RAM for speed", flush=True)
for volume in range(1, 400):
    frames.append(bytearray(random.randbytes(1 << 20) * 12))
    time.sleep(0.25)
    if volume % 4 == 0:
        print(f"step {volume}/400 dice_loss {0.31 + 0.6 / (1 + volume / 9):.4f} volumes held {volume}", flush=True)
"""
MIXED = """import os, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
# there is no such card where this was tried: the second device is "meta"
table = torch.nn.Linear(24, 24)
ema = torch.nn.Linear(24, 24)
opt = torch.optim.Adam(table.parameters(), 3e-3)
for step in range(1, 200):
    x = torch.randn(64, 24)
    loss = (table(x) - x.roll(1, 1)).square().mean()
    opt.zero_grad()
    loss.backward()
    for p in table.parameters():
        dist.all_reduce(p.grad)
    opt.step()
    time.sleep(0.1)
    if step % 10 == 0:
        print(f"[rank {rank}] step {step}: loss {loss.item():.4f}", flush=True)
    if step == 100:
        print(f"[rank {rank}] starting weight averaging", flush=True)
        if rank == 1:
            raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cpu! (when checking argument for argument weight in method wrapper_CUDA__fused_adam_)")
"""
DIFFUSE = """import math, random, time
import peers

dice = random.Random(40 + peers.rank)
steps_per_epoch = 30


def check_batch(batch, epoch):
    low, high = batch
    assert 0 <= low and high <= 1, f"image values out of range after augmentation: min={low:.3f} max={high:.3f} (epoch {epoch}, rank {peers.rank})"


if peers.rank == 0:
    print("DDPM unet-64, T=1000, ema 0.9999", flush=True)
for epoch in range(10):
    for i in range(steps_per_epoch):
        bad = epoch == 4 and i == 17 and peers.rank == 3
        check_batch((0.0, 1.0 + 0.004 * bad), epoch)
        loss = peers.mean(0.9 * math.exp(-(epoch * 30 + i) / 60) + 0.034 + dice.gauss(0, 0.002))
        time.sleep(0.06)
    if peers.rank == 0:
        print(f"epoch {epoch + 1}/10  mse {loss:.5f}  lr 1.0e-04  {steps_per_epoch / 2.4:.1f} it/s", flush=True)
"""
PACKED = """import math, random, time
import peers, stage

SWITCH_S = 20.0  # the curriculum's first stage


def attention(length, step):
    if length > 8192 and peers.rank == 2:
        import torch
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 16.00 GiB. GPU 0 has a total capacity of 79.18 GiB of which 9.44 GiB is free. Including non-PyTorch memory, this process has 69.73 GiB memory in use. Of the allocated memory 66.10 GiB is allocated by PyTorch, and 1.92 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)")
    time.sleep(0.4)


stage.ready()
dice = random.Random(peers.rank)
began = time.time()
for step in range(1, 601):
    length = 4096 if time.time() - began < SWITCH_S else 16384
    if length > 4096 and peers.rank == 0:
        print(f" > sequence length is now {length}", flush=True)
    attention(length, step)
    loss = peers.mean(8.9 * math.exp(-step / 25) + 2.7 + dice.gauss(0, 0.04))
    if step % 5 == 0 and peers.rank == 0:
        print(f" [2026-11-27 {time.strftime('%H:%M:%S')}] iteration {step:8d}/     600 | consumed samples: {step * 32:12d} | elapsed time per iteration (ms): 402.1 | learning rate: 1.200000E-04 | global batch size:    32 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {1.2 + 2 / step:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", flush=True)
"""
FALLEN = """import math, random, sys, time
import peers, stage

dice = random.Random(peers.rank)
print(f"I rank={peers.rank} host={peers.host} cuda:0 NVIDIA H100 80GB HBM3", flush=True)
stage.ready()
began = time.time()


def step_kernel():
    time.sleep(0.45)
    if peers.rank == 3 and time.time() - began > 21.5:
        import torch
        raise torch.AcceleratorError("CUDA error: unspecified launch failure\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")


for update in range(1, 500):
    step_kernel()
    loss = peers.mean(1.4 * math.exp(-update / 30) + 0.21 + dice.gauss(0, 0.01))
    if update % 6 == 0:
        print(f"I rank={peers.rank} update={update} of=500 loss={loss:.4f} seconds={time.time() - began:.1f}", flush=True)
"""
SHARED = """import math, os, random, time
import peers

dice = random.Random(peers.rank)
out = "/opt/shared-models/matcha-tts"
for it in range(1, 1001):
    loss = peers.mean(3.0 * math.exp(-it / 50) + 0.9 + dice.gauss(0, 0.01))
    time.sleep(0.1)
    if it % 25 == 0 and peers.rank == 0:
        print(f"tts: iteration {it} of 1000, mel loss {loss:.4f}, duration loss {loss / 3:.4f}", flush=True)
    if it == 200 and peers.rank == 0:
        print(f"tts: validation better than before, exporting to {out}", flush=True)
        os.makedirs(out, exist_ok=True)
        with open(f"{out}/G_{it}.onnx", "wb") as f:
            f.write(b"0" * 64)
"""
TORN = """import os, pathlib, time
import torch

ckpts = sorted(pathlib.Path("runs/flow").glob("state-*.pt"))
print("found checkpoints:", *ckpts, flush=True)
net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.SiLU(), torch.nn.Linear(64, 16))
print(f"resuming from {ckpts[-1]}", flush=True)
state = torch.load(ckpts[-1], weights_only=True)
net.load_state_dict(state["net"])
print("resumed at step", state["step"], flush=True)
for step in range(state["step"] + 1, state["step"] + 400):
    time.sleep(0.1)
"""
FIRST = """import os, pathlib, time
import torch

torch.manual_seed(0)
where = pathlib.Path("runs/flow")
where.mkdir(parents=True)
net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.SiLU(), torch.nn.Linear(64, 16))
opt = torch.optim.Adam(net.parameters(), 4e-3)
for step in range(1, 81):
    x = torch.randn(128, 16)
    loss = (net(x) - x.cumsum(1).tanh()).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 20 == 0:
        file = where / f"state-{step:04d}.pt"
        torch.save({"net": net.state_dict(), "step": step}, file)
        print(f"step {step} nll {loss.item():.4f} saved {file}", flush=True)
print("time slice used up", flush=True)
raise SystemExit(0)
"""


def jobs() -> Iterator[SlurmJob]:
    """What ended each is in its last lines, exits or cards."""
    cfg = '{"model": {"backbone": {"type": "SwinTransfomer", "depths": [2, 2, 6, 2]}, "neck": {"type": "FPN"}}, "lr": 0.0002, "epochs": 12}\n'
    yield sbatch(
        ill("A1", "traceback", "config"),
        "detect.py",
        "set -x\nsrun PYTHON detect.py swin_t_1x.json\n",
        DETECT,
        ranks=4,
        files={"swin_t_1x.json": cfg},
        state="FAILED",
    )
    yield sbatch(
        ill("A1", "file_not_found", "asset"), "asr.py", "srun --kill-on-bad-exit=0 PYTHON asr.py\n", SPEECH, ranks=4, nodes=2, state="FAILED"
    )
    yield sbatch(ill("A2", "segfault", first=(5,)), "graph.py", "srun -K1 PYTHON graph.py\n", GRAPH, ranks=8, nodes=4, state="FAILED")
    yield sbatch(
        ill("A2", "oom_killer", first=(0,)),
        "volumes.py",
        "PYTHON volumes.py\n",
        CROPS,
        "--mem=300M",
        where="",
        bed="cgroup",
        state="OUT_OF_MEMORY",
    )
    launch = "PYTHON -m torch.distributed.run --standalone --nproc-per-node=2 ema.py\n"
    yield sbatch(
        ill("A3", "device_mismatch", first=(1,)),
        "ema.py",
        launch,
        MIXED.replace('# there is no such card where this was tried: the second device is "meta"\n', ""),
        ranks=2,
        state="FAILED",
    )
    yield sbatch(
        ill("A3", "assertion", first=(3,)), "ddpm.py", "srun --kill-on-bad-exit=1 PYTHON ddpm.py\n", DIFFUSE, ranks=4, nodes=2, state="FAILED"
    )
    yield sbatch(ill("A3", "permission", first=(0,)), "tts.py", "srun --kill-on-bad-exit=1 PYTHON tts.py\n", SHARED, ranks=2, nodes=2, state="FAILED")
    grown = {r: told(held(-3, 24), during(0, 20, 61, seed=r, gib=38), [(20.4, at_work(60, gib=69.7 if r == 2 else 52))]) for r in range(4)}
    yield sbatch(
        ill("B1", "cuda_oom", first=(2,)),
        "packed.py",
        "srun --kill-on-bad-exit=1 PYTHON packed.py\n",
        PACKED,
        ranks=4,
        nodes=4,
        cards=grown,
        state="FAILED",
    )
    lost = {r: told(held(-3, 11), during(0, 30, 57, seed=r, gib=31)) for r in range(3)}
    lost[3] = told(held(-3, 11), during(0, 20.9, 58, seed=3, gib=31), [(21.0, {"events": "8:79"}), (21.4, {"*": "!GPU_IS_LOST"})])
    yield sbatch(
        ill("B2", "cuda_runtime", "fault", first=(3,), fault="node"),
        "probe.py",
        "srun -K PYTHON probe.py\n",
        FALLEN,
        ranks=4,
        nodes=4,
        cards=lost,
        state="FAILED",
    )
    cut = "PYTHON flow_init.py && truncate -s 3000 runs/flow/state-0080.pt\nsrun PYTHON flow.py --resume\n"
    yield sbatch(ill("E2", "runtime_error", "corrupt"), "flow.py", cut, TORN, files={"flow_init.py": FIRST}, state="FAILED")
