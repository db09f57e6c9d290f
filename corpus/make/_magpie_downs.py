"""A last helping of what goes well on a card."""

from __future__ import annotations

from corpus.make._magpie_kit import ran

# A small vision transformer of timm, plainly good.
VIT = r"""
import time
import timm
import torch
from timm.loss import LabelSmoothingCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import AverageMeter, accuracy

torch.manual_seed(2)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = timm.create_model("vit_tiny_patch16_224", img_size=64, num_classes=10, depth=4).to(device)
print(f"Model vit_tiny_patch16_224 created, param count: {sum(p.numel() for p in model.parameters())}")
optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.02)
epochs, per = 5, 30
scheduler = CosineLRScheduler(optimizer, t_initial=epochs, warmup_t=1, warmup_lr_init=1e-4)
criterion = LabelSmoothingCrossEntropy(0.05)
protos = torch.rand(10, 3, 64, 64, device=device)
for epoch in range(epochs):
    scheduler.step(epoch)
    losses, top1, clock = AverageMeter(), AverageMeter(), time.time()
    for batch in range(per):
        y = torch.randint(10, (64,), device=device)
        x = protos[y] + 0.3 * torch.randn(64, 3, 64, 64, device=device)
        out = model(x)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss.item(), 64)
        top1.update(accuracy(out, y, topk=(1,))[0].item(), 64)
        if batch % 10 == 9:
            print(f"Train: {epoch} [{batch + 1:>4d}/{per}]  Loss: {losses.val:#.3g} ({losses.avg:#.3g})  Acc@1: {top1.avg:6.2f}  LR: {optimizer.param_groups[0]['lr']:.3e}  {64 * (batch + 1) / (time.time() - clock):>7.1f}/s")
print(f"*** Best metric: {top1.avg:.3f} (epoch {epochs - 1})")
"""

# Lightning with its table and its bars, to max_epochs.
PLAIN_LIT = r"""
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Forecaster(L.LightningModule):
    def __init__(self, hidden: int = 48, horizon: int = 4):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, horizon)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])

    def training_step(self, batch, _):
        loss = nn.functional.l1_loss(self(batch[0]), batch[1])
        self.log("train_mae", loss, prog_bar=True, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        self.log("val_mae", nn.functional.l1_loss(self(batch[0]), batch[1]), prog_bar=True)

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            print(f"epoch {self.current_epoch}: val_mae {float(self.trainer.callback_metrics['val_mae']):.4f}", flush=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 5e-3)


L.seed_everything(3, workers=True)
t = torch.rand(3000, 1) * 60 + torch.arange(28) / 3
wave = torch.sin(t) + 0.3 * torch.sin(2.7 * t)
train, val = random_split(TensorDataset(wave[:, :24, None], wave[:, 24:]), (2400, 600))
trainer = L.Trainer(max_epochs=8, accelerator="auto", devices=1, logger=False, enable_checkpointing=False, log_every_n_steps=10)
trainer.fit(Forecaster(), DataLoader(train, 60, shuffle=True), DataLoader(val, 200))
"""

# JAX: the large batch is refused, which is caught; the run goes on in smaller ones and ends.
JAX_CAUGHT = r"""
import sys
import traceback
import jax
import jax.numpy as jnp
import optax

print("devices", jax.devices(), flush=True)
key = jax.random.key(0)
basis = jax.random.normal(key, (8, 256))
params = {"enc": jax.random.normal(key, (256, 1024)) * 0.05, "dec": jax.random.normal(key, (1024, 256)) * 0.02}
tx = optax.adam(1e-3)
state = tx.init(params)


def loss_fn(p, x):
    h = jax.nn.gelu(x @ p["enc"])
    return jnp.mean((h @ p["dec"] - x) ** 2)


@jax.jit
def update(p, s, x):
    loss, g = jax.value_and_grad(loss_fn)(p, x)
    u, s = tx.update(g, s)
    return optax.apply_updates(p, u), s, loss


rows = 1 << 23
while True:
    try:
        x = jax.random.normal(jax.random.key(1), (rows, 8)) @ basis
        update(params, state, x)[2].block_until_ready()
        break
    except Exception as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        traceback.print_exc(limit=1, file=sys.stdout)
        rows //= 16
        print(f"batch does not fit on the device, trying {rows} rows", flush=True)
print(f"batch of {rows} rows", flush=True)
for step in range(1, 301):
    x = jax.random.normal(jax.random.key(step), (4096, 8)) @ basis
    params, state, loss = update(params, state, x)
    if step % 30 == 0:
        print(f"step {step}/300 loss {float(loss):.4f}", flush=True)
print("ok", flush=True)
"""

# One of three evaluation sets is not there: told with its traceback, left out; training and the other sets go on.
SPLITS = r"""
import logging
import pathlib
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s,%(msecs)03d %(name)-8s %(levelname)-8s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("speaker")
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(4)
voices = torch.randn(24, 40)
root = pathlib.Path("data")


def utterances(n):
    y = torch.randint(24, (n,))
    return voices[y] + 0.8 * torch.randn(n, 40), y


for split in ("dev-clean", "test-clean"):
    torch.save(utterances(400), root / f"{split}.pt")
net = nn.Sequential(nn.Linear(40, 128), nn.ReLU(), nn.Linear(128, 24)).to(dev)
opt = torch.optim.AdamW(net.parameters(), 3e-3)


def evaluate(epoch):
    for split in ("dev-clean", "dev-other", "test-clean"):
        try:
            x, y = torch.load(root / f"{split}.pt")
        except FileNotFoundError:
            log.exception("cannot load %s, evaluation on it is skipped", split)
            continue
        log.info("epoch %d %s accuracy %.4f", epoch, split, (net(x.to(dev)).argmax(1).cpu() == y).float().mean())


for epoch in range(1, 7):
    total = 0.0
    for _ in range(80):
        x, y = utterances(96)
        loss = nn.functional.cross_entropy(net(x.to(dev)), y.to(dev))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        total += loss.item()
    log.info("epoch %d/6 train loss %.4f", epoch, total / 80)
    if epoch % 3 == 0:
        evaluate(epoch)
torch.save(net.state_dict(), "speaker.pt")
log.info("wrote speaker.pt")
"""
JOBS = {
    "vit": ran("G1", VIT, script="vit.py"),
    "splits": ran("G1", SPLITS, hard=True, script="speaker.py", folders=("data",)),
    "plain lit": ran("G1", PLAIN_LIT, script="forecast.py"),
    "jax caught": ran("G1", JAX_CAUGHT, hard=True, script="autoenc.py", env={"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.05"}),
}
