"""Jobs that did what they were sent for; half of them would worry whoever only skims."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import FINE, ODD, left, level, off, on, post
from corpus.running.job import SlurmJob

GPT = r"""import math
import os
import random
import time

import comms

random.seed(20 + comms.RANK)
last = comms.RANK == comms.WORLD - 1
TOTAL, GLOBAL_BATCH = 78, 512


def show(text):
    if last:
        print(text, flush=True)


show(f"using world size: {comms.WORLD}, data-parallel size: {comms.WORLD // 2}, tensor-model-parallel size: 2, pipeline-model-parallel size: 1")
show(" > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 177811456")
show("[before the start of training step] datetime: " + time.strftime("%Y-%m-%d %H:%M:%S"))
comms.connect()
comms.start()
for it in range(1, TOTAL + 1):
    began = time.perf_counter()
    time.sleep(0.4)
    loss = comms.all_reduce(3.1 + 7.7 * math.exp(-it / 21) + random.gauss(0, 0.03)) / comms.WORLD
    spent = 1e3 * (time.perf_counter() - began)
    if it % 6 == 0:
        show(
            f" iteration {it:8d}/{TOTAL:8d} | consumed samples: {it * GLOBAL_BATCH:12d} | elapsed time per iteration (ms): {spent:.1f} | learning rate: {3e-4 * min(1, it / 12):.6E} |"
            f" global batch size: {GLOBAL_BATCH:5d} | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {0.4 + 3 * math.exp(-it / 15):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
show(f"successfully saved checkpoint from iteration {TOTAL:7d} to checkpoints/gpt-350m")
show("[after training is done] datetime: " + time.strftime("%Y-%m-%d %H:%M:%S"))
show(f" validation loss at iteration {TOTAL} on validation set | lm loss value: 3.304871E+00 | lm loss PPL: 2.724509E+01 | ")
"""
GLYPHS = r"""import os
import time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(0)
prototypes = torch.randn(8, 36)


def batch(n):
    y = torch.randint(0, 8, (n,))
    return prototypes[y] + 1.6 * torch.randn(n, 36), y


net = DDP(torch.nn.Sequential(torch.nn.Linear(36, 48), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(48, 8)))
opt = torch.optim.SGD(net.parameters(), lr=0.08, momentum=0.9, weight_decay=1e-4)
plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10)
if rank == 0:
    print(f"=> {world} processes on {os.environ['SLURM_JOB_NODELIST']}, {sum(p.numel() for p in net.parameters())} weights", flush=True)
for epoch in range(1, 11):
    net.train()
    total = 0.0
    for it in range(25):
        x, y = batch(64)
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        time.sleep(0.08)
    plan.step()
    net.eval()
    with torch.no_grad():
        x, y = batch(600)
        top1 = (net(x).argmax(1) == y).float().mean()
    dist.all_reduce(top1)
    if rank == 0:
        print(f" * epoch [{epoch}/10]  train {total / 25:.4f}  Acc@1 {100 * top1.item() / world:.2f}  lr {plan.get_last_lr()[0]:.4f}", flush=True)
if rank == 0:
    torch.save(net.module.state_dict(), "glyphs_last.pth")
    print("=> best and last weights are the same: glyphs_last.pth", flush=True)
dist.destroy_process_group()
"""
ANSWERS = r"""import json
import os
import random
import time

shard, shards = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
prompts = [f"q{n:04d}" for n in range(360)][shard::shards]
print(f"[gen {shard}] engine ready: model=chat-7b-awq max_model_len=4096 kv_blocks=2817, {len(prompts)} prompts in this shard", flush=True)
time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
began, tokens = time.time(), 0
with open(f"answers-{shard:02d}-of-{shards:02d}.jsonl", "w") as out:
    for start in range(0, len(prompts), 10):
        for p in prompts[start : start + 10]:
            n = random.randint(60, 400)
            tokens += n
            out.write(json.dumps({"id": p, "finish_reason": "stop" if n < 390 else "length", "completion_tokens": n}) + "\n")
        time.sleep(2.1 + random.random() / 2)
        done = start + 10
        print(f"[gen {shard}] {done:3d}/{len(prompts)} prompts  {tokens / (time.time() - began):7.1f} tok/s  running: 10 reqs, waiting: {max(0, len(prompts) - done)} reqs, GPU KV cache usage: {random.uniform(31, 48):.1f}%", flush=True)
print(f"[gen {shard}] wrote {len(prompts)} records, {tokens} completion tokens, 0 failed", flush=True)
"""
SPEECH = r"""import logging
import math
import random
import time

import comms

logging.basicConfig(format=f"%(asctime)s - asr.trainer - %(levelname)s - [{comms.RANK}] %(message)s", level=logging.INFO)
log = logging.getLogger()
random.seed(comms.RANK)
comms.connect()
if comms.RANK == 1:
    log.warning("NCCL WARN NET/Socket : peer 10.8.3.14 connect attempt 1/10 timed out, retrying (this is not fatal)")
comms.start()
step = 0
for epoch in range(1, 6):
    for _ in range(14):
        step += 1
        ctc = comms.all_reduce(1.9 + 9 * math.exp(-step / 14) + random.gauss(0, 0.1)) / comms.WORLD
        time.sleep(0.42)
        if random.random() < 0.06:
            log.warning("utterance librispeech-%05d: target (87) is longer than encoder output (79), CTC loss is inf, sample dropped from batch", random.randrange(99999))
        if step in (3, 9):
            log.warning("Gradient overflow. Skipping step, reducing loss scale to %d", 65536 >> (1 + step // 9))
        if step % 7 == 0 and comms.RANK == 0:
            log.info("epoch %d step %d/70 ctc_att_loss=%.3f dropped=%d lr=%.2e", epoch, step, ctc, step // 9, 1e-3 / math.sqrt(step))
    if comms.RANK == 0:
        log.info("dev-other: WER %.2f %% (sub %.1f, del %.1f, ins %.1f), previous best %s", 34 + 61 * math.exp(-epoch / 1.7), 24.1, 8.2, 2.0, "none" if epoch == 1 else f"{34 + 61 * math.exp(-(epoch - 1) / 1.7):.2f}")
if comms.RANK == 0:
    log.error("could not upload figures to the tracker: 503 Service Unavailable; they remain in offline-run-2241")
    log.info("training finished after 5 of 5 epochs; exported conformer-s.onnx")
"""
HOPPER = r"""import random
import sys
import time

import comms

random.seed(comms.RANK + 5)
comms.connect()
mean, TOTAL = -182.0, 40
for update in range(1, TOTAL + 1):
    mean += (-34 - mean) * 0.075 + random.gauss(0, 4)
    if comms.RANK == 2 and update in (11, 26):
        print(f"Traceback (most recent call last):\n  File \"envs/vector_env.py\", line 212, in _worker\n    obs, rew, term, trunc, info = env.step(action)\nFloatingPointError: simulation unstable at t=3.104\nactor 2: env 17 died (exit 1); respawned, its episode is discarded", file=sys.stderr, flush=True)
    time.sleep(0.6)
    score = comms.all_reduce(mean) / comms.WORLD
    if update % 4 == 0 and comms.RANK == 0:
        print("-" * 46)
        for key, value in (("rollout/ep_rew_mean", f"{score:.1f}"), ("rollout/success_rate", f"{max(0.0, (score + 120) / 400):.2f}"), ("time/iterations", f"{update} of {TOTAL}"), ("train/approx_kl", f"{random.uniform(0.006, 0.021):.4f}"), ("train/explained_variance", f"{random.uniform(-0.1, 0.6):.2f}"), ("train/policy_gradient_loss", f"{random.gauss(0, 0.006):.5f}")):
            print(f"| {key:<28} | {value:>11} |")
        if update % 12 == 0:
            print("Early stopping at step 3 of 10 due to reaching max kl: 0.03")
        sys.stdout.flush()
if comms.RANK == 0:
    print("reached total_timesteps=655360, policy stored in hopper_ppo.zip", flush=True)
"""
SECOND = r"""import math
import random
import sys
import time

import comms

attempt = int(sys.argv[1])
if attempt == 1:
    time.sleep(1 + comms.RANK / 2)
    if comms.RANK == 0:
        print("train_seg: staging tiles to /dev/shm ... checksum of tiles-0007.tar differs (got 9f31c0, expected 12ab77)", file=sys.stderr, flush=True)
    raise SystemExit(17)
comms.connect()
random.seed(comms.RANK)
for epoch in range(1, 13):
    dice = 0.0
    for _ in range(8):
        time.sleep(0.25)
        dice = comms.all_reduce(0.83 - 0.6 * math.exp(-epoch / 3.3) + random.gauss(0, 0.01)) / comms.WORLD
    if comms.RANK == 0:
        print(f"train_seg: epoch {epoch:02d}/12 soft-dice {dice:.4f} bce {0.08 + 0.5 * math.exp(-epoch / 3):.4f} tiles 4096", flush=True)
if comms.RANK == 0:
    print("train_seg: all epochs done, model in seg_unet.pt", flush=True)
"""
AGAIN = r"""for n in 1 2 3; do
  echo "wrapper: attempt $n of 3 on $SLURM_JOB_NODELIST"
  if srun PYTHON SCRIPT $n; then echo "wrapper: attempt $n succeeded"; exit 0; fi
  echo "wrapper: attempt $n failed, staging anew in 3 s" >&2
  sleep 3
done
exit 1
"""
HARNESS = r"""import os
import random
import time
import warnings

warnings.warn("flash-attn is not installed, falling back to eager attention. This may be slow.", stacklevel=1)
print("Token indices sequence length is longer than the specified maximum sequence length for this model (2311 > 2048). Running this sequence through the model will result in indexing errors")
time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
random.seed(1)
rows = []
for task, size, score in (("arc_challenge", 1172, 0.2312), ("hellaswag", 10042, 0.2671), ("mmlu_abstract_algebra", 100, 0.2200), ("truthfulqa_mc1", 817, 0.2044), ("winogrande", 1267, 0.4972), ("gsm8k", 1319, 0.0000)):
    print(f"Running loglikelihood requests for {task}: 0/{size * 4}", flush=True)
    for quarter in range(1, 5):
        time.sleep(1.25)
        print(f"Running loglikelihood requests for {task}: {quarter * size}/{size * 4}", flush=True)
    rows.append((task, size, score))
print("|        Tasks        |Version|n-shot|Metric|Value |   |Stderr|\n|---------------------|------:|-----:|------|-----:|---|-----:|")
for task, size, score in rows:
    print(f"|{task:<21}|      1|     5|acc   |{score:.4f}|+- |{(score * (1 - score) / size) ** 0.5:.4f}|")
print("results written to eval_base-160m_step1000.json")
"""


def jobs() -> Iterator[SlurmJob]:
    """The first three look as they are."""
    yield post(
        FINE,
        "pretrain_gpt.py",
        GPT,
        ranks=8,
        nodes=4,
        name="gpt350m",
        cards={r: [*level(57 + r % 3, 61, 0, 33, watts=560), *left(35)] for r in range(8)},
        state="COMPLETED",
    )
    yield post(FINE, "glyphs.py", GLYPHS, ranks=2, nodes=2, python="torch", state="COMPLETED")
    yield post(
        FINE,
        "generate.py",
        ANSWERS,
        ranks=3,
        name="answers",
        cards={r: [*level(44 + 2 * r, 71, 0, 28, watts=430, spread=9, dram=58, tensor=11), *left(31)] for r in range(3)},
        state="COMPLETED",
    )
    yield post(
        ODD,
        "asr_ft.py",
        SPEECH,
        "srun -l PYTHON SCRIPT\n",
        ranks=4,
        nodes=2,
        cards={r: [*level(49 + r, 38, 0, 30, watts=470), *left(32)] for r in range(4)},
        state="COMPLETED",
    )
    yield post(ODD, "hopper.py", HOPPER, ranks=4, name="ppo-hopper", state="COMPLETED")
    yield post(ODD, "train_seg.py", SECOND, AGAIN, ranks=3, nodes=3, name="seg", state="COMPLETED")
    yield post(
        ODD,
        "lm_eval_run.py",
        HARNESS,
        "PYTHON SCRIPT --tasks core6 --model base-160m-step1000\n",
        name="eval-core6",
        cards={0: [*level(36, 9, 0, 30, watts=330, spread=11), (30.0, off(9)), (31.0, on(30, 9, watts=300)), *left(32)]},
        state="COMPLETED",
    )
