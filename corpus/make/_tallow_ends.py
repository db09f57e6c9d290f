"""Runs that crash or are killed in one of their stages; cards that run full or break."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, rest, wavy, work
from corpus.make._tallow_kit import put
from corpus.running.job import SlurmJob

FEATURES = """import time
for n, split in enumerate(("train", "dev", "development")):
    time.sleep(0.6)
    print(f"[prep] {split}: {(28539, 2703, 2620)[n]} utterances, manifest ok")
"""
RECIPE_KEYS = """import json, logging, sys
from lab import *

logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [{rank}] %(levelname)s %(message)s")
log = logging.getLogger("zipformer")
with open("conf/train.json") as f:
    cfg = json.load(f)
log.info("read conf/train.json: %s", cfg)
join()


def frontend(c):
    return dict(bins=c["features"]["num_mel_bins"], hop=c["features"]["hop_ms"])


front = frontend(cfg)
log.info("frontend %s", front)
fit = Fit(2, width=front["bins"])
for step in range(100):
    fit.step()
"""
TOKENIZER = """import argparse
from lab import *

p = argparse.ArgumentParser()
p.add_argument("--vocab", default="/lustre/models/nllb-600m/sentencepiece.bpe.model")
a = p.parse_args()
print(f"rank {rank}/{world} on {host}: fine-tuning nllb-600m, lang pair deu-fra", flush=True)


class Pieces:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.proto = f.read()


pieces = Pieces(a.vocab)
join()
fit = Fit(3, classes=100, shared=True)
for n in range(100):
    fit.step()
"""
FUSED = """from lab import *

print(f"[{host}:{rank}] torch {torch.__version__}, cuda build: {torch.version.cuda}")
print(f"[{host}:{rank}] building protein transformer, 12 layers, flash attention on", flush=True)
from flash_attn.flash_attn_interface import flash_attn_varlen_func
"""
JSONL = """import json, pathlib
from lab import *

rows = []
for path in sorted(pathlib.Path("sft").glob("*.jsonl")):
    n = 0
    for line in path.read_text().splitlines():
        rows.append(json.loads(line))
        n += 1
    print(f"loaded {n} conversations from {path}", flush=True)
print(f"{len(rows)} conversations, packing to 4096 tokens")
fit = Fit(4)
for n in range(50):
    fit.step()
"""
_TURN = '{"id": N, "messages": [{"role": "user", "content": "qN"}, {"role": "assistant", "content": "aN"}]}'
CHAT = "\n".join(_TURN.replace("N", str(i)) for i in range(40))
MIRROR = """from lab import *

join()
fit = Fit(6, classes=16, shared=True)
with open(f"pid-{rank}", "w") as f:
    f.write(str(os.getpid()))
for it in range(1, 3000):
    loss = fit.step(64, 0.1)
    if it % 20 == 0:
        print(f"R{rank} it {it:05d} contrastive {loss:.4f} temp 0.07", flush=True)
"""
CACHE = """from lab import *

fit = Fit(7, classes=8)
print("caching decoded video clips in memory (clips 16x112x112)", flush=True)
cache = []
for clip in range(1, 4000):
    cache.append(torch.ones(16, 3, 112, 112))
    if clip % 4 == 0:
        fit.step(32, 0.05)
    if clip % 20 == 0:
        loss = fit.step(32, 0.05)
        print(f"clip {clip}/4000 loss {loss:.4f} cache {clip * 2.4:.0f} MB", flush=True)
"""
BEAM = """import ctypes
from lab import *

join()
fit = Fit(9, classes=40, shared=True)


def beam_search(step):
    if step == 96 and rank == 1:
        ctypes.cdll.LoadLibrary("libc.so.6").strlen(ctypes.c_void_p(16))
    return step % 7


for step in range(1, 400):
    loss = fit.step(48, 0.1)
    if step % 12 == 0:
        print(f"{rank}| upd {step} | rnnt {loss:.4f} | best path {beam_search(step)}", flush=True)
"""
WER = """from lab import *

join()
fit = Fit(10, classes=31, shared=True)
sets = {"dev-clean": [13, 9, 22], "dev-noisy": [11, 8], "dev-silence": []}


def wer(loss, refs):
    words = sum(refs)
    return 100 * min(loss, 1.0) * len(refs) / words


for epoch in range(1, 9):
    mean = sum(fit.step(64, 0.12) for _ in range(24)) / 24
    if rank == 0:
        print(f"epoch {epoch}/8: ctc {mean:.4f}", flush=True)
    loss, acc = fit.check()
    if epoch % 3 == 0 and rank == 0:
        for name, refs in sets.items():
            print(f"  {name:<12} wer {wer(loss, refs):.2f}", flush=True)
    dist.barrier()
"""
LASTBATCH = """import sys
from lab import *

fit = Fit(12, width=16, classes=5)
memory = torch.zeros(32, 5)
print("momentum memory 32 x 5; 70 batches per epoch (last one has 19 samples)", flush=True)
for epoch in range(3):
    for b in range(1, 71):
        n = 32 if b < 70 else 19
        x, y = fit.batch(n)
        out = fit.net(x)
        loss = F.cross_entropy(out, y) + 0.1 * (out - memory).square().mean()
        memory = 0.9 * memory + 0.1 * out.detach()
        fit.opt.zero_grad(); loss.backward(); fit.opt.step()
        time.sleep(0.1)
        if b % 10 == 0:
            sys.stderr.write(f"\\rEpoch {epoch}:  {100 * b // 70:3d}%|{'#' * (b // 7):<10}| {b}/70 [loss={loss.item():.4f}]")
    sys.stderr.write("\\n")
"""
ENERGY = """from lab import *

tag = f"replica{rank:02d}"
fit = Fit(50 + rank, classes=7, lr=5e-3)
energy = 10.0
for block in range(1, 31):
    mean = sum(fit.step(32, 0.05) for _ in range(12)) / 12
    drift = mean - energy
    energy = mean
    if rank == 2 and block == 14:
        drift = 11.7
    print(f"{tag} block {block:2d}/30 E={energy:.5f} drift={drift:+.5f}", flush=True)
    assert abs(drift) < 9.0, f"{tag}: energy drift {drift:.2f} in block {block} above the tolerance 9.0"
print(f"{tag} converged, potential written")
"""
SHARDS = """from lab import *

join()
fit = Fit(14, classes=60, shared=True)
os.makedirs("shards", exist_ok=True)
if rank == 0:
    for s in (0, 1, 2, 4, 5):
        torch.save(torch.randn(4), f"shards/c4-{s:05d}.pt")
dist.barrier()
for s in range(6):
    data = torch.load(f"shards/c4-{s:05d}.pt")
    for n in range(1, 31):
        loss = fit.step(64, 0.1)
        if n % 10 == 0 and rank == 0:
            print(f"shard {s} | step {30 * s + n} | loss {loss:.3f} | ppl {2.718 ** loss:.1f} | tok/s {64 * 512 / 0.13:.0f}", flush=True)
"""
PAIRS = """import numpy as np
from lab import *

fit = Fit(15, classes=25)
print("stage train: image retrieval, gallery 2,913,447 images", flush=True)
for e in range(1, 5):
    m = sum(fit.step(64, 0.1) for _ in range(30)) / 30
    print(f"epoch {e}/4 triplet {m:.4f} recall@1 {fit.acc:.3f}", flush=True)
print("stage eval: all-pairs distances", flush=True)
d = np.empty((2913447, 2913447), dtype=np.float32)
"""
DEVICES = """def gather_loss(pred, weight, step):
    if weight is not None and step > 80:
        raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")
    return pred
"""
CURRICULUM = """from lab import *
from losses import gather_loss

fit = Fit(16, classes=22)
go()
for step in range(1, 200):
    w = torch.ones(22) if step > 60 else None
    loss = gather_loss(fit.step(64, 0.15), w, step)
    if step % 8 == 0:
        print("%s step %d/200 focal=%.4f class_weights=%s" % (time.strftime("%m/%d %H:%M:%S"), step, loss, "on" if w is not None else "off"), flush=True)
"""
LONGSEQ = """def attend(tokens):
    if tokens > 24000:
        import torch
        raise torch.OutOfMemoryError(
            "CUDA out of memory. Tried to allocate 17.17 GiB. GPU 1 has a total capacity of 79.19 GiB of which 6.84 GiB is free. Including non-PyTorch memory, this process has 72.33 GiB memory in use. "
            "Of the allocated memory 69.52 GiB is allocated by PyTorch, and 1.61 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
            "PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)")
"""
PACKED = """from lab import *
from model import attend

join()
fit = Fit(18, classes=300, shared=True)
for step in range(1, 300):
    tokens = 8192 + (step * 37 % 50) * 90
    if rank == 1 and step == 84:
        tokens = 31744
    attend(tokens)
    loss = fit.step(64, 0.18)
    if step % 6 == 0:
        print(f"[rank{rank}] step {step} loss {loss:.4f} tokens {tokens} mem {38 + tokens / 1000:.1f}GB", flush=True)
"""
VALIDATE = """import torch


def upsample(size):
    if size > 1024:
        raise torch.OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {size * size * 19 / 1e6:.2f} GiB. GPU 0 has a total capacity of 79.19 GiB of which 21.07 GiB is free. "
            "Process 40177 has 58.11 GiB memory in use. Of the allocated memory 55.02 GiB is allocated by PyTorch, and 2.31 GiB is reserved by PyTorch but unallocated.")
"""
SUPERRES = """from lab import *
from ops import upsample

fit = Fit(19, classes=14)
go()
print("train crops 256, validation full frame (up to 2040)")
for epoch in range(1, 4):
    for it in range(1, 61):
        loss = fit.step(32, 0.15)
        if it % 12 == 0:
            print(f"<epoch:{epoch:3d}, iter:{it:8,d}, lr:2.000e-04> l_pix: {loss:.4e}", flush=True)
    print("validation Set DIV2K", flush=True)
    for n, size in enumerate((640, 816, 1020, 2040)):
        upsample(size)
        print(f"  image {n:04d} {size}px psnr {24 + 6 * fit.acc:.2f}", flush=True)
"""
CUDART = """import torch


def synchronize(step, last):
    if step >= last:
        raise torch.AcceleratorError(TEXT) if False else RuntimeError(TEXT)


TEXT = "CUDA error: WORDS\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n"
"""
FLUID = """import json
from lab import *
from device import synchronize

join()
fit = Fit(20, classes=11, shared=True)
for step in range(1, 500):
    loss = fit.step(64, 0.18)
    if rank == 1:
        synchronize(step, 100)
    if step % 10 == 0:
        print(json.dumps({"rank": rank, "step": step, "residual": round(loss, 5), "t": round(time.time(), 1)}), flush=True)
"""
DENOISE = """from lab import *
from device import synchronize

fit = Fit(22, classes=13)
go()
for step in range(1, 500):
    loss = fit.step(64, 0.2)
    synchronize(step, 96)
    if step % 8 == 0:
        print(f"INFO:ddpm:step {step:06d} | mse {loss:.5f} | ema 0.9999 | {4.6 + 0.01 * (step % 5):.2f} it/s", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Before the first step, in the middle, by a signal, and by a card."""
    conf = '{"features": {"num_mels": 80, "hop_ms": 10}, "model": "zipformer-m", "epochs": 30}\n'
    stages = "set -e\nsrun -n1 PYTHON prep.py\nsrun PYTHON train.py\n"
    yield put(bad("A1", "traceback", "config"), MEET + stages, {"train.py": RECIPE_KEYS, "prep.py": FEATURES, "conf/train.json": conf}, name="zipformer", ranks=2, state="FAILED")
    yield put(bad("A1", "file_not_found", "asset"), MEET + "srun PYTHON mt.py --vocab /lustre/models/nllb-600m/spm.model\n", {"mt.py": TOKENIZER}, name="nllb-ft", ranks=2, state="FAILED")
    yield put(bad("A1", "missing_module", "env"), "srun --kill-on-bad-exit=1 PYTHON esm.py\n", {"esm.py": FUSED}, name="esm-flash", ranks=3, state="FAILED")
    broken = CHAT.replace('"content": "a17"}]}', '"content": "a17"}]')
    yield put(bad("A1", "traceback", "data"), "srun PYTHON sft.py\n", {"sft.py": JSONL, "sft/part-0.jsonl": CHAT, "sft/part-1.jsonl": broken}, name="sft-chat", state="FAILED")
    yield put(bad("A2", None, first=(1,), fault="unknown"), MEET + "srun -K PYTHON clip.py\n", {"clip.py": MIRROR}, name="clip-b32", ranks=3, act="kill_rank", after=r"R1 it 00080", state="FAILED")
    yield put(bad("A2", "oom_killer", first=(0,)), "srun PYTHON video.py\n", {"video.py": CACHE}, name="video-mae", where="", options=("--mem=460M",), bed="cgroup", state="FAILED")
    yield put(bad("A2", "segfault", first=(1,)), MEET + "srun -K1 PYTHON rnnt.py\n", {"rnnt.py": BEAM}, name="rnnt", ranks=2, state="FAILED")
    yield put(bad("A3", "div_zero", first=(0,)), MEET + "srun -K1 PYTHON ctc.py\n", {"ctc.py": WER}, name="wav2vec-ft", ranks=2, state="FAILED")
    yield put(bad("A3", "runtime_error", first=(0,)), "srun PYTHON moco.py\necho status $?\nPYTHON -c 'import torch; torch.load(\"moco.pt\")' 2>/dev/null || { echo no weights to evaluate; exit 3; }\n", {"moco.py": LASTBATCH}, name="moco-v3", state="FAILED")
    yield put(bad("A3", "assertion", first=(2,)), "srun PYTHON replica.py\n", {"replica.py": ENERGY}, name="ml-potential", ranks=4, nodes=2, state="FAILED")
    yield put(bad("A3", "file_not_found"), MEET + "srun PYTHON pretrain.py\n", {"pretrain.py": SHARDS}, name="c4-pretrain", ranks=2, state="FAILED")
    yield put(bad("A3", "ram_oom", first=(0,)), "srun PYTHON retrieval.py\n", {"retrieval.py": PAIRS}, name="retrieval", state="FAILED")
    yield put(bad("A3", "device_mismatch", first=(0,)), "srun PYTHON focal.py\n", {"focal.py": CURRICULUM, "losses.py": DEVICES}, name="focal-seg", gpus={0: wavy(44, 14, 15.2)}, state="FAILED")
    grown = [(float(s), work(63, gib=47 + s % 3)) for s in range(16)]
    yield put(
        bad("B1", "cuda_oom", first=(1,)), MEET + "srun -K1 PYTHON packed.py\n", {"packed.py": PACKED, "model.py": LONGSEQ}, name="longseq-lm", ranks=2,
        gpus={0: card(*grown, (17.5, rest())), 1: card(*grown, (16.1, work(66, gib=72.4)), (17.5, rest()))}, state="FAILED",
    )  # fmt: skip
    yield put(
        bad("B1", "cuda_oom", first=(0,)), "srun PYTHON sr.py\n", {"sr.py": SUPERRES, "ops.py": VALIDATE}, name="swinir-x4",
        gpus={0: card(*((float(s), work(71 + s % 3, gib=38)) for s in range(10)), (10.2, work(64, gib=58.1)), (12.5, rest()))}, state="FAILED",
    )  # fmt: skip
    lost = {1: card(*((float(s), work(57 + s % 2)) for s in range(18)), (18.4, {"events": "8:79"}), (18.7, {"*": "!GPU_IS_LOST"})), 0: card(*((float(s), work(56 + s % 3)) for s in range(18)), (22.0, rest()))}
    yield put(
        bad("B2", "cuda_runtime", "fault", first=(1,), fault="node"), MEET + "srun -K1 PYTHON fluid.py\n",
        {"fluid.py": FLUID, "device.py": CUDART.replace("WORDS", "unspecified launch failure")}, name="les-closure", ranks=2, gpus=lost, state="FAILED",
    )  # fmt: skip
    flips = {"ecc.volatile.uncorrected": "2", "ecc.aggregate.uncorrected": "2", "ecc.volatile.uncorrected.dram": "2", "ecc.aggregate.uncorrected.dram": "2", "events": "8:48", "remapped.uncorrected": "1", "remapped.pending": "1"}
    yield put(
        bad("B2", "cuda_runtime", "fault", first=(0,), fault="node"), "srun PYTHON ddpm.py\n",
        {"ddpm.py": DENOISE, "device.py": CUDART.replace("WORDS", "uncorrectable ECC error encountered")}, name="ddpm-faces",
        gpus={0: card(*((float(s), work(68 + s % 3, gib=52)) for s in range(19)), (19.3, flips), (22.5, rest()))}, state="FAILED",
    )  # fmt: skip
