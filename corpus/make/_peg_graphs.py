"""Programs over plain PyTorch: energies of chains of beads, borrowers and books behind a bar."""

BEADS = '''"""Energies of chains of beads from their shape: message passing, mean absolute error in meV."""
import logging
import os
import time
from argparse import ArgumentParser
from types import SimpleNamespace

import torch
from torch import nn

LOG = logging.getLogger(os.path.basename(__file__).removesuffix(".py"))


def frames(n, beads, seed):
    g = torch.Generator().manual_seed(seed)
    step = torch.randn(n, beads, 3, generator=g)
    r = torch.cumsum(step / step.norm(dim=2, keepdim=True), 1)
    d = torch.cdist(r, r)
    pair = torch.triu(torch.exp(-d) - 0.6 * torch.exp(-((d - 1.6) ** 2) * 3), 2)
    return r, pair.sum((1, 2))


class Network(nn.Module):
    def __init__(self, width, depth, radial=12, cutoff=5.0):
        super().__init__()
        self.register_buffer("centres", torch.linspace(0.0, cutoff, radial))
        self.embed = nn.Parameter(torch.randn(width) * 0.3)
        self.filters = nn.ModuleList(nn.Sequential(nn.Linear(radial, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(depth))
        self.update = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(depth))
        self.energy = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, r):
        d = (r[:, :, None] - r[:, None]).square().sum(-1).add(1e-9).sqrt()
        basis = torch.exp(-4 * (d[..., None] - self.centres) ** 2)
        basis = basis * (1 - torch.eye(r.shape[1]))[..., None]
        h = self.embed.expand(r.shape[0], r.shape[1], -1)
        for f, u in zip(self.filters, self.update):
            h = h + u((f(basis) * h[:, None]).sum(2) / r.shape[1] ** 0.5)
        return self.energy(h).sum((1, 2))


def main(o):
    logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
    torch.manual_seed(o.seed)
    os.makedirs(o.model_dir, exist_ok=True)
    LOG.info("options: %s", ", ".join(f"{k}={v}" for k, v in vars(o).items()))
    #: early
    r, e = frames(o.frames, o.beads, 1)
    vr, ve = frames(160, o.beads, 2)
    mean, std = e.mean(), e.std()
    #: data
    net = Network(o.width, o.depth)
    opt = torch.optim.Adam(net.parameters(), lr=o.lr)
    plan = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=3)
    start, best = 0, float("inf")
    if o.foundation:
        net.load_state_dict(torch.load(o.foundation)["model"])
        LOG.info("foundation model %s loaded for fine-tuning, all layers trainable", o.foundation)
    if o.restart_latest:
        #: resume
        found = sorted(f for f in os.listdir(o.model_dir) if f.endswith(".ckpt"))
        state = torch.load(os.path.join(o.model_dir, found[-1]))
        net.load_state_dict(state["model"])
        opt.load_state_dict(state["optimizer"])
        plan.load_state_dict(state["plan"])
        start, best = state["epoch"] + 1, state["best"]
        LOG.info("restarted from %s: epoch %d, best MAE %.2f meV", found[-1], state["epoch"], best)
    LOG.info("%d frames of %d beads, energies %.3f +- %.3f eV, %d parameters", len(r), o.beads, mean, std, sum(p.numel() for p in net.parameters()))
    #: ready
    for epoch in range(start, o.max_num_epochs):
        t0, acc = time.perf_counter(), SimpleNamespace(loss=0.0, n=0)
        for rows in torch.randperm(len(r)).split(o.batch_size):
            br, be = r[rows], (e[rows] - mean) / std
            #: batch
            pred = net(br)
            loss = (pred - be).square().mean()
            #: loss
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 10)
            #: grads
            opt.step()
            acc.loss, acc.n = acc.loss + loss.item(), acc.n + 1
            #: step
        with torch.no_grad():
            mae = 1000 * ((net(vr) * std + mean) - ve).abs().mean().item()
        plan.step(mae)
        #: valid
        LOG.info("Epoch %d: loss=%.6f, MAE_E=%.2f meV, lr=%.1e, %.2f s", epoch, acc.loss / acc.n, mae, opt.param_groups[0]["lr"], time.perf_counter() - t0)
        best = min(best, mae)
        if epoch % o.save_interval == o.save_interval - 1:
            name = f"{o.name}_epoch-{epoch:04d}.ckpt"
            torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "plan": plan.state_dict(), "epoch": epoch, "best": best}, os.path.join(o.model_dir, name))
            LOG.info("checkpoint %s", name)
            #: saved
        #: epoch
    torch.save({"model": net.state_dict()}, f"{o.name}.model")
    LOG.info("Training complete: best MAE_E %.2f meV, model %s.model", best, o.name)


if __name__ == "__main__":
    p = ArgumentParser()
    p.add_argument("--name", default="beads")
    p.add_argument("--model_dir", default="checkpoints")
    p.add_argument("--frames", type=int, default=640)
    p.add_argument("--beads", type=int, default=8)
    p.add_argument("--width", type=int, default=16)
    p.add_argument("--depth", type=int, default=2)
    p.add_argument("--lr", type=float, default=0.005)
    p.add_argument("--batch_size", type=int, default=32)
    p.add_argument("--max_num_epochs", type=int, default=24)
    p.add_argument("--save_interval", type=int, default=8)
    p.add_argument("--foundation")
    p.add_argument("--restart_latest", action="store_true")
    p.add_argument("--seed", type=int, default=17)
    main(p.parse_args())
'''

BOOKS = '''"""Which book next? Two towers over borrowers and books, negatives from the batch."""
import json
import math
import os
import sys
import time

import torch
from torch import nn


class Bar:
    """What we need of a progress bar, without another dependency."""

    def __init__(self, total, head, width=24, stream=sys.stderr):
        self.total, self.head, self.width, self.stream, self.n, self.t0, self.drawn = total, head, width, stream, 0, time.time(), 0.0

    def up(self, **shown):
        self.n += 1
        if time.time() - self.drawn < 0.1 and self.n != self.total:
            return
        self.drawn = time.time()
        k = self.n * self.width // self.total
        each = (time.time() - self.t0) / self.n
        more = " ".join(f"{a}={b:.4g}" for a, b in shown.items())
        self.stream.write(f"\\r{self.head} {'=' * k}{'>' if k < self.width else ''}{'.' * (self.width - k - 1)} {self.n}/{self.total} eta {each * (self.total - self.n):.0f}s {more}")
        self.stream.flush()

    def close(self):
        self.stream.write("\\n")


def loans(people, books, each, seed):
    g = torch.Generator().manual_seed(seed)
    taste, kind = torch.randn(people, 6, generator=torch.Generator().manual_seed(8)), torch.randn(books, 6, generator=torch.Generator().manual_seed(9))
    pick = torch.multinomial((taste @ kind.T * 1.5).softmax(1), each, generator=g)
    return torch.stack([torch.arange(people).repeat_interleave(each), pick.flatten()], 1)


class Towers(nn.Module):
    def __init__(self, people, books, dim):
        super().__init__()
        self.who, self.what = nn.Embedding(people, dim), nn.Embedding(books, dim)
        self.a, self.b = nn.Linear(dim, dim), nn.Linear(dim, dim)
        nn.init.normal_(self.who.weight, std=0.3), nn.init.normal_(self.what.weight, std=0.3)

    def forward(self, u, i):
        return self.a(self.who(u)), self.b(self.what(i))


def main(path):
    with open(path) as f:
        c = {"epochs": 10, "dim": 16, "lr": 0.01, "batch": 128, "people": 400, "books": 220, "loans": 12, "out": "towers", "keep": 5, "continue_from": None, "items_from": None, "stop_after": 0, **json.load(f)}
    torch.manual_seed(6)
    os.makedirs(c["out"], exist_ok=True)
    print("config", json.dumps(c, sort_keys=True))
    #: early
    data, test = loans(c["people"], c["books"], c["loans"], 1), loans(c["people"], c["books"], 1, 2)
    #: data
    net = Towers(c["people"], c["books"], c["dim"])
    opt = torch.optim.Adagrad(net.parameters(), lr=c["lr"] * 8)
    begin, top = 1, 0.0
    if c["items_from"]:
        had = torch.load(c["items_from"])["net"]
        net.what.weight.data.copy_(had["what.weight"])
        print("book vectors from", c["items_from"], "- borrowers start new")
    if c["continue_from"]:
        #: resume
        had = torch.load(c["continue_from"])
        net.load_state_dict(had["net"])
        opt.load_state_dict(had["opt"])
        begin, top = had["epoch"] + 1, had["top"]
        print(f"continuing {c['continue_from']} (epoch {had['epoch']}, recall {top:.4f})")
    print(f"{len(data)} loans of {c['books']} books by {c['people']} people; {math.ceil(len(data) / c['batch'])} batches an epoch", flush=True)
    #: ready
    worse = 0
    for epoch in range(begin, c["epochs"] + 1):
        parts = data[torch.randperm(len(data))].split(c["batch"])
        bar, total = Bar(len(parts), f"{epoch}/{c['epochs']}"), 0.0
        for n, part in enumerate(parts, 1):
            #: batch
            u, i = net(part[:, 0], part[:, 1])
            logits = u @ i.T
            logits = logits.masked_fill((part[:, 1][None] == part[:, 1][:, None]) & ~torch.eye(len(part), dtype=torch.bool), -1e9)
            loss = nn.functional.cross_entropy(logits, torch.arange(len(part)))
            #: loss
            opt.zero_grad()
            loss.backward()
            #: grads
            opt.step()
            total += loss.item()
            bar.up(loss=total / n)
            #: step
        bar.close()
        with torch.no_grad():
            rank = (net.a(net.who(test[:, 0])) @ net.b(net.what.weight).T).topk(20).indices
            recall = (rank == test[:, 1:]).any(1).float().mean().item()
        #: valid
        print(f"epoch {epoch}: loss {total / len(parts):.4f}, recall@20 {recall:.4f}", flush=True)
        worse = 0 if recall > top else worse + 1
        top = max(top, recall)
        if epoch % c["keep"] == 0:
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "top": top}, f"{c['out']}/towers{epoch}.pt")
            print(f"towers{epoch}.pt is in {c['out']}", flush=True)
            #: saved
        if c["stop_after"] and worse >= c["stop_after"]:
            print(f"recall has not risen for {worse} epochs, stopping here (best {top:.4f})")
            break
        #: epoch
    print(f"best recall@20 {top:.4f}, {epoch} epochs done")


main(sys.argv[1])
'''
