"""Runs that broke, learned nothing, lost their state or ended too soon."""

from corpus.make._crate import crate

MAENAN = r"""
import math, sys, time, torch
torch.manual_seed(22); enc = torch.nn.Sequential(torch.nn.Linear(48, 64), torch.nn.GELU(), torch.nn.Linear(64, 48)); opt = torch.optim.SGD(enc.parameters(), 1e-3); X = torch.randn(512, 48) * 4
print("base lr: 1.50e-02\nactual lr: 3.00e-02\naccumulate grad iterations: 1\neffective batch size: 32\nStart training for 40 epochs")
for epoch in range(40):
    print(f"log_dir: ./output_dir")
    for i, ix in enumerate(torch.randperm(512).split(32)):
        lr = 0.5 * (epoch + i / 16) ** 2.2 / 20 + 0.01; opt.param_groups[0]["lr"] = lr; mask = (torch.rand(32, 48) > 0.75).float(); loss = ((enc(X[ix] * mask) - X[ix]).pow(2) * (1 - mask)).sum() / (1 - mask).sum(); v = loss.item()
        if not math.isfinite(v): print(f"Loss is {v}, stopping training"); sys.exit(1)
        opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.01)
        if i % 8 == 0: print(f"Epoch: [{epoch}]  [{i:2d}/16]  eta: 0:00:0{(16 - i) // 9}  lr: {lr:.6f}  loss: {v:.4f}  time: 0.0141  data: 0.0002  max mem: 7311")
"""
IMAGENET = r"""
import argparse, os, time, torch
p = argparse.ArgumentParser(); p.add_argument("--arch", default="alexlet"); p.add_argument("--epochs", type=int, default=8); p.add_argument("--resume", default=""); p.add_argument("--save", default="checkpoint.pth.tar"); args = p.parse_args()
print(f"=> creating model '{args.arch}'"); torch.manual_seed(0); X = torch.randn(800, 30); Y = X[:, :10].argmax(1); net = torch.nn.Sequential(torch.nn.Linear(30, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)); opt = torch.optim.SGD(net.parameters(), 0.08, momentum=0.9); first = 0
if args.resume:
    if os.path.isfile(args.resume): print(f"=> loading checkpoint '{args.resume}'"); c = torch.load(args.resume); first = c["epoch"]; net.load_state_dict(c["state_dict"]); opt.load_state_dict(c["optimizer"]); print(f"=> loaded checkpoint '{args.resume}' (epoch {first})")
    else: print(f"=> no checkpoint found at '{args.resume}'")
for ep in range(first, args.epochs):
    for i, ix in enumerate(torch.randperm(800).split(80)):
        o = net(X[ix]); l = torch.nn.functional.cross_entropy(o, Y[ix]); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
        if i % 5 == 0: print(f"Epoch: [{ep}][{i:4d}/10]\tTime  0.034 ( 0.036)\tData  0.001 ( 0.001)\tLoss {l.item():.4e}\tAcc@1 {100 * (o.argmax(1) == Y[ix]).float().mean():6.2f}")
    print(f" *   Acc@1 {100 * (net(X).argmax(1) == Y).float().mean():.3f} Acc@5 99.{ep}00"); torch.save({"epoch": ep + 1, "state_dict": net.state_dict(), "optimizer": opt.state_dict()}, args.save)
"""
LEGS = r"""
echo "== part 1 of 3: epochs 0-7"; python main.py --epochs 8 --save ckpt/alexlet.pth.tar || exit 1
echo "== part 2 of 3: epochs 8-15"; python main.py --epochs 16 --resume ckpt/alexlet.pth.tar --save ckpt/alexlet.pth.tar || exit 1
echo "== part 3 of 3: epochs 16-23"; python main.py --epochs 24 --resume ckpt/alexnet.pth.tar --save ckpt/alexlet-final.pth.tar
"""
VOCAB = r"""
import argparse, logging, sys, torch
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s | %(levelname)s | %(name)s | %(message)s"); log = logging.getLogger("mt.train")
p = argparse.ArgumentParser(); p.add_argument("--vocab"); p.add_argument("--restore"); a = p.parse_args()
words = open(a.vocab).read().split(); log.info("dictionary: %d types (from %s)", len(words), a.vocab)
class Seq(torch.nn.Module):
    def __init__(s, v, d=32): super().__init__(); s.embed_tokens = torch.nn.Embedding(v, d); s.layers = torch.nn.GRU(d, d, batch_first=True); s.output_projection = torch.nn.Linear(d, v, bias=False)
    def forward(s, x): return s.output_projection(s.layers(s.embed_tokens(x))[0])
model = Seq(len(words)); log.info("num. model params: %d", sum(q.numel() for q in model.parameters()))
if a.restore == "new": torch.save({"model": model.state_dict(), "num_updates": 42000}, "wmt_base.pt"); sys.exit(0)
st = torch.load(a.restore); log.info("restoring %s (%d updates)", a.restore, st["num_updates"]); model.load_state_dict(st["model"])
log.info("training on 1 devices (GPUs)")
for u in range(1, 101): log.info("update %d", u)
"""
MEGAPREP = r"""
import argparse, json, random, sys, time
p = argparse.ArgumentParser(); p.add_argument("--input"); p.add_argument("--workers", type=int); p.add_argument("--output-prefix"); a = p.parse_args()
random.seed(0); total = 1_850_000; print(f"Opening {a.input} ({total} documents)"); print("> building GPT2BPETokenizer tokenizer ...\n > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)\nVocab size: 50257\nOutput prefix:", a.output_prefix); time.sleep(1); print("Time to startup:", 1.0042)
t = time.time(); n = mb = 0; out = open(a.output_prefix + "_text_document.bin", "wb")
while n < total:
    for _ in range(40): doc = " ".join(random.choices("alpha beta gamma delta the of and".split(), k=60)); ids = [hash(w) % 50257 for w in doc.split()]; out.write(b"".join(i.to_bytes(2, "little") for i in ids[:4]))
    n += 10000; mb += 10000 * 0.0031; time.sleep(0.95 + random.random() / 10); s = time.time() - t; print(f"Processed {n} documents ({n / s:.2f} docs/s, {mb / s:.2f} MB/s).", file=sys.stderr, flush=True)
print("done")
"""
POLICY = r"""
import argparse, json, logging, sys
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s"); log = logging.getLogger("llama_recipes")
p = argparse.ArgumentParser(); p.add_argument("--config"); a = p.parse_args(); cfg = json.load(open(a.config)); log.info("config loaded: %s", json.dumps(cfg))
KNOWN = {"llama": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"], "falcon": ["query_key_value", "dense"]}
class LoraConfig:
    def __init__(self, r, alpha, target_modules): self.r, self.alpha, self.target_modules = r, alpha, target_modules
def get_peft_model(family, lora):
    found = [m for m in lora.target_modules if m in KNOWN[family]]
    if not found: raise ValueError(f"Target modules {set(lora.target_modules)} not found in the base model. Please check the target modules and try again.")
    return found
log.info("loading base model falcon-7b (2 shards)"); log.info("Loading checkpoint shards: 2/2")
mods = get_peft_model(cfg["family"], LoraConfig(**cfg["lora"])); log.info("adapters on %s", mods)
for step in range(100): log.info("step %d", step)
"""
BADSHARD = r"""
import csv, logging, sys, time
import numpy as np
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s [%(levelname).4s] %(message)s", datefmt="%H:%M:%S")
cols = {"lat": [], "lon": [], "t2m": []}
for name in ("era_1998.csv", "era_1999.csv", "era_2000.csv"):
    with open(name) as f:
        rows = list(csv.DictReader(f))
    for k in cols: cols[k] += [float(r[k]) for r in rows]
    logging.info("%s: %d stations", name, len(rows))
X = np.column_stack([cols["lat"], cols["lon"]]); y = np.array(cols["t2m"]); logging.info("design matrix %s, starting gradient descent", X.shape)
w = np.zeros(2)
for ep in range(200): g = X.T @ (X @ w - y) / len(y); w -= 1e-4 * g; logging.info("epoch %d mse %.4f", ep, ((X @ w - y) ** 2).mean())
"""
DEDUP = r"""
import hashlib, random, time
print("[dedup] MinHash LSH, 128 permutations, 20 bands; index is kept in memory", flush=True)
random.seed(1); index = {}; n = 0; t = time.time()
for part in range(64):
    for _ in range(6000):
        key = hashlib.sha1(random.randbytes(12)).digest(); index[key] = [random.random() for _ in range(24)]; n += 1
    rss = int(next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]) // 1024
    print(f"[dedup] part {part:03d}/064 done, {n} signatures, index rss {rss} MiB, {n / (time.time() - t):.0f} docs/s", flush=True); time.sleep(0.4)
print("[dedup] writing clusters", flush=True)
"""
EMBED = r"""
import logging, os, sys, time
import numpy as np, torch
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s,%(msecs)03d %(levelname)s [embed_passages.py] %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
torch.manual_seed(0); enc = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 768)).eval(); N = 40
logging.info("encoder loaded (%d params), %d shards of 400 passages, writing to %s", sum(p.numel() for p in enc.parameters()), N, "full/vectors")
os.makedirs("full/vectors", exist_ok=True); t = time.time()
for s in range(N):
    with torch.inference_mode(): v = enc(torch.randn(400, 256)).numpy()
    time.sleep(0.35); name = f"full/vectors/passages_{s:05d}.npy"
    with open(name, "wb") as f: np.save(f, v)
    if s % 2 == 1: logging.info("encoded %d/%d shards, %.0f passages/s", s + 1, N, 400 * (s + 1) / (time.time() - t))
logging.info("index is complete")
"""
FEWSTEPS = r"""
import sys, time, torch
STEPS = int(sys.argv[1].split("=")[1]); torch.manual_seed(0); net = torch.nn.Linear(64, 64); opt = torch.optim.AdamW(net.parameters(), 2e-5)
print("{'model_name_or_path': '/models/qwen2-7b', 'dataset': 'alpaca_gpt4_en (52002 rows)', 'finetuning_type': 'lora', 'per_device_train_batch_size': 4, 'learning_rate': 2e-05, 'max_steps': %d}" % STEPS, flush=True); time.sleep(2)
print(f"***** Running training *****\n  Num examples = 52,002\n  Num Epochs = 1\n  Total optimization steps = {STEPS}", flush=True); t = time.time()
for s in range(1, STEPS + 1): x = torch.randn(4, 64); l = (net(x) - x.roll(1, 1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.8); print({"loss": round(l.item(), 4), "grad_norm": round(sum(p.grad.pow(2).sum().item() for p in net.parameters()) ** 0.5, 4), "learning_rate": 2e-05, "epoch": round(s * 4 / 52002, 4)}, flush=True)
print({"train_runtime": round(time.time() - t, 4), "train_steps_per_second": round(STEPS / (time.time() - t), 3), "train_loss": round(l.item(), 4), "epoch": round(STEPS * 4 / 52002, 4)}); torch.save(net.state_dict(), "adapter_model.bin"); print("Saving model checkpoint to saves/qwen2-7b-lora/final")
"""


def _year(year: int) -> str:
    rows = [f"{40 + i / 3:.2f},{7 + i / 5:.2f},{11.4 + (i * 13 % 17) / 4:.2f}" for i in range(60)]
    if year == 2000:
        rows[22] = "47.33,11.40,1O.15"
    return "lat,lon,t2m\n" + "\n".join(rows) + "\n"


YEARS = {f"era_{y}.csv": _year(y) for y in (1998, 1999, 2000)}

JOBS = (
    crate(
        "E1",
        "main_pretrain.py",
        MAENAN,
        cause="nan_loss",
        variant="non_finite",
        status=1,
        first=(),
        note="the loss grows and the run stops itself: Loss is nan, stopping training",
    ),
    crate(
        "E2",
        "sh parts.sh",
        LEGS,
        variant="from_scratch",
        status=0,
        files={"main.py": IMAGENET},
        folders=("ckpt",),
        note="part 3: no checkpoint found at alexnet.pth.tar, epoch 0 with the first loss; part 2 had loaded",
    ),
    crate(
        "E2",
        "nmt.py --vocab dict.de-en.txt --restore wmt_base.pt",
        VOCAB,
        cause="runtime_error",
        variant="size_mismatch",
        files={"dict.de-en.txt": " ".join(f"w{i}" for i in range(640)), "dict.old.txt": " ".join(f"w{i}" for i in range(512))},
        before=(("PYTHON", "nmt.py", "--vocab", "dict.old.txt", "--restore", "new"),),
        note="size mismatch for embed_tokens.weight on restoring",
    ),
    crate(
        "F3",
        "tools/preprocess_data.py --input pile_00.jsonl --workers 8 --output-prefix pile_00",
        MEGAPREP,
        variant="advancing",
        python="system",
        timeout_s=36,
        note="10000 documents a second to the limit, of 1.85 million",
    ),
    crate(
        "A1",
        "finetuning.py --config falcon.json",
        POLICY,
        cause="traceback",
        variant="config",
        python="system",
        files={"falcon.json": '{"family": "falcon", "lora": {"r": 16, "alpha": 32, "target_modules": ["q_proj", "v_proj"]}}'},
        note="ValueError: Target modules not found in the base model, before any step",
    ),
    crate(
        "A1",
        "fit_t2m.py",
        BADSHARD,
        cause="traceback",
        variant="data",
        files=YEARS,
        note="ValueError: could not convert string to float '1O.15' while reading the third table",
    ),
    crate(
        "A2",
        "dedup_minhash.py",
        DEDUP,
        cause="oom_killer",
        python="system",
        status=-9,
        group_mib=260,
        note="oom_kill of the control group at its limit, signal 9, rss growing",
    ),
    crate("A3", "embed_passages.py", EMBED, cause="traceback", disk_mib=20, note="OSError: No space left on device after a dozen of 40 shards"),
    crate("E3", "sft.py --max_steps=3", FEWSTEPS, note="three steps of 52,002 rows, exit 0"),
)
