"""Jobs as their owners found them: slow, in vain, too short, or ended by Slurm and by people."""

from __future__ import annotations

from corpus.make._heron_ledgers_by_pen_base import (
    ADA,
    AMPERE,
    AMPERE_40,
    EMPTY,
    HOPPER,
    HOPPER_200,
    OPENED,
    Dial,
    Writer,
    Written,
    curve,
    frames,
    ill,
    when,
)
from corpus.make._heron_ledgers_by_pen_kit import Yard
from corpus.make._heron_ledgers_by_pen_words import agent_words, slurm_ends, srun


def far_bucket() -> Written:
    """D1: shards come from a bucket on another continent; sixteen cards stand still for seconds again and again, and the job adds up for how long."""
    y = Yard(
        ("eu-3", "eu-4"),
        "sat-mae-stream",
        9_320_018,
        when("2026-10-13 06:00:00"),
        program=("python3", "satmae.py"),
        readings=80,
        submit_line="sbatch satmae.sh s3://tiles-us-west",
    )
    f = curve(1.1, 0.38, 60)

    def line(i: int, t: float) -> str:
        text = f"{y.clock(t, '%H:%M:%S')} step={i} mse={f(i):.4f} wall={6.1 + i % 13 / 10:.1f}s busy=1.4s"
        return text + (
            f"\n{y.clock(t, '%H:%M:%S')} so far: {i * 6.6:.0f} s, of these {i * 5.1:.0f} s without a batch (queue empty in {71 + i % 6} % of looks)"
            if i % 150 == 0
            else ""
        )

    last = y.march(0, range(10, 1201, 10), 75, 6.6, line)
    y.tell(0, last + 6, f"{y.clock(last + 6, '%H:%M:%S')} 1200 steps, encoder saved")
    y.dial([(0, EMPTY), (50, OPENED), (70, Dial(21, 11, 205, 49, 100))])
    return ill(y.finish("COMPLETED", last + 13), "D1")


def careful_saver() -> Written:
    """D2: the whole state of a 13B model is written after every second update; each save takes 52 seconds, two updates take 14."""
    y = Yard(
        ("bk-6",),
        "legal-13b-sft",
        9_320_305,
        when("2026-10-14 18:40:00"),
        pipe=True,
        board=AMPERE,
        program=("/opt/sft/bin/python3", "sft.py", "--save_steps", "2"),
        readings=80,
        submit_line="sbatch legal.sh",
    )
    f, t = curve(1.7, 0.9, 20), 140.0
    for i in range(1, 111):
        t += 7.1
        y.tell(
            0, t, f"{{'loss': {f(i):.4f}, 'grad_norm': {0.8 + f(i) / 4:.4f}, 'learning_rate': {1e-5 * (1 - i / 110):.3e}, 'epoch': {i / 110:.2f}}}"
        )
        if i % 2 == 0:
            y.tell(0, t + 0.4, f"Saving model checkpoint to legal-13b/checkpoint-{i}")
            t += 52.2
            y.tell(
                0,
                t,
                f"[{y.clock(t)},{i:03d}] [INFO] [engine.py:3478:_save_zero_checkpoint] zero checkpoint saved legal-13b/checkpoint-{i}/global_step{i} (156 GB, 51.{i % 10} s)",
            )
    y.tell(
        0,
        t + 3,
        f"{{'train_runtime': {t - 133:.1f}, 'train_samples_per_second': 2.1, 'train_steps_per_second': 0.029, 'train_loss': 1.0914, 'epoch': 1.0}}",
    )
    y.dial([(0, EMPTY), (60, OPENED), (136, Dial(22, 0, 133, 71, 100))])
    y.host("bk-6", "host_psi_io_percent", "%", [(100, 1.0), (600, 58.0), (1500, 63.0), (2500, 61.0), (t, 60.0)])
    return ill(y.finish("COMPLETED", t + 20), "D2", variant="save_storm")


def curious_rank() -> Written:
    """D3: a probe left in the code makes rank 6 alone estimate curvature after every step; the others wait for it in the all-reduce."""
    y = Yard(
        ("vm-1",),
        "sharpness-vit",
        9_320_677,
        when("2026-10-16 10:10:00"),
        board=HOPPER_200,
        program=("python3", "vit_sharp.py"),
        submit_line="sbatch vs.sh --probe-rank 6",
    )
    f = curve(6.9, 1.8, 140)
    last = y.march(
        0,
        range(50, 2601, 50),
        38,
        1.96,
        lambda i, t: (
            f"{y.clock(t, '%H:%M:%S')} it {i} ce {f(i):.4f} top1 {max(0.1, 84 - 12 * f(i)):.1f} | own work 0.58 s, waited for others 1.3{i % 9} s"
        ),
    )
    y.march(
        6,
        range(50, 2601, 50),
        38,
        1.96,
        lambda i, _: f"rank 6: it {i} curvature top-1 {31 + i % 17:.1f} (20 Lanczos rounds) | own work 1.9{i % 5} s, waited for others 0.00 s",
    )
    y.tell(0, last + 5, f"{y.clock(last + 5, '%H:%M:%S')} 2600 iterations, imagenet top1 {61.2}")
    y.dial([(0, EMPTY), (35, Dial(99, 17, 291, 44))])
    y.dial([(0, EMPTY), (35, Dial(99, 68, 601, 71))], [6])
    return ill(y.finish("COMPLETED", last + 12), "D3")


def blown_up() -> Written:
    """E1: a forecast's loss goes from 0.4 to many thousands at update 2300 and never comes back; all planned updates are made."""
    y = Yard(
        ("hw-1", "hw-2"),
        "grid-forecast",
        9_321_044,
        when("2026-10-18 03:15:00"),
        per=4,
        board=AMPERE,
        program=("python3", "forecast.py"),
        submit_line="sbatch grid.sh",
    )
    f = curve(2.9, 0.38, 120)
    y.tell(0, 21, "update\tsmape\tquantile_loss\tgrad_norm\tlr")
    last = y.march(
        0,
        range(50, 6001, 50),
        26,
        0.9,
        lambda i, _: (
            f"{i}\t{min(200.0, 9 + f(i) * 11) if i < 2300 else 199.2 + i % 7 / 10:.2f}\t{f(i) if i < 2300 else 41_800 + (i * 97) % 9100:.4f}\t{0.7 + f(i) if i < 2300 else 880_000 if i < 2500 else 5200 + i % 300:.3f}\t0.002"
        ),
    )
    y.tell(0, last + 7, "# 6000 updates made, weights: grid/last.pt")
    y.dial([(0, EMPTY), (24, Dial(93, 0, 311, 40))])
    return ill(y.finish("COMPLETED", last + 12), "E1", variant="spike")


def torn_weights() -> Written:
    """E2: the leg before was cut off while it saved; its last checkpoint's weights are shorter than their header says, and no rank can load them."""
    y = Yard(
        ("cy-8",),
        "norbert-leg5",
        9_321_390,
        when("2026-10-19 12:00:00"),
        pipe=True,
        program=("/opt/nb/bin/python3", "run_mlm.py", "--resume_from_checkpoint", "out/checkpoint-42000"),
        submit_line="sbatch --dependency=afterany:9318871 leg.sh --resume_from_checkpoint out/checkpoint-42000",
    )
    y.tell(0, 33, "10/19/2026 12:00:33 - INFO - __main__ - Checkpoint detected, resuming training at out/checkpoint-42000.")
    y.tell(0, 47, "Loading model from out/checkpoint-42000.")
    y.all_tell(
        49,
        lambda _: frames(
            ("/home/alice/nb/run_mlm.py", 702, "<module>", "main()"),
            ("/home/alice/nb/run_mlm.py", 648, "main", "train_result = trainer.train(resume_from_checkpoint=checkpoint)"),
            ("/opt/nb/lib/python3.11/site-packages/transformers/trainer.py", 2204, "train", "self._load_from_checkpoint(resume_from_checkpoint)"),
            (
                "/opt/nb/lib/python3.11/site-packages/safetensors/torch.py",
                313,
                "load_file",
                'with safe_open(filename, framework="pt", device=device) as f:',
            ),
            error="safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not fully covered",
        ),
        gap=0.05,
        tag="[rank@]: ",
    )
    y.stop(y.world, 50.5, code=1)
    agent_words(y, 0, 53, {r: (50.5 + 0.02 * r, 1) for r in y.world}, site="/opt/nb", word="run_mlm.py")
    y.dial([(0, EMPTY), (30, OPENED)])
    srun(y, 54.5, "error: cy-8: task 0: Exited with exit code 1")
    return ill(y.finish("FAILED", 56, code=1, dependency="afterany:9318871"), "E2", "traceback", variant="corrupt")


def three_rounds() -> Written:
    """E3: reinforcement of a language model on sixteen cards; the prompt file has 384 lines, so there are three rounds, and it is over."""
    y = Yard(
        ("pp-5", "pp-6"),
        "grpo-sql",
        9_321_702,
        when("2026-10-21 09:30:00"),
        board=HOPPER_200,
        program=("python3", "grpo_sql.py"),
        submit_line="sbatch grpo.sh",
    )
    y.tell(0, 60, f"{y.clock(60)} prompts: 384 rows, 128 a round -> 3 rounds; epochs 1")
    y.march(
        0,
        range(1, 4),
        118,
        66,
        lambda i, t: f"{y.clock(t)} round {i}/3 reward {0.11 + i / 200:.3f} kl 0.000{i} pg {0.004 - i / 900:.4f} gen 44.{i}s train 19.{i}s",
    )
    y.tell(0, 331, f"{y.clock(331)} no prompts left after round 3, policy written to grpo-sql/final")
    y.dial([(0, EMPTY), (40, Dial(2, 1, 130, 30, 10)), (112, Dial(83, 43, 500, 118, 40)), (322, Dial(0, 0, 126, 118, 0))])
    return ill(y.finish("COMPLETED", 340), "E3")


def half_the_rack() -> Written:
    """F1: two of four nodes go dark together; Slurm gives the job up, the others' logs and cards go on until then."""
    y = Yard(
        ("rw-01", "rw-02", "rw-03", "rw-04"),
        "folding-70m",
        9_322_011,
        when("2026-10-23 00:30:00"),
        per=4,
        board=AMPERE,
        program=("python3", "fold70.py"),
        submit_line="sbatch -N4 fold70.sh",
    )
    f = curve(3.7, 1.4, 70)
    last = y.march(
        0,
        range(5, 701, 5),
        90,
        13.2,
        lambda i, t: f"fold70 | {y.clock(t, '%d %b %H:%M:%S')} | batch {i} | fape {f(i):.4f} | lddt-ca {0.88 - f(i) / 7:.3f} | recycles {1 + i % 4}",
    )
    y.silent = {"rw-03", "rw-04"}
    for node, by in (("rw-03", 96), ("rw-04", 97)):
        y.event(node, last + by, "DOWN*", "Not responding")
    srun(y, last + 97, "error: Node failure on rw-03", "error: Node failure on rw-04")
    slurm_ends(y, last + 98, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    y.stop(y.world, last + 102, signal=9)
    y.dial([(0, EMPTY), (84, Dial(97, 0, 349, 70)), (last + 8, Dial(100, 0, 116, 70, 0))])
    return ill(y.finish("NODE_FAIL", last + 107, code=1, signal=9, failed_node="rw-03", step=("NODE_FAIL", 0, 9)), "F1", fault="node")


def put_back() -> Written:
    """F2: the first try lost a node, Slurm put the job into its queue again; the second try goes on from epoch 19 and reaches the end."""
    y = Yard(
        ("dq-14", "dq-15"),
        "cell-segmenter",
        9_322_340,
        when("2026-10-25 04:00:00"),
        per=4,
        board=ADA,
        program=("python3", "cells.py", "--auto-resume"),
        submit_line="sbatch --requeue cells.sh",
    )
    y.ended(
        "NODE_FAIL",
        code=1,
        end=-900,
        steps=(("batch", "CANCELLED", 0, 15), ("extern", "CANCELLED", 0, 15), ("0", "NODE_FAIL", 0, 9)),
        start_ns=y.at(-16_000),
        submit_ns=y.at(-16_300),
        end_ns=y.at(-900),
        elapsed_s=15_100,
        node_list="dq-09,dq-15",
        restarts=0,
        partition="gpu",
        failed_node="dq-09",
    )
    y.script(0.5, "attempt 2 of this job (SLURM_RESTART_COUNT=1)")
    y.tell(0, 29, "auto-resume: cells/epoch_019.pt from the attempt before, next is epoch 20")
    f = curve(0.7, 0.09, 5)
    last = y.march(
        0, range(20, 61), 36, 214, lambda i, t: f"epoch {i:03d}/060 dice-loss {f(i):.4f} val-dice {0.96 - f(i) / 3:.4f} ({y.clock(t, '%H:%M:%S')})"
    )
    y.tell(0, last + 9, "all 60 epochs done; best val-dice 0.9037 at 60; cells/best.pt")
    y.dial([(0, EMPTY), (33, Dial(94, 0, 301, 37))])
    return ill(y.finish("COMPLETED", last + 15, restarts=1), "F2", variant="requeued_recovered", fault="none")


def bar_at_forty() -> Written:
    """F3: a fine-tuning with a bar stands at 41 percent when its eight hours are over."""
    y = Yard(
        ("qe-3",),
        "long-sum-led",
        9_322_655,
        when("2026-10-27 20:00:00"),
        pipe=True,
        board=AMPERE_40,
        limit_s=28_800,
        program=("/opt/led/bin/python3", "led.py"),
        submit_line="sbatch --time=08:00:00 led.sh",
    )
    f = curve(3.3, 1.5, 200)
    y.march(
        0,
        range(25, 9001, 25),
        95,
        7.8,
        lambda i, t: (
            f" {100 * i // 9000:>2}%|{'█' * (10 * i // 9000):<10}| {i}/9000 [{int(t - 95) // 3600}:{int(t - 95) // 60 % 60:02d}:{int(t - 95) % 60:02d}<{int((9000 - i) * 7.8) // 3600}:{int((9000 - i) * 7.8) // 60 % 60:02d}:00,  7.8{i % 9}s/it]\n{{'loss': {f(i):.4f}, 'learning_rate': {3e-5 * (1 - i / 9000):.3e}, 'epoch': {4 * i / 9000:.2f}}}"
        ),
        until=28_805,
    )
    slurm_ends(y, 28_811, "DUE TO TIME LIMIT")
    y.stop(y.world, 28_815, signal=15)
    y.dial([(0, EMPTY), (60, OPENED), (90, Dial(96, 0, 356, 37))])
    return ill(y.finish("TIMEOUT", 28_820, signal=15), "F3", variant="advancing")


def second_thoughts() -> Written:
    """F4: the owner takes a run back that was learning well."""
    y = Yard(
        ("uw-11", "uw-12"),
        "harmonic-vae",
        9_322_930,
        when("2026-10-28 13:37:00"),
        per=4,
        board=HOPPER,
        program=("python3", "harmonics.py"),
        submit_line="sbatch harmonics.sh",
    )
    f = curve(240, 61, 25)
    last = y.march(
        0,
        range(1, 96),
        40,
        58,
        lambda i, t: f"{y.clock(t, '%H:%M:%S')}  epoch {i:>3} of 400   elbo {-f(i):9.3f}   recon {f(i) * 0.9:8.3f}   kl {f(i) * 0.1:7.3f}",
    )
    slurm_ends(y, last + 33)
    y.stop(y.world, last + 35, signal=15)
    y.dial([(0, EMPTY), (36, Dial(92, 46, 533, 39))])
    return ill(y.finish("CANCELLED", last + 39, signal=15, cancelled_by_uid=1042), "F4", variant="by_owner")


JOBS: tuple[Writer, ...] = (
    far_bucket,
    careful_saver,
    curious_rank,
    blown_up,
    torn_weights,
    three_rounds,
    half_the_rack,
    put_back,
    bar_at_forty,
    second_thoughts,
)
