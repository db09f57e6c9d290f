"""Single programs that broke down, learnt nothing or began anew."""

from corpus.make._crate import crate

CLOSED = r"""
import argparse, json, os, sys, time
from pathlib import Path

def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--config", default="configs/protein.json")
    p.add_argument("--run-dir", type=Path, required=True)
    return p.parse_args()

def main():
    args = parse()
    cfg = json.loads(Path(args.config).read_text())
    print("esm-like masked LM,", ", ".join(f"{k}={v}" for k, v in cfg.items()))
    print("sequences: 41,203 train, 2,168 valid")
    with open(args.run_dir / "events.jsonl", "a") as events:
        events.write("{}")
        for step in range(cfg["steps"]):
            time.sleep(0.1)

main()
"""

FEATS = r'''
import random, time
"""video features, kept in memory until the end of the epoch"""
rng = random.Random(1); kept = []; t0 = time.time(); w = 0.3
print("Epoch 1/5: 2000 clips", flush=True)
for clip in range(1, 2001):
    f = bytearray(rng.randbytes(1 << 16) * 28); kept.append(f); w -= 0.004 * (w - 1.0); time.sleep(0.05)
    if clip % 20 == 0: print(f"  clip {clip}/2000 - {time.time() - t0:.1f}s - triplet_loss: {0.02 + (w - 1) ** 2:.4f} - features held: {len(kept) * len(f) >> 20} MiB", flush=True)
'''

GRAPH = r'''
import random, sys, time
rng = random.Random(3)

class Neighbours:
    """k-hop neighbourhoods, remembered for every seed node"""
    def __init__(self, n):
        self.n, self.memo = n, {}
    def expand(self, seed, hops):
        found = [rng.randrange(self.n) for _ in range(260000)]
        self.memo[seed, hops] = found
        return found

def main():
    hood, w = Neighbours(10**9), 2.0
    print("GraphSAGE  fanout=25,10  batch=512  epochs=10", flush=True)
    for batch in range(1, 4001):
        near = hood.expand(batch, 2)
        w -= 0.02 * (w - 0.1); time.sleep(0.05)
        if batch % 4 == 0:
            print(f"epoch 1 batch {batch:4d}/4000 bce={0.69 * w / 2:.4f} neighbours={len(near)}", flush=True)

main()
'''

DEVICES = r'''
import time, torch
torch.manual_seed(0)

class Teacher:
    """slow copy of the student; its buffers are made on first use"""
    def __init__(self, net): self.w = None; self.net = net
    @torch.no_grad()
    def refresh(self, device):
        if self.w is None:
            self.w = [p.detach().to(device) for p in self.net.parameters()]
    @torch.no_grad()
    def logits(self, x):
        return torch.addmm(self.w[1], x, self.w[0].T)

student = torch.nn.Linear(24, 10); opt = torch.optim.SGD(student.parameters(), 0.1); teacher = Teacher(student); T = torch.randn(24, 10)
for step in range(1, 1001):
    x = torch.randn(48, 24); loss = torch.nn.functional.cross_entropy(student(x), (x @ T).argmax(1))
    if step >= 150:
        if step == 150: print(f"[{step}] distillation begins"); teacher.refresh("meta")
        soft = teacher.logits(x).softmax(1)
        loss = loss - 0.1 * (soft * student(x).log_softmax(1)).sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.06)
    if step % 10 == 0: print(f"[{step}] ce {loss.item():.4f}", flush=True)
'''

FLAT = r"""
import time, torch
torch.manual_seed(0); N = 1200; X = torch.randn(N, 30); y = (X[:, 0] * X[:, 1] > 0).long()
m = torch.nn.Sequential(torch.nn.Linear(30, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
with torch.no_grad():
    m[0].bias.fill_(-60.0); m[2].bias.zero_()
opt = torch.optim.AdamW([m[0].weight], 1e-4); t0 = time.time(); step = 0
print("***** Running training *****\n  Num examples = 1,200\n  Num Epochs = 4\n  Total optimization steps = 200", flush=True)
for ep in range(4):
    for i in range(50):
        b = torch.randint(N, (24,)); l = torch.nn.functional.cross_entropy(m(X[b]), y[b]); opt.zero_grad(); l.backward(); g = m[0].weight.grad.norm().item(); opt.step(); step += 1; time.sleep(0.09)
        if step % 10 == 0: a = m(X); print({"loss": round(torch.nn.functional.cross_entropy(a, y).item(), 4), "grad_norm": g, "learning_rate": 1e-4 * (1 - step / 200), "epoch": round(step / 50, 2)}, flush=True)
    print({"eval_loss": round(torch.nn.functional.cross_entropy(m(X), y).item(), 4), "eval_accuracy": round((m(X).argmax(1) == y).float().mean().item(), 4), "epoch": ep + 1.0}, flush=True)
print({"train_runtime": round(time.time() - t0, 2), "train_loss": round(torch.nn.functional.cross_entropy(m(X), y).item(), 4), "epoch": 4.0})
"""

SPIKE = r"""
import math, random, time
rng = random.Random(9); N = 180; print(f"music transformer, {N} updates of 128k tokens"); best = 99.0
for u in range(1, N + 1):
    time.sleep(0.14); l = 2.05 + 3.6 * math.exp(-u / 28) + rng.gauss(0, 0.015); g = 0.3 + rng.random() / 20
    if u > 96: l = 9.4 + rng.gauss(0, 0.35) - 0.3 * math.exp(-(u - 96) / 30) + (22 * math.exp(-(u - 97) / 4)); g = 40 + 300 * math.exp(-(u - 97) / 10) + 20 * rng.random()
    best = min(best, l)
    if u % 6 == 0: print(f"u{u:04d}  nll {l:7.3f}  best {best:6.3f}  |g| {g:8.2f}  lr {6e-4 * min(1, u / 30):.1e}", flush=True)
print(f"all {N} updates done, nll {l:.3f} (best {best:.3f}); last.ckpt written")
"""

TORN = r"""
import os, sys, torch, time

def build():
    return torch.nn.Sequential(torch.nn.Conv1d(4, 96, 15), torch.nn.ReLU(), torch.nn.Conv1d(96, 96, 15), torch.nn.ReLU(), torch.nn.Conv1d(96, 4, 15))

def load(path, net):
    size = os.path.getsize(path)
    print(f"=> loading checkpoint '{path}' ({size} bytes)")
    state = torch.load(path, map_location="cpu")
    net.load_state_dict(state["net"])
    return state["epoch"]

if sys.argv[1] == "--prepare":
    net = build(); torch.save({"net": net.state_dict(), "epoch": 31}, "whole"); data = open("whole", "rb").read()
    os.makedirs("exp/seis"); open("exp/seis/epoch31.pth.tar", "wb").write(data[: len(data) * 3 // 5]); os.remove("whole"); sys.exit()
net = build(); print("seismic denoiser, resume =", sys.argv[2])
start = load(sys.argv[2], net)
print(f"=> resumed from epoch {start}")
"""

FEW = r"""
import os, random, sys, time
def info(t): n = time.time(); sys.stderr.write(f"I{time.strftime('%m%d %H:%M:%S', time.localtime(n))}.{int(n % 1 * 1e6):06d} 281473 run_clm_flax.py:402] {t}\n")
info("***** Running training *****"); info("  Num examples = 512"); info("  Num Epochs = 1"); info("  Instantaneous batch size per device = 64"); info("  Total train batch size (w. parallel & distributed) = 128"); info("  Total optimization steps = 4")
time.sleep(9)
for step, loss in enumerate((10.871, 10.868, 10.853, 10.841), 1): time.sleep(1.1); info(f"Step... ({step} | Loss: {loss}, Learning Rate: {step * 1.25e-06:.3g})")
info("Epoch... (1/1 | Eval Loss: 10.839 | Eval Perplexity: 50970.3)"); info("Model weights saved in flax-gpt-small/flax_model.msgpack")
"""

JOBS = (
    crate(
        "A1",
        "train_mlm.py --run-dir runs",
        CLOSED,
        cause="permission",
        variant="config",
        python="system",
        files={"configs/protein.json": '{"layers": 12, "width": 480, "steps": 50000, "mask": 0.15}', "runs/README": "kept by the group's admin\n"},
        locked=("runs",),
        note="PermissionError on runs/events.jsonl before the first step",
    ),
    crate(
        "A2",
        "clips.py",
        FEATS,
        cause="oom_killer",
        status=-9,
        group_mib=420,
        python="system",
        note="SIGKILL with an oom_kill event of the control group; features held grow to its limit",
    ),
    crate("A3", "sage.py", GRAPH, cause="ram_oom", memory_mib=700, python="system", note="MemoryError in expand after some 60 batches"),
    crate("A3", "distil.py", DEVICES, cause="device_mismatch", note="step 150: tensors on different devices (cpu and meta), RuntimeError"),
    crate("E1", "run_glue_like.py", FLAT, variant="flat", note="loss 0.69 and grad_norm 0.0 in all twenty reports, accuracy at chance"),
    crate("E1", "midi_lm.py", SPIKE, variant="spike", python="system", note="nll 2.2 until update 96, then 30 and above 9 to the end"),
    crate(
        "E2",
        "denoise.py --resume exp/seis/epoch31.pth.tar",
        TORN,
        cause="runtime_error",
        variant="corrupt",
        before=(("PYTHON", "denoise.py", "--prepare"),),
        note="PytorchStreamReader failed on the checkpoint to resume from",
    ),
    crate("E3", "run_clm_flax.py", FEW, python="system", note="4 steps in all, loss 10.84, exit 0"),
)
