"""Single programs that stand still, wait, save too much or come to their limit."""

from corpus.make._crate import crate

FIFO = r"""
import math, os, sys, threading, time, random
rng = random.Random(4)
def say(t): print(time.strftime("%d.%m. %H:%M:%S"), t, flush=True)
os.makedirs("chunks"); [open(f"chunks/{i:03d}.csv", "w").write("1;2;3\n" * 400) for i in range(9)]; os.mkfifo("chunks/009.csv")
say("weather nowcasting, 24 chunks per pass, reading chunks/"); n = 0
for i in range(24):
    rows = open(f"chunks/{i:03d}.csv").read().count("\n")
    for _ in range(8): time.sleep(0.2); n += 1
    say(f"chunk {i:03d} ({rows} rows) trained, step {n}/192, crps {0.31 + 0.9 * math.exp(-n / 30) + rng.gauss(0, .005):.4f}")
"""

LOCKS = r"""
import logging, queue, random, threading, time, torch
logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(threadName)s] %(levelname)s: %(message)s"); log = logging.getLogger(); torch.manual_seed(0)
pool, stats, q, done = threading.Lock(), threading.Lock(), queue.Queue(2), [0]
def reader():
    k = 0
    while True:
        k += 1
        with pool:
            x = torch.randn(64, 12)
            if k % 37 == 0:
                time.sleep(0.3)
                with stats: log.info("buffer refreshed after %d draws", k)
        q.put(x)
threading.Thread(target=reader, name="sampler", daemon=True).start(); net = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.Tanh(), torch.nn.Linear(32, 12)); opt = torch.optim.Adam(net.parameters(), 3e-3); log.info("soft actor, 2000 gradient steps, logging every 5")
for step in range(1, 2001):
    x = q.get(); l = (net(x) - x.sin()).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.2)
    if step % 5 == 0: log.info("gradient step %d/2000 critic_loss=%.5f", step, l.item())
    if step % 36 == 0:
        with stats:
            time.sleep(0.3)
            with pool: log.info("statistics over the buffer taken at step %d", step)
"""

PROFILE = r"""
import queue, random, threading, time, torch
torch.manual_seed(2); q = queue.Queue(2)
def decode():
    while True: time.sleep(0.72 + 0.1 * random.random()); q.put(torch.randn(32, 48))
threading.Thread(target=decode, daemon=True).start(); net = torch.nn.Sequential(torch.nn.Linear(48, 64), torch.nn.GELU(), torch.nn.Linear(64, 48)); opt = torch.optim.AdamW(net.parameters(), 2e-3); prof = {"[_TrainingEpochLoop].train_dataloader_next": 0.0, "run_training_batch": 0.0, "optimizer_step": 0.0}; t0 = time.perf_counter(); left = t0
print("UserWarning: The 'train_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` to `num_workers=15` in the `DataLoader` to improve performance.", flush=True)
for b in range(1, 37):
    t = time.perf_counter(); x = q.get(); a = time.perf_counter(); l = (net(x) - x.roll(1, 1)).pow(2).mean(); opt.zero_grad(); l.backward(); time.sleep(0.05); c = time.perf_counter(); opt.step(); d = time.perf_counter()
    for k, v in zip(prof, (a - t, d - a, d - c)): prof[k] += v
    if b % 3 == 0: print(f"Epoch 0: batch {b}/36, {b / (d - t0):.2f}it/s, train/loss={l.item():.4f}, data_wait={1e3 * (a - t):.0f}ms, step={1e3 * (d - a):.0f}ms", flush=True)
tot = time.perf_counter() - t0
print("FIT Profiler Report\n\n" + "-" * 92 + f"\n|  {'Action':<46}|  Num calls  |  Total time (s) |  Percentage %  |\n" + "-" * 92 + f"\n|  {'Total':<46}|  -          |  {tot:<15.3f}|  100 %         |")
for k, v in sorted(prof.items(), key=lambda z: -z[1]): print(f"|  {k:<46}|  36         |  {v:<15.3f}|  {100 * v / tot:<14.2f}|")
print("-" * 92 + "\n`Trainer.fit` stopped: `max_epochs=1` reached.")
"""

EVERYONE = r"""
import json, os, shutil, sys, time, torch
torch.manual_seed(6); net = torch.nn.Sequential(torch.nn.Linear(32, 128), torch.nn.ReLU(), torch.nn.Linear(128, 32)); opt = torch.optim.AdamW(net.parameters(), 2e-3); M = torch.randn(32, 32) / 6; N = 24; t0 = time.time(); saving = 0.0
def note(t): sys.stderr.write(t + "\n")
note("***** Running training *****"); note("  Num examples = 384"); note(f"  Total optimization steps = {N}"); note("  save_strategy = steps, save_steps = 1, save_total_limit = 2")
for s in range(1, N + 1):
    x = torch.randn(16, 32); l = (net(x) - x @ M).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.2); print({"loss": round(l.item(), 4), "learning_rate": 2e-3 * (1 - s / N), "epoch": round(s / N, 3)}, flush=True)
    t = time.time(); d = f"out/checkpoint-{s}"; os.makedirs(d); note(f"Saving model checkpoint to {d}"); torch.save(net.state_dict(), d + "/model.bin"); time.sleep(0.5); note(f"Configuration saved in {d}/config.json"); torch.save(opt.state_dict(), d + "/optimizer.pt"); time.sleep(0.4); note(f"Model weights saved in {d}/model.bin, optimizer.pt; {time.time() - t:.2f} s"); saving += time.time() - t
    if s > 2: shutil.rmtree(f"out/checkpoint-{s - 2}"); note(f"Deleting older checkpoint [out/checkpoint-{s - 2}] due to args.save_total_limit")
print({"train_runtime": round(time.time() - t0, 2), "train_steps_per_second": round(N / (time.time() - t0), 3), "checkpoint_seconds": round(saving, 2), "train_loss": round(l.item(), 4), "epoch": 1.0})
"""

DIFFUSE = r"""
import time, torch
torch.manual_seed(1); net = torch.nn.Sequential(torch.nn.Linear(17, 48), torch.nn.SiLU(), torch.nn.Linear(48, 16)); opt = torch.optim.Adam(net.parameters(), 2e-3); P = torch.randn(5, 16); ema = None; total = 100_000; t0 = time.time()
print(f"unconditional diffusion, {total} iterations, sampling every 10000", flush=True)
for it in range(1, total + 1):
    x = P[torch.randint(5, (64,))]; t = torch.rand(64, 1); z = torch.randn(64, 16); l = (net(torch.cat([x * (1 - t) + z * t, t], 1)) - z).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); ema = l.item() if ema is None else 0.98 * ema + 0.02 * l.item(); time.sleep(0.03)
    if it % 40 == 0: s = (time.time() - t0) / it; print(f"it {it:6d}/{total}  eps-mse {l.item():.4f}  ema {ema:.4f}  {1 / s:5.1f} it/s  remaining {s * (total - it) / 60:6.1f} min", flush=True)
"""

PROMPTS = r"""
import json, random, sys, time
rng = random.Random(12); n = 1319; print(json.dumps({"msg": "gsm8k generation", "model": "mistral-7b-sft", "prompts": n, "max_new_tokens": 512}), flush=True); ok = tok = 0; t0 = time.time()
for i in range(1, n + 1):
    k = rng.randrange(90, 380); time.sleep(k / 620); tok += k; ok += rng.random() < 0.42
    if i % 4 == 0: dt = time.time() - t0; print(json.dumps({"done": i, "of": n, "acc": round(ok / i, 4), "tok_per_s": round(tok / dt, 1), "eta_min": round(dt / i * (n - i) / 60, 1)}), flush=True)
"""

JOBS = (
    crate("C3", "nowcast.py", FIFO, python="system", timeout_s=58, note="a chunk every 1.6 s up to 008, then silence of 40 s to the limit"),
    crate("C3", "sac.py", LOCKS, timeout_s=62, note="gradient steps of 0.2 s up to 105, then silence of 38 s to the limit"),
    crate("D1", "lit_audio.py", PROFILE, note="data_wait 0.7 s of 0.77 s; the profiler's own table: 92 % in the loader"),
    crate(
        "D2", "run_seq2seq.py", EVERYONE, variant="save_storm", folders=("out",), note="a checkpoint after each of 24 steps, 0.9 s each against 0.2 s"
    ),
    crate("F3", "ddpm.py", DIFFUSE, variant="advancing", timeout_s=36, note="32 it/s of 100000, falling loss, to the limit"),
    crate(
        "F3", "gen_gsm8k.py", PROMPTS, variant="advancing", python="system", timeout_s=40, note="100 of 1319 prompts, one each 0.4 s, to the limit"
    ),
)
