"""A start-up's small language model over support tickets: three files, a TOML file, a table whose head comes again."""

MODEL = r'''import math

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d, n_head, window):
        super().__init__()
        self.n_head, self.d = n_head, d
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.register_buffer("mask", torch.triu(torch.full((window, window), -math.inf), 1), persistent=False)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.n_head, d // self.n_head).transpose(1, 2) for z in self.qkv(self.norm1(x)).split(self.d, dim=2))
        att = (q @ k.transpose(2, 3) / math.sqrt(d // self.n_head) + self.mask[:t, :t]).softmax(3)
        x = x + self.proj((att @ v).transpose(1, 2).reshape(b, t, d))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


class TicketLM(nn.Module):
    def __init__(self, vocab, d, n_layer, n_head, window):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(window, d)
        self.blocks = nn.ModuleList(Block(d, n_head, window) for _ in range(n_layer))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)

    def forward(self, ids):
        h = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))
'''

TEXTS = r'''import random

import torch

OPENERS = ["hello", "hi team", "good morning", "urgent", "again"]
THINGS = ["the invoice", "my password", "the export", "our seat count", "the mobile app", "the api key"]
STATES = ["is wrong", "does not load", "was charged twice", "expired", "vanished", "is very slow"]
CLOSERS = ["thanks", "please help", "regards", "waiting for you", "cheers"]


def tickets(n, seed):
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        rows.append(f"{rng.choice(OPENERS)}, {rng.choice(THINGS)} {rng.choice(STATES)} since {rng.randint(1, 28)}/{rng.randint(1, 12)}. {rng.choice(CLOSERS)}\n")
    return "".join(rows)


class Codec:
    def __init__(self, text):
        self.chars = sorted(set(text))
        self.at = {c: i for i, c in enumerate(self.chars)}

    def encode(self, text):
        return torch.tensor([self.at[c] for c in text])


def windows(ids, n, length, gen=None):
    start = torch.randint(len(ids) - length - 1, (n,), generator=gen)
    rows = torch.stack([ids[s : s + length + 1] for s in start])
    return rows[:, :-1], rows[:, 1:]
'''

PRETRAIN = r'''"""pretrain.py run.toml"""
import os
import sys
import time
import tomllib

import torch
import torch.nn.functional as F

from lm.model import TicketLM
from lm.texts import Codec, tickets, windows
#: imports

BASE = {
    "model": {"d": 32, "n_layer": 1, "n_head": 2, "window": 32},
    "optim": {"lr": 3e-3, "warmup": 30, "clip": 1.0, "steps": 600, "batch": 12},
    "run": {"log_every": 10, "eval_every": 100, "ckpt_every": 200, "ckpt_dir": "ckpt", "resume": "no", "init_from": "", "nap": 0.02},
}
with open(sys.argv[1], "rb") as f:
    given = tomllib.load(f)
for section, values in given.items():
    for key, value in values.items():
        if key not in BASE[section]:
            raise KeyError(f"[{section}] {key}: not an option, one of {', '.join(BASE[section])}")
        BASE[section][key] = value
M, O, R = BASE["model"], BASE["optim"], BASE["run"]


def say(text):
    print(text, flush=True)


say(f"ticket-lm  torch {torch.__version__}  config {sys.argv[1]}")
#: start
torch.manual_seed(1234)
text = tickets(3000, 8)
#: texts
codec = Codec(text)
ids = codec.encode(text)
cut = int(len(ids) * 0.95)
train, held = ids[:cut], ids[cut:]
say(f"corpus     {len(train):,} train chars, {len(held):,} held-out chars, vocabulary {len(codec.chars)}")
net = TicketLM(len(codec.chars), **M)
say(f"model      d={M['d']} layers={M['n_layer']} heads={M['n_head']} window={M['window']}  {sum(p.numel() for p in net.parameters()):,} parameters")
opt = torch.optim.AdamW(net.parameters(), lr=O["lr"], betas=(0.9, 0.95), weight_decay=0.05)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / O["warmup"]))
begin = 0
if R["init_from"]:
    #: initial
    net.load_state_dict(torch.load(R["init_from"])["net"])
    say(f"init       weights of {R['init_from']}")
if R["resume"] != "no":
    #: resume
    name = R["resume"] if R["resume"] != "auto" else max(os.path.join(R["ckpt_dir"], n) for n in os.listdir(R["ckpt_dir"]))
    say(f"resume     from {name}")
    kept = torch.load(name)
    net.load_state_dict(kept["net"])
    opt.load_state_dict(kept["opt"])
    sched.load_state_dict(kept["sched"])
    begin = kept["step"]
    say(f"resume     ok, continuing at step {begin + 1}")
os.makedirs(R["ckpt_dir"], exist_ok=True)
#: ready


def held_loss():
    net.eval()
    gen = torch.Generator().manual_seed(3)
    with torch.no_grad():
        found = sum(F.cross_entropy(net(a).flatten(0, 1), b.flatten()).item() for a, b in (windows(held, 16, M["window"], gen) for _ in range(3))) / 3
    net.train()
    return found


lines, clock = 0, time.perf_counter()
for step in range(begin + 1, O["steps"] + 1):
    a, b = windows(train, O["batch"], M["window"])
    #: batch
    loss = F.cross_entropy(net(a).flatten(0, 1), b.flatten())
    #: loss
    opt.zero_grad(set_to_none=True)
    loss.backward()
    gnorm = torch.nn.utils.clip_grad_norm_(net.parameters(), O["clip"]).item()
    opt.step()
    sched.step()
    time.sleep(R["nap"])
    #: after
    if step % R["log_every"] == 0 or step == begin + 1:
        if lines % 15 == 0:
            say("    step |  tokens |   loss |  gnorm |       lr | char/s")
        lines += 1
        now = time.perf_counter()
        say(f"{step:8d} | {step * O['batch'] * M['window'] / 1000:6.0f}k | {loss.item():6.3f} | {gnorm:6.2f} | {opt.param_groups[0]['lr']:8.1e} | {R['log_every'] * O['batch'] * M['window'] / (now - clock):6.0f}")
        clock = now
    #: told
    if step % R["eval_every"] == 0:
        say(f"         held-out loss {held_loss():.3f} after step {step}")
        #: held
    if step % R["ckpt_every"] == 0:
        t0 = time.perf_counter()
        name = os.path.join(R["ckpt_dir"], f"step-{step:06d}.pt")
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(), "step": step}, name)
        #: kept
        say(f"         wrote {name} in {time.perf_counter() - t0:.2f} s")
#: finish
say(f"finished   {step} steps, held-out loss {held_loss():.3f}")
'''
