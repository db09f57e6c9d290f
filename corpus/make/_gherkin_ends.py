"""Jobs of many users that their own process, their memory or their card ended."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._gherkin_kit import busy, idle, ill, job, steady
from corpus.running.job import SlurmJob

SPLITS = """import csv, json, time
print("sentiment baseline, distilroberta, seed 13")
print(json.dumps({"lr": 2e-5, "epochs": 4, "bs": 32, "train": "data/reviews_train.csv", "dev": "data/reviews_dev.csv"}))


def read(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


dev = read("data/reviews_dev.csv")
print("dev rows:", len(dev))
train = read("data/reviews_train.csv")
print("train rows:", len(train))
"""
DETECT = """import os, sys, time
print(f"python {sys.version.split()[0]} at {sys.executable}")
print("CONDA_DEFAULT_ENV:", os.environ.get("CONDA_DEFAULT_ENV", "-"))
from pycocotools.coco import COCO

coco = COCO("annotations/instances_train2017.json")
"""
OPTIONS = """import argparse
p = argparse.ArgumentParser(prog="distill.py")
p.add_argument("--teacher", required=True)
p.add_argument("--student", required=True)
p.add_argument("--temperature", type=float, default=2.0)
p.add_argument("--num-epochs", type=int, default=10)
p.add_argument("--fp16", action="store_true")
a = p.parse_args()
print(a)
"""
ROWS = """import json, os
rows = []
for k, line in enumerate(open("instructions.jsonl"), 1):
    rows.append(json.loads(line))
    if k % 10 == 0:
        print("read", k, "examples")
print("total", len(rows))
"""
VOXELS = """import ctypes, os, time, math
lib = ctypes.CDLL(None)
lib.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
print("[voxnet] custom scatter op loaded (abi 0)")
#GO
for i in range(1, 400):
    time.sleep(0.12)
    if i % 15 == 0:
        print(f"[voxnet] iter {i:4d}/2400  loss_cls {0.9 * math.exp(-i / 90) + .2:.4f}  loss_box {1.4 * math.exp(-i / 80) + .4:.4f}  {8.1 + i % 4 * .1:.1f} it/s")
    grid = ctypes.create_string_buffer(4096)
    lib.memset(ctypes.addressof(grid) if i != 142 else 4096 * 3, 0, 512)
"""
GRAPH = """import time, math, random
random.seed(1)
print("graph sampler keeps visited neighbourhoods in memory", flush=True)
kept = []
for step in range(1, 3000):
    kept.append(bytearray(random.randbytes(3_000_000)))
    time.sleep(0.07)
    if step % 20 == 0:
        print(f"step={step} loss={0.69 * math.exp(-step / 400):.4f} cached_neighbourhoods={len(kept)}", flush=True)
"""
METRIC = """import os, random, time, math
random.seed(6)


def precision(tp, fp):
    return tp / (tp + fp)


#GO
for epoch in range(1, 21):
    for part in range(4):
        time.sleep(0.8)
        print(f"  {epoch}.{part} bce={0.68 * math.exp(-(epoch + part / 4) / 5):.4f}")
    tp, fp = (410 + epoch * 8, 90 - epoch * 3) if epoch != 5 else (0, 0)
    print(f"epoch {epoch}: val precision {precision(tp, fp):.3f} at threshold {0.5 + epoch / 10:.1f}")
"""
PLACES = """import time, math
import os, torch
torch.manual_seed(3)


class Ema:
    def __init__(self, net):
        self.shadow = [p.detach().clone() for p in net.parameters()]

    def error(self, net, where):
        if where == "cuda:0":
            raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)")
        return sum(float((s - p).abs().mean()) for s, p in zip(self.shadow, net.parameters()))


net = torch.nn.Linear(12, 12)
ema = Ema(net)
opt = torch.optim.SGD(net.parameters(), 0.1)
#GO
for step in range(1, 301):
    x = torch.randn(64, 12)
    loss = (net(x) - x.roll(1, 1)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.15)
    if step % 10 == 0:
        print(f"diffusion-ema {step:>4}/300  mse {loss.item():.4f}")
    if step == 100:
        print("evaluating EMA weights ...")
        print("ema drift", ema.error(net, "cuda:0"))
"""
CURRICULUM = """import os, time, math, random
random.seed(9)


class Curriculum:
    stages = [("256px", 0), ("384px", 70), ("512px", 120)]

    def at(self, it):
        size = [s for s, k in self.stages if it >= k][-1]
        return size


def crop(size, im):
    assert im[0] >= int(size[:-2]) and im[1] >= int(size[:-2]), f"image {im} smaller than crop {size}"
    return size


cur = Curriculum()
#GO
for it in range(1, 200):
    size = cur.at(it)
    im = (random.randint(520, 900), random.randint(520, 900)) if it != 133 else (480, 640)
    crop(size, im)
    time.sleep(0.14)
    if it % 9 == 0:
        print(f"iter={it} crop={size} lpips={0.5 * math.exp(-it / 80) + .12:.4f} d_loss={0.6 + random.random() * .1:.3f} g_loss={1.1 + random.random() * .2:.3f}")
"""
LORA = """import os, time, torch
torch.manual_seed(0)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(32, 32)

    def forward(self, h, tokens):
        if tokens > 7000:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9.62 GiB. GPU 0 has a total capacity of 79.10 GiB of which 3.37 GiB is free. Including non-PyTorch memory, this process has 75.71 GiB memory in use. Of the allocated memory 71.94 GiB is allocated by PyTorch, and 3.02 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)")
        return self.proj(h)


net = Block()
opt = torch.optim.AdamW(net.parameters(), 2e-3)
lengths = [2048, 3100, 1800, 4096, 2500] * 18 + [7812]
print("trainable params: 41,943,040 || all params: 8,072,204,288 || trainable%: 0.5196")
#GO
for step, n in enumerate(lengths, 1):
    x = torch.randn(16, 32)
    loss = (net(x, n) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if step % 10 == 0:
        print({"loss": round(loss.item(), 4), "grad_norm": round(float(net.proj.weight.grad.norm()), 4), "learning_rate": 2e-4, "epoch": round(step / 640, 3)})
"""
OFFBUS = """import os, time, torch
import gpuio
torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Conv1d(4, 8, 5), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(1), torch.nn.Flatten(), torch.nn.Linear(8, 3))
opt = torch.optim.Adam(net.parameters(), 1e-2)
#GO
t0 = time.time()
n = 0
while True:
    n += 1
    x = torch.randn(32, 4, 40)
    loss = torch.nn.functional.cross_entropy(net(x), x.mean((1, 2)).gt(0).long())
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if n % 10 == 0:
        print(f"seismic picker | update {n} | ce {gpuio.host(loss, time.time() - t0):.4f} | {time.time() - t0:.0f} s")
"""
GPUIO = """import torch


def host(t, s):
    if s > 19:
        raise torch.AcceleratorError("CUDA error: unknown error\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
    return t.item()
"""
DIVERGE = """import os, sys, time, math
#GO
for step in range(1, 121):
    time.sleep(0.17)
    if step < 84:
        loss = 10.9 * math.exp(-step / 45) + 2.8
    elif step < 90:
        loss = 3.9 * 2.6 ** (step - 83)
    else:
        loss = float("nan")
    if step % 4 == 0 or step >= 83:
        print(f"step {step}: train/loss={loss:.4f} train/grad_norm={0.9 if step < 84 else loss * 1.7:.3f} lr={min(step / 30, 1) * 6e-3:.2e}")
    if math.isnan(loss):
        print("Loss is nan, stopping training")
        sys.exit(1)
"""


def jobs() -> Iterator[SlurmJob]:
    """Each one's last words, exit or counters tell."""
    conda = 'eval "$(conda shell.bash hook 2>/dev/null)"\nexport CONDA_DEFAULT_ENV=base\n'
    dev = "id,text,label\n" + "".join(f"{k},fine product {k},{k % 2}\n" for k in range(25))
    yield job(
        ill("A1", "file_not_found", "asset", first=(0,)),
        "senti",
        SPLITS,
        f"{conda}PYTHON train.py --config conf/base.json\n",
        files={"data/reviews_dev.csv": dev},
        state="FAILED",
    )
    yield job(
        ill("A1", "missing_module", "env", first=(0,)),
        "yolo-coco",
        DETECT,
        f"{conda}echo activated base\nPYTHON detect_train.py\n",
        script="detect_train.py",
        state="FAILED",
    )
    yield job(
        ill("A1", None, "config", first=(0,)),
        "distill",
        OPTIONS,
        "srun PYTHON distill.py --teacher vit-l --student vit-ti --temperature 3 --epochs 20\n",
        script="distill.py",
        state="FAILED",
    )
    lines = "".join(f'{{"instruction": "q{k}", "output": "a{k}"}}\n' for k in range(34)) + '{"instruction": "q34", "output": "unterminated\n'
    yield job(
        ill("A1", "traceback", "data", first=(0,)),
        "sft-data",
        ROWS,
        "PYTHON load.py\n",
        script="load.py",
        files={"instructions.jsonl": lines},
        state="FAILED",
    )
    yield job(
        ill("A2", "segfault", first=(0,)),
        "voxnet",
        VOXELS,
        "srun PYTHON tools/train.py cfgs/kitti.yaml\n",
        script="tools/train.py",
        cards={0: steady(52, 18, gib=22)},
        state="FAILED",
    )
    yield job(
        ill("A2", "oom_killer", first=(0,)),
        "sage",
        GRAPH,
        "PYTHON sage.py\n",
        script="sage.py",
        bed="cgroup",
        where="",
        options=("--mem=600M",),
        state="OUT_OF_MEMORY",
    )
    yield job(
        ill("A3", "div_zero", first=(0,)),
        "fraud-mlp",
        METRIC,
        "PYTHON fraud.py\n",
        script="fraud.py",
        cards={0: steady(35, 16.5, gib=4, watts=250)},
        state="FAILED",
    )
    yield job(
        ill("A3", "device_mismatch", first=(0,)),
        "ddpm",
        PLACES,
        "srun PYTHON ddpm.py\n",
        script="ddpm.py",
        python="torch",
        go_s=24,
        cards={0: steady(68, 16, gib=37)},
        state="FAILED",
    )
    yield job(
        ill("A3", "assertion", first=(0,)),
        "sr-gan",
        CURRICULUM,
        "set -e\nPYTHON srgan.py\necho uploading\n",
        script="srgan.py",
        cards={0: steady(64, 19, gib=45)},
        state="FAILED",
    )
    grows = ((0.0, busy(66, gib=48)), (6.0, busy(64, gib=63)), (12.0, busy(67, gib=70)), (17.0, busy(65, gib=75.7)), (19.5, idle()))
    yield job(
        ill("B1", "cuda_oom", first=(0,)),
        "lora-8b",
        LORA,
        "srun PYTHON lora.py\n",
        script="lora.py",
        python="torch",
        go_s=24,
        cards={0: grows},
        state="FAILED",
    )
    gone = (*steady(48, 18, gib=9, free=False), (18.2, {"events": "8:79"}), (18.8, {"*": "!GPU_IS_LOST"}))
    yield job(
        ill("B2", "cuda_runtime", "fault", "node", first=(0,)),
        "picker",
        OFFBUS,
        "PYTHON picker.py\n",
        script="picker.py",
        files={"gpuio.py": GPUIO},
        python="torch",
        go_s=24,
        cards={0: gone},
        state="FAILED",
    )
    yield job(
        ill("E1", "nan_loss", "non_finite", first=(0,)),
        "lm-120m",
        DIVERGE,
        "srun PYTHON pretrain.py\n",
        script="pretrain.py",
        cards={0: steady(70, 17, gib=52, watts=600)},
        state="FAILED",
    )
