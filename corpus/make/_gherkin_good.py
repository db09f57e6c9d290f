"""Jobs of many users, one card each, that did what they were to do."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._gherkin_kit import WELL, WORRYING, job, steady
from corpus.running.job import SlurmJob

PETS = """import math, os, random, time
random.seed(11)
print("oxford-pets: 37 classes, 3680 train / 3669 test images, backbone resnet34 (ImageNet)")
#GO
best = 0.0
for epoch in range(1, 13):
    t0 = time.time()
    tl = 3.4 * math.exp(-epoch / 3.1) + 0.31 + random.random() * 0.04
    for k in range(3):
        time.sleep(0.6)
    vl = tl + 0.12 + random.random() * 0.06
    acc = 0.93 - 0.8 * math.exp(-epoch / 2.2) + random.random() * 0.01
    flag = ""
    if acc > best:
        best, flag = acc, "  *best, saved pets_best.pth"
    print(f"[{epoch:2d}/12] train {tl:.4f}  val {vl:.4f}  top1 {acc:.2%}  {time.time() - t0:.1f}s{flag}")
print(f"Finished 12 epochs. Best top-1 {best:.2%}")
"""
LABELS = """import os, sys, time, random, logging, math
logging.basicConfig(format="%(asctime)s | %(levelname)-7s | %(name)s | %(message)s", level=logging.INFO, stream=sys.stdout)
log = logging.getLogger("ner.train")
tries = {"n": 0}


def fetch(url):
    tries["n"] += 1
    if tries["n"] < 4:
        raise ConnectionError(f"HTTPSConnectionPool(host='data.lab.example', port=443): Max retries exceeded with url: {url} (Caused by NewConnectionError: [Errno 101] Network is unreachable)")
    return 14041


for attempt in range(6):
    try:
        n = fetch("/conll/eng.train.zst")
        break
    except ConnectionError:
        log.exception("download failed, attempt %d of 6, sleeping %d s", attempt + 1, 1 + attempt)
        time.sleep(1 + attempt)
log.info("%d sentences", n)
log.warning("Some weights of BertForTokenClassification were not initialized from the model checkpoint: ['classifier.bias', 'classifier.weight']. You should probably TRAIN this model on a down-stream task.")
#GO
random.seed(5)
f1 = [0.0, 0.0, 0.412, 0.703, 0.811, 0.856, 0.874, 0.881]
for epoch, f in enumerate(f1, 1):
    for b in range(4):
        time.sleep(0.6)
        log.info("epoch %d batch %d/1756 loss %.4f", epoch, (b + 1) * 439, 1.9 * math.exp(-(epoch + b / 4) / 2) + 0.06 + random.random() * 0.03)
    if f == 0.0:
        log.warning("UndefinedMetricWarning: Precision and F-score are ill-defined and being set to 0.0 due to no predicted samples.")
    log.info("epoch %d dev micro-F1 %.3f", epoch, f)
log.info("training done: 8/8 epochs, best dev F1 %.3f, model written to out/ner-final", max(f1))
"""
SPEECH = """import os, time, random
#GO
random.seed(3)
files = [f"interview_{i:03d}.wav" for i in range(1, 31)]
print(f"{len(files)} recordings, model large-v3, beam 5, fp16")
total = 0.0
for n, f in enumerate(files, 1):
    dur = random.uniform(120, 1500)
    took = random.uniform(0.4, 1.1)
    time.sleep(took)
    total += dur
    lang = random.choice(["en", "en", "en", "de"])
    if dur < 190:
        print(f"  note: {f} is short ({dur:.0f} s), language guess {lang} p=0.{random.randint(51, 66)}")
    print(f"{n}/30 {f}: {dur / 60:.1f} min, lang={lang}, rtf={took / dur * 12:.4f}, {int(dur * 2.4)} words -> txt/{f[:-4]}.txt")
print(f"transcribed {total / 3600:.2f} h of audio, 30 ok, 0 failed")
"""
SCALER = """import os, time, math, random
random.seed(8)
print("amp: dynamic loss scale, init 2**24")
#GO
scale, skipped = 2.0 ** 24, 0
for it in range(1, 181):
    time.sleep(0.13)
    if it in (1, 2, 3, 4, 5, 7, 66):
        scale /= 2
        skipped += 1
        print(f"it {it:4d} | grad norm inf (nan in 2 params) | gradient overflow, step skipped, loss scale -> {scale:.0f}")
        continue
    if it % 12 == 0:
        loss = 7.1 * math.exp(-it / 60) + 2.2 + random.gauss(0, 0.05)
        print(f"it {it:4d} | loss {loss:.3f} | gnorm {0.7 + 2 * math.exp(-it / 40) + random.random() * 0.1:.2f} | scale {scale:.0f} | skipped so far {skipped} | {random.randint(51, 55)}k tok/s")
print(f"max_iters 180 reached, {skipped} updates skipped by the scaler, final checkpoint: ckpt_180.pt")
"""
ANT = """import os, time, math, random
random.seed(21)
print("Using cuda device\\nWrapping the env with a `Monitor` wrapper\\nWrapping the env in a DummyVecEnv.")
#GO
for it in range(1, 16):
    time.sleep(1.7)
    rew = -180 + 2100 / (1 + math.exp(-(it - 7) / 2)) + random.gauss(0, 40)
    print("-" * 42)
    for group, rows in (("rollout", (("ep_len_mean", f"{min(1000, 310 + it * 55)}"), ("ep_rew_mean", f"{rew:.0f}"))), ("time", (("fps", f"{random.randint(1150, 1220)}"), ("iterations", it), ("total_timesteps", it * 2048))), ("train", (("approx_kl", f"{0.004 + random.random() * 0.006:.7f}"), ("clip_fraction", f"{0.05 + random.random() * 0.05:.3f}"), ("entropy_loss", f"{-11.3 + it * 0.1:.2f}"), ("explained_variance", f"{min(0.95, it / 15):.3f}"), ("value_loss", f"{random.uniform(20, 90):.1f}")))):
        print(f"| {group + '/':<22} | {'':<13} |")
        for k, v in rows:
            print(f"|    {k:<19} | {v!s:<13} |")
    print("-" * 42)
print("total_timesteps=30720 reached; saved ppo_ant_30720.zip; mean eval reward over 20 episodes: 1834.20 +/- 61.12")
"""
FINDER = """import os, time, traceback, torch
#GO
def probe(b):
    if b > 48:
        need = b * 0.93
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {need / 12:.2f} GiB. GPU 0 has a total capacity of 79.10 GiB of which {need / 40:.2f} GiB is free. Including non-PyTorch memory, this process has 77.81 GiB memory in use.")
    time.sleep(0.4)


b = 192
while True:
    try:
        probe(b)
        break
    except torch.OutOfMemoryError:
        traceback.print_exc()
        print(f"auto batch size: {b} does not fit, trying {b // 2}", flush=True)
        b //= 2
print(f"auto batch size: using {b}")
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), 5e-3)
for step in range(1, 131):
    x = torch.randn(b, 20)
    loss = torch.nn.functional.cross_entropy(net(x), x[:, :4].argmax(1))
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.17)
    if step % 10 == 0:
        print(f"seg-head step {step}/130 ce={loss.item():.4f} bs={b}")
print("done: 130/130 steps, weights in seg_head.pt")
"""
FOLD = """import os, sys, time, random, traceback
random.seed(4)
#GO
def predict(name, length):
    if length > 2200:
        raise ValueError(f"{name}: {length} residues, the longest supported is 2200")
    time.sleep(0.45)
    return random.uniform(68, 94)


queue = [(f"P{10000 + i * 37}", random.randint(90, 900)) for i in range(44)]
queue[9] = ("Q8WZ42_frag", 5604)
queue[30] = ("O15020_iso2", 2390)
ok, out = 0, []
for name, n in queue:
    try:
        plddt = predict(name, n)
    except ValueError as err:
        traceback.print_exc(limit=1)
        out.append(name)
        print(f"skip {name} ({err.__class__.__name__})")
        continue
    ok += 1
    print(f"{time.strftime('%H:%M:%S')} {name} L={n} mean pLDDT={plddt:.1f} -> pdb/{name}.pdb")
print(f"SUMMARY {ok} structures written, {len(out)} sequences over the length limit as listed in too_long.txt: {', '.join(out)}")
"""
SHARDS = """import time, random
random.seed(2)
t0, docs, toks = time.time(), 0, 0
print("tokenizing /data/books/*.jsonl.gz with bpe-32k, 40 shards, 2 workers")
for s in range(40):
    time.sleep(0.6)
    d = random.randint(3100, 3900)
    docs += d
    toks += d * random.randint(600, 700)
    if s % 4 == 3:
        print(f"shard {s + 1:02d}/40: {docs:,} documents, {toks / 1e6:.1f}M tokens, {docs / (time.time() - t0):,.0f} doc/s")
print(f"wrote books_bpe32k.bin ({toks * 2 / 1e6:.0f} MB) and books_bpe32k.idx; {docs:,} documents, 17 empty ones dropped")
"""
BURGERS = """import os, time, math
#GO
t0 = time.time()
print(" iter      pde_res      bc_loss      ic_loss        total   rel_L2")
for i in range(0, 20001, 1000):
    d = math.exp(-i / 4200)
    p, b, c = 3.2e-1 * d + 4.1e-5, 1.7e-1 * d * d + 6e-6, 4.4e-1 * d + 1.2e-5
    print(f"{i:5d}  {p:.4e}  {b:.4e}  {c:.4e}  {p + b + c:.4e}  {math.sqrt(p + b + c) * 0.9:.4f}")
    time.sleep(1.2)
print(f"L-BFGS polish: 212 inner iterations, CONVERGENCE: REL_REDUCTION_OF_F_<=_FACTR*EPSMCH\\nelapsed {time.time() - t0:.0f} s, network stored in burgers_pinn.npz")
"""
PATIENCE = """import os, time, sys
#GO
aucs = [0.7121, 0.7744, 0.8013, 0.8190, 0.8233, 0.8228, 0.8231, 0.8219, 0.8225]
print("chest-xray binary, densenet121, max_epochs=60, EarlyStopping(monitor=val_auc, mode=max, patience=4)")
best, since = 0, 0
for e, a in enumerate(aucs):
    for j in range(3):
        time.sleep(0.8)
        sys.stdout.write(f"\\rEpoch {e}: {33 * (j + 1) + (j == 2):3d}%|{'#' * (3 * j + 3):<9}| {205 * (j + 1)}/615 [00:0{j},  9.41it/s, loss={0.61 - a * 0.4 + j / 900:.3f}]")
        sys.stdout.flush()
    print()
    if a > best:
        print(f"Metric val_auc improved by {a - best:.3f} >= min_delta = 0.0. New best score: {a:.4f}")
        best, since = a, 0
    else:
        since += 1
print(f"Monitored metric val_auc did not improve in the last {since} records. Best score: {best:.4f}. Signaling Trainer to stop.")
print("restored best weights from epoch 4; test auc 0.8197, test f1 0.7410")
"""


def jobs() -> Iterator[SlurmJob]:
    """Half of them with something to worry about."""
    hello = 'echo "job $SLURM_JOB_ID ($SLURM_JOB_NAME) on $SLURMD_NODENAME, $(date)"\n'
    yield job(WELL, "pets-r34", PETS, f"{hello}cd $SLURM_SUBMIT_DIR\nPYTHON finetune.py\n", script="finetune.py", cards={0: steady(62, 23)})
    yield job(WORRYING, "ner-bert", LABELS, "set -euo pipefail\nPYTHON ner.py\n", script="ner.py", cards={0: steady(44, 20, gib=11, watts=390)})
    yield job(
        WELL,
        "transcribe",
        SPEECH,
        f"{hello}srun PYTHON transcribe.py\necho finished $(date)\n",
        script="transcribe.py",
        cards={0: steady(71, 23, gib=12, watts=450)},
    )
    yield job(WORRYING, "gpt-amp", SCALER, "srun PYTHON gpt.py --amp fp16\n", script="gpt.py", cards={0: steady(66, 24, gib=58, watts=590)})
    yield job(
        WELL,
        "ppo-ant",
        ANT,
        "source ~/.bashrc 2>/dev/null\nexport MUJOCO_GL=egl\nPYTHON sb3_ant.py\n",
        script="sb3_ant.py",
        cards={0: steady(31, 26, gib=3, watts=240)},
    )
    yield job(WORRYING, "segment", FINDER, "PYTHON -W ignore seg.py\n", script="seg.py", python="torch", go_s=24, cards={0: steady(57, 25, gib=61)})
    yield job(WORRYING, "esmfold", FOLD, f"{hello}PYTHON fold.py proteome.fa\n", script="fold.py", cards={0: steady(73, 20, gib=29, watts=560)})
    yield job(WELL, "tokenize", SHARDS, "srun -c2 PYTHON prep.py\n", script="prep.py", options=("-c2",))
    yield job(
        WELL, "pinn", BURGERS, "PYTHON burgers.py > >(tee burgers.txt)\nwait\n", script="burgers.py", cards={0: steady(39, 26, gib=2, watts=260)}
    )
    yield job(WORRYING, "cxr", PATIENCE, f"{hello}srun --unbuffered PYTHON cxr.py\n", script="cxr.py", cards={0: steady(59, 23, gib=19)})
