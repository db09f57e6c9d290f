"""A lab's jobs and its partners' larger ones, fourth jar: cards without room or broken, and ranks that wait."""

from __future__ import annotations

from corpus.make._ballast import (
    A100,
    B200,
    CONTEXT,
    H100,
    H200,
    IDLE,
    SPIN,
    WORK,
    Fleet,
    Load,
    Made,
    Maker,
    fall,
    keep,
    made,
    when,
)
from corpus.make._ballast_words import frames, srun_says, taken_down, watchdog

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def xla_wants_more() -> Made:
    """B1: a JAX diffusion model with double batch: XLA cannot get the buffer of its first compiled step."""
    f = Fleet(
        ("jb-2",),
        "latent-dit-jax",
        552_240,
        when("2026-10-12 16:06"),
        per=1,
        card=H100,
        script="train_dit.py",
        submit_line="sbatch dit.sh --batch 512",
    )
    f.say(
        0,
        14,
        "I1012 16:06:14.301184 40000 train_dit.py:88] devices: [CudaDevice(id=0)]\nI1012 16:06:15.120332 40000 train_dit.py:97] params: 675.1M, batch 512, remat off",
    )
    f.say(
        0,
        118,
        f"W{f.clock(118, '%m%d %H:%M:%S')}.664021 40188 bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 38.25GiB (rounded to 41070624768)requested by op \nW{f.clock(118, '%m%d %H:%M:%S')}.665104 40188 bfc_allocator.cc:512] ****************************************____________________________________________________________",
    )
    trace = frames(
        ("/home/ravi/dit/train_dit.py", 241, "<module>", "app.run(main)"),
        ("/home/ravi/dit/env/lib/python3.11/site-packages/absl/app.py", 316, "run", "_run_main(main, args)"),
        ("/home/ravi/dit/train_dit.py", 203, "main", "state, metrics = p_train_step(state, batch, rng)"),
        error="jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 41070624768 bytes.\nBufferAssignment OOM Debugging.\n             parameter allocation:    7.54GiB\n              preallocated temp allocation:   38.25GiB",
    )  # fmt: skip
    f.say(0, 119, trace)
    f.end(0, 122, code=1)
    f.load([(0, IDLE), (12, CONTEXT), (40, Load(3, 0.4, 0.16, 0.75, 30)), (112, Load(20, 6, 0.2, 0.75, 40))])
    srun_says(f, 122.4, "error: jb-2: task 0: Exited with exit code 1")
    f.close("FAILED", 124, code=1)
    return made(f, "B1", "cuda_oom", first=(0,))


@job
def two_bits() -> Made:
    """B2: a double-bit error in the memory of one card of sixteen (Xid 48 with 63 and 94), its rank gets the driver's ECC error and dies."""
    f = Fleet(
        ("q-a", "q-b"),
        "llava-onevision",
        552_455,
        when("2026-10-13 20:40"),
        per=8,
        card=H100,
        script="llava_train.py",
        submit_line="sbatch -N2 llava.sh",
    )
    last = f.steps(
        0,
        range(10, 1321, 10),
        140,
        5.9,
        lambda i, x, _t: (
            f"{{'loss': {x:.4f}, 'grad_norm': {0.7 + x / 2:.5f}, 'learning_rate': {1e-5 * (1 - i / 5200):.3e}, 'epoch': {i / 5197:.2f}}}"
        ),
        fall(1.9, 0.94, 60),
    )
    f.xid(11, last + 2.0, 48, "DBE (double bit error) in the FB: physical address 0x0000001a8ec42000")
    f.xid(11, last + 2.1, 94, "Contained: SM (0x1). RST: No, D-RST: No")
    f.marks[11] = (
        {"ecc_volatile_uncorrected": 0, "ecc_aggregate_uncorrected": 0},
        {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "remapped_rows_uncorrectable": 1, "remap_pending": True},
    )
    f.say(
        11,
        last + 3,
        frames(
            ("/mnt/vl/llava/llava_train.py", 122, "<module>", "train()"),
            ("/mnt/vl/llava/trainer.py", 88, "training_step", "self.accelerator.backward(loss)"),
            error="RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
        "[rank11]: ",
    )
    f.end(11, last + 5, code=1)
    f.end([r for r in f.ranks if r != 11], last + 9, signal=9)
    srun_says(f, last + 6, "error: q-b: task 11: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.load([(0, IDLE), (60, CONTEXT), (135, WORK)])
    f.close("FAILED", last + 12, code=1)
    return made(f, "B2", "cuda_runtime", variant="fault", fault="node", first=(11,))


@job
def one_supply_less() -> Made:
    """B3: a node loses a power supply and holds its eight cards with the power brake; the job goes on at a third of its pace."""
    f = Fleet(
        ("mx-1", "mx-2"), "hubert-xl", 552_700, when("2026-10-14 08:08"), per=8, card=A100, script="train_hubert.py", submit_line="sbatch hub.sh"
    )
    turn = 80 + 3000 * 0.9
    last = f.steps(
        0,
        range(100, 5001, 100),
        80,
        lambda i: 0.9 if i <= 3000 else 2.8,
        lambda i, x, t: (
            f'[{f.clock(t)}][hubert][INFO] - {{"epoch": 1, "update": {i}, "loss_m": "{x:.3f}", "acc_m": "{0.9 - x / 8:.3f}", "ups": "{1 / (0.9 if i <= 3000 else 2.8):.2f}", "wpb": "1.31e+06", "lr": "{5e-4 * (1 - i / 6000):.5f}"}}'
        ),
        fall(6.4, 2.6, 250),
    )
    f.say(0, last + 6, f"[{f.clock(last + 6)}][hubert][INFO] - reached max_update 5000, saved checkpoint_last.pt")
    f.load([(0, IDLE), (75, Load(97, 0, 0.86, 0.7, clock=0.97, heat=61)), (turn, Load(99, 0, 0.38, 0.7, clock=0.98, heat=50))], range(8))
    f.load(
        [(0, IDLE), (75, Load(97, 0, 0.86, 0.7, clock=0.97, heat=62)), (turn, Load(99, 0, 0.33, 0.7, clock=0.3, heat=46, throttle=0x88))],
        range(8, 16),
    )
    for r in f.ranks:
        held = int((last - turn) * 0.97e9) if r > 7 else 0
        f.marks[r] = ({"violation_power_ns": 0, "violation_hw_power_brake_ns": 0}, {"violation_power_ns": held, "violation_hw_power_brake_ns": held})
    f.close("COMPLETED", last + 14)
    return made(f, "B3", fault="node")


@job
def port_behind_wall() -> Made:
    """C1: two nodes of different racks; the second's ranks wait for the first's store, nobody gets further, the owner gives up after two hours."""
    f = Fleet(
        ("east-4", "west-1"),
        "segformer-b5",
        552_933,
        when("2026-10-16 10:00"),
        per=4,
        card=A100,
        script="seg_main.py",
        submit_line="sbatch -N2 seg.sh",
    )
    f.each(8, "{node} rank {r}/8: init_process_group(backend='nccl', init_method='tcp://east-4:29400', timeout=6h)", gap=0.05)
    for r in range(4, 8):
        for k in range(5):
            at = 70 + 1320.0 * k + r
            f.say(
                r,
                at,
                f"[W{f.clock(at, '%m%d %H:%M:%S')}.30{r}118{k:03d} socket.cpp:755] [c10d] The client socket cannot be initialized to connect to [east-4]:29400 (errno: 110 - Connection timed out).",
            )
    f.end(f.ranks, 7331, signal=15)
    taken_down(f, 7326, "")
    f.load([(0, IDLE)])
    f.close("CANCELLED", 7333, signal=15, cancelled_by_uid=1042)
    return made(f, "C1", fault="unknown")


@job
def fifteen_wait() -> Made:
    """C2: rank 3 dies of a broken image, srun was told not to kill; fifteen ranks wait half an hour in the gradients' all-reduce until the watchdog."""
    f = Fleet(("e31", "e32"), "swin-fungi", 553_107, when("2026-10-17 23:23"), per=8, card=H200, script="swin.py", submit_line="sbatch swin.sh")
    f.script_words.append((1, "+ srun --kill-on-bad-exit=0 --ntasks-per-node=8 python -u swin.py --cfg fungi.yaml"))
    last = f.steps(
        0,
        range(50, 4751, 50),
        61,
        0.8,
        lambda i, x, t: (
            f"[{f.clock(t)} swin] (swin.py 188): INFO Train: [{i // 1000}/30][{i % 1000}/1000]\teta 5:{i % 60:02d}:11 lr 0.000412\t time 0.80{i % 9}\tloss {x:.4f}\tgrad_norm {1.1 + x / 3:.4f}\tmem 44120MB"
        ),
        fall(6.2, 2.1, 500),
    )
    trace = frames(
        ("/opt/fungi/swin.py", 342, "<module>", "main(config)"),
        ("/opt/fungi/swin.py", 160, "main", "for idx, (samples, targets) in enumerate(loader):"),
        ("/opt/fungi/py/lib/python3.12/site-packages/PIL/ImageFile.py", 339, "load", "raise OSError(msg)"),
        error="OSError: image file is truncated (14 bytes not processed)",
    )  # fmt: skip
    f.say(3, last + 7, trace, "[rank3]: ")
    f.end(3, last + 9, code=1)
    stop = last + 8
    for r in f.ranks:
        if r != 3:
            f.say(r, stop + 1800 + r / 15, watchdog(f, r, stop + 1800, "2.6", (71_090, "ALLREDUCE", 13_107_200, 13_107_200), 1800))
            f.end(r, stop + 1804, signal=6)
    srun_says(f, last + 10, "error: e31: task 3: Exited with exit code 1")
    srun_says(f, stop + 1806, "error: e31: tasks 0-2,4-7: Aborted (core dumped)", "error: e32: tasks 8-15: Aborted (core dumped)")
    f.load([(0, IDLE), (56, WORK), (stop, SPIN)])
    f.load([(0, IDLE), (56, WORK), (stop + 2, IDLE)], [3])
    f.close("FAILED", stop + 1810, code=134)
    return made(f, "C2", "traceback", first=(3,), trigger="A3")


@job
def quiet_night() -> Made:
    """C3: an interactive habit in a batch job: after preprocessing on the card the script stands in a lock; the owner cancels it in the morning."""
    f = Fleet(("kd2",), "protein-emb", 553_290, when("2026-10-18 19:45"), per=1, card=B200, script="embed.py", submit_line="sbatch embed.sh")
    last = f.steps(
        0,
        range(500, 41_501, 500),
        44,
        0.033,
        lambda i, _x, t: f"{f.clock(t, '%H:%M:%S')} embedded {i} of 214,880 sequences (30.1/s), {i // 5000} shards written",
        lambda i: i,
    )
    f.looks[0] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 1533.0, "looks": 4200, "waits": {"S futex_wait_queue": 4055}}
    f.end(0, 46_204, signal=15)
    taken_down(f, 46_200, "")
    f.load([(0, IDLE), (40, Load(93, 45, 0.6, 0.3)), (last + 4, Load(0, 0, 0.13, 0.3, 0))])
    f.close("CANCELLED", 46_206, signal=15, cancelled_by_uid=1042)
    return made(f, "C3", fault="unknown")
