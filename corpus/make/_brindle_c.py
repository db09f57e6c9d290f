"""Jobs of several groups on a shared cluster, third shelf: begun wrongly or too short, ended by node, queue, clock or person."""

from __future__ import annotations

import math

from corpus.make._lichen_kit import A100, A100P, A6000, H100, H200, L40S, OFF, OPENED, RTX3090, Lab, Mood, busy
from corpus.make._lichen_words import Job, bad, bar, decay, hms, on, shelf, tb

JOBS, case = shelf()


@case
def half_a_file() -> Job:
    """E2: the second leg of a chain cannot read the checkpoint that the first was writing when its time was over."""
    f = Lab(
        nodes=("tsp19",),
        name="flowmatch-leg2",
        job_id=2_418_015,
        start_ns=on("2026-11-21 04:00:00"),
        gpus=1,
        board=H200,
        program="python fm.py --auto-resume",
        submit_line="sbatch --dependency=afterany:2417602 fm.sh --auto-resume",
    )
    f.put(15, "auto-resume: newest checkpoint is exp/fm/ckpt_0120000.pt")
    f.put(
        16,
        tb(
            ("/home/karel/fm/fm.py", 231, "<module>", "main()"),
            ("/home/karel/fm/fm.py", 77, "main", "state = torch.load(newest, map_location='cuda')"),
            (
                "/home/karel/env/lib/python3.12/site-packages/torch/serialization.py",
                1486,
                "load",
                "with _open_zipfile_reader(opened_file) as opened_zipfile:",
            ),
            (
                "/home/karel/env/lib/python3.12/site-packages/torch/serialization.py",
                787,
                "__init__",
                "super().__init__(torch._C.PyTorchFileReader(name_or_buffer))",
            ),
            end="RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
        ),
    )
    f.leave(0, 17, code=1)
    f.feel((0, OFF), (12, OPENED))
    f.environ["SLURM_JOB_DEPENDENCY"] = "afterany:2417602"
    f.close("FAILED", 18, code=1, dependency="afterany:2417602")
    return bad(f, "E2", "runtime_error", variant="corrupt")


@case
def nothing_to_go_on_from() -> Job:
    """E2: the Trainer is told to resume, its output folder has no checkpoint, and it refuses."""
    f = Lab(
        nodes=("tsp3",),
        name="deberta-claims",
        job_id=2_418_140,
        start_ns=on("2026-11-21 15:00:00"),
        gpus=1,
        board=L40S,
        program="python run_claims.py --output_dir out/claims2 --resume_from_checkpoint True",
        submit_line="sbatch claims.sh --resume_from_checkpoint True",
    )
    f.put(24, "11/21/2026 15:00:24 - WARNING - __main__ - device: cuda:0, n_gpu: 1, distributed training: False, 16-bits training: True")
    f.put(
        41,
        tb(
            ("/home/eva/claims/run_claims.py", 402, "<module>", "main()"),
            ("/home/eva/claims/run_claims.py", 355, "main", "train_result = trainer.train(resume_from_checkpoint=True)"),
            (
                "/home/eva/env/lib/python3.11/site-packages/transformers/trainer.py",
                2213,
                "train",
                'raise ValueError(f"No valid checkpoint found in output directory ({args.output_dir})")',
            ),
            end="ValueError: No valid checkpoint found in output directory (out/claims2)",
        ),
    )
    f.leave(0, 43, code=1)
    f.feel((0, OFF), (22, OPENED))
    f.close("FAILED", 44, code=1)
    return bad(f, "E2", "traceback", variant="no_valid_checkpoint")


@case
def two_batches_a_time() -> Job:
    """E3: limit_train_batches was left at two; one epoch of two batches on four cards that were booked for a day."""
    f = Lab(
        nodes=("tsp20",),
        name="mapformer-main",
        job_id=2_418_377,
        start_ns=on("2026-11-22 09:00:00"),
        gpus=4,
        limit_s=86_400,
        board=A100,
        way="srun",
        program="python fit.py experiment=main",
        submit_line="sbatch -n4 --time=24:00:00 main.sh",
    )
    f.put(
        33,
        "GPU available: True (cuda), used: True\n`Trainer(limit_train_batches=2)` was configured so 2 batches per epoch will be used.\ninitializing distributed: GLOBAL_RANK: 0, MEMBER: 1/4\n----------------------------------------------------------------------------------------------------\ndistributed_backend=nccl\nAll distributed processes registered. Starting with 4 processes\n----------------------------------------------------------------------------------------------------",
    )
    f.put(58, f"Epoch 0: 100%|{bar(1, 1)}| 2/2 [00:09<00:00,  0.22it/s, v_num=0, train/loss=11.92]")
    f.put(61, "`Trainer.fit` stopped: `max_epochs=1` reached.")
    f.feel((0, OFF), (30, Mood(1, 0, 0.17, 0.2, 10)), (49, Mood(66, 0, 0.5, 0.52, 60)), (60, Mood(0, 0, 0.15, 0.52, 0)))
    f.close("COMPLETED", 69)
    return bad(f, "E3")


@case
def node_rebooted() -> Job:
    """F1: the job's only node reboots under it; the log that was kept ends in the middle of training, nothing says how the process ended."""
    f = Lab(
        nodes=("tsp21",),
        name="xgb-lstm-river",
        job_id=2_418_802,
        start_ns=on("2026-11-23 01:15:00"),
        gpus=1,
        board=A6000,
        program="python river.py",
        submit_line="sbatch river.sh",
    )
    nse = decay(0.71, 0.16, 12)
    last = f.go(range(1, 58), 21, 96, lambda i, t: f"{f.clock(t)} ep {i:03d}/150 1-NSE train {nse(i):.4f} valid {nse(i) * 1.12:.4f}")
    f.lost = last + 40
    f.event("tsp21", last + 190, "DOWN", f"Node unexpectedly rebooted [slurm@{f.clock(last + 190, '%Y-%m-%dT%H:%M:%S')}]")
    f.feel((0, OFF), (17, busy(0.12, 77, 0.5)))
    f.close("NODE_FAIL", last + 195, code=1, failed_node="tsp21")
    return bad(f, "F1", fault="node")


@case
def once_more_and_done() -> Job:
    """F2: preempted after two hours and queued again; the second try goes on from its own checkpoint and finishes."""
    f = Lab(
        nodes=("tsp22",),
        name="rl-cassie",
        job_id=2_419_018,
        start_ns=on("2026-11-23 18:00:00"),
        gpus=1,
        board=RTX3090,
        program="python cassie.py",
        submit_line="sbatch -p spare --requeue cassie.sh",
        limit_s=86_400,
    )
    f.ended(
        "PREEMPTED",
        end=-1900,
        steps=(("batch", "CANCELLED", 0, 15), ("extern", "COMPLETED", 0, 0)),
        start_ns=f.at(-9400),
        submit_ns=f.at(-9460),
        end_ns=f.at(-1900),
        elapsed_s=7500,
        node_list="tsp24",
        restarts=0,
        partition="spare",
    )
    f.out(0.5, "SLURM_RESTART_COUNT=1")
    f.put(15, "restored cassie/ck_0312.pkl (iteration 312), continuing")
    last = f.go(
        range(313, 801),
        20,
        21.5,
        lambda i, t: (
            f"it {i:>4}/800  rew {-40 + 320 * (1 - math.exp(-i / 260)) + 3 * math.sin(i):7.2f}  len {300 + i / 3:.0f}  kl {0.009 + (i % 4) / 900:.4f}  {hms(t)}"
        ),
    )
    f.put(last + 3, "800 iterations finished, policy -> cassie/final.pkl")
    f.feel((0, OFF), (12, busy(0.28, 83, 0.62)))
    f.close("COMPLETED", last + 6, restarts=1, partition="spare")
    return bad(f, "F2", variant="preempted_recovered", fault="none")


@case
def two_thirds() -> Job:
    """F3: the Trainer's bar was at 4130 of 6250 when the two hours were over."""
    f = Lab(
        nodes=("tsp23",),
        name="layoutxlm-forms",
        job_id=2_419_440,
        start_ns=on("2026-11-24 08:00:00"),
        gpus=1,
        limit_s=7200,
        board=A100P,
        program="python forms.py",
        submit_line="sbatch -t 2:00:00 forms.sh",
    )
    ce = decay(1.9, 0.31, 900)
    f.put(38, "***** Running training *****\n  Num examples = 100,000\n  Num Epochs = 2\n  Total optimization steps = 6,250")

    def line(i: int, t: float) -> str:
        text = f"\r{100 * i // 6250:>3}%|{bar(i, 6250)}| {i}/6250 [{hms(t - 40)}<{hms((6250 - i) * 1.73)},  1.73s/it]"
        return text + (
            f"\n{{'loss': {ce(i):.4f}, 'grad_norm': {1.3 + ce(i):.3f}, 'learning_rate': {5e-5 * (1 - i / 6250):.3e}, 'epoch': {i / 3125:.2f}}}"
            if i % 50 == 0
            else ""
        )

    f.go(range(25, 6251, 25), 40, 1.73, line, until=7200)
    f.stopped(7206, "DUE TO TIME LIMIT")
    f.leave(0, 7208, signal=15)
    f.feel((0, OFF), (36, busy(0.69)))
    f.close("TIMEOUT", 7210)
    return bad(f, "F3", variant="advancing")


@case
def water_on_the_floor() -> Job:
    """F4: an operator cancels all jobs of a room; the run was well."""
    f = Lab(
        nodes=("tsp25",),
        name="stylegan-fossils",
        job_id=2_419_871,
        start_ns=on("2026-11-25 13:00:00"),
        gpus=2,
        board=H100,
        way="srun",
        program="python train.py --outdir=runs --gpus=2",
        submit_line="sbatch -n2 sg.sh",
    )
    last = f.go(
        range(0, 1201, 8),
        50,
        9.3,
        lambda i, t: (
            f"tick {i // 4:<5d} kimg {i:<8.1f} time {hms(t):<12s} sec/tick 37.{i % 10}  sec/kimg 9.{i % 7 + 25} maintenance 0.{i % 9} cpumem 5.9{i % 9}  gpumem 41.{i % 8} augment {min(0.3, i / 6000):.3f}"
            + (f"\nfid50k_full {180 * math.exp(-i / 500) + 9:.2f}" if i % 200 == 0 else "")
        ),
    )
    f.stopped(last + 44)
    f.leave(f.world, last + 46, signal=15)
    f.feel((0, OFF), (46, busy(0.52)))
    f.close("CANCELLED", last + 49, cancelled_by_uid=0)
    return bad(f, "F4", variant="by_other", fault="unknown")
