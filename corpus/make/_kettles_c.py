"""Companies of cards, third tray: those that went well, some with a fright on the way."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, H100, IDLE, V100, WORK, Fleet, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def plain_megatron() -> Made:
    """Megatron's lines to the planned last iteration, validation after it."""
    f = Fleet(("p101", "p102"), "gpt-1.3b", 8_830_015, when("2026-10-02 05:00"), per=8, card=A100, agents=True, submit_line="sbatch pretrain_1b3.sh", script="pretrain_gpt.py")
    f.say(0, 39, "using world size: 16, data-parallel size: 8, context-parallel size: 1, tensor-model-parallel size: 2, pipeline-model-parallel size: 1 \n> setting tensorboard ...", "0: ")
    last = f.steps(15, range(100, 4001, 100), 88, 1.71, lambda i, x, t: f"15:  [{f.clock(t)}] iteration {i:8d}/    4000 | consumed samples: {i * 256:12d} | elapsed time per iteration (ms): {1700 + i % 43:.1f} | learning rate: {2e-4 * (1 - i / 4400):.6E} | global batch size:   256 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.2 + x / 14:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", fall(10.6, 2.6, 140))
    f.say(15, last + 40, "15: ------------------------------------------------------------------------------------------------\n15:  validation loss at iteration 4000 on validation set | lm loss value: 2.914407E+00 | lm loss PPL: 1.843780E+01 | \n15: ------------------------------------------------------------------------------------------------")
    f.say(0, last + 62, "0:   successfully saved checkpoint from iteration    4000 to /proj/ckpt/gpt-1.3b [ t 1/2, p 1/1 ]")
    f.load([(0, IDLE), (40, CONTEXT), (85, WORK)])
    f.close("COMPLETED", last + 75)
    return good(f)


@job
def self_taught() -> Made:
    """Lightning on two nodes, bars, stopped by max_epochs."""
    f = Fleet(("mx1", "mx2"), "byol-xray", 8_830_322, when("2026-10-03 12:12"), per=4, card=A100, submit_line="sbatch byol.sh", script="byol.py")
    f.say(0, 12, "[rank: 0] Seed set to 1707\nUsing bfloat16 Automatic Mixed Precision (AMP)\nGPU available: True (cuda), used: True")
    f.each(14, "Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r}/8", range(1, 8))
    last = f.steps(0, range(1, 31), 40, 71, lambda i, x, _t: f"Epoch {i - 1}: 100%|██████████| 402/402 [01:10<00:00,  5.71it/s, v_num=3, loss/byol={x:.4f}, std/z={0.2 + 0.02 * i:.3f}]", fall(1.96, 0.41, 4))
    f.say(0, last + 3, "`Trainer.fit` stopped: `max_epochs=30` reached.")
    f.load([(0, IDLE), (36, WORK)])
    f.close("COMPLETED", last + 9)
    return good(f)


@job
def instruct() -> Made:
    """The Trainer of transformers with accelerate on eight cards, to its last summary."""
    f = Fleet(("gpu312",), "mistral-sft", 8_830_701, when("2026-10-04 16:44"), per=8, agents=True, submit_line="sbatch sft.sh", script="sft.py")
    last = f.steps(0, range(10, 901, 10), 90, 3.9, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {0.5 + x / 3:.6f}, 'learning_rate': {2e-5 * (1 - i / 900):.6e}, 'mean_token_accuracy': {0.86 - x / 6:.4f}, 'num_tokens': {i * 131072.0}, 'epoch': {i / 450:.2f}}}", fall(1.52, 0.93, 50))
    f.say(0, last + 9, f"{{'train_runtime': {last - 82:.4f}, 'train_samples_per_second': 32.81, 'train_steps_per_second': 0.256, 'train_loss': 1.0713, 'epoch': 2.0}}")
    f.say(0, last + 21, "saved model and tokenizer under runs/mistral-sft-v4")
    f.load([(0, IDLE), (84, WORK)])
    f.close("COMPLETED", last + 30)
    return good(f)


@job
def old_cards() -> Made:
    """A plain DDP script with tqdm on old cards: epochs, test accuracy, the end."""
    f = Fleet(("vol03", "vol05"), "birds-resnext", 8_831_010, when("2026-10-06 08:30"), per=4, card=V100, submit_line="sbatch birds.slurm", script="main.py")
    f.each(8, "=> rank {r}/8 ready on {node} (Tesla V100-SXM2-32GB)")
    at = 20.0
    for e in range(12):
        at = f.steps(0, range(35, 141, 35), at + 2, 0.52, lambda i, x, _t, e=e: f"train {e:02d}: {100 * i // 140:>3}%|{'█' * (i // 14):<10}| {i}/140 [{int(i * 0.52) // 60:02d}:{int(i * 0.52) % 60:02d}<00:00,  1.92it/s, ce={x:.3f}]", lambda i, e=e: fall(5.2, 0.7, 150)(i + 140 * e))  # type: ignore[misc]
        at += 9
        f.say(0, at, f"  epoch {e:02d}  top1 {min(86.4, 12 + 21 * e ** 0.55):.2f}  top5 {min(97.3, 31 + 19 * e ** 0.55):.2f}  (best so far)")
    f.say(0, at + 4, "12 epochs in 17.1 min, best top1 86.40, weights: out/birds/best.pt")
    f.load([(0, IDLE), (19, Load(95, 0, 0.81, 0.71, 12))])
    f.close("COMPLETED", at + 7)
    return good(f)


@job
def blackwell() -> Made:
    """torchtitan-like lines on Blackwell with float8, asynchronous checkpoints, the end as planned."""
    f = Fleet(("bw-1", "bw-2"), "llama3-8b-f8", 8_831_444, when("2026-10-08 21:21"), per=4, card=B200, agents=True, submit_line="sbatch titan_f8.sh", script="torchtitan/train.py")
    f.say(0, 30, f"[rank0]:[titan] {f.clock(30)},811 - root - INFO - Starting job: Llama 3 8B float8 rowwise\n[rank0]:[titan] {f.clock(30)},902 - root - INFO - Float8 tensorwise scaled training active\n[rank0]:[titan] {f.clock(30)},990 - root - INFO - Peak FLOPS used for computing MFU: 2.250e+15")
    last = f.steps(0, range(25, 2001, 25), 71, 1.08, lambda i, x, t: f"[rank0]:[titan] {f.clock(t)},{i % 1000:03d} - root - INFO - step: {i:>4}  loss: {x:>7.4f}  grad_norm: {0.3 + x / 13:>7.4f}  memory: 121.40GiB(68.1%)  tps: {15_170 + i % 50:,}  tflops: 878.52  mfu: 39.05%", fall(12.2, 3.0, 80))
    f.say(0, last + 4, f"[rank0]:[titan] {f.clock(last + 4)},310 - root - INFO - Saving the checkpoint (or staging if async is enabled).\n[rank0]:[titan] {f.clock(last + 4)},411 - root - INFO - Sleeping 2 seconds for other ranks to complete\n[rank0]:[titan] {f.clock(last + 6)},420 - root - INFO - Training completed")
    f.load([(0, IDLE), (68, Load(98, 63, 0.88, 0.68))])
    f.close("COMPLETED", last + 14)
    return good(f)


@job
def flapping() -> Made:
    """Hard: a link of InfiniBand goes down and comes back, NCCL warns and goes on, the run ends as planned."""
    f = Fleet(("ib-21", "ib-22", "ib-25"), "speech-cpc", 8_831_900, when("2026-10-10 10:10"), per=4, submit_line="sbatch cpc.sh", script="cpc/main.py")
    curve = fall(4.85, 2.2, 90)
    last = f.steps(0, range(20, 1201, 20), 64, lambda i: 9.0 if i == 620 else 1.9, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} cpc[{i}] infoNCE {x:.4f} acc {0.03 + (4.85 - x) / 5:.3f}", curve)
    at = 64 + 610 * 1.9
    f.say(7, at, f"[{f.clock(at)}] ib-22:40007:40911 [3] transport/net_ib.cc:251 NCCL WARN NET/IB : mlx5_3:1 Got async event : port error\nib-22:40007:40911 [3] NCCL INFO NET/IB : mlx5_3:1 Got non-fatal async event: port active(9)")
    f.say(7, at + 31, f"[{f.clock(at + 31)}] ib-22:40007:40911 [3] transport/net_ib.cc:254 NCCL WARN NET/IB : mlx5_3:1 Got async event : client reregistration")
    f.say(0, last + 8, "cpc[1200] done; encoder exported to artefacts/cpc_enc_1200.ts")
    f.load([(0, IDLE), (60, WORK)])
    f.close("COMPLETED", last + 15)
    return good(f, hard=True)


@job
def overflows() -> Made:
    """Hard: DeepSpeed's dynamic loss scale is too high for the first twenty steps and skips them."""
    f = Fleet(("ds11", "ds12"), "opt-6.7b-zero2", 8_832_340, when("2026-10-13 07:55"), per=8, card=A100, submit_line="sbatch opt.sh", script="ds_train.py")
    for k in range(18):
        t = 70 + 4.1 * k
        f.say(0, t, f"[{f.clock(t)},{411 + k}] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2 ** (32 - k)}, reducing to {2 ** (31 - k)}")
    last = f.steps(0, range(10, 1501, 10), 70, 4.1, lambda i, x, t: f"[{f.clock(t)},{(i * 31) % 1000:03d}] [INFO] [logging.py:96:log_dist] [Rank 0] step={i}, skipped={min(18, i)}, lr=[{9e-6 * min(1, i / 100):.3e}], mom=[(0.9, 0.95)]\n{f.clock(t)} epoch 0 step {i} lm {x if i > 20 else 10.9:.4f}", fall(10.9, 2.8, 70))
    f.each(last + 20, f"[{f.clock(last + 20)},118] [INFO] [launch.py:351:main] Process 4{{r:04d}} exits successfully.", gap=0.2)
    f.load([(0, IDLE), (66, WORK)])
    f.close("COMPLETED", last + 30)
    return good(f, hard=True)


@job
def finder() -> Made:
    """Hard: the script tries batch sizes until one no longer fits, takes the largest that did, trains and ends well."""
    f = Fleet(("lab-gpu-2",), "mae-sat", 8_832_777, when("2026-10-15 14:00"), per=4, submit_line="sbatch mae.sh", script="mae_sat.py")
    for k, size in enumerate((64, 128, 256, 512)):
        text = f"[autobatch] {size} per card ... ok ({11.2 + size / 9:.1f} GiB)"
        if size == 512:
            text = f"[autobatch] {size} per card ... does not fit\n" + frames(("/home/yuki/mae_sat/autobatch.py", 31, "probe", "step(fake[:size])"), ("/home/yuki/mae_sat/mae.py", 188, "forward", "attn = attn.softmax(-1)"), error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.53 GiB. GPU 0 has a total capacity of 79.11 GiB of which 9.04 GiB is free. Including non-PyTorch memory, this process has 70.06 GiB memory in use.") + "\n[autobatch] taking 256"
        f.say(0, 15 + 4 * k, text)
    last = f.steps(0, range(1, 41), 40, 52, lambda i, x, _t: f"ep {i:>3}/40 recon={x:.5f} psnr={20 - 9 * x:.2f}dB lr={1.5e-4 * (1 - i / 41):.2e} {52 + i % 3}s", fall(0.92, 0.31, 5))
    f.say(0, last + 5, "ep 40/40 finished -> weights/mae_sat_e40.pth")
    f.load([(0, IDLE), (14, Load(60, 30, 0.5, 0.9, 60)), (36, Load(96, 57, 0.84, 0.52))])
    f.close("COMPLETED", last + 10)
    return good(f, hard=True)


@job
def worn() -> Made:
    """Hard: one card has old remapped rows, its node was drained two days before; neither moves during the run."""
    f = Fleet(("rk-7", "rk-8"), "graphcast-s2", 8_833_222, when("2026-10-17 03:33"), per=4, submit_line="sbatch gc.sh", script="forecast/train.py")
    f.event("rk-8", -188_000, "DRAIN", "NHC: check_nvidia_remap: remap pending GPU 1")
    for r in f.ranks:
        f.marks[r] = ({"ecc_aggregate_uncorrected": 4, "remapped_rows_uncorrectable": 2, "ecc_aggregate_corrected": 9021}, {}) if r == 5 else ({}, {})
    last = f.steps(0, range(40, 2401, 40), 55, 1.33, lambda i, x, t: f"{{\"ts\": \"{f.clock(t, '%Y-%m-%dT%H:%M:%SZ')}\", \"it\": {i}, \"mse_z500\": {x:.5f}, \"mse_t850\": {x * 0.71:.5f}}}", fall(1.04, 0.09, 120))
    f.say(0, last + 5, "{\"ts\": \"" + f.clock(last + 5, "%Y-%m-%dT%H:%M:%SZ") + "\", \"event\": \"done\", \"it\": 2400, \"export\": \"gc-s2.npz\"}")
    f.load([(0, IDLE), (50, WORK)])
    f.close("COMPLETED", last + 11)
    return good(f, hard=True)


@job
def long_save() -> Made:
    """Hard: checkpoints of a large model take seven minutes, all is silent meanwhile and the watchdog grumbles; three in eleven hours."""
    f = Fleet(("big1", "big2", "big3", "big4"), "dense-34b", 8_833_610, when("2026-10-26 00:40"), per=4, submit_line="sbatch dense34.sh", script="pretrain.py")
    at, spans = 160.0, [(0.0, IDLE), (150.0, WORK)]
    curve = fall(9.4, 2.2, 80)
    for part in range(3):
        at = f.steps(0, range(500 * part + 20, 500 * part + 501, 20), at, 12.4, lambda i, x, t: f"[{f.clock(t)}] it {i}/1500 loss={x:.4f} tgs={2113 + i % 30} mem=71.9G", curve)
        f.say(0, at + 1, f"[{f.clock(at + 1)}] checkpoint {500 * (part + 1)}: writing 408 GB to /lustre/ck/dense34")
        f.say(9, at + 300, f"[{f.clock(at + 300)}] WARNING rank 9: shard 9 of 16 still being written (17.1 of 25.5 GB, 57 MB/s)")
        spans += [(at + 1, Load(0, 0, 0.15, 0.86, 0)), (at + 428, WORK)]
        at += 430
        f.say(0, at, f"[{f.clock(at)}] checkpoint {500 * (part + 1)}: done in 427.8 s")
        at += 10
    f.say(0, at, f"[{f.clock(at)}] reached 1500 iterations, bye")
    f.load(spans)
    f.close("COMPLETED", at + 12)
    return good(f, hard=True)


@job
def second_leg() -> Made:
    """Hard: the job goes on from where an earlier one ran out of time: its first loss is that one's last; a corrupt newest file was passed over."""
    f = Fleet(("orc-3", "orc-4"), "med-llm-2of2", 8_834_001, when("2026-10-30 19:00"), per=4, card=H100, submit_line="sbatch --dependency=afterany:8829377 leg2.sh --resume auto", script="leg.py")
    f.say(0, 41, "resume: newest is ckpt/step_06200.pt\nresume: cannot read ckpt/step_06200.pt (PytorchStreamReader failed reading zip archive: failed finding central directory), trying the one before\nresume: loaded ckpt/step_06000.pt (step 6000, loss 1.8812)")
    last = f.steps(0, range(6050, 9001, 50), 55, 2.2, lambda i, x, _t: f"step {i:>5}/9000  loss {x:.4f}  lr {1e-5 * (9000 - i) / 9000:.2e}  {2.2:.1f}s", fall(8.0, 1.21, 300))
    f.say(0, last + 9, "step  9000/9000 reached; merged weights in ckpt/final")
    f.load([(0, IDLE), (50, WORK)])
    f.close("COMPLETED", last + 16, dependency="afterany:8829377")
    return good(f, hard=True)
