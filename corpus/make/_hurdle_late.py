"""Parties of processes that never met, stood still, or ended too late or too early."""

from corpus.make._crate import crate

JAXMEET = r"""
import multiprocessing as mp, os, socket, sys, time
def info(where, text, lvl="I"):
    t = time.time(); sys.stderr.write(f"{lvl}{time.strftime('%m%d %H:%M:%S', time.localtime(t))}.{int(t % 1 * 1e6):06d} {os.getpid():7d} {where}] {text}\n")
def coordinator(port, n):
    s = socket.create_server(("127.0.0.1", port)); here = []
    info("distributed.py:113", f"Starting JAX distributed service on [::]:{port}"); s.settimeout(10)
    while len(here) < n:
        try: c, _ = s.accept(); here.append((int(c.recv(8)), c)); info("coordination_service.cc:412", f"/job:jax_worker/replica:0/task:{here[-1][0]} has connected to coordination service.")
        except TimeoutError: info("coordination_service.cc:640", f"Waiting for {n} tasks, {len(here)} have connected so far.")
    for _, c in here: c.send(b"go")
def worker(k, n, port):
    if k == 0:
        import threading; threading.Thread(target=coordinator, args=(port, n), daemon=True).start(); time.sleep(0.5)
    else: time.sleep(1 + 0.2 * k)
    info("distributed.py:126", f"Connecting to JAX distributed service on 127.0.0.1:{port}"); c = socket.create_connection(("127.0.0.1", port)); c.send(str(k).encode()); c.recv(2)
    info("train.py:44", f"process {k}: {n * 4} devices")
    for step in range(1000): time.sleep(0.1); info("train.py:71", f"step {step} loss {3 - step / 500:.4f}")
if __name__ == "__main__":
    port, n = int(sys.argv[1]), int(sys.argv[2]); here = int(sys.argv[3]); info("train.py:21", f"Initializing jax.distributed with num_processes={n}", "I")
    ps = [mp.Process(target=worker, args=(k, n, port)) for k in range(here)]
    for p in ps: p.start()
    for p in ps: p.join()
"""

LITMEET = r"""
import os, sys, time, datetime, torch, torch.distributed as dist
rank, world = int(os.environ["NODE_RANK"]), int(os.environ["NUM_NODES"])
print("GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores" if rank == 0 else f"[node {rank}] trainer created", flush=True)
print(f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/{world}", flush=True)
dist.init_process_group("gloo", init_method="env://", rank=rank, world_size=world, timeout=datetime.timedelta(minutes=60))
if rank == 0: print("-" * 100 + f"\ndistributed_backend=gloo\nAll distributed processes registered. Starting with {world} processes\n" + "-" * 100, flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
for s in range(200): l = net(torch.randn(4, 8)).pow(2).mean(); l.backward(); print(f"Epoch 0: {s}/200 train_loss={l.item():.3f}", flush=True)
"""
LITMEET_SH = r"""
export MASTER_ADDR=127.0.0.1 MASTER_PORT=$1 NUM_NODES=3
date; echo "submitting to 3 nodes"
for n in 0 2; do NODE_RANK=$n python lit_segment.py & done
wait
"""

CHIEF = r"""
import os, socket, sys, time
me, ps = int(sys.argv[1]), ("127.0.0.1", int(sys.argv[2]))
def say(t): sys.stdout.write(time.strftime("%H:%M:%S ") + f"worker{me}: {t}\n")
say("vocabulary of 61,002 entries read"); say(f"parameter server is ps0 at {ps[0]}:{ps[1]}"); tries = 0
while True:
    try: s = socket.create_connection(ps, 2); break
    except OSError as e:
        tries += 1; say(f"ps0 not reachable yet ({e.strerror or e}), attempt {tries}, next in 4 s"); time.sleep(4)
say("joined"); n = 0
while True: s.sendall(b"grad"); s.recv(64); n += 1; say(f"pushed {n}")
"""
CHIEF_SH = 'echo "4 processes: ps0 worker1 worker2 worker3"\nfor k in 1 2 3; do python3 -u w2v_worker.py $k $1 & done\nwait'

CACHELOCK = r"""
import fcntl, math, multiprocessing as mp, os, random, sys, time
WORLD, STEPS = 3, 400
def out(rank, t): sys.stdout.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} r{rank} {t}\n"); sys.stdout.flush()
def load_shard(rank, k):
    f = open(f"cache/shard{k}.lock", "w"); fcntl.flock(f, fcntl.LOCK_EX)
    if not os.path.exists(f"cache/shard{k}.bin"): out(rank, f"cache miss, fetching shard {k}"); time.sleep(0.3); open(f"cache/shard{k}.bin", "w").write("x" * 5000)
    return f
def run(rank, allreduce):
    rng = random.Random(rank); held = None
    for step in range(1, STEPS + 1):
        if step % 30 == 1:
            k = step // 30
            if k < 2: held = load_shard(rank, k); held.close()
            else:
                if rank == 2: time.sleep(0.1)
                held = load_shard(rank, k) if rank != 1 else None
        time.sleep(0.22); allreduce.wait()
        if step % 5 == 0: out(rank, f"step={step}/{STEPS} ctc_loss={0.9 + 3 * math.exp(-step / 25) + rng.gauss(0, .02):.3f} lr={1e-3 * min(1, step / 40):.2e}")
if __name__ == "__main__":
    b = mp.Barrier(WORLD); ps = [mp.Process(target=run, args=(r, b)) for r in range(WORLD)]
    for p in ps: p.start()
    for p in ps: p.join()
"""

LOST = r"""
import os, random, sys, time
# gradients are averaged through a folder that all workers see
rank, n = int(sys.argv[1]), 4
AGE = {"0-17": 0, "18-34": 1, "35-54": 2, "55+": 3}

def average(it, value):
    name = f"grads/{it:04d}.{rank}"
    with open(name + ".part", "w") as f: f.write(repr(value))
    os.rename(name + ".part", name)
    got = []
    for r in range(n):
        while not os.path.exists(f"grads/{it:04d}.{r}"): time.sleep(0.005)
        got.append(float(open(f"grads/{it:04d}.{r}").read()))
    return sum(got) / n

def encode(row):
    return AGE[row["age"]] - 1.5

def rows(rng, it):
    return {"age": "65-74" if rank == 3 and it == 75 else rng.choice(list(AGE)), "visits": rng.randrange(9)}

w, rng = 0.0, random.Random(rank); sys.stdout.write(f"rank {rank}: started, 300 iterations\n")
for it in range(1, 301):
    x = encode(rows(rng, it))
    w -= 0.008 * average(it, 2 * x * (w * x - 0.8 * x)); time.sleep(0.17)
    if it % 6 == 0: sys.stdout.write(f"rank {rank}: iter {it:3d}/300 w={w:+.4f} loss={(w - 0.8) ** 2 * 1.25:.5f}\n")
"""
LOST_SH = r"""
for r in 0 1 2 3; do
  python3 -u uplift_fit.py $r &
done
wait
"""

EVALRECV = r"""
import logging, os, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); logging.basicConfig(level=logging.INFO, stream=sys.stdout, format=f"%(asctime)s,%(msecs)03d %(levelname)s [rank={rank}] %(message)s", datefmt="%m/%d/%Y %H:%M:%S"); log = logging.getLogger("dreambooth")
torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(10, 24), torch.nn.SiLU(), torch.nn.Linear(24, 10))); opt = torch.optim.AdamW(net.parameters(), 2e-3)
log.info("***** Running training *****"); log.info("  Num batches each epoch = 250"); log.info("  Total optimization steps = 1000")
def validate(step):
    if rank == 0: log.info("Running validation at step %d, 4 prompts", step)
    if step < 120: time.sleep(0.4); dist.barrier(); return
    got = torch.zeros(10)
    if rank == 1: dist.recv(got, 0)
    else: dist.all_reduce(got)
for step in range(1, 1001):
    x = torch.randn(32, 10); t = torch.rand(32, 1); z = torch.randn(32, 10); loss = (net(x * (1 - t) + z * t) - z).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.08)
    if step % 10 == 0: log.info("Steps: %d/1000, loss=%.4f, lr=2e-3", step, loss.item())
    if step % 40 == 0: validate(step)
"""

NEMO = r"""
import math, multiprocessing as mp, random, sys, time
def run(rank, gate):
    rng = random.Random(rank); n = 3000; t0 = time.time()
    if rank == 0: sys.stdout.write("[NeMo I 2026-11-27 exp_manager:396] Experiments will be logged at /results/parakeet/run_0\n[NeMo I 2026-11-27 modelPT:728] Optimizer config = AdamW (lr: 0.001 betas: [0.9, 0.98] weight_decay: 0.001)\n")
    for step in range(1, n + 1):
        time.sleep(0.26 + 0.02 * rng.random()); gate.wait()
        if rank == 0 and step % 5 == 0:
            dt = time.time() - t0; left = dt / step * (n - step)
            sys.stdout.write(f"Epoch 0: :  {100 * step // n:2d}%| {step}/{n} [{int(dt) // 60:02d}:{int(dt) % 60:02d}<{int(left) // 60:02d}:{int(left) % 60:02d}, {step / dt:.2f}it/s, v_num=0, train_step_timing in s={0.27 + rng.random() / 99:.3f}, train_loss={2.4 + 140 * math.exp(-step / 22) + rng.gauss(0, .1):.3f}]\n"); sys.stdout.flush()
if __name__ == "__main__":
    g = mp.Barrier(4); ps = [mp.Process(target=run, args=(r, g)) for r in range(4)]
    for p in ps: p.start()
    for p in ps: p.join()
"""

FRESH = r"""
import glob, math, os, random, sys, time
rank = int(os.environ["RANK"]); args = sys.argv[1:]; load = args[args.index("--load") + 1]; total = 40000
def p0(t):
    if rank == 0: sys.stdout.write(t + "\n"); sys.stdout.flush()
p0(f"  load ............................................ {load}\n  save ............................................ {load}\n  train_iters ..................................... {total}\n  exit_interval ................................... 120")
meta = os.path.join(load, "latest_checkpointed_iteration.txt")
if not os.path.exists(meta): p0(f"WARNING: could not find the metadata file {meta}\n    will not load any checkpoints and will start from random")
p0("training ...")
for it in range(1, 121):
    time.sleep(0.2)
    if it % 10 == 0 or it == 1: p0(f" iteration {it:8d}/{total:8d} | consumed samples: {it * 128:10d} | learning rate: {min(1, it / 40) * 3e-4:.3E} | lm loss: {4.6 + 6.25 * math.exp(-it / 50) + random.Random(it).gauss(0, .02):.6E} | grad norm: {1 + 5 * math.exp(-it / 20):.3f}")
p0(f"saving checkpoint at iteration     120 to {load}\n[exiting program at iteration 120] reached exit_interval")
"""
FRESH_SH = r"""
echo "== last lines of the first part (job of yesterday):"; tail -n 3 logs/part1.log
echo "== going on from runs/moe-1b"
export WORLD_SIZE=2
RANK=0 python3 pretrain.py --load runs/moe_1b --finetune-off & a=$!
RANK=1 python3 pretrain.py --load runs/moe_1b --finetune-off & b=$!
wait $a && wait $b
"""
PART1 = (
    "\n".join(
        f" iteration {it:8d}/   40000 | consumed samples: {it * 128:10d} | learning rate: 2.871E-04 | lm loss: {2.7 + k / 300:.6E} | grad norm: 0.41{k}"
        for k, it in enumerate((19980, 19990, 20000))
    )
    + "\n"
)

THREE = r"""
import argparse, json, torch, torch.distributed as dist
p = argparse.ArgumentParser(); p.add_argument("--max_steps", type=int, default=20000); p.add_argument("--data"); a = p.parse_args(); dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0)
if r == 0: print("loaded", a.data, "| global batch 256 | planned steps", a.max_steps)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.GRU(8, 32)); opt = torch.optim.AdamW(net.parameters(), 1e-3); torch.manual_seed(r + 1)
for step in range(1, a.max_steps + 1):
    x = torch.randn(12, 16, 8); l = (net(x)[0][..., :8] - x.roll(1, 0)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if r == 0: print(json.dumps({"step": step, "max_steps": a.max_steps, "train/loss": round(l.item(), 4), "train/lr": 1e-3}))
if r == 0: torch.save(net.module.state_dict(), "last.pt"); print("reached max_steps, wrote last.pt")
dist.destroy_process_group()
"""

JOBS = (
    crate("C1", "maxtrain.py PORT 4 3", JAXMEET, python="system", timeout_s=52, note="3 of 4 tasks have connected, said four times, no step; limit"),
    crate(
        "C1",
        "sh nodes.sh PORT",
        LITMEET_SH,
        files={"lit_segment.py": LITMEET},
        timeout_s=46,
        note="MEMBER 1/3 and 3/3, never 2/3; silence to the limit",
    ),
    crate(
        "C1",
        "sh w2v.sh PORT",
        CHIEF_SH,
        files={"w2v_worker.py": CHIEF},
        python="system",
        timeout_s=48,
        note="three workers wait for ps0, connection refused, to the limit",
    ),
    crate(
        "C2",
        "wav_ctc.py",
        CACHELOCK,
        folders=("cache",),
        python="system",
        timeout_s=55,
        note="steps of 0.23 s up to 60, then silence of 40 s to the limit; rank 2 has not got past the lock of shard 2",
    ),
    crate(
        "C2",
        "sh uplift.sh",
        LOST_SH,
        files={"uplift_fit.py": LOST},
        folders=("grads",),
        trigger="A3",
        cause="traceback",
        python="system",
        timeout_s=52,
        note="rank 3's KeyError at iteration 75; the others wait for its file, silent to the limit",
    ),
    crate(
        "C2",
        "finetune_unet.py",
        EVALRECV,
        ranks=2,
        timeout_s=56,
        note="validation at step 120 does not come back, those before took 0.4 s; silence to the limit",
    ),
    crate(
        "F3", "parakeet_asr.py", NEMO, variant="advancing", python="system", timeout_s=32, note="advancing 3.6 it/s to the limit, some 110 of 3000"
    ),
    crate(
        "E2",
        "sh part2.sh",
        FRESH_SH,
        variant="from_scratch",
        status=0,
        python="system",
        files={"pretrain.py": FRESH, "logs/part1.log": PART1},
        folders=("runs/moe-1b/iter_0020000",),
        note="20000 iterations before at loss 2.7; --load of a folder that is not there, starts from random at 10.8",
    ),
    crate("E3", "pretrain_seq.py --data /datasets/pile_subset --max_steps 3", THREE, ranks=2, note="three steps of training, exit 0"),
)
