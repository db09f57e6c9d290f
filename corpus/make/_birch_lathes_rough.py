"""Runs that came to their planned end, though not smoothly."""

from corpus.make._crate import crate

SEARCH = """
import math
import random
import time
import traceback

import torch

random.seed(4)
SPACE = [dict(lr=lr, hidden=h, act=a) for lr, h, a in [(1e-2, 16, "ReLU"), (9e4, 16, "Softplus"), (3e-3, 32, "Tanh"), (1e-2, 32, "Swish"), (3e-2, 24, "GELU"), (5e-3, 8, "SiLU")]]
g = torch.Generator().manual_seed(0)
X = torch.randn(400, 10, generator=g)
y = torch.sin(X[:, :1] * 2) + X[:, 1:2] * X[:, 2:3]


def trial(number, lr, hidden, act):
    torch.manual_seed(number)
    net = torch.nn.Sequential(torch.nn.Linear(10, hidden), getattr(torch.nn, act)(), torch.nn.Linear(hidden, 1))
    opt = torch.optim.SGD(net.parameters(), lr, momentum=0.9)
    for epoch in range(25):
        for i in torch.randperm(320).split(40):
            loss = (net(X[i]) - y[i]).pow(2).mean()
            if not math.isfinite(loss.item()):
                raise FloatingPointError(f"training loss became {loss.item()} in epoch {epoch}")
            opt.zero_grad()
            loss.backward()
            opt.step()
        time.sleep(0.04)
        if epoch % 8 == 0:
            print(f"    trial {number} epoch {epoch:2d} loss {loss.item():.4f}")
    with torch.no_grad():
        return (net(X[320:]) - y[320:]).pow(2).mean().item()


results, failed = {}, 0
for n, params in enumerate(SPACE):
    print(f"Trial {n} started with {params}")
    try:
        results[n] = trial(n, **params)
        print(f"Trial {n} finished, value {results[n]:.5f}. Best so far: trial {min(results, key=results.get)}")
    except Exception:
        failed += 1
        traceback.print_exc()
        print(f"Trial {n} FAILED, value set to inf, going on with the next one")
best = min(results, key=results.get)
print(f"Search over: {len(SPACE)} trials, {len(results)} complete, {failed} failed. Best trial {best}: {results[best]:.5f} {SPACE[best]}")
"""

CAPTION = '''
import logging
import time

import torch

logging.basicConfig(format="%(levelname).1s%(asctime)s.%(msecs)03d %(message)s", datefmt="%m%d %H:%M:%S", level=logging.INFO)
N_IMAGES = 384
WORDS = "a the dog cat boat tree runs sits on near grass water red small".split()


def workspace(batch):
    """Attention workspace of a batch: 64 MiB an image."""
    return torch.empty(batch, 4096, 4096)


def find_batch(start):
    batch = start
    while batch:
        try:
            workspace(batch)
            return batch
        except RuntimeError as error:
            logging.error("batch %d does not fit: %s", batch, error)
            batch //= 2
            logging.warning("retrying with batch %d", batch)
    raise SystemExit("nothing fits")


torch.manual_seed(9)
enc, dec = torch.nn.Linear(48, 24), torch.nn.GRUCell(24, 24)
head, emb = torch.nn.Linear(24, len(WORDS)), torch.nn.Embedding(len(WORDS), 24)
batch = find_batch(128)
logging.info("captioning %d images with batch %d", N_IMAGES, batch)
t0, done, skipped = time.time(), 0, 0
with open("captions.tsv", "w") as out, torch.inference_mode():
    for lo in range(0, N_IMAGES, batch):
        pix = torch.rand(batch, 48)
        if lo // batch in (3, 17):
            logging.warning("image %d: truncated JPEG, grey square used instead", lo + 2)
            pix[2], skipped = 0.5, skipped + 1
        h = torch.tanh(enc(pix))
        tok = torch.zeros(batch, dtype=torch.long)
        words = []
        for _ in range(8):
            h = dec(emb(tok), h)
            tok = head(h).argmax(-1)
            words.append(tok)
            time.sleep(0.03)
        for k, row in enumerate(torch.stack(words, 1)):
            out.write(f"{lo + k}\\t{' '.join(WORDS[w] for w in row)}\\n")
        done += batch
        logging.info("%d/%d captions, %.1f img/s", done, N_IMAGES, done / (time.time() - t0))
lines = sum(1 for _ in open("captions.tsv"))
logging.info("wrote %d lines to captions.tsv, %d images replaced, 0 missing", lines, skipped)
'''

LEGS = """
rm -f state.pt
"$1" upscale.py --steps 220 &
pid=$!
while [ ! -e warm ]; do sleep 0.2; done
sleep 3
echo "maintenance window: stopping the trainer"
kill -TERM $pid
wait $pid
echo "trainer left with code $?; starting it again"
exec "$1" upscale.py --steps 220
"""
UPSCALE = """
import argparse
import os
import signal
import sys
import time

import torch

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int)
a = ap.parse_args()
stop = False


def on_term(number, frame):
    global stop
    print("WARNING: got SIGTERM, will save and leave after this step", flush=True)
    stop = True


signal.signal(signal.SIGTERM, on_term)
torch.manual_seed(3)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(16, 4, 3, padding=1), torch.nn.PixelShuffle(2))
opt = torch.optim.Adam(net.parameters(), 2e-3)
first = 0
if os.path.exists("state.pt"):
    kept = torch.load("state.pt")
    net.load_state_dict(kept["net"])
    opt.load_state_dict(kept["opt"])
    first = kept["step"]
    print(f"restored network and optimizer from state.pt, going on at step {first + 1}")
for step in range(first + 1, a.steps + 1):
    hi = torch.nn.functional.avg_pool2d(torch.randn(12, 1, 20, 20), 5, 1, 2)
    l1 = (net(hi[..., ::2, ::2]) - hi).abs().mean()
    opt.zero_grad()
    l1.backward()
    opt.step()
    time.sleep(0.04)
    if step == 1:
        open("warm", "w").close()
    if step % 10 == 0 or step == 1:
        print(f"step {step}/{a.steps}  L1 {l1.item():.4f}", flush=True)
    if stop:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, "state.pt")
        print(f"saved state.pt at step {step}", flush=True)
        sys.exit(143)
torch.save(net.state_dict(), "upscale_x2.pt")
print(f"all {a.steps} steps done, upscale_x2.pt written")
"""

CORRIDOR = """
import time

import torch

torch.manual_seed(21)
LENGTH, N_ENV, T = 8, 16, 32
pi = torch.nn.Sequential(torch.nn.Linear(LENGTH, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
vf = torch.nn.Sequential(torch.nn.Linear(LENGTH, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()], 8e-3)
pos, ret, finished = torch.full((N_ENV,), LENGTH // 2), torch.zeros(N_ENV), []


def table(rows):
    width = 46
    print("-" * width)
    for k, v in rows.items():
        print(f"| {k:<24} | {v:<15} |")
    print("-" * width)


start = time.time()
for it in range(1, 31):
    O, A, LP, R, V, D = [], [], [], [], [], []
    for _ in range(T):
        obs = torch.nn.functional.one_hot(pos, LENGTH).float()
        with torch.no_grad():
            d = torch.distributions.Categorical(logits=pi(obs))
            act = d.sample()
            LP.append(d.log_prob(act))
            V.append(vf(obs).squeeze(1))
        pos = (pos + 2 * act - 1).clamp(0, LENGTH - 1)
        end = pos == LENGTH - 1
        rew = torch.where(end, 10.0, -1.0) - 2.0 * (pos == 0)
        ret += rew
        for k in end.nonzero().flatten().tolist():
            finished.append(ret[k].item())
            ret[k], pos[k] = 0.0, 1
        O.append(obs), A.append(act), R.append(rew), D.append(end.float())
        time.sleep(0.008)
    g, adv = torch.zeros(N_ENV), []
    for r, v, e in zip(reversed(R), reversed(V), reversed(D)):
        g = r + 0.97 * g * (1 - e)
        adv.insert(0, g - v)
    O, A, LP, adv, V = torch.cat(O), torch.cat(A), torch.cat(LP), torch.cat(adv), torch.cat(V)
    target, adv = adv + V, (adv - adv.mean()) / (adv.std() + 1e-8)
    for epoch in range(6):
        d = torch.distributions.Categorical(logits=pi(O))
        ratio = (d.log_prob(A) - LP).exp()
        kl = ((ratio - 1) - ratio.log()).mean().item()
        if kl > 0.03:
            print(f"Early stopping at epoch {epoch} due to reaching max kl: {kl:.2f}")
            break
        pl = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        vl = (vf(O).squeeze(1) - target).pow(2).mean()
        loss = pl + 0.01 * vl - 0.005 * d.entropy().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    if it % 3 == 0 or it == 1:
        last = finished[-40:] if len(finished) > 8 else []
        table({
            "rollout/ep_rew_mean": f"{sum(last) / len(last):.2f}" if last else "nan",
            "time/iterations": it, "time/total_timesteps": it * N_ENV * T, "time/fps": int(it * N_ENV * T / (time.time() - start)),
            "train/loss": f"{loss.item():.4f}", "train/policy_gradient_loss": f"{pl.item():.4f}", "train/value_loss": f"{vl.item():.2f}",
            "train/entropy_loss": f"{-d.entropy().mean().item():.3f}", "train/approx_kl": f"{kl:.4f}",
        })
torch.save(pi.state_dict(), "policy.pt")
print(f"30 iterations done, {len(finished)} episodes, mean return of the last 40: {sum(finished[-40:]) / 40:.2f}")
"""

JOBS = (
    crate("G1", "search_mlp.py", SEARCH, hard=True),
    crate("G1", "caption.py", CAPTION, hard=True, memory_mib=3600),
    crate("G1", "sh window.sh PYTHON", LEGS, hard=True, files={"upscale.py": UPSCALE}),
    crate("G1", "corridor.py", CORRIDOR, hard=True),
)
