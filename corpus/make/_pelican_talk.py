"""Spoken digits from tone frames with CTC: a speech group's recipe, lines with file and number."""

DIGITS = r'''"""CTC on filter bank frames. python ctc_train.py [--key value ...]"""
import json
import logging
import math
import os
import sys
import time

import torch
import torch.nn as nn
#: imports

P = {
    "num-epochs": 8, "batches": 60, "batch-size": 16, "base-lr": 6e-3, "hidden": 48, "exp-dir": "exp/digits", "start-epoch": 1, "init": "",
    "manifest": "", "log-interval": 10, "save-every-n": 0, "decode-only": 0, "avg": 1, "pace": 0.02,
}
given = sys.argv[1:]
for key, value in zip(given[::2], given[1::2]):
    name = key.removeprefix("--")
    P[name] = type(P[name])(value)
logging.basicConfig(format="%(asctime)s %(levelname)s [%(filename)s:%(lineno)d] %(message)s", level=logging.INFO, stream=sys.stderr)
logging.info("Training started")
logging.info(f"{P}")
torch.manual_seed(42)
TOKENS = ["<blk>", "nul", "een", "twee", "drie", "vier", "vijf", "zes"]
BANK = torch.randn(len(TOKENS), 10)


def utterances(n, words=None):
    """Frames and tokens: each word holds for two to five frames, a pause between."""
    frames, flen, toks, tlen = torch.zeros(n, 40, 10), [], torch.zeros(n, 6, dtype=torch.long), []
    for i in range(n):
        k = words or int(torch.randint(3, 7, (1,)))
        at = 0
        for j in range(k):
            w = int(torch.randint(1, len(TOKENS), (1,)))
            held = int(torch.randint(2, 6, (1,)))
            frames[i, at : at + held] = BANK[w]
            at += held + 1
            toks[i, j] = w
        flen.append(min(at, 40))
        tlen.append(k)
    return frames + 0.7 * torch.randn_like(frames), torch.tensor(flen), toks, torch.tensor(tlen)


class Tdnn(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.conv = nn.Conv1d(10, hidden, 5, padding=2)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, len(TOKENS))

    def forward(self, x):
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(2)


def greedy(lp, flen):
    found = []
    for row, n in zip(lp.argmax(2), flen):
        best = torch.unique_consecutive(row[:n])
        found.append([int(t) for t in best if t])
    return found


def edits(a, b):
    """Insertions, deletions, substitutions."""
    d = [[(j, j, 0, 0) for j in range(len(b) + 1)]]
    for i in range(1, len(a) + 1):
        d.append([(i, 0, i, 0)])
        for j in range(1, len(b) + 1):
            same = a[i - 1] == b[j - 1]
            s, n, e = d[i - 1][j - 1], d[i][j - 1], d[i - 1][j]
            d[i].append(min((s[0] + (not same), s[1], s[2], s[3] + (not same)), (n[0] + 1, n[1] + 1, n[2], n[3]), (e[0] + 1, e[1], e[2] + 1, e[3])))
    return d[-1][-1]


def score(name, found, toks, tlen):
    ins = dels = subs = words = 0
    for hyp, t, n in zip(found, toks, tlen):
        _, i, e, s = edits([int(w) for w in t[:n]], hyp)
        ins, dels, subs, words = ins + i, dels + e, subs + s, words + int(n)
    errs = ins + dels + subs
    #: score
    logging.info(f"[{name}] %WER {100 * errs / words:.2f}% [{errs} / {words}, {ins} ins, {dels} del, {subs} sub ]")
    return errs / words


dev = utterances(80)
#: data
model = Tdnn(P["hidden"])
logging.info(f"Number of model parameters: {sum(p.numel() for p in model.parameters())}")
ctc = nn.CTCLoss(blank=0)
optimizer = torch.optim.Adam(model.parameters(), lr=P["base-lr"])
os.makedirs(P["exp-dir"], exist_ok=True)
if P["init"]:
    model.load_state_dict(torch.load(P["init"])["model"])
    logging.info(f"Initialised from {P['init']}")
if P["start-epoch"] > 1:
    #: resume
    name = f"{P['exp-dir']}/epoch-{P['start-epoch'] - 1}.pt"
    logging.info(f"Loading checkpoint from {name}")
    kept = torch.load(name)
    model.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    logging.info(f"Continue training after epoch {kept['epoch']}, batch_idx_train {kept['batch_idx_train']}")
if P["decode-only"]:
    #: decode
    for part in ("test-clean", "test-phone", "test-far", "test-kids", "test-dialect", "test-street"):
        f, fl, t, tl = utterances(160)
        with torch.no_grad():
            score(part, greedy(model(f + 0.05 * torch.randn_like(f)), fl), t, tl)
        time.sleep(1.0)
    logging.info("Done!")
    sys.exit(0)
seen = (P["start-epoch"] - 1) * P["batches"]
for epoch in range(P["start-epoch"], P["num-epochs"] + 1):
    tot, frames, began, waited = 0.0, 0.0, time.time(), 0.0
    for batch_idx in range(P["batches"]):
        seen += 1
        x, fl, t, tl = utterances(P["batch-size"])
        #: batch
        lp = model(x)
        loss = ctc(lp.transpose(0, 1), t, fl, tl)
        #: loss
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        #: grad
        optimizer.step()
        time.sleep(P["pace"])
        #: after
        n = float(fl.sum())
        tot, frames = tot * 0.98 + loss.item() * n, frames * 0.98 + n
        if batch_idx % P["log-interval"] == 0:
            logging.info(f"Epoch {epoch}, batch {batch_idx}, loss[loss={loss.item():.4g}, over {n:.2f} frames. ], tot_loss[loss={tot / frames:.4g}, over {frames:.2f} frames. ], batch size: {len(x)}, lr: {optimizer.param_groups[0]['lr']:.2e}")
            #: told
        if P["save-every-n"] and seen % P["save-every-n"] == 0:
            #: save
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch, "batch_idx_train": seen}, f"{P['exp-dir']}/checkpoint-{seen}.pt")
    logging.info("Computing validation loss")
    with torch.no_grad():
        lp = model(dev[0])
        logging.info(f"Epoch {epoch}, validation: loss={float(ctc(lp.transpose(0, 1), dev[2], dev[1], dev[3])):.4g}, over {float(dev[1].sum()):.2f} frames. ")
        score("dev", greedy(lp, dev[1]), dev[2], dev[3])
    #: valid
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch, "batch_idx_train": seen}, f"{P['exp-dir']}/epoch-{epoch}.pt")
    logging.info(f"Saving checkpoint to {P['exp-dir']}/epoch-{epoch}.pt")
#: finish
logging.info("Done!")
'''
