"""Programs over plain PyTorch: spoken digits by CTC, places in addresses."""

DIGITS = '''"""CTC on made-up speech: strings of digits, each a short tone. Prints like our old toolkit did."""
import argparse
import datetime
import os
import sys
import time
from pathlib import Path

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


def log(kind, where, message):
    print(f"{kind} ({where}) {datetime.datetime.now():%H:%M:%S} {message}", file=sys.stderr if kind != "LOG" else sys.stdout, flush=True)


class Utterances(Dataset):
    def __init__(self, n, seed, noise=0.5):
        self.g, self.n, self.noise = torch.Generator().manual_seed(seed), n, noise
        self.tone = torch.randn(10, 12, generator=torch.Generator().manual_seed(0))
        self.said = torch.randint(0, 10, (n, 4), generator=self.g)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        #: item
        frames = [self.tone[d].repeat(int(torch.randint(3, 7, (1,), generator=self.g)), 1) for d in self.said[i]]
        pad = torch.zeros(2, 12)
        x = torch.cat([pad] + [torch.cat([f, pad]) for f in frames])
        x = torch.cat([x, torch.zeros(36 - len(x), 12)]) if len(x) < 36 else x[:36]
        return x + self.noise * torch.randn(x.shape, generator=self.g), self.said[i] + 1


class Acoustic(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.conv = nn.Conv1d(12, hidden, 3, padding=1)
        self.rnn = nn.LSTM(hidden, hidden, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * hidden, 11)

    def forward(self, x):
        h, _ = self.rnn(self.conv(x.transpose(1, 2)).relu().transpose(1, 2))
        return self.out(h).log_softmax(-1)


def edits(a, b):
    d = list(range(len(b) + 1))
    for i, p in enumerate(a, 1):
        last, d[0] = d[0], i
        for j, q in enumerate(b, 1):
            last, d[j] = d[j], min(d[j] + 1, d[j - 1] + 1, last + (p != q))
    return d[-1]


def score(net, loader):
    wrong = total = 0
    with torch.no_grad():
        for x, y in loader:
            for path, ref in zip(net(x).argmax(-1).tolist(), y.tolist()):
                hyp = [p for p, q in zip(path, [0, *path]) if p and p != q]
                wrong, total = wrong + edits(hyp, ref), total + len(ref)
    return 100 * wrong / total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("exp", type=Path)
    ap.add_argument("--num-epochs", type=int, default=22)
    ap.add_argument("--minibatch", type=int, default=16)
    ap.add_argument("--hidden", type=int, default=24)
    ap.add_argument("--lrate", type=float, default=0.01)
    ap.add_argument("--num-utts", type=int, default=320)
    ap.add_argument("--nj", type=int, default=0, help="loader processes")
    ap.add_argument("--stage-model", type=Path, help="continue with the epoch behind this model")
    ap.add_argument("--transfer", type=Path, help="model of another corpus")
    ap.add_argument("--report-every", type=int, default=10)
    o = ap.parse_args()
    o.exp.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(11)
    log("LOG", "ctc-train:main", f"command line was: {' '.join(sys.argv)}")
    #: early
    train = DataLoader(Utterances(o.num_utts, 1), o.minibatch, shuffle=True, num_workers=o.nj)
    dev = DataLoader(Utterances(60, 2), 30)
    net = Acoustic(o.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=o.lrate)
    ctc = nn.CTCLoss(zero_infinity=True)
    first, best = 0, 100.0
    if o.transfer:
        net.load_state_dict(torch.load(o.transfer)["net"])
        net.out.reset_parameters()
        log("LOG", "ctc-train:transfer", f"hidden layers of {o.transfer}, output layer reset")
    if o.stage_model:
        #: resume
        mdl = torch.load(o.stage_model)
        net.load_state_dict(mdl["net"])
        opt.load_state_dict(mdl["opt"])
        first, best = mdl["epoch"] + 1, mdl["best"]
        log("LOG", "ctc-train:stage", f"read {o.stage_model}; best token error rate so far {best:.2f}")
    log("LOG", "ctc-train:main", f"{len(train.dataset)} utterances, {len(train)} minibatches, {sum(p.numel() for p in net.parameters())} parameters")
    #: ready
    for epoch in range(first, o.num_epochs):
        began, objf, frames = time.time(), 0.0, 0
        for m, (x, y) in enumerate(train, 1):
            #: batch
            logp = net(x)
            loss = ctc(logp.transpose(0, 1), y, torch.full((len(x),), logp.shape[1]), torch.full((len(x),), 4))
            #: loss
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            #: grads
            opt.step()
            objf, frames = objf - loss.item() * len(x) * 36, frames + len(x) * 36
            #: step
            if m % o.report_every == 0:
                log("LOG", "ctc-train:minibatch", f"epoch {epoch} minibatch {m}: average objf per frame is {objf / frames:.4f} over {frames} frames")
        ter = score(net, dev)
        #: valid
        log("LOG", "ctc-train:epoch", f"epoch {epoch} of {o.num_epochs} took {time.time() - began:.1f}s: objf {objf / frames:.4f}, dev token error rate {ter:.2f}%")
        best = min(best, ter)
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "best": best}, o.exp / f"{epoch}.mdl")
        #: epoch
    os.replace(o.exp / f"{epoch}.mdl", o.exp / "final.mdl")
    log("LOG", "ctc-train:main", f"wrote {o.exp / 'final.mdl'}; best dev token error rate {best:.2f}%")


if __name__ == "__main__":
    main()
'''

PLACES = '''"""Tag streets, house numbers and towns in addresses with a BiLSTM."""
from __future__ import annotations

import json
import logging.config
import os
import random
import shutil
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click_lite as click
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

logging.config.dictConfig({
    "version": 1, "disable_existing_loggers": False,
    "formatters": {"f": {"format": "{asctime} {process} {name:<14} {levelname:>8}: {message}", "style": "{"}},
    "handlers": {"h": {"class": "logging.StreamHandler", "formatter": "f"}},
    "root": {"level": "INFO", "handlers": ["h"]},
})
logger = logging.getLogger("places.train")
TAGS = ["O", "STREET", "NUMBER", "TOWN"]
STREETS, TOWNS = ["mill", "church", "high", "station", "park"], ["ely", "wells", "truro", "ripon", "durham"]
FILLER = ["please", "send", "it", "to", "me", "in", "at", "the", "before", "monday"]


@dataclass
class Settings:
    rounds: int = 14
    size: int = 24
    rate: float = 0.0015
    texts: int = 700
    batch: int = 25
    folder: str = "models/places"
    begin_with: str = ""
    keep_every: int = 7
    patience: int = 0
    pause: float = 0.0
    seed: int = 5
    history: list = field(default_factory=list)


def compose(n: int, seed: int) -> list[tuple[list[str], list[int]]]:
    dice, out = random.Random(seed), []
    for _ in range(n):
        words = [(w, 0) for w in dice.sample(FILLER, dice.randint(2, 5))]
        words += [(dice.choice(STREETS), 1), (dice.choice(["street", "road", "lane"]), 1), (str(dice.randint(1, 90)), 2)]
        words += [("in", 0), (dice.choice(TOWNS), 3)] + [(dice.choice(STREETS), 0)] * (dice.random() < 0.15)
        out.append(([w for w, _ in words], [t for _, t in words]))
    return out


class Tagger(nn.Module):
    def __init__(self, words: int, size: int) -> None:
        super().__init__()
        self.words, self.lstm = nn.Embedding(words, size), nn.LSTM(size, size, bidirectional=True, batch_first=True)
        self.tags = nn.Linear(2 * size, len(TAGS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.tags(self.lstm(self.words(x))[0])


def f1(net, pairs) -> float:
    hit = said = real = 0
    with torch.no_grad():
        for x, y in pairs:
            z = net(x[None])[0].argmax(1)
            hit, said, real = hit + int(((z == y) & (y > 0)).sum()), said + int((z > 0).sum()), real + int((y > 0).sum())
    return 2 * hit / (said + real)


def run(s: Settings) -> None:
    random.seed(s.seed), torch.manual_seed(s.seed)
    folder = Path(s.folder)
    folder.mkdir(parents=True, exist_ok=True)
    logger.info("settings %s", json.dumps(asdict(s)))
    #: early
    texts = compose(s.texts, 1)
    vocabulary = {w: i + 1 for i, w in enumerate(sorted({w for words, _ in texts for w in words}))}
    #: texts
    encode = lambda part: [(torch.tensor([vocabulary.get(w, 0) for w in words]), torch.tensor(tags)) for words, tags in part]
    train, dev = encode(texts), encode(compose(80, 2))
    net = Tagger(len(vocabulary) + 1, s.size)
    opt = torch.optim.AdamW(net.parameters(), lr=s.rate)
    done, best, waited = 0, 0.0, 0
    if s.begin_with:
        #: resume
        kept = torch.load(s.begin_with)
        net.load_state_dict(kept["weights"])
        opt.load_state_dict(kept["moments"])
        done, best = kept["rounds"], kept["f1"]
        logger.info("loaded %s after %d rounds with f1 %.4f", s.begin_with, done, best)
    logging.getLogger("places.model").info("%d words, %d texts, %d weights", len(vocabulary), len(train), sum(p.numel() for p in net.parameters()))
    #: ready
    while done < s.rounds:
        random.shuffle(train)
        started, losses = time.monotonic(), []
        for i in range(0, len(train), s.batch):
            x = pad_sequence([t[0] for t in train[i : i + s.batch]], batch_first=True)
            y = pad_sequence([t[1] for t in train[i : i + s.batch]], batch_first=True, padding_value=-1)
            #: batch
            loss = nn.functional.cross_entropy(net(x).flatten(0, 1), y.flatten(), ignore_index=-1)
            #: loss
            opt.zero_grad()
            loss.backward()
            #: grads
            opt.step()
            losses.append(loss.item())
            #: step
            time.sleep(s.pause)
        done += 1
        mean, quality = sum(losses) / len(losses), f1(net, dev)
        #: valid
        logger.info("round %d of %d: loss %.5f, f1 on dev %.4f, %.2f s", done, s.rounds, mean, quality, time.monotonic() - started)
        waited = 0 if quality > best + 1e-4 else waited + 1
        best = max(best, quality)
        if done % s.keep_every == 0 or done == s.rounds:
            torch.save({"weights": net.state_dict(), "moments": opt.state_dict(), "rounds": done, "f1": best}, folder / f"r{done}.pt")
            logging.getLogger("places.store").info("kept %s", folder / f"r{done}.pt")
            #: saved
        if s.patience and waited > s.patience:
            logger.info("no better f1 for %d rounds: that's enough", waited)
            break
        #: round
    logger.info("training over: %d rounds, best f1 %.4f", done, best)


if __name__ == "__main__":
    run(click.settings(Settings))
'''

CLICK_LITE = '''"""--name value for the fields of a dataclass."""
import dataclasses
import sys


class BadOption(Exception):
    pass


def settings(cls, words=None):
    words = list(sys.argv[1:] if words is None else words)
    fields, given = {f.name: f for f in dataclasses.fields(cls)}, {}
    while words:
        name = words.pop(0).removeprefix("--").replace("-", "_")
        if name not in fields:
            raise BadOption(f"'--{name.replace('_', '-')}' is not an option of {cls.__name__}")
        if not words:
            raise BadOption(f"'--{name}' needs a value")
        kind = {"int": int, "float": float, "str": str}[fields[name].type]
        given[name] = kind(words.pop(0))
    return cls(**given)
'''
