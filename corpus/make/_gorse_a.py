"""Jobs that came to their end."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_spokes_kit import WELL, WELL_BUT_UGLY, Span, batch, card
from corpus.running.job import SlurmJob

BARS = """import math
import random
import sys
import time

import opening
from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
if RANK == 0:
    print(f"GPU available: True (cuda), used: True\\nTPU available: False, using: 0 TPU cores\\n----------------------------------------------------------------------------------------------------\\ndistributed_backend=nccl\\nAll distributed processes registered. Starting with {WORLD} processes\\n----------------------------------------------------------------------------------------------------\\n", flush=True)
    print("  | Name    | Type             | Params\\n---------------------------------------------\\n0 | encoder | ConformerEncoder | 115 M \\n1 | decoder | CTCDecoder       | 0.5 M \\n---------------------------------------------", flush=True)
for epoch in range(5):
    for b in range(1, 26):
        loss = crew.mean(9 + 160 * math.exp(-(25 * epoch + b) / 22) + dice.gauss(0, 1.2))
        time.sleep(0.28)
        if RANK == 0 and b % 5 == 0:
            sys.stderr.write(f"\\rEpoch {epoch}: {4 * b:3d}%|{'█' * (b // 3):<8}| {b}/25 [00:{b * 28 // 100:02d}<00:{7 - b * 28 // 100:02d},  3.52it/s, v_num=11, train_loss={loss:.2f}]")
            sys.stderr.flush()
    if RANK == 0:
        sys.stderr.write("\\n")
        print(f"Epoch {epoch}, global step {25 * (epoch + 1)}: 'val_wer' reached {0.12 + 0.8 * math.exp(-epoch / 1.5):.5f}, saving model to 'exp/ctc/epoch={epoch}.ckpt' as top 3", flush=True)
if RANK == 0:
    print("`Trainer.fit` stopped: `max_epochs=5` reached.", flush=True)
"""
SHARDS = """import hashlib
import random
import time

from crew import NODE, RANK, WORLD

dice = random.Random(RANK)
mine = list(range(RANK, 48, WORLD))
total = 0
for shard in mine:
    docs, tokens = 0, 0
    digest = hashlib.sha1()
    for _ in range(24):
        lines = [" ".join(chr(97 + dice.randrange(26)) * dice.randrange(1, 9) for _ in range(40)) for _ in range(12)]
        docs += len(lines)
        tokens += sum(len(x.split()) for x in lines)
        digest.update("".join(lines).encode())
        time.sleep(0.2)
    total += tokens
    print(f"{NODE}[{RANK:02d}] fineweb-{shard:05d}.parquet -> tokens/{shard:05d}.bin  docs={docs} tokens={tokens} sha1={digest.hexdigest()[:10]}", flush=True)
print(f"{NODE}[{RANK:02d}] {len(mine)} of {len(mine)} shards written, {total} tokens, 0 errors", flush=True)
"""
FLAX = """import math
import os
import random
import sys
import time

import opening

dice = random.Random(0)


def info(text, line):
    now = time.time()
    sys.stderr.write(f"I{time.strftime('%m%d %H:%M:%S')}.{int(now % 1 * 1e6):06d} {os.getpid() + 140230000000000} train.py:{line}] {text}\\n")


info("JAX process: 0 / 1", 61)
info("JAX local devices: [CudaDevice(id=0)]", 62)
info("Initializing dataset, 60000 training images.", 88)
info("Initial compilation, this might take some minutes...", 131)
time.sleep(3)
info("Initial compilation completed.", 136)
for step in range(1, 121):
    time.sleep(0.27)
    if step % 12 == 0:
        info(f"[{step}] accuracy={0.985 - 0.6 * math.exp(-step / 30):.5f}, learning_rate={0.1 * (1 + math.cos(math.pi * step / 120)) / 2:.6f}, loss={0.05 + 2 * math.exp(-step / 24) + dice.gauss(0, 0.006):.5f}, steps_per_second={3.6 + dice.random() / 9:.4f}", 158)
    if step % 60 == 0:
        info(f"eval epoch: {step // 60}, loss: {0.07 + 2 * math.exp(-step / 24):.4f}, accuracy: {98.1 - 40 * math.exp(-step / 30):.2f}", 171)
        info(f"Saved checkpoint at {step}.", 179)
info("Training finished.", 190)
"""
OFFLINE = """import random
import time

import opening
from crew import RANK, WORLD

dice = random.Random(RANK)
print(f"INFO {time.strftime('%m-%d %H:%M:%S')} llm_engine.py:237] Initializing an LLM engine (v0.6.4) with config: model='/models/qwen2.5-7b', dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=1", flush=True)
print(f"INFO {time.strftime('%m-%d %H:%M:%S')} gpu_executor.py:122] # GPU blocks: 27{RANK}81, # CPU blocks: 4681", flush=True)
prompts = 640
done = tokens = 0
while done < prompts:
    time.sleep(1.5)
    done = min(prompts, done + 28 + dice.randrange(9))
    tokens = done * 214
    print(f"worker {RANK}/{WORLD}: {done}/{prompts} prompts, {tokens} output tokens, {28 / 1.5 * 214:.0f} toks/s", flush=True)
print(f"worker {RANK}/{WORLD}: wrote completions.part{RANK}.jsonl ({prompts} rows)", flush=True)
"""
SMALL = """import math
import random
import time

import opening

dice = random.Random(12)
print("[W] GPU utilization has been below 40 % for this user's last 9 jobs, see wiki/gpu-efficiency", flush=True)
print("graph: 2708 nodes, 10556 edges; GCN 2 layers, hidden 64 (0.1 M parameters)", flush=True)
for epoch in range(1, 201):
    time.sleep(0.19)
    if epoch % 10 == 0:
        print(f"Epoch {epoch:03d}/200: loss {0.42 + 1.5 * math.exp(-epoch / 45) + dice.gauss(0, 0.01):.4f} val {0.79 - 0.5 * math.exp(-epoch / 35):.4f} test {0.81 - 0.5 * math.exp(-epoch / 35):.4f}", flush=True)
print("best val 0.7885, test 0.8082 (epoch 200)", flush=True)
"""
SCALED = """import math
import random
import time

from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
scale = 65536.0 * 16
if RANK == 0:
    print("UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.", flush=True)
for step in range(1, 151):
    if step in (1, 2, 3, 4, 61):
        scale /= 2
        if RANK == 0:
            print(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale}", flush=True)
    loss = crew.mean(0.11 + 0.9 * math.exp(-step / 35) + dice.gauss(0, 0.004))
    time.sleep(0.17)
    if RANK == 0 and step % 10 == 0:
        fid = "nan (needs 2048 samples, has 512)" if step < 100 else f"{31 + 40 * math.exp(-step / 60):.2f}"
        print(f"step {step:4d}/150 | eps_mse {loss:.4f} | scale {scale:.0f} | fid {fid}", flush=True)
if RANK == 0:
    print("ddpm: done, 150 steps, 5 skipped", flush=True)
"""
RETRIED = """import math
import os
import pathlib
import random
import socket
import sys
import time

from crew import RANK, WORLD, Crew

attempt = int(os.environ["ATTEMPT"])
state = pathlib.Path("state.txt")
if attempt == 1 and RANK == 0:
    blocker = socket.create_server(("127.0.0.1", 0))
    print("binding the rendezvous store", flush=True)
    other = socket.socket()
    other.bind(blocker.getsockname())
start = int(state.read_text()) if state.exists() else 0
crew = Crew()
dice = random.Random(RANK)
if RANK == 0:
    print(f"attempt {attempt}: store is up, {WORLD} ranks, starting at step {start}", flush=True)
for step in range(start + 1, 101):
    loss = crew.mean(0.6 + 1.1 * math.exp(-step / 26) + dice.gauss(0, 0.01))
    time.sleep(0.2)
    if RANK == 0 and step % 10 == 0:
        state.write_text(str(step))
        print(f"step {step}/100 bpr_loss {loss:.4f} recall@20 {0.31 - 0.25 * math.exp(-step / 30):.4f}", flush=True)
if RANK == 0:
    print("training finished, item embeddings exported", flush=True)
"""
OLDSCARS = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
if RANK == 0:
    print(f"{NODE}: node health: GPU 0 has 2 remapped rows (none pending), aggregate correctable ECC errors 118", flush=True)
    print("NCCL WARN NET/OFI Failed to find OFI plugin, using internal network plugin", flush=True)
    print("[rank0]:[W reducer.cpp:1389] Warning: find_unused_parameters=True was specified in DDP constructor, but did not find any unused parameters in the forward pass.", flush=True)
for step in range(1, 101):
    energy = crew.mean(0.012 + 0.3 * math.exp(-step / 24) + dice.gauss(0, 0.002))
    time.sleep(0.33)
    if RANK == 0 and step % 10 == 0:
        print(f"{time.strftime('%b %d %H:%M:%S')} mace step {step:>4}: loss={energy:.4f}, MAE_E={1000 * energy / 4:.1f} meV, MAE_F={1000 * energy / 2:.1f} meV/A", flush=True)
if RANK == 0:
    print("Training complete. Model saved to checkpoints/mace_run-7.model", flush=True)
"""
SWEEP = """import random
import time

dice = random.Random(44)
best = 1e9
print("A new study created in memory with name: no-name-5ad8", flush=True)
for trial in range(14):
    lr, depth = 10 ** dice.uniform(-4, -1), dice.randrange(2, 9)
    time.sleep(1.6)
    stamp = time.strftime("[I %Y-%m-%d %H:%M:%S,413]")
    if trial == 3:
        print(f"{stamp.replace('[I', '[W')} Trial 3 failed with parameters: {{'lr': {lr}, 'depth': {depth}}} because of the following error: ValueError('Input contains NaN, infinity or a value too large for dtype(float32).').", flush=True)
        continue
    if trial in (5, 8, 9):
        print(f"{stamp} Trial {trial} pruned. ", flush=True)
        continue
    value = 0.4 + abs(lr - 0.004) * 3 + abs(depth - 5) * 0.03 + dice.random() * 0.01
    if value < best:
        best, index = value, trial
    print(f"{stamp} Trial {trial} finished with value: {value:.5f} and parameters: {{'lr': {lr}, 'depth': {depth}}}. Best is trial {index} with value: {best:.5f}.", flush=True)
print(f"finished: 14 trials, 10 complete, 3 pruned, 1 failed; best rmse {best:.5f} (trial {index})", flush=True)
"""
EARLY = """import math
import random
import time

from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
best, since = 9.9, 0
for epoch in range(1, 61):
    train = crew.mean(0.2 + 0.9 * math.exp(-epoch / 5))
    time.sleep(0.9)
    valid = crew.mean(0.41 + 0.7 * math.exp(-epoch / 4) + 0.004 * max(0, epoch - 13))
    if valid < best:
        best, since = valid, 0
    else:
        since += 1
    if RANK == 0:
        print(f"Epoch {epoch}/60\\n118/118 - 1s - loss: {train:.4f} - val_loss: {valid:.4f}", flush=True)
        if since == 3:
            print("Epoch {:d}: ReduceLROnPlateau reducing learning rate to 0.0003.".format(epoch), flush=True)
    if since >= 6:
        break
if RANK == 0:
    print(f"Epoch {epoch}: early stopping\\nRestoring model weights from the end of the best epoch: {epoch - since}.\\nTest accuracy 0.8731", flush=True)
"""
AGAIN = """for ATTEMPT in 1 2 3; do
  export ATTEMPT
  srun -K1 PYTHON lightgcn.py && break
  echo "attempt $ATTEMPT ended with $?, next one in 3 s"
  sleep 3
done
"""


def jobs() -> Iterator[SlurmJob]:
    """Four plain ones, six with a rough surface."""
    yield batch(
        WELL,
        BARS,
        "srun PYTHON asr.py\n",
        name="asr.py",
        ranks=4,
        nodes=2,
        cards={r: card(Span(35.6, sm=52, gib=36), seed=200 + r) for r in range(4)},
        state="COMPLETED",
    )
    yield batch(WELL, SHARDS, "srun PYTHON pack_tokens.py\n", name="pack_tokens.py", ranks=12, nodes=4, state="COMPLETED")
    yield batch(
        WELL, FLAX, "PYTHON train.py\n", cards={0: card(Span(3, sm=0, gib=60.2, util=2), Span(33, sm=47, gib=60.2), seed=211)}, state="COMPLETED"
    )
    yield batch(
        WELL,
        OFFLINE,
        "srun PYTHON generate.py\n",
        name="generate.py",
        ranks=2,
        cards={r: card(Span(30, sm=41, gib=71), seed=215 + r) for r in range(2)},
        state="COMPLETED",
    )
    small = Span(38.5, sm=11, util=33, gib=3, watts=151, mhz=1980, temp=44)
    yield batch(WELL_BUT_UGLY, SMALL, "srun PYTHON cora.py\n", name="cora.py", cards={0: card(small, seed=220)}, state="COMPLETED")
    yield batch(WELL_BUT_UGLY, SCALED, "srun PYTHON ddpm.py\n", name="ddpm.py", ranks=2, nodes=2, state="COMPLETED")
    yield batch(WELL_BUT_UGLY, RETRIED, AGAIN, name="lightgcn.py", ranks=2, state="COMPLETED")
    scars = {"remapped.corrected": "2", "remapped.histogram": "638 2 0 0 0", "ecc.aggregate.corrected": "118", "ecc.aggregate.corrected.dram": "118"}
    yield batch(
        WELL_BUT_UGLY,
        OLDSCARS,
        "srun PYTHON mace.py\n",
        name="mace.py",
        ranks=2,
        cards={r: card(Span(34, sm=59, gib=24), seed=225 + r, before=scars if r == 0 else None) for r in range(2)},
        state="COMPLETED",
    )
    yield batch(WELL_BUT_UGLY, SWEEP, "srun PYTHON search.py\n", name="search.py", state="COMPLETED")
    yield batch(WELL_BUT_UGLY, EARLY, "srun PYTHON reviews.py\n", name="reviews.py", ranks=2, state="COMPLETED")
