"""Jobs of many cards, second page: they stood still, or were slower than they had to be."""

from __future__ import annotations

from corpus.make._otter_bells_by_pen_book import AMPERE, HARD_AT_WORK, HOPPER_NEW, HOPPER_WIDE, LEFT_ALONE, OPENED, REST, WAITS_FOR_PEERS, Pose
from corpus.make._otter_bells_by_pen_chatter import chat
from corpus.make._otter_bells_by_pen_talk import nccl, slurm_ends, srun_ends, trace, waited_too_long
from corpus.make._otter_bells_by_pen_yard import Rig, Teller, Told, ill, noted, shelf, sinks
from gpualert_slurm.stall import Waits

JOBS: list[Teller] = []
job = shelf(JOBS)


@job
def fifteen_came() -> Told:
    """C1: one of sixteen nodes cannot resolve the name of the first; the launchers of the fifteen others wait for it, no process of training is ever begun."""
    nodes = tuple(f"lx-{n:04d}" for n in range(101, 117))
    f = Rig(nodes, "llama13b-ja", 6_811_020, noted("2026-07-16 09:00:00"), per=8, launcher=True, script="train.py", submit_line="sbatch -N16 ja13.sh")
    chat(f, ranks=False)
    f.script_says(2, "nodes: 16, rendezvous c10d at lx-0101:29400, min=max=16, join timeout 1200 s")
    for n in range(16):
        f.agent_says(
            n,
            6 + n * 0.1,
            f"W0716 09:00:06.{311_000 + n} {2_704_061 + n} torch/distributed/run.py:792] \nW0716 09:00:06.{311_090 + n} {2_704_061 + n} torch/distributed/run.py:792] *****************************************\nW0716 09:00:06.{311_120 + n} {2_704_061 + n} torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        )
    for k in range(14):
        at = 12 + 41.0 * k
        f.agent_says(
            11,
            at,
            f"[W{f.clock(at, '%m%d %H:%M:%S')}.6{k:02d}118330 socket.cpp:759] [c10d] The IPv6 network addresses of (lx-0101, 29400) cannot be retrieved (gai error: -3 - Temporary failure in name resolution).\n[W{f.clock(at, '%m%d %H:%M:%S')}.6{k:02d}140210 socket.cpp:759] [c10d] The IPv4 network addresses of (lx-0101, 29400) cannot be retrieved (gai error: -3 - Temporary failure in name resolution).",
        )
    site = "/opt/pt27/lib/python3.12/site-packages/torch/distributed"
    top = (f"{site}/run.py", 893, "main", "run(args)"), (f"{site}/launcher/api.py", 261, "launch_agent", "result = agent.run()")
    late = trace(
        *top,
        (f"{site}/elastic/rendezvous/dynamic_rendezvous.py", 1145, "next_rendezvous", "self._op_executor.run(join_op, deadline, self._get_deadline)"),
        (f"{site}/elastic/rendezvous/dynamic_rendezvous.py", 699, "run", "raise RendezvousTimeoutError"),
        ends="torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
    )
    lost = trace(
        *top,
        (f"{site}/elastic/rendezvous/c10d_rendezvous_backend.py", 267, "create_backend", "store = _create_tcp_store(params)"),
        (f"{site}/elastic/rendezvous/c10d_rendezvous_backend.py", 168, "_create_tcp_store", "raise RendezvousConnectionError("),
        ends="torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details.",
    )
    for n in range(16):
        f.agent_says(n, 1208 + n * 0.3, lost if n == 11 else late)
        f.dies(f.on(n), 1209 + n * 0.3, code=1, apart=0)
    f.never_started = set(f.ranks)
    f.stand([(0, REST)])
    for n, node in enumerate(nodes):
        f.script_says(1210 + n * 0.3, f"srun: error: {node}: task {n}: Exited with exit code 1")
    f.finish("FAILED", 1219, code=1)
    return ill(f, "C1", "traceback", fault="unknown")


@job
def in_the_mud() -> Told:
    """C2: rank 18 waits in the kernel for a read from Lustre that does not come back; the others wait for it in a reduction until their watchdogs end them."""
    nodes = tuple(f"cn{n}" for n in (2204, 2205, 2208, 2209, 2210, 2217, 2218, 2219))
    f = Rig(
        nodes, "segformer-sat", 6_812_345, noted("2026-07-18 22:31:17"), per=4, kit=AMPERE, script="seg/train.py", submit_line="sbatch -N8 satseg.sh"
    )
    last = f.run(
        0,
        range(25, 2176, 25),
        61,
        1.33,
        lambda i, x, t: (
            f"[{f.clock(t, '%m/%d %H:%M:%S')}] ep 0 it {i:>5}/14000 | ce {x:.4f} | dice {0.7 * x:.4f} | mIoU {max(0.02, 0.8 - x / 3):.3f} | 1.3{i % 9} s"
        ),
        sinks(2.6, 0.51, 210),
    )
    f.kernel(
        "cn2210",
        last + 130,
        "kernel_hung_task",
        f"INFO: task python:{f.pid(18)} blocked for more than 120 seconds.",
        process="python",
        pid=f.pid(18),
        blocked_s=120,
    )
    f.kernel(
        "cn2210",
        last + 253,
        "kernel_hung_task",
        f"INFO: task python:{f.pid(18)} blocked for more than 243 seconds.",
        process="python",
        pid=f.pid(18),
        blocked_s=243,
    )
    f.seen[18] = {
        "state": "D",
        "wchan": "cl_sync_io_wait",
        "looks": 1310,
        "waits": {"D cl_sync_io_wait": 588},
        "file_systems": ("lustre /lustre/sat",),
    }
    f.standstill(
        4,
        last + 190,
        last,
        33.0,
        {
            16: (Waits.COLLECTIVE, "R", "all_reduce"),
            17: (Waits.COLLECTIVE, "R", "all_reduce"),
            18: (Waits.STORAGE, "D", "cl_sync_io_wait"),
            19: (Waits.COLLECTIVE, "R", "all_reduce"),
        },
        culprit=18,
        why="waits in the kernel for lustre /lustre/sat while its peers wait in a collective",
        idle=False,
    )
    others = f.but(18)
    for r in others:
        at = last + 602 + (r % 9) * 0.11
        f.say(r, at, waited_too_long(f, r, at, 19_604, "ALLREDUCE", (27_380_484, 27_380_484), 10, last=19_611))
    f.dies(others, last + 606, signal=6, apart=0.03)
    f.dies(18, last + 640, signal=9)
    f.stand([(0, REST), (20, OPENED), (58, HARD_AT_WORK), (last + 3, WAITS_FOR_PEERS)])
    f.stand([(0, REST), (20, OPENED), (58, HARD_AT_WORK), (last + 3, LEFT_ALONE)], [18])
    srun_ends(f, last + 607, others, "Aborted (core dumped)", "Killed")
    f.finish("FAILED", last + 650, code=134, step=("FAILED", 0, 6))
    return ill(f, "C2", "nccl", fault="unknown")


@job
def mute() -> Told:
    """C3: one card; a batch of answers is half written when the engine's process stops answering; eleven hours of nothing until the owner looks."""
    f = Rig(
        ("hw-3",),
        "gen-synth-math",
        6_813_001,
        noted("2026-07-20 17:45:00"),
        per=1,
        kit=HOPPER_WIDE,
        limit_s=172_800,
        script="generate.py",
        submit_line="sbatch gen.sh shard=14",
    )
    chat(f, ranks=False)
    f.say(
        0,
        44,
        f"INFO {f.clock(44, '%m-%d %H:%M:%S')} [gpu_worker.py:298] Available KV cache memory: 51.20 GiB\nINFO {f.clock(44, '%m-%d %H:%M:%S')} [kv_cache_utils.py:864] GPU KV cache size: 671,088 tokens",
    )
    last = f.run(
        0,
        range(100, 5301, 100),
        71,
        0.62,
        lambda i, _x, t: f"{f.clock(t, '%H:%M:%S')} shard 14: {i}/20000 prompts, {i * 811} tokens out, {1300 + i % 47} tok/s",
        lambda _i: 0.0,
    )
    f.standstill(0, last + 620, last, 62.0, {0: (Waits.LOCK, "S", "futex_wait_queue")}, idle=True)
    f.seen[0] = {"state": "S", "wchan": "futex_wait_queue", "looks": 4200, "cpu_s": 3380.0, "waits": {}}
    end = last + 11.2 * 3600
    slurm_ends(f, end)
    f.dies(0, end + 2, signal=15)
    f.stand([(0, REST), (16, Pose(2, 0.6, 0.15, 0.46)), (66, Pose(97, 41, 0.66, 0.9)), (last + 2, Pose(0, 0, 0.16, 0.9, 0, clock=0.97))])
    f.cpu[0] = [(120, 101.0), (last - 20, 98.0), (last + 300, 0.3), (last + 9000, 0.2), (end, 0.2)]
    f.finish("CANCELLED", end + 6, cancelled_by_uid=1042)
    return ill(f, "C3", fault="unknown")


@job
def small_files() -> Told:
    """D1: millions of small files on a shared disk: two of three seconds go to waiting for a batch, as the run says itself; all sixteen cards go on and off."""
    f = Rig(
        ("g-110", "g-111"),
        "maxvit-species",
        6_814_090,
        noted("2026-07-22 08:20:36"),
        per=8,
        kit=HOPPER_NEW,
        script="species/train.py",
        submit_line="sbatch --cpus-per-task=4 maxvit.sh",
    )
    chat(f)
    f.script_says(3, "images: /nfs/inat/train (2,686,843 files), 4 loader workers a rank")
    last = f.run(
        0,
        range(20, 2601, 20),
        66,
        2.94,
        lambda i, x, _t: (
            f"Train: 0 [{i:>4}/2623 ({100 * i / 2623:>3.0f}%)]  Loss: {x:.3f} ({x + 0.11:.3f})  Time: 2.9{i % 10}s,  348.{i % 9}/s  Data: 2.0{i % 7}s ({(2.0 + i % 7 / 100) / 2.94 * 100:.0f}% of time)  LR: 1.0e-03"
        ),
        sinks(9.2, 3.4, 310),
    )
    f.say(0, last + 75, "*** Epoch 0 done: top1 31.8 top5 57.2, 2623 batches, 7640 s of which 5293 s in the loader")
    f.looks = 72
    f.stand([(0, REST), (20, OPENED), (62, Pose(29, 17, 0.33, 0.71, 100))])
    for n in range(2):
        f.host_series(n, "host_psi_io_percent", "percent", [(60 + 300 * k, 58 + 7 * (k % 3)) for k in range(26)])
    f.finish("COMPLETED", last + 84)
    return ill(f, "D1")


@job
def every_third() -> Told:
    """D2: somebody left the interval of checkpoints at three steps: four of five seconds go to writing, and all 64 cards rest for it."""
    nodes = tuple(f"eos{n:04d}" for n in range(33, 41))
    f = Rig(
        nodes,
        "nemo-t5-11b",
        6_815_512,
        noted("2026-07-24 15:12:00"),
        per=8,
        script="megatron_t5_pretraining.py",
        submit_line="sbatch -N8 t5_11b.sub trainer.max_steps=120 exp_manager.checkpoint_callback_params.every_n_train_steps=3",
    )
    chat(f)
    f.say(0, 58, f"[NeMo I {f.clock(58)} exp_manager:396] Experiments will be logged at /results/nemo-t5-11b/2026-07-24_15-12-58")
    at, curve = 205.0, sinks(10.4, 4.6, 25)
    for i in range(1, 121):
        at += 7.2
        f.say(
            0,
            at,
            f"Epoch 0: : {100 * i // 120}%|{'█' * (i // 12)}{' ' * (10 - i // 12)}| {i}/120 [{int(at - 205) // 60}:{int(at - 205) % 60:02d}, v_num=, reduced_train_loss={curve(i):.3f}, global_step={i}.0, consumed_samples={i * 2048}.0, train_step_timing in s=7.2{i % 10}]",
        )
        if i % 3 == 0:
            f.say(
                0,
                at + 1,
                f"[NeMo I {f.clock(at + 1)} nemo_model_checkpoint:312] Saving distributed checkpoint to /results/nemo-t5-11b/checkpoints/t5--step={i}-last.ckpt",
            )
            at += 88 + i % 7
            f.say(
                0,
                at,
                f"[NeMo I {f.clock(at)} dist_ckpt_io:421] Global Checkpoint Save : Rank: 0 : Start time : {at - 87:.3f}s : Save duration: {86 + i % 7}.{i % 10}s",
            )
    f.say(0, at + 4, "`Trainer.fit` stopped: `max_steps=120` reached.")
    f.looks = 48
    f.stand([(0, REST), (90, OPENED), (200, Pose(20, 11, 0.27, 0.8, 100))])
    f.finish("COMPLETED", at + 21)
    return ill(f, "D2", variant="save_storm")


@job
def long_papers() -> Told:
    """D3: the packing gives rank 17 all the long papers: its card computes three times as much as the 31 others, who wait for it in every step."""
    f = Rig(("k1", "k2", "k3", "k4"), "longformer-sci", 6_816_203, noted("2026-07-26 06:50:10"), per=8, script="sci.py", submit_line="sbatch sci.sh")
    chat(f)

    def line(i: int, x: float, t: float) -> str:
        said = f"{f.clock(t, '%H:%M:%S')} sci {i:>5}/3000 mlm={x:.4f} t={2.6 + i % 5 / 100:.2f}s"
        if i % 250 == 0:
            said += f"\n{f.clock(t, '%H:%M:%S')} sci tokens in this step, thousands, by rank: " + " ".join(
                f"{97 + i % 4 if r == 17 else 24 + (i + r) % 5}" for r in range(32)
            )
        return said

    last = f.run(0, range(50, 3001, 50), 72, 2.6, line, sinks(7.9, 2.2, 170))
    f.say(0, last + 7, f"{f.clock(last + 7, '%H:%M:%S')} sci 3000/3000 done, weights in sci/out")
    f.stand([(0, REST), (24, OPENED), (68, Pose(99, 15.5, 0.36, 0.52))])
    f.stand([(0, REST), (24, OPENED), (68, Pose(98, 63, 0.81, 0.88))], [17])
    f.finish("COMPLETED", last + 15)
    return ill(f, "D3", fault="unknown")


@job
def sockets() -> Told:
    """D2: NCCL found no InfiniBand and took Ethernet's sockets between eight nodes: all cards stand in communication nearly all of each step."""
    nodes = tuple(f"amber{n}" for n in range(21, 29))
    f = Rig(
        nodes,
        "falcon-11b-ct",
        6_816_977,
        noted("2026-07-27 20:02:45"),
        per=8,
        kit=HOPPER_NEW,
        script="ct/train.py",
        submit_line="sbatch -N8 falcon.sh",
    )
    chat(f, ranks=False)
    f.all_say(
        14,
        lambda r: (
            nccl(f, r, 410, "INFO NET/IB : No device found.")
            + "\n"
            + nccl(f, r, 410, f"INFO NET/Socket : Using [0]eno1:10.77.4.{20 + r // 8}<0>")
            + "\n"
            + nccl(f, r, 410, "INFO Using network Socket")
        ),
    )
    last = f.run(
        0,
        range(5, 201, 5),
        160,
        47.0,
        lambda i, x, t: (
            f"{f.clock(t)} step={i:04d} loss={x:.4f} fwd_bwd={3.8 + i % 4 / 10:.1f}s reduce_grads={42 + i % 6 / 10:.1f}s opt=0.3s tokens_per_s={22_310 + i % 90}"
        ),
        sinks(2.4, 1.8, 30),
    )
    f.say(0, last + 30, f"{f.clock(last + 30)} 200 steps done, exported to /amber/falcon/ct200")
    f.stand([(0, REST), (40, OPENED), (155, Pose(100, 6.4, 0.26, 0.86, 2))])
    f.finish("COMPLETED", last + 41)
    return ill(f, "D2", variant="interconnect", fault="cluster")
