"""Services' jobs that broke down: an exception, a signal, memory, a checkpoint that cannot be read."""

from corpus.make._crate import crate
from corpus.running.job import Signal

ASR = """
import argparse, logging, os
logging.basicConfig(level=logging.INFO, format="%(asctime)s asr-worker[%(process)d]: %(message)s")
ap = argparse.ArgumentParser(); ap.add_argument("--queue"); ap.add_argument("--compute-type", default="float16"); a = ap.parse_args()
logging.info("queue %s, compute type %s", a.queue, a.compute_type)
from engines import load
model = load("large-v3", a.compute_type); logging.info("ready")
"""
ENGINES = """
import ctranslate2
def load(name, compute): return ctranslate2.models.Whisper(name, compute_type=compute)
"""
TOKEN = """
import configparser, pathlib, sys, time
print(f"{time.strftime('%FT%TZ', time.gmtime())} bulk-infer 3.4.1 starting", flush=True); c = configparser.ConfigParser(); c.read("bulk.ini"); print(f"model={c['model']['name']} batch={c['model']['batch']} registry={c['registry']['url']}", flush=True)
token = pathlib.Path(c["registry"]["token_file"]).read_text().strip(); print(f"token of {len(token)} characters read", flush=True)
"""
INDEX = """
import array, random, time
random.seed(3); lists, n = {}, 0; print("building the inverted-file index: 4096 cells, target 60 M vectors of 64 bytes", flush=True)
while n < 60_000_000:
    cell = random.randrange(4096); lists.setdefault(cell, []).append(array.array("B", bytes([cell % 251])) * (64 * 100_000)); n += 100_000; time.sleep(0.05)
    if n % 1_000_000 == 0: rss = int(open("/proc/self/statm").read().split()[1]) // 256; print(f"added {n // 1_000_000:2d} M of 60 M vectors, {len(lists)} cells touched, rss {rss} MiB", flush=True)
"""
TWOTOWER = """
import os, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(50); u, v = torch.nn.EmbeddingBag(500, 16), torch.nn.Linear(16, 16); net = torch.nn.parallel.DistributedDataParallel(torch.nn.ModuleList([u, v]), find_unused_parameters=False); raw = net.module
class Tower(torch.nn.Module):
    def __init__(s): super().__init__(); s.u, s.v = torch.nn.EmbeddingBag(500, 16), torch.nn.Linear(16, 500)
    def forward(s, x): return s.v(s.u(x))
net = torch.nn.parallel.DistributedDataParallel(Tower()); opt = torch.optim.Adam(net.parameters(), 0.01)
print(f"two-tower rank {r} pid {os.getpid()} ready", flush=True)
for s in range(1, 2001):
    x = torch.randint(500, (64, 4)); l = torch.nn.functional.cross_entropy(net(x), x[:, 0]); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if r == 0 and s % 20 == 0: print(f"two-tower step={s} softmax_loss={l.item():.4f}", flush=True)
"""
FEATURES = """
import logging, time
logging.basicConfig(level=20, format="%(asctime)s [%(levelname)s] scorer: %(message)s"); keep = []
def features(k): return [float(k * 1000 + i) for i in range(220_000)]
for k in range(1, 401):
    f = features(k); score = sum(f) / len(f); keep.append(f); time.sleep(0.04)
    if k % 5 == 0: logging.info("partition %d of 400 scored, mean %.1f, %d partitions kept for the report", k, score, len(keep))
"""
WER = """
import csv, io, time
REFS = {k: "the quick brown fox jumps over the lazy dog".split()[: 3 + k % 7] for k in range(60)}; REFS[37] = []
def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1): prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]
print("file\\twords\\twer\\tsec", flush=True)
for k, ref in REFS.items():
    t = time.time(); hyp = [w for i, w in enumerate(ref) if (i + k) % 6] or ["uh"]; time.sleep(0.1); wer = distance(ref, hyp) / len(ref); print(f"seg_{k:03d}.flac\\t{len(ref)}\\t{wer:.3f}\\t{time.time() - t:.2f}", flush=True)
print("all segments done")
"""
GENERATE = """
import json, time, torch
from kvcache import Cache
torch.manual_seed(1); cache = Cache(); print(json.dumps({"event": "engine_ready", "weights_gib": round(cache.held, 2), "total_gib": cache.total}), flush=True)
prompts = [{"id": i, "tokens": 900 + 160 * i} for i in range(48)]; done = 0
for k in range(0, 48, 4):
    batch = prompts[k : k + 4]; need = sum(p["tokens"] for p in batch)
    with cache.reserve(need): time.sleep(0.25); done += 4; print(json.dumps({"event": "batch_done", "requests": done, "of": 48, "batch_tokens": need, "kv_gib": round(need * cache.per_token, 2), "tok_per_s": round(4 * 128 / 0.25)}), flush=True)
"""
KVCACHE = """
import contextlib, torch
class Cache:
    total, per_token = 39.39, 0.00052
    def __init__(self): self.held = 26.18
    @contextlib.contextmanager
    def reserve(self, tokens):
        need = tokens * self.per_token; free = self.total - self.held
        if need > free: raise torch.cuda.OutOfMemoryError(self.text(need, free))
        self.held += need; yield; self.held -= need
    def text(self, need, free): return f"CUDA out of memory. Tried to allocate {need:.2f} GiB. GPU 0 has a total capacity of {self.total:.2f} GiB of which {free:.2f} GiB is free. Process 41877 has {self.held:.2f} GiB memory in use. Of the allocated memory {self.held - 0.6:.2f} GiB is allocated by PyTorch, and 211.50 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
"""
NIGHTLY = """
import glob, os, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Linear(200, 300), torch.nn.ReLU(), torch.nn.Linear(300, 12)); path = "store/nightly/last.pt"
if r == 0: print(f"resume requested from {path} ({os.path.getsize(path):,} bytes)", flush=True)
state = torch.load(path, map_location="cpu"); net.load_state_dict(state["model"]); print(f"rank {r}: resumed at step {state['step']}", flush=True)
"""
CUTSTATE = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(200, 300), torch.nn.ReLU(), torch.nn.Linear(300, 12)); torch.save({"model": net.state_dict(), "step": 18000}, "store/nightly/last.pt"); b = open("store/nightly/last.pt", "rb").read(); open("store/nightly/last.pt", "wb").write(b[: len(b) * 2 // 5])
"""

JOBS = (
    crate(
        "A1",
        "asr_worker.py --queue calls-eu --compute-type int8_float16",
        ASR,
        cause="missing_module",
        variant="env",
        python="system",
        files={"engines.py": ENGINES},
        note="ModuleNotFoundError: ctranslate2 before anything was transcribed",
    ),
    crate(
        "A1",
        "bulk_infer.py",
        TOKEN,
        cause="permission",
        python="system",
        files={
            "bulk.ini": "[model]\nname = ranker-v7\nbatch = 64\n\n[registry]\nurl = http://registry.local:8443\ntoken_file = secrets/registry.token\n",
            "secrets/registry.token": "kept elsewhere\n",
        },
        locked=("secrets/registry.token",),
        note="PermissionError on the token's file at start",
    ),
    crate(
        "A2",
        "build_ivf.py",
        INDEX,
        cause="oom_killer",
        status=-9,
        python="system",
        group_mib=900,
        note="oom_kill event at the group's limit, signal 9, rss growing",
    ),
    crate(
        "A2",
        "two_tower.py",
        TWOTOWER,
        fault="unknown",
        ranks=2,
        first=(1,),
        signal=Signal("KILL", "step=120 ", to="-u two_tower.py#1"),
        note="torchrun: Signal 9 (SIGKILL) of rank 1, no memory event",
    ),
    crate("A3", "score_parts.py", FEATURES, cause="ram_oom", python="system", memory_mib=700, note="MemoryError after some 80 partitions"),
    crate("A3", "wer_report.py", WER, cause="div_zero", python="system", note="ZeroDivisionError at segment 37 of 60"),
    crate(
        "B1",
        "generate.py",
        GENERATE,
        cause="cuda_oom",
        files={"kvcache.py": KVCACHE},
        note="CUDA out of memory with the later, longer requests, after some batches",
    ),
    crate(
        "E2",
        "nightly.py",
        NIGHTLY,
        cause="runtime_error",
        variant="corrupt",
        ranks=2,
        folders=("store/nightly",),
        files={"cut.py": CUTSTATE},
        before=(("PYTHON", "cut.py"),),
        note="PytorchStreamReader failed on last.pt in both ranks",
    ),
)
