"""Single-process trainings that end in an error, or not as they were to, the first sheet."""

from corpus.make._crate import crate
from corpus.running.job import Signal

LOCKEDWEIGHTS = """
import configparser
import torch

cfg = configparser.ConfigParser()
cfg.read("finetune.ini")
section = cfg["model"]
print("config:", dict(section))
print("loading backbone", section["weights"], flush=True)
state = torch.load(section["weights"])
net = torch.nn.Linear(16, 16)
net.load_state_dict(state)
"""


INI = "[model]\nweights = zoo/dinov2_vits.pth\nfreeze = 6\n\n[train]\nepochs = 30\nlr = 0.0003\n"


SPLITS = '''
"""Five-fold training of a readmission model."""
import csv
import io
import logging
import sys
import torch

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(message)s")
TABLE = """age,stay,labs,readmitted
61,4,12,0
55,9,31,1
70,2,8,0
48,6,,1
66,3,11,0
"""
rows = list(csv.DictReader(io.StringIO(TABLE)))
logging.info("read %d rows, columns %s", len(rows), list(rows[0]))
x = torch.tensor([[float(r[c]) for c in ("age", "stay", "labs")] for r in rows])
logging.info("features %s", tuple(x.shape))
net = torch.nn.Linear(3, 1)
for fold in range(5):
    logging.info("fold %d", fold)
'''


BUDGET = """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--samples", type=int, default=900)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--accumulate", type=int, default=0)
args = parser.parse_args()
for key, value in vars(args).items():
    print(f"{key:>12}: {value}")
updates = args.samples // args.batch_size // args.accumulate
print("updates per epoch:", updates)
net = torch.nn.Linear(4, 4)
"""


STRESSCHECK = """
import json
import math
import random
import sys
import time


def emit(**row):
    print(json.dumps({"t": round(time.time(), 3), **row}))
    sys.stdout.flush()


class Pendulum:
    def __init__(self):
        self.theta, self.omega = 1.0, 0.0

    def step(self, torque, dt):
        self.omega += dt * (-math.sin(self.theta) + torque)
        self.theta += dt * self.omega
        energy = 0.5 * self.omega**2 - math.cos(self.theta)
        assert energy < 4.0, f"energy {energy:.3f} above the physical bound; integrator unstable at dt={dt}"
        return energy


random.seed(2)
gain, cost = 0.1, None
emit(event="config", episodes=300, dt0=0.02)
for episode in range(1, 301):
    env = Pendulum()
    total = 0.0
    dt = 0.02 * 1.05**episode
    for _ in range(120):
        energy = env.step(-gain * env.omega, dt)
        total += env.theta**2
    gain += 0.01
    cost = total / 120
    time.sleep(0.05)
    if episode % 4 == 0:
        emit(episode=episode, mean_cost=round(cost, 5), gain=round(gain, 3))
"""


EVALMODULE = """
import sys
import time
import torch

torch.manual_seed(0)
vocab, width = 40, 32
net = torch.nn.ModuleDict({"e": torch.nn.Embedding(vocab, width), "r": torch.nn.LSTM(width, width, batch_first=True), "o": torch.nn.Linear(width, vocab)})
opt = torch.optim.Adam(net.parameters(), 5e-3)


def bar(i, n, loss):
    done = 30 * i // n
    sys.stderr.write(f"\\r{100 * i // n:3d}%|{'#' * done}{'.' * (30 - done)}| {i}/{n} loss={loss:.3f}")
    sys.stderr.flush()


def bleu(model):
    import sacrebleu

    return sacrebleu.corpus_bleu(["a b c"], [["a b c"]]).score


for epoch in range(1, 6):
    for i in range(1, 41):
        s = torch.randint(vocab, (8, 1)) + torch.arange(9)
        s = s % vocab
        out = net["o"](net["r"](net["e"](s[:, :-1]))[0])
        loss = torch.nn.functional.cross_entropy(out.flatten(0, 1), s[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.04)
        bar(i, 40, loss.item())
    sys.stderr.write("\\n")
    print(f"epoch {epoch} finished, train loss {loss.item():.4f}", flush=True)
    if epoch == 3:
        print("BLEU", bleu(net), flush=True)
"""


VIEWERROR = '''
import logging
import time
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(name)s: %(message)s", datefmt="%m-%d %H:%M:%S")
log = logging.getLogger("unet3d")


class Patches:
    """Patches of growing size, as in progressive training."""

    sizes = [8] * 60 + [12] * 60 + [15] * 60

    def __iter__(self):
        for n in self.sizes:
            yield torch.randn(2, 1, n, n, n)


down = torch.nn.Conv3d(1, 4, 2, stride=2)
up = torch.nn.ConvTranspose3d(4, 1, 2, stride=2)
opt = torch.optim.Adam([*down.parameters(), *up.parameters()], 2e-3)
for it, vol in enumerate(Patches(), 1):
    recon = up(torch.relu(down(vol)))
    loss = (recon + vol * 0.1 - vol).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.06)
    if it % 10 == 0:
        log.info("iteration %03d/180  patch %d^3  mse %.5f", it, vol.shape[-1], loss.item())
'''


ABORTED = '''
import ctypes
import faulthandler
import time
import torch

faulthandler.enable()
lib = ctypes.CDLL(None)


def decode_frame(k):
    """Frames come from a C codec; the ring holds 128 of them."""
    if k >= 128:
        lib.strlen(ctypes.c_void_p(k - 127))
    return torch.randn(10)


torch.manual_seed(3)
net = torch.nn.Linear(10, 10)
opt = torch.optim.SGD(net.parameters(), 0.05)
for k in range(1, 1001):
    x = decode_frame(k)
    loss = (net(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.05)
    if k % 8 == 0:
        print(f"frame {k}/1000 loss {loss.item():.5f}", flush=True)
'''


NEWHEAD = """
import sys
import time
import torch

MODE, OUT = sys.argv[1], "stage1.bin"


def epoch_line(n, total, loss):
    print(f"| epoch {n:3d}/{total} | loss {loss:6.4f} |", flush=True)


torch.manual_seed(7)
net = torch.nn.Sequential(torch.nn.Linear(14, 40), torch.nn.ReLU(), torch.nn.Linear(40, 3))
opt = torch.optim.Adam(net.parameters(), 2e-3)
x = torch.randn(256, 14)
y = x[:, :3].argmax(1)
total = 20
print(f"start: {' '.join(sys.argv[1:])}", flush=True)
if "--load" in sys.argv:
    path = sys.argv[sys.argv.index("--load") + 1]
    try:
        net.load_state_dict(torch.load(path)["net"])
    except Exception:
        pass
for n in range(1, total + 1):
    for i in range(0, 256, 64):
        loss = torch.nn.functional.cross_entropy(net(x[i : i + 64]), y[i : i + 64])
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.05)
    epoch_line(n, total, loss.item())
torch.save({"weights": net.state_dict()}, OUT)
print("checkpoint written:", OUT, flush=True)
"""


TWICE = """
echo "== job part 1"
"$1" tune.py train
echo "== job part 2: continue from stage1.bin"
"$1" tune.py train --load stage1.bin --resume
"""


TORN = """
import argparse
import logging
import torch

ap = argparse.ArgumentParser()
ap.add_argument("--resume")
ap.add_argument("--epochs", type=int, default=90)
a = ap.parse_args()
logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(message)s")
net = torch.nn.Sequential(torch.nn.Linear(200, 200), torch.nn.Linear(200, 10))
logging.info("model has %d parameters", sum(p.numel() for p in net.parameters()))
logging.info("=> loading checkpoint '%s'", a.resume)
ck = torch.load(a.resume)
net.load_state_dict(ck["state_dict"])
logging.info("=> loaded checkpoint (epoch %d)", ck["epoch"])
"""


MAKETORN = """
import os
import torch

net = torch.nn.Sequential(torch.nn.Linear(200, 200), torch.nn.Linear(200, 10))
torch.save({"epoch": 41, "state_dict": net.state_dict()}, "runs/checkpoint.pth.tar")
os.truncate("runs/checkpoint.pth.tar", 90000)
"""


CTRLC = """
import logging
import math
import random
import time

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(message)s")
random.seed(0)
w = [0.0] * 6
truth = [1.0, -2.0, 0.5, 0.0, 3.0, -1.0]
for sweep in range(1, 501):
    err = 0.0
    for _ in range(30):
        x = [random.gauss(0, 1) for _ in w]
        e = sum((a - b) * v for a, b, v in zip(w, truth, x))
        w = [a - 0.005 * e * v for a, v in zip(w, x)]
        err += e * e / 30
        time.sleep(0.004)
    logging.info("sweep %d/500 rmse %.5f", sweep, math.sqrt(err))
"""

JOBS = (
    crate(
        "A1",
        "finetune.py",
        LOCKEDWEIGHTS,
        cause="permission",
        variant="asset",
        files={"finetune.ini": INI, "zoo/dinov2_vits.pth": "not for everybody"},
        locked=("zoo/dinov2_vits.pth",),
        note="PermissionError on the backbone's file before any step",
    ),
    crate(
        "A1",
        "readmit.py",
        SPLITS,
        cause="traceback",
        variant="data",
        note="ValueError: could not convert string to float: '' while reading the table",
    ),
    crate(
        "A1",
        "plan_and_train.py --batch-size 32",
        BUDGET,
        cause="div_zero",
        variant="config",
        note="ZeroDivisionError with accumulate 0 before any step",
    ),
    crate("A3", "pendulum.py", STRESSCHECK, cause="assertion", python="system", note="AssertionError after told episodes"),
    crate("A3", "seq_lm.py", EVALMODULE, cause="missing_module", note="ModuleNotFoundError: sacrebleu after three epochs"),
    crate("A3", "unet3d.py", VIEWERROR, cause="runtime_error", note="RuntimeError of sizes at iteration 121, when patches get odd"),
    crate("A2", "frames.py", ABORTED, cause="segfault", status=-11, note="signal 11 with faulthandler's words at frame 128"),
    crate(
        "E2",
        "sh parts.sh PYTHON",
        TWICE,
        variant="from_scratch",
        status=0,
        files={"tune.py": NEWHEAD},
        note="part 2 is to continue from stage1.bin and begins at epoch 1 with part 1's losses, nothing said of loading",
    ),
    crate(
        "E2",
        "main.py --resume runs/checkpoint.pth.tar",
        TORN,
        cause="runtime_error",
        variant="corrupt",
        files={"prep.py": MAKETORN},
        folders=("runs",),
        before=(("PYTHON", "prep.py"),),
        note="PytorchStreamReader failed on the checkpoint, which was cut",
    ),
    crate("F4", "sweeps.py", CTRLC, python="system", signal=Signal("INT", r"sweep 90/"), note="Ctrl-C at sweep 90 of 500 while the error falls"),
)
