"""Plain loops of four hands in PyTorch: tones to syllables, citations, a radiance field, characters."""

TONES = '''
"""Tone sequences -> syllables with CTC. Usage: python train_ctc.py --epochs 12 --exp exp/base"""
import argparse, os, sys, time, math, random
import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=10)
ap.add_argument("--utts", type=int, default=240)
ap.add_argument("--bs", type=int, default=8)
ap.add_argument("--lr", type=float, default=4e-3)
ap.add_argument("--exp", default="exp/base")
ap.add_argument("--resume", default=None)
ap.add_argument("--report", type=int, default=10)
ap.add_argument("--nap", type=float, default=0.0)
args = ap.parse_args()
torch.manual_seed(17); random.seed(17); torch.set_num_threads(1)
#: early

N_SYL, DIM = 9, 12
codebook = torch.randn(N_SYL + 1, DIM)


def utterance():
    syl = [random.randint(1, N_SYL) for _ in range(random.randint(3, 6))]
    frames = [codebook[s] + 0.3 * torch.randn(DIM) for s in syl for _ in range(random.randint(2, 4))]
    return torch.stack(frames), torch.tensor(syl)


train = [utterance() for _ in range(args.utts)]
dev = [utterance() for _ in range(24)]
print(f"# {len(train)} train / {len(dev)} dev utterances, {sum(len(x) for x, _ in train)} frames", flush=True)
#: data


def collate(batch):
    xs, ys = zip(*batch)
    lens = torch.tensor([len(x) for x in xs])
    return nn.utils.rnn.pad_sequence(xs), lens, torch.cat(ys), torch.tensor([len(y) for y in ys])


class Tagger(nn.Module):
    def __init__(self, hid=40):
        super().__init__()
        self.rnn = nn.GRU(DIM, hid, bidirectional=True)
        self.out = nn.Linear(2 * hid, N_SYL + 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0]).log_softmax(-1)


model = Tagger()
optim = torch.optim.Adam(model.parameters(), lr=args.lr)
crit = nn.CTCLoss(zero_infinity=True)
print(f"# model has {sum(p.numel() for p in model.parameters())} weights", flush=True)
upd, first_ep = 0, 1
if args.resume:
    #: resume
    state = torch.load(args.resume, map_location="cpu")
    model.load_state_dict(state["model"]); optim.load_state_dict(state["optim"])
    upd, first_ep = state["upd"], state["ep"] + 1
    print(f"# picked up {args.resume}: ep {state['ep']}, upd {upd}", flush=True)
os.makedirs(args.exp, exist_ok=True)


def syllable_error():
    model.eval()
    wrong = total = 0
    with torch.no_grad():
        for x, y in dev:
            best = model(x[:, None]).argmax(-1)[:, 0].tolist()
            hyp = [b for a, b in zip([0, *best], best) if b and b != a]
            wrong += abs(len(hyp) - len(y)) + sum(h != r for h, r in zip(hyp, y.tolist())); total += len(y)
    model.train()
    return 100.0 * wrong / total


t0 = time.time()
for ep in range(first_ep, args.epochs + 1):
    random.shuffle(train)
    frames, began = 0, time.time()
    for at in range(0, len(train), args.bs):
        x, xl, y, yl = collate(train[at : at + args.bs])
        #: mid
        optim.zero_grad()
        loss = crit(model(x), y, xl, yl)
        #: loss
        loss.backward()
        gn = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        #: grads
        optim.step()
        upd += 1
        frames += int(xl.sum())
        if args.nap:
            time.sleep(args.nap)
        if upd % args.report == 0:
            print(f"ep {ep:02d} upd {upd:05d} | ctc {loss.item():7.4f} | gn {gn:6.3f} | lr {optim.param_groups[0]['lr']:.1e} | {frames / (time.time() - began):8.0f} fr/s", flush=True)
        #: after
    ser = syllable_error()
    print(f"== ep {ep:02d}/{args.epochs} done: dev SER {ser:.2f}%  ({time.time() - t0:.1f} s)", flush=True)
    path = os.path.join(args.exp, f"ep{ep:02d}.pt")
    #: save
    torch.save({"model": model.state_dict(), "optim": optim.state_dict(), "upd": upd, "ep": ep}, path)
    #: epoch
#: late
print(f"# all {args.epochs} epochs done, {upd} updates, final dev SER {ser:.2f}%", flush=True)
'''
CITES = '''
import torch, os, sys, time, argparse
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument('--hidden_channels', type=int, default=16)
parser.add_argument('--lr', type=float, default=0.02)
parser.add_argument('--epochs', type=int, default=200)
parser.add_argument('--log_every', type=int, default=1)
parser.add_argument('--ckpt', default='')
args = parser.parse_args()
torch.manual_seed(3)
#: early
n, k, d = 300, 5, 32
y = torch.randint(k, (n,))
x = F.one_hot(y, k).float() @ torch.randn(k, d) + 1.6 * torch.randn(n, d)
adj = ((y[:, None] == y[None]).float() * 0.06 + 0.01).bernoulli()
adj = ((adj + adj.t()) > 0).float() + torch.eye(n)
deg = adj.sum(1).rsqrt()
adj = deg[:, None] * adj * deg[None]
perm = torch.randperm(n)
train_idx, val_idx, test_idx = perm[:120], perm[120:200], perm[200:]
#: data
print(f'Data(x=[{n}, {d}], edges={int((adj > 0).sum())}, y=[{n}], classes={k})')


class GCN(torch.nn.Module):
    def __init__(self, in_channels, hidden, out):
        super().__init__()
        self.w1 = torch.nn.Linear(in_channels, hidden, bias=False)
        self.w2 = torch.nn.Linear(hidden, out, bias=False)

    def forward(self, x, adj):
        x = F.dropout(F.relu(adj @ self.w1(x)), p=0.5, training=self.training)
        return adj @ self.w2(x)


model = GCN(d, args.hidden_channels, k)
if args.ckpt:
    #: load
    model.load_state_dict(torch.load(args.ckpt))
opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)
print(model)


def train():
    model.train()
    opt.zero_grad()
    out = model(x, adj)
    loss = F.cross_entropy(out[train_idx], y[train_idx])
    #: loss
    loss.backward()
    #: grads
    opt.step()
    return float(loss)


@torch.no_grad()
def test():
    model.eval()
    pred = model(x, adj).argmax(-1)
    return [float((pred[i] == y[i]).float().mean()) for i in (train_idx, val_idx, test_idx)]


best_val = test_acc = 0
times = []
for epoch in range(1, args.epochs + 1):
    start = time.time()
    #: mid
    loss = train()
    train_acc, val_acc, tmp = test()
    if val_acc > best_val:
        best_val, test_acc = val_acc, tmp
    if epoch % args.log_every == 0:
        print(f'Epoch: {epoch:03d}, Loss: {loss:.4f}, Train: {train_acc:.4f}, Val: {val_acc:.4f}, Test: {test_acc:.4f}', flush=True)
    times.append(time.time() - start)
    #: after
#: late
print(f'Median time per epoch: {sorted(times)[len(times) // 2]:.4f}s')
print(f'Best val: {best_val:.4f}, test at best val: {test_acc:.4f}')
'''
FIELD = '''
import os, sys, math, time, json
import torch
from torch import nn

cfg = {"N_iters": 600, "i_print": 50, "i_weights": 300, "i_testset": 300, "lrate": 5e-3, "lrate_decay": 2, "basedir": "logs", "expname": "blobs", "ft_path": None, "pause": 0.0}
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    cfg[key] = json.loads(value) if value[:1] in "0123456789-tfn[\\"" else value
torch.manual_seed(8); torch.set_num_threads(1)
folder = os.path.join(cfg["basedir"], cfg["expname"])
os.makedirs(folder, exist_ok=True)
#: early


def embed(x, n=4):
    return torch.cat([x] + [f(2.0**i * x) for i in range(n) for f in (torch.sin, torch.cos)], -1)


class Field(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(27, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, pts):
        out = self.net(embed(pts))
        return torch.sigmoid(out[..., :3]), torch.relu(out[..., 3])


def render(f, o, d, n=12):
    z = torch.linspace(1.0, 3.0, n)
    rgb, sigma = f(o[:, None] + d[:, None] * z[:, None])
    alpha = 1 - torch.exp(-sigma * 2.0 / n)
    w = alpha * torch.cumprod(torch.cat([torch.ones(len(o), 1), 1 - alpha[:, :-1] + 1e-10], 1), 1)
    return (w[..., None] * rgb).sum(1)


torch.manual_seed(80)
truth = Field()
with torch.no_grad():
    truth.net[-1].weight.mul_(3); truth.net[-1].bias[3] = 2.0
torch.manual_seed(9)
rays_o = torch.randn(2000, 3) * 0.05 - torch.tensor([0.0, 0.0, 2.0])
rays_d = nn.functional.normalize(torch.randn(2000, 3) * 0.3 + torch.tensor([0.0, 0.0, 1.0]), dim=-1)
with torch.no_grad():
    target = render(truth, rays_o, rays_d)
print("Loaded blobs", tuple(rays_o.shape), "near 1.0 far 3.0")
#: data
net = Field()
opt = torch.optim.Adam(net.parameters(), lr=cfg["lrate"], betas=(0.9, 0.999))
start = 0
ckpts = [cfg["ft_path"]] if cfg["ft_path"] else sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".tar"))
#: found
print("Found ckpts", ckpts)
if ckpts:
    print("Reloading from", ckpts[-1], flush=True)
    ck = torch.load(ckpts[-1])
    start = ck["global_step"]
    net.load_state_dict(ck["network_fn_state_dict"]); opt.load_state_dict(ck["optimizer_state_dict"])
print("Begin", flush=True)
for i in range(start + 1, cfg["N_iters"] + 1):
    sel = torch.randint(len(rays_o), (128,))
    #: mid
    rgb = render(net, rays_o[sel], rays_d[sel])
    loss = (rgb - target[sel]).square().mean()
    #: loss
    opt.zero_grad(); loss.backward()
    #: grads
    opt.step()
    psnr = -10.0 * torch.log10(loss.detach())
    new_lr = cfg["lrate"] * 0.1 ** (i / (cfg["lrate_decay"] * 1000))
    #: rate
    for g in opt.param_groups:
        g["lr"] = new_lr
    time.sleep(cfg["pause"])
    if i % cfg["i_weights"] == 0:
        path = os.path.join(folder, f"{i:06d}.tar")
        torch.save({"global_step": i, "network_fn_state_dict": net.state_dict(), "optimizer_state_dict": opt.state_dict()}, path)
        print("Saved checkpoints at", path, flush=True)
        #: saved
    if i % cfg["i_testset"] == 0:
        with torch.no_grad():
            err = (render(net, rays_o, rays_d) - target).square().mean()
        print(f"test set: 2000 rays, mse {err:.5f}, psnr {-10 * math.log10(err):.2f}", flush=True)
    if i % cfg["i_print"] == 0:
        print(f"[TRAIN] Iter: {i} Loss: {loss.item()}  PSNR: {psnr.item()}", flush=True)
    #: after
#: late
'''
CHARS = '''
# character model, one file, settings as globals; override with --name=value
import sys, os, time, math, pickle
import torch
from torch import nn
from torch.nn import functional as F

out_dir = 'out'
eval_interval = 100
log_interval = 10
eval_iters = 5
eval_only = False
always_save_checkpoint = False
init_from = 'scratch'
batch_size = 8
block_size = 24
n_embd = 32
learning_rate = 3e-3
max_iters = 400
nap = 0.0
for arg in sys.argv[1:]:
    key, val = arg[2:].split('=')
    globals()[key] = type(globals()[key])(eval(val)) if not isinstance(globals()[key], str) else val
    print(f"Overriding: {key} = {val}")
torch.manual_seed(1337)
torch.set_num_threads(1)
os.makedirs(out_dir, exist_ok=True)
#: early
text = "the mill turns when the water comes and the miller sleeps when the water goes; no grain, no flour, no bread on the table in the morning. " * 40
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
split = int(0.9 * len(data))
parts = {'train': data[:split], 'val': data[split:]}
tokens_per_iter = batch_size * block_size
print(f"tokens per iteration will be: {tokens_per_iter:,}")
#: data


def get_batch(part):
    d = parts[part]
    at = torch.randint(len(d) - block_size - 1, (batch_size,))
    return torch.stack([d[i:i + block_size] for i in at]), torch.stack([d[i + 1:i + 1 + block_size] for i in at])


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(len(chars), n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.block = nn.TransformerEncoderLayer(n_embd, 4, 2 * n_embd, dropout=0.0, batch_first=True)
        self.head = nn.Linear(n_embd, len(chars))
        self.register_buffer('mask', torch.triu(torch.full((block_size, block_size), float('-inf')), 1))

    def forward(self, x, y):
        h = self.block(self.wte(x) + self.wpe.weight, src_mask=self.mask)
        return F.cross_entropy(self.head(h).flatten(0, 1), y.flatten())


model = Small()
iter_num, best_val_loss = 0, 1e9
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
if init_from == 'scratch':
    print("Initializing a new model from scratch")
elif init_from == 'resume':
    print(f"Resuming training from {out_dir}")
    #: resume
    ck = torch.load(os.path.join(out_dir, 'ckpt.pt'))
    model.load_state_dict(ck['model'])
    optimizer.load_state_dict(ck['optimizer'])
    iter_num, best_val_loss = ck['iter_num'], ck['best_val_loss']
print("number of parameters: %.2fM" % (sum(p.numel() for p in model.parameters()) / 1e6,), flush=True)


@torch.no_grad()
def estimate_loss():
    return {p: sum(model(*get_batch(p)).item() for _ in range(eval_iters)) / eval_iters for p in parts}


t0 = time.time()
while True:
    if iter_num % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {iter_num}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}", flush=True)
        if losses['val'] < best_val_loss or always_save_checkpoint:
            best_val_loss = losses['val']
            if iter_num > 0:
                print(f"saving checkpoint to {out_dir}")
                torch.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict(), 'iter_num': iter_num, 'best_val_loss': best_val_loss}, os.path.join(out_dir, 'ckpt.pt'))
                #: saved
    if eval_only:
        break
    X, Y = get_batch('train')
    #: mid
    loss = model(X, Y)
    #: loss
    loss.backward()
    #: grads
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if nap:
        time.sleep(nap)
    t1 = time.time()
    dt, t0 = t1 - t0, t1
    if iter_num % log_interval == 0:
        print(f"iter {iter_num}: loss {loss.item():.4f}, time {dt * 1000:.2f}ms, mfu {0.02 / dt:.2f}%", flush=True)
    #: after
    iter_num += 1
    if iter_num > max_iters:
        break
#: late
'''
