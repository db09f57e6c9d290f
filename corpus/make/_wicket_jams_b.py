"""Runs of one or several processes that came to a halt or crept."""

from corpus.make._crate import crate

STALELOCK = r"""
import os, socket, sys, time
rank, world, port, root = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), int(os.environ["MASTER_PORT"]), "torch_ext_cache/py311_cu121"
def say(m): print(f"[{time.strftime('%H:%M:%S')}] rank {rank}: {m}\n", end="", flush=True)
say(f"args parsed, world size {world}")
if rank == 0:
    print(f"Using {root} as PyTorch extensions root...\nDetected CUDA files, patching ldflags\nEmitting ninja build file {root}/fused_adam/build.ninja...\n", end="", flush=True)
    if os.path.exists(f"{root}/fused_adam/lock"): say(f"{root}/fused_adam/lock exists, waiting for the other build to finish")
    while os.path.exists(f"{root}/fused_adam/lock"): time.sleep(0.1)
    print("Loading extension module fused_adam...", flush=True)
say("joining the process group at 127.0.0.1")
if rank == 0:
    srv = socket.create_server(("127.0.0.1", port)); peers = [srv.accept()[0] for _ in range(world - 1)]; [c.send(b"1") for c in peers]
else:
    while True:
        try: c = socket.create_connection(("127.0.0.1", port)); break
        except ConnectionRefusedError: time.sleep(0.5)
    c.recv(1)
say("process group ready")
for step in range(1, 1001): time.sleep(0.1); say(f"step {step}/1000")
"""
UNEVENB = r"""
import json, multiprocessing as mp, random, time
def rank(r, step, ep_end, grads):
    random.seed(r); w = 3.0
    def log(**k): print(json.dumps({"ts": time.strftime("%FT%TZ", time.gmtime()), "rank": r, **k}) + "\n", end="", flush=True)
    log(event="start", world=2, epochs=6)
    for ep in range(6):
        n = 48 if ep < 2 or r == 0 else 45
        for b in range(n):
            x = random.gauss(0, 1); time.sleep(0.06); grads[r] = (w - 0.5) * x * x; step.wait(); g = sum(grads) / 2; step.wait(); w -= 0.03 * g
            if b % 6 == 5: log(event="train", epoch=ep, batch=b + 1, of=n, loss=round((w - 0.5) ** 2 + 0.01 * abs(x), 4))
        log(event="epoch_end", epoch=ep); ep_end.wait(); log(event="validated", epoch=ep, mae=round(abs(w - 0.5), 4))
if __name__ == "__main__":
    step, ep_end, grads = mp.Barrier(2), mp.Barrier(2), mp.Array("d", 2); ps = [mp.Process(target=rank, args=(r, step, ep_end, grads)) for r in range(2)]; [p.start() for p in ps]; [p.join() for p in ps]
"""
ACTOR = r"""
import ctypes, multiprocessing as mp, os, random, sys, time
W = int(sys.argv[1]); me = int(sys.argv[2]); os.makedirs("ring", exist_ok=True); random.seed(me); theta = [random.random() for _ in range(4)]
def tell(m): print(f"{time.strftime('%b %d %H:%M:%S')} learner[{me}]: {m}", flush=True)
tell(f"pid {os.getpid()} up, {W} learners")
for k in range(1, 301):
    theta = [t - 0.04 * (t - i) for i, t in enumerate(theta)]; time.sleep(0.08)
    if me == 2 and k == 111: ctypes.memmove(8, b"x" * 64, 64)
    open(f"ring/{k}.{me}.tmp", "w").write(" ".join(map(str, theta))); os.rename(f"ring/{k}.{me}.tmp", f"ring/{k}.{me}")
    while not all(os.path.exists(f"ring/{k}.{j}") for j in range(W)): time.sleep(0.02)
    all_ = [[float(v) for v in open(f"ring/{k}.{j}").read().split()] for j in range(W)]; theta = [sum(c) / W for c in zip(*all_)]
    if k % 10 == 0: tell(f"update {k}/300 td_error {sum((t - i) ** 2 for i, t in enumerate(theta)) / 4:.5f} replay 100%")
tell("all updates done")
"""
LEARNERS = r"""
export PYTHONFAULTHANDLER=1
for i in 0 1 2; do python3 learner.py 3 $i & done
for n in 1 2 3; do
  wait -n; code=$?
  [ $code -eq 0 ] || echo "$(date '+%b %d %H:%M:%S') start: a learner left with status $code"
done
"""
CACHELOCK = r"""
import datetime, fcntl, logging, os, subprocess, sys, threading, time
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="%(asctime)s %(levelname)-7s %(name)s  %(message)s"); os.makedirs("hf_cache", exist_ok=True)
log = logging.getLogger("run_summarization"); log.warning("Process rank: 0, device: cuda:0, n_gpu: 1, distributed training: False, 16-bits training: True")
log.info("loading tokenizer and config of pegasus-large"); time.sleep(1.2); log.info("model on cuda:0, 568.7M parameters"); held = os.open("hf_cache/cnn_dailymail.lock", os.O_RDWR | os.O_CREAT); os.system("true")
keep = subprocess.Popen(["sh", "-c", "exec 9<>hf_cache/cnn_dailymail.lock; flock 9; exec sleep 3600"]); time.sleep(0.6)
logging.getLogger("filelock").debug("Attempting to acquire lock %d on %s", 140213377, "hf_cache/cnn_dailymail.lock")
fcntl.flock(held, fcntl.LOCK_EX); logging.getLogger("filelock").debug("Lock acquired on %s", "hf_cache/cnn_dailymail.lock")
for s in range(500): time.sleep(0.1); log.info("step %d", s)
"""
STEPTIMES = r'''
import time, torch, warnings
warnings.warn("The 'train_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` (try `num_workers=31` on this machine) to improve performance.")
torch.manual_seed(2); net = torch.nn.Sequential(torch.nn.Conv1d(4, 8, 5, padding=2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(1), torch.nn.Flatten(), torch.nn.Linear(8, 3)); opt = torch.optim.Adam(net.parameters(), 0.02)
def augmented():
    """SpecAugment, room responses and codecs, all in NumPy in this very process."""
    time.sleep(0.74); x = torch.randn(24, 4, 60); k = torch.randint(3, (24,)); x[torch.arange(24), k] += 1.0; return x, k
S = 44; gaps = tot = 0.0
for s in range(1, S + 1):
    a = time.time(); x, y = augmented(); b = time.time(); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03); c = time.time(); gaps += b - a; tot += c - a
    if s % 4 == 0: print(f"{time.strftime('%H:%M:%S')} step {s:3d}/{S} loss {l.item():.3f} | data {1000 * (b - a):6.1f} ms | h2d 0.9 ms | fwd+bwd+opt {1000 * (c - b):5.1f} ms | gpu busy {100 * (1 - gaps / tot):4.1f} %", flush=True)
print(f"{S} steps, {tot:.1f} s, of which {gaps:.1f} s the GPU stood idle for the next batch")
'''
FSDPSAVE = r"""
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(1); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(128, 600), torch.nn.SiLU(), torch.nn.Linear(600, 128))); opt = torch.optim.AdamW(net.parameters(), 2e-3); X = torch.randn(128, 6) @ torch.randn(6, 128); spent = 0.0; t0 = time.time()
def line(m): print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} | rank {r} | {m}", flush=True)
for s in range(1, 61):
    l = (net(X) - X).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.12)
    if r == 0 and s % 2 == 0: line(f"step {s}/60 train_loss {l.item():.4f}")
    if s % 4 == 0:
        a = time.time(); line(f"gathering full state dict for step_{s}")
        if r == 0: torch.save(net.state_dict(), f"full/step_{s % 3}.pt"); f = os.open(f"full/step_{s % 3}.pt", os.O_RDONLY); os.fsync(f); os.close(f)
        time.sleep(1.6); dist.barrier(); spent += time.time() - a; line(f"checkpoint step_{s} committed to /lustre, {time.time() - a:.1f} s")
if r == 0: line(f"60 steps in {time.time() - t0:.1f} s, {spent:.1f} s ({100 * spent / (time.time() - t0):.0f} %) in checkpoints")
dist.barrier(); time.sleep(1.0)
"""
NODETIMES = r"""
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); host = ("c11-02", "c11-03", "c11-07")[r]; torch.manual_seed(0); net = torch.nn.Linear(40, 7); opt = torch.optim.SGD(net.parameters(), 0.2); torch.manual_seed(r)
if r == 0: print("rank host    samples/rank  (same sampler, same length on all ranks)\n" + "\n".join(f"{k:4d} {h}  4096" for k, h in enumerate(("c11-02", "c11-03", "c11-07"))), flush=True)
for ep in range(1, 6):
    own = wait = 0.0
    for b in range(12):
        a = time.time(); x = torch.randn(64, 40); l = torch.nn.functional.cross_entropy(net(x), x[:, :7].argmax(1)); opt.zero_grad(); l.backward(); time.sleep(0.42 if r == 1 else 0.07); m = time.time()
        for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= n
        opt.step(); own += m - a; wait += time.time() - m
    rows = [None] * n; dist.all_gather_object(rows, (host, own, wait))
    if r == 0: print(f"epoch {ep}/5 loss {l.item():.4f}\n" + "\n".join(f"    {h}: {12 * 64 / o:7.1f} samples/s by itself, compute {o:5.2f} s, waiting in all-reduce {w:5.2f} s" for h, o, w in rows), flush=True)
if r == 0: print("finished 5 epochs, saved linear.pt", flush=True)
dist.barrier(); time.sleep(1.0)
"""
POOLED = r"""
import multiprocessing as mp, random, time
def tower(r, bar, host, q):
    random.seed(r); b = 3.0
    for k in range(1, 37):
        t = time.monotonic(); b -= 0.08 * (b - 0.4 + random.gauss(0, 0.05)); time.sleep(0.62 if r == 3 else 0.1 + random.random() * 0.02); m = time.monotonic(); bar.wait(); e = time.monotonic()
        if k % 6 == 0: print(f'level=info host={host} rank={r} step={k} of=36 loss={b:.4f} step_s={e - t:.3f} compute_s={m - t:.3f} barrier_s={e - m:.3f}\n', end="", flush=True)
    bar.wait()
    if r == 0: print('level=info host=a100-04 msg="run complete" steps=36', flush=True)
if __name__ == "__main__":
    bar = mp.Barrier(4); ps = [mp.Process(target=tower, args=(r, bar, ("a100-04", "a100-04", "a100-05", "a100-05")[r], None)) for r in range(4)]; [p.start() for p in ps]; [p.join() for p in ps]
"""

JOBS = (
    crate(
        "C1",
        "sh fused3.sh PORT",
        "export MASTER_PORT=$1 WORLD_SIZE=3\nfor r in 0 1 2; do RANK=$r python3 fused_train.py & done\nwait\n",
        python="system",
        files={"fused_train.py": STALELOCK, "torch_ext_cache/py311_cu121/fused_adam/lock": ""},
        timeout_s=45,
        note="rank 0 waits for the extension's lock, ranks 1 and 2 at init_process_group; none is ready, silence to the limit",
    ),
    crate(
        "C2",
        "uneven_epochs.py",
        UNEVENB,
        python="system",
        timeout_s=56,
        note="rank 1 ended epoch 2 after 45 batches, rank 0 has 48; no word of either to the limit",
    ),
    crate(
        "C2",
        "sh learners.sh",
        LEARNERS,
        trigger="A2",
        cause="segfault",
        python="system",
        files={"learner.py": ACTOR},
        timeout_s=48,
        note="learner 2 segfaults after update 110; the others wait, silent to the limit",
    ),
    crate(
        "C3",
        "run_summarization.py --fp16 --do_train",
        CACHELOCK,
        python="system",
        timeout_s=40,
        note="at a lock of the data set's cache after three seconds, silence to the limit",
    ),
    crate("D1", "keyword_spotting.py", STEPTIMES, note="data 740 ms of each step of 780; gpu busy 4 %"),
    crate(
        "D2",
        "fsdp_ft.py",
        FSDPSAVE,
        variant="save_storm",
        ranks=2,
        folders=("full",),
        note="1.6 s of each 2.1 s in checkpoints, by its own sum three quarters",
    ),
    crate(
        "D3",
        "dp_linear.py",
        NODETIMES,
        ranks=3,
        fault="unknown",
        first=(),
        note="c11-03 computes six times as long as the others, who wait in all-reduce",
    ),
    crate(
        "D3",
        "towers.py",
        POOLED,
        python="system",
        fault="unknown",
        first=(),
        note="compute_s of rank 3 six times the others', whose barrier_s is the difference",
    ),
)
