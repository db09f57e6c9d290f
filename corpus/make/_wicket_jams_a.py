"""Runs that came to their end as planned, smoothly or not."""

from corpus.make._crate import crate

MEGAREAL = r"""
import datetime, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); N = 100; torch.manual_seed(1234)
if r == 0: print(f"using world size: {n}, data-parallel size: {n}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1\nsetting global batch size to {8 * n}\n> initializing torch distributed ...\n> setting random seeds to 1234 ...\n > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 6272\n[before the start of training step] datetime: {datetime.datetime.now():%Y-%m-%d %H:%M:%S}", flush=True)
lm = torch.nn.Sequential(torch.nn.Embedding(98, 32), torch.nn.Linear(32, 98)); net = torch.nn.parallel.DistributedDataParallel(lm); opt = torch.optim.Adam(net.parameters(), 0.01, betas=(0.9, 0.95)); torch.manual_seed(r); t = time.time()
for it in range(1, N + 1):
    lr = 0.01 * min(1, it / 10) * (1 - it / (1.2 * N)); opt.param_groups[0]["lr"] = lr; x = torch.randint(98, (8, 24)); l = torch.nn.functional.cross_entropy(net(x).flatten(0, 1), ((x * 5 + 2) % 98).flatten()); opt.zero_grad(); l.backward(); gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step(); time.sleep(0.08)
    if it % 10 == 0:
        m = l.detach().clone(); dist.all_reduce(m)
        if r == n - 1: print(f" [{datetime.datetime.now():%Y-%m-%d %H:%M:%S}] iteration {it:8d}/{N:8d} | consumed samples: {it * 8 * n:12d} | elapsed time per iteration (ms): {100 * (time.time() - t):.1f} | learning rate: {lr:.6E} | global batch size: {8 * n:5d} | lm loss: {m.item() / n:.6E} | loss scale: 1.0 | grad norm: {gn.item():.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", flush=True)
        t = time.time()
    if it % 50 == 0 and r == 0: torch.save(lm.state_dict(), f"iter_{it:07d}.pt"); print(f"saving checkpoint at iteration {it:7d} to ckpts in torch format\n  successfully saved checkpoint from iteration {it:7d} to ckpts", flush=True)
if r == 0: print(f"[after training is done] datetime: {datetime.datetime.now():%Y-%m-%d %H:%M:%S}", flush=True)
dist.destroy_process_group()
"""
LITBAR = r"""
import sys, time, torch
torch.manual_seed(11); net = torch.nn.Sequential(torch.nn.Linear(32, 24), torch.nn.LeakyReLU(), torch.nn.Linear(24, 32)); opt = torch.optim.Adam(net.parameters(), 6e-3); X = torch.randn(600, 4) @ torch.randn(4, 32)
w = sys.stderr.write
w("Seed set to 11\nGPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs\nYou are using a CUDA device ('NVIDIA A100-SXM4-40GB') that has Tensor Cores. To properly utilize them, you should set `torch.set_float32_matmul_precision('medium' | 'high')` which will trade-off precision for performance.\nLOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]\n\n  | Name    | Type       | Params | Mode \n-----------------------------------------------\n0 | encoder | Sequential | 816    | train\n1 | decoder | Sequential | 800    | train\n-----------------------------------------------\n1.6 K     Trainable params\n0         Non-trainable params\n1.6 K     Total params\n0.006     Total estimated model params size (MB)\n")
w("\rSanity Checking DataLoader 0: 100%|██████████| 2/2 [00:00<00:00, 41.20it/s]"); vl = 0.0
for ep in range(8):
    t = time.time()
    for i, ix in enumerate(torch.randperm(500).split(25), 1):
        l = (net(X[ix]) - X[ix]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.05)
        if i % 4 == 0: w(f"\rEpoch {ep}: {5 * i:3d}%|{'█' * (i // 2):10}| {i}/20 [00:0{int(time.time() - t)}<00:00, {i / (time.time() - t):5.2f}it/s, v_num=17, train_loss_step={l.item():.3f}" + (f", val_loss={vl:.3f}]" if ep else "]"))
    vl = (net(X[500:]) - X[500:]).pow(2).mean().item(); w(f"\nEpoch {ep}, global step {20 * (ep + 1)}: 'val_loss' reached {vl:.5f} (best {vl:.5f}), saving model to 'lightning_logs/version_17/checkpoints/epoch={ep}-step={20 * (ep + 1)}.ckpt' as top 1\n")
w("`Trainer.fit` stopped: `max_epochs=8` reached.\n")
"""
HARNESS = r"""
import logging, random, sys, time
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s INFO     [%(module)s.py:%(lineno)d] %(message)s", datefmt="%Y-%m-%d:%H:%M:%S"); log = logging.info
log("Selected Tasks: ['arc_easy', 'hellaswag', 'piqa']"); log("Setting random seed to 0 | Setting numpy seed to 1234 | Setting torch manual seed to 1234"); log("Initializing hf model, with arguments: {'pretrained': '/models/olmo-1b', 'dtype': 'bfloat16'}"); time.sleep(2); log("Using device 'cuda'")
random.seed(0); rows = []
for task, n, p in (("arc_easy", 95, 0.62), ("hellaswag", 134, 0.58), ("piqa", 73, 0.74)):
    log(f"Building contexts for {task} on rank 0..."); sys.stderr.write(f"100%|██████████| {n}/{n} [00:00<00:00, 1412.{n}it/s]\n"); log("Running loglikelihood requests"); t = time.time(); hit = 0
    for i in range(1, n + 1):
        time.sleep(0.05); hit += random.random() < p
        if i % 20 == 0 or i == n: sys.stderr.write(f"\rRunning loglikelihood requests: {100 * i // n:3d}%|{'█' * (10 * i // n):10}| {i}/{n} [00:{int(time.time() - t):02d}<00:00, {i / (time.time() - t):.2f}it/s]")
    sys.stderr.write("\n"); rows.append((task, hit / n, (hit / n * (1 - hit / n) / n) ** 0.5))
print("hf (pretrained=/models/olmo-1b,dtype=bfloat16), gen_kwargs: (None), limit: None, num_fewshot: 0, batch_size: 16\n|  Tasks  |Version|Filter|n-shot|Metric|   |Value |   |Stderr|\n|---------|------:|------|-----:|------|---|-----:|---|-----:|")
for t, a, s in rows: print(f"|{t:9}|      1|none  |     0|acc   |↑  |{a:.4f}|±  |{s:.4f}|")
"""
PPO = r"""
import time, torch
torch.manual_seed(6); pi, v = torch.nn.Linear(3, 2), torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)); opt = torch.optim.Adam([*pi.parameters(), *v.parameters()], 0.02); start = time.time(); print("Using cuda device\nWrapping the env with a `Monitor` wrapper\nWrapping the env in a DummyVecEnv.")
for k in range(1, 31):
    obs = torch.randn(512, 3); d = torch.distributions.Categorical(logits=pi(obs)); a = d.sample(); rew = -12.0 + 9.0 * ((obs[:, 0] > 0).long() == a).float() - 4.0 * (torch.rand(512) < 0.1).float(); val = v(obs).squeeze(1); adv = rew - val.detach(); adv = (adv - adv.mean()) / adv.std(); pg = -(d.log_prob(a) * adv).mean(); vf = (val - rew).pow(2).mean(); loss = pg + 0.5 * vf - 0.01 * d.entropy().mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.3)
    if k % 3 == 0:
        rows = [("rollout/", None), ("   ep_len_mean", f"{50 - k / 3:.0f}"), ("   ep_rew_mean", f"{rew.mean() * 10:.1f}"), ("time/", None), ("   fps", f"{512 * k / (time.time() - start):.0f}"), ("   iterations", k), ("   time_elapsed", int(time.time() - start)), ("   total_timesteps", 512 * k), ("train/", None), ("   approx_kl", f"{0.004 + 0.03 / k:.8f}"), ("   clip_fraction", "0.112"), ("   entropy_loss", f"{-d.entropy().mean():.3f}"), ("   explained_variance", f"{1 - vf.item() / rew.var().item():.3g}"), ("   loss", f"{loss.item():.3g}"), ("   policy_gradient_loss", f"{pg.item():.4f}"), ("   value_loss", f"{vf.item():.3g}")]
        print("-" * 42 + "\n" + "\n".join(f"| {a:23} | {'' if b is None else b!s:12} |" for a, b in rows) + "\n" + "-" * 42)
print("learn(total_timesteps=15360) finished, policy written to ppo_dock.zip"); torch.save(pi.state_dict(), "ppo_dock.zip")
"""
SWEEP = r"""
import datetime, math, random, sys, time, traceback
def say(lv, m): n = datetime.datetime.now(); print(f"[{lv} {n:%Y-%m-%d %H:%M:%S},{n.microsecond // 1000:03d}] {m}", file=sys.stderr, flush=True)
random.seed(12); say("I", "A new study created in memory with name: lr-width"); best = (9.0, None, None)
def objective(t, lr, width):
    if width % 2: raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied (64x{width} and {width - 1}x10)")
    w = [0.0] * 6
    for ep in range(12):
        time.sleep(0.12); x = [random.gauss(0, 1) for _ in range(6)]; e = sum((a - i / 3) * b for i, (a, b) in enumerate(zip(w, x))); w = [a - lr * e * b for a, b in zip(w, x)]; v = sum((a - i / 3) ** 2 for i, a in enumerate(w)) / 6
        if not math.isfinite(v) or v > 50: return float("nan"), ep
        if ep == 5 and v > 0.9: return None, ep
    return v, ep
for t in range(14):
    lr, width = 10 ** random.uniform(-2.5, -0.35), random.choice([32, 40, 48, 56, 64, 96, 65]); par = {"lr": lr, "width": width}
    try: v, ep = objective(t, lr, width)
    except RuntimeError as e:
        say("W", f"Trial {t} failed with parameters: {par} because of the following error: {e!r}."); traceback.print_exc(); say("W", f"Trial {t} failed with value None."); continue
    if v is None: say("I", f"Trial {t} pruned. "); continue
    if v != v: say("W", f"Trial {t} failed with parameters: {par} because of the following error: The value nan is not acceptable."); continue
    if v < best[0]: best = (v, t, par)
    say("I", f"Trial {t} finished with value: {v} and parameters: {par}. Best is trial {best[1]} with value: {best[0]}.")
print(f"14 of 14 trials over; best value {best[0]:.4f} with {best[2]}; written best_params.json")
"""
FETCHY = r"""
import atexit, logging, sys, time, torch
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s"); log = logging.getLogger("segtrain")
for k, wait in enumerate((0.5, 1, 2, 4), 1):
    log.warning("GET https://data.example.org/cityscapes/leftImg8bit.tar: HTTP 503 Service Unavailable (attempt %d of 6), next try in %.1f s", k, wait); time.sleep(wait)
log.info("leftImg8bit.tar complete, checksum ok"); log.error("could not pin 24.0 GiB of host memory for the cache (cudaHostAlloc: out of memory); using pageable memory instead")
torch.manual_seed(5); net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 1)); opt = torch.optim.SGD(net.parameters(), 0.15, momentum=0.9)
class Board:
    def close(self): raise ConnectionError("dashboard at 10.3.0.9:6006 went away")
board = Board(); atexit.register(board.close); slow = 0
for ep in range(1, 11):
    inter = union = 0
    for b in range(12):
        x = torch.randn(6, 3, 16, 16); y = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long(); t = time.time(); o = net(x); l = torch.nn.functional.cross_entropy(o, y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.06 if (ep, b) != (6, 4) else 5.5)
        if time.time() - t > 3: slow += 1; log.warning("step %d of epoch %d took %.1f s (median 0.06 s)", b, ep, time.time() - t)
        h = o.argmax(1) == y; inter += h.sum().item(); union += 2 * h.numel() - h.sum().item()
    log.info("epoch %2d/10  loss %.4f  mIoU %.2f", ep, l.item(), 100 * inter / union)
torch.save(net.state_dict(), "segnet.pth"); log.info("training complete: 10 epochs, %d slow step, weights in segnet.pth", slow)
"""

JOBS = (
    crate("G1", "pretrain_small.py --train-iters 100", MEGAREAL, ranks=2),
    crate("G1", "lit_ae_run.py fit -c ae.yaml", LITBAR, files={"ae.yaml": "seed_everything: 11\ntrainer:\n  max_epochs: 8\n"}),
    crate("G1", "eval_harness.py --model hf --tasks arc_easy,hellaswag,piqa", HARNESS, python="system"),
    crate("G1", "ppo_dock.py", PPO, hard=True),
    crate("G1", "sweep.py --n-trials 14", SWEEP, hard=True, python="system"),
    crate("G1", "segtrain.py", FETCHY, hard=True),
)
