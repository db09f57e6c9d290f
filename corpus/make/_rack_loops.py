"""Plain loops in PyTorch of four hands: snow cover by the epoch, place names by the step, river levels in JSON, shapes in two parts."""

SNOW = '''
"""Snow cover from three bands: a small fully convolutional net."""
import argparse, os, random, sys, time
import torch, torch.nn as nn, torch.nn.functional as F

ap = argparse.ArgumentParser(description="snow cover")
ap.add_argument("--epochs", type=int, default=10)
ap.add_argument("--bs", type=int, default=16)
ap.add_argument("--lr", type=float, default=0.02)
ap.add_argument("--width", type=int, default=8)
ap.add_argument("--resume", default="", metavar="PATH")
ap.add_argument("--pretrained", default="", metavar="PATH")
ap.add_argument("--evaluate", action="store_true")
ap.add_argument("--out", default="runs/snow")
args = ap.parse_args()
torch.manual_seed(3); torch.set_num_threads(1); random.seed(3)
os.makedirs(args.out, exist_ok=True)
#: early


class Tiles(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = (F.avg_pool2d(torch.randn(n, 1, 24, 24, generator=g), 9, 1, 4) > 0).long()[:, 0]
        self.x = torch.randn(n, 3, 24, 24, generator=g) * 0.6
        self.x[:, 0] += self.y * 1.5
        self.x[:, 2] -= self.y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        #: item
        return self.x[i], self.y[i]


train_set, val_set = Tiles(320, 1), Tiles(64, 2)
#: data
loader = torch.utils.data.DataLoader(train_set, args.bs, shuffle=True)
model = nn.Sequential(nn.Conv2d(3, args.width, 3, padding=1), nn.ReLU(), nn.Conv2d(args.width, args.width, 3, padding=1), nn.ReLU(), nn.Conv2d(args.width, 2, 1))
#: model
optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)
start_epoch, best = 0, 0.0
if args.pretrained:
    #: pretrained
    state = torch.load(args.pretrained, map_location="cpu")
    model.load_state_dict(state["state_dict"])
    print(f"=> using pre-trained weights of '{args.pretrained}'")
if args.resume:
    #: resume
    if os.path.isfile(args.resume):
        print(f"=> loading checkpoint '{args.resume}'")
        checkpoint = torch.load(args.resume, map_location="cpu")
        start_epoch, best = checkpoint["epoch"], checkpoint["best"]
        model.load_state_dict(checkpoint["state_dict"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        print(f"=> loaded checkpoint '{args.resume}' (epoch {start_epoch})")
    else:
        print(f"=> no checkpoint found at '{args.resume}'")
#: ready


def validate():
    model.eval()
    inter, union, total, n = torch.zeros(2), torch.zeros(2), 0.0, 0
    with torch.no_grad():
        for x, y in torch.utils.data.DataLoader(val_set, 32):
            out = model(x)
            total += F.cross_entropy(out, y).item() * len(x); n += len(x)
            p = out.argmax(1)
            for c in (0, 1):
                inter[c] += ((p == c) & (y == c)).sum(); union[c] += ((p == c) | (y == c)).sum()
    iou = inter / union
    #: scored
    return total / n, iou.mean().item()


if args.evaluate:
    val_loss, miou = validate()
    print(f" * val_loss {val_loss:.4f} mIoU {miou:.4f} over {len(val_set)} tiles")
    sys.exit(0)
for epoch in range(start_epoch, args.epochs):
    began, seen, total = time.time(), 0, 0.0
    model.train()
    #: epoch
    for i, (x, y) in enumerate(loader):
        #: mid
        loss = F.cross_entropy(model(x), y)
        #: loss
        optimizer.zero_grad(); loss.backward()
        #: grads
        optimizer.step()
        total += loss.item() * len(x); seen += len(x)
        #: after
        if i % 10 == 0:
            print(f"Epoch: [{epoch}][{i:3d}/{len(loader)}]\\tLoss {loss.item():.4e} ({total / seen:.4e})")
    val_loss, miou = validate()
    print(f"Epoch [{epoch + 1}/{args.epochs}] train_loss: {total / seen:.4f} | val_loss: {val_loss:.4f} | mIoU: {miou:.4f} | lr: {optimizer.param_groups[0]['lr']:.1e} | {time.time() - began:.1f}s")
    #: valid
    best = max(best, miou)
    torch.save({"epoch": epoch + 1, "state_dict": model.state_dict(), "best": best, "optimizer": optimizer.state_dict()}, f"{args.out}/checkpoint.pth.tar")
    #: saved
#: late
print(f"Best mIoU: {best:.4f}")
#: last
'''
NAMES = '''
import sys, os, math, time, json, logging
import torch
from torch import nn
from torch.nn import functional as F

# defaults; name=value on the command line overrides
out_dir = "out-names"; init_from = "scratch"; max_iters = 300; log_interval = 20; eval_interval = 100
batch_size = 24; block = 16; n_embd = 32; learning_rate = 4e-3; min_lr = 4e-4; warmup = 20; grad_clip = 1.0; seed = 1337
for arg in sys.argv[1:]:
    key, eq, val = arg.lstrip("-").partition("=")
    if not eq or key not in globals():
        raise ValueError(f"Unknown config key: {key}")
    globals()[key] = type(globals()[key])(val)
    print(f"Overriding: {key} = {val}")
torch.manual_seed(seed); torch.set_num_threads(1)
os.makedirs(out_dir, exist_ok=True)
#: early
heads, tails = ["brig", "zer", "sils", "ander", "mor", "bern", "ross", "tir", "pont", "camp"], ["els", "matt", "ina", "berg", "ach", "wald", "egg", "ano"]
text = "\\n".join(heads[(k * 7) % 10] + tails[(k * k + 3) % 8] for k in range(4000))
#: data
chars = sorted(set(text)); stoi = {c: i for i, c in enumerate(chars)}
ids = torch.tensor([stoi[c] for c in text]); cut = int(0.9 * len(ids)); parts = {"train": ids[:cut], "val": ids[cut:]}
print(f"tokens: {len(ids):,} vocab: {len(chars)}")


def get_batch(split):
    d = parts[split]
    at = torch.randint(len(d) - block - 1, (batch_size,))
    return torch.stack([d[i : i + block] for i in at]), torch.stack([d[i + 1 : i + 1 + block] for i in at])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(len(chars), n_embd), nn.Embedding(block, n_embd)
        self.block = nn.TransformerEncoderLayer(n_embd, 4, 2 * n_embd, 0.0, "gelu", batch_first=True, norm_first=True)
        self.head = nn.Linear(n_embd, len(chars))

    def forward(self, x, y):
        t = x.shape[1]
        h = self.block(self.wte(x) + self.wpe(torch.arange(t)), src_mask=nn.Transformer.generate_square_subsequent_mask(t), is_causal=True)
        logits = self.head(h)
        #: logits
        return F.cross_entropy(logits.flatten(0, 1), y.flatten())


model = Model()
print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e6:.3f}M")
opt = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95))
step, best_val = 0, 1e9
if init_from == "resume":
    print(f"Resuming training from {out_dir}")
    #: resume
    ckpt = torch.load(os.path.join(out_dir, "ckpt.pt"))
    model.load_state_dict(ckpt["model"]); opt.load_state_dict(ckpt["optimizer"]); step, best_val = ckpt["step"], ckpt["best_val"]
#: ready


def lr_at(it):
    if it < warmup:
        return learning_rate * (it + 1) / warmup
    return min_lr + 0.5 * (learning_rate - min_lr) * (1 + math.cos(math.pi * min(1.0, (it - warmup) / max(1, max_iters - warmup))))


t0 = time.time()
while True:
    for group in opt.param_groups:
        group["lr"] = lr_at(step)
    #: sched
    if step % eval_interval == 0:
        model.eval()
        with torch.no_grad():
            vals = {k: sum(model(*get_batch(k)).item() for _ in range(8)) / 8 for k in parts}
        model.train()
        print(f"step {step}: train loss {vals['train']:.4f}, val loss {vals['val']:.4f}")
        #: valid
        if step > 0:
            best_val = min(best_val, vals["val"])
            torch.save({"model": model.state_dict(), "optimizer": opt.state_dict(), "step": step, "best_val": best_val}, os.path.join(out_dir, "ckpt.pt"))
            print(f"saving checkpoint to {out_dir}")
            #: saved
    if step >= max_iters:
        break
    x, y = get_batch("train")
    #: mid
    loss = model(x, y)
    #: loss
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    opt.step()
    #: after
    if step % log_interval == 0:
        dt = time.time() - t0; t0 = time.time()
        print(f"iter {step}: loss {loss.item():.4f}, norm {norm.item():.3f}, time {dt * 1000:.2f}ms, lr {opt.param_groups[0]['lr']:.2e}")
    step += 1
#: late
'''
RIVER = '''
#!/usr/bin/env python
"""River level two hours ahead. Settings: a TOML file. Log: a JSON object a line."""
import datetime, json, os, pathlib, sys, time, tomllib
import torch

settings = {"epochs": 12, "batch": 32, "hidden": 24, "lr": 0.006, "hours": 24, "folder": "river", "warm": "", "patience": 0, "every": 1}
settings |= tomllib.loads(pathlib.Path(sys.argv[1]).read_text()) if len(sys.argv) > 1 else {}


def log(level, msg, **more):
    print(json.dumps({"ts": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"), "level": level, "msg": msg, **more}), flush=True)


torch.manual_seed(settings.get("seed", 5)); torch.set_num_threads(1)
folder = pathlib.Path(settings["folder"]); folder.mkdir(exist_ok=True, parents=True)
log("info", "settings", **settings)
#: early
hours = torch.arange(6000.0)
level = torch.sin(hours / 7) + 0.5 * torch.sin(hours / 31 + 1) + 0.05 * torch.randn(6000)
#: data
H = settings["hours"]
starts = torch.arange(0, 5900, 7)
X = torch.stack([level[s : s + H] for s in starts.tolist()]).unsqueeze(-1); Y = torch.stack([level[s + H + 2] for s in starts.tolist()]).unsqueeze(-1)
cut = int(0.85 * len(X))


class Forecaster(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.rnn = torch.nn.GRU(1, hidden, batch_first=True)
        self.out = torch.nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


net = Forecaster(settings["hidden"])
opt = torch.optim.Adam(net.parameters(), lr=settings["lr"])
first = 0
if settings["warm"]:
    #: warm
    held = torch.load(settings["warm"])
    net.load_state_dict(held["net"]); opt.load_state_dict(held["opt"]); first = held["epoch"]
    log("info", "state restored", path=settings["warm"], epoch=first)
log("info", "training starts", samples=cut, parameters=sum(p.numel() for p in net.parameters()))
#: ready
best, waited, update = float("inf"), 0, first * (cut // settings["batch"])
for epoch in range(first + 1, settings["epochs"] + 1):
    order = torch.randperm(cut); losses = []
    #: epoch
    for b in range(0, cut - settings["batch"] + 1, settings["batch"]):
        x, y = X[order[b : b + settings["batch"]]], Y[order[b : b + settings["batch"]]]
        #: mid
        loss = torch.nn.functional.mse_loss(net(x), y)
        #: loss
        opt.zero_grad(); loss.backward(); opt.step()
        losses.append(loss.item()); update += 1
        #: after
    with torch.no_grad():
        val = torch.nn.functional.mse_loss(net(X[cut:]), Y[cut:]).item()
    #: scored
    if epoch % settings["every"] == 0:
        log("info", "epoch done", epoch=epoch, of=settings["epochs"], update=update, train_mse=round(sum(losses) / len(losses), 5), val_mse=round(val, 5))
    #: valid
    torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, folder / "state.pt")
    #: saved
    best, waited = (val, 0) if val < best else (best, waited + 1)
    if settings["patience"] and waited >= settings["patience"]:
        log("info", "early stopping", epoch=epoch, best_val_mse=round(best, 5)); break
#: late
log("info", "finished", best_val_mse=round(best, 5), file=str(folder / "state.pt"))
'''
SHAPES = '''
"""A variational autoencoder over ridge lines (heights of 32 points)."""
import logging, math, os, sys, time
import torch
from torch import nn, optim

LOG = logging.getLogger("ridges")
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname).1s%(asctime)s %(process)d %(filename)s:%(lineno)d] %(message)s", datefmt="%m%d %H:%M:%S")
EPOCHS, BATCH, LR, ZDIM, BETA, INIT, OUT = int(os.getenv("EPOCHS", "15")), int(os.getenv("BATCH", "32")), float(os.getenv("LR", "2e-3")), int(os.getenv("ZDIM", "4")), float(os.getenv("BETA", "1.0")), os.getenv("INIT", ""), os.getenv("OUT", "ridges.pth")
torch.set_num_threads(1); torch.manual_seed(21)
#: early
t = torch.linspace(0, math.pi, 32)
ridge = lambda n: sum(torch.randn(n, 1) * torch.sin((k + 1) * t + torch.rand(n, 1)) / (k + 1) for k in range(3)) + 0.03 * torch.randn(n, 32)
train, test = ridge(768), ridge(128)
#: data


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(32, 48), nn.SiLU(), nn.Linear(48, 2 * ZDIM))
        self.dec = nn.Sequential(nn.Linear(ZDIM, 48), nn.SiLU(), nn.Linear(48, 32))

    def forward(self, x):
        mu, lv = self.enc(x).chunk(2, -1)
        return self.dec(mu + torch.randn_like(mu) * (lv / 2).exp()), mu, lv


def elbo(x, epoch):
    out, mu, lv = model(x)
    rec = ((out - x) ** 2).sum(-1).mean() * 10
    kl = -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum(-1).mean()
    beta = BETA
    #: beta
    return rec + beta * kl, rec, kl


model = VAE()
#: model
opt = optim.AdamW(model.parameters(), lr=LR)
start = 0
if INIT:
    #: init
    LOG.info("Restoring parameters from %s", INIT)
    blob = torch.load(INIT)
    model.load_state_dict(blob["model"]); start = blob["epoch"] + 1
LOG.info("ridges: %d train, %d test, z=%d", len(train), len(test), ZDIM)
#: ready
for epoch in range(start, EPOCHS):
    sums = torch.zeros(3)
    batches = train[torch.randperm(len(train))].split(BATCH)
    for b, x in enumerate(batches):
        #: mid
        loss, rec, kl = elbo(x, epoch)
        #: loss
        opt.zero_grad()
        loss.backward()
        #: grads
        opt.step()
        sums += torch.stack([loss, rec, kl]).detach()
        #: after
    sums /= len(batches)
    with torch.no_grad():
        held = elbo(test, epoch)[0].item()
    #: scored
    LOG.info("epoch %d/%d neg_elbo=%.4f rec=%.4f kl=%.4f test_neg_elbo=%.4f", epoch + 1, EPOCHS, *sums.tolist(), held)
    #: valid
    if (epoch + 1) % 5 == 0 or epoch + 1 == EPOCHS:
        torch.save({"model": model.state_dict(), "epoch": epoch}, OUT)
        LOG.info("saved %s", OUT)
        #: saved
#: late
LOG.info("Done after %d epochs.", EPOCHS)
#: last
'''
