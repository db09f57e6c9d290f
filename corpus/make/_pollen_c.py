"""Many frameworks, third basket: ended from outside, and those that did what they were to do."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, CONTEXT, H100, H200, IDLE, L40S, SPIN, Fleet, Load, Made, Maker, fall, good, keep, made, when
from corpus.make._nettle_kit import busy, nodes, slurm_ends, srun

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def came_up_anew() -> Made:
    """F1: the third of four nodes reboots by itself in the middle of a run."""
    f = Fleet(
        nodes("mw", 71, 4),
        "pangu-regional",
        8_541_020,
        when("2026-10-28 03:00"),
        per=8,
        card=A100,
        script="pangu/train.py",
        submit_line="sbatch -N4 pangu.sbatch",
    )
    stop = 12_400.0
    f.steps(
        0,
        range(5, 3001, 5),
        115,
        6.6,
        lambda i, x, t: f"{f.clock(t, '%m-%d %H:%M:%S')} [pangu] iter {i}/3000 l1={x:.4f} lr=5e-4 mem=71.2G it/s=0.15",
        fall(0.8, 0.2, 80),
        until=stop,
    )
    f.silent = {"mw073"}
    f.event("mw073", stop + 31, "DOWN", "Node unexpectedly rebooted")
    srun(f, stop + 37, "error: Node failure on mw073")
    slurm_ends(f, stop + 38, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, stop + 40, signal=9)
    f.load([*busy(108, Load(96, 0, 0.83, 0.89, 8), held=0.89, end=stop - 20), (stop + 2, SPIN)])
    f.close("NODE_FAIL", stop + 44, code=1, signal=9, failed_node="mw073", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def once_more_with_luck() -> Made:
    """F2: a first attempt lost its node after four hours, Slurm requeued it, the second loads the last checkpoint and finishes."""
    f = Fleet(
        nodes("mw", 20, 2),
        "chai-lab-ft",
        8_542_318,
        when("2026-10-30 10:00"),
        per=8,
        card=H200,
        script="chai_ft.py",
        submit_line="sbatch --requeue chai.sbatch",
    )
    f.ended(
        "NODE_FAIL",
        code=1,
        end=-500,
        steps=(("batch", "CANCELLED", 0, 15), ("0", "NODE_FAIL", 0, 9)),
        start_ns=f.at(-15_300),
        submit_ns=f.at(-15_900),
        end_ns=f.at(-500),
        elapsed_s=14_800,
        node_list="mw011,mw012",
        restarts=0,
        partition="gpu",
        failed_node="mw012",
    )
    f.say(0, 44, f"{f.clock(44)} restart #1: runs/chai/last.ckpt holds step 1900, resuming there")
    last = f.steps(
        0,
        range(1910, 4001, 10),
        70,
        7.1,
        lambda i, x, t: f"{f.clock(t)} step {i}/4000 diffusion={x:.4f} distogram={x * 1.9:.4f} lddt={0.88 - x / 4:.3f}",
        fall(1.9, 0.4, 300),
    )
    f.say(0, last + 25, f"{f.clock(last + 25)} step 4000/4000: finished, ema saved")
    f.load(busy(64, Load(96, 51, 0.8, 0.91, 9), held=0.91, end=last))
    f.close("COMPLETED", last + 36, restarts=1)
    return made(f, "F2", fault="none", variant="requeued_recovered")


@job
def epoch_seven() -> Made:
    """F3: Lightning's bar is in epoch 7 of 20 when the eight hours are over; the loss was still falling."""
    f = Fleet(
        ("r1", "r2"),
        "maskdino-cells",
        8_543_777,
        when("2026-11-01 09:00"),
        per=8,
        card=A100,
        limit_s=28_800,
        script="cells.py",
        submit_line="sbatch -t 8:00:00 cells.sbatch",
    )
    f.say(
        0,
        25,
        "GPU available: True (cuda), used: True\n----------------------------------------------------------------------------------------------------\ndistributed_backend=nccl\nAll distributed processes registered. Starting with 16 processes\n----------------------------------------------------------------------------------------------------",
    )
    f.steps(
        0,
        range(20, 30_001, 20),
        70,
        1.94,
        lambda i, x, _t: (
            f"Epoch {i // 2000}/19  ━━━━━━━━━━━━━━━━━ {i % 2000}/2000 {int(i % 2000 * 1.94) // 3600}:{int(i % 2000 * 1.94) // 60 % 60:02d}:{int(i % 2000 * 1.94) % 60:02d} • 0:{59 - i % 60:02d}:00 0.52it/s v_num: 3.000 train/loss: {x:.3f} train/mask: {x * 0.6:.3f}"
        ),
        fall(41, 12, 300),
        until=28_790,
    )
    slurm_ends(f, 28_804, "DUE TO TIME LIMIT")
    f.end(f.ranks, 28_806, signal=15)
    f.load(busy(64, Load(95, 0, 0.8, 0.78, 10), held=0.78, end=28_700))
    f.close("TIMEOUT", 28_810, signal=15)
    return made(f, "F3", variant="advancing")


@job
def cleared_for_service() -> Made:
    """F4: an operator cancels a run that was well, for a service window; the uid is not the owner's."""
    f = Fleet(
        nodes("z", 3, 4, 2), "evo-dna-7b", 8_544_050, when("2026-11-03 05:00"), per=8, script="evo/train.py", submit_line="sbatch -N4 evo.sbatch"
    )
    last = f.steps(
        0,
        range(10, 4211, 10),
        150,
        8.8,
        lambda i, x, t: f"{f.clock(t)} evo | {i:>6} | loss {x:.4f} | {12_120 + i % 80} nt/s/gpu | lr {2e-4:.1e} | gn {0.3 + x / 20:.3f}",
        fall(1.386, 1.11, 300),
    )
    slurm_ends(f, last + 61)
    f.end(f.ranks, last + 63, signal=15)
    f.load(busy(142, Load(97, 53, 0.84, 0.81, 7), held=0.81, end=last))
    f.close("CANCELLED", last + 66, signal=15, cancelled_by_uid=0)
    return made(f, "F4", variant="by_other", fault="unknown")


@job
def hours_of_speech() -> Made:
    """A FastConformer with NeMo's words on 16 cards: fifty thousand steps, as planned."""
    f = Fleet(
        ("as-1", "as-2"),
        "fastconformer-hy",
        8_545_210,
        when("2026-10-31 12:00"),
        per=8,
        card=H100,
        script="speech_to_text_hybrid.py",
        submit_line="sbatch fc_hy.sh",
    )
    f.say(
        0,
        48,
        f"[NeMo I {f.clock(48)} nemo_logging:393] Experiments will be logged at /exp/fc_hy/2026-10-31\n[NeMo W {f.clock(50)} nemo_logging:405] The following configuration keys are ignored by Lhotse dataloader: trim_silence,max_utts\n[NeMo I {f.clock(60)} nemo_logging:393] PADDING: 0",
    )
    last = f.steps(
        0,
        range(250, 50_001, 250),
        90,
        0.46,
        lambda i, x, t: (
            f"[NeMo I {f.clock(t)} nemo_logging:393] global_step {i} max_steps 50000 train_rnnt_loss {x:.3f} train_ctc_loss {x * 1.3:.3f} training_batch_wer {min(0.99, x / 60):.4f}"
        ),
        fall(240, 8, 700),
    )
    f.say(0, last + 6, "`Trainer.fit` stopped: `max_steps=50000` reached.")
    f.load(busy(84, Load(94, 46, 0.74, 0.8, 13), held=0.8, end=last, every=5_000, rest=140))
    f.close("COMPLETED", last + 30)
    return good(f)


@job
def harness() -> Made:
    """An evaluation: lm-eval with a data-parallel model on eight cards; no loss, a table at the end."""
    f = Fleet(
        ("ev-2",),
        "lmeval-sft-0419",
        8_546_033,
        when("2026-11-02 18:30"),
        per=8,
        agents=True,
        card=A100,
        script="lm_eval",
        submit_line="sbatch eval.sh sft-0419",
    )
    f.say(
        0,
        41,
        f"{f.clock(41)} INFO     [lm_eval.models.huggingface:365] Using 8 devices with data parallelism\n{f.clock(60)} INFO     [lm_eval.evaluator:517] Running loglikelihood requests",
    )
    for k in range(1, 101):
        at = 70 + k * 58.0
        f.say(
            0,
            at,
            f"Running loglikelihood requests: {k:>3}%|{'█' * (k // 10):<10}| {k * 1_106}/110600 [{int(at - 70) // 3600}:{int(at - 70) // 60 % 60:02d}:{int(at - 70) % 60:02d}<{(100 - k) * 58 // 3600}:{(100 - k) * 58 // 60 % 60:02d}:{(100 - k) * 58 % 60:02d}, 19.0{k % 9}it/s]",
        )
    f.say(
        0,
        5_905,
        "hf (pretrained=/models/sft-0419,dtype=bfloat16), gen_kwargs: (None), limit: None, num_fewshot: 5, batch_size: 16\n|     Tasks      |Version|Filter|n-shot|Metric|   |Value |   |Stderr|\n|----------------|------:|------|-----:|------|---|-----:|---|-----:|\n|mmlu            |      2|none  |      |acc   |↑  |0.6631|±  |0.0038|\n|hellaswag       |      1|none  |     5|acc   |↑  |0.6120|±  |0.0049|\n|arc_challenge   |      1|none  |     5|acc   |↑  |0.5751|±  |0.0144|",
    )
    f.load([(0, IDLE), (30, CONTEXT), (62, Load(92, 0, 0.71, 0.48, 16))])
    f.close("COMPLETED", 5_925)
    return good(f)


@job
def agents_at_play() -> Made:
    """PPO in JAX on eight cards: steps a second, returns, its last update."""
    f = Fleet(
        ("pl-5",),
        "brax-humanoid",
        8_547_404,
        when("2026-11-05 21:00"),
        per=8,
        agents=True,
        card=L40S,
        script="train_humanoid.py",
        submit_line="sbatch brax.sbatch",
    )
    f.unborn = set(range(1, 8))
    f.say(0, 29, "INFO:absl:Device count: 8, process count: 1 (id 0), local device count: 8, devices to be used count: 8")
    last = f.steps(
        0,
        range(1, 241),
        75,
        29.5,
        lambda i, x, t: (
            f"{i * 4_096_000:>13,} env steps  return {9_200 - 620 * x:8.1f}  policy_loss {-0.002 * x:.5f}  v_loss {0.8 * x:.4f}  entropy {0.3 * x:.3f}  sps 138,{i % 900:03d}  t={t:.0f}s"
        ),
        fall(14, 1.1, 18),
    )
    f.say(0, last + 5, "INFO:absl:total steps: 983040000\nsaved params to humanoid/ppo_final.pkl")
    f.load(busy(70, Load(90, 0, 0.69, 0.76, 17), held=0.76, end=last))
    f.close("COMPLETED", last + 11)
    return good(f)


@job
def words_of_xla() -> Made:
    """Hard: XLA tries algorithms that do not fit, says that this is no failure, and cannot rematerialise enough; the run trains to its end."""
    f = Fleet(
        nodes("ja", 9, 2, 2),
        "t5x-xl-biomed",
        8_548_181,
        when("2026-11-07 07:00"),
        per=8,
        card=H200,
        script="t5x/train.py",
        submit_line="sbatch t5x.sbatch",
    )
    f.each(
        140,
        "2026-11-07 07:02:20.1{l}0381: W external/xla/xla/service/hlo_rematerialization.cc:3005] Can't reduce memory use below 98.44GiB (105700016947 bytes) by rematerialization; only reduced to 104.10GiB (111776524288 bytes), down from 131.02GiB (140681711616 bytes) originally",
        gap=0.02,
    )
    f.each(
        171,
        "2026-11-07 07:02:51.2{l}7713: W external/xla/xla/tsl/framework/bfc_allocator.cc:310] Allocator (GPU_0_bfc) ran out of memory trying to allocate 17.28GiB with freed_by_count=0. The caller indicates that this is not a failure, but this may mean that there could be performance gains if more memory were available.",
        range(0, 16, 3),
        gap=0.05,
    )
    last = f.steps(
        0,
        range(100, 10_001, 100),
        210,
        1.28,
        lambda i, x, t: (
            f"I{f.clock(t, '%m%d %H:%M:%S')}.1{i % 90 + 10}448 40000 trainer.py:518] [{i}] train: loss={x:.4f} accuracy={0.86 - x / 6:.4f} z_loss={x / 700:.5f} timing/seqs_per_second={1600 + i % 9:.1f}"
        ),
        fall(6.1, 1.2, 250),
    )
    f.say(
        0,
        last + 30,
        f"I{f.clock(last + 30, '%m%d %H:%M:%S')}.771903 40000 train.py:690] Finished. Total steps 10000. Checkpoint saved to gs-local/t5x_xl/checkpoint_10000",
    )
    f.load(busy(204, Load(97, 54, 0.84, 0.75, 8), held=0.75, end=last))
    f.close("COMPLETED", last + 41)
    return good(f, hard=True)


@job
def crowded_cache() -> Made:
    """Hard: a batch of long prompts: vLLM preempts sequences over and over and a few requests are too long; all answers are written."""
    f = Fleet(
        ("inf-1",), "judge-longbench", 8_549_606, when("2026-11-08 14:00"), per=8, script="judge.py", submit_line="sbatch judge.sh longbench-v2"
    )
    for r in f.ranks:
        for k in range(14):
            at = 300 + 431 * k + 17 * r
            f.say(
                r,
                at,
                f"WARNING {f.clock(at, '%m-%d %H:%M:%S')} [scheduler.py:1754] Sequence group {4_000 * r + 211 * k} is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can affect the end-to-end performance. Increase gpu_memory_utilization or tensor_parallel_size to provide more KV cache memory. total_num_cumulative_preemption={50 * k + 1}",
            )
            f.say(r, at + 60, f"judge[{r}]: {min(100, 7 * (k + 1))} % of 4,812 items, parse errors so far {k // 3}")
        f.say(
            r,
            2_000 + 19 * r,
            f"WARNING {f.clock(2_000 + 19 * r, '%m-%d %H:%M:%S')} [scheduler.py:717] Input prompt (141{r}02 tokens) is too long and exceeds limit of 131072\njudge[{r}]: ERROR item lb-{r}77 not answered, recorded as skipped",
        )
        f.say(r, 6_380 + 20 * r, f"judge[{r}]: 4,812 of 4,812 items done (1 skipped), verdicts in out/{r}.jsonl")
    f.load([(0, IDLE), (60, CONTEXT), (110, Load(96, 44, 0.72, 0.92, 12))])
    f.close("COMPLETED", 6_560)
    return good(f, hard=True)


@job
def last_stretch() -> Made:
    """Hard: resumed at 118000 of 120000: little to see, a step count that does not start at one, a loss that hardly moves; it ends as planned."""
    f = Fleet(
        nodes("lv", 40, 4),
        "starcoder2-anneal",
        8_550_002,
        when("2026-11-10 23:00"),
        per=8,
        card=A100,
        script="finetune_megatron.py",
        submit_line="sbatch --dependency=afterany:8549011 sc2.sbatch --load /ckpt/sc2",
    )
    f.say(
        0,
        88,
        " loading checkpoint from /ckpt/sc2 at iteration 118000\n checkpoint version 3.0\n  successfully loaded checkpoint from /ckpt/sc2 [ t 1/4, p 1/2 ] at iteration 118000",
    )
    last = f.steps(
        31,
        range(118_010, 120_001, 10),
        160,
        5.5,
        lambda i, x, t: (
            f" [{f.clock(t)}] iteration {i:8d}/  120000 | consumed samples: {i * 512:12d} | elapsed time per iteration (ms): {5500 + i % 67:.1f} | learning rate: {(120_000 - i) * 1.1e-9:.6E} | global batch size:   512 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.19 + i % 7 / 100:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
        lambda i: 0.912 - (i - 118_000) * 1.6e-5 + ((i // 10 * 37) % 11 - 5) / 900,
    )
    f.say(
        31,
        last + 44,
        f"  successfully saved checkpoint from iteration  120000 to /ckpt/sc2\n[after training is done] datetime: {f.clock(last + 44)} ",
    )
    f.load(busy(150, Load(97, 0, 0.87, 0.84, 7), held=0.84, end=last))
    f.close("COMPLETED", last + 60, dependency="afterany:8549011")
    return good(f, hard=True)


@job
def enough_learned() -> Made:
    """Hard: early stopping at epoch 19 of 100; worrying words of workers, DDP and a lost logger on the way, the best weights are restored and tested."""
    f = Fleet(
        ("m-6",), "swinunetr-brats", 8_551_414, when("2026-11-12 06:30"), per=8, card=A100_40, script="brats_lit.py", submit_line="sbatch brats.sh"
    )
    f.each(
        70,
        "[rank{r}]:[W1112 06:31:10.20{l}110033 reducer.cpp:1400] Warning: find_unused_parameters=True was specified in DDP constructor, but did not find any unused parameters in the forward pass. This flag results in an extra traversal of the autograd graph every iteration,  which can adversely affect performance. (function operator())",
    )
    f.say(
        0,
        3_000,
        "wandb: Network error (ConnectTimeout), entering retry loop.\nwandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [504]>)",
    )
    curve = fall(0.9, 0.14, 2)
    last = f.steps(
        0,
        range(20),
        60,
        610,
        lambda i, x, _t: (
            f"Epoch {i}: 100%|██████████| 156/156 [09:58<00:00,  0.26it/s, v_num=11, train_dice_loss={x:.3f}, val_dice={0.99 - curve(min(i, 13)) - max(0, i - 13) * 0.003:.4f}]"
        ),
        curve,
    )
    f.say(0, last + 2, "Monitored metric val_dice did not improve in the last 6 records. Best score: 0.758. Signaling Trainer to stop.")
    f.say(
        0,
        last + 90,
        "Restoring states from the checkpoint path at brats/epoch=13.ckpt\n┃        Test metric        ┃       DataLoader 0        ┃\n│         test_dice         │    0.7519431114196777     │",
    )
    f.load(busy(56, Load(93, 0, 0.78, 0.86, 12), held=0.86, end=last, every=610, rest=70, low=Load(52, 0, 0.5, 0.86, 50)))
    f.close("COMPLETED", last + 100)
    return good(f, hard=True)
