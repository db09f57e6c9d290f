"""Jobs that did what they were started for."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, card, queue, rest, wavy, work
from corpus.running.job import SlurmJob

BABEL = """import math, os, time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(11)
V, T, D = 64, 12, 32
class Tiny(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = torch.nn.Embedding(V, D), torch.nn.Embedding(T, D)
        self.mlp = torch.nn.Sequential(torch.nn.Linear(D, 2 * D), torch.nn.GELU(), torch.nn.Linear(2 * D, D))
        self.head = torch.nn.Linear(D, V, bias=False)
    def forward(self, ids):
        h = self.wte(ids) + self.wpe.weight
        return self.head(h + self.mlp(h))
model = torch.nn.parallel.DistributedDataParallel(Tiny())
if rank == 0:
    n = sum(p.numel() for p in model.parameters())
    print(f"[babel] {world} processes, {n / 1e3:.1f}k params, global batch {world * 16} x {T}", flush=True)
max_iters, warm = 120, 12
opt = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95), weight_decay=0.1)
tokens, t0 = 0, time.time()
for it in range(max_iters + 1):
    lr = 1e-2 * (it + 1) / warm if it < warm else 1e-3 + 0.5 * 9e-3 * (1 + math.cos(math.pi * (it - warm) / (max_iters - warm)))
    for g in opt.param_groups:
        g["lr"] = lr
    start = torch.randint(0, V, (16, 1))
    ids = (start + 7 * torch.arange(T + 1)) % V
    logits = model(ids[:, :-1])
    loss = torch.nn.functional.cross_entropy(logits.reshape(-1, V), ids[:, 1:].reshape(-1))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    time.sleep(0.14)
    tokens += world * 16 * T
    if it % 10 == 0 and rank == 0:
        print(f"[babel] it {it}/{max_iters} | loss {loss.item():.4f} | gnorm {norm:.3f} | lr {lr:.2e} | {tokens / (time.time() - t0):.0f} tok/s", flush=True)
dist.barrier()
if rank == 0:
    torch.save(model.module.state_dict(), "babel_final.pt")
    print(f"[babel] done: {tokens} tokens in {time.time() - t0:.1f} s, weights in babel_final.pt")
dist.destroy_process_group()
"""
LANES = """import random, sys, time, datetime as dt
import pace

random.seed(5)


def say(text):
    print(dt.datetime.now().strftime("%Y/%m/%d %H:%M:%S"), "- mmengine - INFO -", text, flush=True)


say("Config:\\nmodel = dict(type='EncoderDecoder', backbone=dict(type='ResNetV1c', depth=18), decode_head=dict(type='ASPPHead', num_classes=19))\\ntrain_cfg = dict(type='EpochBasedTrainLoop', max_epochs=3, val_interval=1)")
say("Checkpoints will be saved to work_dirs/lanes_r18.")
total, done, lr = 3 * 40, 0, 0.01
for epoch in (1, 2, 3):
    for i in range(1, 41):
        time.sleep(0.24)
        done += 1
        lr = 0.01 * (1 - done / total) ** 0.9 + 1e-4
        if i % 10 == 0:
            loss = 0.42 + 1.9 / (1 + 0.06 * done) + random.gauss(0, 0.03)
            acc = 96 - 40 / (1 + 0.05 * done) + random.gauss(0, 0.6)
            eta = dt.timedelta(seconds=int((total - done) * 0.25))
            say(f"Epoch(train)  [{epoch}][{i:3d}/40]  lr: {lr:.4e}  eta: {eta}  time: {0.247 + random.random() / 100:.4f}  data_time: {0.006 + random.random() / 500:.4f}  memory: 14211  loss: {loss:.4f}  decode.loss_ce: {loss * 0.72:.4f}  decode.acc_seg: {acc:.4f}  aux.loss_ce: {loss * 0.28:.4f}")
    say(f"Saving checkpoint at {epoch} epochs")
    say(f"Epoch(val)  [{epoch}][12/12]    aAcc: {88 + epoch * 2.1:.4f}  mIoU: {48.3 + epoch * 5.2 - epoch ** 2 * 0.5:.4f}  mAcc: {60 + epoch * 4:.4f}  data_time: 0.0041  time: 0.0902")
"""
REWRITE = """import json, random, time
import pace

random.seed(1)
prompts = [f"Rewrite politely: ticket {i}" for i in range(480)]
print("INFO 11-27 engine.py:88] Initializing an LLM engine (v0.6.3) with config: model='/models/mistral-7b-instruct', dtype=torch.bfloat16, max_seq_len=4096, tensor_parallel_size=1")
print("INFO 11-27 model_runner.py:1072] Loading model weights took 13.5083 GB")
print("INFO 11-27 gpu_executor.py:122] # GPU blocks: 27341, # CPU blocks: 2048")
out = open("rewritten.jsonl", "w")
t0, made = time.time(), 0
for at in range(0, len(prompts), 24):
    time.sleep(1.2)
    for p in prompts[at:at + 24]:
        n = random.randint(30, 90)
        made += n
        out.write(json.dumps({"prompt": p, "text": "w " * n}) + "\\n")
    s = time.time() - t0
    print(f"INFO 11-27 metrics.py:349] Avg prompt throughput: {24 * 11 / 1.2:.1f} tokens/s, Avg generation throughput: {made / s:.1f} tokens/s, Running: {min(24, len(prompts) - at)} reqs, Pending: {max(0, len(prompts) - at - 24)} reqs, GPU KV cache usage: {random.uniform(18, 31):.1f}%, finished {at + 24}/{len(prompts)}", flush=True)
out.close()
print(f"Wrote 480 completions to rewritten.jsonl ({made} tokens, {time.time() - t0:.1f}s)")
"""
SPLITTER = """import collections, os, pathlib, re, time

task = int(os.environ["SLURM_ARRAY_TASK_ID"])
here = pathlib.Path("corpus"); here.mkdir(exist_ok=True)
words = "the model learns a map from noise to speech and back again with few steps".split()
counts = collections.Counter()
kept = dropped = 0
for shard in range(14):
    lines = [" ".join(words[(i * k + shard + task) % len(words)] for k in range(1, 4 + i % 23)) for i in range(900)]
    good = [l for l in lines if len(l.split()) > 5]
    kept, dropped = kept + len(good), dropped + len(lines) - len(good)
    for l in good:
        counts.update(re.findall(r"\\w+", l))
    (here / f"clean-{task:02d}-{shard:03d}.txt").write_text("\\n".join(good))
    time.sleep(1.5)
    print(f"task {task}: shard {shard + 1}/14 kept {kept} dropped {dropped} (too short) vocab {len(counts)}", flush=True)
print(f"task {task}: all 14 shards written, {kept} lines, {sum(counts.values())} tokens")
"""
ELASTIC_BATCH = """import logging, time
import torch
import pace
from mem import forward_cost

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("detector")
torch.manual_seed(4)
net = torch.nn.Sequential(torch.nn.Linear(36, 48), torch.nn.ReLU(), torch.nn.Linear(48, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
bs = 256
while True:
    try:
        forward_cost(bs)
        break
    except torch.OutOfMemoryError as err:
        log.warning("batch size %d does not fit: %s", bs, str(err).split(" If reserved")[0])
        torch.cuda.empty_cache() if torch.cuda.is_available() else None
        bs //= 2
log.info("auto-batch: using batch size %d with %d accumulation steps", bs, 256 // bs)
for epoch in range(1, 9):
    tot = 0.0
    for _ in range(12):
        x = torch.randn(bs, 36)
        loss = torch.nn.functional.smooth_l1_loss(net(x), x[:, :4] * x[:, 4:8])
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
        time.sleep(0.26)
    log.info("epoch %d/8 box_loss %.4f map50 %.3f", epoch, tot / 12, 0.31 + 0.05 * epoch - 0.002 * epoch**2)
log.info("8 epochs completed, best weights in runs/detect/best.pt")
"""
MEM = """import torch


def forward_cost(bs):
    if bs > 64:
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {bs / 16:.2f} GiB. GPU 0 has a total capacity of 79.18 GiB of which 3.11 GiB is free. Including non-PyTorch memory, this process has 76.06 GiB memory in use. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")
"""
BUCKET = """import random, sys, time, traceback
random.seed(9)


class Bucket:
    def __init__(self):
        self.n = 0

    def get(self, key):
        self.n += 1
        if self.n in (9, 10, 31, 55):
            raise ConnectionResetError(104, "Connection reset by peer")
        time.sleep(0.22)
        return [random.gauss(0, 1) for _ in range(20)]


def fetch(bucket, key, tries=5):
    for attempt in range(1, tries + 1):
        try:
            return bucket.get(key)
        except OSError:
            traceback.print_exc()
            print(f"fetch {key} failed (attempt {attempt}/{tries}), sleeping {attempt} s", file=sys.stderr, flush=True)
            time.sleep(attempt)
    raise SystemExit(f"giving up on {key}")


bucket, w, ema = Bucket(), [0.0] * 20, None
truth = [((i * 7) % 5 - 2) / 2 for i in range(20)]
for step in range(1, 81):
    total = 0.0
    for row in (fetch(bucket, f"shards/audio-{step:05d}.tar"),) * 1:
        for _ in range(6):
            x = [v + random.gauss(0, 0.7) for v in row]
            err = sum((a - b) * c for a, b, c in zip(w, truth, x))
            w = [a - 0.02 * err * c for a, c in zip(w, x)]
            total += err * err / 6
    ema = total if ema is None else 0.8 * ema + 0.2 * total
    if step % 8 == 0:
        print(f"step {step:>3}/80  mse {ema:.4f}  s3_reads {bucket.n}", flush=True)
print("finished: 80 steps, uploaded model to s3://speech/exp-41/final")
"""
SCALER = """import os, time
import torch
import torch.distributed as dist
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(2)
enc = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 16)))
opt = torch.optim.Adam(enc.parameters(), lr=4e-3)
scale, clean, skipped = 2.0**32, 0, 0


def stamp():
    return time.strftime("[%Y-%m-%d %H:%M:%S,") + f"{int(time.time() * 1000) % 1000:03d}]"


for step in range(1, 131):
    x = torch.randn(32, 16)
    loss = (enc(x) - x.roll(3, 1)).abs().mean()
    opt.zero_grad()
    half = (loss * scale).half()
    if not torch.isfinite(half):
        if rank == 0:
            print(f"{stamp()} [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {int(scale)}, reducing to {int(scale / 4)}", flush=True)
        (loss * 0).backward()
        scale, clean, skipped = scale / 4, 0, skipped + 1
    else:
        loss.backward()
        opt.step()
        clean += 1
        if clean == 60:
            scale, clean = scale * 2, 0
    time.sleep(0.15)
    if step % 10 == 0 and rank == 0:
        print(f"{stamp()} [INFO] [logging.py:96:log_dist] [Rank 0] step={step}, skipped={skipped}, lr=[0.004], mom=[(0.9, 0.999)], loss={loss.item():.4f}", flush=True)
if rank == 0:
    print(f"{stamp()} [INFO] training finished at step 130, saved to ckpt/global_step130")
dist.destroy_process_group()
"""
PATIENCE = """import torch
import time

torch.manual_seed(20)
x = torch.randn(260, 30)
y = (x[:, 0] + 0.8 * x[:, 1] + 0.7 * torch.randn(260) > 0).float()
net = torch.nn.Sequential(torch.nn.Linear(30, 24), torch.nn.ReLU(), torch.nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
best, wait, kept = 9.0, 0, None
bce = torch.nn.functional.binary_cross_entropy_with_logits
print("GPU available: False, used: False")
print("`Trainer(max_epochs=200)`, EarlyStopping(monitor='val_loss', patience=6, mode='min')")
for epoch in range(200):
    for part in torch.randperm(180).split(30):
        loss = bce(net(x[part]).squeeze(1), y[part])
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        val = bce(net(x[180:]).squeeze(1), y[180:]).item()
    time.sleep(0.5)
    note = ""
    if val < best - 1e-4:
        note = f"  Metric val_loss improved by {best - val:.3f}." if epoch else ""
        best, wait, kept = val, 0, epoch
    else:
        wait += 1
    print(f"Epoch {epoch}: train_loss={loss.item():.3f} val_loss={val:.3f}{note}", flush=True)
    if wait >= 6:
        print(f"Monitored metric val_loss did not improve in the last 6 records. Best score: {best:.3f}. Signaling Trainer to stop.")
        break
print(f"restored weights of epoch {kept}; test auroc 0.861")
"""


def jobs() -> Iterator[SlurmJob]:
    """Half of them with something in them that would worry."""
    yield queue(GOOD, BABEL, MEET + "srun PYTHON babel.py\n", script="babel.py", ranks=4, nodes=2, state="COMPLETED")
    yield queue(
        GOOD,
        LANES,
        "srun PYTHON tools/train.py configs/lanes_r18.py\n",
        script="tools/train.py",
        files={"tools/pace.py": _pace()},
        gpus={0: wavy(57, 28, 31.0, gib=14.6)},
        python="system",
        state="COMPLETED",
    )
    yield queue(
        GOOD, REWRITE, "PYTHON rewrite.py\n", script="rewrite.py", gpus={0: wavy(34, 24, 25.0, gib=71, watts=430)}, python="system", state="COMPLETED"
    )
    yield queue(GOOD, SPLITTER, "srun PYTHON clean.py\n", script="clean.py", options=("--array=3",), python="system", state="COMPLETED")
    yield queue(
        HARD, ELASTIC_BATCH, "srun PYTHON detect.py\n", script="detect.py", files={"mem.py": MEM},
        gpus={0: card((0.0, work(30, gib=77)), (1.0, work(56, gib=38)), (9.0, work(58, gib=38, watts=552)), (18.0, work(55, gib=38, watts=546)), (27.5, rest(0.0)))}, state="COMPLETED",
    )  # fmt: skip
    yield queue(HARD, BUCKET, "srun PYTHON stream.py\n", script="stream.py", python="system", state="COMPLETED")
    yield queue(HARD, SCALER, MEET + "srun PYTHON mae.py\n", script="mae.py", ranks=2, state="COMPLETED")
    yield queue(HARD, PATIENCE, "PYTHON churn.py\n", script="churn.py", state="COMPLETED")


def _pace() -> str:
    from corpus.make._bench_trestle import PACE

    return PACE
