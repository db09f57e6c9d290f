"""Large jobs, second slate: waiting for one another, for data, for a launch."""

from __future__ import annotations

from corpus.make._otter_bells_by_pen_book import (
    AMPERE,
    HARD_AT_WORK,
    HOPPER,
    HOPPER_NEW,
    HOPPER_WIDE,
    LEFT_ALONE,
    OPENED,
    REST,
    WAITS_FOR_PEERS,
    Pose,
)
from corpus.make._otter_bells_by_pen_chatter import chat
from corpus.make._otter_bells_by_pen_talk import slurm_ends
from corpus.make._otter_bells_by_pen_yard import Rig, Teller, Told, ill, noted, shelf, sinks
from gpualert_slurm.stall import Waits

JOBS: list[Teller] = []
job = shelf(JOBS)


@job
def wrong_door() -> Told:
    """C1: the ranks of the last node try an address that is not reachable from there; the other 24 of 32 wait for them until the job's hour is over."""
    f = Rig(
        ("nd051", "nd052", "nd053", "nd090"),
        "sim2real-pi",
        7_911_050,
        noted("2026-09-15 14:00:00"),
        per=8,
        kit=HOPPER_NEW,
        limit_s=3600,
        script="policy/train.py",
        submit_line="sbatch -N4 --time=1:00:00 pi.sh",
    )
    chat(f, ranks=False)
    f.script_says(1, "MASTER_ADDR=192.168.14.51 MASTER_PORT=6123 world=32 init timeout=86400")
    f.all_say(12, lambda r: f"{f.clock(12)} rank {r:02d}/32 on {f.host(r)} gpu {r % 8}: joining tcp://192.168.14.51:6123", apart=0.1)
    f.all_say(13, lambda r: f"{f.clock(13)} rank {r:02d}/32: store is up, waiting for the world", f.on(0, 1, 2), apart=0.1)
    for k in range(9):
        for r in f.on(3):
            at = 75 + 61 * k + 0.2 * (r % 8)
            f.say(
                r,
                at,
                f"[W{f.clock(at, '%m%d %H:%M:%S')}.{70 + k}0114{r:02d} socket.cpp:697] [c10d] The client socket has failed to connect to [192.168.14.51]:6123 (errno: 113 - No route to host).",
            )
    for k in range(5):
        f.say(0, 312 + 600 * k, f"{f.clock(312 + 600 * k)} rank 00/32: 24 of 32 have come, waiting since {300 + 600 * k} s")
    slurm_ends(f, 3612, "DUE TO TIME LIMIT")
    f.dies(f.ranks, 3615, signal=15)
    f.stand([(0, REST)])
    f.standstill(3, 1290, 565, 61.0, dict.fromkeys(f.on(3), (Waits.RENDEZVOUS, "S", "connect")), idle=True)
    f.finish("TIMEOUT", 3619)
    return ill(f, "C1", fault="unknown")


@job
def nobody_noticed() -> Told:
    """C2: rank 41 dies of a bad address in a codec; srun was told not to end the step for it, NCCL's patience is a day, so 63 ranks spin until the limit."""
    nodes = tuple(f"pm{n:03d}" for n in range(60, 68))
    f = Rig(
        nodes,
        "av-hubert-xl",
        7_912_117,
        noted("2026-09-17 18:00:00"),
        per=8,
        kit=HOPPER,
        limit_s=36_000,
        script="avh/train.py",
        submit_line="sbatch -N8 --time=10:00:00 avh.sh",
    )
    chat(f)
    f.script_says(1.2, "+ srun --kill-on-bad-exit=0 python -u avh/train.py --dist-timeout-min 1440")
    last = f.run(
        0,
        range(50, 3951, 50),
        90,
        1.61,
        lambda i, x, t: (
            f"[{f.clock(t)}][avh][INFO] - {i:06d} loss={x:.3f} correct_m={max(0.02, 0.61 - x / 18):.3f} ups=0.62 wpb=81920 lr={min(i, 3000) * 2e-7:.2e} gnorm={0.9 + x / 10:.3f}"
        ),
        sinks(8.1, 3.2, 240),
    )
    f.kernel(
        "pm065",
        last + 1.6,
        "kernel_segfault",
        f"python[{f.pid(41)}]: segfault at 0 ip 00007fd1f0a4c0b1 sp 00007fcf3affc8d0 error 6 in libavcodec.so.60.31.102[7fd1f0300000+b41000] likely on CPU 88 (core 24, socket 1)",
        process="python",
        pid=f.pid(41),
    )
    f.script_says(last + 2.4, "srun: error: pm065: task 41: Segmentation fault (core dumped)")
    f.dies(41, last + 1.8, signal=11)
    f.standstill(
        5,
        last + 660,
        last,
        80.5,
        {r: (Waits.COLLECTIVE, "R", "all_reduce") for r in f.on(5) if r != 41} | {41: (Waits.DEAD, "Z", "dead")},
        culprit=41,
        why="is dead while its peers wait in a collective",
        idle=False,
    )
    slurm_ends(f, 36_009, "DUE TO TIME LIMIT")
    f.dies(f.but(41), 36_012, signal=15, apart=0.01)
    f.stand([(0, REST), (30, OPENED), (85, HARD_AT_WORK), (last + 3, WAITS_FOR_PEERS)])
    f.stand([(0, REST), (30, OPENED), (85, HARD_AT_WORK), (last + 2, REST)], [41])
    f.finish("TIMEOUT", 36_017)
    return ill(f, "C2", "segfault", first=(41,), trigger="A2")


@job
def fourth_epoch() -> Told:
    """C3: one card; at the change of epochs the loader's workers wait for each other's lock; nothing more until the day is over."""
    f = Rig(
        ("wk-19",),
        "docvqa-donut",
        7_913_009,
        noted("2026-09-19 20:30:00"),
        per=1,
        kit=AMPERE,
        limit_s=86_400,
        script="donut.py",
        submit_line="sbatch --time=1-0 donut.sh",
    )
    chat(f, ranks=False)
    curve = sinks(4.4, 0.7, 3)
    at = 40.0
    for e in range(4):
        for k in range(1, 11):
            at += 66
            x = curve(e + k // 10)
            f.say(0, at, f"epoch {e} {k * 10:>3}% nll {x + 0.02 * (10 - k):.4f} edit-dist {max(0.05, x / 8):.3f}")
        if e < 3:
            f.say(0, at + 31, f"epoch {e} done, val anls {0.41 + 0.07 * e:.3f}")
            at += 33
    f.seen[0] = {"state": "S", "wchan": "futex_wait_queue_me", "looks": 8400, "cpu_s": 4011.0, "waits": {}}
    f.standstill(0, at + 700, at, 66.0, {0: (Waits.DATA_LOADER, "S", "_try_get_data")}, idle=True)
    slurm_ends(f, 86_411, "DUE TO TIME LIMIT")
    f.dies(0, 86_414, signal=15)
    f.stand([(0, REST), (20, OPENED), (38, Pose(93, 0, 0.78, 0.61)), (at + 2, LEFT_ALONE._replace(held=0.61))])
    f.cpu[0] = [(100, 121.0), (at - 30, 118.0), (at + 400, 0.1), (40_000, 0.1), (86_400, 0.1)]
    f.finish("TIMEOUT", 86_418)
    return ill(f, "C3", fault="unknown")


@job
def tape() -> Told:
    """D1: a Lightning run over a catalogue of spectra in HDF5 without chunks; its own profile at the end lays three quarters of the time to fetching batches."""
    f = Rig(
        ("os-4",),
        "sdss-spectra",
        7_914_120,
        noted("2026-09-21 07:07:00"),
        per=8,
        kit=HOPPER_NEW,
        script="spectra.py",
        submit_line="sbatch -c 2 spectra.sh",
    )
    chat(f)
    last = f.run(
        0,
        range(1, 41),
        51,
        165.0,
        lambda i, x, _t: f"Epoch {i - 1}: 100%|██████████| 61/61 [02:4{i % 9}<00:00,  0.37it/s, v_num=3, train_mse={x:.4f}, val_mse={x * 1.1:.4f}]",
        sinks(0.8, 0.09, 5),
    )
    f.say(
        0,
        last + 9,
        "`Trainer.fit` stopped: `max_epochs=40` reached.\nFIT Profiler Report\n\n"
        + "-" * 78
        + f"\n|  {'Action':<34}|  {'Mean duration (s)':<18}|  {'Total time (s)':<15}|\n"
        + "-" * 78
        + f"\n|  {'run_training_epoch':<34}|  {'163.02':<18}|  {'6520.8':<15}|\n|  {'[_TrainingEpochLoop].train_dataloader_next':<34}|  {'2.021':<18}|  {'4931.2':<15}|\n|  {'run_training_batch':<34}|  {'0.551':<18}|  {'1344.4':<15}|\n|  {'[Strategy]DDPStrategy.backward':<34}|  {'0.301':<18}|  {'734.4':<15}|\n"
        + "-" * 78,
    )
    f.looks = 80
    f.stand([(0, REST), (18, OPENED), (47, Pose(18, 9, 0.29, 0.34, 100))])
    f.host_series(0, "host_psi_io_percent", "percent", [(60 + 260 * k, 66 + 5 * (k % 4)) for k in range(25)])
    f.finish("COMPLETED", last + 18)
    return ill(f, "D1")


@job
def one_by_one() -> Told:
    """D2: each launch waits for its kernel: CUDA_LAUNCH_BLOCKING is still set for all sixteen ranks from last week's search; slow alike, and right."""
    f = Rig(
        ("we-11", "we-12"),
        "point-e-large",
        7_915_044,
        noted("2026-09-23 12:12:00"),
        per=8,
        kit=HOPPER,
        launcher=True,
        script="pe/train.py",
        submit_line="sbatch pe.sh",
    )
    chat(f)
    f.script_says(1, "export CUDA_LAUNCH_BLOCKING=1\nexport NCCL_DEBUG=WARN\ntorchrun --nnodes 2 --nproc-per-node 8 pe/train.py")
    for r in f.ranks:
        f.env[r] = {"CUDA_LAUNCH_BLOCKING": "1"}
    last = f.run(
        0,
        range(25, 2001, 25),
        60,
        3.7,
        lambda i, x, t: f"{f.clock(t, '%b %d %H:%M:%S')} step {i:>5}: mse {x:.5f}, vb {x / 40:.6f}, {3.7 + i % 4 / 100:.2f} s",
        sinks(1.0, 0.19, 190),
    )
    f.say(0, last + 4, f"{f.clock(last + 4, '%b %d %H:%M:%S')} reached step 2000, ema weights written")
    f.stand([(0, REST), (20, OPENED), (56, Pose(71, 14, 0.31, 0.6, 41))])
    f.finish("COMPLETED", last + 12)
    return ill(f, "D2", variant="launch_blocking")


@job
def held_back() -> Told:
    """D3: the clock of one card was left locked at half of the others' by somebody's benchmark; nothing throttles it, and fifteen ranks wait for it in each step."""
    f = Rig(
        ("zz-1", "zz-2"), "bloom-distil", 7_916_090, noted("2026-09-25 03:03:00"), per=8, kit=HOPPER_WIDE, script="kd.py", submit_line="sbatch kd.sh"
    )
    chat(f)

    def line(i: int, x: float, t: float) -> str:
        said = f"{f.clock(t)} kd {i:>5}/4000 kl={x:.4f} {2.02 + i % 4 / 100:.2f}s"
        return said + (
            f"\n{f.clock(t)} kd own compute by rank, s: " + " ".join(f"{1.93 if r == 11 else 0.94 + (i + r) % 5 / 100:.2f}" for r in f.ranks)
            if i % 500 == 0
            else ""
        )

    last = f.run(0, range(50, 4001, 50), 70, 2.02, line, sinks(3.3, 0.7, 260))
    f.say(0, last + 5, f"{f.clock(last + 5)} kd 4000/4000, student in kd/final")
    f.stand([(0, REST), (25, OPENED), (66, Pose(99, 27, 0.46, 0.55, clock=0.98, warm=50))])
    f.stand([(0, REST), (25, OPENED), (66, Pose(98, 64, 0.41, 0.55, clock=0.5, warm=47))], [11])
    f.finish("COMPLETED", last + 13)
    return ill(f, "D3", fault="unknown")
