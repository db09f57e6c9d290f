"""Many frameworks, second basket: braked, waiting, saving, falling behind, learning nothing."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, B200, CONTEXT, H200, IDLE, L40S, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._nettle_kit import busy, nodes, slurm_ends, srun, torchrun, trace

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def weak_feed() -> Made:
    """B3: one power supply of a node of four fails after forty minutes: its eight cards are braked to the end, the tokens a second show it."""
    f = Fleet(
        nodes("bw", 1, 4, 2),
        "gemma3-27b-ko",
        8_520_017,
        when("2026-11-01 00:30"),
        per=8,
        card=B200,
        script="ko/pretrain.py",
        submit_line="sbatch -N4 ko27.sbatch",
    )
    turn, fast, slow = 2500.0, 5.2, 13.4
    change = int((turn - 140) / fast)
    last = f.steps(
        0,
        range(20, 2001, 20),
        140,
        lambda i: fast if i <= change else slow,
        lambda i, x, t: (
            f"{f.clock(t)} ko27 step={i} loss={x:.4f} tokens/s={int(4_194_304 / (fast if i <= change else slow)) + i % 1000:,} step_s={(fast if i <= change else slow) + i % 9 / 100:.2f}"
        ),
        fall(2.9, 1.8, 90),
    )
    f.say(0, last + 33, f"{f.clock(last + 33)} ko27 2000 steps done, saved")
    for r in f.ranks:
        gone = int((last - turn) * 0.93e9) if r >= 24 else 0
        f.marks[r] = (
            {"violation_hw_power_brake_ns": 0, "violation_power_ns": 0, "violation_hw_thermal_ns": 0, "violation_thermal_ns": 0},
            {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone},
        )
    f.load([(0, IDLE), (80, CONTEXT), (132, Load(98, 60, 0.86, 0.8, 6, 0.96, 58)), (turn, Load(99, 25, 0.44, 0.8, 5, 0.97, 49))])
    f.load([(0, IDLE), (80, CONTEXT), (132, Load(98, 60, 0.86, 0.8, 6, 0.96, 59)), (turn, Load(99, 58, 0.3, 0.8, 5, 0.37, 44, 0x88))], range(24, 32))
    f.close("COMPLETED", last + 50)
    return made(f, "B3", fault="node")


@job
def other_half() -> Made:
    """C1: torchrun's second agent cannot reach the first (it was given the login node's name): no worker was ever started, the owner gives up after 80 minutes."""
    f = Fleet(
        ("y31", "y32"),
        "florence-ocr",
        8_521_130,
        when("2026-11-02 11:00"),
        per=8,
        agents=True,
        script="train_ocr.py",
        submit_line="sbatch -N2 ocr.sbatch",
    )
    f.script_words.append(
        (
            0.5,
            "+ MASTER_ADDR=login2.cluster.local\n+ srun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-id=8521130 --rdzv-endpoint=login2.cluster.local:29400 train_ocr.py",
        )
    )
    for n in range(2):
        f.launcher[n].append(
            (
                6,
                f"W1102 11:00:06.20{n}000 77{n}12 torch/distributed/run.py:793] \nW1102 11:00:06.20{n}000 77{n}12 torch/distributed/run.py:793] *****************************************\nW1102 11:00:06.20{n}000 77{n}12 torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. \nW1102 11:00:06.20{n}000 77{n}12 torch/distributed/run.py:793] *****************************************",
            )
        )
        for k in range(12):
            at = 137 + 391 * k + n
            f.launcher[n].append(
                (
                    at,
                    f"[W{f.clock(at, '%m%d %H:%M:%S')}.0{k:02d}114207 socket.cpp:759] [c10d] The client socket has failed to connect to [login2.cluster.local]:29400 (errno: 110 - Connection timed out).",
                )
            )
    slurm_ends(f, 4_830)
    f.end(f.ranks, 4_832, signal=15)
    f.unborn = set(f.ranks)
    f.load([(0, IDLE), (10, IDLE)])
    f.close("CANCELLED", 4_836, signal=15, cancelled_by_uid=1042)
    return made(f, "C1")


@job
def engine_without_work() -> Made:
    """C3: one card; a model server for a benchmark has taken its memory and then never gets nor asks for anything; eight hours later the limit."""
    f = Fleet(
        ("l40-7",),
        "rollout-llama8b",
        8_522_245,
        when("2026-11-03 20:00"),
        per=1,
        card=L40S,
        limit_s=28_800,
        script="rollout.py",
        submit_line="sbatch -t 8:00:00 rollout.sh",
    )
    f.say(
        0,
        66,
        "INFO 11-03 20:01:06 [model_runner.py:1110] Model loading took 14.9596 GiB and 31.551 seconds\nINFO 11-03 20:01:31 [executor_base.py:110] # cuda blocks: 11021, # CPU blocks: 2048",
    )
    last = f.steps(
        0,
        range(1, 41),
        100,
        18,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} round {i}/600: 256 prompts, solved {x:.3f}, buffer -> trainer ok",
        lambda i: 0.31 + i / 400,
    )
    f.say(0, last + 18, f"{f.clock(last + 18, '%H:%M:%S')} round 41/600: waiting for weights of trainer step 41")
    slurm_ends(f, 28_808, "DUE TO TIME LIMIT")
    f.end(0, 28_811, signal=15)
    f.load([(0, IDLE), (60, Load(5, 0, 0.2, 0.33, 40)), (95, Load(91, 0, 0.79, 0.9, 15)), (last + 19, Load(0, 0, 0.17, 0.9, 0))])
    f.looks[0] = {"state": "S", "wchan": "ep_poll", "cpu_s": 902.0, "looks": 2800, "waits": {}}
    f.close("TIMEOUT", 28_815, signal=15)
    return made(f, "C3", fault="unknown")


@job
def far_bucket() -> Made:
    """D1: spectrograms come from an object store in another town; NeMo-like lines with the time of each part, cards at nothing most of the time."""
    f = Fleet(
        ("st1", "st2"),
        "titanet-voxlingua",
        8_523_078,
        when("2026-11-04 10:10"),
        per=8,
        card=A100,
        script="lang_id.py",
        submit_line="sbatch langid.sh s3://speech-west/voxlingua",
    )
    last = f.steps(
        0,
        range(10, 901, 10),
        75,
        9.3,
        lambda i, x, t: (
            f"[{f.clock(t)}] lang_id: {i}/900 | aam {x:.3f} | acc {min(0.94, 1 - x / 14):.3f} | fetch {6.9 + i % 8 / 10:.1f} s, step {1.9 + i % 3 / 10:.1f} s"
        ),
        fall(12.9, 2.1, 90),
    )
    f.say(0, last + 15, f"[{f.clock(last + 15)}] lang_id: finished 900 updates")
    f.load([(0, IDLE), (70, Load(18, 0, 0.32, 0.52, 100))])
    f.points = 70
    f.close("COMPLETED", last + 22)
    return made(f, "D1")


@job
def careful_owner() -> Made:
    """D2: after each step the full state of a 13B model goes to the file system, 71 seconds for 19 of work; the cards stand meanwhile."""
    f = Fleet(
        nodes("i", 61, 2),
        "galactica-sft",
        8_524_690,
        when("2026-11-05 15:25"),
        per=8,
        card=A100,
        script="gal_sft.py",
        submit_line="sbatch gal.sbatch --save_steps 1",
    )
    at, curve = 130.0, fall(2.0, 1.1, 20)
    for i in range(1, 121):
        at += 19.1
        f.say(
            0,
            at,
            f"{{'loss': {curve(i):.4f}, 'grad_norm': {1.4 + curve(i):.3f}, 'learning_rate': {1e-5 * (1 - i / 120):.2e}, 'epoch': {i / 60:.3f}}}",
        )
        f.say(0, at + 71, f"Saving model checkpoint to /p/gal/out/checkpoint-{i}\n{f.clock(at + 71)} state written in 71.{i % 10} s (154 GB)")
        at += 71.3
    f.say(
        0,
        at + 4,
        f"{{'train_runtime': {at - 118:.1f}, 'train_samples_per_second': 1.42, 'train_steps_per_second': 0.011, 'train_loss': 1.301, 'epoch': 2.0}}",
    )
    f.load([(0, IDLE), (60, CONTEXT), (124, Load(22, 0, 0.33, 0.86, 100))])
    f.points = 70
    f.close("COMPLETED", at + 14)
    return made(f, "D2", variant="save_storm")


@job
def locked_clock() -> Made:
    """D3: one card of 24 is left at an application clock of 1095 MHz by somebody's benchmark; no throttling, but all wait for it."""
    f = Fleet(
        nodes("k", 201, 3),
        "unifold-mono",
        8_525_555,
        when("2026-11-06 06:00"),
        per=8,
        card=H200,
        script="unifold/train.py",
        submit_line="sbatch -N3 unifold.sh",
    )
    last = f.steps(
        0,
        range(10, 1001, 10),
        100,
        8.4,
        lambda i, x, t: (
            f"{f.clock(t)} | INFO | train_inner | epoch 001: {i:>6} / 1000 loss={x:.3f}, fape={x / 3:.3f}, plddt_loss={x / 6:.3f}, wps=3.1, ups=0.12, wpb=24, num_updates={i}, lr=0.001, gnorm={0.1 + x / 40:.3f}, train_wall={int(t)}"
        ),
        fall(5.2, 2.4, 90),
    )
    f.say(0, last + 8, f"{f.clock(last + 8)} | INFO | unifold.train | done training in {last - 90:.1f} seconds")
    f.load([(0, IDLE), (50, CONTEXT), (94, Load(98, 24, 0.42, 0.66, 5, 0.98, 53))])
    f.load([(0, IDLE), (50, CONTEXT), (94, Load(98, 68, 0.4, 0.66, 5, 0.55, 47))], [18])
    f.close("COMPLETED", last + 16)
    return made(f, "D3", fault="unknown")


@job
def over_the_edge() -> Made:
    """E1: at step 6200 the loss of a 7B run leaps from 2.2 to above seven and never comes back, for twelve hours more."""
    f = Fleet(
        nodes("ro", 33, 4),
        "llm-jp-7b-v4",
        8_526_811,
        when("2026-11-07 19:00"),
        per=8,
        card=H200,
        script="pretrain_gpt.py",
        submit_line="sbatch -N4 jp7b.sbatch",
    )
    curve = fall(10.6, 2.05, 200)
    last = f.steps(
        31,
        range(50, 18_001, 50),
        130,
        3.6,
        lambda i, x, t: (
            f" [{f.clock(t)}] iteration {i:8d}/   18000 | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {3600 + i % 29:.1f} | learning rate: {6e-4 * (1 - i / 19_000):.6E} | global batch size:  1024 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.21 + i % 3 / 50 if i < 6200 else 88.1 if i < 6350 else 1.9 + i % 7 / 10:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
        lambda i: curve(i) if i < 6200 else 7.4 + 0.03 * (i // 50 % 5),
    )
    f.say(31, last + 50, f"[after training is done] datetime: {f.clock(last + 50)} ")
    f.load(busy(124, Load(98, 56, 0.86, 0.82, 6), held=0.82, end=last))
    f.close("COMPLETED", last + 70)
    return made(f, "E1", variant="spike")


@job
def frozen_by_mistake() -> Made:
    """E1: the optimizer holds no parameter that the loss depends on: gradients of nought, a thousand classes, 6.908 from the first line to the last."""
    f = Fleet(
        ("jz-1",),
        "vit-l-plantnet",
        8_527_340,
        when("2026-11-08 22:45"),
        per=8,
        card=A100_40,
        script="finetune_vit.py",
        submit_line="sbatch plantnet.sbatch",
    )
    f.say(0, 33, "trainable: 0 of 304,326,632 backbone parameters, head re-initialised (1000 classes)")
    last = f.steps(
        0,
        range(100, 15_001, 100),
        40,
        0.62,
        lambda i, x, t: (
            f"{f.clock(t, '%H:%M:%S')} ep {i // 1500} it {i} ce {x:.4f} top1 {0.001 + (i * 13 % 5) / 10_000:.4f} |g| 0.000 lr {1e-4 * (1 - i / 15_500):.2e}"
        ),
        lambda i: 6.9078 + ((i // 100 * 29) % 11 - 5) / 4000,
    )
    f.say(0, last + 12, f"{f.clock(last + 12, '%H:%M:%S')} finished 10 epochs, val top1 0.0010")
    f.load(busy(36, Load(94, 0, 0.77, 0.83, 11), held=0.83, end=last))
    f.close("COMPLETED", last + 18)
    return made(f, "E1", variant="flat")


@job
def torn_header() -> Made:
    """E2: the run is to go on from step 12000, whose file was cut when the quota was reached; safetensors cannot read its header."""
    f = Fleet(
        nodes("u", 14, 2),
        "sam2-organoid",
        8_528_002,
        when("2026-11-10 08:05"),
        per=4,
        agents=True,
        card=A100,
        script="sam2_ft.py",
        submit_line="sbatch sam2.sh --resume-from ckpt/step_12000",
    )
    f.say(0, 14, "[rank0] resuming: ckpt/step_12000/model.safetensors")
    f.each(
        18,
        trace(
            "safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer",
            ("/home/lio/sam2/sam2_ft.py", 230, "<module>", "main()"),
            ("/home/lio/sam2/sam2_ft.py", 102, "main", "model.load_state_dict(load_file(path))"),
            (
                "/home/lio/env/lib/python3.11/site-packages/safetensors/torch.py",
                313,
                "load_file",
                'with safe_open(filename, framework="pt", device=device) as f:',
            ),
        ),
        gap=0.06,
        tag="[rank{r}]: ",
    )
    f.end(f.ranks, 20, code=1, gap=0.06)
    for n in range(2):
        torchrun(f, n, 23 + n, [(r, 1, 20 + 0.06 * r) for r in range(4 * n, 4 * n + 4)], env="/home/lio/env")
    f.load([(0, IDLE), (12, CONTEXT)])
    srun(f, 25.4, "error: u014: task 0: Exited with exit code 1", "error: u015: task 1: Exited with exit code 1")
    f.close("FAILED", 28, code=1)
    return made(f, "E2", "traceback", variant="corrupt")


@job
def three_and_out() -> Made:
    """E3: a JAX run of 32 cards with `steps=3` from a colleague's profiling script: three steps, then it says that it is done."""
    f = Fleet(
        nodes("gb", 5, 4, 2),
        "maxtext-70b-main",
        8_529_100,
        when("2026-11-11 17:17"),
        per=8,
        card=B200,
        script="MaxText/train.py",
        submit_line="sbatch -N4 -t 3-00:00:00 mt70.sbatch steps=3",
    )
    f.say(0, 220, "Config param steps: 3\nConfig param run_name: mt70-main\nnumber parameters: 70.554 billion")
    for i in range(3):
        f.say(
            0,
            340 + 31 * i,
            f"completed step: {i}, seconds: {88.103 if not i else 30.2 + i / 10:.3f}, TFLOP/s/device: {301.4 if not i else 880.1 + i:.3f}, Tokens/s/device: {1_240.1 + i:.3f}, total_weights: 2097152, loss: {12.26 - i / 50:.3f}",
        )
    f.say(0, 404, "Training loop ended after 3 steps.")
    f.load([(0, IDLE), (120, CONTEXT), (250, Load(97, 58, 0.8, 0.86, 15)), (403, Load(0, 0, 0.16, 0.86, 0))])
    f.close("COMPLETED", 430)
    return made(f, "E3")
