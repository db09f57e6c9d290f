"""Jobs of a lab, second drawer, lower half."""

from __future__ import annotations

import math

from corpus.make._lichen_kit import A100, A100P, H100, H200, OFF, RTX3090, RTX4090, Lab, Mood, busy
from corpus.make._lichen_words import Job, bad, bar, decay, hms, on, shelf
from gpualert_slurm.past_verdict import PastVerdict

JOBS, case = shelf()
GAPS = Mood(24, 11, 0.33, 0.5, 100)


@case
def stands_at_log_ten() -> Job:
    """E1: ten classes, and the loss is the logarithm of ten from the first epoch to the last; the accuracy that of guessing."""
    f = Lab(
        nodes=("edu3",),
        name="cifar_vgg",
        job_id=3_071,
        start_ns=on("2026-11-18 09:00:00"),
        gpus=1,
        board=RTX3090,
        program="python vgg.py",
        submit_line="sbatch vgg.sh",
    )
    last = f.go(
        range(1, 41),
        12,
        14.5,
        lambda i, _t: (
            f"Epoch {i}/40: train loss {2.3026 + 0.0006 * math.sin(i * 5):.4f}, train acc {10 + 0.2 * math.cos(i * 3):.2f}%, val loss {2.3027 + 0.0004 * math.sin(i * 7):.4f}, val acc 10.00%"
        ),
    )
    f.put(last + 1, "Training complete. Best val acc: 10.00%")
    f.feel((0, OFF), (8, busy(0.15, 90, 0.7)))
    f.close("COMPLETED", last + 4)
    return bad(f, "E1", variant="flat")


@case
def began_again() -> Job:
    """E2: the second leg of a chain is asked to resume, its folder's name was mistyped, and it starts at step 0 with the first leg's first loss."""
    f = Lab(
        nodes=("c11",),
        name="gpt-medical",
        job_id=907_340,
        start_ns=on("2026-11-12 06:10:00"),
        gpus=2,
        board=H200,
        way="srun",
        program="python pretrain.py --resume runs/gpt-med/last.pt",
        submit_line="sbatch --dependency=afterany:907102 leg2.sh --resume runs/gpt-med/last.pt",
    )
    ce = decay(10.82, 3.1, 1400)
    f.put(
        21,
        "config: {'out': 'runs/gpt_med', 'resume': 'runs/gpt-med/last.pt', 'max_steps': 30000}\nno state at runs/gpt-med/last.pt, initialising weights from seed 1337",
    )
    last = f.go(
        range(0, 8001, 100), 30, 0.44, lambda i, t: f"{f.clock(t)} step {i:>6} | loss {ce(i):.4f} | lr {min(6e-4, 6e-7 * (i + 1)):.2e} | tok/s 119k"
    )
    f.put(last + 30, f"{f.clock(last + 30)} segment budget of 8000 steps used, saving runs/gpt_med/last.pt")
    f.feel((0, OFF), (26, busy(0.61)))
    f.parents = (
        PastVerdict(
            relation="parent",
            job="907102",
            mode="G1",
            fault="none",
            ended_ns=f.at(-700),
            nodes="c11",
            head_loss=10.83,
            tail_loss=2.94,
            steps_done=22_000,
            checkpoints=("runs/gpt-med/step22000.pt",),
            gpu_hours=6.1,
        ),
    )
    f.environ["SLURM_JOB_DEPENDENCY"] = "afterany:907102"
    f.close("COMPLETED", last + 36, dependency="afterany:907102")
    return bad(f, "E2", variant="from_scratch")


@case
def three_steps() -> Job:
    """E3: max_steps was left at 3 from a trial; the job asked for two days, trains three steps, and exits with 0."""
    f = Lab(
        nodes=("c19",),
        name="mistral-dolly-full",
        job_id=907_801,
        start_ns=on("2026-11-13 20:20:00"),
        gpus=4,
        limit_s=172_800,
        board=H100,
        way="agents",
        program="python -u sft.py",
        submit_line="sbatch --time=2-00:00:00 full.sh",
    )
    f.put(
        64,
        "***** Running training *****\n  Num examples = 15,011\n  Num Epochs = 1\n  Instantaneous batch size per device = 4\n  Total train batch size (w. parallel, distributed & accumulation) = 128\n  Gradient Accumulation steps = 8\n  Total optimization steps = 3\n  Number of trainable parameters = 7,241,732,096",
    )
    for i, x in enumerate((1.7411, 1.7380, 1.7296), 1):
        f.put(70 + 11.5 * i, f"{{'loss': {x}, 'grad_norm': {9.1 - i}, 'learning_rate': {2e-5 * (1 - i / 3):.2e}, 'epoch': {i / 117:.2f}}}")
    f.put(
        108,
        f"{{'train_runtime': 36.2, 'train_samples_per_second': 10.6, 'train_steps_per_second': 0.083, 'train_loss': 1.7362, 'epoch': 0.03}}\n100%|{bar(1, 1)}| 3/3 [00:36<00:00, 12.07s/it]",
    )
    f.feel((0, OFF), (50, Mood(3, 1, 0.16, 0.4, 20)), (68, busy(0.88)), (106, Mood(0, 0, 0.16, 0.88, 0)))
    f.close("COMPLETED", 141)
    return bad(f, "E3")


@case
def lost_neighbour() -> Job:
    """F1: one of two nodes stops answering in the second hour; Slurm ends the job with it."""
    f = Lab(
        nodes=("n-104", "n-105"),
        name="graphnet-traffic",
        job_id=77_412,
        start_ns=on("2026-10-20 20:00:00"),
        gpus=2,
        board=A100,
        way="srun",
        program="python traffic.py",
        submit_line="sbatch -N2 traffic.sh",
    )
    mae = decay(7.2, 2.1, 25)
    last = f.go(range(1, 97), 35, 61, lambda i, t: f"{f.clock(t, '%d.%m.%Y %H:%M')}  Ep {i:03d}/200  MAE {mae(i):.3f}  RMSE {mae(i) * 1.9:.3f}")
    f.silent = {"n-105"}
    f.event("n-105", last + 31, "DOWN*", f"Not responding [slurm@{f.clock(last + 31, '%Y-%m-%dT%H:%M:%S')}]")
    f.stopped(last + 34, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.out(last + 33, "srun: error: Node failure on n-105")
    f.leave(f.world, last + 37, signal=9)
    f.feel((0, OFF), (31, busy(0.35)), (last + 4, Mood(100, 0, 0.24, 0.35, 0)))
    f.close("NODE_FAIL", last + 40, code=1, step=("NODE_FAIL", 0, 9), failed_node="n-105")
    return bad(f, "F1", fault="node")


@case
def guest_sent_away() -> Job:
    """F2: a job in a preemptible queue has to make room after four hours, and is not put back."""
    f = Lab(
        nodes=("own-6",),
        name="sac_manip",
        job_id=19_921,
        start_ns=on("2026-11-01 03:00:00"),
        gpus=1,
        board=RTX4090,
        program="python sac.py --task peg-insert",
        submit_line="sbatch -p scavenge --no-requeue sac.sh",
    )
    last = f.go(
        range(5000, 640_001, 5000),
        20,
        0.0229,
        lambda i, t: (
            f"| t {i:>8} | ep_rew {-180 + 230 * (1 - math.exp(-i / 2.4e5)) + 4 * math.sin(i):8.2f} | succ {min(0.7, i / 9e5):.2f} | q1 {3.1 + math.sin(i / 9e4):.3f} | alpha {0.2 * math.exp(-i / 3e5):.3f} | {hms(t)} |"
        ),
    )
    f.stopped(last + 50, "DUE TO PREEMPTION")
    f.leave(0, last + 52, signal=15)
    f.feel((0, OFF), (16, busy(0.2, 74, 0.5)))
    f.close("PREEMPTED", last + 55, partition="scavenge", qos="scavenge", restarts=0, reason="None")
    return bad(f, "F2", variant="preempted", fault="cluster")


@case
def night_too_short() -> Job:
    """F3: an Amber-like molecular dynamics run reached 310 of 500 ns when its twelve hours were over."""
    f = Lab(
        nodes=("md-09",),
        name="kinase_wt_500ns",
        job_id=250_114,
        start_ns=on("2026-10-13 20:00:00"),
        gpus=1,
        limit_s=43_200,
        board=RTX3090,
        program="python run_md.py --ns 500",
        submit_line="sbatch -t 12:00:00 md.sh",
    )
    f.put(30, '#"Progress (%)"\t"Step"\t"Time (ps)"\t"Potential Energy (kJ/mole)"\t"Temperature (K)"\t"Speed (ns/day)"\t"Time Remaining"')
    f.go(
        range(1, 501),
        32,
        139,
        lambda i, _t: (
            f"{i / 5:.1f}%\t{i * 250_000}\t{i * 1000}.0\t{-1_204_331 + 900 * math.sin(i * 3.7):.1f}\t{300 + 0.9 * math.sin(i * 1.3):.2f}\t62{i % 10 / 10 + 1:.1f}\t{hms((500 - i) * 139)}"
        ),
        until=43_202,
    )
    f.stopped(43_206, "DUE TO TIME LIMIT")
    f.leave(0, 43_208, signal=15)
    f.feel((0, OFF), (28, busy(0.06, 98, 0.9)))
    f.close("TIMEOUT", 43_210)
    return bad(f, "F3", variant="advancing")


@case
def second_thoughts() -> Job:
    """F4: the owner cancels a run of a segmenter that was doing well."""
    f = Lab(
        nodes=("g15",),
        name="nnunet_lung_f0",
        job_id=1_443_001,
        start_ns=on("2026-10-18 12:10:00"),
        gpus=1,
        board=A100P,
        program="nnUNetv2_train 017 3d_fullres 0",
        submit_line="sbatch nnunet.sh 017 0",
        zone_h=2,
    )
    d = decay(-0.1, -0.79, 60)
    for e in range(88):
        t = 40 + e * 121.0
        f.put(
            t,
            f"{f.clock(t)}.{e % 10}41337: \n{f.clock(t)}.{e % 10}41502: Epoch {e}\n{f.clock(t)}.{e % 10}41611: Current learning rate: {0.01 * (1 - e / 1000) ** 0.9:.5f}",
        )
        f.put(
            t + 119,
            f"{f.clock(t + 119)}.208117: train_loss {d(e):.4f}\n{f.clock(t + 119)}.208390: val_loss {d(e) * 0.95:.4f}\n{f.clock(t + 119)}.208561: Pseudo dice [{0.2 - d(e) * 0.85:.4f}]\n{f.clock(t + 119)}.208733: Epoch time: 119.{e % 90 + 10} s",
        )
    end = 40 + 88 * 121.0 + 33
    f.stopped(end)
    f.leave(0, end + 1, signal=15)
    f.feel((0, OFF), (36, busy(0.22)))
    f.close("CANCELLED", end + 3, cancelled_by_uid=1042)
    return bad(f, "F4", variant="by_owner")
