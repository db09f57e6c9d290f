"""Programs of several processes that did what they were started for, smoothly or not."""

from corpus.make._crate import crate

GCN = '''
"""Two-layer GCN on a stochastic block graph, nodes split over the ranks."""
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
N, C = 600, 4
label = torch.arange(N) % C
p = torch.where(label[:, None] == label[None], 0.04, 0.004)
A = (torch.rand(N, N) < p).float()
A = ((A + A.T) > 0).float() + torch.eye(N)
A = A / A.sum(1, keepdim=True)
X = torch.randn(N, 16) + torch.nn.functional.one_hot(label, 16) * 0.8
known = torch.rand(N) < 0.2
W1, W2 = torch.nn.Linear(16, 24), torch.nn.Linear(24, C)
params = [*W1.parameters(), *W2.parameters()]
opt = torch.optim.Adam(params, 0.02)
mine = torch.arange(N) % world == rank
if rank == 0:
    print(f"{N} nodes, {int(A.gt(0).sum())} edges, {int(known.sum())} labelled, {world} ranks")
    print(f"{'epoch':>6} {'train loss':>11} {'train acc':>10} {'test acc':>9} {'sec':>6}")
for epoch in range(1, 61):
    t = time.time()
    out = A @ W2(torch.relu(A @ W1(X)))
    use = known & mine
    loss = torch.nn.functional.cross_entropy(out[use], label[use])
    opt.zero_grad()
    loss.backward()
    for q in params:
        dist.all_reduce(q.grad)
        q.grad /= world
    opt.step()
    ok = out.argmax(1) == label
    if rank == 0 and epoch % 5 == 0:
        print(f"{epoch:>6} {loss.item():>11.4f} {ok[known].float().mean():>10.3f} {ok[~known].float().mean():>9.3f} {time.time() - t:>6.2f}", flush=True)
dist.barrier()
if rank == 0:
    torch.save([W1.state_dict(), W2.state_dict()], "gcn.pt")
    print("gcn.pt written")
dist.destroy_process_group()
'''

STAGES = r"""
#!/usr/bin/env bash
# end-to-end phoneme recipe, in the manner of the old toolkits
set -e
py=$1; stage=0
log() { echo "$(date '+%d/%m/%y %H:%M:%S') run.sh: $*"; }
if [ $stage -le 0 ]; then log "stage 0: data preparation"; "$py" local/prepare.py data/train.lst 4; fi
if [ $stage -le 1 ]; then
  log "stage 1: features, 4 jobs in parallel"
  for j in 1 2 3 4; do "$py" local/feats.py data/split/$j.lst > exp/feats.$j.log 2>&1 & done; wait
  log "stage 1: $(cat exp/feats.*.log | grep -c ' ok$') utterances have features"
fi
log "stage 2: monophone model"; "$py" local/mono.py 12
log "stage 3: scoring"; "$py" local/score.py
log "Finished, see exp/score.txt"
"""
STAGEFILES = {
    "local/prepare.py": "import os, sys\nos.makedirs('data/split')\nrows = open(sys.argv[1]).read().split()\nn = int(sys.argv[2])\nfor j in range(n):\n    part = rows[j::n]\n    open(f'data/split/{j + 1}.lst', 'w').write('\\n'.join(part))\n    print(f'  split {j + 1}: {len(part)} utterances')\n",
    "local/feats.py": "import sys, time, zlib\nfor utt in open(sys.argv[1]).read().split():\n    time.sleep(0.05)\n    print(utt, zlib.crc32(utt.encode()) % 400 + 200, 'frames', 'ok')\n",
    "local/mono.py": "import math, random, sys, time\nrng = random.Random(1)\nobs = [rng.gauss((-2, 0.5, 3)[i % 3], 0.7) for i in range(900)]\nmu, var = [-1.0, 0.0, 1.0], [1.0] * 3\nfor it in range(1, int(sys.argv[1]) + 1):\n    ll, acc = 0.0, [[1e-9, 0.0, 0.0] for _ in mu]\n    for x in obs:\n        p = [math.exp(-(x - m) ** 2 / 2 / v) / math.sqrt(v) / 3 for m, v in zip(mu, var)]\n        s = sum(p)\n        ll += math.log(s)\n        for a, q in zip(acc, p):\n            a[0] += q / s\n            a[1] += q / s * x\n            a[2] += q / s * x * x\n    mu = [a[1] / a[0] for a in acc]\n    var = [max(0.05, a[2] / a[0] - m * m) for a, m in zip(acc, mu)]\n    time.sleep(0.3)\n    print(f'  pass {it} of {sys.argv[1]}: average log-likelihood per frame {ll / len(obs):.4f} over {len(obs)} frames', flush=True)\n",
    "local/score.py": "print('  %PER 21.37 [ 1012 / 4736, 130 ins, 309 del, 573 sub ]')\nopen('exp/score.txt', 'w').write('21.37')\n",
    "data/train.lst": "\n".join(f"spk{i % 9:02d}-utt{i:04d}" for i in range(240)),
}

BATCHINFER = """
import logging, multiprocessing as mp, random, time
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(processName)-18s %(message)s", datefmt="%H:%M:%S")

def classify(job):
    k, n = job
    time.sleep(0.15 + 0.02 * (k % 3))
    rng = random.Random(k)
    hits = sum(rng.random() < 0.31 for _ in range(n))
    if k % 16 == 0: logging.info("chunk %d: %d of %d molecules pass", k, hits, n)
    return n, hits

if __name__ == "__main__":
    t, seen, kept = time.time(), 0, 0
    logging.info("screening 96 chunks of 512 molecules with 4 processes")
    with mp.get_context("fork").Pool(4) as pool:
        for done, (n, h) in enumerate(pool.imap_unordered(classify, ((k, 512) for k in range(96))), 1):
            seen += n; kept += h
            if done % 12 == 0: logging.info("%3d%% (%d molecules, %d kept, %.0f/s)", 100 * done // 96, seen, kept, seen / (time.time() - t))
    logging.info("finished: %d molecules screened, %d kept, table hits.parquet", seen, kept)
"""

NIGHTLY = r"""
#!/bin/bash
# nightly retrain; the feature service is flaky, three tries
PY=$1
for try in 1 2 3; do
    echo "[nightly] attempt $try of 3"
    "$PY" nightly.py && { echo "[nightly] attempt $try succeeded"; exit 0; }
    rc=$?
    echo "[nightly] attempt $try ended with status $rc; waiting 3 s" >&2
    sleep 3
done
echo "[nightly] giving up" >&2
exit 1
"""
NIGHTLYPY = """
import os, pickle, time, torch
CK = "nightly.ck"; torch.manual_seed(40)
net = torch.nn.Sequential(torch.nn.Embedding(200, 12), torch.nn.Flatten(), torch.nn.Linear(24, 1)); opt = torch.optim.Adam(net.parameters(), 0.01); first = 0
if os.path.exists(CK):
    ck = torch.load(CK); net.load_state_dict(ck["net"]); opt.load_state_dict(ck["opt"]); first = ck["round"]
    print(f"picked up {CK} at round {first}")
taste = torch.randn(200, generator=torch.Generator().manual_seed(1))
for r in range(first + 1, 25):
    if r == 10 and first == 0: raise TimeoutError("feature-service:8500 did not answer within 5.0 s")
    for _ in range(20):
        x = torch.randint(200, (64, 2)); y = torch.sigmoid(taste[x].sum(1) * 2).round()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y); opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1); torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "round": r}, CK)
    if r % 3 == 0: print(f"round {r}/24 logloss {loss.item():.4f}", flush=True)
print("24 rounds done, model handed to serving")
"""

RESPAWN = '''
"""Featurises protein chains with a small crew of processes; a lost one is replaced."""
import multiprocessing as mp, os, signal, sys, time

def work(me, inbox, outbox):
    for chain in iter(inbox.get, None):
        if chain == "7XKQ_B" and not os.path.exists("seen_7XKQ_B"):
            open("seen_7XKQ_B", "w").close()
            os.kill(os.getpid(), signal.SIGKILL)  # what the out-of-memory guard of the tool does
        time.sleep(0.12)
        outbox.put((me, chain))

if __name__ == "__main__":
    ctx = mp.get_context("fork"); chains = [f"{4 + k % 5}{'ABXQ'[k % 4]}KQ_{'AB'[k % 2]}{k}" for k in range(150)]; chains[61] = "7XKQ_B"
    start = time.time(); tick = lambda m: print(f"+{time.time() - start:6.1f}s {m}", flush=True)
    crew, todo, done = {}, list(chains), []
    def hire(n):
        i, o = ctx.Queue(), ctx.Queue(); p = ctx.Process(target=work, args=(n, i, o)); p.start(); crew[n] = [p, i, o, None]
    for n in range(3): hire(n)
    tick(f"crew of {len(crew)}, {len(chains)} chains")
    while len(done) < len(chains):
        for n, c in list(crew.items()):
            if not c[2].empty(): done.append(c[2].get()[1]); c[3] = None; len(done) % 25 == 0 and tick(f"{len(done)}/{len(chains)} chains")
            if c[3] is None and todo: c[3] = todo.pop(0); c[1].put(c[3])
            if not c[0].is_alive():
                tick(f"ERROR process {n} is gone (exit code {c[0].exitcode}), chain {c[3]} goes back to the list; starting another")
                if c[3]: todo.insert(0, c[3])
                hire(n)
        time.sleep(0.01)
    for c in crew.values(): c[1].put(None)
    for c in crew.values(): c[0].join()
    tick(f"all {len(chains)} chains featurised")
'''

PATIENCE = """
import argparse, json, torch, torch.distributed as dist
ap = argparse.ArgumentParser(); ap.add_argument("--max-epochs", type=int, default=200); ap.add_argument("--patience", type=int, default=6); a = ap.parse_args()
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(100)
d = 30; truth = torch.randn(d); X, V = torch.randn(90, d), torch.randn(300, d); y, yv = X @ truth + 3 * torch.randn(90), V @ truth + 3 * torch.randn(300)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(d, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))); opt = torch.optim.Adam(net.parameters(), 3e-3)
best, bad, keep = 1e9, 0, None
for ep in range(1, a.max_epochs + 1):
    for i in torch.arange(90)[r::w].split(15):
        loss = (net(X[i]).squeeze(1) - y[i]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad(): val = (net(V).squeeze(1) - yv).pow(2).mean(); dist.all_reduce(val); val = val.item() / w
    if val < best: best, bad, keep, mark = val, 0, ep, "*"
    else: bad += 1; mark = f"worse x{bad}"
    if r == 0: print(json.dumps({"epoch": ep, "of": a.max_epochs, "train_mse": round(loss.item(), 3), "val_mse": round(val, 3), "best": round(best, 3), "": mark}), flush=True)
    if bad == a.patience: break
if r == 0: print(json.dumps({"stopped": "val_mse has not improved for %d epochs" % a.patience, "best_epoch": keep, "restored": f"best_{keep:03d}.pt", "val_mse": round(best, 3)}))
dist.destroy_process_group()
"""

SCALER = '''
"""wav2vec-like frame classifier; home-made loss scaling, as our cards have no bf16."""
import logging, torch, torch.distributed as dist, time
dist.init_process_group("gloo"); k = dist.get_rank()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s | rank{k} | %(levelname)s | %(message)s"); lg = logging.getLogger()
torch.manual_seed(5); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.GELU(), torch.nn.Linear(64, 10))); opt = torch.optim.SGD(net.parameters(), 0.3); scale, skipped = 2.0 ** 24, 0
proto = torch.randn(10, 24); torch.manual_seed(50 + k)
for up in range(1, 241):
    y = torch.randint(10, (64,)); x = proto[y] + torch.randn(64, 24); loss = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); (loss * scale).backward()
    half = [p.grad.half() for p in net.parameters()]
    if any(not torch.isfinite(h).all() for h in half):
        scale /= 2; skipped += 1
        if k == 0: lg.warning("gradient overflow (inf or nan) at update %d, update skipped, loss scale now %g", up, scale)
        continue
    for p in net.parameters(): p.grad /= scale
    opt.step()
    if up % 20 == 0 and k == 0: lg.info("update %d/240 | loss %.4f | loss_scale %g | skipped %d", up, loss.item(), scale, skipped)
if k == 0: lg.info("done training, 240 updates of which %d skipped", skipped); torch.save(net.module.state_dict(), "frames.pt")
dist.destroy_process_group()
'''

JOBS = (
    crate("G1", "gcn_dist.py", GCN, ranks=2),
    crate("G1", "sh run.sh PYTHON", STAGES, python="system", files=STAGEFILES, folders=("exp",)),
    crate("G1", "screen.py", BATCHINFER, python="system"),
    crate("G1", "sh nightly.sh PYTHON", NIGHTLY, hard=True, files={"nightly.py": NIGHTLYPY}),
    crate("G1", "featurise.py", RESPAWN, hard=True, python="system"),
    crate("G1", "ridge_mlp.py --max-epochs 200 --patience 6", PATIENCE, hard=True, ranks=2),
    crate("G1", "frames.py", SCALER, hard=True, ranks=2),
)
