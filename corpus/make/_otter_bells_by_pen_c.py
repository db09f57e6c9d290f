"""Jobs of many cards, third page: in vain, begun wrongly, too short, ended from outside."""

from __future__ import annotations

import math

from corpus.make._otter_bells_by_pen_book import (
    AMPERE,
    AMPERE_40,
    BLACKWELL,
    HARD_AT_WORK,
    HOPPER_NEW,
    HOPPER_WIDE,
    OPENED,
    REST,
    WAITS_FOR_PEERS,
    Pose,
)
from corpus.make._otter_bells_by_pen_chatter import chat
from corpus.make._otter_bells_by_pen_talk import slurm_ends
from corpus.make._otter_bells_by_pen_yard import Rig, Teller, Told, ill, noted, shelf, sinks
from gpualert_slurm.past_verdict import PastVerdict

JOBS: list[Teller] = []
job = shelf(JOBS)


def megatron(total: int, batch: int, ms: float, rate: str) -> str:
    """Megatron-LM's line, to be filled in by step."""
    fixed = f"elapsed time per iteration (ms): {ms:.1f} | learning rate: {rate} | global batch size: {batch:5d}"
    return f" [{{when}}] iteration {{i:8d}}/{total:8d} | consumed samples: {{seen:12d}} | {fixed} | lm loss: {{x:.6E}} | loss scale: 1.0 | grad norm: {{gn:.3f}} | number of skipped iterations:   0 | number of nan iterations:   0 |"


@job
def over_the_edge() -> Told:
    """E1: 256 cards; at iteration 6120 the loss leaps from 2.4 to ten and never comes back, through three thousand further iterations to the planned end."""
    nodes = tuple(f"sp{n:03d}" for n in range(1, 33))
    f = Rig(
        nodes,
        "lm-30b-stage1",
        6_821_004,
        noted("2026-08-01 00:10:00"),
        per=8,
        kit=HOPPER_NEW,
        limit_s=172_800,
        script="pretrain_gpt.py",
        submit_line="sbatch -N32 lm30_stage1.slurm",
        account="foundation",
    )
    curve = sinks(11.6, 2.25, 260)
    form = megatron(9000, 2048, 11_402.5, "4.500000E-04")
    last = f.run(
        255,
        range(60, 9001, 60),
        310,
        11.4,
        lambda i, x, t: form.format(
            when=f.clock(t), i=i, seen=i * 2048, x=x, gn=0.3 + x / 14 + i % 7 / 50 if i < 6120 else 212.4 if i < 6240 else 9.7 + i % 50 / 10
        ),
        lambda i: curve(i) if i < 6120 else 10.3 if i < 6240 else 7.35 + 0.09 * math.sin(i * 1.7) + 0.05 * math.sin(i * 0.31),
    )
    f.say(
        255,
        last + 12,
        f"  successfully saved checkpoint from iteration    9000 to /scratch/foundation/lm-30b-stage1/ckpt\n[after training is done] datetime: {f.clock(last + 60)} ",
    )
    f.stand([(0, REST), (120, OPENED), (300, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 95)
    return ill(f, "E1", variant="spike")


@job
def again_from_nought() -> Told:
    """E2: the second leg of a long run looks for its checkpoint in a folder spelt otherwise, warns once, and begins from random weights."""
    nodes = ("qz-17", "qz-18", "qz-19", "qz-20")
    f = Rig(
        nodes,
        "mt5-africa-leg2",
        6_822_190,
        noted("2026-08-03 12:00:00"),
        per=8,
        limit_s=172_800,
        script="pretrain_t5.py",
        submit_line="sbatch --dependency=afterok:6818846 leg.sh --load /store/mt5-africa/ckpts --train-iters 40000 --exit-interval 20000",
    )
    chat(f)
    f.past = (
        PastVerdict(
            relation="parent",
            job="6818846",
            mode="G1",
            fault="none",
            ended_ns=f.at(-420),
            nodes="qz-[17-20]",
            head_loss=11.93,
            tail_loss=2.386,
            steps_done=20_000,
            checkpoints=("/store/mt5-africa/ckpt/iter_0018000", "/store/mt5-africa/ckpt/iter_0020000"),
            gpu_hours=803.0,
        ),
    )
    f.script_says(1.5, "leg 2, continues job 6818846 (20000 iterations, lm loss 2.386)")
    f.say(
        31,
        66,
        "WARNING: could not find the metadata file /store/mt5-africa/ckpts/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random",
    )
    form = megatron(40_000, 1024, 4_361.0, "1.000000E-04")
    last = f.run(
        31,
        range(100, 20_001, 100),
        100,
        4.36,
        lambda i, x, t: form.format(when=f.clock(t), i=i, seen=i * 1024, x=x, gn=0.3 + x / 6),
        sinks(12.0, 2.2, 600),
    )
    f.say(
        31,
        last + 20,
        f"  successfully saved checkpoint from iteration   20000 to /store/mt5-africa/ckpts\n[exiting program at iteration 20000] datetime: {f.clock(last + 22)} ",
    )
    f.stand([(0, REST), (40, OPENED), (96, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 34, dependency="afterok:6818846")
    return ill(f, "E2", variant="from_scratch")


@job
def four_of_them() -> Told:
    """E3: sixty-four cards for what was to be a long pre-training; trainer.max_steps=4 was left over from trying the configuration out."""
    nodes = tuple(f"eos{n:04d}" for n in range(70, 78))
    f = Rig(
        nodes,
        "nemotron-15b-full",
        6_823_008,
        noted("2026-08-05 18:40:00"),
        per=8,
        script="megatron_gpt_pretraining.py",
        submit_line="sbatch -N8 --time=3-00 nemo15.sub",
    )
    chat(f)
    f.say(
        0,
        71,
        f"[NeMo I {f.clock(71)} megatron_base_model:1189] Setting up optimizer with max_steps=4\n[NeMo I {f.clock(72)} gpt_dataset:412] > total number of samples: 24419520",
    )
    for i, x in ((1, 12.07), (2, 12.07), (3, 12.05), (4, 11.98)):
        f.say(
            0,
            240 + 21.4 * i,
            f"Epoch 0: : {25 * i}%|{'█' * (2 * i)}{' ' * (8 - 2 * i)}| {i}/4 [00:{21 * i % 60:02d}, v_num=, reduced_train_loss={x:.2f}, global_step={i - 1}.0, consumed_samples={i * 1152}.0, train_step_timing in s=21.4{i}]",
        )
    f.say(0, 327, "`Trainer.fit` stopped: `max_steps=4` reached.")
    f.stand([(0, REST), (80, OPENED), (238, HARD_AT_WORK), (327, Pose(0, 0, 0.15, 0.8, 0))])
    f.finish("COMPLETED", 349)
    return ill(f, "E3")


@job
def burnt_out() -> Told:
    """F1: the eighth of twelve nodes stops answering in the middle of a run; Slurm marks it down and ends the job, all others are well."""
    nodes = tuple(f"b7r{n:02d}" for n in range(1, 13))
    f = Rig(
        nodes,
        "climax-1p4",
        6_824_331,
        noted("2026-08-07 03:33:20"),
        per=8,
        kit=AMPERE,
        script="climax/pretrain.py",
        submit_line="sbatch -N12 climax.sh",
    )
    chat(f)
    last = f.run(
        0,
        range(15, 2251, 15),
        140,
        4.8,
        lambda i, x, t: f"{f.clock(t, '%m-%d %H:%M:%S')} it {i:>5} lat-mse {x:.5f} z500 {x * 900 + 60:.1f} t2m {1.1 + x:.3f} 4.8 s/it mem 61.0G",
        sinks(0.98, 0.071, 140),
    )
    f.silent = {"b7r08"}
    f.event("b7r08", last + 70, "DOWN*+NOT_RESPONDING", "Not responding")
    f.script_says(last + 72, "srun: error: Node failure on b7r08")
    slurm_ends(f, last + 73, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.dies(f.ranks, last + 77, signal=9)
    f.stand([(0, REST), (60, OPENED), (134, HARD_AT_WORK), (last + 3, WAITS_FOR_PEERS)])
    f.finish("NODE_FAIL", last + 84, failed_node="b7r08", step=("NODE_FAIL", 0, 9), code=1)
    return ill(f, "F1", fault="node")


@job
def made_way() -> Told:
    """F2: a job of the scavenger queue makes way for one of higher rank, for the second time, and was not begun again."""
    nodes = ("v101", "v102", "v103", "v104")
    f = Rig(
        nodes,
        "ddpm-lsun512",
        6_825_077,
        noted("2026-08-09 02:15:00"),
        per=8,
        kit=HOPPER_WIDE,
        script="ddpm/train.py",
        submit_line="sbatch -p scavenger --requeue ddpm.sh",
        partition="scavenger",
    )
    chat(f)
    f.sacct(
        "PREEMPTED",
        -16_400,
        -2300,
        steps=[("batch", "batch", "CANCELLED", 0, 15), ("extern", "extern", "COMPLETED", 0, 0), ("0", "python", "CANCELLED", 0, 15)],
        nodes="v088,v089,v091,v092",
        restarts=0,
        qos="scavenger",
    )
    f.say(0, 39, "resumed from ddpm/ema_0118000.pt, step 118000")
    last = f.run(
        0,
        range(118_200, 139_601, 200),
        52,
        0.39,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} step {i} eps-mse {x:.5f} ema 0.9999 {32 * 16 / 0.39:.0f} img/s",
        sinks(0.9, 0.021, 9000),
    )
    slurm_ends(f, last + 11, "DUE TO PREEMPTION")
    f.dies(f.ranks, last + 12.5, signal=15)
    f.stand([(0, REST), (22, OPENED), (48, HARD_AT_WORK)])
    f.finish("PREEMPTED", last + 19, restarts=1, qos="scavenger")
    return ill(f, "F2", fault="cluster", variant="preempted")


@job
def bell() -> Told:
    """F3: twelve hours were asked for; the limit comes in epoch 23 of 40, the loss is falling, the cards work."""
    f = Rig(
        ("t-31", "t-32"),
        "hifigan-48k",
        6_826_150,
        noted("2026-08-11 19:00:00"),
        per=8,
        kit=AMPERE_40,
        limit_s=43_200,
        launcher=True,
        script="vocoder.py",
        submit_line="sbatch --time=12:00:00 vocoder.sh",
    )
    chat(f)
    f.run(
        0,
        range(1, 400),
        60,
        186.0,
        lambda i, x, _t: (
            f"Epoch {(i - 1) // 10}/39:  {(i - 1) % 10 * 10 + 10:>3}%|{'█' * ((i - 1) % 10 + 1):<10}| {((i - 1) % 10 + 1) * 120}/1200 [{31 * ((i - 1) % 10 + 1) // 10:02d}:{i * 7 % 60:02d}, 1.55s/it, mel={x:.3f}, gen={2.4 + x / 5:.3f}, disc={1.9 + x / 80:.3f}]"
            + (f"\nsaved vocoder/last.ckpt after epoch {(i - 1) // 10}" if i % 10 == 0 else "")
        ),
        sinks(1.9, 0.21, 22),
        until=43_210,
    )
    slurm_ends(f, 43_216, "DUE TO TIME LIMIT")
    f.dies(f.ranks, 43_219, signal=15)
    f.stand([(0, REST), (20, OPENED), (55, HARD_AT_WORK)])
    f.finish("TIMEOUT", 43_224)
    return ill(f, "F3", variant="advancing")


@job
def changed_mind() -> Told:
    """F4: the owner cancels after five hours of good training."""
    f = Rig(
        ("b200-4",),
        "rm-70b-lora",
        6_827_002,
        noted("2026-08-13 10:25:00"),
        per=8,
        kit=BLACKWELL,
        launcher=True,
        script="reward.py",
        submit_line="sbatch reward70.sh",
    )
    chat(f)
    last = f.run(
        0,
        range(10, 1731, 10),
        131,
        10.4,
        lambda i, x, _t: (
            f"{{'loss': {x:.4f}, 'grad_norm': {1.1 + x:.4f}, 'learning_rate': {9e-6 * (1 - i / 6200):.6e}, 'accuracy': {min(0.81, 0.5 + i / 5000):.3f}, 'epoch': {i / 3100:.2f}}}"
        ),
        sinks(0.71, 0.39, 260),
    )
    slurm_ends(f, last + 77)
    f.dies(f.ranks, last + 79, signal=15)
    f.stand([(0, REST), (30, Pose(4, 1, 0.2, 0.5)), (126, HARD_AT_WORK)])
    f.finish("CANCELLED", last + 84, cancelled_by_uid=1042)
    return ill(f, "F4", variant="by_owner")
