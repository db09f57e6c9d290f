"""A few more runs of plain PyTorch."""

from corpus.make._crate import crate

DEADRELU = '''
import argparse, torch
ap = argparse.ArgumentParser("cifar-like"); ap.add_argument("--lr", type=float, default=0.1); ap.add_argument("--epochs", type=int, default=30); o = ap.parse_args()
torch.manual_seed(0); proto = torch.randn(10, 3, 8, 8); Y = torch.randint(10, (1000,)); X = proto[Y] + 0.7 * torch.randn(1000, 3, 8, 8) + 1.5
net = torch.nn.Sequential(torch.nn.Conv2d(3, 12, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(108, 40), torch.nn.ReLU(), torch.nn.Linear(40, 10)); opt = torch.optim.SGD(net.parameters(), o.lr, momentum=0.9)
sch = torch.optim.lr_scheduler.StepLR(opt, 8, 0.1)
for ep in range(1, o.epochs + 1):
    tot = hit = gn = 0.0
    for i in torch.randperm(1000).split(100):
        out = net(X[i]); l = torch.nn.functional.cross_entropy(out, Y[i]); opt.zero_grad(); l.backward(); gn = max(gn, net[0].weight.grad.norm().item()); opt.step(); tot += l.item() / 10; hit += (out.argmax(1) == Y[i]).sum().item()
    sch.step(); print(f"[{ep:03d}/{o.epochs}] loss: {tot:.4f}  top1: {hit / 10:.2f}%  conv1.grad: {gn:.3e}  lr: {opt.param_groups[0]['lr']:.1e}")
print("=> saving last.pth.tar"); torch.save(net.state_dict(), "last.pth.tar")
'''
BIGTABLE = '''
import torch, logging
logging.basicConfig(level="DEBUG", format="%(levelname)s:%(funcName)s: %(message)s")
VOCAB = {"user": 2_000_000, "item": 6_000_000, "tag": 40_000}
def build(dim):
    tables = torch.nn.ModuleDict()
    for name, rows in VOCAB.items(): logging.debug("table %s: %d x %d, %.2f GB", name, rows, dim, rows * dim * 4 / 1e9); tables[name] = torch.nn.EmbeddingBag(rows, dim)
    return tables
model = build(64)
logging.info("model built"); opt = torch.optim.Adagrad(model.parameters(), 0.05)
'''
VISION = '''
"""Fine-tunes the last block; validates with the usual transforms."""
import time, torch
torch.manual_seed(1); x = torch.randn(600, 3, 10, 10); y = (x[:, 0, 5, 5] > 0).long(); m = torch.nn.Sequential(torch.nn.Conv2d(3, 6, 3), torch.nn.BatchNorm2d(6), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(384, 2)); o = torch.optim.AdamW(m.parameters(), 2e-3)
def validate(m):
    from torchvision.transforms import v2
    t = v2.Compose([v2.CenterCrop(8), v2.Normalize([0.5] * 3, [0.5] * 3)]); m.eval(); return (m(t(x[500:])).argmax(1) == y[500:]).float().mean()
for e in range(4):
    m.train()
    for k, i in enumerate(torch.arange(500).split(20)):
        l = torch.nn.functional.cross_entropy(m(x[i]), y[i]); o.zero_grad(); l.backward(); o.step()
        if k % 5 == 0: print(f"Train: {e} [{k * 20:>4d}/500 ({100 * k / 25:>3.0f}%)]  Loss: {l.item():#.4g}  LR: 2.000e-03  Time: {time.process_time():.2f}s")
    print(f"Test: {e}  Acc@1: {100 * validate(m):.3f}")
'''
OFFLOAD = '''
import torch, sys
class Pool:
    """Parks layers that are not in use; park() keeps only their shapes until fetch() fills them from disk."""
    def __init__(self, net): self.net = net
    def park(self, i): torch.save(self.net[i].state_dict(), f"layer{i}.pt"); self.net[i].to("meta")
    def fetch(self, i): self.net[i].to_empty(device="cpu"); self.net[i].load_state_dict(torch.load(f"layer{i}.pt"))
torch.manual_seed(2); net = torch.nn.Sequential(*(torch.nn.Linear(24, 24) for _ in range(4))); pool = Pool(net); opt = torch.optim.SGD(net.parameters(), 0.02); T = torch.randn(24, 24) / 5
for it in range(1, 151):
    x = torch.randn(48, 24); l = (net(x) - x @ T).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if it % 10 == 0: sys.stdout.write(f"it {it:03d} loss {l.item():.5f}\\n")
    if it % 60 == 0: [pool.park(i) for i in (2, 3)]; pool.fetch(3); print("layers parked and fetched")
'''
WANDBISH = '''
import json, math, random, time, torch
class Run:
    def __init__(s, project): s.id = "".join(random.Random(7).choices("abcdefgh0123456789", k=8)); s.h = []; print(f"wandb: Tracking run with wandb version 0.21.0\\nwandb: W&B syncing is set to `offline` in this directory. Run `wandb online` or set WANDB_MODE=online to enable cloud syncing.\\nwandb: run {s.id} of {project}")
    def log(s, **k): s.h.append(k)
    def finish(s): print("wandb: \\nwandb: Run history:"); [print(f"wandb: {k:>12} {''.join('▁▂▃▄▅▆▇█'[min(7, int(8 * (r[k] - min(q[k] for q in s.h)) / (1e-9 + max(q[k] for q in s.h) - min(q[k] for q in s.h))))] for r in s.h)}") for k in s.h[0]]; print("wandb: \\nwandb: Run summary:"); [print(f"wandb: {k:>12} {v:.5f}") for k, v in s.h[-1].items()]
run = Run("nano-moons"); torch.manual_seed(11); t = math.pi * torch.rand(600); c = torch.randint(2, (600,)); X = torch.stack([t.cos() + c, (1 - 2 * c) * t.sin() + 0.4 * c], 1) + 0.08 * torch.randn(600, 2)
net = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2)); opt = torch.optim.Adam(net.parameters(), 4e-3)
for ep in range(1, 31):
    for i in torch.randperm(600).split(30): l = torch.nn.functional.cross_entropy(net(X[i]), c[i]); opt.zero_grad(); l.backward(); opt.step()
    acc = (net(X).argmax(1) == c).float().mean().item(); run.log(loss=l.item(), acc=acc); print(f"{ep:>2}/30 loss {l.item():.4f} acc {acc:.4f}")
run.finish()
'''
PROXYNET = '''
import logging, os, ssl, time, torch, urllib.request, urllib.error
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s"); lg = logging.getLogger()
def weights(url):
    for k in range(3):
        try: urllib.request.urlretrieve(url, "w.pth"); return torch.load("w.pth")
        except urllib.error.URLError as e: lg.error("fetch of %s failed: %s; retrying in %d s", url, e.reason, k + 1); time.sleep(k + 1)
    lg.warning("no pretrained weights, starting from random initialisation"); return None
torch.manual_seed(3); net = torch.nn.LSTM(3, 24, batch_first=True); out = torch.nn.Linear(24, 3); w = weights("http://127.0.0.1:9/lstm-base.pth"); opt = torch.optim.AdamW([*net.parameters(), *out.parameters()], 5e-3)
for step in range(1, 201):
    p = torch.rand(16, 1, 3) * 6; s = torch.sin(torch.arange(30)[None, :, None] / 4 + p); l = (out(net(s[:, :-1])[0]) - s[:, 1:]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if step % 20 == 0: lg.info("step %d/200 mse %.5f", step, l.item())
lg.info("done in %.1f s CPU", time.process_time())
'''

JOBS = (
    crate("E1", "cifar_like.py --lr 3.0 --epochs 24", DEADRELU, variant="plateau", note="from the first epochs at ln 10 and 10 %, conv1.grad 0 to the end"),
    crate("A1", "tables.py", BIGTABLE, cause="ram_oom", memory_mib=2200, note="DefaultCPUAllocator: can't allocate memory while the model is built"),
    crate("A3", "ft_block.py", VISION, cause="missing_module", note="ModuleNotFoundError: torchvision at the first validation, after an epoch"),
    crate("A3", "parked.py", OFFLOAD, cause="device_mismatch", note="meta against cpu after 60 told steps"),
    crate("G1", "moons.py", WANDBISH),
    crate("G1", "seq_lstm.py", PROXYNET, hard=True),
)
