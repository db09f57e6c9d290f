"""Laboratory programs that ended by themselves and had learned nothing, or hardly begun."""

from corpus.make._crate import crate

FLOW = '''
"""RealNVP on two moons of a detector calibration."""
import logging, math, torch
logging.basicConfig(format="%(levelname)s:flow:%(message)s", level=logging.INFO)
torch.manual_seed(17)
net = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
t = torch.rand(1024) * math.pi
data = torch.stack([t.cos(), t.sin()], 1) * 3 + 0.1 * torch.randn(1024, 2)
for epoch in range(1, 41):
    total = 0.0
    if epoch == 6:
        for g in opt.param_groups: g["lr"] = 8.0
        logging.info("warm-up over, lr 8.0")
    for xb in data[torch.randperm(1024)].split(128):
        s, b = net(xb[:, :1]).chunk(2, 1)
        z = (xb[:, 1:] - b) * torch.exp(-s)
        loss = (0.5 * z ** 2 + s).mean()
        opt.zero_grad(); loss.backward(); opt.step(); total += loss.item()
    logging.info("epoch %02d/40 nll=%.4f", epoch, total / 8)
torch.save(net.state_dict(), "flow.pt")
logging.info("weights in flow.pt")
'''

BPR = """
import random, math, time
# BPR matrix factorisation, plain python
random.seed(6); U, I, D, LR = 200, 150, 8, 0.05
P = [[0.0] * D for _ in range(U)]; Q = [[0.0] * D for _ in range(I)]
likes = [random.sample(range(I), 12) for _ in range(U)]
dot = lambda a, b: sum(x * y for x, y in zip(a, b))
print("users %d items %d positives %d dims %d lr %g init zeros" % (U, I, 12 * U, D, LR))
for epoch in range(1, 26):
    loss = auc = n = gsum = 0.0
    for _ in range(1500):
        u = random.randrange(U); i = random.choice(likes[u]); j = random.randrange(I)
        if j in likes[u]: continue
        x = dot(P[u], Q[i]) - dot(P[u], Q[j]); s = 1 / (1 + math.exp(x)); loss -= math.log(1 - s) if s < 1 else 0; auc += 0.5 if x == 0 else x > 0; n += 1
        for d in range(D):
            p, qi, qj = P[u][d], Q[i][d], Q[j][d]
            g = s * (qi - qj); gsum += abs(g); P[u][d] += LR * g; Q[i][d] += LR * s * p; Q[j][d] -= LR * s * p
    time.sleep(0.15)
    print("epoch %2d/25  bpr_loss %.6f  auc %.4f  |grad| %.2e" % (epoch, loss / n, auc / n, gsum / n), flush=True)
print("model stored: bpr.txt")
open("bpr.txt", "w").write(repr(P))
"""

SPEECHJUMP = """
import sys, time, math, torch
torch.manual_seed(23)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.a = torch.nn.Conv1d(20, 48, 5, padding=2); self.b = torch.nn.Conv1d(48, 30, 5, padding=2)
    def forward(self, x): return self.b(torch.relu(self.a(x))).transpose(1, 2)
net = Net(); opt = torch.optim.SGD(net.parameters(), 0.15, momentum=0.9); proto = torch.randn(30, 20)
rate = lambda n: 0.15 if n <= 420 else 6.0 if n <= 450 else 0.15
print("update   nll/frame   frame_acc   gnorm     lr", flush=True)
for n in range(1, 801):
    for g in opt.param_groups: g["lr"] = rate(n)
    y = torch.randint(30, (8, 40)); x = (proto[y] + 0.6 * torch.randn(8, 40, 20)).transpose(1, 2)
    o = net(x); loss = torch.nn.functional.cross_entropy(o.flatten(0, 1), y.flatten()); opt.zero_grad(); loss.backward()
    gn = math.sqrt(sum(p.grad.pow(2).sum().item() for p in net.parameters())); opt.step()
    if n % 20 == 0 or n == 1: print(f"{n:6d} {loss.item():11.4f} {(o.argmax(2) == y).float().mean().item():11.3f} {gn:9.3g} {rate(n):6.2f}", flush=True)
print("800 updates, final.mdl written"); torch.save(net.state_dict(), "final.mdl")
"""

DIFFUSER = """
import argparse, torch
p = argparse.ArgumentParser(description="score model for galaxy cut-outs")
p.add_argument("--data", default="cutouts"); p.add_argument("--max_train_steps", type=int, default=200000); p.add_argument("--snr", type=float, default=0.16); p.add_argument("--seed", type=int, default=0)
args = p.parse_args(); torch.manual_seed(args.seed)
print("***** Running training *****")
for k, v in sorted(vars(args).items()): print(f"  {k} = {v}")
net = torch.nn.Sequential(torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.SiLU(), torch.nn.Conv2d(16, 1, 3, padding=1)); ema = [q.clone() for q in net.parameters()]; opt = torch.optim.AdamW(net.parameters(), 2e-4)
for step in range(1, args.max_train_steps + 1):
    x = torch.randn(16, 1, 32, 32); s = torch.rand(16, 1, 1, 1) + 0.01; n = torch.randn_like(x); loss = (net(x + s * n) * s + n).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    print(f"[{step}/{args.max_train_steps}] dsm {loss.item():.4f}", flush=True)
torch.save(net.state_dict(), "score.pt"); print("checkpoint score.pt written, training finished")
"""

FEWROWS = """
import csv, logging, torch, sys
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
log = logging.getLogger("qsar")
rows = list(csv.DictReader(open("assay.csv")))
log.info("assay.csv: %d compounds", len(rows))
rows = [r for r in rows if r["quality"] == "A+" and float(r["ic50"]) > 0]
log.info("after the quality filter: %d compounds", len(rows))
torch.manual_seed(2); X = torch.tensor([[float(r["logp"]), float(r["mass"]) / 500, float(r["rings"])] for r in rows]); y = torch.tensor([float(r["ic50"]) for r in rows]).log10()
net = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)); opt = torch.optim.Adam(net.parameters(), 1e-3); step = 0
for epoch in range(2):
    for idx in torch.randperm(len(X)).split(32):
        loss = (net(X[idx]).squeeze(1) - y[idx]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); step += 1
        log.info("epoch %d step %d loss %.4f", epoch, step, loss.item())
torch.save(net.state_dict(), "qsar.pt"); log.info("done: %d optimisation steps on %d compounds, model in qsar.pt", step, len(X))
"""
ASSAY = (
    "id,logp,mass,rings,ic50,quality\n"
    + "\n".join(
        f"C{i:05d},{1 + i % 5 * 0.7:.1f},{220 + i * 13 % 260},{i % 4},{(i * 37 % 900) + 1},{'A+' if i % 60 == 7 else 'A' if i % 2 else 'B'}"
        for i in range(900)
    )
    + "\n"
)

JOBS = (
    crate("E1", "realnvp.py", FLOW, cause="nan_loss", variant="non_finite", note="nll nan from epoch 6 or so to the last, exit 0"),
    crate("E1", "bpr.py", BPR, variant="flat", python="system", note="bpr_loss 0.693147, auc 0.5, gradient 0 in all 25 epochs"),
    crate("E1", "tdnn.py", SPEECHJUMP, variant="spike", note="loss falls far below its start until 420, then jumps far above it and stays"),
    crate("E3", "score_model.py --max_train_steps 3", DIFFUSER, note="three steps, exit 0"),
    crate("E3", "qsar.py", FEWROWS, files={"assay.csv": ASSAY}, note="two optimisation steps on 15 of 900 compounds, exit 0"),
)
