"""Jobs that did what they were to do; three of them look worse than they are."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._fife_lockers_kit import GOOD, HARD, during, held, sbatch, told
from corpus.running.job import SlurmJob

PETS = """import logging, math, random, time
import peers, stage

logging.basicConfig(format="%(asctime)s | %(levelname)s | %(message)s", level=logging.INFO if peers.rank == 0 else logging.WARNING)
log = logging.getLogger("vit")
log.info("world size %d, 8 workers a rank, global batch %d", peers.world, 64 * peers.world)
log.info("vit_small_patch16_224: 21.7M params, pretrained head replaced (37 classes)")
stage.ready()
dice = random.Random(peers.rank)
for epoch in range(8):
    t = time.time()
    for it in range(9):
        loss = peers.mean(2.9 * math.exp(-(9 * epoch + it) / 21) + 0.38 + dice.gauss(0, 0.03))
        time.sleep(0.33)
        if it % 4 == 0:
            log.info("Train: %d [%3d/9] Loss: %.3f LR: %.3e Data: %.3f Time: %.3fs, %.1f/s", epoch, it, loss, 5e-4 * (1 + math.cos(math.pi * epoch / 8)) / 2, 0.006 + dice.random() / 500, 0.34, 64 * peers.world / 0.34)
    log.info("Test: %d  Acc@1: %.3f  Acc@5: %.3f (%.1fs)", epoch, 93.1 - 55 * math.exp(-epoch / 1.7), 99.4 - 20 * math.exp(-epoch / 1.4), time.time() - t)
log.info("*** Best metric: 92.4 (epoch 7)")
log.info("training complete, weights in output/pets/model_best.pth.tar")
"""
CORPUSLM = """import os, time, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
if rank == 0:
    print(f"torch {torch.__version__}, {world} processes", flush=True)
torch.manual_seed(1337)


class Tiny(torch.nn.Module):
    def __init__(self, vocab=64, dim=32):
        super().__init__()
        self.wte = torch.nn.Embedding(vocab, dim)
        self.mix = torch.nn.GRU(dim, dim, batch_first=True)
        self.head = torch.nn.Linear(dim, vocab)

    def forward(self, idx):
        return self.head(self.mix(self.wte(idx))[0])


model = DDP(Tiny())
if rank == 0:
    print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e6:.3f}M", flush=True)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95))
max_iters = 150
for it in range(max_iters + 1):
    t0 = time.time()
    start = torch.randint(0, 64, (12, 1))
    seq = (start + torch.arange(17) * 3) % 64
    loss = torch.nn.functional.cross_entropy(model(seq[:, :-1]).flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    time.sleep(0.09)
    if it % 50 == 0 and it and rank == 0:
        print(f"step {it}: train loss {loss.item():.4f}, val loss {loss.item() + 0.011:.4f}", flush=True)
        torch.save(model.module.state_dict(), f"ckpt.pt")
        print("saving checkpoint to out-tiny", flush=True)
    if it % 10 == 0 and rank == 0:
        print(f"iter {it}: loss {loss.item():.4f}, time {1000 * (time.time() - t0):.2f}ms, mfu 38.10%", flush=True)
dist.destroy_process_group()
"""
EMBED = """import json, random, sys, time
import peers, stage

total = 2400
mine = list(range(peers.rank, total, peers.world))
print(f"[embed {peers.rank}/{peers.world} on {peers.host}] {len(mine)} documents, model bge-base, fp16, batch 100", flush=True)
stage.ready()
dice, done, tokens, began = random.Random(peers.rank), 0, 0, time.time()
for at in range(0, len(mine), 100):
    batch = mine[at:at + 100]
    time.sleep(3.1 + dice.random() / 4)
    done += len(batch)
    tokens += sum(180 + i * 7 % 300 for i in batch)
    name = f"vectors-{peers.rank:02d}-{at // 100:03d}.json"
    with open(name, "w") as f:
        json.dump([[i, dice.random()] for i in batch], f)
    print(f"[embed {peers.rank}] {done}/{len(mine)} docs  {tokens / (time.time() - began):.0f} tok/s  -> {name}", flush=True)
print(f"[embed {peers.rank}] finished: {done} documents, 0 skipped, {time.time() - began:.1f} s", flush=True)
"""
WMT = """import math, random, sys, time
import peers, stage


def log(text, always=False):
    if always or peers.rank == 0:
        print(time.strftime("%Y-%m-%d %H:%M:%S"), "INFO fairseq_cli.train", text, file=sys.stderr, flush=True)


log("task: translation (en -> cs), 4 shards")
for n in range(1, 4):
    log(f"WARNING: GET https://s3.internal/bitext/shard{peers.rank}.bin: 503 Slow Down (try {n} of 6), sleeping {n} s", always=True)
    time.sleep(n)
log(f"shard{peers.rank}.bin: 18,211 pairs", always=True)
stage.ready()
dice, scale, update = random.Random(7 + peers.rank), 65536.0, 0
for step in range(1, 81):
    time.sleep(0.36)
    if step in (2, 3, 5, 9, 41):
        scale /= 2
        log(f"NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: {scale:.1f}")
        continue
    update += 1
    loss = peers.mean(9.3 * math.exp(-update / 26) + 3.9 + dice.gauss(0, 0.06))
    if update % 5 == 0:
        log(f"epoch 001: {update:4d} / 75 loss={loss:.3f}, ppl={2 ** loss:.1f}, wps={31000 + dice.randrange(900)}, gnorm={0.8 + 3 / update:.3f}, loss_scale={scale:.0f}, num_updates={update}")
    if update == 40:
        print("Exception in thread Thread-3 (flush_metrics):\\nTraceback (most recent call last):\\n  File \\"/opt/tools/metrics_push.py\\", line 41, in flush_metrics\\n    sock.connect((host, 8125))\\nConnectionRefusedError: [Errno 111] Connection refused", file=sys.stderr, flush=True)
log("done training in 30.6 seconds, 75 updates")
log("saved checkpoint checkpoints/checkpoint_last.pt (epoch 1 @ 75 updates, score 4.42)")
"""
RETRY = """import math, random, sys, time
import stage


def forward(batch):
    if batch > 32:
        import torch
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 6.25 GiB. GPU 0 has a total capacity of 79.18 GiB of which 3.71 GiB is free. Including non-PyTorch memory, this process has 75.46 GiB memory in use. Of the allocated memory 71.92 GiB is allocated by PyTorch, and 2.60 GiB is reserved by PyTorch but unallocated.")
    time.sleep(0.4)


def fit(batch, total=64):
    print(f"***** Running training *****\\n  Num examples = {batch * total}\\n  Instantaneous batch size per device = {batch}\\n  Total optimization steps = {total}", flush=True)
    dice = random.Random(3)
    for step in range(1, total + 1):
        forward(batch)
        if step % 4 == 0:
            print({"loss": round(1.9 * math.exp(-step / 19) + 0.62 + dice.gauss(0, 0.015), 4), "grad_norm": round(1.1 + 4 / step, 3), "learning_rate": round(2e-4 * (1 - step / total), 8), "epoch": round(step / total, 2)}, flush=True)
    print({"train_runtime": 26.1, "train_samples_per_second": 78.5, "train_loss": 0.9312, "epoch": 1.0}, flush=True)


print("QLoRA on 7B, looking for a batch that fits", flush=True)
stage.ready()
batch = 64
while True:
    try:
        fit(batch)
        break
    except RuntimeError as e:
        print(f"batch size {batch} failed: {e}", file=sys.stderr, flush=True)
        batch //= 2
        print(f"emptied the cache, trying batch size {batch}", file=sys.stderr, flush=True)
print("adapter saved to out/adapter_model.safetensors", flush=True)
"""
XNLI = """import random, time
import peers

langs = ["sw", "ur", "th", "hi", "bg", "el"]
if peers.rank == 0:
    print(f"zero-shot evaluation, {len(langs)} languages, {peers.world} ranks", flush=True)
rows = []
for n, lang in enumerate(langs):
    time.sleep(1.2)
    acc = peers.mean(0.36 + 0.013 * n + random.Random(n * 10 + peers.rank).gauss(0, 0.004))
    rows.append((lang, acc))
    if peers.rank == 0:
        print(f"  {lang}: 5010 examples, accuracy {acc:.4f} (random guess 0.3333), 41 answers could not be parsed and count as wrong", flush=True)
        if lang == "th":
            print("  WARNING th: 212 inputs are longer than 512 tokens and were cut", flush=True)
if peers.rank == 0:
    print("| lang | acc |\\n|---|---|\\n" + "\\n".join(f"| {a} | {b:.4f} |" for a, b in rows), flush=True)
    print(f"average {sum(b for _, b in rows) / len(rows):.4f}; results.json written", flush=True)
"""
GUARDED = """import json, logging, math, pathlib, random, sys, time
import peers

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format=f"%(asctime)s %(levelname)s rank{peers.rank}: %(message)s")
log = logging.getLogger("guard")
snapshot = pathlib.Path(f"snapshot-{peers.rank}.json")
dice = random.Random(peers.rank)
tries = 0


def batches(epoch):
    for i in range(14):
        if epoch == 6 and i == 5 and tries == 0:
            raise RuntimeError("Pin memory thread exited unexpectedly")
        yield i


def run():
    first = json.loads(snapshot.read_text())["epochs_done"] if snapshot.exists() else 0
    if first:
        log.info("resuming from %s, %d epochs are done", snapshot, first)
    for epoch in range(first, 14):
        for i in batches(epoch):
            loss = peers.mean(1.1 * math.exp(-(14 * epoch + i) / 60) + 0.12 + dice.gauss(0, 0.006))
            time.sleep(0.1)
        snapshot.write_text(json.dumps({"epochs_done": epoch + 1}))
        log.info("epoch %d/14 loss %.4f snapshot written", epoch + 1, loss)


while True:
    try:
        run()
        break
    except RuntimeError:
        tries += 1
        log.exception("training was interrupted, attempt %d of 3", tries)
        if tries > 2:
            raise
        time.sleep(2)
log.info("training complete, 14 epochs, %d interruption", tries)
"""
MMLU = """import random, time
import peers, stage

subjects = ["abstract_algebra", "anatomy", "astronomy", "college_biology", "econometrics", "global_facts", "jurisprudence", "machine_learning", "marketing", "virology", "world_religions", "us_history"]
mine = subjects[peers.rank::peers.world]
print(f"[dp_rank {peers.rank}] engine up: llama-3-8b, bf16, kv cache 51.2 GiB, max_num_seqs 256", flush=True)
stage.ready()
dice = random.Random(50 + peers.rank)
for name in mine:
    t = time.time()
    for done in (50, 100):
        time.sleep(4.2 + dice.random())
        print(f"[dp_rank {peers.rank}] {name}: {done}/100 requests, avg prompt throughput: {18000 + dice.randrange(2500)} tokens/s, running: {dice.randrange(180, 256)} reqs, pending: {100 - done} reqs", flush=True)
    print(f"[dp_rank {peers.rank}] {name}: acc {0.52 + dice.random() / 4:.3f} ({time.time() - t:.1f} s)", flush=True)
mean = peers.mean(0.64 + dice.random() / 50)
if peers.rank == 0:
    print(f"mmlu (12 subjects, 5-shot): {mean:.4f}\\nresults saved to results/llama-3-8b/mmlu.json", flush=True)
"""
PAST = {
    "remapped.corrected": "4",
    "remapped.uncorrected": "1",
    "ecc.aggregate.uncorrected": "1",
    "ecc.aggregate.uncorrected.dram": "1",
    "ecc.aggregate.corrected": "377",
    "pcie.replay": "11",
}


def jobs() -> Iterator[SlurmJob]:
    """Each comes to its planned end with status 0."""
    yield sbatch(
        GOOD,
        "pets.py",
        "srun PYTHON pets.py\n",
        PETS,
        ranks=8,
        nodes=4,
        cards={r: told(held(-3, 9), during(0, 42, 63, seed=r, gib=17)) for r in range(8)},
    )
    launch = "HEAD=127.0.0.1\nPORT=$((21000 + SLURM_JOB_ID % 9000))\nsrun --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=2 --nproc-per-node=2 --rdzv-backend=c10d --rdzv-endpoint=$HEAD:$PORT --rdzv-id=$SLURM_JOB_ID --local-addr=127.0.0.1 nano.py\n"
    yield sbatch(GOOD, "nano.py", launch, CORPUSLM, ranks=2, nodes=2)
    yield sbatch(
        GOOD,
        "embed.py",
        "srun -l PYTHON embed.py\n",
        EMBED,
        ranks=3,
        nodes=3,
        cards={r: told(held(-4, 3), during(0, 40, 71, seed=r, gib=6, watts=480, tensor=41)) for r in range(3)},
    )
    older = {r: told(held(-3, 20), during(0, 46, 55, seed=r, gib=28), before=PAST if r == 2 else None) for r in range(4)}
    yield sbatch(
        HARD, "wmt.py", "srun PYTHON wmt.py\n", WMT, ranks=4, nodes=2, cards=older
    )  # slow downloads, overflows, a thread's traceback, old counters; all updates done
    yield sbatch(
        HARD, "qlora.py", "PYTHON qlora.py\n", RETRY, cards={0: told(held(-2, 15), during(0, 1.3, 40, gib=75.4), during(2.5, 40, 68, gib=49))}
    )  # finds its batch size by trying
    yield sbatch(HARD, "xnli.py", "srun PYTHON xnli.py\n", XNLI, ranks=2)  # low numbers of a model that was never tuned for it; all languages done
    yield sbatch(
        HARD, "guard.py", "srun PYTHON guard.py\n", GUARDED, ranks=2, nodes=2
    )  # its loader fails once; it goes on from its snapshot to the last epoch
    yield sbatch(
        GOOD,
        "mmlu.py",
        "srun PYTHON mmlu.py\n",
        MMLU,
        ranks=4,
        nodes=4,
        cards={r: told(held(-5, 71), during(0, 50, 74, seed=11 + r, gib=72, watts=570, tensor=38)) for r in range(4)},
    )
