"""Home-made trainers that break: at the start, in the middle, by a signal, on loading."""

from corpus.make._crate import crate
from corpus.running.job import Signal

VOCODER = '''
import argparse, logging, torch
logging.basicConfig(level=20, format="%(asctime)s [vocoder] %(message)s")
p = argparse.ArgumentParser(); p.add_argument("--teacher", default="pretrained/hifi_universal_v2.pt"); p.add_argument("--sr", type=int, default=22050); p.add_argument("--hop", type=int, default=256); a = p.parse_args()
logging.info("sample rate %d, hop %d", a.sr, a.hop)
gen = torch.nn.Sequential(torch.nn.ConvTranspose1d(80, 32, 16, 8), torch.nn.LeakyReLU(0.1), torch.nn.Conv1d(32, 1, 7)); logging.info("generator built, %.2f M parameters", sum(q.numel() for q in gen.parameters()) / 1e6)
logging.info("loading teacher")
teacher = torch.load(a.teacher, map_location="cpu")
for step in range(1000): pass
'''
EINOPS = '''
#!/usr/bin/env python3
import os, sys, time
print(time.strftime("%c"), "| host", os.uname().sysname, "| python", sys.version.split()[0], flush=True)
import torch
from models.vit import PatchViT
torch.manual_seed(0)
net = PatchViT(dim=64, depth=2)
print(net)
'''
VIT = '''
import torch
from einops import rearrange, repeat
class PatchViT(torch.nn.Module):
    def __init__(self, dim, depth):
        super().__init__(); self.proj = torch.nn.Linear(48, dim); self.blocks = torch.nn.ModuleList(torch.nn.TransformerEncoderLayer(dim, 4) for _ in range(depth))
    def forward(self, x): return self.blocks[0](self.proj(rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)))
'''
INI = '''
import configparser, sys
c = configparser.ConfigParser(); c.read(sys.argv[1])
print("sections:", ", ".join(c.sections()), flush=True)
SCHED = {"cosine": lambda s, n: 0.5, "step": lambda s, n: 0.1 ** (s // 30), "constant": lambda s, n: 1.0}
lr, warm = c.getfloat("optim", "lr"), c.getint("optim", "warmup")
sched = SCHED[c["optim"]["schedule"]]
print("lr", lr, "warmup", warm)
for epoch in range(c.getint("train", "epochs")): print("epoch", epoch, sched(epoch, 1))
'''
GRAPHDATA = '''
import csv, logging, torch
logging.basicConfig(level="INFO", format="%(levelname)s:%(name)s:%(message)s"); log = logging.getLogger("citegraph")
nodes = {r["id"]: i for i, r in enumerate(csv.DictReader(open("graph/nodes.csv")))}
log.info("%d nodes", len(nodes))
edges = [(int(r["src"]), int(r["dst"])) for r in csv.DictReader(open("graph/edges.csv"))]
log.info("%d edges", len(edges))
e = torch.tensor(edges).t()
assert e.max() < len(nodes), f"edge list refers to node {int(e.max())} but there are only {len(nodes)} nodes"
A = torch.sparse_coo_tensor(e, torch.ones(e.shape[1]), (len(nodes),) * 2)
log.info("adjacency ready")
'''
LOCKED = '''
import json, pathlib, torch, datetime
now = datetime.datetime.now; say = lambda *w: print(f"{now():%Y/%m/%d %H:%M:%S}", *w, flush=True)
say("experiment neuralode-3"); cache = pathlib.Path("cache"); say("reading cached trajectories from", cache)
meta = json.loads((cache / "meta.json").read_text()); say(len(meta["runs"]), "trajectories")
'''
SOFTWARP = '''
import torch, time
class AvgMeter:
    def __init__(s): s.reset()
    def reset(s): s.sum = s.cnt = 0
    def add(s, v, n): s.sum += v * n; s.cnt += n
    @property
    def avg(s): return s.sum / s.cnt
torch.manual_seed(4); enc = torch.nn.LSTM(13, 24, batch_first=True); cls = torch.nn.Linear(24, 5); opt = torch.optim.Adam([*enc.parameters(), *cls.parameters()], 3e-3)
proto = torch.randn(5, 13); hard = AvgMeter(); m = AvgMeter()
for step in range(1, 401):
    y = torch.randint(5, (24,)); x = proto[y][:, None] + 0.9 * torch.randn(24, 9, 13); logit = cls(enc(x)[0][:, -1]); l = torch.nn.functional.cross_entropy(logit, y, reduction="none")
    opt.zero_grad(); l.mean().backward(); opt.step(); m.add(l.mean().item(), 24); bad = l[l > 0.25]
    if len(bad): hard.add(bad.mean().item(), len(bad))
    if step % 20 == 0: print(f"{time.strftime('%H:%M:%S')} step {step:4d}/400 loss {m.avg:.4f} hard-frame loss {hard.avg:.4f} ({hard.cnt})", flush=True); hard.reset(); m.reset()
'''
PHASE2 = '''
import json, logging, sys, torch
logging.basicConfig(stream=sys.stdout, level="INFO", format="%(asctime)s %(levelname)s %(message)s")
torch.manual_seed(2); net = torch.nn.Sequential(torch.nn.Linear(30, 50), torch.nn.GELU(), torch.nn.Linear(50, 8)); opt = torch.optim.AdamW(net.parameters(), 2e-3)
curriculum = json.load(open("curriculum.json"))
for phase in curriculum:
    stats = json.load(open(phase["stats"])); logging.info("phase %s: %d steps, noise %.2f", phase["name"], phase["steps"], stats["noise"])
    for s in range(1, phase["steps"] + 1):
        x = torch.randn(40, 30); l = torch.nn.functional.cross_entropy(net(x + stats["noise"] * torch.randn_like(x)), x[:, :8].argmax(1)); opt.zero_grad(); l.backward(); opt.step()
        if s % 20 == 0: logging.info("  %s %d/%d loss %.4f", phase["name"], s, phase["steps"], l.item())
logging.info("curriculum finished")
'''
GROWING = '''
import random, resource, sys, time
random.seed(1); w = [0.0] * 6; buf = []; true = [random.gauss(0, 1) for _ in w]
def rss(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
for ep in range(1, 200):
    err = 0.0
    for _ in range(200):
        x = [random.gauss(0, 1) for _ in w]; e = sum((a - b) * c for a, b, c in zip(true, w, x)); err += e * e
        for k in range(6): w[k] += 0.01 * e * x[k]
    buf.append(bytearray(12_000_000)); time.sleep(0.12)
    print("epoch", ep, "mse", "%.6f" % (err / 200), "replay", len(buf), "rss", rss(), "MiB", flush=True)
'''
DISKFULL = '''
import time, torch
torch.manual_seed(1); net = torch.nn.Sequential(torch.nn.Linear(300, 600), torch.nn.ReLU(), torch.nn.Linear(600, 300)); opt = torch.optim.Adam(net.parameters(), 1e-3); B = torch.randn(20, 300)
for epoch in range(1, 41):
    for _ in range(12): x = torch.randn(32, 20) @ B; l = (net(x) - x).abs().mean(); opt.zero_grad(); l.backward(); opt.step()
    print("Epoch {:02d} MAE {:.5f}".format(epoch, l.item()), flush=True)
    with open(f"full/epoch{epoch:02d}.bin", "wb") as f:
        for p in net.parameters(): f.write(p.detach().numpy().tobytes())
'''
EDGELEN = '''
import torch, random, sys
random.seed(3); torch.manual_seed(3); V = 40; m = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True); emb, pos, head = torch.nn.Embedding(V, 32), torch.nn.Embedding(64, 32), torch.nn.Linear(32, V)
opt = torch.optim.AdamW([*m.parameters(), *emb.parameters(), *pos.parameters(), *head.parameters()], 1e-3)
docs = [torch.randint(V, (random.randint(10, 64),)) for _ in range(300)]; docs[217] = torch.randint(V, (65,))
print("docs", len(docs), "longest allowed", 64)
for i, d in enumerate(docs):
    h = m((emb(d) + pos.weight[: len(d)])[None]); l = torch.nn.functional.cross_entropy(head(h)[0], d); opt.zero_grad(); l.backward(); opt.step()
    if i % 15 == 0: print(f"doc={i} len={len(d)} nll={l.item():.3f}"); sys.stdout.flush()
'''
METAHEAD = '''
import logging, torch
log = logging.getLogger("proto"); logging.basicConfig(level="INFO", format="%(asctime)s.%(msecs)03d %(name)s - %(message)s", datefmt="%H:%M:%S")
torch.manual_seed(6); enc = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16)); opt = torch.optim.Adam(enc.parameters(), 2e-3); C = torch.randn(5, 20) * 1.5
with torch.device("meta"): temperature = torch.nn.Parameter(torch.ones(1))
def episode(): y = torch.arange(5).repeat(6); return C[y] + torch.randn(30, 20), y
for ep in range(1, 301):
    x, y = episode(); z = enc(x); proto = z[:15].view(3, 5, 16).mean(0); d = -torch.cdist(z[15:], proto)
    if ep > 200: d = d / temperature
    l = torch.nn.functional.cross_entropy(d, y[15:]); opt.zero_grad(); l.backward(); opt.step()
    if ep % 20 == 0: log.info("episode %d query loss %.4f acc %.3f", ep, l.item(), (d.argmax(1) == y[15:]).float().mean())
    if ep == 200: log.info("switching to learned temperature")
'''
CLIB = '''
import ctypes, faulthandler, time, torch
torch.manual_seed(0); libc = ctypes.CDLL(None)
def crop(buf, at, n): out = ctypes.create_string_buffer(n); libc.memcpy(out, ctypes.c_void_p(at), n); return out
net = torch.nn.Conv1d(1, 4, 5); fc = torch.nn.Linear(4, 2); opt = torch.optim.SGD([*net.parameters(), *fc.parameters()], 0.05)
wave = torch.randn(4096)
for k in range(1, 301):
    start = wave.data_ptr() if k < 170 else 0x10
    seg = torch.frombuffer(bytearray(crop(wave, start, 1024).raw), dtype=torch.float32); y = torch.tensor([int(seg.mean() > 0)]); x = seg[None, None] + 0.1 * torch.randn(1, 1, 256)
    l = torch.nn.functional.cross_entropy(fc(net(x).relu().mean(-1)), y); opt.zero_grad(); l.backward(); opt.step()
    if k % 10 == 0: print(f"[{k:>5}] loss={l.item():.4f}", flush=True)
'''
ACTORCRIT = '''
import random, time, sys
random.seed(11); theta = [0.0, 0.0, 0.0]; base = 0.0; arms = (0.2, 0.5, 0.8)
import math
for upd in range(1, 4001):
    z = [math.exp(t) for t in theta]; s = sum(z); a = random.choices(range(3), z)[0]; r = float(random.random() < arms[a]); base += 0.02 * (r - base)
    for k in range(3): theta[k] += 0.15 * (r - base) * ((k == a) - z[k] / s)
    time.sleep(0.01)
    if upd % 40 == 0: sys.stdout.write(f"update {upd}/4000 avg_reward {base:.3f} pi {[round(v / s, 2) for v in z]}\\n"); sys.stdout.flush()
'''
FEATCACHE = '''
import logging, time, torch
logging.basicConfig(level="INFO", format="%(asctime)s %(message)s"); torch.manual_seed(0); net = torch.nn.Linear(64, 64); opt = torch.optim.SGD(net.parameters(), 0.1); cache = {}
def features(k):
    if k not in cache: cache[k] = torch.randn(80, 64, 1200).add_(0.5)
    return cache[k]
for k in range(1, 200):
    f = features(k).mean(-1); l = (net(f) - f * 2).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.08)
    logging.info("clip %d, loss %.6f, %.0f MiB of features kept", k, l.item(), len(cache) * 80 * 64 * 1200 * 4 / 2 ** 20)
'''
VOCABGREW = '''
import argparse, torch
p = argparse.ArgumentParser(); p.add_argument("--vocab", type=int); p.add_argument("--steps", type=int, default=120); p.add_argument("--init-from"); a = p.parse_args(); torch.manual_seed(1)
m = torch.nn.ModuleDict({"tok": torch.nn.Embedding(a.vocab, 20), "rnn": torch.nn.GRU(20, 20, batch_first=True), "out": torch.nn.Linear(20, a.vocab)})
if a.init_from: print("initialising from", a.init_from); m.load_state_dict(torch.load(a.init_from)["model"])
o = torch.optim.Adam(m.parameters(), 3e-3)
for s in range(1, a.steps + 1):
    x = (torch.arange(17)[None] * torch.randint(1, 4, (16, 1))) % a.vocab; h, _ = m["rnn"](m["tok"](x[:, :-1])); l = torch.nn.functional.cross_entropy(m["out"](h).transpose(1, 2), x[:, 1:]); o.zero_grad(); l.backward(); o.step()
    if s % 20 == 0: print(f"  {s:>4}  nll {l.item():.4f}")
torch.save({"model": m.state_dict()}, "last.pt"); print("saved last.pt")
'''
RESTART = '''
import json, os, sys, torch
torch.manual_seed(21); g = torch.Generator().manual_seed(5); net = torch.nn.Sequential(torch.nn.Linear(12, 40), torch.nn.Tanh(), torch.nn.Linear(40, 1)); opt = torch.optim.Adam(net.parameters(), 4e-3); start = 0
want = sys.argv[sys.argv.index("--resume") + 1] if "--resume" in sys.argv else None
if want and os.path.exists(os.path.join("runs", want, "state.pth")):
    s = torch.load(os.path.join("runs", want, "state.pth")); net.load_state_dict(s["net"]); start = s["step"]
end = int(sys.argv[1])
for step in range(start + 1, end + 1):
    x = torch.randn(64, 12, generator=g); l = (net(x) - x[:, :3].prod(1, keepdim=True) - x.sum(1, keepdim=True)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if step == start + 1 or step % 40 == 0: print(json.dumps({"step": step, "of": end, "mse": round(l.item(), 4)}), flush=True)
os.makedirs("runs/dyn01", exist_ok=True); torch.save({"net": net.state_dict(), "step": step}, "runs/dyn01/state.pt"); print(json.dumps({"saved": "runs/dyn01/state.pt", "step": step}))
'''
LEGS = '"$1" dyn.py 400\necho "--- continuing to 800 ---"\n"$1" dyn.py 800 --resume dyn01\n'
BADZIP = '''
import logging, pathlib, torch
logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)5s %(message)s"); net = torch.nn.Linear(200, 200); path = max(pathlib.Path("weights").glob("step*.pt"))
logging.info("resuming training from %s (%d bytes)", path, path.stat().st_size)
net.load_state_dict(torch.load(path)["net"]); logging.info("resumed")
'''
MAKEBAD = 'import torch; torch.save({"net": torch.nn.Linear(200, 200).state_dict()}, "weights/step05000.pt"); d = open("weights/step05000.pt", "rb").read(); open("weights/step05000.pt", "wb").write(d[:90000])'
EDGES = "src,dst\n" + "\n".join(f"{i % 50},{(7 * i) % 53}" for i in range(200))
CURR = '[{"name": "easy", "steps": 160, "stats": "stats/easy.json"}, {"name": "medium", "steps": 160, "stats": "stats/mid.json"}, {"name": "full", "steps": 400, "stats": "stats/full.json"}]'

JOBS = (
    crate("A1", "train_vocoder.py --sr 24000", VOCODER, cause="file_not_found", variant="asset", note="FileNotFoundError of the teacher's weights"),
    crate("A1", "main_vit.py", EINOPS, cause="missing_module", variant="env", files={"models/vit.py": VIT}, note="ModuleNotFoundError: einops"),
    crate("A1", "start.py conf/base.ini", INI, cause="traceback", variant="config", python="system", note="KeyError of a schedule's name before any epoch",
          files={"conf/base.ini": "[optim]\nlr = 0.01\nwarmup = 100\nschedule = linear_warmup_cosine\n[train]\nepochs = 5\n"}),
    crate("A1", "cite_gcn.py", GRAPHDATA, cause="assertion", variant="data", note="AssertionError: an edge to a node that is not there",
          files={"graph/nodes.csv": "id\n" + "\n".join(f"p{i}" for i in range(50)), "graph/edges.csv": EDGES}),
    crate("A1", "node3.py", LOCKED, cause="permission", files={"cache/meta.json": '{"runs": []}'}, locked=("cache",), note="PermissionError on the cache"),
    crate("A3", "phones.py", SOFTWARP, cause="div_zero", note="ZeroDivisionError of an empty meter after hundreds of steps"),
    crate("A3", "curriculum.py", PHASE2, cause="file_not_found", note="FileNotFoundError of the third phase's statistics after 320 steps",
          files={"curriculum.json": CURR, "stats/easy.json": '{"noise": 0.1}', "stats/mid.json": '{"noise": 0.4}'}),
    crate("A3", "online_lr.py", GROWING, cause="ram_oom", python="system", memory_mib=700, note="MemoryError after some fifty epochs, rss growing"),
    crate("A3", "big_ae.py", DISKFULL, cause="traceback", disk_mib=24, note="OSError: No space left on device after some epochs"),
    crate("A3", "doc_lm.py", EDGELEN, cause="runtime_error", note="RuntimeError of 65 against 64 after 217 documents"),
    crate("A3", "protonet.py", METAHEAD, cause="device_mismatch", note="meta against cpu after 200 episodes"),
    crate("A2", "crops.py", CLIB, cause="segfault", status=-11, note="signal 11 after some 160 steps"),
    crate("A2", "bandit_pg.py", ACTORCRIT, fault="unknown", status=-9, python="system", signal=Signal("KILL", "update 680/", to="bandit_pg"),
          note="signal 9 while advancing, no memory event"),
    crate("A2", "clips_feat.py", FEATCACHE, cause="oom_killer", status=-9, group_mib=900, note="oom_kill of the control group, memory growing"),
    crate("E2", "sh grow.sh PYTHON", '"$1" seqlm.py --vocab 24 && "$1" seqlm.py --vocab 28 --init-from last.pt', cause="runtime_error", variant="size_mismatch",
          files={"seqlm.py": VOCABGREW}, note="size mismatch for tok.weight on loading last.pt"),
    crate("E2", "sh legs.sh PYTHON", LEGS, variant="from_scratch", status=0, files={"dyn.py": RESTART}, note="second leg has --resume, begins at step 1 with the first one's loss"),
    crate("E2", "go_on.py", BADZIP, cause="runtime_error", variant="corrupt", folders=("weights",), files={"mk.py": MAKEBAD}, before=(("PYTHON", "mk.py"),),
          note="PytorchStreamReader failed on a checkpoint cut short"),
)  # fmt: skip
