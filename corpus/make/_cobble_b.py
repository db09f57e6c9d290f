"""Labs and courses, second sheet: hot cards, ranks that wait, cards that wait."""

from __future__ import annotations

from corpus.make._ballast import A100_40, COLD, CONTEXT, H100, H200, IDLE, L40S, SPIN, WIRE, WORK, Load, Made, Maker, fall, keep, made, when
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


@job
def dead_mount() -> Made:
    """C3: the file server of the data goes away; the process waits in the kernel for it, the card holds its memory, the limit comes."""
    f = Lab(
        ("clim-gpu1",),
        "sst-convlstm",
        922_455,
        when("2026-11-07 06:00"),
        per=1,
        card=H100,
        limit_s=28_800,
        script="sst.py",
        submit_line="sbatch -t 8:00:00 sst.job",
    )
    last = f.steps(
        0,
        range(20, 1181, 20),
        61,
        1.15,
        lambda i, x, t: f"sst[{f.clock(t, '%Y%j %H%M%S')}] batch {i} of 9400: rmse {x:.4f} degC",
        fall(1.4, 0.42, 100),
    )
    f.stopped(28_807, "DUE TO TIME LIMIT")
    f.end(0, 28_840, signal=9)
    f.looks[0] = {
        "state": "D",
        "wchan": "rpc_wait_bit_killable",
        "cpu_s": 1302.0,
        "looks": 2750,
        "waits": {"D rpc_wait_bit_killable": 2610},
        "file_systems": ("nfs4 /archive",),
    }
    f.load([(0, IDLE), (56, WORK), (last + 8, COLD)])
    f.close("TIMEOUT", 28_843, signal=15)
    return made(f, "C3", fault="unknown")


@job
def two_cores() -> Made:
    """D1: two cores decode video for an H100; the program's own table says that it waits for data three quarters of the time."""
    f = Lab(("gpu42",), "sign-language-r3d", 922_600, when("2026-11-08 11:11"), per=1, card=H100, script="r3d.py", submit_line="sbatch -c 2 sign.sh")

    def line(i: int, x: float, _t: float) -> str:
        return f"Epoch: [{i // 300}][{i % 300:>3}/300]\tTime 4.{60 + i % 9}s (4.62)\tData 3.{50 + i % 11}s (3.54)\tLoss {x:.4f}\tAcc@1 {max(0.5, 88 - 26 * x):.2f}"

    f.script_words.append((1, "cpus: 2, gpu: 1, clips: 41220, decoder: pyav"))
    last = f.steps(0, range(10, 1200, 10), 70, 4.62, line, fall(3.2, 0.7, 120))
    f.say(0, last + 60, " * val Acc@1 71.830  (best, saved)\nran 4 epochs, exiting")
    f.load([(0, IDLE), (66, Load(23, 11, 0.27, 0.41, 100))])
    f.points = 60
    f.close("COMPLETED", last + 64, tres_alloc="billing=10,cpu=2,gres/gpu=1,mem=32G,node=1")
    return made(f, "D1")


@job
def tiny_files() -> Made:
    """D1: millions of small files on a shared disk: four cards stand at nothing between bursts."""
    f = Lab(
        ("gpu38",),
        "cell-painting-dino",
        922_777,
        when("2026-11-09 08:30"),
        per=4,
        card=H100,
        agents=True,
        script="cp_dino.py",
        submit_line="sbatch cpdino.sh",
    )
    last = f.steps(
        0,
        range(10, 801, 10),
        80,
        6.6,
        lambda i, x, t: (
            f"[rank0] {f.clock(t, '%m-%d %H:%M:%S')} it {i}/800  dino {x:.4f}  iter 6.{i % 9}s = load 5.{i % 7} + compute 0.9 + other 0.1"
        ),
        fall(9.9, 5.2, 90),
    )
    f.say(0, last + 8, "[rank0] it 800 reached; 88 min total, of which 77 min in next(loader)")
    f.load([(0, IDLE), (76, Load(15, 8, 0.24, 0.52, 100))])
    f.points = 60
    f.close("COMPLETED", last + 15)
    return made(f, "D1")


@job
def every_step_kept() -> Made:
    """D2: save_steps=1 with a whole optimiser state: a minute of writing after each eight seconds of training."""
    f = Lab(
        ("gpu47",),
        "clinical-llama8b",
        922_940,
        when("2026-11-10 13:13"),
        per=4,
        card=H100,
        agents=True,
        script="run_clm.py",
        submit_line="sbatch clin.sh --save_steps 1 --save_total_limit 2",
    )
    at, curve = 75.0, fall(2.0, 1.3, 25)
    for i in range(1, 91):
        at += 8.2
        f.say(
            0,
            at,
            f"{{'loss': {curve(i):.4f}, 'grad_norm': {0.9 + curve(i) / 7:.4f}, 'learning_rate': {1e-5 * (1 - i / 90):.3e}, 'epoch': {2 * i / 90:.2f}}}",
        )
        f.say(0, at + 0.3, f"Saving model checkpoint to out/clin8b/checkpoint-{i}")
        at += 58.5
        f.say(
            0,
            at,
            f"Deleting older checkpoint [out/clin8b/checkpoint-{i - 2}] due to args.save_total_limit"
            if i > 2
            else f"checkpoint-{i} written (89.3 GB)",
        )
    f.say(
        0,
        at + 2,
        f"{{'train_runtime': {at - 70:.1f}, 'train_samples_per_second': 0.95, 'train_steps_per_second': 0.015, 'train_loss': 1.5127, 'epoch': 2.0}}",
    )
    f.load([(0, IDLE), (70, Load(13, 7, 0.24, 0.82, 100))])
    f.points = 60
    f.close("COMPLETED", at + 9)
    return made(f, "D2", variant="save_storm")


@job
def over_the_office_network() -> Made:
    """D2: NCCL found no InfiniBand and talks over one gigabit of Ethernet: all sixteen cards spin in their collectives."""
    f = Lab(
        ("gpu54", "gpu55", "gpu56", "gpu57"),
        "geo-mae",
        923_100,
        when("2026-11-11 19:40"),
        per=4,
        card=H100,
        script="geomae.py",
        submit_line="sbatch -N4 geomae.sbatch",
    )
    f.each(
        20,
        "{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO NET/IB : No device found.\n{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO NET/Socket : Using [0]eno1:10.3.8.{r}<0>\n{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO Using network Socket",
    )
    f.each(31, "{node}:400{r:02d}:404{r:02d} [{l}] NCCL INFO Channel 00/0 : {r} -> next [send] via NET/Socket/0", [3, 7, 11, 15])
    last = f.steps(
        0,
        range(5, 301, 5),
        60,
        19.4,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} step {i}/300 mae={x:.4f} fwd=0.4s bwd+allreduce=18.{i % 9}s opt=0.1s",
        fall(1.0, 0.46, 40),
    )
    f.say(0, last + 10, f"{f.clock(last + 10, '%H:%M:%S')} 300 steps finished, encoder saved")
    f.load([(0, IDLE), (56, WIRE)])
    f.close("COMPLETED", last + 18)
    return made(f, "D2", variant="interconnect", fault="cluster")


@job
def rank_five_counts() -> Made:
    """D3: rank 5 alone builds the graphs of the largest molecules: its SMs are busy, those of the others wait in the collective."""
    f = Lab(
        ("gpu44", "gpu45"),
        "mace-oxides",
        923_310,
        when("2026-11-12 09:15"),
        per=4,
        card=H200,
        script="mace_train.py",
        submit_line="sbatch -N2 mace.sh",
    )

    def line(i: int, x: float, t: float) -> str:
        text = f"{f.clock(t)}.{i % 1000:03d} INFO: Epoch 0 step {i}: loss={x:.4f}, RMSE_F={x * 92:.1f} meV / A"
        if i % 200 == 0:
            text += "\n    edges per rank [k]: " + ", ".join(str(1480 + i % 60 if r == 5 else 395 + (i * r) % 31) for r in range(8))
        return text

    last = f.steps(0, range(25, 2401, 25), 66, 1.62, line, fall(1.4, 0.19, 120))
    f.say(0, last + 6, f"{f.clock(last + 6)}.402 INFO: Training complete, 2400 of 2400 steps")
    f.load([(0, IDLE), (60, Load(99, 15, 0.34, 0.4))])
    f.load([(0, IDLE), (60, Load(98, 58, 0.66, 0.64))], [5])
    f.close("COMPLETED", last + 13)
    return made(f, "D3", fault="unknown")


@job
def locked_low() -> Made:
    """D3: the clocks of one card of four were left at 750 MHz by an experiment of last week; the other three wait for it."""
    f = Lab(
        ("rob-h",),
        "diffusion-policy",
        923_500,
        when("2026-11-13 15:00"),
        per=4,
        card=H100,
        agents=True,
        script="dp/train.py",
        submit_line="sbatch dp.sbatch",
    )
    last = f.steps(
        0,
        range(100, 6001, 100),
        45,
        0.74,
        lambda i, x, _t: (
            f'[rank0] {{"global_step": {i}, "train_loss": {x:.5f}, "lr": {1e-4 * (1 - i / 6600):.2e}, "sec_per_step": 0.7{i % 10}, "wait_allreduce_s": 0.4{i % 9}}}'
        ),
        fall(0.9, 0.04, 300),
    )
    f.say(0, last + 5, '[rank0] {"global_step": 6000, "event": "finished", "test_success": 0.84}')
    f.load([(0, IDLE), (40, Load(98, 24, 0.4, 0.45, clock=0.98, heat=50))])
    f.load([(0, IDLE), (40, Load(99, 69, 0.37, 0.45, clock=0.38, heat=43))], [1])
    f.close("COMPLETED", last + 11)
    return made(f, "D3", fault="unknown")


@job
def unzip_each_time() -> Made:
    """D1: each sample is a gzip that is opened for one pixel row; the run's own warning and gaps of seconds on the card."""
    f = Lab(
        ("clim-gpu2",),
        "landslide-unet",
        923_640,
        when("2026-11-14 10:45"),
        per=1,
        card=H100,
        alone=True,
        script="landslide.py",
        submit_line="sbatch slides.job",
    )
    last = f.steps(
        0,
        range(1, 61),
        50,
        61,
        lambda i, x, t: f"{f.clock(t, '%H:%M')}  ep {i:>2}/60  loss {x:.4f}  IoU {0.62 - x / 2:.3f}  |  gpu busy 9 s, waiting for batches 52 s",
        fall(0.8, 0.17, 8),
    )
    f.say(0, last + 4, "best IoU 0.521 at ep 57, model in out/landslide_best.pt")
    f.load([(0, IDLE), (48, Load(14, 7, 0.23, 0.2, 100))])
    f.points = 60
    f.close("COMPLETED", last + 8, tres_alloc="billing=4,cpu=4,gres/gpu=1,mem=32G,node=1")
    return made(f, "D1")
