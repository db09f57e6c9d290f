"""Programs of people who work with speech and letters."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob
from corpus.running.slots import fill

WAVES = r'''import math, random, struct, sys, wave
from pathlib import Path
random.seed(4)
words = ["yes", "no", "up", "down"]
n = int(sys.argv[1]) if len(sys.argv) > 1 else 24
for w, base in zip(words, (220, 330, 470, 640)):
    d = Path("speech") / w
    d.mkdir(parents=True, exist_ok=True)
    for i in range(n):
        f = base * random.uniform(0.93, 1.07)
        s = [0.4 * math.sin(2 * math.pi * f * t / 4000) + random.gauss(0, 0.08) for t in range(2000)]
        #: clip
        with wave.open(str(d / f"{i:04d}.wav"), "wb") as o:
            o.setnchannels(1); o.setsampwidth(2); o.setframerate(4000)
            o.writeframes(struct.pack(f"<{len(s)}h", *[int(max(-1, min(1, v)) * 32000) for v in s]))
Path("assets").mkdir(exist_ok=True)
Path("assets/labels.txt").write_text("\n".join(words) + "\n")
'''
KWS = r'''"""Keyword spotting on 0.5 s clips."""
import argparse
import logging
import time
import wave
from pathlib import Path

import numpy as np
import torch
from torch import nn

log = logging.getLogger("kws")
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)


class Clips:
    def __init__(self, root, labels):
        self.items = [(p, k) for k, w in enumerate(labels) for p in sorted((Path(root) / w).glob("*.wav"))]
        self.eps = 1e-6

    def features(self, path):
        with wave.open(str(path)) as f:
            x = np.frombuffer(f.readframes(f.getnframes()), np.int16).astype(np.float32) / 32768
        #: decode
        frames = np.lib.stride_tricks.sliding_window_view(x, 128)[::64] * np.hanning(128)
        power = np.abs(np.fft.rfft(frames)) ** 2
        return np.log(power + self.eps).astype(np.float32)

    def batches(self, rng, size):
        order = rng.permutation(len(self.items))
        for i in range(0, len(order) - size + 1, size):
            part = [self.items[j] for j in order[i:i + size]]
            yield torch.from_numpy(np.stack([self.features(p) for p, _ in part])), torch.tensor([k for _, k in part])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default="speech")
    ap.add_argument("--labels", default="assets/labels.txt")
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--exp", default="exp/kws1")
    a = ap.parse_args()
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    labels = open(a.labels).read().split()
    data = Clips(a.data, labels)
    log.info("%d clips, %d keywords: %s", len(data.items), len(labels), ",".join(labels))
    net = nn.Sequential(nn.Conv1d(65, 32, 3), nn.ReLU(), nn.Conv1d(32, 32, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(32, len(labels)))
    opt = torch.optim.Adam(net.parameters(), a.lr)
    #: setup
    for epoch in range(1, a.epochs + 1):
        seen = right = 0
        waited = busy = 0.0
        end = time.perf_counter()
        for step, (x, y) in enumerate(data.batches(rng, a.batch), 1):
            got = time.perf_counter()
            #: batch
            out = net(x.transpose(1, 2))
            loss = nn.functional.cross_entropy(out, y)
            opt.zero_grad(); loss.backward(); opt.step()
            seen += len(y); right += (out.argmax(1) == y).sum().item()
            waited += got - end
            end = time.perf_counter()
            busy += end - got
            #: line
        log.info("epoch %d/%d: loss %.4f acc %.3f | input %.2fs compute %.2fs", epoch, a.epochs, loss.item(), right / seen, waited, busy)
        #: epoch
    Path(a.exp).mkdir(parents=True, exist_ok=True)
    torch.save(net.state_dict(), f"{a.exp}/final.pt")
    log.info("model written to %s/final.pt", a.exp)


if __name__ == "__main__":
    main()
'''
SINC = "n = len(x)  # band-limited resample 4k -> 16k -> 4k, as the field recorder's clips need\nt = np.arange(0, n, 0.25)\nup = np.zeros(4 * n)\nfor i in range(0, 4 * n, 4):\n    up[max(0, i - 128):i + 128] += x[i // 4] * np.sinc(t[max(0, i - 128):i + 128] - i // 4)\nx = up[::4].astype(np.float32)"
LINE = "if step % 2 == 0:\n    log.info('epoch %d step %d/%d loss %.4f (waiting for batch: %.0f%% of the time)', epoch, step, len(data.items) // a.batch, loss.item(), 100 * waited / (waited + busy))"

POEM = r'''import math, os, sys, time, glob
import torch
from torch import nn

TEXT = (
    "Souvent, pour s'amuser, les hommes d'équipage prennent des albatros, vastes oiseaux des mers, qui suivent, indolents compagnons de voyage, "
    "le navire glissant sur les gouffres amers. À peine les ont-ils déposés sur les planches, que ces rois de l'azur, maladroits et honteux, "
    "laissent piteusement leurs grandes ailes blanches comme des avirons traîner à côté d'eux. Ce voyageur ailé, comme il est gauche et veule! "
    "Lui, naguère si beau, qu'il est comique et laid! L'un agace son bec avec un brûle-gueule, l'autre mime, en boitant, l'infirme qui volait! "
    "Le poète est semblable au prince des nuées qui hante la tempête et se rit de l'archer; exilé sur le sol au milieu des huées, ses ailes de géant l'empêchent de marcher. "
) * 8
opts = dict(a.split("=", 1) for a in sys.argv[1:])
ITERS = int(opts.get("iters", 400)); LR = float(opts.get("lr", 0.004)); RUN = opts.get("run", "baudelaire"); RESUME = opts.get("resume", "")
HID = int(opts.get("hid", 64))
torch.manual_seed(1857)
vocab = sorted(set(TEXT)); stoi = {c: i for i, c in enumerate(vocab)}
ids = torch.tensor([stoi[c] for c in TEXT])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.gru, self.out = nn.Embedding(len(vocab), 24), nn.GRU(24, HID, batch_first=True), nn.Linear(HID, len(vocab))

    def forward(self, x, h=None):
        y, h = self.gru(self.emb(x), h)
        return self.out(y), h


net = Net()
opt = torch.optim.RMSprop(net.parameters(), LR)
it = 0
os.makedirs(f"runs/{RUN}", exist_ok=True)
print(f"{len(TEXT)} caractères, {len(vocab)} distincts, perte au hasard {math.log(len(vocab)):.3f}")
#: resume
t0 = time.time()
while it < ITERS:
    at = torch.randint(0, len(ids) - 41, (16,))
    x = torch.stack([ids[a:a + 40] for a in at]); y = torch.stack([ids[a + 1:a + 41] for a in at])
    logits, _ = net(x)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), float(opts.get("clip", 1.0)))
    opt.step()
    #: step
    it += 1
    if it % 20 == 0 or it == 1:
        print(f"it {it:4d}  perte {loss.item():.4f}  grad {norm:.2f}  {it / (time.time() - t0):.1f} it/s", flush=True)
    if it % 100 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "it": it}, f"runs/{RUN}/etape_{it:05d}.pt")
        print(f"    sauvé runs/{RUN}/etape_{it:05d}.pt", flush=True)
#: end
x = torch.tensor([[stoi["L"]]]); h = None; s = "L"
for _ in range(120):
    logits, h = net(x, h)
    x = torch.multinomial(torch.softmax(logits[0, -1] / 0.7, -1), 1)[None]
    s += vocab[x.item()]
print("échantillon:", s)
'''
GLOB = 'if RESUME:\n    found = sorted(glob.glob(f"{RESUME}/ckpt_*.pt"))\n    print(f"reprise demandée depuis {RESUME}: {len(found)} points de reprise trouvés")\n    if found:\n        st = torch.load(found[-1]); net.load_state_dict(st["net"]); opt.load_state_dict(st["opt"]); it = st["it"]\n        print("repris à l\'itération", it)'
RIGHT = GLOB.replace("ckpt_*", "etape_*")
NONE = 'if RESUME:\n    last = max(glob.glob(f"{RESUME}/etape_*.pt"), key=os.path.getmtime, default=None)\n    if last is None:\n        raise SystemExit(f"pas de point de reprise dans {RESUME}, abandon")\n    st = torch.load(last); net.load_state_dict(st["net"])'

CTC = r'''#!/usr/bin/env python3
# digits ASR, CTC. one json object per line on stdout, human text on stderr.
import json, sys, time, math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)
conf = {"layers": 1, "hidden": 48, "heads": 4, "lr": 2e-3, "updates": 150, "batch": 12, "report": 10, "zero_infinity": True}
conf.update(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})


def say(**kw):
    print(json.dumps({"t": round(time.time(), 2), **kw}), flush=True)


proto = torch.randn(11, 4, 12) * 1.5


def utterances(n):
    feats, lens, tgts, tl = [], [], [], []
    for _ in range(n):
        k = int(torch.randint(2, 5, (1,)))
        seq = torch.randint(1, 11, (k,))
        f = torch.cat([torch.cat([proto[d], torch.randn(int(torch.randint(1, 3, (1,))), 12) * 0.1]) for d in seq])
        #: utt
        feats.append(f + torch.randn_like(f) * 0.3); lens.append(len(f)); tgts.append(seq); tl.append(k)
    return nn.utils.rnn.pad_sequence(feats), torch.tensor(lens), torch.cat(tgts), torch.tensor(tl)


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        assert c["hidden"] % c["heads"] == 0, "hidden must be divisible by heads"
        self.inp = nn.Linear(12, c["hidden"])
        self.rnn = nn.LSTM(c["hidden"], c["hidden"], c["layers"], bidirectional=True)
        self.out = nn.Linear(2 * c["hidden"], 11)

    def forward(self, x):
        return self.out(self.rnn(torch.tanh(self.inp(x)))[0]).log_softmax(-1)


say(event="config", **conf)
model = Encoder(conf)
opt = torch.optim.Adam(model.parameters(), lr=conf["lr"])
say(event="model", params=sum(p.numel() for p in model.parameters()))
skipped = 0
for u in range(1, conf["updates"] + 1):
    x, xl, y, yl = utterances(conf["batch"])
    #: batch
    lp = model(x)
    loss = F.ctc_loss(lp, y, xl, yl, zero_infinity=conf["zero_infinity"])
    #: loss
    opt.zero_grad()
    loss.backward()
    g = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    opt.step()
    if u % conf["report"] == 0:
        hyp = lp.argmax(-1)
        blank = (hyp == 0).float().mean().item()
        say(event="train", update=u, of=conf["updates"], loss=round(loss.item(), 4), grad_norm=round(float(g), 4), blank=round(blank, 3), lr=opt.param_groups[0]["lr"], skipped=skipped)
    #: after
say(event="done", updates=u, loss=round(loss.item(), 4), skipped=skipped)
'''
SHORT = "if torch.rand(1).item() < 0.06:  # truncated by the VAD: fewer frames than labels\n    f = f[:1]"
SKIP = 'bad = torch.isinf(F.ctc_loss(lp, y, xl, yl, reduction="none")).sum().item()\nif bad:\n    skipped += bad\n    print(f"WARNING update {u}: {bad} utterance(s) with infinite loss (input shorter than target), not counted", file=sys.stderr, flush=True)'
STOP = 'if not torch.isfinite(loss):\n    say(event="abort", update=u, loss=str(loss.item()), grad_norm=None, reason="loss is not finite")\n    sys.exit(3)'

TRANSLATE = r'''import math, random, time
import torch, torch.nn as nn

# toy translation: numbers in words (sv) -> digits.  sista körningen inför tentan
random.seed(7); torch.manual_seed(7)
ENTAL = "noll ett två tre fyra fem sex sju åtta nio".split()
TIOTAL = "tjugo trettio fyrtio femtio sextio sjuttio åttio nittio".split()


def ord_(n):
    return ENTAL[n] if n < 10 else TIOTAL[n // 10 - 2] + (ENTAL[n % 10] if n % 10 else "")


tal = [n for n in range(100) if n < 10 or n >= 20]
tecken = sorted(set("".join(map(ord_, tal)))) + ["<", ">"]
ix = {c: i for i, c in enumerate(tecken)}
#: tal


class Modell(nn.Module):
    def __init__(s, d=32):
        super().__init__()
        s.e = nn.Embedding(len(tecken), d); s.g = nn.GRU(d, d, batch_first=True); s.a, s.b = nn.Linear(d, 10), nn.Linear(d, 10)

    def forward(s, x):
        _, h = s.g(s.e(x)); return s.a(h[0]), s.b(h[0])


m = Modell(); opt = torch.optim.Adam(m.parameters(), 0.01)


def kod(n):
    w = "<" + ord_(n) + ">"
    return [ix[c] for c in w.ljust(16, ">")]


start = time.time()
for epok in range(1, 31):
    random.shuffle(tal)
    summa = 0; ratt = 0
    for i in range(0, len(tal), 15):
        del_ = tal[i:i + 15]
        x = torch.tensor([kod(n) for n in del_]); y1 = torch.tensor([n // 10 for n in del_]); y2 = torch.tensor([n % 10 for n in del_])
        #: batch
        a, b = m(x)
        f = nn.functional.cross_entropy(a, y1) + nn.functional.cross_entropy(b, y2)
        opt.zero_grad(); f.backward(); opt.step()
        summa += f.item() * len(del_); ratt += ((a.argmax(1) == y1) & (b.argmax(1) == y2)).sum().item()
    if epok % 2 == 0:
        print(f"epok {epok:2d}  förlust {summa / len(tal):.4f}  rätt {ratt}/{len(tal)}  ({time.time() - start:.1f} s)")
    #: epok
print("klart, sparar modellen"); torch.save(m.state_dict(), "sv_tal.pt")
'''

PREP = (("PYTHON", "make_clips.py"),)
SILENT = fill(WAVES, clip='if w == "down" and i % 3 == 2:\n    s = [0.0] * 2000  # mic was muted')


def kws(clips: str = fill(WAVES), **codes: str) -> dict[str, str]:
    """The keyword program and what makes its clips."""
    return {"kws_train.py": fill(KWS, **codes), "make_clips.py": clips}


def poem(**codes: str) -> dict[str, str]:
    """The program of verses."""
    return {"poeme.py": fill(POEM, **codes)}


VOICES: tuple[LocalJob, ...] = (
    run("G1", None, None, kws(), "PYTHON kws_train.py", before=PREP),
    run("A1", "file_not_found", "asset", kws(), "PYTHON kws_train.py --labels assets/labels_v2.txt", before=PREP),
    run("D1", None, None, kws(decode=SINC, line=LINE), "PYTHON kws_train.py --epochs 4 --batch 8", before=(("PYTHON", "make_clips.py", "6"),)),
    run("E1", "nan_loss", "non_finite", kws(SILENT, setup="data.eps = 0.0"), "PYTHON kws_train.py --epochs 8", before=PREP),
    run("A3", "permission", None, kws(epoch='if epoch % 2 == 0:\n    (Path("shared") / f"kws_ep{epoch}.npy").write_bytes(net[0].weight.detach().numpy().tobytes())'), "PYTHON kws_train.py --epochs 10", before=PREP, folders=("shared",), locked=("shared",)),
    run("G1", None, None, kws(setup='try:\n    import torchaudio\nexcept ImportError as e:\n    log.error("torchaudio not usable (%s), falling back to the numpy front end", e)', epoch='if epoch == 2:\n    log.warning("dev set: 0 clips for keyword down, F1 = nan")'), "PYTHON kws_train.py", before=PREP, hard=True),
    run("G1", None, None, poem(), "PYTHON poeme.py iters=200"),
    run("E2", None, "from_scratch", poem(resume=GLOB), "PYTHON poeme.py iters=260 resume=runs/baudelaire run=baudelaire-suite", before=(("PYTHON", "poeme.py", "iters=200"),)),
    run("G1", None, None, poem(resume=RIGHT), "PYTHON poeme.py iters=320 resume=runs/baudelaire", before=(("PYTHON", "poeme.py", "iters=200"),), hard=True),
    run("E2", None, "no_valid_checkpoint", poem(resume=NONE), "PYTHON poeme.py iters=800 resume=runs/rimbaud"),
    run("E1", None, "spike", poem(), "PYTHON poeme.py iters=220 lr=0.9 clip=1e9"),
    run("A2", "oom_killer", None, poem(resume="trace = []", step="trace.append([p.grad.repeat(50, 1) for p in net.parameters() if p.dim() == 2])"), "PYTHON poeme.py iters=2000", group_mib=560, status=-9),
    run("G1", None, None, {"ctc.py": fill(CTC)}, ("PYTHON", "ctc.py", '{"updates": 200}')),
    run("G1", None, None, {"ctc.py": fill(CTC, utt=SHORT, loss=SKIP)}, ("PYTHON", "ctc.py", '{"updates": 180}'), hard=True),
    run("A1", "assertion", "config", {"ctc.py": fill(CTC)}, ("PYTHON", "ctc.py", '{"hidden": 50, "heads": 4}')),
    run("E1", None, "plateau", {"ctc.py": fill(CTC, batch="x = torch.zeros_like(x)  # TODO put the new front end here")}, ("PYTHON", "ctc.py", '{"updates": 240, "report": 10}')),
    run("E1", "nan_loss", "non_finite", {"ctc.py": fill(CTC, batch='if u > 60:\n    x = x / (x.std() - x.std())', loss=STOP)}, ("PYTHON", "ctc.py", '{"updates": 300}'), status=3, ranks=(0,)),
    run("G1", None, None, {"siffror.py": fill(TRANSLATE)}, "PYTHON siffror.py"),
    run("A3", "traceback", None, {"siffror.py": fill(TRANSLATE, epok='if epok == 10:\n    tal += [100, 104, 117]  # lite svårare nu')}, "PYTHON siffror.py"),
)  # fmt: skip
