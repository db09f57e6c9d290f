"""Parties of processes that came to their planned end."""

from corpus.make._crate import crate

PRETRAIN = r"""
import argparse, math, multiprocessing as mp, random, sys, time

def say(text):
    sys.stdout.write(text + "\n"); sys.stdout.flush()

def stamp():
    return time.strftime("%Y-%m-%d %H:%M:%S")

def worker(rank, a, gate):
    rng = random.Random(1234 + rank)
    if rank == 0:
        say(f"using world size: {a.world}, data-parallel size: {a.world // 2}, context-parallel size: 1, tensor-model-parallel size: 2, pipeline-model-parallel size: 1")
        say("------------------------ arguments ------------------------")
        for k, v in sorted(vars(a).items()): say(f"  {k} {'.' * (40 - len(k))} {v}")
        say("-------------------- end of arguments ---------------------")
        say("> building GPT2BPETokenizer tokenizer ...\n > padded vocab (size: 50257) with 175 dummy tokens (new size: 50432)")
    gate.wait()
    say(f" > number of parameters on (tensor, pipeline) model parallel rank ({rank % 2}, 0): 178100224") if rank < 2 else None
    gate.wait()
    if rank == 0: say("training ...\n[before the start of training step] datetime: " + stamp())
    mark = time.time()
    for it in range(1, a.train_iters + 1):
        time.sleep(0.11 + 0.03 * rng.random()); gate.wait()
        loss = 3.42 + 7.35 * math.exp(-it / 46) + rng.gauss(0, 0.02)
        if it % a.log_interval == 0:
            if rank == a.world - 1:
                per = (time.time() - mark) / a.log_interval * 1000
                lr = a.lr * min(1, it / 20) * (0.55 + 0.45 * math.cos(math.pi * it / a.train_iters))
                say(f" [{stamp()}] iteration {it:8d}/{a.train_iters:8d} | consumed samples: {it * 64:12d} | elapsed time per iteration (ms): {per:.1f} | learning rate: {lr:.6E} | global batch size:    64 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {0.4 + 2.1 * math.exp(-it / 30):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")
            mark = time.time()
        if it % 80 == 0 and rank == a.world - 1:
            say("-" * 108 + f"\n validation loss at iteration {it} | lm loss value: {loss + 0.05:.6E} | lm loss PPL: {math.exp(loss + 0.05):.6E} | \n" + "-" * 108)
    gate.wait()
    if rank == 0:
        say(f"saving checkpoint at iteration {a.train_iters:7d} to /lustre/ckpt/gpt-345m in torch_dist format")
        time.sleep(0.8); say(f"  successfully saved checkpoint from iteration {a.train_iters:7d} to /lustre/ckpt/gpt-345m [ t 1/2, p 1/1 ]\n[after training is done] datetime: {stamp()}")

if __name__ == "__main__":
    p = argparse.ArgumentParser(); p.add_argument("--train-iters", type=int, default=160); p.add_argument("--log-interval", type=int, default=10); p.add_argument("--lr", type=float, default=1.5e-4); p.add_argument("--world", type=int, default=4)
    a = p.parse_args(); gate = mp.Barrier(a.world); all_ = [mp.Process(target=worker, args=(r, a, gate)) for r in range(a.world)]
    for q in all_: q.start()
    for q in all_: q.join()
    sys.exit(max(q.exitcode for q in all_))
"""

FP16 = r"""
import datetime, errno, os, random, sys, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
def log(where, text, level="INFO"):
    now = datetime.datetime.now(); sys.stderr.write(f"[{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d}] [{level}] [{where}] {text}\n")
def sync(tag):
    open(f"sync/{tag}.{rank}", "w").close()
    while not all(os.path.exists(f"sync/{tag}.{r}") for r in range(world)): time.sleep(0.01)
if rank == 0:
    log("comm.py:652:init_distributed", "cdb=None"); log("comm.py:683:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl")
    sys.stderr.write("node-17:4411:4411 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.\n")
sync("init"); rng = random.Random(7); scale, skipped, t0 = 2 ** 20, 0, time.time()
for step in range(1, 91):
    time.sleep(0.18 + 0.02 * random.random()); sync(f"s{step}")
    if rank: continue
    if scale > 2 ** 13 and step < 9 or step == 57:
        log("loss_scaler.py:190:update_scale", f"[deepspeed] OVERFLOW! Rank {rank} Skipping step. Attempted loss scale: {scale}, reducing to {scale // 2}"); scale //= 2; skipped += 1
    if step % 10 == 0:
        log("logging.py:96:log_dist", f"[Rank 0] step={step}, skipped={skipped}, lr=[{2e-5 * (1 - step / 91):.4e}, {2e-5 * (1 - step / 91):.4e}], mom=[(0.9, 0.95), (0.9, 0.95)]")
        log("timer.py:260:stop", f"epoch=0/micro_step={step * 4}/global_step={step}, RunningAvgSamplesPerSec={step * 32 / (time.time() - t0):.3f}, CurrSamplesPerSec={31.7 * 5 + rng.random():.3f}, MemAllocated=14.61GB, MaxMemAllocated=31.06GB")
        print(f"step {step}: lm_loss {1.18 + 1.4 / (1 + step / 12) + rng.gauss(0, .01):.4f}", flush=True)
    if step in (45, 90):
        for path in ("/local_nvme/sft-13b", "out"):
            try:
                if path.startswith("/local"): raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
                open(f"{path}/global_step{step}", "w").write("x" * 1000); log("engine.py:3104:save_checkpoint", f"Saved checkpoint to {path}/global_step{step}"); break
            except OSError as e: log("sft.py:88:save", f"could not save to {path}: {e}; trying the next location", "WARNING")
sync("end")
if rank == 0: log("launch.py:351:main", "all 90 steps of 90 finished, last checkpoint out/global_step90")
"""
FP16_SH = "export WORLD_SIZE=4\nfor r in 0 1 2 3; do RANK=$r python3 sft.py & done\nfor j in $(jobs -p); do wait $j || exit 1; done"

FLAX = r"""
import math, multiprocessing as mp, os, random, sys, time
def info(line, text, level="I"):
    t = time.time(); sys.stderr.write(f"{level}{time.strftime('%m%d %H:%M:%S', time.localtime(t))}.{int(t % 1 * 1e6):06d} {os.getpid():6d} train.py:{line}] {text}\n")
def host(idx, n, gate):
    info(61, f"JAX process: {idx} / {n}"); info(62, f"JAX local devices: [CudaDevice(id={4 * idx}), CudaDevice(id={4 * idx + 1}), CudaDevice(id={4 * idx + 2}), CudaDevice(id={4 * idx + 3})]"); gate.wait()
    if idx == 0: info(97, "Initializing train state, 22.1M parameters"); time.sleep(1.2); info(131, "Starting training loop at step 0.")
    rng, t0 = random.Random(idx), time.time()
    # a real if small model on each host: logistic regression of a plane in 3-d
    w = [0.0] * 3; true = (1.5, -2.0, 0.7)
    for step in range(1, 601):
        g = [0.0] * 3; L = 0.0
        for _ in range(24):
            x = [rng.gauss(0, 1) for _ in w]; y = 1.0 if sum(a * b for a, b in zip(x, true)) > 0 else 0.0
            z = sum(a * b for a, b in zip(x, w)); p = 1 / (1 + math.exp(-z)); L -= math.log(max(1e-9, p if y else 1 - p)) / 24
            for k in range(3): g[k] += (p - y) * x[k] / 24
        w = [a - 0.4 * b for a, b in zip(w, g)]; time.sleep(0.02); gate.wait()
        if step % 50 == 0 and idx == 0: info(158, f"train: step={step}, learning_rate={0.4 * (1 - step / 700):.5f}, loss={L:.5f}, steps_per_second={step / (time.time() - t0):.4f}")
        if step % 200 == 0:
            if idx == 0: info(171, f"eval: step={step}, accuracy={sum((sum(a * b for a, b in zip(x, w)) > 0) == (sum(a * b for a, b in zip(x, true)) > 0) for x in ([rng.gauss(0, 1) for _ in w] for _ in range(500))) / 500:.5f}"); info(180, f"Saving checkpoint at step: {step}"); info(184, f"Saved checkpoint at workdir/checkpoint_{step}")
            gate.wait()
    info(203, f"process {idx}: num_train_steps (600) reached, exiting.")
if __name__ == "__main__":
    n = 2; gate = mp.Barrier(n); ps = [mp.Process(target=host, args=(i, n, gate)) for i in range(n)]
    for p in ps: p.start()
    for p in ps: p.join()
"""

BADPICS = r"""
import logging, os, random, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler
rank = int(os.environ["RANK"]); logging.basicConfig(level=logging.INFO, format=f"%(asctime)s - rank{rank} - %(name)s - %(levelname)s - %(message)s"); log = logging.getLogger("plantnet")
class Leaves(Dataset):
    def __len__(self): return 600
    def read(self, i):
        if i % 97 == 13: raise OSError(f"image file is truncated (41 bytes not processed): leaves/{i:05d}.jpg")
        g = torch.Generator().manual_seed(i); k = i % 4; x = 0.6 * torch.randn(3, 12, 12, generator=g); x[k % 3, :, : 3 * (k + 1)] += 1; return x, k
    def __getitem__(self, i):
        try: return self.read(i)
        except OSError:
            log.exception("cannot decode sample %d, taking its neighbour", i); return self.read(i + 1)
dist.init_process_group("gloo"); torch.manual_seed(0); data = Leaves(); sampler = DistributedSampler(data); loader = DataLoader(data, 30, sampler=sampler)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(200, 4))); opt = torch.optim.AdamW(net.parameters(), 4e-3)
for ep in range(5):
    sampler.set_epoch(ep); hits = seen = 0; tot = 0.0
    for x, y in loader:
        o = net(x); l = torch.nn.functional.cross_entropy(o, y); opt.zero_grad(); l.backward(); opt.step(); hits += (o.argmax(1) == y).sum().item(); seen += len(y); tot += l.item()
    if rank == 0: log.info("epoch %d/5 loss %.4f acc %.2f%% lr %.1e", ep + 1, tot / len(loader), 100 * hits / seen, 4e-3)
if rank == 0: torch.save(net.module.state_dict(), "plantnet.pth"); log.info("saved plantnet.pth; all 5 epochs done, 7 unreadable pictures per epoch were replaced")
dist.barrier(); dist.destroy_process_group()
"""

ACTORS = r"""
import multiprocessing as mp, random, sys, time
N, GOAL, WALL = 6, (5, 5), {(1, 1), (2, 3), (4, 2), (3, 4)}
MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))
def actor(k, q, returns, stop):
    rng = random.Random(k)
    while not stop.value:
        s, G = (0, 0), 0.0
        for t in range(50):
            i = (s[0] * N + s[1]) * 4
            a = rng.randrange(4) if rng.random() < 0.15 else max(range(4), key=lambda m: (q[i + m], rng.random()))
            n = (s[0] + MOVES[a][0], s[1] + MOVES[a][1])
            if not (0 <= n[0] < N and 0 <= n[1] < N) or n in WALL: n = s
            r = 1.0 if n == GOAL else -0.02; j = (n[0] * N + n[1]) * 4
            q[i + a] += 0.05 * (r + (0 if n == GOAL else 0.95 * max(q[j:j + 4])) - q[i + a]); G += r; s = n
            if s == GOAL: break
        returns.put((k, G, t + 1)); time.sleep(0.01)
if __name__ == "__main__":
    q, ret, stop = mp.Array("d", N * N * 4, lock=False), mp.Queue(), mp.Value("i", 0)
    crew = [mp.Process(target=actor, args=(k, q, ret, stop)) for k in range(3)]
    for p in crew: p.start()
    print("learner up, 3 actors, budget 1800 episodes"); print(f"{'episodes':>9} {'frames':>8} {'return':>8} {'best':>7} {'len':>6} {'eps/s':>7}")
    frames = 0; hist = []; t0 = time.time(); best = -9
    while len(hist) < 1800:
        k, G, n = ret.get(); hist.append((G, n)); frames += n
        if len(hist) % 120 == 0:
            m = sum(g for g, _ in hist[-120:]) / 120; best = max(best, m); print(f"{len(hist):9d} {frames:8d} {m:8.3f} {best:7.3f} {sum(l for _, l in hist[-120:]) / 120:6.1f} {len(hist) / (time.time() - t0):7.1f}", flush=True)
    stop.value = 1
    for p in crew: p.join()
    print("episode budget used; q-table written to q.bin; actors joined", flush=True)
"""

SHARDS = r'''
import concurrent.futures as cf, os, random, sys, time
"""Batched generation for an answer-extraction benchmark: four engines, one shard of the prompts each."""
def line(k, lvl, text): sys.stdout.write(f"{time.strftime('%H:%M:%S')} {lvl:<5} engine-{k} | {text}\n"); sys.stdout.flush()
def engine(k):
    rng = random.Random(40 + k); line(k, "INFO", f"weights loaded in {2.1 + k / 10:.1f}s, kv cache 412 blocks"); time.sleep(1)
    done = right = again = 0; pending = [(i, 0) for i in range(100)]
    while pending:
        i, tries = pending.pop(0); time.sleep(0.11)
        if rng.random() < 0.06 and tries < 3:
            again += 1; line(k, "ERROR", f"request {k * 100 + i} refused (503 Service Unavailable), attempt {tries + 1}/4, requeued"); pending.append((i, tries + 1)); continue
        done += 1; right += rng.random() < 0.31
        if done % 25 == 0: line(k, "INFO", f"{done}/100 prompts, exact match so far {right / done:.3f}, {again} requeued")
    return done, right, again
if __name__ == "__main__":
    with cf.ProcessPoolExecutor(4) as pool: got = list(pool.map(engine, range(4)))
    n = sum(g[0] for g in got); print(f"== {n} of 400 answered, {sum(g[2] for g in got)} retried, 0 given up"); print(f"== exact match {sum(g[1] for g in got) / n:.4f}  (few-shot, greedy); predictions in preds.jsonl")
'''

JOBS = (
    crate("G1", "pretrain_gpt.py --train-iters 160", PRETRAIN, python="system"),
    crate("G1", "sh sft.sh", FP16_SH, files={"sft.py": FP16}, folders=("sync", "out"), hard=True, python="system"),
    crate("G1", "train.py", FLAX, python="system"),
    crate("G1", "plantnet.py", BADPICS, ranks=2, hard=True),
    crate("G1", "gridq.py", ACTORS, python="system"),
    crate("G1", "extract_answers.py", SHARDS, hard=True, python="system"),
)
