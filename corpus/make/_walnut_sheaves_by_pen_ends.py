"""Jobs as their owners found them: broken off, killed, or standing still."""

from __future__ import annotations

from corpus.make._heron_ledgers_by_pen_base import (
    AMPERE,
    AMPERE_40,
    BLACKWELL,
    EMPTY,
    GRACE,
    HOPPER_200,
    HOPPER_NVL,
    RTX,
    Dial,
    Writer,
    Written,
    curve,
    frames,
    ill,
    when,
)
from corpus.make._heron_ledgers_by_pen_kit import Yard
from corpus.make._heron_ledgers_by_pen_words import agent_words, slurm_ends, srun


def bare_container() -> Written:
    """A1: the image of the week has no Transformer Engine; all ranks fail at their imports."""
    y = Yard(
        ("sw-31", "sw-32"),
        "swissgpt-fp8",
        9_310_007,
        when("2026-10-12 09:02:00"),
        pipe=True,
        board=BLACKWELL,
        program=("/opt/venv/bin/python3", "-u", "fp8_train.py"),
        submit_line="sbatch fp8.sbatch",
    )
    y.script(0.8, "image: /images/torch-2.8-week41.sqsh   WORLD_SIZE=16   OMP_NUM_THREADS=8")
    for n in range(2):
        y.all_tell(
            24,
            lambda _: frames(
                ("/work/swissgpt/fp8_train.py", 14, "<module>", "from swissgpt.layers import Block"),
                ("/work/swissgpt/swissgpt/layers.py", 6, "<module>", "import transformer_engine.pytorch as te"),
                error="ModuleNotFoundError: No module named 'transformer_engine'",
            ),
            y.ranks_of(n),
            gap=0.02,
            tag="[rank@]: ",
        )
        y.stop(y.ranks_of(n), 25, code=1)
        agent_words(y, n, 27.5, {r: (25 + 0.02 * (r % 8), 1) for r in y.ranks_of(n)}, site="/opt/venv", pack="2.7", word="fp8_train.py")
    y.dial([(0, EMPTY)])
    srun(y, 28, "error: sw-31: task 0: Exited with exit code 1", "error: sw-32: task 1: Exited with exit code 1")
    return ill(y.finish("FAILED", 30, code=1), "A1", "missing_module", variant="env")


def cached_graphs() -> Written:
    """A2: each rank caches the graphs it has seen in memory; after eleven epochs the step is at its limit and the kernel kills rank 6."""
    y = Yard(
        ("mm-09",),
        "crystal-gnn",
        9_310_344,
        when("2026-10-13 21:30:00"),
        board=AMPERE,
        program=("python3", "crystal.py"),
        submit_line="sbatch --mem=480G crystal.sh",
    )
    f = curve(0.81, 0.06, 2)
    last = y.march(
        0,
        range(1, 12),
        40,
        612,
        lambda i, t: (
            f"ep {i:>3} | E mae {f(i) * 41:7.2f} meV/atom | F mae {f(i) * 102:7.2f} meV/A | host rss {12 + 41 * i} GiB | {y.clock(t, '%a %H:%M')}"
        ),
    )
    y.oom_kill(6, last + 371, 480, 6)
    y.stop(6, last + 371.1, signal=9)
    y.stop(y.others(6), last + 374, signal=9)
    y.dial([(0, EMPTY), (36, Dial(88, 0, 303, 47, 22))])
    y.host("mm-09", "host_memory_available_bytes", "bytes", [(60, 9.4e11), (2000, 7.9e11), (4000, 6.5e11), (6000, 5.2e11), (last + 360, 5.0e11)])
    y.script(last + 372, f"slurmstepd: error: Detected 1 oom_kill event in StepId={y.job_id}.0. Some of the step tasks have been OOM Killed.")
    srun(y, last + 372.4, "error: mm-09: task 6: Out Of Memory", f"Terminating StepId={y.job_id}.0", "error: mm-09: tasks 0-5,7: Killed")
    return ill(
        y.finish(
            "OUT_OF_MEMORY",
            last + 377,
            signal=125,
            batch=(1, 0),
            step=("OUT_OF_MEMORY", 0, 125),
            tres_alloc="billing=8,cpu=128,gres/gpu=8,mem=480G,node=1",
        ),
        "A2",
        "oom_killer",
        first_ranks=(6,),
    )


def left_on_host() -> Written:
    """A3: the first validation mixes a mask that stayed on the host with scores on the card; all eight ranks fail alike."""
    y = Yard(
        ("tk-1", "tk-2"),
        "midas-rel",
        9_310_615,
        when("2026-10-15 14:11:00"),
        per=4,
        board=HOPPER_NVL,
        program=("python3", "-u", "rel/main.py"),
        submit_line="sbatch rel.sh",
    )
    f = curve(2.4, 0.5, 130)
    last = y.march(
        0,
        range(40, 2001, 40),
        51,
        0.64,
        lambda i, t: f"{y.clock(t, '%d.%m.%Y %H:%M:%S')} - train - {i}/2000 of epoch 0 - scale-inv {f(i):.4f} - {96 / 0.64:.0f} samples/s",
    )
    y.tell(0, last + 2, f"{y.clock(last + 2, '%d.%m.%Y %H:%M:%S')} - valid - NYU, 654 pictures")
    y.all_tell(
        last + 6,
        lambda r: frames(
            ("/data/rel/rel/main.py", 144, "<module>", "run(cfg)"),
            ("/data/rel/rel/main.py", 101, "run", "metrics = validate(net, nyu)"),
            ("/data/rel/rel/metrics.py", 29, "update", "err = (pred[mask] - target[mask]).abs() / scale"),
            error=f"RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:{r % 4} and cpu!",
        ),
        gap=0.1,
    )
    y.stop(y.world, last + 8, code=1, gap=0.1)
    y.dial([(0, EMPTY), (47, Dial(94, 48, 331, 58))])
    srun(y, last + 10, "error: tk-1: tasks 0-3: Exited with exit code 1", "error: tk-2: tasks 4-7: Exited with exit code 1")
    return ill(y.finish("FAILED", last + 12, code=1), "A3", "device_mismatch")


def refinement() -> Written:
    """B1: an adaptive solver in CuPy refines around a shock; the new level of rank 3 no longer fits its card."""
    y = Yard(
        ("fl-4", "fl-5"),
        "amr-shock",
        9_310_902,
        when("2026-10-17 08:00:00"),
        per=4,
        board=AMPERE_40,
        program=("python3", "amr.py", "bubble.yaml"),
        submit_line="sbatch amr.sh bubble",
    )
    last = y.march(
        0,
        range(20, 881, 20),
        35,
        3.3,
        lambda i, _: (
            f"cycle {i:>5}  t={i * 3.1e-5:.5f}  dt=3.1e-05  blocks {4096 + 9 * i}  levels 5  |div B|max {2e-14 * (1 + i % 5):.1e}  mass {1.0 - i * 1e-12:.12f}"
        ),
    )
    y.tell(0, last + 12, "regrid at cycle 884: level 6 wanted, blocks 12040 -> 31877 (rank 3: 9120)")
    y.tell(
        3,
        last + 19,
        frames(
            ("/home/alice/amr/amr.py", 402, "<module>", "main()"),
            ("/home/alice/amr/amr.py", 377, "main", "grid.regrid(flags)"),
            ("/home/alice/amr/grid.py", 211, "regrid", "fresh = cp.zeros((n, NVAR, B, B, B), dtype=cp.float64)"),
            ("/sw/py311/lib/python3.11/site-packages/cupy/_creation/basic.py", 248, "zeros", "a = cupy.ndarray(shape, dtype, order=order)"),
            ("cupy/cuda/memory.pyx", 1084, "cupy.cuda.memory.SingleDeviceMemoryPool._try_malloc", ""),
            error="cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 26,895,974,400 bytes (allocated so far: 23,408,017,408 bytes).",
        ).replace("\n    \n", "\n"),
    )
    y.stop(3, last + 21, code=1)
    y.stop(y.others(3), last + 24, signal=9)
    y.dial([(0, EMPTY), (32, Dial(91, 0, 288, 22, 14))])
    srun(
        y,
        last + 22,
        "error: fl-4: task 3: Exited with exit code 1",
        f"Terminating StepId={y.job_id}.0",
        "error: fl-4: tasks 0-2: Killed",
        "error: fl-5: tasks 4-7: Killed",
    )
    return ill(y.finish("FAILED", last + 27, code=1), "B1", "cuda_oom", first_ranks=(3,))


def two_bits() -> Written:
    """B2: a double-bit error in one card's memory; the driver names it, the counters went up, its rank gets the error."""
    y = Yard(
        ("al-17", "al-18"),
        "asr-hausa-xl",
        9_311_208,
        when("2026-10-19 02:45:00"),
        board=AMPERE,
        program=("python3", "-m", "speech.train"),
        submit_line="sbatch hausa.sh",
    )
    f = curve(4.4, 0.9, 300)
    last = y.march(
        0,
        range(100, 9101, 100),
        63,
        0.71,
        lambda i, t: (
            f"[{y.clock(t)}] upd {i:06d} ctc {f(i):.3f} att {f(i) * 0.8:.3f} wer {min(99.0, 22 * f(i)):.1f} lr {1e-3 * (400 / max(400, i)) ** 0.5:.2e}"
        ),
    )
    y.xid(11, last + 14, 48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 7, subpartition 0.")
    y.xid(11, last + 14.1, 63, "Row Remapper: New row (0x0000000000a41c07) marked for remapping, reset gpu to activate.", owner=False)
    y.counters[11] = ({}, {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "remapped_rows_uncorrectable": 1, "remap_pending": True})
    y.tell(
        11,
        last + 16,
        frames(
            ("/project/asr/speech/train.py", 318, "<module>", "cli()"),
            ("/project/asr/speech/train.py", 251, "fit", "meter.add(loss.item())"),
            error="RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
    )
    y.stop(11, last + 18, code=1)
    y.stop(y.others(11), last + 21, signal=9)
    y.dial([(0, EMPTY), (58, Dial(95, 0, 338, 62))])
    srun(
        y,
        last + 19,
        "error: al-18: task 11: Exited with exit code 1",
        f"Terminating StepId={y.job_id}.0",
        "error: al-17: tasks 0-7: Killed",
        "error: al-18: tasks 8-10,12-15: Killed",
    )
    return ill(y.finish("FAILED", last + 25, code=1), "B2", "cuda_runtime", variant="fault", fault="node", first_ranks=(11,))


def half_a_supply() -> Written:
    """B3: from the second hour on the power brake holds the four cards of one node at a third of their clock; epochs grow from 7 to 19 minutes."""
    y = Yard(
        ("ps-1", "ps-2"),
        "tab-former",
        9_311_530,
        when("2026-10-20 16:00:00"),
        per=4,
        board=HOPPER_200,
        program=("python3", "tabformer.py"),
        readings=44,
        submit_line="sbatch tab.sh",
    )
    f, turn = curve(0.66, 0.31, 3), 50 + 9 * 430.0
    last = y.march(
        0,
        range(1, 25),
        50,
        lambda i: 430 if i <= 9 else 1150,
        lambda i, _: (
            f"Epoch {i}/24\n2100/2100 - {430 if i <= 9 else 1150}s - {(430 if i <= 9 else 1150) * 1000 // 2100}ms/step - auc: {0.95 - f(i) / 3:.4f} - loss: {f(i):.4f} - val_auc: {0.94 - f(i) / 3:.4f} - val_loss: {f(i) * 1.04:.4f}"
        ),
    )
    y.tell(0, last + 6, "fit() returned, history in tab/history.json")
    for r in y.world:
        held = int((last - turn) * 0.96e9) if r < 4 else 0
        y.counters[r] = (
            {"violation_hw_power_brake_ns": 11_000, "violation_power_ns": 11_000, "violation_hw_thermal_ns": 0, "violation_thermal_ns": 0},
            {"violation_hw_power_brake_ns": 11_000 + held, "violation_power_ns": 11_000 + held},
        )
    y.dial([(0, EMPTY), (46, Dial(96, 55, 560, 77, heat=60)), (turn, Dial(99, 21, 269, 77, heat=48))], range(4, 8))
    y.dial([(0, EMPTY), (46, Dial(96, 55, 563, 77, heat=60)), (turn, Dial(99, 58, 208, 77, clock=0.34, heat=44, throttle=0x88))], range(4))
    return ill(y.finish("COMPLETED", last + 14), "B3", fault="node")


def fifteen_of_sixteen() -> Written:
    """C1: JAX waits for its sixteenth process, which cannot resolve the coordinator's name; after the patience of all the service ends them."""
    y = Yard(
        tuple(f"gr{n:02d}" for n in range(1, 17)),
        "jax-ocean",
        9_311_804,
        when("2026-10-22 11:30:00"),
        per=1,
        board=GRACE,
        program=("python3", "-u", "ocean/main.py"),
        submit_line="sbatch -N16 ocean.sh",
    )
    y.all_tell(
        14,
        lambda r: f"I1022 11:30:14.{200 + r}711 {y.pid_of(r)} distributed.py:125] Connecting to JAX distributed service on gr01.cluster:8476",
        gap=0.02,
    )
    for k in range(9):
        y.tell(
            13,
            45 + 68 * k,
            f"W1022 11:{30 + (45 + 68 * k) // 60}:{(45 + 68 * k) % 60:02d}.118200 {y.pid_of(13)} client.cc:91] RegisterTask: UNAVAILABLE: DNS resolution failed for gr01.cluster:8476: C-ares status is not ARES_SUCCESS qtype=A name=gr01.cluster is_balancer=0: Domain name not found",
        )
    text = "Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details. Disable Python buffering, i.e. `python -u`, to be sure to see all the previous output. absl::Status: DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect:0. # of tasks that reached the barrier: 15/16. The first task at the barrier: /job:jax_worker/replica:0/task:3. Some timed out task names:\n/job:jax_worker/replica:0/task:13"
    y.all_tell(646, lambda r: f"F1022 11:40:46.{400 + r}031 {y.pid_of(r)} client.h:77] {text}", [r for r in y.world if r != 13], gap=0.05)
    y.stop([r for r in y.world if r != 13], 648, signal=6, gap=0.05)
    y.stop(13, 655, signal=9)
    y.dial([(0, EMPTY)])
    srun(
        y,
        650,
        *(f"error: {n}: task {k}: Aborted (core dumped)" for k, n in enumerate(y.nodes) if k != 13),
        f"Terminating StepId={y.job_id}.0",
        "error: gr14: task 13: Killed",
    )
    return ill(y.finish("FAILED", 659, code=134, batch=(134, 0), step=("FAILED", 0, 6)), "C1", fault="unknown")


def fifteen_go_on_waiting() -> Written:
    """C2: the kernel kills rank 11 for its memory; srun was told not to mind, and the fifteen others spin in their reduction for six hours until the owner cancels."""
    y = Yard(
        ("ox-1", "ox-2", "ox-3", "ox-4"),
        "lattice-flow",
        9_312_115,
        when("2026-10-24 19:00:00"),
        per=4,
        board=HOPPER_NVL,
        program=("python3", "lattice.py"),
        readings=40,
        submit_line="sbatch -N4 lattice.sh",
    )
    y.script(0.7, "+ srun --kill-on-bad-exit=0 --mem=180G python3 lattice.py --beta 6.1 --volume 48x48x48x96")
    last = y.march(
        0,
        range(5, 466, 5),
        62,
        6.4,
        lambda i, t: (
            f"traj {i:>5}  dH {0.31 * ((i * 7) % 11 - 5) / 5:+.4f}  acc {0.81 + i % 9 / 100:.2f}  plaq {0.60411 + (i * 13 % 17) * 1e-6:.6f}  ess {min(0.74, 0.2 + i / 900):.3f}  {y.clock(t, '%H:%M:%S')}"
        ),
    )
    y.oom_kill(11, last + 8, 180, 3)
    y.stop(11, last + 8.1, signal=9)
    srun(y, last + 9, "error: ox-3: task 11: Out Of Memory")
    end = last + 21_900
    slurm_ends(y, end)
    y.stop(y.others(11), end + 4, signal=15)
    y.dial([(0, EMPTY), (58, Dial(96, 57, 344, 55)), (last + 9, Dial(100, 1.0, 131, 55, 0))])
    y.dial([(0, EMPTY), (58, Dial(96, 57, 347, 55)), (last + 8.2, EMPTY)], [11])
    y.cpu.update({r: [(200.0, 102.0), (last, 101.0), (last + 600, 100.0), (end, 100.0)] for r in (0, 5, 14)})
    return ill(y.finish("CANCELLED", end + 8, signal=15, cancelled_by_uid=1042), "C2", "oom_killer", trigger="A2", first_ranks=(11,))


def mute_simulator() -> Written:
    """C3: one card; the process waits on a socket for a game server that no longer answers; nothing for nine hours, then its owner cancels."""
    y = Yard(
        ("rt-2",),
        "starcraft-league",
        9_312_460,
        when("2026-10-26 22:22:00"),
        per=1,
        board=RTX,
        limit_s=172_800,
        program=("python3", "league.py"),
        readings=60,
        submit_line="sbatch league.sh",
    )
    last = y.march(
        0,
        range(1, 181),
        25,
        31,
        lambda i, t: (
            f"[{y.clock(t, '%H:%M')}] league round {i:>4}: win {0.31 + 0.3 * (1 - 0.99**i):.3f}  v-loss {0.9 * 0.992**i:.4f}  games {i * 64}  kl 0.01{i % 9}"
        ),
    )
    end = last + 9.2 * 3600
    slurm_ends(y, end)
    y.stop(0, end + 20, signal=15)
    y.dial([(0, EMPTY), (22, Dial(71, 0, 196, 21, 40)), (last + 6, Dial(0, 0, 74, 21, 0, 0.8, 37))])
    y.seen[0] = {"state": "S", "wchan": "sk_wait_data", "looks": 3600, "waits": {}, "cpu_s": 5120.0}
    y.cpu[0] = [(300.0, 91.0), (last, 88.0), (last + 120, 0.0), (end - 60, 0.0)]
    return ill(y.finish("CANCELLED", end + 24, signal=15, cancelled_by_uid=1042), "C3", fault="unknown")


JOBS: tuple[Writer, ...] = (
    bare_container,
    cached_graphs,
    left_on_host,
    refinement,
    two_bits,
    half_a_supply,
    fifteen_of_sixteen,
    fifteen_go_on_waiting,
    mute_simulator,
)
