"""Labels of a pantry, lower shelf: what went well, half of it with noise."""

from __future__ import annotations

from corpus.make._ballast import IDLE, WORK, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames
from corpus.make._pigeon_kit import A30, A40, A100, A6000, ADA, H100, H200, R2080, R4090, T4, Bench, bar, left

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def flax_pictures() -> Made:
    """Flax's example of ImageNet on one host with four cards: clu's lines, evaluation each epoch, ten epochs."""
    f = Bench(("grn-4",), "flax-rn50", 6_620_014, when("2026-09-03 21:00"), per=1, card=H100, script="main.py", submit_line="sbatch flax.sh")
    f.say(0, 14, f"I{f.clock(14, '%m%d %H:%M:%S')}.402117 139640 main.py:49] JAX process: 0 / 1\nI{f.clock(14, '%m%d %H:%M:%S')}.402290 139640 main.py:50] JAX local devices: [CudaDevice(id=0)]\nI{f.clock(31, '%m%d %H:%M:%S')}.118201 139640 train.py:318] Initial compilation, this might take some minutes...")
    f.say(0, 118, f"I{f.clock(118, '%m%d %H:%M:%S')}.702113 139640 train.py:325] Initial compilation completed.")
    curve, at = fall(6.9, 1.71, 900), 118.0
    for i in range(100, 25_001, 100):
        at += 41
        x = curve(i)
        f.say(0, at, f"I{f.clock(at, '%m%d %H:%M:%S')}.31{i % 9}118 139640 logging_writer.py:48] [{i}] steps_per_second=2.43{i % 9}, train_accuracy={max(0.001, 0.95 - x / 7.3):.6f}, train_learning_rate={0.1 * (1 - i / 26_000):.6f}, train_loss={x:.6f}")
        if i % 2500 == 0:
            at += 33
            f.say(0, at, f"I{f.clock(at, '%m%d %H:%M:%S')}.880011 139640 train.py:361] eval epoch: {i // 2500 - 1}, loss: {x * 0.98:.4f}, accuracy: {100 * max(0.001, 0.93 - x / 7.3):.2f}")
    f.load([(0, IDLE), (20, Load(2, 1, 0.2, 0.76, 5)), (118, Load(97, 66, 0.86, 0.76))])
    f.close("COMPLETED", at + 12)
    return good(f)


@job
def picture_prompts() -> Made:
    """A sampler makes pictures of four thousand prompts by diffusers, without its inner bars."""
    f = Bench(("art-3",), "sdxl-sample", 6_620_333, when("2026-09-05 09:40"), per=1, card=ADA, script="sample.py", submit_line="sbatch sample.sh")
    f.say(0, 30, "Loading pipeline components...: 100%|██████████| 7/7 [00:11<00:00,  1.62s/it]\nprompts: 1200, seeds per prompt: 4, steps 30, cfg 6.5")
    at = 34.0
    for k in range(10, 1201, 10):
        at += 10 * 12.4
        f.say(0, at, f"{k:>5}/1200 prompts, {4 * k} images, {12.4:.1f} s/prompt, left {left((1200 - k) * 12.4)}, clip {0.31 + (k * 7 % 31) / 900:.3f}")
    f.say(0, at + 2, "4800 images in /project/art/sdxl_bench/pngs, index.csv written")
    f.load([(0, IDLE), (22, Load(0, 0, 0.2, 0.2, 0)), (34, Load(99, 0, 0.95, 0.51))])
    f.close("COMPLETED", at + 6)
    return good(f)


@job
def clean_rl() -> Made:
    """CleanRL's PPO of Atari: returns by episode, speed, the full ten million frames."""
    f = Bench(("pong-1",), "ppo-breakout", 6_620_700, when("2026-09-06 17:00"), per=1, card=R2080, script="ppo_atari_envpool.py", submit_line="sbatch --array=1-3 ppo.sh")
    at, curve = 18.0, fall(1.0, 0.06, 900_000)
    for k in range(1, 325):
        g = k * 30_720
        at += 30_720 / 1010
        f.say(0, at, f"global_step={g - 400 + k % 90}, episodic_return={max(0.0, 430 * (1 - curve(g)) + (k * 37) % 41 - 20):.1f}\nSPS: {1005 + k % 13}")
    f.say(0, at + 4, "ppo_atari_envpool: 10000000 steps, eval over 10 episodes: 388.4\nmodel saved to runs/Breakout-v5__ppo_atari_envpool__1/ppo_atari_envpool.cleanrl_model")
    f.load([(0, IDLE), (16, Load(58, 0, 0.5, 0.22, 14))])
    f.close("COMPLETED", at + 8, array_job_id=6_620_699, array_task_id=1)
    return good(f)


@job
def spoken_basque() -> Made:
    """ESPnet trains a branchformer on two nodes: its summaries by epoch, the average of its best."""
    f = Bench(("eus-1", "eus-2"), "espnet-eu", 6_621_010, when("2026-09-08 19:30"), per=4, card=A100, script="asr_train.py", submit_line="sbatch -N2 run_asr.sh --stage 11")
    at = 60.0
    for e in range(1, 41):
        for b in range(1, 5):
            at += 112
            x = fall(96, 11, 3)(e + b // 4)
            f.say(0, at, f"[eus-1:0/8] {f.clock(at)},{e * 13 % 1000:03d} (trainer:779) INFO: {e}epoch:train:{b * 300 - 299}-{b * 300}batch: iter_time=2.3{b}e-04, forward_time=0.11{e % 9}, loss_ctc={x * 1.3:.3f}, loss_att={x * 0.8:.3f}, acc={0.96 - x / 140:.3f}, loss={x:.3f}, backward_time=0.201, grad_norm={8 + x / 3:.3f}, clip=100.000, loss_scale={2.0 ** 17:.3e}, optim_step_time=0.0{b}1, optim0_lr0={0.002 * (e / 12 if e < 12 else (12 / e) ** 0.5):.3e}, train_time=0.373")
        at += 49
        x = fall(96, 11, 3)(e + 1)
        f.say(0, at, f"[eus-1:0/8] {f.clock(at)},401 (trainer:365) INFO: {e}epoch results: [train] loss={x:.3f}, acc={0.96 - x / 140:.3f}, time=7 minutes and 28.11 seconds, total_count={e * 1200}, gpu_max_cached_mem_GB=31.207, [valid] loss={x * 1.1:.3f}, cer_ctc={x / 190:.3f}, acc={0.955 - x / 140:.3f}, time=39.02 seconds\n[eus-1:0/8] {f.clock(at + 2)},007 (trainer:420) INFO: The best model has been updated: valid.acc")
    f.say(0, at + 4, f"[eus-1:0/8] {f.clock(at + 4)},118 (trainer:458) INFO: The training was finished at 40 epochs \n[eus-1:0/8] {f.clock(at + 6)},503 (average_nbest_models:69) INFO: Averaging 10best models: criterion=\"valid.acc\": exp/asr_ebf/valid.acc.ave_10best.pth")
    f.load([(0, IDLE), (52, Load(95, 0, 0.8, 0.79, 8))])
    f.close("COMPLETED", at + 16)
    return good(f)


@job
def rooms_by_sound() -> Made:
    """A home-made loop with JSON lines: a network of room acoustics, 300 epochs."""
    f = Bench(("ac-1",), "rir-net", 6_621_377, when("2026-09-10 08:15"), per=1, card=T4, script="rir.py", submit_line="sbatch rir.sh")
    f.say(0, 7, '{"event": "start", "device": "Tesla T4", "params": 3311201, "train": 88000, "val": 8000, "epochs": 300}')
    last = f.steps(0, range(1, 301), 12, 44, lambda i, x, t: f'{{"event": "epoch", "n": {i}, "train_l1": {x:.5f}, "val_l1": {x * 1.08:.5f}, "t60_err": {x * 1.9:.4f}, "sec": 44.{i % 9}, "ts": {int(f.at(t) / 1e9)}}}', fall(0.31, 0.041, 9))
    f.say(0, last + 2, '{"event": "end", "best_epoch": 296, "best_val_l1": 0.06851, "checkpoint": "out/rir_best.pt"}')
    f.load([(0, IDLE), (10, Load(94, 0, 0.93, 0.61))])
    f.close("COMPLETED", last + 4)
    return good(f)


@job
def drug_pairs() -> Made:
    """Keras and a graph of drugs on one card, epochs on a single line each, then a table of scores."""
    f = Bench(("rx-2",), "drugpair-gat", 6_621_700, when("2026-09-11 13:13"), per=1, card=A30, script="drugpair.py", submit_line="sbatch rx.sh")
    at = 24.0
    for e in range(1, 61):
        at += 171
        x = fall(0.68, 0.19, 5)(e)
        f.say(0, at, f"Epoch {e}/60\n{820}/820 - 171s - 208ms/step - auc: {0.99 - x / 3:.4f} - loss: {x:.4f} - val_auc: {0.97 - x / 3:.4f} - val_loss: {x * 1.12:.4f}")
    f.say(0, at + 11, "              precision    recall  f1-score   support\n\n           0     0.9014    0.9112    0.9063     40121\n           1     0.9103    0.9004    0.9053     40120\n\n    accuracy                         0.9058     80241")
    f.load([(0, IDLE), (20, Load(86, 0, 0.7, 0.91, 9))])
    f.close("COMPLETED", at + 16)
    return good(f)


@job
def warning_before_the_end() -> Made:
    """Hard: Slurm's signal comes before the limit by the script's own wish; it keeps its state, yet finishes within the time that is left."""
    f = Bench(("sig-1",), "mdm-motion", 6_622_011, when("2026-09-12 20:00"), per=1, card=A40, limit_s=18_000, script="train_mdm.py", submit_line="sbatch --time=5:00:00 --signal=USR1@900 mdm.sh")
    last = f.steps(0, range(500, 80_001, 500), 30, 0.2175, lambda i, x, t: f"step[{i}]: loss[{x:.5f}]  ({f.clock(t, '%H:%M:%S')})", fall(0.41, 0.0512, 2500))
    f.say(0, 17_110, f"caught signal 10 (SIGUSR1) at {f.clock(17_110, '%H:%M:%S')}, saving emergency state -> save/mdm/interrupt.pt (training goes on)")
    f.say(0, last + 3, "saving model...\nstep[80000]: training complete, model000080000.pt")
    f.load([(0, IDLE), (26, Load(95, 0, 0.8, 0.33))])
    f.close("COMPLETED", last + 9)
    return good(f, hard=True)


@job
def failing_trials() -> Made:
    """Hard: Ray Tune on four cards; two of twenty trials end with errors of their own settings, the table at the end has the best."""
    f = Bench(("ray-7",), "tune-detr-lite", 6_622_333, when("2026-09-14 10:00"), per=1, card=A6000, script="tune_detr.py", submit_line="sbatch ray.sh")
    f.say(0, 25, f"{f.clock(21)},801\tINFO worker.py:1852 -- Started a local Ray instance.\n{f.clock(25)},114\tINFO tune.py:616 -- [output] This uses the legacy output and progress reporter.")
    at = 30.0
    for n in range(20):
        if n in (5, 12):
            at += 38
            f.say(0, at, f"{f.clock(at)},77{n}\tERROR tune_controller.py:1331 -- Trial task failed for trial train_fn_{n:05d}\n" + frames(("/home/rl/venv/lib/python3.10/site-packages/ray/air/execution/_internal/event_manager.py", 110, "resolve_future", "result = ray.get(future)"), ("/home/rl/venv/lib/python3.10/site-packages/ray/_private/worker.py", 2772, "get", "values, debugger_breakpoint = worker.get_objects(object_refs, timeout=timeout)"), error="ray.exceptions.RayTaskError(ValueError): \x1b[36mray::ImplicitFunc.train()\x1b[39m (pid=41207, ip=10.3.0.7, actor_id=5c1f02, repr=train_fn)\nValueError: embed_dim must be divisible by num_heads"))
            continue
        for e in range(1, 6):
            at += 151
            f.say(0, at, f"\x1b[36m(train_fn pid=4{1200 + n})\x1b[0m trial {n:05d} epoch {e} loss {2.1 / e ** 0.5 + n % 4 / 30:.4f} map50 {0.31 + 0.05 * e + n % 7 / 90:.4f}")
    f.say(0, at + 5, f"== Status ==\nCurrent time: {f.clock(at + 5)} (running for {left(at - 25)})\nNumber of trials: 20/20 (2 ERROR, 18 TERMINATED)\nBest trial config: {{'embed_dim': 256, 'num_heads': 8, 'lr': 0.00021}}\nBest trial final map50: 0.6267")
    f.load([(0, IDLE), (30, Load(92, 0, 0.81, 0.48, 10))])
    f.close("COMPLETED", at + 12)
    return good(f, hard=True)


@job
def overflowing_scales() -> Made:
    """Hard: the loss scaler overflows in the first steps and again at times, the meters say inf; a translator learns to its last update."""
    f = Bench(("ov-1",), "mt-catalan", 6_622_701, when("2026-09-15 22:00"), per=4, card=A100, script="fairseq-train", submit_line="sbatch mt.sh")
    stamp = "%Y-%m-%d %H:%M:%S"
    for k, v in enumerate((64.0, 32.0, 16.0, 8.0)):
        f.say(0, 41 + k * 0.4, f"{f.clock(41 + k * 0.4, stamp)} | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: {v}")
    last = f.steps(0, range(100, 20_001, 100), 43, 0.51, lambda i, x, t: (f"{f.clock(t, stamp)} | INFO | fairseq.nan_detector | NaN detector: none found in grad norm\n{f.clock(t, stamp)} | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: 4.0\n" if i in (7300, 15_100) else "") + f"{f.clock(t, stamp)} | INFO | train_inner | epoch {1 + (i - 1) // 5000:03d}: {1 + (i - 1) % 5000:>6} / 5000 loss={x:.3f}, nll_loss={x - 1.3:.3f}, ppl={2 ** (x - 1.3):.2f}, wps=151203, ups=1.96, wpb=77101.2, bsz=2610.4, num_updates={i}, lr={5e-4 * min(1, i / 4000) * min(1, (4000 / i) ** 0.5):.6f}, gnorm={'inf' if i in (7300, 15_100) else f'{0.5 + x / 9:.3f}'}, loss_scale={4 if i > 7300 else 8}, train_wall=51, gb_free=41.2, wall={t - 30:.0f}", fall(13.4, 3.6, 600))
    f.say(0, last + 31, f"{f.clock(last + 31, stamp)} | INFO | valid | epoch 004 | valid on 'valid' subset | loss 3.91 | nll_loss 2.402 | ppl 5.29 | bleu 34.11 | num_updates 20000 | best_bleu 34.11\n{f.clock(last + 33, stamp)} | INFO | fairseq_cli.train | Stopping training due to num_updates: 20000 >= max_update: 20000\n{f.clock(last + 34, stamp)} | INFO | fairseq_cli.train | done training in {last - 30:.1f} seconds")
    f.load([(0, IDLE), (40, Load(96, 0, 0.86, 0.55))])
    f.close("COMPLETED", last + 42)
    return good(f, hard=True)


@job
def told_settings() -> Made:
    """Hard: the configuration is told at length with words of failures, a deprecated call warns with its stack; the tracker of dolphins trains fine."""
    f = Bench(("sea-2",), "track-dolphin", 6_623_044, when("2026-09-17 07:00"), per=1, card=R4090, script="track.py", submit_line="sbatch dolphin.sh")
    f.say(0, 10, "on_error: raise\nmax_failures: 3\nkill_on_timeout: false\noom_retry: true\nskip_nan_batches: true\nerror_file: logs/errors.txt\ncrash_report: none\nabort_if_diverged: {factor: 10.0, window: 500}\nresume: null")
    f.say(0, 14, "/home/sea/track/aug.py:88: FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` instead.\n  with torch.cuda.amp.autocast():\n/home/sea/env/lib/python3.11/site-packages/torch/optim/lr_scheduler.py:216: UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value of the learning rate schedule.\n  warnings.warn(")
    for e in range(24):
        for b in (0, 400, 800):
            x = fall(1.6, 0.28, 3)(e + b // 800)
            f.say(0, 20 + e * 560 + b * 0.7, bar(b, 800, 0.7, head=f"ep {e:02d}", more=f"giou={x:.3f}, conf={x / 3:.3f}"))
        f.say(0, 20 + e * 560 + 561, f"ep {e:02d} val: MOTA {0.81 - fall(1.6, 0.28, 3)(e) / 4:.3f} IDF1 {0.84 - fall(1.6, 0.28, 3)(e) / 5:.3f} errors {1400 - e * 31} switches {210 - e * 4}")
    end = 20 + 24 * 560 + 10.0
    f.say(0, end, "finished 24 epochs; error analysis written to logs/errors.txt (656 false negatives)")
    f.load([(0, IDLE), (18, Load(94, 0, 0.76, 0.66))])
    f.close("COMPLETED", end + 5)
    return good(f, hard=True)


@job
def one_late_death() -> Made:
    """Hard: a diffusion of crystals on sixteen cards is done and saved; leaving, two ranks' heartbeat monitors complain of a store that is gone."""
    f = Bench(("wb-1", "wb-2"), "cdvae-crystal", 6_623_377, when("2026-09-19 16:00"), per=8, card=H200, script="crystal.py", submit_line="sbatch -N2 crystal.sh")
    last = f.steps(0, range(100, 12_001, 100), 80, 0.93, lambda i, x, t: f"{f.clock(t)} crystal {i:>6} coord {x:.4f} type {x * 0.7:.4f} lattice {x * 0.2:.5f}", fall(2.2, 0.36, 500))
    f.say(0, last + 4, f"{f.clock(last + 4)} crystal validity 0.9731, coverage 0.988; 12000 of 12000, checkpoint in /scratch/xtal/final")
    for r in (9, 14):
        at = last + 8 + r / 50
        f.say(r, at, f"[rank{r}]:[W{f.clock(at, '%m%d %H:%M:%S')}.118402{r:03d} TCPStore.cpp:115] [c10d] recvVector failed on SocketImpl(fd=92, addr=[wb-2]:4{1100 + r}, remote=[wb-1]:29400): failed to recv, got 0 bytes\n[rank{r}]:[W{f.clock(at, '%m%d %H:%M:%S')}.118501{r:03d} ProcessGroupNCCL.cpp:1662] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore server has shut down too early), with error: failed to recv, got 0 bytes")
    f.load([(0, IDLE), (70, WORK)])
    f.close("COMPLETED", last + 16)
    return good(f, hard=True)


