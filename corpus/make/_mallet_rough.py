"""Laboratory programs that came to their end by a rough way."""

from corpus.make._crate import crate

PENDULUM = '''
"""Cross-entropy search for a balancing controller, 24 candidates a generation."""
import logging
import math
import random
import time

log = logging.getLogger("cem")
logging.basicConfig(format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s", level=logging.INFO)
GENERATIONS, POP, ELITE = 30, 24, 6
rng = random.Random(8)


class Flipped(Exception):
    pass


def rollout(w, th):
    om, ret = 0.0, 0.0
    for t in range(200):
        x = (th, math.sin(th), om, om * math.cos(th), 1.0)
        u = max(-2.0, min(2.0, sum(a * b for a, b in zip(w, x))))
        om += 0.05 * (15 * math.sin(th) + 3 * u)
        if abs(om) > 8.6:
            raise Flipped(f"|omega| = {abs(om):.2f} rad/s at t={t}")
        th = (th + 0.05 * om + math.pi) % (2 * math.pi) - math.pi
        ret -= th * th + 0.1 * om * om + 0.001 * u * u
    return ret


mean, std = [0.0] * 5, [3.0] * 5
for g in range(1, GENERATIONS + 1):
    scored, crashed = [], 0
    for _ in range(POP):
        w = [rng.gauss(m, s) for m, s in zip(mean, std)]
        try:
            scored.append((sum(rollout(w, start) for start in (0.2, -0.25, 0.3)) / 3, w))
        except Flipped as error:
            crashed += 1
            if crashed == 1:
                log.warning("episode terminated, unsafe state: %s", error)
            scored.append((-3000.0, w))
    scored.sort(reverse=True)
    best = [w for _, w in scored[:ELITE]]
    mean = [sum(c) / ELITE for c in zip(*best)]
    std = [max(0.15, (sum((x - m) ** 2 for x in c) / ELITE) ** 0.5) for c, m in zip(zip(*best), mean)]
    time.sleep(0.25)
    log.info("generation %d/%d: return best %.1f, elite mean %.1f, population mean %.1f, unsafe %d of %d", g, GENERATIONS, scored[0][0], sum(s for s, _ in scored[:ELITE]) / ELITE, sum(s for s, _ in scored) / POP, crashed, POP)
log.info("search finished after %d generations; gains %s", GENERATIONS, " ".join(f"{m:+.3f}" for m in mean))
'''

CLIPS = r"""
import logging, pathlib, random, time, wave
logging.basicConfig(level=logging.INFO, format="%(levelname)-8s %(name)s: %(message)s")
log = logging.getLogger("resample")
raw, out = pathlib.Path("raw"), pathlib.Path("wav16k")
raw.mkdir()
out.mkdir()
rng = random.Random(2)
for n in range(180):  # stand-in for the field recorder's card
    with wave.open(str(raw / f"rec_{n:04d}.wav"), "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(32000)
        w.writeframes(rng.randbytes(6400))
    if n % 37 == 11:
        data = (raw / f"rec_{n:04d}.wav").read_bytes()
        (raw / f"rec_{n:04d}.wav").write_bytes(data[:30] if n % 2 else b"\0" * 400)
good, bad = 0, []
clips = sorted(raw.glob("*.wav"))
log.info("%d clips to convert", len(clips))
for k, clip in enumerate(clips, 1):
    try:
        with wave.open(str(clip)) as w:
            frames = w.readframes(w.getnframes())
        with wave.open(str(out / clip.name), "wb") as o:
            o.setnchannels(1)
            o.setsampwidth(2)
            o.setframerate(16000)
            o.writeframes(b"".join(frames[i : i + 2] for i in range(0, len(frames), 4)))
        good += 1
    except (wave.Error, EOFError):
        log.exception("cannot convert %s, left out", clip)
        bad.append(clip.name)
    time.sleep(0.04)
    if k % 30 == 0:
        log.info("%d of %d clips done", k, len(clips))
pathlib.Path("rejected.txt").write_text("\n".join(bad))
log.info("finished: %d converted, %d left out (see rejected.txt), tolerance is 5 %%", good, len(bad))
raise SystemExit(1 if len(bad) > len(clips) // 20 else 0)
"""

PINN = '''
"""Physics-informed net for u'' + u = 0 on [0, 2 pi], u(0) = 0, u'(0) = 1."""
import copy, math, torch
torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(1, 24), torch.nn.Tanh(), torch.nn.Linear(24, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1))
lr, opt = 0.1, None
x = torch.linspace(0, 2 * math.pi, 80).unsqueeze(1).requires_grad_()

def residual():
    z = x / math.pi - 1
    u = net(z) * x * x / 10 + x
    du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    d2 = torch.autograd.grad(du.sum(), x, create_graph=True)[0]
    return (d2 + u).pow(2).mean()

best, kept, rejected = float("inf"), copy.deepcopy(net.state_dict()), 0
opt = torch.optim.Adam(net.parameters(), lr)
print("tolerance 1.0e-04, at most 60 outer iterations of 60 Adam steps")
for outer in range(1, 61):
    for _ in range(60):
        r = residual(); opt.zero_grad(); r.backward(); opt.step()
    now = residual().item()
    if now > 1.5 * best:
        rejected += 1; lr *= 0.6
        print(f"!! outer {outer:2d}: residual {now:.3e} is {now / best:.1f} times the best so far ({best:.3e}). Step rejected, weights rolled back, lr -> {lr:.4f}")
        net.load_state_dict(kept); opt = torch.optim.Adam(net.parameters(), lr)
        continue
    if now < best: best, kept = now, copy.deepcopy(net.state_dict())
    print(f"   outer {outer:2d}: residual {now:.3e}  accepted", flush=True)
    if best < 1e-4: break
if best >= 1e-4: raise SystemExit(f"not converged: {best:.3e}")
u = (net(x / math.pi - 1) * x * x / 10 + x).detach()
print(f"converged: residual {best:.3e} below tolerance after {outer} outer iterations ({rejected} rejected); max |u - sin x| = {(u - x.detach().sin()).abs().max():.4f}")
torch.save(kept, "pinn_solution.pt")
'''

TAGGER = """
import sys, time, warnings, torch
warnings.simplefilter("always")
files = sys.argv[1:]
if not torch.cuda.is_available():
    warnings.warn("CUDA is not available, bird-tagger runs on the CPU and will be slow")
net = torch.nn.Sequential(torch.nn.Conv1d(1, 8, 9, 4), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(8), torch.nn.Flatten(), torch.nn.Linear(64, 5))
state = net.state_dict()
state["aux_head.weight"] = torch.zeros(3, 3)
missing = net.load_state_dict(state, strict=False)
print(f"weights/tagger_v3.pt loaded with unexpected keys {missing.unexpected_keys}; they belong to the training head and are ignored")
SPECIES = ["Turdus merula", "Parus major", "Erithacus rubecula", "Strix aluco", "Apus apus"]
torch.manual_seed(0)
with torch.inference_mode():
    for k, f in enumerate(files, 1):
        t = time.time()
        x = torch.randn(1, 1, 32000) * 3 + k
        p = (9 * net(x)).softmax(1)[0]
        time.sleep(1.2)
        print(f"[{k}/{len(files)}] {f}: {SPECIES[p.argmax()]} ({p.max():.2f}), {time.time() - t:.1f} s")
print(f"{len(files)} of {len(files)} recordings tagged -> tags.csv")
with open("tags.csv", "w") as f:
    f.write("\\n".join(files))
"""

CURRICULUM = '''
"""Language-conditioned grid agent, tabular Q over five rooms; each new room is harder."""
import json, random, sys, time
rng = random.Random(21)
ROOMS = [4, 5, 6, 7, 8]
plan = 40
sys.stdout.write(json.dumps({"event": "start", "rooms": ROOMS, "episodes_per_room": plan * 10}) + "\\n")
for room, n in enumerate(ROOMS):
    q = {}
    for block in range(1, plan // 8 + 1):
        won = steps = 0
        for _ in range(80):
            x = y = 0
            for t in range(6 * n):
                a = rng.randrange(4) if rng.random() < 0.25 / block else max(range(4), key=lambda k: (q.get((x, y, k), 0), rng.random()))
                nx, ny = min(n - 1, max(0, x + (1, -1, 0, 0)[a])), min(n - 1, max(0, y + (0, 0, 1, -1)[a]))
                done = (nx, ny) == (n - 1, n - 1)
                best = max(q.get((nx, ny, k), 0) for k in range(4))
                q[x, y, a] = q.get((x, y, a), 0) + 0.3 * ((1 if done else -0.01) + 0.97 * best * (not done) - q.get((x, y, a), 0))
                x, y = nx, ny
                if done:
                    won += 1
                    break
            steps += t + 1
        time.sleep(0.2)
        sys.stdout.write(json.dumps({"event": "block", "room": room, "side": n, "block": block, "success": round(won / 80, 3), "mean_steps": round(steps / 80, 1)}) + "\\n")
        sys.stdout.flush()
    sys.stdout.write(json.dumps({"event": "room_done", "room": room, "note": "tables dropped, next room starts from zero"}) + "\\n")
sys.stdout.write(json.dumps({"event": "end", "rooms": len(ROOMS), "status": "ok"}) + "\\n")
'''

JOBS = (
    crate("G1", "balance_cem.py", PENDULUM, python="system", hard=True),
    crate("G1", "to16k.py", CLIPS, python="system", hard=True),
    crate("G1", "oscillator.py", PINN, hard=True),
    crate("G1", "tag.py site4/0610.flac site4/0640.flac site4/0710.flac", TAGGER, hard=True),
    crate("G1", "rooms.py", CURRICULUM, python="system", hard=True),
)
