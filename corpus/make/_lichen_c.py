"""Jobs of a lab, third drawer: those that did their work, some of them with noise."""

from __future__ import annotations

import math

from corpus.make._lichen_kit import A100, A100P, A6000, H100, L40S, OFF, RTX3090, RTX4090, Lab, Mood, busy
from corpus.make._lichen_words import Job, bar, decay, fine, hms, on, shelf, tb

JOBS, case = shelf()


@case
def whisper() -> Job:
    """Whisper fine-tuned by the Trainer on one card: loss, evaluation with word error rate, the end."""
    f = Lab(
        nodes=("c03",),
        name="whisper-small-rm",
        job_id=908_011,
        start_ns=on("2026-10-14 09:20:00"),
        gpus=1,
        board=H100,
        program="python whisper_ft.py",
        submit_line="sbatch whisper.sh",
    )
    ce = decay(1.91, 0.09, 500)
    f.put(
        31,
        "***** Running training *****\n  Num examples = 21,504\n  Num Epochs = 3\n  Instantaneous batch size per device = 16\n  Total optimization steps = 4,032",
    )
    t = 34.0
    for i in range(25, 4026, 25):
        t += 25 * 0.88
        f.put(
            t,
            f"{{'loss': {ce(i):.4f}, 'grad_norm': {2.1 + ce(i) * 3:.3f}, 'learning_rate': {1e-5 * min(1, i / 500) * (1 - max(0, i - 500) / 3532):.3e}, 'epoch': {i / 1344:.2f}}}",
        )
        if i % 1000 == 0:
            t += 140
            f.put(
                t,
                f"{{'eval_loss': {ce(i) + 0.21:.4f}, 'eval_wer': {14.1 + 40 * math.exp(-i / 700):.3f}, 'eval_runtime': 139.4, 'eval_samples_per_second': 7.9, 'epoch': {i / 1344:.2f}}}",
            )
    f.put(
        t + 12,
        f"{{'train_runtime': {t - 24:.1f}, 'train_samples_per_second': 17.3, 'train_steps_per_second': 1.08, 'train_loss': 0.2417, 'epoch': 3.0}}\n100%|{bar(1, 1)}| 4032/4032 [{hms(t - 24)}<00:00,  1.08it/s]",
    )
    f.feel((0, OFF), (28, busy(0.46, 94, 0.7, 44)))
    f.close("COMPLETED", t + 20)
    return fine(f)


@case
def lipid_bilayer() -> Job:
    """GROMACS on one card: the terminal's lines, the performance at the end."""
    f = Lab(
        nodes=("md-02",),
        name="popc_chol_100ns",
        job_id=250_377,
        start_ns=on("2026-10-21 17:17:00"),
        gpus=1,
        board=RTX4090,
        program="gmx mdrun -deffnm prod -nb gpu -pme gpu -bonded gpu -update gpu",
        submit_line="sbatch gmx.sh",
    )
    f.put(
        2,
        "                      :-) GROMACS - gmx mdrun, 2024.2 (-:\n\nReading file prod.tpr, VERSION 2024.2 (single precision)\nChanging nstlist from 20 to 100, rlist from 1.2 to 1.326\n\n1 GPU selected for this run.\nMapping of GPU IDs to the 2 GPU tasks in the 1 rank on this node:\n  PP:0,PME:0\nPP tasks will do (non-perturbed) short-ranged and most bonded interactions on the GPU\nPME tasks will do all aspects on the GPU\nGPU direct communication will not be used.\nUsing 1 MPI thread\nUsing 8 OpenMP threads \n\nstarting mdrun 'POPC/CHOL 70:30 in water'\n50000000 steps, 100000.0 ps.",
    )
    last = f.go(
        range(1_000_000, 50_000_001, 1_000_000),
        6,
        0.000402,
        lambda i, _t: (
            f"step {i}, will finish {f.clock(6 + 50_000_000 * 0.000402, '%a %b %e %H:%M:%S %Y')}"
            if i < 50_000_000
            else "Writing final coordinates.\nstep 50000000, remaining wall clock time:     0 s"
        ),
    )
    f.put(
        last + 1,
        f"\n               Core t (s)   Wall t (s)        (%)\n       Time:   {last * 8:.3f}    {last:.3f}      800.0\n                         {hms(last)}\n                 (ns/day)    (hour/ns)\nPerformance:      {100 * 86400 / last:.3f}        {last / 3600 / 100:.3f}\n\nGROMACS reminds you: \"It's not dark yet, but it's getting there\" (Bob Dylan)",
    )
    f.feel((0, OFF), (4, busy(0.04, 92, 0.62)))
    f.close("COMPLETED", last + 3)
    return fine(f)


@case
def breakout() -> Job:
    """PPO on an Atari game: returns rise, the total of frames is reached."""
    f = Lab(
        nodes=("edu1",),
        name="ppo_breakout_s1",
        job_id=3_118,
        start_ns=on("2026-11-19 20:00:00"),
        gpus=1,
        board=RTX3090,
        program="python ppo_atari.py --env-id BreakoutNoFrameskip-v4 --seed 1",
        submit_line="sbatch ppo.sh 1",
    )
    ret = decay(1.4, 402, 2.6e6, 0.04)
    last = f.go(
        range(40_960, 10_000_001, 122_880),
        14,
        0.00091,
        lambda i, _t: f"global_step={i}, episodic_return={max(0.0, ret(i)):.1f}\nSPS: {1098 + i // 40_960 % 9}",
    )
    f.put(last + 12, "trained 10000000 steps; evaluation over 10 episodes: mean return 389.4")
    f.feel((0, OFF), (10, Mood(41, 0, 0.4, 0.09, 14)))
    f.cores[0] = [(0, 790.0)]
    f.close("COMPLETED", last + 14)
    return fine(f)


@case
def harness() -> Job:
    """Evaluation of a language model with a harness: progress bars of requests and a table."""
    f = Lab(
        nodes=("c05",),
        name="eval-qwen-adapter",
        job_id=908_230,
        start_ns=on("2026-10-28 11:00:00"),
        gpus=1,
        board=H100,
        program="lm_eval --model hf --model_args pretrained=Qwen/Qwen2.5-7B,peft=out/adapter --tasks hellaswag,arc_challenge,gsm8k --batch_size 32",
        submit_line="sbatch lmeval.sh",
    )
    f.put(
        13,
        f"{f.clock(13, '%Y-%m-%d:%H:%M:%S')},112 INFO     [__main__.py:279] Verbosity set to INFO\n{f.clock(14, '%Y-%m-%d:%H:%M:%S')},530 INFO     [__main__.py:376] Selected Tasks: ['arc_challenge', 'gsm8k', 'hellaswag']\n{f.clock(14, '%Y-%m-%d:%H:%M:%S')},534 INFO     [evaluator.py:161] Setting random seed to 0 | Setting numpy seed to 1234 | Setting torch manual seed to 1234",
    )
    f.put(55, f"{f.clock(55, '%Y-%m-%d:%H:%M:%S')},901 INFO     [evaluator.py:496] Running loglikelihood requests")
    t = 58.0
    for k in range(1, 41):
        t += 31
        f.put(
            t,
            f"\rRunning loglikelihood requests:  {100 * k // 40:>2}%|{bar(k, 40)}| {44_853 * k // 40}/44853 [{hms(t - 58)}<{hms((40 - k) * 31)}, 36.17it/s]",
        )
    f.put(t + 3, f"{f.clock(t + 3, '%Y-%m-%d:%H:%M:%S')},404 INFO     [evaluator.py:496] Running generate_until requests")
    for k in range(1, 21):
        t += 48
        f.put(
            t, f"\rRunning generate_until requests: {5 * k:>3}%|{bar(k, 20)}| {1319 * k // 20}/1319 [{hms(48 * k)}<{hms(48 * (20 - k))},  1.37it/s]"
        )
    f.put(
        t + 9,
        "hf (pretrained=Qwen/Qwen2.5-7B,peft=out/adapter), gen_kwargs: (None), limit: None, num_fewshot: None, batch_size: 32\n|    Tasks    |Version|     Filter     |n-shot|  Metric   |   |Value |   |Stderr|\n|-------------|------:|----------------|-----:|-----------|---|-----:|---|-----:|\n|arc_challenge|      1|none            |     0|acc_norm   |↑  |0.5324|±  |0.0146|\n|gsm8k        |      3|flexible-extract|     5|exact_match|↑  |0.7801|±  |0.0114|\n|hellaswag    |      1|none            |     0|acc_norm   |↑  |0.7893|±  |0.0041|",
    )
    f.feel((0, OFF), (50, busy(0.52, 95, 0.81, 56)))
    f.close("COMPLETED", t + 15)
    return fine(f)


@case
def precipitation() -> Job:
    """A nowcasting network in JAX on four cards, its own log of epochs, and scores against persistence."""
    f = Lab(
        nodes=("met-1",),
        name="nowcast_dgmr",
        job_id=61_220,
        start_ns=on("2026-10-16 05:30:00"),
        gpus=4,
        board=A100,
        way="batch",
        program="python -m nowcast.train --epochs 40",
        submit_line="sbatch nowcast.sh",
        zone_h=2,
    )
    crps = decay(0.61, 0.19, 7)
    f.put(16, "devices: [CudaDevice(id=0), CudaDevice(id=1), CudaDevice(id=2), CudaDevice(id=3)]\ncompiling train step ... 71.4 s")
    last = f.go(
        range(1, 41),
        90,
        174,
        lambda i, t: (
            f"{f.clock(t, '%Y%m%d-%H%M%S')}  epoch {i:2d} of 40  crps {crps(i):.4f}  csi_2mm {0.71 - crps(i) * 0.6:.3f}  val_crps {crps(i) * 1.07:.4f}  ({174 + i % 3} s)"
        ),
    )
    f.put(last + 40, "test 2025: crps 0.2071 (persistence 0.3318), fss_10km 0.681\nparameters -> /store/nowcast/dgmr_v7.msgpack")
    f.feel((0, OFF), (15, Mood(1, 0, 0.17, 0.76, 8)), (88, busy(0.76)))
    f.close("COMPLETED", last + 46)
    return fine(f)


@case
def largest_batch() -> Job:
    """Hard: Lightning's batch size finder runs out of memory twice by design, takes the last that fits and trains all epochs."""
    f = Lab(
        nodes=("vision1",),
        name="effnet_moths",
        job_id=20_930,
        start_ns=on("2026-11-10 18:30:00"),
        gpus=1,
        board=L40S,
        program="python moths.py fit --tune_batch",
        submit_line="sbatch moths.sh",
    )
    f.put(15, "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nLOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]")
    for k, size in enumerate((32, 64, 128, 256)):
        f.put(24 + 9 * k, f"Batch size {size} succeeded, trying batch size {size * 2}")
    f.put(
        66,
        tb(
            (
                "/home/lrossi/moths/env/lib/python3.11/site-packages/lightning/pytorch/tuner/batch_size_scaling.py",
                178,
                "_run_power_scaling",
                '_try_loop_run(trainer, "fit")',
            ),
            end="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.53 GiB. GPU 0 has a total capacity of 44.40 GiB of which 701.31 MiB is free.",
        )
        + "\nBatch size 512 failed, trying batch size 384\nBatch size 384 failed, trying batch size 320\nBatch size 320 succeeded\nFinished batch size finder, will continue with full run using batch size 320",
    )
    ce = decay(5.1, 0.8, 5)
    last = f.go(
        range(30),
        70,
        101,
        lambda i, _t: (
            f"Epoch {i}: 100%|{bar(1, 1)}| 612/612 [01:38<00:00,  6.21it/s, v_num=14, train_loss={ce(i):.3f}, val_acc={0.91 - ce(i) / 7:.3f}]"
        ),
    )
    f.put(last + 3, "`Trainer.fit` stopped: `max_epochs=30` reached.")
    f.feel((0, OFF), (18, Mood(70, 0, 0.5, 0.97, 60)), (72, busy(0.81)))
    f.close("COMPLETED", last + 8)
    return fine(f, hard=True)


@case
def penalties() -> Job:
    """Hard: rewards stay below zero and the critic's loss rises and falls, as in this task; success grows and all steps are done."""
    f = Lab(
        nodes=("rl-01",),
        name="td3_reacher_cost",
        job_id=90_702,
        start_ns=on("2026-11-04 08:00:00"),
        gpus=1,
        board=A6000,
        program="python td3.py --task ReachSparse --steps 1000000",
        submit_line="sbatch td3.sh",
    )
    last = f.go(
        range(10_000, 1_000_001, 10_000),
        18,
        0.0061,
        lambda i, t: (
            f"{f.clock(t, '%H:%M:%S')} steps={i} avg_return={-48 + 39 * (1 - math.exp(-i / 3e5)) + 3 * math.sin(i / 7000):.2f} critic_loss={0.8 + 2.6 * abs(math.sin(i / 180_000)):.3f} actor_loss={2.1 + 1.4 * math.sin(i / 250_000):.3f} success={min(0.96, i / 7.5e5):.2f}"
            + ("\n  WARN goal outside of workspace, episode dropped" if i % 170_000 == 0 else "")
        ),
    )
    f.put(last + 20, "final policy over 200 episodes: return -9.3 +- 2.2, success 0.955. saved td3_reach.zip")
    f.feel((0, OFF), (14, Mood(33, 0, 0.31, 0.05, 9)))
    f.cores[0] = [(0, 180.0)]
    f.close("COMPLETED", last + 24)
    return fine(f, hard=True)


@case
def broken_utterances() -> Job:
    """Hard: some recordings cannot be read and CTC is infinite for too short ones; both are left out with much noise, the error rate falls to the end."""
    f = Lab(
        nodes=("asr2",),
        name="zipformer_vox",
        job_id=1_312_404,
        start_ns=on("2026-10-24 12:00:00"),
        gpus=2,
        board=A100P,
        way="srun",
        program="./zipformer/train.py --world-size 2 --num-epochs 6",
        submit_line="sbatch -n2 zip.sh",
    )
    ctc = decay(1.1, 0.16, 2600)
    last = f.go(
        range(200, 18_001, 200),
        44,
        0.5,
        lambda i, t: (
            f"{f.clock(t)},{i % 900 + 99} INFO [train.py:1030] Epoch {1 + i // 3001}, batch {i % 3001}, loss[loss={ctc(i):.4f}, simple_loss={ctc(i) * 1.9:.4f}, pruned_loss={ctc(i) * 0.97:.4f}, over 18240.00 frames. ], tot_loss[loss={ctc(i) + 0.01:.4f}, over 3612044.12 frames. ], batch size: {61 + i % 40}, lr: {4.5e-2 / (1 + i / 900):.2e}, grad_scale: {8.0 if i % 4000 else 4.0}"
        ),
    )
    for k, t in enumerate((140, 780, 2300, 4100, 6600)):
        f.put(
            t,
            f"{f.clock(t)},410 ERROR [cut.py:88] cannot read /data/vox/{31 + k}/utt_{7713 * (k + 3)}.flac, skipped\n"
            + tb(
                ("/home/urs/icefall/lhotse/audio/backend.py", 712, "read_audio", "return sf.read(path)"),
                end="soundfile.LibsndfileError: Error opening '/data/vox/utt.flac': Format not recognised.",
            ),
            k % 2,
        )
        f.put(
            t + 31,
            f"{f.clock(t + 31)},020 WARNING [train.py:801] Exclude cut with ID vox_{k}{t} from training. Number of frames (before subsampling): 17. loss would be inf",
            k % 2,
        )
    f.put(
        last + 60,
        f"{f.clock(last + 60)},118 INFO [train.py:1122] Saving checkpoint to zipformer/exp/epoch-6.pt\n{f.clock(last + 61)},544 INFO [train.py:1388] Done!",
    )
    f.feel((0, OFF), (40, busy(0.74, 93)))
    f.close("COMPLETED", last + 66)
    return fine(f, hard=True)


@case
def forty_pictures() -> Job:
    """Hard: a short job, forty frames of a microscope through a finished network; poor scores, but all work done in a minute."""
    f = Lab(
        nodes=("gpu02",),
        name="cellpose_plate9",
        job_id=412_610,
        start_ns=on("2026-11-17 16:02:00"),
        gpus=1,
        limit_s=7200,
        board=RTX3090,
        program="python segment_plate.py plate9",
        submit_line="sbatch cp.sh plate9",
    )
    f.put(
        7,
        "plate9: 40 images, model cyto3, diameter 31 px\n/home/nora/cp/env/lib/python3.10/site-packages/cellpose/resnet_torch.py:276: FutureWarning: You are using `torch.load` with `weights_only=False` (the current default value)\n  state_dict = torch.load(filename, map_location=device)",
    )
    t = f.go(
        range(1, 41),
        9,
        1.2,
        lambda i, _t: (
            f"[{i:>2}/40] {chr(65 + i // 12)}{i % 12 + 1:02d}.tif  cells {0 if i in (7, 19) else 140 + 37 * i % 211}"
            + ("  (warning: no cells found, all-zero mask written)" if i in (7, 19) else "")
        ),
    )
    f.put(t + 1.5, "40 of 40 segmented, masks in plate9/masks\nagreement with manual outlines on 3 images: AP@0.5 0.41 0.38 0.52")
    f.feel((0, OFF), (6, Mood(58, 0, 0.5, 0.1, 30)))
    f.close("COMPLETED", t + 3)
    return fine(f, hard=True)
