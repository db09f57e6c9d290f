"""Large jobs, third slate: nothing learnt, begun from the wrong place, over too soon, ended from outside."""

from __future__ import annotations

from corpus.make._otter_bells_by_pen_book import (
    AMPERE,
    AMPERE_40,
    BLACKWELL,
    GRACE,
    HARD_AT_WORK,
    HOPPER,
    HOPPER_NEW,
    HOPPER_WIDE,
    OPENED,
    REST,
    WAITS_FOR_PEERS,
    Pose,
)
from corpus.make._otter_bells_by_pen_chatter import chat
from corpus.make._otter_bells_by_pen_talk import slurm_ends, torchrun_ends, trace
from corpus.make._otter_bells_by_pen_yard import Rig, Teller, Told, ill, noted, shelf, sinks
from gpualert_slurm.past_verdict import PastVerdict

JOBS: list[Teller] = []
job = shelf(JOBS)


@job
def not_a_number() -> Told:
    """E1: from step 1850 on the loss is not a number; nobody looks, the run goes on to its planned end and saves that."""
    f = Rig(
        ("ul-1", "ul-2", "ul-3", "ul-4"),
        "palm-mini-fp8",
        7_921_030,
        noted("2026-10-01 16:00:00"),
        per=8,
        kit=BLACKWELL,
        script="pm/train.py",
        submit_line="sbatch -N4 pm8.sh",
    )
    chat(f)
    curve = sinks(10.5, 2.9, 160)
    nan = float("nan")
    last = f.run(
        0,
        range(25, 6001, 25),
        104,
        1.9,
        lambda i, x, t: (
            f'{{"t": "{f.clock(t, "%H:%M:%S")}", "step": {i}, "loss": {"NaN" if i >= 1850 else f"{x:.4f}"}, "grad_norm": {"NaN" if i >= 1850 else f"{0.5 + x / 9 + (i > 1780) * 40:.3f}"}, "tps": {811_000 + i % 777}}}'
        ),
        lambda i: curve(i) if i < 1850 else nan,
    )
    f.say(0, last + 20, f'{{"t": "{f.clock(last + 20, "%H:%M:%S")}", "event": "end", "step": 6000, "saved": "pm/ckpt/6000"}}')
    f.stand([(0, REST), (40, OPENED), (100, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 31)
    return ill(f, "E1", "nan_loss", variant="non_finite")


@job
def cut_file() -> Told:
    """E2: the run before was killed while it wrote its last state; the file that all ranks are to go on from ends in its own header."""
    f = Rig(
        ("hal-3", "hal-4"),
        "vlm-8b-leg3",
        7_922_014,
        noted("2026-10-03 09:00:00"),
        per=8,
        kit=HOPPER,
        launcher=True,
        script="vlm.py",
        submit_line="sbatch --dependency=afterany:7921877 vlm.sh --resume /flash/vlm/step_00021000",
    )
    chat(f, ranks=False)
    f.past = (
        PastVerdict(
            relation="parent",
            job="7921877",
            mode="F3",
            fault="user",
            ended_ns=f.at(-610),
            nodes="hal-[3-4]",
            head_loss=6.12,
            tail_loss=1.443,
            steps_done=21_000,
            checkpoints=("/flash/vlm/step_00018000", "/flash/vlm/step_00021000"),
            gpu_hours=191.0,
        ),
    )
    f.all_say(24, lambda r: f"[{r}] resuming from /flash/vlm/step_00021000", apart=0.1)
    text = trace(
        ("/home/alice/vlm/vlm.py", 402, "<module>", "main(parse())"),
        ("/home/alice/vlm/vlm.py", 277, "main", "start = restore(cfg.resume, model, optimizer)"),
        ("/home/alice/vlm/state.py", 39, "restore", 'weights = load_file(folder / "model.safetensors", device="cpu")'),
        (
            "/home/alice/miniforge3/envs/vlm/lib/python3.11/site-packages/safetensors/torch.py",
            338,
            "load_file",
            'with safe_open(filename, framework="pt", device=device) as f:',
        ),
        ends="safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer",
    )
    f.all_say(26, lambda _r: text, tag=lambda r: f"[rank{r}]: ")
    f.dies(f.ranks, 28, code=1, apart=0.04)
    for n in range(2):
        torchrun_ends(f, n, 31, [(r, 1, 28 + 0.04 * r) for r in f.on(n)], binary="/home/alice/miniforge3/envs/vlm/bin/python3.11")
        f.script_says(33 + n, f"srun: error: hal-{3 + n}: task {n}: Exited with exit code 1")
    f.stand([(0, REST), (19, OPENED)])
    f.finish("FAILED", 37, code=1, dependency="afterany:7921877")
    return ill(f, "E2", "traceback", variant="corrupt")


@job
def six_rows() -> Told:
    """E3: the filter by language kept next to nothing: an instruction tuning on sixteen cards makes three updates in one epoch and calls itself finished."""
    f = Rig(
        ("ba-21", "ba-22"),
        "instruct-gl",
        7_923_008,
        noted("2026-10-04 11:11:00"),
        per=8,
        kit=AMPERE,
        launcher=True,
        script="instruct.py",
        submit_line="sbatch gl.sh",
    )
    f.say(
        0,
        38,
        "rows read 1,204,118; after lang == 'gl' 371; packed to 372 sequences of 2048\n***** Running training *****\n  Num examples = 372\n  Num Epochs = 1\n  Instantaneous batch size per device = 8\n  Total train batch size (w. parallel, distributed & accumulation) = 128\n  Gradient Accumulation steps = 1\n  Total optimization steps = 3\n  Number of trainable parameters = 7,241,732,096",
    )
    for i, x in ((1, 2.214), (2, 2.207), (3, 2.198)):
        f.say(0, 60 + 9.5 * i, f"{{'loss': {x}, 'grad_norm': {11.2 - i / 3:.4f}, 'learning_rate': {2e-5 * (1 - i / 3):.3e}, 'epoch': {i / 3:.2f}}}")
    f.say(
        0,
        93,
        "{'train_runtime': 32.4118, 'train_samples_per_second': 11.477, 'train_steps_per_second': 0.093, 'train_loss': 2.2063, 'epoch': 1.0}\nmodel saved to out/instruct-gl",
    )
    f.stand([(0, REST), (30, Pose(4, 0, 0.2, 0.4)), (58, HARD_AT_WORK), (91, Pose(0, 0, 0.16, 0.8, 0))])
    f.finish("COMPLETED", 131)
    return ill(f, "E3")


@job
def rebooted() -> Told:
    """F1: one of six nodes reboots of itself in the fourth hour; Slurm sees it come up again and ends the job."""
    nodes = tuple(f"jw{n:04d}" for n in range(310, 316))
    f = Rig(
        nodes,
        "lattice-flow",
        7_924_151,
        noted("2026-10-06 01:00:00"),
        per=4,
        kit=AMPERE_40,
        script="lattice_flow.py",
        submit_line="sbatch -N6 flow.sh",
    )
    chat(f)
    last = f.run(
        0,
        range(50, 6501, 50),
        41,
        2.1,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')}  {i:>6}  KL={x:9.4f}  ESS={max(0.01, 0.92 - x / 40):.4f}  acc={max(0.02, 0.86 - x / 44):.3f}",
        sinks(34.0, 2.7, 260),
    )
    f.silent = {"jw0313"}
    f.event("jw0313", last + 31, "DOWN", "Node unexpectedly rebooted")
    f.script_says(last + 33, "srun: error: Node failure on jw0313")
    slurm_ends(f, last + 34, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.dies(f.ranks, last + 37, signal=9)
    f.stand([(0, REST), (18, OPENED), (38, HARD_AT_WORK), (last + 2, WAITS_FOR_PEERS)])
    f.finish("NODE_FAIL", last + 43, failed_node="jw0313", step=("NODE_FAIL", 0, 9), code=1)
    return ill(f, "F1", fault="node")


@job
def second_time() -> Told:
    """F2: a node failed under the first try after five hours; Slurm queued the job again, the second try took up the checkpoint and finished."""
    f = Rig(
        ("ly-01", "ly-02", "ly-04", "ly-05"),
        "umt5-cpt",
        7_925_033,
        noted("2026-10-08 05:40:00"),
        per=8,
        kit=HOPPER_NEW,
        script="cpt5.py",
        submit_line="sbatch --requeue -N4 cpt5.sh",
    )
    chat(f)
    f.sacct(
        "NODE_FAIL",
        -19_900,
        -1400,
        code=1,
        steps=[("batch", "batch", "CANCELLED", 0, 15), ("extern", "extern", "COMPLETED", 0, 0), ("0", "python", "NODE_FAIL", 0, 9)],
        nodes="ly-01,ly-02,ly-03,ly-04",
        restarts=0,
        failed_node="ly-03",
    )
    f.script_says(1, "SLURM_RESTART_COUNT=1, newest state: /ly/umt5/state_6400")
    f.say(0, 48, "state_6400 loaded (optimizer, loader position, rng); next is 6401")
    last = f.run(
        0,
        range(6440, 14_001, 40),
        64,
        2.85,
        lambda i, x, t: f"{f.clock(t)} span-corr it={i} loss={x:.4f} acc={0.3 + (3 - x) / 5:.3f} lr={1e-3 * (6400 / i) ** 0.5:.2e}",
        sinks(5.2, 1.44, 700),
    )
    f.say(0, last + 19, f"{f.clock(last + 19)} span-corr all 14000 iterations done, final state written")
    f.stand([(0, REST), (24, OPENED), (60, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 27, restarts=1)
    return ill(f, "F2", fault="none", variant="requeued_recovered")


@job
def too_short() -> Told:
    """F3: a Trainer with 9,000 updates planned is at 5,300 when its eight hours are over; it saves every five hundred and was getting better."""
    f = Rig(
        ("qa-1", "qa-2", "qa-3", "qa-4"),
        "embed-e5-multi",
        7_926_190,
        noted("2026-10-10 10:10:00"),
        per=8,
        kit=GRACE,
        launcher=True,
        limit_s=28_800,
        script="e5.py",
        submit_line="sbatch -N4 --time=08:00:00 e5.sh",
    )
    chat(f)

    def line(i: int, x: float, t: float) -> str:
        said = f"{{'loss': {x:.4f}, 'grad_norm': {0.9 + x / 2:.4f}, 'learning_rate': {3e-5 * (1 - i / 9000):.4e}, 'epoch': {i / 3000:.2f}}}\n {100 * i // 9000:>2}%|{'█' * (i // 900):<10}| {i}/9000 [{int(t - 90) // 3600}:{int(t - 90) // 60 % 60:02d}:{int(t - 90) % 60:02d}<{int((9000 - i) * 5.4) // 3600}:{int((9000 - i) * 5.4) // 60 % 60:02d}:{i % 60:02d},  5.40s/it]"
        return said + (f"\nSaving model checkpoint to e5/checkpoint-{i}" if i % 500 == 0 else "")

    f.run(0, range(20, 9001, 20), 90, 5.4, line, sinks(3.1, 0.42, 500), until=28_811)
    slurm_ends(f, 28_815, "DUE TO TIME LIMIT")
    f.dies(f.ranks, 28_818, signal=15)
    f.stand([(0, REST), (30, OPENED), (84, HARD_AT_WORK)])
    f.finish("TIMEOUT", 28_823)
    return ill(f, "F3", variant="advancing")


@job
def by_the_office() -> Told:
    """F4: an administrator cancels a run that was going well; Slurm has the number of another user."""
    f = Rig(
        ("fe-5", "fe-6"),
        "nequip-oxides",
        7_927_007,
        noted("2026-10-12 14:14:00"),
        per=8,
        kit=HOPPER_WIDE,
        script="nequip_train.py",
        submit_line="sbatch oxides.sh",
    )
    chat(f)
    last = f.run(
        0,
        range(1, 118),
        52,
        94.0,
        lambda i, x, _t: (
            f"  {i:>5}   wall {52 + 94 * i:>8.1f}  LR 0.005  loss_f {x:.5f}  loss_e {x / 90:.6f}  f_mae {x * 0.21:.4f}  e/N_mae {x / 400:.6f}"
        ),
        sinks(0.91, 0.031, 7),
    )
    slurm_ends(f, last + 41)
    f.dies(f.ranks, last + 43, signal=15)
    f.stand([(0, REST), (22, OPENED), (48, HARD_AT_WORK)])
    f.finish("CANCELLED", last + 48, cancelled_by_uid=611)
    return ill(f, "F4", variant="by_other", fault="unknown")
