"""Labs and courses, second sheet: hot cards, ranks that wait, cards that wait."""

from __future__ import annotations

from corpus.make._ballast import A100_40, CONTEXT, H100, IDLE, L40S, SPIN, WORK, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, srun_says, watchdog
from corpus.make._cobble_kit import A40, RTX3090, Lab

JOBS: list[Maker] = []
job = keep(JOBS)
QUIET = {"violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0}


@job
def workstation_in_summer() -> Made:
    """B3: the fan of a workstation card gives up after half an hour: 93 degrees, a third of the clock, three times the time a step."""
    f = Lab(
        ("rob-b",),
        "nerf-lab-hall",
        921_004,
        when("2026-08-03 13:05"),
        per=1,
        card=RTX3090,
        alone=True,
        script="nerf.py",
        submit_line="sbatch nerf.sh hall",
    )
    turn = 1900.0
    pace = 0.062
    last = f.steps(
        0,
        range(500, 50_001, 500),
        30,
        lambda i: pace if i <= 30_000 else 3.1 * pace,
        lambda i, x, _t: f"[Iter {i:05d}] psnr {29.5 - 16 * x:.2f}  loss {x / 20:.6f}  {1 / (pace if i <= 30_000 else 3.1 * pace):.1f} it/s",
        fall(1.0, 0.05, 900),
    )
    f.say(0, last + 9, "test views: psnr 28.61, ssim 0.887\nwrote renders/hall_50000.mp4")
    gone = int((last - turn) * 0.94e9)
    f.marks[0] = (QUIET, {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone})
    f.load([(0, IDLE), (24, Load(97, 0, 0.92, 0.35, clock=0.9, heat=74)), (turn, Load(99, 0, 0.37, 0.35, clock=0.27, heat=93, throttle=0x48))])
    f.close("COMPLETED", last + 14)
    return made(f, "B3", fault="node")


@job
def weak_supply() -> Made:
    """B3: the power supply of one node of two pulls its brake; the clocks of its cards stay at a third and all eight ranks go at their pace."""
    f = Lab(
        ("gpu44", "gpu45"),
        "esm-mutscan",
        921_230,
        when("2026-09-07 10:10"),
        per=4,
        card=H100,
        script="esm_ft.py",
        submit_line="sbatch -N2 esm.sbatch",
    )
    turn = 1300.0
    last = f.steps(
        0,
        range(25, 2501, 25),
        70,
        lambda i: 0.81 if i <= 1500 else 2.2,
        lambda i, x, t: (
            f"{f.clock(t, '%H:%M:%S')} step {i:>5}/2500  mlm {x:.4f}  spearman(dev) {0.55 - x / 9:.3f}  sec/step {0.81 if i <= 1500 else 2.2:.2f}"
        ),
        fall(2.7, 1.1, 150),
    )
    f.say(0, last + 5, f"{f.clock(last + 5, '%H:%M:%S')} finished 2500 steps; weights in runs/esm_mutscan/final")
    for r in f.ranks:
        gone = int((last - turn) * 0.97e9) if r >= 4 else 0
        f.marks[r] = (QUIET, {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone})
    f.load([(0, IDLE), (64, Load(97, 58, 0.84, 0.6, clock=0.97, heat=60)), (turn, Load(99, 21, 0.38, 0.6, clock=0.97, heat=47))], range(4))
    f.load(
        [(0, IDLE), (64, Load(97, 57, 0.84, 0.6, clock=0.97, heat=61)), (turn, Load(99, 60, 0.3, 0.6, clock=0.33, heat=44, throttle=0x88))],
        range(4, 8),
    )
    f.close("COMPLETED", last + 12)
    return made(f, "B3", fault="node")


@job
def address_of_yesterday() -> Made:
    """C1: MASTER_ADDR is a host of yesterday's job, written into the script; nobody listens there, and each rank gives up after ten minutes."""
    f = Lab(
        ("gpu18", "gpu19"),
        "wav2vec-dialects",
        921_402,
        when("2026-11-02 09:30"),
        per=2,
        card=A40,
        script="dialects.py",
        submit_line="sbatch -N2 dialects.sh",
    )
    f.script_words.append((1, "MASTER_ADDR=gpu11 MASTER_PORT=29500 WORLD_SIZE=4"))
    f.each(9, "rank {r} on {node}: init_process_group(nccl, tcp://gpu11:29500)", gap=0.1)
    for r in f.ranks:
        at = 612 + r * 0.3
        stamp = f.clock(at, "%m%d %H:%M:%S")
        f.say(
            r,
            at,
            f"[W{stamp}.{188_204_117 + r} socket.cpp:697] [c10d] The client socket has failed to connect to [gpu11.hpc.uni.example]:29500 (errno: 111 - Connection refused).",
        )
        f.say(
            r,
            at + 0.4,
            frames(
                ("/home/alice/dialects/dialects.py", 260, "<module>", "main()"),
                ("/home/alice/dialects/dialects.py", 71, "main", 'dist.init_process_group("nccl", timeout=timedelta(minutes=10))'),
                ("/home/alice/envs/asr/lib/python3.11/site-packages/torch/distributed/rendezvous.py", 189, "_create_c10d_store", "return TCPStore("),
                error="torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (gpu11, 29500).",
            ),
            f"[rank{r}]: ",
        )
    f.end(f.ranks, 614, code=1, gap=0.3)
    srun_says(f, 617, "error: gpu18: tasks 0-1: Exited with exit code 1", "error: gpu19: tasks 2-3: Exited with exit code 1")
    f.load([(0, IDLE)])
    f.close("FAILED", 619, code=1)
    return made(f, "C1", "traceback", fault="user")


@job
def three_of_four() -> Made:
    """C1: four nodes should meet; the third's process never gets past mounting its container, the others wait until the limit."""
    f = Lab(
        ("gpu50", "gpu51", "gpu52", "gpu53"),
        "fourcastnet-1deg",
        921_655,
        when("2026-11-03 18:00"),
        per=1,
        card=H100,
        limit_s=10_800,
        script="fcn.py",
        submit_line="sbatch -N4 -t 3:00:00 fcn.sbatch",
    )
    for r in (0, 1, 3):
        f.say(r, 14 + r / 3, f"[fcn {f.clock(14 + r / 3, '%H:%M:%S')}] process {r}: waiting for all 4 processes at gpu50:23456 ...")
    for k in range(1, 18):
        f.say(0, 14 + 600 * k, f"[fcn {f.clock(14 + 600 * k, '%H:%M:%S')}] process 0: 3 of 4 have arrived (missing: 2), still waiting")
    f.stopped(10_806, "DUE TO TIME LIMIT")
    f.end(f.ranks, 10_809, signal=15)
    f.looks[2] = {
        "state": "D",
        "wchan": "wait_on_page_bit_common",
        "cpu_s": 0.7,
        "looks": 1070,
        "waits": {"D wait_on_page_bit_common": 1066},
        "file_systems": ("nfs4 /images",),
    }
    f.load([(0, IDLE), (14, CONTEXT)], [0, 1, 3])
    f.load([(0, IDLE)], [2])
    f.close("TIMEOUT", 10_812, signal=15)
    return made(f, "C1", fault="unknown")


@job
def uneven_shards() -> Made:
    """C2: one rank has a batch less and is at the end of its epoch; the others reduce gradients with nobody until the watchdogs end all."""
    f = Lab(
        ("gpu33",),
        "grasp-transformer",
        921_830,
        when("2026-11-04 12:45"),
        per=4,
        card=A100_40,
        agents=True,
        script="grasp/train.py",
        submit_line="sbatch grasp.sh",
    )
    last = f.steps(
        0,
        range(20, 1241, 20),
        44,
        0.95,
        lambda i, x, t: f"[rank0] {f.clock(t)} epoch 0 it {i} grasp_bce {x:.4f} pos_err_mm {6 + 20 * x:.1f}",
        fall(0.69, 0.21, 120),
    )
    f.say(3, last + 3, "[rank3] epoch 0: my shard is exhausted after 1243 batches, entering barrier")
    for r in f.ranks:
        at = last + 604 + r * 0.04
        kind, into = ("ALLREDUCE", 1) if r == 3 else ("ALLREDUCE", 12_845_056)
        f.say(r, at, watchdog(f, r, at, "2.5", (3733, kind, into, into), 600, ahead=0 if r == 3 else 3))
    f.end(f.ranks, last + 608, signal=6, gap=0.05)
    elastic(f, 0, last + 613, [(r, -6, last + 608 + 0.05 * r) for r in range(4)], version="2.5", binary="/home/alice/envs/grasp/bin/python")
    f.load([(0, IDLE), (40, WORK), (last + 2, SPIN)])
    f.close("FAILED", last + 617, code=1)
    return made(f, "C2", "nccl")


@job
def lonely_seven() -> Made:
    """C2: rank 2 dies of a corrupt image and srun leaves the seven others; they spin until the limit."""
    f = Lab(
        ("gpu60", "gpu61"),
        "moth-classifier",
        922_011,
        when("2026-11-05 20:00"),
        per=4,
        card=H100,
        limit_s=21_600,
        script="moths.py",
        submit_line="sbatch -N2 -t 6:00:00 moths.sh",
    )
    f.script_words.append((0.6, "+ srun --kill-on-bad-exit=0 python -u moths.py --epochs 30"))
    last = f.steps(
        0,
        range(50, 4151, 50),
        52,
        0.6,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} {i:>6} xent {x:.3f} top1 {max(0.0, 0.92 - x / 6):.3f} img/s {3400 + i % 60}",
        fall(6.3, 1.1, 200),
    )
    f.say(
        2,
        last + 4,
        frames(
            ("/home/alice/moths/moths.py", 201, "<module>", "run()"),
            ("/home/alice/moths/moths.py", 150, "run", "for x, y in loader:"),
            ("/home/alice/moths/env/lib/python3.12/site-packages/torch/_utils.py", 733, "reraise", "raise exception"),
            error='PIL.UnidentifiedImageError: Caught UnidentifiedImageError in DataLoader worker process 5.\nOriginal Traceback (most recent call last):\n  File "/home/alice/moths/data.py", line 31, in __getitem__\n    img = Image.open(self.paths[i]).convert("RGB")\nPIL.UnidentifiedImageError: cannot identify image file \'/data/moths/2023/plot17/IMG_20230714_0231.jpg\'',
        ),
    )
    f.end(2, last + 7, code=1)
    srun_says(f, last + 8, "error: gpu60: task 2: Exited with exit code 1")
    f.stopped(21_608, "DUE TO TIME LIMIT")
    f.end([r for r in f.ranks if r != 2], 21_611, signal=15)
    f.load([(0, IDLE), (48, WORK), (last + 4, SPIN)])
    f.load([(0, IDLE), (48, WORK), (last + 7, IDLE)], [2])
    f.close("TIMEOUT", 21_615, signal=15)
    return made(f, "C2", "traceback", first=(2,), trigger="A3")


@job
def worker_waits() -> Made:
    """C3: after the validation of epoch 3 nothing comes any more; the process sleeps in a futex with its memory held, for eleven hours, until its owner sees it."""
    f = Lab(
        ("gpu05",),
        "sam-roots",
        922_240,
        when("2026-11-06 17:20"),
        per=1,
        card=L40S,
        alone=True,
        limit_s=86_400,
        script="sam_roots.py",
        submit_line="sbatch roots.sh",
    )
    curve = fall(0.9, 0.2, 60)
    at = 33.0
    for e in range(1, 4):
        for b in range(40, 241, 40):
            at += 40 * 0.9
            f.say(0, at, f"E{e} {b:>3}/240 dice+focal={curve((e - 1) * 240 + b):.4f} ({f.clock(at, '%H:%M:%S')})")
        at += 55
        f.say(0, at, f"E{e} val IoU={0.41 + 0.08 * e:.3f}")
    f.say(0, at + 2, "E4 starting, 8 workers (persistent_workers=True)")
    end = at + 11 * 3600
    f.stopped(end)
    f.end(0, end + 2, signal=15)
    f.looks[0] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 2140.0, "looks": 4000, "waits": {}, "file_systems": ()}
    f.load([(0, IDLE), (30, Load(93, 0, 0.82, 0.55)), (at + 8, Load(0, 0, 0.16, 0.55, 0))])
    f.close("CANCELLED", end + 4, signal=15, cancelled_by_uid=1042)
    return made(f, "C3", fault="unknown")
