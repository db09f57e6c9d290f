"""Labs and courses, second sheet: hot cards, ranks that wait, cards that wait, more of them."""

from __future__ import annotations

from corpus.make._ballast import COLD, H100, H200, IDLE, WIRE, WORK, Load, Made, Maker, fall, keep, made, when
from corpus.make._cobble_kit import Lab

JOBS: list[Maker] = []
job = keep(JOBS)
QUIET = {"violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0}


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
