"""Jobs of one lab on two nodes that went well."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._gherkin_kit import WELL, WORRYING, job, steady
from corpus.running.job import SlurmJob

FABRIC = """import os
import pathlib
import time

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
node, local = os.environ["SLURMD_NODENAME"], int(os.environ["SLURM_LOCALID"])
_board = pathlib.Path(".board")
_board.mkdir(exist_ok=True)


def meet(tag):
    (_board / f"{tag}.{rank}").touch()
    while not all((_board / f"{tag}.{r}").exists() for r in range(world)):
        time.sleep(0.05)
"""
CARDS4 = {r: steady(58 + r, 25, gib=44, turn=r) for r in range(4)}
MEGA = """import math, os, random, time
from fabric import meet, rank, world
random.seed(1)
if rank == 0:
    print(f"using world size: {world}, data-parallel size: {world}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1")
    print(" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 354871296")
meet("init")
#GO
for it in range(1, 61):
    time.sleep(0.35)
    meet(it)
    if rank == 0 and it % 5 == 0:
        loss = 10.8 * math.exp(-it / 25) + 3.4 + random.random() * .05
        print(f" [{time.strftime('%Y-%m-%d %H:%M:%S')}] iteration {it:8d}/      60 | consumed samples: {it * 256:12d} | elapsed time per iteration (ms): {350 + random.random() * 9:.1f} | learning rate: {3e-4 * min(1, it / 10):.6E} | global batch size:   256 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {1.1 + 2 * math.exp(-it / 9):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")
if rank == 0:
    print("saving checkpoint at iteration      60 to ckpts/gpt-350m\\n  successfully saved checkpoint from iteration      60 to ckpts/gpt-350m\\n[after training is done] datetime: " + time.strftime("%Y-%m-%d %H:%M:%S"))
"""
BONDS = """import math, os, time
from fabric import meet, node, rank, world
print(f"{node}[{rank}] NET/Plugin: no plugin found (libnccl-net.so), using internal implementation")
if rank % 2:
    for n in range(1, 4):
        print(f"{node}[{rank}] WARN socketStartConnect: Connect to 10.20.1.1<41207> failed : Connection refused, retry {n}/34")
        time.sleep(0.7)
meet("up")
print(f"{node}[{rank}] Init COMPLETE nranks {world}")
#GO
for ep in range(1, 11):
    for k in range(5):
        time.sleep(0.4)
        meet(f"{ep}-{k}")
    if rank == 0:
        print(f"epoch {ep:2d}/10  force MAE {48 * math.exp(-ep / 4) + 9:.2f} meV/A  energy MAE {11 * math.exp(-ep / 4) + 2:.2f} meV/atom")
        if ep == 6:
            print("WARN: heartbeat of n2 is 4 s late (limit 60 s)")
if rank == 0:
    print("finished: 10 epochs, model exported to mace_small.model")
"""
FLAXY = """import math, os, sys, time
from fabric import meet, rank, world


def log(text):
    print(f"I{time.strftime('%m%d %H:%M:%S')}.{int(time.time() * 1e6) % 1000000:06d} {140000 + rank:15d} train.py:{88 + len(text) % 40}] {text}", file=sys.stderr)


log(f"JAX process: {rank} / {world}, local devices: 1, global devices: {world}")
meet("coord")
#GO
for step in range(0, 201, 4):
    time.sleep(0.45)
    meet(step)
    if rank == 0 and step % 20 == 0:
        log(f"[{step}] steps_per_second={8.9 - step / 900:.3f}, train_loss={6.9 * math.exp(-step / 70) + 1.3:.5f}, train_accuracy={1 - math.exp(-step / 90):.4f}, learning_rate={1e-3 * math.cos(step / 140) ** 2:.6f}")
log("Training complete, step 200 of 200" if rank == 0 else "process exits")
"""
SECOND_TRY = """import json, math, os, pathlib, time
from fabric import meet, rank
trial = os.environ["TRIAL"]
ck = pathlib.Path("state.json")
start = json.loads(ck.read_text())["step"] if ck.exists() else 0
if rank == 0:
    print(f"try {trial}: " + (f"continuing from state.json, step {start}" if start else "fresh run"))
meet(f"t{trial}")
if trial == "1":
    pass
#GO
for s in range(start + 1, 81):
    time.sleep(0.2)
    if rank == 2 and s == 47 and trial == "1":
        raise ConnectionResetError(104, "Connection reset by peer", "grpc://feature-store:7000")
    if rank == 0 and s % 5 == 0:
        print(f"step {s}/80 ctr_logloss {0.69 * math.exp(-s / 160) + .02:.5f}")
    if s % 20 == 0:
        meet(f"s{trial}-{s}")
        if rank == 0:
            ck.write_text(json.dumps({"step": s}))
            print(f"state.json written at step {s}")
if rank == 0:
    print("80/80 steps done, exporting ranker to export/ranker.onnx")
"""
HARNESS = """import os, random, time
from fabric import meet, rank, world
tasks = ["arc_challenge", "arc_easy", "boolq", "hellaswag", "openbookqa", "piqa", "sciq", "winogrande"]
random.seed(rank)
meet("go")
#GO
mine = tasks[rank::world]
for t in mine:
    for p in (25, 50, 75, 100):
        time.sleep(2.2)
        print(f"[{rank}] {t}: {p}% of requests done, {random.randint(310, 350)} req/s")
    open(f"res-{t}.txt", "w").write(f"{0.4 + random.random() * .4:.4f}")
meet("end")
if rank == 0:
    print("|    Tasks    |n-shot|Metric|Value |\\n|-------------|-----:|------|-----:|")
    for t in tasks:
        print(f"|{t:<13}|     0|acc   |{open(f'res-{t}.txt').read()}|")
"""
STAGES = """import math, os, time
from fabric import meet, node, rank, world
layers = ("embed+L0-3", "L4-11", "L12-19", "L20-23+head")
print(f"[{node}] pipeline stage {rank}/{world}: {layers[rank]} ({(9.1, 17.4, 17.4, 11.8)[rank]} GiB)")
meet("p")
#GO
for s in range(1, 51):
    time.sleep(0.45)
    meet(s)
    if rank == world - 1 and s % 5 == 0:
        print(f"1F1B step {s}/50 loss {8.3 * math.exp(-s / 22) + 2.9:.4f} bubble 31% mfu 0.19 tflops/gpu 61.3")
if rank == 0:
    print("pipeline drained; 50 of 50 steps; note: stage times are uneven by layer split (0.21/0.44/0.44/0.29 s)")
"""
ADAPTER = """import math, os, time
from fabric import meet, rank
if rank == 0:
    print("UserWarning: `use_cache=True` is incompatible with gradient checkpointing. Setting `use_cache=False`.")
    print("UserWarning: 1 Torch was not compiled with flash attention. (Triggered internally at sdp_utils.cpp:555.)")
    print("trainable params: 6,815,744 || all params: 1,242,630,144; 384 examples, 1 epoch, effective batch 8 -> 48 steps")
meet("w")
#GO
for s in range(1, 49):
    time.sleep(0.42)
    meet(s)
    if rank == 0 and s % 4 == 0:
        print({"loss": round(1.9 * math.exp(-s / 25) + .62, 4), "grad_norm": round(.4 + .5 * math.exp(-s / 10), 4), "learning_rate": round(1e-4 * (1 - s / 48), 8), "epoch": round(s / 48, 2)})
if rank == 0:
    print({"train_runtime": 20.6, "train_samples_per_second": 18.64, "train_steps_per_second": 2.33, "train_loss": 1.211, "epoch": 1.0})
    print("eval_loss 0.9113 (base model 2.2407); adapter saved to adapters/ticket-router")
"""
TOYDDP = """import os, time
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
r = dist.get_rank()
torch.manual_seed(r)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 48), torch.nn.GELU(), torch.nn.Linear(48, 2)))
opt = torch.optim.Adam(net.parameters(), 4e-3)
#GO
for s in range(1, 101):
    x = torch.randn(64, 16)
    loss = torch.nn.functional.cross_entropy(net(x), (x[:, 0] * x[:, 1] > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.18)
    if r == 0 and s % 10 == 0:
        print(f"graph-class {s:3d}/100 loss {loss.item():.4f}", flush=True)
if r == 0:
    torch.save(net.module.state_dict(), "gc.pt")
    print("saved gc.pt, all 100 steps", flush=True)
dist.destroy_process_group()
"""


def jobs() -> Iterator[SlurmJob]:
    """Some of them loud."""
    kit = {"fabric.py": FABRIC}
    yield job(
        WELL, "gpt-350m", MEGA, "srun PYTHON pretrain_gpt.py --num-layers 24\n", script="pretrain_gpt.py", files=kit, ranks=4, nodes=2, cards=CARDS4
    )
    yield job(
        WORRYING,
        "mace",
        BONDS,
        "export NCCL_DEBUG=INFO\nsrun PYTHON mace_train.py\n",
        script="mace_train.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards={r: steady(49, 22, gib=16, turn=r) for r in range(4)},
    )
    yield job(
        WELL, "vit-flax", FLAXY, "srun --label PYTHON train.py\n", files=kit, ranks=2, nodes=2, cards={r: steady(67, 24, gib=60) for r in range(2)}
    )
    twice = 'for TRIAL in 1 2 3; do\n  export TRIAL\n  srun -K PYTHON ranker.py && break\n  echo "srun exit $?, trying again in 2 s"\n  sleep 2\n  rm -rf .board\ndone\n'
    yield job(
        WORRYING,
        "ctr-ranker",
        SECOND_TRY,
        twice,
        script="ranker.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards={r: (*steady(41, 9, gib=8), *((12.5 + t, v) for t, v in steady(42, 9, gib=8))) for r in range(4)},
    )
    yield job(
        WELL,
        "lm-eval",
        HARNESS,
        "srun PYTHON evaluate.py\n",
        script="evaluate.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards={r: steady(63, 18, gib=27, turn=2 * r) for r in range(4)},
    )
    uneven = {0: steady(29, 23, gib=17), 1: steady(52, 23, gib=29), 2: steady(53, 23, gib=29), 3: steady(37, 23, gib=21)}
    yield job(WORRYING, "pipe-3b", STAGES, "srun PYTHON pp.py --stages 4\n", script="pp.py", files=kit, ranks=4, nodes=2, cards=uneven)
    yield job(
        WORRYING,
        "router-lora",
        ADAPTER,
        "srun PYTHON adapt.py\n",
        script="adapt.py",
        files=kit,
        ranks=2,
        nodes=2,
        cards={r: steady(54, 21, gib=13) for r in range(2)},
    )
    launch = "export MASTER_PORT=$((15000 + SLURM_JOB_ID % 9000))\nsrun --ntasks-per-node=1 bash -c 'PYTHON -m torch.distributed.run --nnodes=2 --node-rank=$SLURM_NODEID --nproc-per-node=1 --master-addr=127.0.0.1 --master-port=$MASTER_PORT gc.py'\n"
    yield job(
        WELL,
        "graphclass",
        TOYDDP,
        launch,
        script="gc.py",
        ranks=2,
        nodes=2,
        python="torch",
        go_s=34,
        cards={r: steady(36, 19, gib=5) for r in range(2)},
    )
