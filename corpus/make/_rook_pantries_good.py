"""Runs that did what they were to do, half of them with an ugly log."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import GOOD, HARD, job, steady
from corpus.running.job import SlurmJob

CHAT = """from parallel import *
join()
say(f"[{host}] rank {rank}/{world} device cuda:{local} bf16 attn=sdpa") if local == 0 else None
if rank == 0:
    say("Loading checkpoint shards: 100%|██████████| 3/3 [00:04<00:00,  1.41s/it]")
    say("trainable params: 41,943,040 || all params: 7,283,675,136 || trainable%: 0.5758")
start()
total, began = 48, time.time()
if rank == 0:
    say("***** Running training *****\\n  Num examples = 3,072\\n  Num Epochs = 2\\n  Instantaneous batch size per device = 4\\n  Total train batch size (w. parallel, distributed & accumulation) = 128\\n  Gradient Accumulation steps = 8\\n  Total optimization steps = 48")
for step in range(1, total + 1):
    loss = allmean(curve(step, 1.92, 0.97, 14))
    time.sleep(0.6)
    if rank == 0 and step % 4 == 0:
        say({"loss": round(loss, 4), "grad_norm": round(0.4 + rng.random() * 0.3, 4), "learning_rate": 2e-4 * (1 - step / total), "epoch": round(step / 24, 2)})
if rank == 0:
    took = time.time() - began
    say({"train_runtime": round(took, 2), "train_samples_per_second": round(6144 / took, 3), "train_steps_per_second": round(total / took, 3), "train_loss": 1.2094, "epoch": 2.0})
    say("Saving model checkpoint to runs/chat-lora/final\\ntokenizer config file saved in runs/chat-lora/final/tokenizer_config.json")
"""
BIRDS = """import os, time
import torch, torch.distributed as dist
import torch.nn.functional as F
r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["PORT"])
dist.init_process_group("gloo", rank=r, world_size=n)
torch.manual_seed(11)
means = torch.randn(6, 48) * 0.38
torch.manual_seed(100 + r)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(48, 24), torch.nn.GELU(), torch.nn.Linear(24, 6)))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
if r == 0:
    print("birds6 | 2 workers | 9 epochs | batch 2x64", flush=True)
for epoch in range(9):
    t, seen = time.time(), 0.0
    for it in range(10):
        y = torch.randint(0, 6, (64,)); x = means[y] + torch.randn(64, 48)
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        seen += loss.item(); time.sleep(0.12)
    y = torch.randint(0, 6, (400,)); hit = (net(means[y] + torch.randn(400, 48)).argmax(1) == y).float().mean()
    dist.all_reduce(hit)
    if r == 0:
        print(f"epoch {epoch + 1}/9 train_loss {seen / 10:.4f} val_top1 {50 * hit:.2f}% ({time.time() - t:.1f}s)", flush=True)
if r == 0:
    torch.save(net.module.state_dict(), "birds6.pt"); print("wrote birds6.pt", flush=True)
dist.barrier(); time.sleep(0.3); os._exit(0)
"""
SHARDS = """from parallel import *
mine = list(range(rank, 32, world))
docs = toks = 0
say(f"{stamp('%H:%M:%S')} w{rank}@{host} {len(mine)} shards to tokenise (c4-de, sentencepiece 64k)")
for k, s in enumerate(mine, 1):
    time.sleep(2.2 + rng.random())
    d = rng.randint(20500, 21900); docs += d; toks += d * rng.randint(590, 640)
    say(f"{stamp('%H:%M:%S')} w{rank}@{host} shard-{s:05d}-of-00032.jsonl.zst -> bin/idx: {d} docs, {toks / 1e6:.1f}M tokens so far [{k}/{len(mine)}]")
say(f"{stamp('%H:%M:%S')} w{rank}@{host} all shards written, {docs} docs / {toks} tokens, 0 skipped")
"""
WALKER = """from parallel import *
join()
ret = -140.0
for it in range(1, 61):
    ret = min(ret + rng.uniform(-18, 27), 290) if it > 4 else ret
    mean = allmean(ret)
    time.sleep(0.5)
    if rank == 0 and it in (9, 31):
        say(f"(env_runner pid=4{it:03d}) Traceback (most recent call last):\\n(env_runner pid=4{it:03d})   File \\"/envs/rl/lib/python3.10/site-packages/gymnasium/vector/async_vector_env.py\\", line 685, in _async_worker\\n(env_runner pid=4{it:03d})     observation = env.step(action)\\n(env_runner pid=4{it:03d}) mujoco.FatalError: Nan, Inf or huge value in QACC at DOF 3. The simulation is unstable. Time = 2.1150.\\n{stamp()} WARNING sampler: env_runner 4{it:03d} restarted, lost 1 episode ({1 if it == 9 else 2} restarts so far, limit 50)")
    if rank == 0 and it % 3 == 0:
        say(f"{stamp()} INFO ppo: iter {it:3d}/60 steps={it * 8192} return_mean={mean:8.2f} policy_loss={rng.uniform(-0.03, 0.004):+.4f} value_loss={rng.uniform(30, 60) * 20 / (it + 10):.2f} entropy={2.1 - it * 0.02:.3f} kl={rng.uniform(.006, .014):.4f}")
if rank == 0:
    say(f"{stamp()} INFO ppo: reached 60 iterations (491520 env steps), best return {mean + 4.1:.2f}; policy exported to policy_final.pt")
"""
SCALER = """from parallel import *
join()
if rank == 0:
    say("using world size: 4, data-parallel size: 4, tensor-model-parallel size: 1, pipeline-model-parallel size: 1")
    say("WARNING: could not find the metadata file checkpoints/latest_checkpointed_iteration.txt\\n    will not load any checkpoints and will start from random")
    say("WARNING: TensorBoard writing requested but is not available (are you using PyTorch 1.1.0 or later?), no TensorBoard logs will be written.")
start()
scale, skipped = 2 ** 32, 0
for it in range(1, 71):
    loss = allmean(curve(it, 10.4, 6.1, 22))
    time.sleep(0.5)
    if it <= 6:
        scale //= 2 if it > 1 else 1; skipped += 1
        if rank == 0:
            say(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale / 2:.1f}")
    if rank == 0 and it % 5 == 0:
        say(f" iteration {it:8d}/      70 | consumed samples: {it * 256:12d} | elapsed time per iteration (ms): {500 + rng.random() * 9:.1f} | learning rate: {1.5e-4 * min(1, it / 20):.3E} | global batch size:   256 | lm loss: {loss:.6E} | loss scale: {scale / 2:.1f} | grad norm: {0.8 + rng.random():.3f} | number of skipped iterations: {5 if it == 5 else 1 if it == 10 else 0:3d} | number of nan iterations:   0 |")
if rank == 0:
    say("saving checkpoint at iteration      70 to checkpoints in torch_dist format\\n  successfully saved checkpoint from iteration      70 to checkpoints\\n[after training is done] datetime:", stamp())
    say(f" validation loss at iteration 70 on test set | lm loss value: {loss + 0.11:.6E} | lm loss PPL: {math.exp(loss + 0.11):.6E} |")
"""
QUIZ = """from parallel import *
join()
tasks = ["arc_challenge", "hellaswag", "mmlu_pro", "gsm8k", "truthfulqa_mc2"]
say(f"{stamp('%m-%d %H:%M:%S')} rank{rank} WARNING Token indices sequence length is longer than the specified maximum sequence length for this model (5121 > 4096). Running this sequence through the model will result in indexing errors") if rank % 2 else None
for k, task in enumerate(tasks):
    for part in range(1, 5):
        time.sleep(1.6)
        if rank == 0:
            say(f"{task}: Running loglikelihood requests: {25 * part:3d}%|{'█' * part * 2:<8}| {part * 293}/1172")
    if rank == 2 and k == 3:
        say(f"{stamp('%m-%d %H:%M:%S')} rank2 ERROR request 811 failed: ReadTimeout(HTTPSConnectionPool(host='cdn-lfs.example.org', port=443)); retry 1/5 in 2 s")
        time.sleep(2)
        say(f"{stamp('%m-%d %H:%M:%S')} rank2 INFO request 811 ok after 1 retry")
    allmean(0)
if rank == 0:
    say("|    Tasks     |Version|n-shot|Metric|   |Value |   |Stderr|\\n|--------------|------:|-----:|------|---|-----:|---|-----:|")
    for task, v in zip(tasks, (0.2491, 0.2604, 0.1105, 0.0152, 0.4417)):
        say(f"|{task:<14}|      1|     5|acc   |↑  |{v:.4f}|±  |0.0131|")
    say("results saved to evals/pythia-160m/results.json (5 of 5 tasks)")
"""


def jobs() -> Iterator[SlurmJob]:
    """Six."""
    yield job(GOOD, CHAT, 4, 2, name="sft.py", cards={r: steady(31, 63 + r, seed=r) for r in range(4)}, state="COMPLETED")
    yield job(GOOD, BIRDS, 2, 1, name="birds.py", python="torch", state="COMPLETED")
    yield job(GOOD, SHARDS, 4, 4, name="pretok.py", state="COMPLETED")
    yield job(HARD, WALKER, 3, 1, name="ppo.py", state="COMPLETED")
    yield job(
        HARD,
        SCALER,
        4,
        2,
        name="pretrain_gpt.py",
        srun="-l",
        cards={r: steady(37, 31, seed=20 + r, util=88, watts=340, gib=27, tensor=9) for r in range(4)},
        state="COMPLETED",
    )
    yield job(HARD, QUIZ, 4, 1, name="evals.py", state="COMPLETED")
