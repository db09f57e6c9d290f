"""Large models, third sheaf: slow by the network or by one card, in vain, too short, ended from outside."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, H200, IDLE, SPIN, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._nettle_kit import busy, nodes, slurm_ends, srun

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def wrong_wire() -> Made:
    """D2: NCCL finds no InfiniBand in the container and goes over sockets of the management network; all 32 cards wait for it alike."""
    f = Fleet(
        nodes("gx", 71, 4),
        "deepseek-moe-16b",
        8_431_006,
        when("2026-10-18 04:00"),
        per=8,
        script="pretrain_moe.py",
        submit_line="sbatch -N4 moe16.sbatch",
    )
    f.each(
        25,
        "{node}:400{r:02d}:407{r:02d} [{l}] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)\n{node}:400{r:02d}:407{r:02d} [{l}] NCCL INFO NET/IB : No device found.\n{node}:400{r:02d}:407{r:02d} [{l}] NCCL INFO NET/Socket : Using [0]eno1:10.1.71.{l}<0>\n{node}:400{r:02d}:407{r:02d} [{l}] NCCL INFO Using network Socket",
        gap=0.03,
    )
    last = f.steps(
        0,
        range(2, 301, 2),
        170,
        68.0,
        lambda i, x, t: (
            f"{f.clock(t, '%m/%d %H:%M:%S')} it {i}/300 loss {x:.4f} aux {0.0100 + x / 4000:.4f} | fwd {1.3:.1f}s bwd {2.6:.1f}s a2a {41.2 + i % 9 / 10:.1f}s grad-sync {22.1 + i % 7 / 10:.1f}s | 1,0{i % 90:02d} tok/s/gpu"
        ),
        fall(8.1, 3.3, 25),
    )
    f.say(0, last + 90, f"{f.clock(last + 90, '%m/%d %H:%M:%S')} training loop finished at iteration 300")
    f.points = 20
    f.load([(0, IDLE), (60, CONTEXT), (160, Load(99, 6.5, 0.24, 0.84, 3))])
    f.close("COMPLETED", last + 100)
    return made(f, "D2", variant="interconnect", fault="cluster")


@job
def heavier_share() -> Made:
    """D3: a sampler by length gives one rank all long sequences: it computes, fifteen wait in the all-reduce of each step, from start to end."""
    f = Fleet(
        ("bio-1", "bio-2"),
        "esm-contact-ft",
        8_432_440,
        when("2026-10-20 12:15"),
        per=8,
        script="train_contact.py",
        submit_line="sbatch contact.sbatch",
    )

    def line(i: int, x: float, t: float) -> str:
        row = f"{f.clock(t)} contact step={i:<6d} loss={x:.4f} p@L={0.61 - x / 9:.3f} dt=3.1{i % 9}s"
        if i % 200 == 0:
            row += f"\n{f.clock(t)} contact tokens in last 200 steps by rank: " + " ".join(
                str(11_404_288 + 9_113 * (i % 7) if r == 9 else 2_621_440 + (r * 40_961 * i) % 77_777) for r in range(16)
            )
        return row

    last = f.steps(0, range(20, 2401, 20), 70, 3.15, line, fall(2.9, 0.8, 170))
    f.say(0, last + 6, f"{f.clock(last + 6)} contact finished 2400 steps, weights in runs/contact/final.pt")
    f.load(busy(64, Load(99, 15, 0.36, 0.41, 5), held=0.41, end=last))
    f.load(busy(64, Load(97, 62, 0.81, 0.74, 5), held=0.74, end=last), [9])
    f.close("COMPLETED", last + 14)
    return made(f, "D3", fault="unknown")


@job
def never_a_number_again() -> Made:
    """E1: bf16 without clipping: the loss becomes nan at step 2870 and the run goes on for four hours, to the end of its schedule."""
    f = Fleet(
        nodes("hx", 21, 2),
        "mamba2-1.3b",
        8_433_719,
        when("2026-10-23 03:10"),
        per=8,
        agents=True,
        script="train_mamba.py",
        submit_line="sbatch mamba2.sh",
    )
    curve = fall(10.9, 2.7, 140)
    nan = float("nan")
    last = f.steps(
        0,
        range(10, 8001, 10),
        80,
        2.44,
        lambda i, x, _t: (
            f"[rank0] iter {i:6d} | lm_loss {x:.4f} | grad_norm {(0.9 + i % 7 / 10 if i < 2800 else 6.0 + (i - 2800) ** 1.3) if i < 2870 else nan:.3f} | lr {3e-4 * (1 - i / 9000):.3e} | 2.44 s/it"
        ),
        lambda i: curve(i) + (0.0 if i < 2820 else (i - 2820) / 18) if i < 2870 else nan,
    )
    f.say(0, last + 7, "[rank0] reached max_iters=8000, saved out/mamba2-1.3b/iter_8000.pt")
    f.load(busy(76, Load(98, 57, 0.85, 0.78, 6), held=0.78, end=last))
    f.close("COMPLETED", last + 16)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def from_nothing() -> Made:
    """E2: the second leg was to go on from the first; Megatron finds no metadata in the folder it was given and starts from random."""
    f = Fleet(
        nodes("mlx", 8, 4),
        "gpt-7b-leg2",
        8_434_260,
        when("2026-10-25 05:00"),
        per=8,
        script="pretrain_gpt.py",
        submit_line="sbatch --dependency=afterany:8433118 gpt7b.sbatch --load /ckpt/gpt7b/leg1 --save /ckpt/gpt7b/leg2",
    )
    f.script_words.append((1, "leg 2: continuing /ckpt/gpt7b/leg1 (iteration 24000, lm loss 2.31)"))
    f.each(
        95,
        "WARNING: could not find the metadata file /ckpt/gpt7b/leg1/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random",
        gap=0.01,
    )
    last = f.steps(
        31,
        range(50, 3001, 50),
        140,
        4.2,
        lambda i, x, t: (
            f" [{f.clock(t)}] iteration {i:8d}/   48000 | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {4200 + i % 31:.1f} | throughput per GPU (TFLOP/s/GPU): 409.{i % 9} | learning rate: {min(i, 2000) * 1.5e-7:.6E} | global batch size:  1024 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.5 + x / 3:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
        fall(10.9, 3.0, 180),
    )
    f.say(31, last + 40, f"[exiting program at iteration 3000] datetime: {f.clock(last + 40)} ")
    f.load(busy(132, Load(98, 58, 0.87, 0.8, 6), held=0.8, end=last))
    f.close("COMPLETED", last + 60, dependency="afterany:8433118")
    return made(f, "E2", variant="from_scratch")


@job
def four_steps() -> Made:
    """E3: 24 GPUs, a day asked for; the packed dataset has so few rows that one epoch is four steps."""
    f = Fleet(
        nodes("ax", 30, 3),
        "yi34b-legal-sft",
        8_435_001,
        when("2026-10-27 21:21"),
        per=8,
        agents=True,
        script="run_sft.py",
        submit_line="sbatch -N3 -t 24:00:00 yi_sft.sh",
    )
    f.say(
        0,
        104,
        "***** Running training *****\n  Num examples = 761\n  Num Epochs = 1\n  Instantaneous batch size per device = 2\n  Total train batch size (w. parallel, distributed & accumulation) = 192\n  Gradient Accumulation steps = 4\n  Total optimization steps = 4\n  Number of trainable parameters = 34,388,917,248",
    )
    for i, x in enumerate((1.9122, 1.9081, 1.8840, 1.8713), 1):
        f.say(0, 104 + 39 * i, f"{{'loss': {x}, 'grad_norm': {3.1 - i / 9:.4f}, 'learning_rate': {1e-5 * (1 - i / 4):.2e}, 'epoch': {i / 4:.2f}}}")
    f.say(
        0,
        300,
        "{'train_runtime': 191.8814, 'train_samples_per_second': 3.966, 'train_steps_per_second': 0.021, 'train_loss': 1.8939, 'epoch': 1.0}\n***** train metrics *****\n  epoch                    =        1.0\n  train_loss               =     1.8939\n  train_runtime            = 0:03:11.88\n  train_samples            =        761",
    )
    f.load([(0, IDLE), (60, CONTEXT), (100, Load(95, 47, 0.79, 0.9, 12)), (262, Load(0, 0, 0.14, 0.9, 0))])
    f.close("COMPLETED", 330)
    return made(f, "E3")


@job
def one_node_less() -> Made:
    """F1: node nv-114 of eight stops answering in the ninth hour; Slurm marks it down and ends the job."""
    f = Fleet(
        nodes("nv-", 110, 8),
        "olmoe-7b-32k",
        8_436_108,
        when("2026-10-29 14:00"),
        per=4,
        card=A100,
        script="launch/train.py",
        submit_line="sbatch -N8 olmoe.sbatch",
    )
    stop = 150 + 31_000.0
    f.steps(
        0,
        range(25, 4001, 25),
        150,
        9.9,
        lambda i, x, t: f"{f.clock(t, '%Y-%m-%dT%H:%M:%S')} step={i} ce={x:.4f} lb={0.012:.3f} zloss={0.001 + x / 5000:.4f} tps={71_400 + i % 800}",
        fall(6.1, 2.5, 120),
        until=stop,
    )
    f.silent = {"nv-114"}
    f.event("nv-114", stop + 90, "DOWN*+NOT_RESPONDING", "Not responding")
    srun(f, stop + 96, "error: Node failure on nv-114")
    slurm_ends(f, stop + 97, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, stop + 100, signal=9)
    f.load([*busy(140, Load(97, 0, 0.85, 0.79, 7), held=0.79, end=stop - 10), (stop + 2, SPIN)])
    f.close("NODE_FAIL", stop + 104, code=1, signal=9, failed_node="nv-114", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def outbid() -> Made:
    """F2: a run in the scavenger queue is preempted after three hours, saves on SIGTERM, and is not put back."""
    f = Fleet(
        nodes("sc", 3, 2),
        "sdxl-lora-bank",
        8_437_415,
        when("2026-10-31 22:30"),
        per=8,
        card=A100,
        script="train_bank.py",
        submit_line="sbatch -q scavenger --no-requeue bank.sh",
    )
    last = f.steps(
        0,
        range(50, 5201, 50),
        65,
        2.05,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} | INFO | bank | {i}/40000 | mse {x:.5f} | snr-w {x * 1.7:.5f} | 7.8 img/s/gpu",
        fall(0.21, 0.08, 300),
    )
    slurm_ends(f, last + 44, "DUE TO PREEMPTION")
    f.say(0, last + 45, f"{f.clock(last + 45, '%H:%M:%S')} | WARNING | bank | SIGTERM received, writing bank_005221.safetensors")
    f.end(f.ranks, last + 60, signal=15)
    f.load(busy(60, Load(96, 0, 0.84, 0.72, 9), held=0.72, end=last))
    f.close("PREEMPTED", last + 64, signal=15, qos="scavenger", restarts=0)
    return made(f, "F2", fault="cluster", variant="preempted")


@job
def two_days_were_short() -> Made:
    """F3: a MaxText run is at 61 % of its steps when its two days are over."""
    f = Fleet(
        nodes("gb", 1, 4, 2),
        "maxtext-34b",
        8_438_222,
        when("2026-11-02 08:00"),
        per=8,
        card=B200,
        limit_s=172_800,
        script="MaxText/train.py",
        submit_line="sbatch -N4 -t 2-00:00:00 mt34.sbatch",
    )
    f.steps(
        0,
        range(100, 30_001, 100),
        400,
        9.4,
        lambda i, x, _t: (
            f"completed step: {i}, seconds: 9.4{i % 90:02d}, TFLOP/s/device: 812.{i % 997:03d}, Tokens/s/device: {3480 + i % 9}.{i % 997:03d}, total_weights: 4194304, loss: {x:.3f}"
        ),
        fall(9.9, 2.2, 400),
        until=172_790,
    )
    f.say(0, 391, "Config param steps: 30000\nMemstats: After params initialized:\n\tUsing (GB) 61.12 / 176.4 (34.648526%) on cuda:0")
    slurm_ends(f, 172_806, "DUE TO TIME LIMIT")
    f.end(f.ranks, 172_809, signal=15)
    f.load(busy(390, Load(98, 61, 0.88, 0.81, 5), held=0.81, end=172_700))
    f.close("TIMEOUT", 172_812, signal=15)
    return made(f, "F3", variant="advancing")


@job
def changed_the_mixture() -> Made:
    """F4: the owner cancels a healthy run of 24 ranks after a day."""
    f = Fleet(
        nodes("e", 17, 3),
        "gemma2-9b-mix4",
        8_439_640,
        when("2026-11-05 09:30"),
        per=8,
        agents=True,
        card=H200,
        script="mix/run.py",
        submit_line="sbatch -N3 mix4.sbatch",
    )
    last = f.steps(
        0,
        range(50, 14_001, 50),
        110,
        6.05,
        lambda i, x, t: f"{f.clock(t, '%d %b %H:%M:%S')}  [{i:>6}/60000]  nll {x:.4f}  ppl-wiki {2.718 ** (x + 0.11):.2f}  lr {1.8e-4:.1e}  6.05 s",
        fall(7.7, 2.05, 250),
    )
    slurm_ends(f, last + 130)
    f.end(f.ranks, last + 132, signal=15)
    f.load(busy(104, Load(98, 56, 0.86, 0.77, 6), held=0.77, end=last, every=9_000, rest=150))
    f.close("CANCELLED", last + 136, signal=15, cancelled_by_uid=1042)
    return made(f, "F4", variant="by_owner")
