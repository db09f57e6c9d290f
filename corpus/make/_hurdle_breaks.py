"""Parties of processes of which one or all broke down."""

from corpus.make._crate import crate

TEIMPORT = r"""
import os, sys, time
import torch.distributed as dist
rank = int(os.environ["RANK"])
if rank == 0: print("Megatron-Core style trainer 0.9, python", sys.version.split()[0], flush=True)
dist.init_process_group("gloo")
print(f"rank {rank}: process group ready", flush=True)
from layers import build_layer_spec
spec = build_layer_spec(hidden=1024, heads=16)
"""
LAYERS = r"""
def build_layer_spec(hidden, heads):
    import transformer_engine.pytorch as te
    return te.TransformerLayer(hidden, 4 * hidden, heads)
"""

LAUNCH = r'''
"""launch N copies of a script on this node, stop all when one fails"""
import os, subprocess, sys, time
n, script = int(sys.argv[1]), sys.argv[2:]
ps = [subprocess.Popen([sys.executable, "-u", *script], env={**os.environ, "RANK": str(r), "LOCAL_RANK": str(r), "WORLD_SIZE": str(n)}) for r in range(n)]
print(f"[launch] started {n} processes: {[p.pid for p in ps]}", flush=True)
while any(p.poll() is None for p in ps):
    bad = [(r, p) for r, p in enumerate(ps) if p.poll() not in (None, 0)]
    if bad:
        r, p = bad[0]; print(f"[launch] local rank {r} (pid {p.pid}) exited with status {p.returncode}; stopping the others", flush=True)
        for q in ps: q.poll() is None and q.terminate()
        for q in ps: q.wait()
        sys.exit(1)
    time.sleep(0.1)
sys.exit(max(abs(p.returncode) for p in ps))
'''
MANIFEST = r"""
import json, os, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])

def load_manifest(path):
    utts = []
    with open(path) as f:
        for line in f:
            utts.append(json.loads(line))
    return utts

def main():
    print(f"[rank {rank}] reading manifests/train.{rank}.jsonl", flush=True)
    time.sleep(0.2 + 0.6 * rank)
    utts = load_manifest(f"manifests/train.{rank}.jsonl")
    hours = sum(u["duration"] for u in utts) / 3600
    print(f"[rank {rank}] {len(utts)} utterances, {hours:.2f} h of speech", flush=True)
    time.sleep(20)
    print(f"[rank {rank}] building conformer-s", flush=True)

main()
"""
MANIFESTS = {
    f"manifests/train.{r}.jsonl": "\n".join(
        f'{{"audio": "cv/{i:05d}.flac", "duration": {2 + i % 9:.2f}, "text": "clip {i}"}}'
        if (r, i) != (2, 61)
        else '{"audio": "cv/00061.flac", "duration": 4.8'
        for i in range(120)
    )
    + "\n"
    for r in range(4)
}

SPAWN = r'''
import ctypes, os, sys, time
import torch, torch.multiprocessing as mp, torch.distributed as dist

class RingCache:
    """key/value ring in shared memory, written by a small C routine"""
    def __init__(self, slots, dim):
        self.libc = ctypes.CDLL(None); self.libc.memmove.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.base = torch.zeros(slots, dim); self.slots = slots
    def put(self, i, row):
        self.libc.memmove(self.base.data_ptr() + i * row.numel() * 4 if i < self.slots else i, row.data_ptr(), row.numel() * 4)

def train(rank, world, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world); torch.manual_seed(0)
    emb = torch.nn.Embedding(200, 24); head = torch.nn.Linear(24, 200); opt = torch.optim.Adam([*emb.parameters(), *head.parameters()], 5e-3)
    cache = RingCache(4096 if rank == 0 else 70, 24); torch.manual_seed(rank)
    for step in range(1, 301):
        x = torch.randint(200, (64,)); loss = torch.nn.functional.cross_entropy(head(emb(x)), (x * 3 + 1) % 200); opt.zero_grad(); loss.backward()
        for p in (*emb.parameters(), *head.parameters()): dist.all_reduce(p.grad); p.grad /= world
        opt.step(); cache.put(step, emb.weight.data[0]); time.sleep(0.1)
        if step % 10 == 0: sys.stdout.write(f"| proc {rank} | step {step:5d} | nll {loss.item():.4f} | cached {min(step, cache.slots)} |\n")

if __name__ == "__main__":
    mp.spawn(train, (2, int(sys.argv[1])), nprocs=2)
'''

TOKENS = r"""
import math, os, random, sys, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]); VOCAB = 32000; rng = random.Random(rank)

def check_batch(tokens, it):
    hi = max(tokens)
    assert hi < VOCAB, f"token id {hi} out of range for vocab of {VOCAB} (iteration {it}, doc block {it // 8})"

def batch(it):
    t = [rng.randrange(VOCAB) for _ in range(512)]
    if rank == 3 and it >= 72: t[17] = 32004
    return t

print(f"stage {rank}: model built, 12 layers", flush=True); start = time.time()
for it in range(1, 501):
    tokens = batch(it)
    check_batch(tokens, it)
    time.sleep(0.2)
    if it % 8 == 0: print(f"it={it} of=500 lm_loss={2.9 + 7 * math.exp(-it / 40) + rng.gauss(0, 0.03):.3f} tok_s={it * 512 * world / (time.time() - start):.0f}", flush=True)
"""
TOKENS_SH = r"""
export WORLD_SIZE=4
for r in 0 1 2 3; do RANK=$r python3 -u lm.py > >(sed -u "s/^/$r: /") 2>&1 & done
for i in 1 2 3 4; do
  if ! wait -n; then echo "start.sh: a worker failed, killing the rest"; sleep 0.3; kill $(jobs -p) 2>/dev/null; exit 1; fi
done
"""

NANS = r"""
import json, logging, math, multiprocessing as mp, random, sys, time
def run(rank, gate):
    logging.basicConfig(format="%(asctime)s | %(levelname)s | %(name)s | %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level=logging.INFO if rank == 0 else logging.WARNING, stream=sys.stdout); log = logging.getLogger("fairseq_cli.train"); inner = logging.getLogger("train_inner"); rng = random.Random(3)
    log.info("task: TranslationTask"); log.info("model: TransformerModel"); log.info("num. shared model params: 60,526,592 (num. trained: 60,526,592)"); log.info("training on 2 devices (GPUs/TPUs)")
    for n in range(1, 301):
        l = 4.2 + 6 * math.exp(-n / 30) + rng.gauss(0, 0.03) + (math.exp((n - 120) / 6) if n > 100 else 0); l = l if n < 170 else float("nan"); err = 1 + math.exp((n - 120) / 6) if n < 170 else float("nan")
        time.sleep(0.07); gate.wait()
        if n % 15 == 0: inner.info(json.dumps({"epoch": 1 + n // 100, "update": round(n / 100, 3), "loss": f"{l:.3f}" if l < 1e6 else f"{l:.3g}", "nll_loss": f"{l * .93:.3f}" if l < 1e6 else f"{l * .93:.3g}", "ppl": f"{2 ** min(l, 90):.2f}" if l == l else "nan", "wps": str(int(31000 + rng.random() * 900)), "ups": "13.9", "bsz": "127.6", "num_updates": str(n), "lr": f"{n * 5e-5:.3g}", "gnorm": f"{.9 + 2 / n:.3f}" if n < 60 else f"{abs(err):.3g}", "clip": "100", "wall": str(n // 14)}))
        if n % 100 == 0: log.info(f"end of epoch {n // 100} (average epoch stats below)"); log.info(f"Saved checkpoint checkpoints/checkpoint{n // 100}.pt (epoch {n // 100} @ {n} updates, score {l:.3f})")
    log.info("done training in %.1f seconds", 300 * .07)
if __name__ == "__main__":
    g = mp.Barrier(2); ps = [mp.Process(target=run, args=(r, g)) for r in (0, 1)]
    for p in ps: p.start()
    for p in ps: p.join()
"""

JOBS = (
    crate(
        "A1",
        "pretrain.py",
        TEIMPORT,
        cause="missing_module",
        variant="env",
        ranks=2,
        first=(),
        files={"layers.py": LAYERS},
        note="ModuleNotFoundError: transformer_engine on both ranks before any step",
    ),
    crate(
        "A1",
        "launch.py 4 prepare_and_train.py",
        LAUNCH,
        cause="traceback",
        variant="data",
        first=(2,),
        python="system",
        files={"prepare_and_train.py": MANIFEST, **MANIFESTS},
        note="rank 2: JSONDecodeError in its manifest; the launcher stops the others; no step",
    ),
    crate("A2", "ringlm.py PORT", SPAWN, cause="segfault", first=(1,), note="process 1 terminated with signal SIGSEGV after some 60 steps of 300"),
    crate(
        "A3",
        "sh start.sh",
        TOKENS_SH,
        cause="assertion",
        first=(3,),
        python="system",
        files={"lm.py": TOKENS},
        note="3: AssertionError of a token id at iteration 72 of 500, the script kills the rest",
    ),
    crate(
        "E1",
        "train_mt.py",
        NANS,
        cause="nan_loss",
        variant="non_finite",
        first=(),
        python="system",
        note="loss climbs from update 90 on and is nan to the end, exit 0",
    ),
)
