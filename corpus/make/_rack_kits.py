"""Trainings over libraries of four hands: the Hub's Trainer on a language model, Lightning, loguru with tqdm and OmegaConf, and JAX with Optax."""

YODEL = '''
import argparse, math, os, random, sys, time
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

cli = argparse.ArgumentParser()
cli.add_argument("--model", default=None)
cli.add_argument("--steps", type=int, default=120)
cli.add_argument("--lr", type=float, default=5e-3)
cli.add_argument("--log", type=int, default=10)
cli.add_argument("--save", type=int, default=60)
cli.add_argument("--resume", default=None)
cli.add_argument("--bf16", action="store_true")
cli.add_argument("--out", default="yodel-lm")
a = cli.parse_args()
set_seed(2); torch.set_num_threads(1)
#: early


class Songs(Dataset):
    def __init__(self, n, seed):
        r = random.Random(seed)
        self.rows = [[1] + [2 + (s + k * d) % 17 for k in range(14)] for s, d in ((r.randrange(17), r.choice((1, 2, 5))) for _ in range(n))]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids = torch.tensor(self.rows[i])
        labels = ids.clone()
        #: item
        return {"input_ids": ids, "labels": labels}


train, dev = Songs(512, 1), Songs(64, 2)
if a.model:
    #: pretrained
    model = GPT2LMHeadModel.from_pretrained(a.model)
else:
    model = GPT2LMHeadModel(GPT2Config(vocab_size=24, n_positions=16, n_embd=32, n_layer=1, n_head=2, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, bos_token_id=1, eos_token_id=1))
#: model


class Notes(TrainerCallback):
    def on_step_end(self, args, state, control, optimizer=None, **kw):
        step = state.global_step
        #: step

    def on_save(self, args, state, control, **kw):
        step = state.global_step
        #: saved


class Ours(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kw):
        out = model(**inputs)
        loss, step = out.loss, self.state.global_step
        #: loss
        return (loss, out) if return_outputs else loss


options = TrainingArguments(a.out, max_steps=a.steps, learning_rate=a.lr, per_device_train_batch_size=16, logging_steps=a.log, save_steps=a.save, save_total_limit=2, eval_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, bf16=a.bf16)
#: options
trainer = Ours(model=model, args=options, train_dataset=train, eval_dataset=dev, callbacks=[Notes()])
#: ready
trainer.train(resume_from_checkpoint=a.resume)
print(trainer.evaluate())
#: late
'''
LIFT = '''
import logging, os, sys, time, warnings
import torch
import lightning as L
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint

torch.set_num_threads(1)
ENV = os.environ.get
L.seed_everything(int(ENV("SEED", "6")))
#: early


class CableLoad(L.LightningModule):
    """Strain of the cable from twelve readings."""

    def __init__(self, hidden=24, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(12, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 1))

    def training_step(self, batch, i):
        x, y = batch
        #: mid
        loss = torch.nn.functional.mse_loss(self.net(x), y)
        #: loss
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        self.log("val_loss", torch.nn.functional.mse_loss(self.net(x), y))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch} | step {self.global_step} | train_loss {m['train_loss']:.5f} | val_loss {m.get('val_loss', float('nan')):.5f}", flush=True)
        #: epoch

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), self.hparams.lr)


x = torch.randn(800, 12); y = (x[:, :3].prod(1, keepdim=True) + x[:, 4:5] * 0.7 + 0.05 * torch.randn(800, 1))
#: data
sets = torch.utils.data.random_split(torch.utils.data.TensorDataset(x, y), [700, 100])
loaders = [torch.utils.data.DataLoader(s, 32, shuffle=k == 0) for k, s in enumerate(sets)]
model = CableLoad(hidden=int(ENV("HIDDEN", "24")), lr=float(ENV("LR", "0.01")))
#: model
callbacks = [ModelCheckpoint("cable", monitor="val_loss", save_last=True)]
if ENV("PATIENCE"):
    callbacks.append(EarlyStopping("val_loss", patience=int(ENV("PATIENCE")), verbose=True))
more = {}
#: trainer
trainer = L.Trainer(max_epochs=int(ENV("EPOCHS", "15")), accelerator="cpu", logger=False, enable_progress_bar=False, callbacks=callbacks, **more)
trainer.fit(model, *loaders, ckpt_path=ENV("CKPT") or None)
#: late
'''
GOAT = '''
"""Pairs of views of the same goat are brought together. conf: name=value."""
import os, sys, time
import torch, torch.nn.functional as F
from loguru import logger
from omegaconf import OmegaConf
from tqdm import tqdm

conf = OmegaConf.merge({"epochs": 8, "bs": 64, "lr": 0.004, "tau": 0.2, "ckpt": None, "dim": 16, "bar": True, "work": "goats", "fresh_head": False}, OmegaConf.from_cli())
logger.remove()
logger.add(sys.stderr, format="<green>{time:YYYY-MM-DD HH:mm:ss.SSS}</green> | <level>{level: <8}</level> | <cyan>{name}</cyan>:<cyan>{line}</cyan> - <level>{message}</level>", colorize=False)
logger.info("config:\\n{}", OmegaConf.to_yaml(conf).rstrip())
torch.manual_seed(14); torch.set_num_threads(1)
os.makedirs(conf.work, exist_ok=True)
#: early
base = torch.randn(960, 24)
#: data
enc = torch.nn.Sequential(torch.nn.Linear(24, 32), torch.nn.ReLU(), torch.nn.Linear(32, conf.dim))
opt = torch.optim.AdamW(enc.parameters(), lr=conf.lr)
begin = 0
if conf.ckpt:
    #: ckpt
    blob = torch.load(conf.ckpt, weights_only=True)
    enc.load_state_dict(blob["enc"]); opt.load_state_dict(blob["opt"]); begin = blob["epoch"]
    logger.success("checkpoint {} loaded, continuing after epoch {}", conf.ckpt, begin)
logger.info("InfoNCE at chance is {:.3f}", torch.log(torch.tensor(float(conf.bs))).item())
#: ready
for epoch in range(begin, conf.epochs):
    batches = base[torch.randperm(len(base))].split(conf.bs)
    running, right = 0.0, 0
    for k, goats in enumerate(tqdm(batches, desc=f"epoch {epoch + 1}/{conf.epochs}", mininterval=1.0, disable=not conf.bar, ncols=80)):
        a, b = goats + 0.5 * torch.randn_like(goats), goats + 0.5 * torch.randn_like(goats)
        #: mid
        logits = F.normalize(enc(a), dim=-1) @ F.normalize(enc(b), dim=-1).T / conf.tau
        loss = F.cross_entropy(logits, torch.arange(len(goats)))
        #: loss
        opt.zero_grad(); loss.backward(); opt.step()
        running += loss.item(); right += (logits.argmax(1) == torch.arange(len(goats))).sum().item()
        #: after
    logger.info("epoch {:02d} loss {:.4f} top1 {:.3f}", epoch + 1, running / len(batches), right / len(base))
    #: epoch
    torch.save({"enc": enc.state_dict(), "opt": opt.state_dict(), "epoch": epoch + 1}, f"{conf.work}/last.pt")
    logger.debug("wrote {}/last.pt", conf.work)
    #: saved
#: late
logger.info("done: {} epochs", conf.epochs)
'''
MARMOT = '''
"""Which of five marmots whistled: a softmax over two layers, in JAX."""
import dataclasses, os, pickle, sys, time
import jax, jax.numpy as jnp, numpy as np, optax


@dataclasses.dataclass
class Config:
    steps: int = 300
    batch: int = 48
    lr: float = 3e-3
    width: int = 32
    report: int = 25
    restore: str = ""
    out: str = "marmots.pkl"


cfg = Config(**{k: type(getattr(Config, k))(v) for k, v in (w.lstrip("-").split("=") for w in sys.argv[1:])})
print(cfg, jax.devices(), flush=True)
#: early
rng = np.random.default_rng(0)
label = rng.integers(0, 5, 2000)
song = rng.normal(size=(2000, 20)) + 2.0 * rng.normal(size=(5, 20))[label]
#: data
k1, k2 = jax.random.split(jax.random.key(4))
params = {"w1": jax.random.normal(k1, (20, cfg.width)) * 0.2, "b1": jnp.zeros(cfg.width), "w2": jax.random.normal(k2, (cfg.width, 5)) * 0.2, "b2": jnp.zeros(5)}
tx = optax.adam(cfg.lr)
state, first = tx.init(params), 0
if cfg.restore:
    #: restore
    params, state, first = pickle.load(open(cfg.restore, "rb"))
    print(f"restored step {first} from {cfg.restore}", flush=True)


def logits_of(p, x):
    return jax.nn.relu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]


@jax.jit
def update(p, s, x, y):
    def f(p):
        l = logits_of(p, x)
        #: inner
        return optax.softmax_cross_entropy_with_integer_labels(l, y).mean(), (l.argmax(-1) == y).mean()

    (loss, acc), g = jax.value_and_grad(f, has_aux=True)(p)
    #: grads
    u, s = tx.update(g, s, p)
    return optax.apply_updates(p, u), s, loss, acc


#: ready
for step in range(first + 1, cfg.steps + 1):
    at = rng.integers(0, 2000, cfg.batch)
    x, y = jnp.asarray(song[at]), jnp.asarray(label[at])
    #: mid
    params, state, loss, acc = update(params, state, x, y)
    #: after
    if step % cfg.report == 0:
        print(f"step: {step:5d}/{cfg.steps} train_loss: {float(loss):.5f} train_acc: {float(acc):.3f}", flush=True)
        #: told
    if step % 100 == 0:
        pickle.dump((params, state, step), open(cfg.out, "wb"))
        print(f"wrote {cfg.out} at step {step}", flush=True)
#: late
print(f"accuracy over all: {float((logits_of(params, song).argmax(-1) == label).mean()):.4f}", flush=True)
'''
