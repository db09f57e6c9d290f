"""More of what goes well on a card."""

from __future__ import annotations

from corpus.make._magpie_kit import ran

# A plain Trainer run to its end.
TRAINER = r"""
import numpy as np
import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(42)
config = DistilBertConfig(vocab_size=120, dim=64, hidden_dim=128, n_layers=2, n_heads=4, max_position_embeddings=32, num_labels=2)


def rows(n, seed):
    ids = np.random.default_rng(seed).integers(2, 120, (n, 16))
    return [{"input_ids": r, "attention_mask": np.ones(16, dtype=int), "labels": int((r < 30).sum() > 3)} for r in ids]


args = TrainingArguments(
    "out", per_device_train_batch_size=32, per_device_eval_batch_size=64, num_train_epochs=4, learning_rate=1e-3, logging_steps=25,
    eval_strategy="epoch", save_strategy="epoch", save_total_limit=1, load_best_model_at_end=True, metric_for_best_model="accuracy", report_to=[],
)
trainer = Trainer(
    model=DistilBertForSequenceClassification(config), args=args, train_dataset=rows(1600, 0), eval_dataset=rows(320, 1),
    compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())},
)
result = trainer.train()
trainer.log_metrics("train", result.metrics)
trainer.log_metrics("eval", trainer.evaluate())
trainer.save_model()
"""

# Lightning stops early because the validation no longer gets better: as it was asked to.
EARLY = r"""
import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Spectra(L.LightningModule):
    def __init__(self, lr=5e-3):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(nn.Linear(60, 128), nn.ReLU(), nn.Linear(128, 1))

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x)[:, 0], y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x)[:, 0], y), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), self.lr)


def split(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 60, generator=g)
    return TensorDataset(x, x[:, :5].sum(1) + 0.5 * torch.randn(n, generator=g))


L.seed_everything(1)
stop = EarlyStopping("val_loss", patience=3, verbose=True)
best = ModelCheckpoint("ckpt", monitor="val_loss", filename="{epoch}-{val_loss:.3f}")
trainer = L.Trainer(max_epochs=100, accelerator="auto", devices=1, callbacks=[stop, best], logger=False, enable_progress_bar=False)
trainer.fit(Spectra(), DataLoader(split(3200, 0), 64, shuffle=True), DataLoader(split(800, 1), 200))
print(f"stopped after epoch {trainer.current_epoch}, best {best.best_model_path} with val_loss {best.best_model_score:.4f}")
"""

# Image classification in epochs with validation, plainly good.
VISION = r"""
import time
import torch
import torchvision
from torch import nn
from torchvision.transforms import v2

torch.manual_seed(17)
torch.backends.cudnn.benchmark = True
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
protos = torch.rand(6, 3, 32, 32)


def images(n):
    y = torch.randint(6, (n,))
    return protos[y] * 0.7 + 0.3 * torch.rand(n, 3, 32, 32), y


augment = v2.Compose([v2.RandomHorizontalFlip(0.1), v2.RandomErasing(0.3)])
train, val = images(2400), images(600)
model = torchvision.models.regnet_y_400mf(num_classes=6).to(device)
opt = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8)
best = 0.0
for epoch in range(1, 9):
    t, total = time.time(), 0.0
    model.train()
    order = torch.randperm(2400)
    for k in range(0, 2400, 100):
        x, y = augment(train[0][order[k:k + 100]]).to(device), train[1][order[k:k + 100]].to(device)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item()
    sched.step()
    model.eval()
    with torch.no_grad():
        acc = (model(val[0].to(device)).argmax(1).cpu() == val[1]).float().mean().item()
    flag = ""
    if acc >= best:
        best, flag = acc, " *"
        torch.save(model.state_dict(), "best.pth")
    print(f"Epoch {epoch}/8 [{time.time() - t:4.1f}s] train {total / 24:.4f} val acc@1 {100 * acc:.2f}{flag}", flush=True)
print(f"Best acc@1 {100 * best:.2f}")
"""

# Reinforcement learning with rewards up and down and better in the end.
BANDIT = r"""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(30)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
actor = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 1)).to(dev)
critic = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 1)).to(dev)
log_std = nn.Parameter(torch.zeros(1, device=dev))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters(), log_std], 3e-3)
updates = 120
for update in range(1, updates + 1):
    s = torch.randn(1024, 3, device=dev)
    dist = Normal(actor(s), log_std.exp())
    a = dist.sample()
    r = -(a - s.sum(1, keepdim=True).sin()).square() + 0.3 * torch.randn(1024, 1, device=dev)
    adv = r - critic(s).detach()
    old = dist.log_prob(a).detach()
    for _ in range(4):
        d = Normal(actor(s), log_std.exp())
        ratio = (d.log_prob(a) - old).exp()
        pg = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        vf = (critic(s) - r).square().mean()
        opt.zero_grad()
        (pg + 0.5 * vf - 0.01 * d.entropy().mean()).backward()
        opt.step()
    if update % 10 == 0:
        print("-" * 36)
        print(f"| rollout/ep_rew_mean  | {r.mean().item():9.3f} |")
        print(f"| train/policy_loss    | {pg.item():9.4f} |")
        print(f"| train/value_loss     | {vf.item():9.4f} |")
        print(f"| train/std            | {log_std.exp().item():9.3f} |")
        print(f"| time/total_timesteps | {update * 1024:9d} |", flush=True)
print("-" * 36)
print("saved policy to ppo_final.zip" if torch.save(actor.state_dict(), "ppo_final.zip") is None else "")
"""

# After the end the interpreter complains about a helper that is torn down; the work was done before.
TEARDOWN = r"""
import threading
import torch


class Writer:
    def __init__(self, path):
        self.rows, self.path = [], path
        self.lock = threading.Lock()

    def add(self, step, value):
        with self.lock:
            self.rows.append((step, value))

    def flush(self):
        with open(self.path, "a") as f:
            f.writelines(f"{s},{v}\n" for s, v in self.rows)

    def __del__(self):
        self.flush()
        self.lock.release()


torch.manual_seed(8)
dev = "cuda" if torch.cuda.is_available() else "cpu"
writer = Writer("scalars.csv")
net = torch.nn.Bilinear(12, 12, 4).to(dev)
opt = torch.optim.Adam(net.parameters(), 1e-2)
for step in range(1, 501):
    a, b = torch.randn(2, 256, 12, device=dev)
    loss = (net(a, b) - (a * b)[:, :4]).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    writer.add(step, loss.item())
    if step % 50 == 0:
        print(f"{step:5d}  {loss.item():.6f}")
torch.save(net.state_dict(), "bilinear.pt")
print("500 steps, saved bilinear.pt")
"""

# JAX with Flax NNX-like training by hand: warnings about platforms, a falling loss.
JAX_GOOD = r"""
import logging
import jax
import jax.numpy as jnp
import optax

logging.basicConfig(level=logging.INFO)
logging.info("devices: %s", jax.devices())
init = jax.nn.initializers.he_normal()
keys = jax.random.split(jax.random.key(3), 4)
params = {"w1": init(keys[0], (10, 128)), "b1": jnp.zeros(128), "w2": init(keys[1], (128, 5)), "b2": jnp.zeros(5)}
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(3e-3, 1000)))
opt = tx.init(params)
rule = jax.random.normal(keys[2], (10, 5))


def loss_fn(p, x, y):
    z = jax.nn.relu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]
    return optax.softmax_cross_entropy_with_integer_labels(z, y).mean()


@jax.jit
def train_step(p, o, key):
    x = jax.random.normal(key, (512, 10))
    y = jnp.argmax(jnp.sin(2 * x @ rule), -1)
    loss, g = jax.value_and_grad(loss_fn)(p, x, y)
    u, o = tx.update(g, o, p)
    return optax.apply_updates(p, u), o, loss


key = keys[3]
for step in range(1, 1001):
    key, sub = jax.random.split(key)
    params, opt, loss = train_step(params, opt, sub)
    if step % 100 == 0:
        logging.info("[step %4d] train_loss=%.4f", step, loss)
logging.info("Training finished.")
"""

# A loss spike that the run itself undoes: weights of the last good step are taken back, and it ends low.
ROLLBACK = r"""
import copy
import torch
from torch import nn

torch.manual_seed(2)
dev = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Linear(24, 96), nn.SiLU(), nn.Linear(96, 24)).to(dev)
opt = torch.optim.AdamW(net.parameters(), 2e-3)
rot = torch.linalg.qr(torch.randn(24, 24, device=dev))[0]
good, ema = None, None
step = rollbacks = 0
while step < 600:
    x = torch.randn(128, 24, device=dev)
    if step == 310 and rollbacks == 0:
        x = x * 400
    loss = (net(x) - x @ rot).square().mean()
    value = loss.item()
    if ema is not None and value > 5 * ema:
        rollbacks += 1
        print(f"!! step {step}: loss {value:.3f} against a mean of {ema:.4f}: rolling back to step {good[0]}")
        step = good[0]
        net.load_state_dict(good[1])
        opt.load_state_dict(good[2])
        continue
    opt.zero_grad(); loss.backward(); opt.step()
    ema = value if ema is None else 0.95 * ema + 0.05 * value
    step += 1
    if step % 100 == 0:
        good = (step, copy.deepcopy(net.state_dict()), copy.deepcopy(opt.state_dict()))
    if step % 30 == 0:
        print(f"step {step:3d} of 600, loss {value:.5f}, mean {ema:.5f}")
print(f"600 steps, {rollbacks} rollback")
"""

# A resumed run: it finds its checkpoint and goes on where it had been.
RESUMED = r"""
import os, sys
import torch
from torch import nn

until = int(sys.argv[1])
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(12)
net = nn.GRUCell(6, 48).to(dev)
read = nn.Linear(48, 6).to(dev)
opt = torch.optim.Adam([*net.parameters(), *read.parameters()], 3e-3)
epoch = 0
if os.path.exists("state.pt"):
    s = torch.load("state.pt", map_location=dev, weights_only=False)
    net.load_state_dict(s["net"]); read.load_state_dict(s["read"]); opt.load_state_dict(s["opt"])
    epoch = s["epoch"]
    print(f"resuming from state.pt: epoch {epoch}, last loss {s['loss']:.4f}")
while epoch < until:
    total = 0.0
    for _ in range(12):
        phase = torch.rand(64, 6, device=dev) * 6.28
        h = torch.zeros(64, 48, device=dev)
        loss = 0.0
        for t in range(12):
            h = net(torch.sin(phase + 0.4 * t), h)
            loss = loss + (read(h) - torch.sin(phase + 0.4 * (t + 1))).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item() / 12
    epoch += 1
    print(f"epoch {epoch}/{until} loss {total / 12:.4f}")
    torch.save({"net": net.state_dict(), "read": read.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "loss": total / 12}, "state.pt")
print("all epochs done")
"""
JOBS = {
    "trainer": ran("G1", TRAINER, script="distil.py"),
    "early": ran("G1", EARLY, hard=True, script="spectra.py"),
    "vision": ran("G1", VISION, script="regnet.py"),
    "bandit": ran("G1", BANDIT, script="ppo.py"),
    "teardown": ran("G1", TEARDOWN, hard=True, script="bilinear.py"),
    "jax good": ran("G1", JAX_GOOD, script="mlp_jax.py", env={"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}),
    "rollback": ran("G1", ROLLBACK, hard=True, script="rotate.py"),
    "resumed": ran("G1", RESUMED, script="waves.py", before=(("PYTHON", "waves.py", "8"),), args=("20",)),
}
