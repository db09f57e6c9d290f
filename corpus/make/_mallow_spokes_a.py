"""Jobs that did what they were to do."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_spokes_kit import WELL, WELL_BUT_UGLY, Span, batch, card
from corpus.running.job import SlurmJob

PRETRAIN = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew

print(f"> initializing torch distributed ... rank {RANK} on {NODE}", flush=True)
crew = Crew()
if RANK == 0:
    print(f"using world size: {WORLD}, data-parallel size: {WORLD // 4}, tensor-model-parallel size: 4, pipeline-model-parallel size: 1", flush=True)
    print(" > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)", flush=True)
    print(" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 330164224", flush=True)
    print(f"[before the start of training step] datetime: {time.strftime('%Y-%m-%d %H:%M:%S')}", flush=True)
dice = random.Random(1234 + RANK)
last = time.time()
for it in range(1, 131):
    loss = 2.71 + 8.1 * math.exp(-it / 31) + dice.gauss(0, 0.05)
    loss = crew.mean(loss)
    time.sleep(0.3)
    if it % 10 == 0:
        ms = (time.time() - last) * 100
        last = time.time()
        if RANK == WORLD - 1:
            lr = 3e-4 * min(1, it / 20) * (0.55 + 0.45 * math.cos(math.pi * it / 130))
            print(
                f" [{time.strftime('%Y-%m-%d %H:%M:%S')}] iteration {it:8d}/     130 | consumed samples: {it * 256:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {lr:.6E} | "
                f"global batch size:   256 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {0.4 + 3 * math.exp(-it / 25):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
                flush=True,
            )
    if it in (65, 130) and RANK == 0:
        print(f"saving checkpoint at iteration {it:7d} to ckpts/gpt-345m in torch_dist format", flush=True)
        print(f"  successfully saved checkpoint from iteration {it:7d} to ckpts/gpt-345m [ t 1/4, p 1/1 ]", flush=True)
if RANK == 0:
    print(f"[after training is done] datetime: {time.strftime('%Y-%m-%d %H:%M:%S')}", flush=True)
crew.barrier()
"""
FINETUNE = """import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(42)
vocab, width, total = 60, 24, 90
body = torch.nn.Sequential(torch.nn.EmbeddingBag(vocab, width), torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.Linear(width, 3))
model = DistributedDataParallel(body)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2)
schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total)
torch.manual_seed(100 + rank)
rule = torch.randint(0, 3, (vocab,), generator=torch.Generator().manual_seed(9))
began = time.time()
if rank == 0:
    print(f"***** Running training *****\\n  Num examples = 2,880\\n  Num Epochs = 3\\n  Total optimization steps = {total}", flush=True)
running = 0.0
for step in range(1, total + 1):
    x = torch.randint(0, vocab, (16, 7))
    y = torch.nn.functional.one_hot(rule[x], 3).sum(1).argmax(1)
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    running += loss.item()
    time.sleep(0.15)
    if step % 10 == 0:
        if rank == 0:
            print({"loss": round(running / 10, 4), "grad_norm": round(norm.item(), 4), "learning_rate": schedule.get_last_lr()[0], "epoch": round(step / 30, 2)}, flush=True)
        running = 0.0
if rank == 0:
    took = time.time() - began
    print({"train_runtime": round(took, 4), "train_samples_per_second": round(2880 / took, 3), "train_steps_per_second": round(total / took, 3), "epoch": 3.0}, flush=True)
    torch.save(body.state_dict(), "pytorch_model.bin")
    print("Model weights saved in pytorch_model.bin", flush=True)
dist.destroy_process_group()
"""
HARNESS = """import random
import sys
import time

random.seed(0)
print("hf (pretrained=/models/mistral-7b-v0.3,dtype=bfloat16), gen_kwargs: (None), limit: None, num_fewshot: 5, batch_size: 16", flush=True)
tasks = {"arc_challenge": (1172, 0.5742), "hellaswag": (2000, 0.8213), "winogrande": (1267, 0.7853)}
print(f"Selected Tasks: {sorted(tasks)}", flush=True)
rows = []
for name, (count, accuracy) in tasks.items():
    print(f"Building contexts for {name} on rank 0...", flush=True)
    done = right = 0
    while done < count:
        chunk = min(16 * 12, count - done)
        right += sum(random.random() < accuracy for _ in range(chunk))
        done += chunk
        time.sleep(0.9)
        sys.stderr.write(f"\\rRunning loglikelihood requests: {100 * done // count:3d}%|{'#' * (done * 30 // count):<30}| {done}/{count}")
        sys.stderr.flush()
    sys.stderr.write("\\n")
    p = right / count
    rows.append((name, p, (p * (1 - p) / count) ** 0.5))
print("|    Tasks    |Version|Filter|n-shot| Metric |   |Value |   |Stderr|")
print("|-------------|------:|------|-----:|--------|---|-----:|---|-----:|")
for name, p, e in rows:
    print(f"|{name:<13}|      1|none  |     5|acc_norm|   |{p:.4f}|±  |{e:.4f}|")
print("Saving results aggregated to results/mistral-7b-v0.3/results.json")
"""
BATCHFIND = '''import math
import random
import sys
import time
import urllib.error

import opening


def fetch(shard, attempt):
    if attempt < 2 and shard in (1, 3):
        raise urllib.error.HTTPError(f"https://objects.hpc.example.org/wsi/shard-{shard:03d}.tar", 503, "Slow Down", {}, None)
    return shard


def trial(batch):
    """One forward and backward pass with a batch of this size."""
    if batch > 48:
        raise RuntimeError(f"CUDA out of memory. Tried to allocate {batch * 0.21:.2f} GiB. GPU 0 has a total capacity of 79.11 GiB of which 3.31 GiB is free. Including non-PyTorch memory, this process has 75.80 GiB memory in use.")


for shard in range(5):
    for attempt in range(5):
        try:
            fetch(shard, attempt)
            break
        except urllib.error.HTTPError as error:
            print(f"WARNING: {error.url}: {error}; retry {attempt + 1}/5 in 1 s", file=sys.stderr, flush=True)
            time.sleep(0.6)
batch = 96
while True:
    try:
        trial(batch)
        break
    except RuntimeError as error:
        print(f"Batch size {batch} failed: {error}", flush=True)
        batch -= 16
        print(f"Batch size {batch} is tried next", flush=True)
        time.sleep(1)
print(f"Finished batch size finder, will continue with full run using batch size {batch}", flush=True)
dice = random.Random(5)
for epoch in range(1, 11):
    for _ in range(9):
        time.sleep(0.36)
    loss, auc = 0.21 + 0.5 * math.exp(-epoch / 3) + dice.gauss(0, 0.006), 0.94 - 0.3 * math.exp(-epoch / 2.6)
    print(f"Epoch {epoch:2d}/10: train_loss={loss:.4f} val_auroc={auc:.4f} bs={batch}", flush=True)
    if epoch == 4:
        print("ERROR: failed to push metrics to http://mlflow.internal:5000 (Connection refused), metrics are kept in metrics.jsonl", file=sys.stderr, flush=True)
print("`Trainer.fit` stopped: `max_epochs=10` reached.", flush=True)
print("Best model: epoch=10 val_auroc=0.9336 -> checkpoints/best.ckpt", flush=True)
'''
TINYLORA = """import math
import random
import time

from crew import RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
if RANK == 0:
    print("The `load_in_8bit` argument is deprecated and will be removed in the future versions.", flush=True)
    print("Token indices sequence length is longer than the specified maximum sequence length for this model (2317 > 2048). Running this sequence through the model will result in indexing errors", flush=True)
    print("trainable params: 4,194,304 || all params: 6,742,609,920 || trainable%: 0.0622", flush=True)
    print("WARNING dataset has only 320 rows, evaluation split disabled", flush=True)
for step in range(1, 61):
    loss = crew.mean(0.74 + 1.7 * math.exp(-step / 16) + dice.gauss(0, 0.03))
    time.sleep(0.16)
    if RANK == 0 and step % 5 == 0:
        print(f"{step}/60 [{step * 0.16:.0f}s] loss={loss:.4f} epoch={step / 20:.2f} lr={1e-4 * (1 - step / 60):.2e}", flush=True)
if RANK == 0:
    print("3 epochs over 320 rows took 10 s", flush=True)
    print("adapter written: out/adapter_model.safetensors (16.8 MB)", flush=True)
"""
LOCOMOTION = '''import math
import random
import time

from crew import RANK, Crew

crew = Crew()
dice = random.Random(31 + RANK)
updates, failed = 48, 0
for update in range(1, updates + 1):
    falls = sum(dice.random() < 0.55 * math.exp(-update / 30) for _ in range(40))
    failed += falls
    reward = -412 + 338 * (1 - math.exp(-update / 17)) + dice.gauss(0, 9)
    reward = crew.mean(reward)
    value_loss = 35 + 1.4 * update + dice.gauss(0, 4)
    time.sleep(0.5)
    if RANK == 0:
        if update in (5, 6, 19):
            print(f"[env 17] error: contact solver did not converge, episode discarded (update {update})", flush=True)
        if update % 4 == 0:
            print(f"""{'#' * 60}
                Learning iteration {update}/{updates}
                  Computation: {9000 + dice.randrange(900)} steps/s
          Value function loss: {value_loss:.4f}
               Surrogate loss: {-0.004 - 0.001 * dice.random():.4f}
        Mean action noise std: {1.0 - update / 120:.2f}
                  Mean reward: {reward:.2f}
          Failed terminations: {falls}""", flush=True)
if RANK == 0:
    print(f"Finished {updates} learning iterations, {failed} episodes ended by a fall, policy exported to policy.onnx", flush=True)
'''
TORCHRUN = "PYTHON -m torch.distributed.run --standalone --nproc-per-node="


def jobs() -> Iterator[SlurmJob]:
    """Three that look it, three that do not."""
    yield batch(
        WELL, PRETRAIN, "echo nodes: $SLURM_JOB_NODELIST\nsrun PYTHON pretrain_gpt.py\n", name="pretrain_gpt.py", ranks=8, nodes=4,
        cards={r: card(Span(40.5, sm=64, gib=51), seed=r) for r in range(8)}, state="COMPLETED",
    )  # fmt: skip
    yield batch(WELL, FINETUNE, f"{TORCHRUN}2 run_glue.py\n", name="run_glue.py", ranks=2, state="COMPLETED")
    yield batch(WELL, HARNESS, "srun PYTHON evaluate.py --tasks arc_challenge,hellaswag,winogrande\n", name="evaluate.py", state="COMPLETED")
    memory = (Span(2.6, sm=22, gib=74.5, tick=0.5), Span(33.5, sm=58, gib=69))
    yield batch(
        WELL_BUT_UGLY, BATCHFIND, "srun PYTHON slides.py\n", name="slides.py", cards={0: card(Span(2.6, gib=1.1), *memory, seed=3)}, state="COMPLETED"
    )
    yield batch(WELL_BUT_UGLY, TINYLORA, "srun PYTHON lora_sft.py\n", name="lora_sft.py", ranks=2, state="COMPLETED")
    yield batch(WELL_BUT_UGLY, LOCOMOTION, "srun PYTHON anymal.py\n", name="anymal.py", ranks=4, nodes=2, state="COMPLETED")
