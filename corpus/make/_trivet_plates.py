"""Programs: pictures of leaves in Flax with colorlog, a variational model in Portuguese with tqdm, a language model that says key=value."""

LEAVES = r'''"""Classify leaves (synthetic), Flax/Optax.  leaves.py --flags"""
import argparse
import logging
import os
import pickle
import sys
import time

import colorlog
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state

cli = argparse.ArgumentParser()
cli.add_argument("--num-steps", type=int, default=600)
cli.add_argument("--log-every", type=int, default=25)
cli.add_argument("--save-every", type=int, default=200)
cli.add_argument("--lr", type=float, default=3e-3)
cli.add_argument("--width", type=int, default=24)
cli.add_argument("--batch", type=int, default=32)
cli.add_argument("--workdir", default="work/leaves")
cli.add_argument("--restore")
cli.add_argument("--init-from")
cli.add_argument("--schedule", default="cosine")
cli.add_argument("--sleep", type=float, default=0.0)
cfg = cli.parse_args()

h = colorlog.StreamHandler(sys.stdout)
h.setFormatter(colorlog.ColoredFormatter("%(asctime)s %(levelname).1s [%(name)s] %(message)s", no_color=True))
log = logging.getLogger("leaves")
log.addHandler(h)
log.setLevel("INFO")
log.info("jax %s on %s, process %d of %d", jax.__version__, jax.devices()[0].platform, jax.process_index() + 1, jax.process_count())
log.info("config: %s", vars(cfg))
rng = np.random.default_rng(0)
#: start
CLASSES = 5
proto = rng.normal(size=(CLASSES, 12, 12, 1))


def picture(n):
    k = rng.integers(0, CLASSES, n)
    return (proto[k] + rng.normal(0, 5.0, (n, 12, 12, 1))).astype("float32"), k


X, Y = picture(1500)
XT, YT = picture(300)
#: data


class Net(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Conv(self.width // 2, (3, 3), strides=2)(x))
        x = x.reshape((x.shape[0], -1))
        return nn.Dense(CLASSES)(nn.relu(nn.Dense(self.width)(x)))


net = Net(cfg.width)
rate = {"cosine": lambda: optax.cosine_decay_schedule(cfg.lr, cfg.num_steps), "constant": lambda: cfg.lr}[cfg.schedule]()
#: rate
params = net.init(jax.random.PRNGKey(1), X[:1])["params"]
state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(rate))
begin = 0
if cfg.init_from:
    with open(cfg.init_from, "rb") as f:
        state = state.replace(params=pickle.load(f)["params"])
    log.info("weights initialised from %s", cfg.init_from)
if cfg.restore:
    #: restore
    with open(cfg.restore, "rb") as f:
        kept = pickle.load(f)
    jax.tree_util.tree_map(lambda a, b: np.testing.assert_equal(a.shape, b.shape), state.params, kept["params"])
    state, begin = state.replace(params=kept["params"], opt_state=kept["opt_state"], step=kept["step"]), kept["step"]
    log.info("restored %s (step %d)", cfg.restore, begin)


@jax.jit
def train_step(state, x, y):
    def objective(p):
        logits = state.apply_fn({"params": p}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(objective)(state.params)
    return state.apply_gradients(grads=grads), loss, optax.global_norm(grads)


@jax.jit
def accuracy(state, x, y):
    return (state.apply_fn({"params": state.params}, x).argmax(1) == y).mean()


os.makedirs(cfg.workdir, exist_ok=True)
log.info("%d parameters, starting at step %d", sum(v.size for v in jax.tree_util.tree_leaves(params)), begin)
losses, t0, t_wait = [], time.time(), 0.0
for step in range(begin + 1, cfg.num_steps + 1):
    at = rng.integers(0, len(X), cfg.batch)
    x, y = X[at], Y[at]
    #: batch
    state, loss, norm = train_step(state, x, y)
    losses.append(float(loss))
    #: after
    time.sleep(cfg.sleep)
    if step % cfg.log_every == 0:
        log.info("step %5d | loss %.4f | grad_norm %.3f | test_acc %.3f | %.1f steps/s", step, np.mean(losses), norm, accuracy(state, XT, YT), len(losses) / (time.time() - t0))
        losses, t0 = [], time.time()
    #: told
    if step % cfg.save_every == 0:
        with open(f"{cfg.workdir}/state.pkl", "wb") as f:
            pickle.dump(jax.device_get({"params": state.params, "opt_state": state.opt_state, "step": step}), f)
        log.info("state of step %d written to %s/state.pkl", step, cfg.workdir)
        #: saved
#: finish
log.info("finished %d steps, test accuracy %.3f", step, accuracy(state, XT, YT))
'''

ROSTOS = r'''"""VAE de azulejos 8x8. Uso: vae.py [chave=valor ...]"""
import os
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from tqdm import tqdm

P = dict(epocas=24, lote=64, taxa=2e-3, latente=4, camada=48, amostras=1600, beta=0.5, pasta="saida", retomar="", base="", guardar=8, pausa=0.0, paciencia=0)
for par in sys.argv[1:]:
    chave, _, valor = par.partition("=")
    if chave not in P:
        sys.exit(f"vae.py: chave desconhecida '{chave}' (conhecidas: {', '.join(P)})")
    P[chave] = type(P[chave])(valor)
print("parâmetros:", P, flush=True)
torch.manual_seed(9)
#: inicio


def azulejos(n):
    """Faixas e círculos com ruído."""
    i, j = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij")
    f, d, r = torch.rand(n, 1, 1) * 2 + 0.4, torch.rand(n, 1, 1) * 6, torch.rand(n, 1, 1) * 4
    x = torch.where(torch.rand(n, 1, 1) < 0.5, torch.sin(f * i + d), torch.tanh(r - ((i - 3.5) ** 2 + (j - 3.5) ** 2).sqrt()))
    return (x + 0.05 * torch.randn(n, 8, 8)).view(n, 64)


class Vae(nn.Module):
    def __init__(self, h, z):
        super().__init__()
        self.cod = nn.Sequential(nn.Linear(64, h), nn.ReLU(), nn.Linear(h, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, 64))

    def forward(self, x):
        mu, lv = self.cod(x).chunk(2, 1)
        return self.dec(mu + torch.randn_like(mu) * (lv / 2).exp()), mu, lv


treino, teste = azulejos(P["amostras"]), azulejos(300)
#: dados
rede = Vae(P["camada"], P["latente"])
otim = torch.optim.Adam(rede.parameters(), lr=P["taxa"])
primeira = 1
if P["base"]:
    rede.load_state_dict(torch.load(P["base"])["rede"])
    print(f"pesos iniciais de {P['base']}", flush=True)
if P["retomar"]:
    #: retomar
    e = torch.load(P["retomar"])
    rede.load_state_dict(e["rede"])
    otim.load_state_dict(e["otim"])
    primeira = e["epoca"] + 1
    print(f"retomado de {P['retomar']}, época {e['epoca']}", flush=True)
os.makedirs(P["pasta"], exist_ok=True)


def perda(x):
    y, mu, lv = rede(x)
    rec = F.mse_loss(y, x, reduction="none").sum(1).mean()
    kl = -0.5 * (1 + lv - mu**2 - lv.exp()).sum(1).mean()
    return rec + P["beta"] * kl, rec, kl


melhor, ruim, passo = float("inf"), 0, 0
for epoca in range(primeira, P["epocas"] + 1):
    t0, soma, espera = time.time(), torch.zeros(3), 0.0
    lotes = torch.randperm(len(treino)).split(P["lote"])
    for idx in tqdm(lotes, desc=f"época {epoca}/{P['epocas']}", ncols=78, mininterval=1.0):
        passo += 1
        x = treino[idx]
        #: lote
        total, rec, kl = perda(x)
        #: perda
        otim.zero_grad()
        total.backward()
        otim.step()
        soma += torch.stack([total, rec, kl]).detach() * len(idx)
        #: depois
    time.sleep(P["pausa"])
    soma /= len(treino)
    with torch.no_grad():
        val = perda(teste)[0].item()
    #: valida
    print(f"época {epoca:3d}  perda {soma[0]:9.4f}  rec {soma[1]:9.4f}  kl {soma[2]:8.4f}  perda_teste {val:9.4f}  tempo {time.time() - t0:.2f}s", flush=True)
    if epoca % P["guardar"] == 0:
        torch.save({"rede": rede.state_dict(), "otim": otim.state_dict(), "epoca": epoca}, f"{P['pasta']}/vae_{epoca}.pt")
        print(f"guardado {P['pasta']}/vae_{epoca}.pt", flush=True)
        #: guardado
    ruim = 0 if val < melhor else ruim + 1
    melhor = min(melhor, val)
    if P["paciencia"] and ruim >= P["paciencia"]:
        print(f"sem melhora há {ruim} épocas, parada antecipada", flush=True)
        break
    #: epoca
#: fim
print(f"fim: {epoca} épocas, melhor perda de teste {melhor:.4f}", flush=True)
'''

VERSES = r'''"""Tiny transformer over synthetic verses; logs key=value to stderr.

    python lm_train.py --set iters=500 --set lr=1e-3
"""
import math
import os
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

HP = {"iters": 500, "log_interval": 20, "eval_interval": 100, "ckpt_interval": 100, "lr": 2e-3, "warmup": 20, "batch": 16, "ctx": 24, "dim": 32, "layers": 1, "heads": 2, "out": "out", "init_from": "scratch", "sleep": 0.0, "clip": 1.0, "eval_only": 0}
words = sys.argv[1:]
while words:
    flag = words.pop(0)
    if flag != "--set" or not words:
        raise SystemExit(f"usage: lm_train.py [--set KEY=VALUE]...   (got {flag!r})")
    k, v = words.pop(0).split("=")
    HP[k] = type(HP[k])(v)


def kv(**fields):
    print(f"time={time.strftime('%Y-%m-%dT%H:%M:%S')} level=info " + " ".join(f"{k}={v}" for k, v in fields.items()), file=sys.stderr, flush=True)


kv(msg="hyperparameters", **HP)
torch.manual_seed(1337)
#: start
lines = ["the moon is over the {}", "a {} sings in the rain", "who has seen the {} at noon", "cold {} and colder wind"]
nouns = ["harbour", "meadow", "sparrow", "willow", "lantern", "river", "granite", "orchard"]
g = torch.Generator().manual_seed(5)
pick = lambda seq: seq[int(torch.randint(len(seq), (1,), generator=g))]
text = "\n".join(pick(lines).format(pick(nouns)) for _ in range(900))
vocab = sorted(set(text))
data = torch.tensor([vocab.index(c) for c in text])
#: data
split = int(len(data) * 0.9)


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = nn.MultiheadAttention(d, h, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 3 * d), nn.GELU(), nn.Linear(3 * d, d))

    def forward(self, x, mask):
        n = self.n1(x)
        x = x + self.att(n, n, n, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.n2(x))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(vocab), HP["dim"]), nn.Embedding(HP["ctx"], HP["dim"])
        self.blocks = nn.ModuleList(Block(HP["dim"], HP["heads"]) for _ in range(HP["layers"]))
        self.head = nn.Linear(HP["dim"], len(vocab))

    def forward(self, i):
        x = self.tok(i) + self.pos(torch.arange(i.shape[1]))
        mask = torch.triu(torch.ones(i.shape[1], i.shape[1], dtype=torch.bool), 1)
        for b in self.blocks:
            x = b(x, mask)
        return self.head(x)


def get_batch(part):
    at = torch.randint(len(part) - HP["ctx"] - 1, (HP["batch"],))
    return torch.stack([part[a : a + HP["ctx"]] for a in at]), torch.stack([part[a + 1 : a + 1 + HP["ctx"]] for a in at])


model = LM()
opt = torch.optim.AdamW(model.parameters(), lr=HP["lr"])
start = 0
if HP["init_from"] not in ("scratch", "resume"):
    model.load_state_dict(torch.load(HP["init_from"])["model"])
    kv(msg="weights_loaded", path=HP["init_from"])
if HP["init_from"] == "resume":
    #: resume
    ck = torch.load(os.path.join(HP["out"], "ckpt.pt"))
    model.load_state_dict(ck["model"])
    opt.load_state_dict(ck["opt"])
    start = ck["iter"]
    kv(msg="resumed", iter=start, val_loss=f"{ck['val']:.4f}")
kv(msg="model", params=sum(p.numel() for p in model.parameters()), vocab=len(vocab), train_tokens=split)
os.makedirs(HP["out"], exist_ok=True)


@torch.no_grad()
def evaluate():
    return sum(F.cross_entropy(model(a).flatten(0, 1), b.flatten()).item() for a, b in (get_batch(data[split:]) for _ in range(4))) / 4


if HP["eval_only"]:
    for r in range(8):
        v = evaluate()
        kv(msg="eval", round=r, val_loss=f"{v:.4f}", ppl=f"{math.exp(v):.2f}")
        time.sleep(0.3)
    kv(msg="eval_done", rounds=8)
    raise SystemExit(0)
val, tick, wait = float("nan"), time.time(), 0.0
for it in range(start + 1, HP["iters"] + 1):
    for group in opt.param_groups:
        group["lr"] = HP["lr"] * min(1, it / HP["warmup"])
    #: schedule
    x, y = get_batch(data[:split])
    #: batch
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    #: loss
    opt.zero_grad(set_to_none=True)
    loss.backward()
    gn = nn.utils.clip_grad_norm_(model.parameters(), HP["clip"])
    #: grad
    opt.step()
    time.sleep(HP["sleep"])
    #: after
    if it % HP["log_interval"] == 0:
        kv(iter=it, loss=f"{loss.item():.4f}", lr=f"{opt.param_groups[0]['lr']:.2e}", grad_norm=f"{float(gn):.3f}", ms_per_iter=f"{1000 * (time.time() - tick) / HP['log_interval']:.1f}")
        tick = time.time()
    #: told
    if it % HP["eval_interval"] == 0:
        val = evaluate()
        kv(msg="eval", iter=it, val_loss=f"{val:.4f}")
    if it % HP["ckpt_interval"] == 0:
        t0 = time.time()
        torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "iter": it, "val": val}, os.path.join(HP["out"], "ckpt.pt"))
        #: ckpt
        kv(msg="checkpoint", iter=it, path=os.path.join(HP["out"], "ckpt.pt"), took_s=f"{time.time() - t0:.3f}")
#: finish
kv(msg="finished", iters=it, final_val_loss=f"{evaluate():.4f}")
'''
