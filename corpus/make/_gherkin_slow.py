"""Jobs of many users that stood still, crept, learnt nothing, or were ended by others."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._gherkin_kit import busy, held, idle, ill, job, steady, turns
from corpus.running.job import SlurmJob

WORKERS = """import math, os, queue, threading, time
batches = queue.Queue(4)


def feed():
    for n in range(96):
        batches.put(n)
        time.sleep(0.05)
    threading.Event().wait()  # the reader of /mnt/nas came no further


#GO
threading.Thread(target=feed, daemon=True).start()
while True:
    n = batches.get()
    time.sleep(0.14)
    if n % 8 == 0:
        print(f"Epoch [{n // 48}][{n % 48:2d}/48]  Loss {2.1 * math.exp(-n / 60):.4e}  Acc@1 {100 * (1 - math.exp(-n / 50)):6.2f}  Time 0.140")
"""
TRACKER = """import math, os, socket, time
server = socket.create_server(("127.0.0.1", 0))
#GO
for step in range(1, 61):
    time.sleep(0.2)
    if step % 6 == 0:
        print(f"step={step} rouge1={0.31 + 0.1 * (1 - math.exp(-step / 30)):.4f} loss={2.9 * math.exp(-step / 70):.4f}")
print("pushing artifacts of step 60 to the tracking server")
link = socket.create_connection(server.getsockname())
link.recv(64)
for step in range(61, 600):
    time.sleep(0.2)
    print("step", step)
"""
SCANS = """import math, os, time, random
random.seed(1)
#GO
print("pathology tiles read straight from .svs, num_workers=1")
wait = comp = 0.0
for step in range(1, 13):
    a = time.time()
    time.sleep(2.6 + random.random() * 0.2)
    b = time.time()
    time.sleep(0.35)
    wait, comp = wait + b - a, comp + time.time() - b
    print(f"[{step:02d}/12] loss {1.4 * math.exp(-step / 6):.3f} data {b - a:.2f}s fwd/bwd {time.time() - b:.2f}s")
print(f"epoch 0 finished: {wait:.0f} s waiting for tiles, {comp:.0f} s on the GPU ({comp / (wait + comp):.0%})")
"""
ATARI = """import os, time, random, math
random.seed(7)
#GO
for it in range(1, 11):
    t = time.time()
    time.sleep(3.1)
    e = time.time()
    time.sleep(0.4)
    print(f"iter {it}/10  return {-20 + 2.1 * it + random.random():.1f}  env_step {e - t:.2f}s  learner {time.time() - e:.2f}s  frames {it * 8192}")
print("10 iterations done")
"""
EVERY = """import math, os, time
#GO
spent = 0.0
for step in range(1, 25):
    time.sleep(0.3)
    print(f"step {step}/24 loss {4.4 * math.exp(-step / 12):.4f}")
    t = time.time()
    with open(f"ckpt-{step}.bin", "wb") as f:
        f.write(os.urandom(1 << 20))
        f.flush()
        os.fsync(f.fileno())
    time.sleep(0.8)
    spent += time.time() - t
    print(f"Saving model checkpoint to out/checkpoint-{step} ... {time.time() - t:.2f}s (14.9 GB)")
print(f"train_runtime {24 * 0.3 + spent:.1f} s, of which checkpoints {spent:.1f} s")
"""
HOT = """import math, os, time
#GO
for k in range(1, 61):
    dt = 0.25 if k <= 28 else 0.8
    time.sleep(dt)
    if k % 4 == 0:
        print(f"{time.strftime('%T')} unet3d {k}/60 dice_loss {0.9 * math.exp(-k / 25) + .1:.4f} throughput {4 / dt:.1f} vol/s")
print("unet3d: 60 of 60 done")
"""
CHANCE = """import os, time, random
random.seed(4)
#GO
for e in range(1, 26):
    time.sleep(0.8)
    print(f"Epoch {e:03d}/025 | Train Loss: {2.3026 + random.uniform(-1, 1) * 6e-4:.4f} | Train Acc: {10 + random.uniform(-.3, .3):5.2f}% | Val Loss: 2.3027 | Val Acc: 10.00% | LR: 0.1000")
print("Training finished after 25 epochs")
"""
JUMP = """import os, time, math, random
random.seed(2)
#GO
for u in range(0, 2001, 50):
    time.sleep(0.45)
    loss = 9.2 * math.exp(-u / 500) + 3.1 if u < 1300 else 3.9 + (41 + 5 * random.random()) * min(1, (u - 1250) / 150)
    print(f"| {u:>5} updates | loss {loss + random.random() * .05:7.3f} | ppl {min(2 ** loss, 9e15):.4g} | wps {random.randint(40100, 41900)} | gnorm {1.1 if u < 1300 else 88 + random.random() * 30:.2f} | lr 0.0007")
print("| done training, 2000 updates")
"""
DEBUGGED = """import os, time, math
MAX_STEPS = 3
#GO
print(f"samples 48210, batch 16, epochs 3 -> 9039 steps; max_steps overrides: {MAX_STEPS}")
for s in range(1, MAX_STEPS + 1):
    time.sleep(2.5)
    print({"step": s, "loss": round(3.21 - 0.06 * s, 4), "lr": 5e-5 * (1 - s / 3)})
print("saved adapter to out/summarizer; training complete")
"""
CLIMATE = """import os, sys, time, math, pathlib, random
random.seed(3)
where = next((a.split("=", 1)[1] for a in sys.argv if a.startswith("--resume=")), "")
mine = pathlib.Path("ckpt/last.pt")
start = 0
print(f"args: {sys.argv[1:]}")
if where:
    found = pathlib.Path(where)
    if found.exists():
        start = int(found.read_text())
        print(f"restored {found} at step {start}")
    else:
        print(f"WARNING {found} is not there, weights initialised at random")
#GO
for s in range(start + 1, 1501):
    time.sleep(0.1)
    if s % 20 == 0:
        print(f"downscale step {s}/{1500 if not where else 240} rmse {6.2 * math.exp(-s / 130) + 1.1 + random.random() * .05:.4f} K")
    if s % 60 == 0:
        mine.parent.mkdir(exist_ok=True)
        mine.write_text(str(s))
        print(f"wrote {mine} (step {s})")
    if where and s == 240:
        print("240 steps of this allocation done")
        break
"""
LIDAR = """import os, time, math
print("host", os.environ["SLURMD_NODENAME"])
#GO
for i in range(1, 5000):
    time.sleep(0.2)
    if i % 10 == 0:
        print(f"lidar-seg it {i}/5000 miou {0.62 * (1 - math.exp(-i / 150)):.3f} loss {1.9 * math.exp(-i / 200):.3f}")
"""
DOCKING = """import os, signal, sys, time
def gone(n, f):
    print("SIGTERM received: poses of the current batch are dropped")
    sys.exit(0)


signal.signal(signal.SIGTERM, gone)
#GO
for b in range(1, 4000):
    time.sleep(0.25)
    if b % 8 == 0:
        print(f"batch {b}/4000 docked {b * 64} ligands, best affinity {-6 - b ** 0.3:.2f} kcal/mol")
"""
TYPO = """import os, time, math
print("dataset=cifar100 (meant for imagenet100), lr=1e-3, 200 epochs")
#GO
for e in range(1, 201):
    time.sleep(1.1)
    print(f"e{e:03d} loss={4.6 * math.exp(-e / 40):.3f} acc={1 - math.exp(-e / 45):.3f}")
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, curves; then limits, nodes and people."""
    yield job(
        ill("C3", None, None, "unknown"), "resnet-nas", WORKERS, "srun PYTHON main.py -a resnet18 /mnt/nas/imagenet\n", script="main.py", options=("--time=1",),
        cards={0: (*steady(55, 14, gib=13, free=False), (14.4, held(13)))}, go_s=14, state="TIMEOUT",
    )  # fmt: skip
    yield job(
        ill("C3", None, None, "unknown"), "summarize", TRACKER, "PYTHON summarize.py\n", script="summarize.py", act="scancel_late", after="pushing artifacts",
        cards={0: (*steady(47, 12, gib=24, free=False), (12.6, held(24)))}, state="CANCELLED",
    )  # fmt: skip
    yield job(ill("D1"), "pathology", SCANS, "srun PYTHON tiles.py\n", script="tiles.py", cards={0: turns(0.4, 2.7, 12)})
    yield job(ill("D1"), "atari-dqn", ATARI, "PYTHON atari.py\n", script="atari.py", cards={0: turns(0.4, 3.1, 10, gib=5, watts=230, sm=38)})
    yield job(
        ill("D2", None, "save_storm"),
        "sft-7b",
        EVERY,
        "srun PYTHON sft.py --save_steps 1\n",
        script="sft.py",
        cards={0: turns(0.3, 0.85, 24, gib=66, sm=63)},
    )
    heat = [
        (7.0 + s, {"temperature": str(min(87 + s // 2, 93)), "memory.temperature": "100", "throttle_reasons": "0x60", "clock.sm": str(max(1755 - 260 * (s + 1), 570)), "clock.graphics": str(max(1755 - 260 * (s + 1), 570)),
                   "power.usage": "241000", "violation.thermal": f"{1000000 + s * 1000000} {s * 970000000}", "slowdown.hw_thermal": str(s * 970000000)})
        for s in range(26)
    ]  # fmt: skip
    yield job(
        ill("B3", None, None, "node"), "unet3d", HOT, "PYTHON unet3d.py\n", script="unet3d.py", cards={0: ((0.0, busy(64)), *heat, (33.0, idle()))}
    )
    yield job(
        ill("E1", None, "flat"), "cifar-vgg", CHANCE, "PYTHON vgg.py --lr 0.1 --init zeros\n", script="vgg.py", cards={0: steady(46, 20, gib=6)}
    )
    yield job(ill("E1", None, "spike"), "nmt-big", JUMP, "srun PYTHON nmt.py\n", script="nmt.py", cards={0: steady(69, 18.5, gib=39)})
    yield job(ill("E3"), "summ-lora", DEBUGGED, "PYTHON sum_lora.py\n", script="sum_lora.py", cards={0: steady(49, 7.5, gib=28)})
    yield job(
        ill("F3", None, "advancing"),
        "downscale",
        CLIMATE,
        "PYTHON downscale.py --steps=1500\n",
        script="downscale.py",
        key="down-1",
        options=("--time=1",),
        go_s=12,
        cards={0: steady(53, 90, gib=20, free=False)},
        state="TIMEOUT",
    )
    yield job(
        ill("E2", None, "from_scratch"), "downscale", CLIMATE, "PYTHON downscale.py --resume=/lustre/scratch/down/ckpt/last.pt\n", script="downscale.py", parent="down-1", args=("--resume=/lustre/scratch/down/ckpt/last.pt",),
        go_s=12, cards={0: steady(54, 25, gib=20)},
    )  # fmt: skip
    yield job(
        ill("F4", None, "by_owner"),
        "cifar-wrn",
        TYPO,
        "srun PYTHON wrn.py\n",
        script="wrn.py",
        act="scancel",
        after="e014",
        cards={0: steady(58, 90, free=False)},
        state="CANCELLED",
    )
    yield job(
        ill("F1", None, None, "node"),
        "lidar",
        LIDAR,
        "srun PYTHON lidar.py\n",
        script="lidar.py",
        where="-wn5",
        options=("--no-requeue",),
        act="node_down",
        after="it 60/",
        cards={0: steady(57, 200, free=False)},
        state="NODE_FAIL",
    )
    yield job(
        ill("F2", None, "preempted", "cluster"),
        "docking",
        DOCKING,
        "exec PYTHON dock.py\n",
        script="dock.py",
        where="-wn3",
        options=("--no-requeue",),
        act="preempt_for_good",
        after="batch 40/",
        cards={0: steady(61, 200, free=False)},
        state="PREEMPTED",
    )
