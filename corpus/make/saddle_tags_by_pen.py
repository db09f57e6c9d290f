"""By hand: runs that stood still, that lost a node, a place in the queue or the race with the clock, or that somebody called off."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._saddlery import Stint
from corpus.make._saddlery_words import ends_job, ends_step, limit, srun_saw, torch_oom, torchrun_banner, trace, watchdog
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory

NEVER = Label(mode="C1", fault="unknown")
STOOD = Label(mode="C2", fault="unknown")
ALONE = Label(mode="C3", fault="user")
NODE = Label(mode="F1", fault="node")
SLOW = Label(mode="F3", variant="advancing", fault="user")
MEGA = " [{t:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{n:8d} | consumed samples: {k:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {lr:.6E} | global batch size: {b:5d} | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {g:.3f} | num zeros: 0.0 | number of skipped iterations:   0 | number of nan iterations:   0 |"


def timed_out(s: Stint, label: Label, codes: dict[int, int] | None = None, **more: Any) -> HandJob:
    """Ended by its limit."""
    over = limit(s)
    return s.end(label, "TIMEOUT", codes or {}, -15, over=over, step_state="CANCELLED", **more)


def called_off(s: Stint, label: Label, uid: int = 1042, **more: Any) -> HandJob:
    """Ended by scancel."""
    if s.via != "batch":
        ends_step(s, after=0.1)
    ends_job(s, after=0.1)
    return s.end(label, "CANCELLED", {}, -15, cancelled_by_uid=uid, **more)


def never_met() -> Iterator[HandJob]:
    """Ranks that never came together."""
    s = Stint(201, "llava-own", "h100", 2, 8, "torchrun", script="train_mm.py", hosts="dgx-{:02d}", hours=2)
    s.said[1] = []
    s.say("I<t:%m%d %H:%M:%S.%f> 40000 torch/distributed/launcher/api.py:188] Starting elastic_operator with launch configs:\nI<t:%m%d %H:%M:%S.%f> 40000 torch/distributed/launcher/api.py:188]   min_nodes        : 2\nI<t:%m%d %H:%M:%S.%f> 40000 torch/distributed/launcher/api.py:188]   rdzv_backend     : c10d\nI<t:%m%d %H:%M:%S.%f> 40000 torch/distributed/launcher/api.py:188]   rdzv_endpoint    : <h>:29400\nI<t:%m%d %H:%M:%S.%f> 40000 torch/distributed/elastic/agent/server/api.py:860] [default] starting workers for entrypoint: python3.12\nI<t:%m%d %H:%M:%S.%f> 40000 torch/distributed/elastic/agent/server/api.py:677] [default] Rendezvous'ing worker group", 5, 0)
    yield timed_out(s.gpu("idle", cpu=0.3).look(s.ranks(None), gpu_uuids=(), gpu_attached_ns=None), NEVER)

    s = Stint(202, "kinetics-slow", "a100", 1, 8, script="main.py", hosts="vis{:02d}", hours=4)
    for r in range(8):
        if r != 5:
            s.say(f"[{r}] joining tcp://{s.hand.nodes[0]}:23456 world 8", 6 if r == 0 else 0.3, r)
    s.look(5, state="S", wchan="futex_wait_queue", looks=470, gpu_uuids=(), gpu_attached_ns=None)
    yield timed_out(s.gpu("idle", cpu=0.2).look(s.rest(5), state="S", wchan="do_sys_poll", gpu_uuids=(), gpu_attached_ns=None), NEVER)

    s = Stint(203, "mt-100langs", "a100s", 4, 4, script="nllb_ft.py", hosts="cn{:04d}", hours=2)
    s.say("init_method=env:// MASTER_ADDR=" + s.hand.nodes[0] + " MASTER_PORT=6000 timeout=4:00:00", 8, None, 0.4)
    for k in range(54):
        s.say("[W<t:%m%d %H:%M:%S.%f> socket.cpp:759] [c10d] The client socket has failed to connect to [" + s.hand.nodes[0] + "]:6000 (errno: 110 - Connection timed out).", 130 if k else 134, [8, 9, 10, 11, 12, 13, 14, 15], 1.5)
    yield timed_out(s.gpu("idle", cpu=0.3).look(s.ranks(None), gpu_uuids=(), gpu_attached_ns=None), NEVER)

    s = Stint(204, "crystal-egnn", "h200", 1, 4, script="egnn.py", hosts="h200-{:02d}", hours=3)
    s.say("[rank <r>] starting, pid <p>", 5, None, 0.2).say(trace("ModuleNotFoundError: No module named 'torch_scatter'", "/home/alice/egnn/egnn.py|7|<module>|from torch_scatter import scatter_add"), 1.6, 2).sh(f"srun: error: {s.host(2)}: task 2: Exited with exit code 1", 0.4).say("[rank <r>] waiting for peers", 2, (0, 1, 3), 0.2)
    end = s.t - 2.4
    yield timed_out(s.gpu("idle", cpu=0.3), Label(mode="C1", trigger="A1", cause="missing_module", fault="user", first_ranks=(2,)), {2: 1}, at={2: end, **dict.fromkeys((0, 1, 3), 3 * 3600 + 12.0)})

    s = Stint(205, "smoke-plume", "a100p", 3, 4, script="plume.py", hosts="hydro{:02d}", hours=1.5)
    s.say("<h> task <r>: staging to /local_scratch/$USER", 6, None, 0.3).say(trace("PermissionError: [Errno 13] Permission denied: '/local_scratch/alice'", "/proj/alice/plume/plume.py|51|<module>|stage(cfg.data, f'/local_scratch/{user}')", "/proj/alice/plume/plume.py|22|stage|os.makedirs(dst, exist_ok=True)", "<frozen os>|225|makedirs|"), 0.9, range(8, 12), 0.1)
    for r in range(8, 12):
        s.sh(f"srun: error: {s.host(r)}: task {r}: Exited with exit code 1", 0.1)
    died = s.t
    s.say("<h> task <r>: staged 212 GB, init_process_group(nccl)", 171, range(8), 2.0)
    yield timed_out(s.gpu("idle", cpu=0.4), Label(mode="C1", trigger="A1", cause="permission", fault="user", failed_ranks=(8, 9, 10, 11)), dict.fromkeys(range(8, 12), 1), at={**dict.fromkeys(range(8, 12), died - 0.4), **dict.fromkeys(range(8), 5400 + 9.0)})

    s = Stint(206, "gpt-neox-rerun", "h100", 2, 4, script="train.py", hosts="hgx{:03d}", hours=12)
    s.say("<h>:<p>:<p> [<l>] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\n<h>:<p>:<p> [<l>] NCCL INFO cudaDriverVersion 12040", 14, None, 0.5).gpu("still", cpu=0.5).mem(0.48).look(s.ranks(None), state="S", wchan="futex_wait_queue", looks=88)
    yield called_off(s.wait(2640), NEVER)

    s = Stint(207, "graphcast-ft", "gh200", 4, 1, script="gc.py", hosts="nid{:06d}", hours=6)
    for r in (0, 1, 3):
        s.say("I<t:%m%d %H:%M:%S.%f> <p> distributed.py:150] Connecting to JAX distributed service on 10.100.3.14:1025", 7 if r == 0 else 0.4, r)
    s.gpu("idle", cpu=0.4).wait(1790)
    for r in (1, 0, 3):
        s.say("F<t:%m%d %H:%M:%S.%f> <p> client.h:77] Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details. Disable Python buffering, i.e. `python -u`, to be sure to see all the previous output. absl::Status: DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0. This usually happens because a task triggered the barrier too early or too slowly. Please look at the task logs (both timed out and first task) to debug further. # of tasks that reached the barrier: 3/4. The first task at the barrier: /job:jax_worker/replica:0/task:0. Some timed out task names:\n/job:jax_worker/replica:0/task:2", 2, r)
    for r in (1, 0, 3):
        s.sh(f"srun: error: {s.host(r)}: task {r}: Aborted (core dumped)", 0.4)
    s.sh(f"srun: Terminating StepId={s.hand.job_id}.0\nsrun: error: {s.host(2)}: task 2: Terminated", 1.2)
    yield s.end(NEVER, "FAILED", {0: -6, 1: -6, 3: -6}, -15, lag=4, job=(134, 0))

    s = Stint(208, "yolo-world-acc", "l40s", 2, 2, script="launch.py", hosts="node-gpu-{:d}", hours=24)
    for k in range(38):
        s.say("[W<t:%m%d %H:%M:%S.%f> socket.cpp:697] [c10d] The IPv4 network addresses of (gpu-head, 29500) cannot be retrieved (gai error: -2 - Name or service not known).", 41 if k else 12, None, 0.5)
    yield called_off(s.gpu("idle", cpu=0.6).wait(9), NEVER)


def stood_still() -> Iterator[HandJob]:
    """Ranks that waited for one of them in the midst of training."""
    def frozen(s: Stint, cold: int, held: str = "still") -> Stint:
        return s.gpu("spin", s.rest(cold)).gpu(held, cold).mem(0 if held == "idle" else s.held[cold][-1][1], cold)

    s = Stint(211, "moe-16e-32", "h100", 4, 8, script="pretrain_gpt.py", hosts="hgx{:03d}", hours=8, batch=1024)
    s.say("using world size: 32, data-parallel size: 8, tensor-model-parallel size: 4, pipeline-model-parallel size: 1", 40).gpu("load").mem(30).gpu("full").mem(74).go(2900, 5.2, 10, MEGA, s.curve(10.7, 2.3, 90), 60_000, who=31, b=lambda _i, _x: 1024)
    yield timed_out(frozen(s, 19), STOOD)

    s = Stint(212, "ocr-synth-16", "a100", 2, 8, script="trocr.py", hosts="cn{:04d}", hours=5, batch=768)
    s.say("<r> ready", 10, None, 0.5).gpu("load").mem(5).gpu("busy").mem(55).go(3400, 1.1, 20, "{t:%H:%M:%S} step {i} cer_loss {x:.4f} rss {m:.1f}G", s.curve(5.1, 0.7, 200), 60_000, m=lambda i, _x: 20 + i * 0.0121)
    s.oom_kill(9, s.pid(9), "python", 61.4, 480, kills=1).sh(f"srun: error: {s.host(9)}: task 9: Out Of Memory", 1)
    died = s.t - 0.9
    yield timed_out(frozen(s, 9, "idle"), Label(mode="C2", cause="oom_killer", trigger="A2", fault="user", first_ranks=(9,)), {9: -9}, at={9: died, **dict.fromkeys(s.rest(9), 5 * 3600 + 14.0)}, memory={9: CgroupMemory(limit_bytes=480 * GIB, peak_bytes=480 * GIB, oom_events=1, oom_kill_events=1)})

    s = Stint(213, "cell-tracking", "v100", 1, 4, script="track.py", hosts="vx{:02d}", hours=6)
    s.say("rank <r> movies 0..211", 8, None).gpu("load").mem(3).gpu("busy").mem(21).go(1800, 0.9, 20, "[{run}] {i:>5} link {x:.4f}", s.curve(1.4, 0.3, 150), 20_000)
    s.say(trace("KeyError: 'frame_0413'", "/home/alice/track/track.py|188|<module>|main()", "/home/alice/track/track.py|149|main|b = next(it)", "/home/alice/track/movies.py|64|__next__|return self.h5[key][()]"), 0.8, 3).sh(f"srun: error: {s.host(3)}: task 3: Exited with exit code 1", 0.6)
    died = s.t - 0.3
    yield timed_out(frozen(s, 3, "idle"), Label(mode="C2", cause="traceback", trigger="A3", fault="user", first_ranks=(3,)), {3: 1}, at={3: died, **dict.fromkeys((0, 1, 2), 6 * 3600 + 9.0)})

    s = Stint(214, "video-dit", "h200", 1, 8, script="dit.py", hosts="h200-{:02d}", batch=64)
    s.say("[<r>/8] latents 16x60x104", 12, None, 0.4).gpu("load").mem(21).gpu("full").mem(118).go(4100, 2.2, 20, "step={i} v_loss={x:.5f} gn={g:.3f} t={dt:.2f}", s.curve(0.9, 0.21, 200), 100_000)
    frozen(s, 2).wait(601)
    for r in s.rest(2):
        s.say(watchdog(r, 28_711, "_ALLGATHER_BASE", 3_932_160, 600_000 + s.dice.randrange(4, 90)), 0.03, r)
    s.sh(f"srun: error: {s.host(0)}: tasks 0-1,3-7: Aborted (core dumped)\nsrun: Terminating StepId={s.hand.job_id}.0\nsrun: error: {s.host(0)}: task 2: Terminated", 0.9)
    yield s.end(STOOD.but(cause="nccl"), "FAILED", dict.fromkeys(s.rest(2), -6), -15, lag=5, job=(134, 0))

    s = Stint(215, "point-tracking", "l40s", 2, 4, script="cotrack.py", hosts="node-gpu-{:d}", hours=3)
    s.say("w<r>", 7, None).gpu("load").mem(5).gpu("busy").mem(38).go(2100, 1.3, 25, "it {i}: d_avg {a:.1f} loss {x:.3f}", s.curve(9.0, 2.9, 200), 50_000, a=lambda _i, x: 80 - 5 * x).sh(f"srun: error: {s.host(5)}: task 5: Segmentation fault (core dumped)", 1)
    died = s.t - 0.5
    yield timed_out(frozen(s, 5, "idle"), Label(mode="C2", cause="segfault", trigger="A2", fault="user", first_ranks=(5,)), {5: -11}, at={5: died, **dict.fromkeys(s.rest(5), 3 * 3600 + 16.0)})

    s = Stint(216, "longformer-ehr", "a100s", 1, 4, script="ehr.py", hosts="med{:02d}")
    s.say("rank <r>, variable length up to 16384", 9, None).gpu("load").mem(4).gpu("busy").mem(33).go(1300, 0.9, 20, "{t:%Y-%m-%d %H:%M} b{i} bce {x:.4f}", s.curve(0.7, 0.24, 150), 20_000)
    s.mem(39.3, 1).say(trace(torch_oom("6.00 GiB", "39.39 GiB", "2.81 GiB", "36.56 GiB", "34.90 GiB", "1.14 GiB", 1, old=True), "/srv/ehr/ehr.py|163|<module>|main()", "/srv/ehr/ehr.py|131|main|loss.backward()", mark=""), 1, 1).sh(f"srun: error: {s.host(1)}: task 1: Exited with exit code 1", 1.1)
    died = s.t - 0.7
    frozen(s, 1, "idle").wait(3100)
    yield _two_ends(s, died)

    s = Stint(217, "asr-cv-16", "a100", 1, 4, script="hybrid.py", hosts="asr{:02d}")
    s.say("<r>: 40k h, token buckets", 8, None).gpu("load").mem(4).gpu("busy").mem(40).go(4000, 0.62, 50, "upd {i} ctc+att {x:.4f}", s.curve(3.3, 0.6, 200), 80_000).say("gathering hypotheses for wer", 1, None, 0.2).gpu("spin").wait(600.6)
    for r in (1, 2, 3, 0):
        s.say(watchdog(r, 12_031, "_ALLGATHER_BASE", 24_576 if r != 3 else 23_808, 600_000 + s.dice.randrange(5, 90)), 0.05, r)
    yield s.sh(f"srun: error: {s.host(0)}: tasks 0-3: Aborted (core dumped)", 1.1).end(Label(mode="C2", cause="nccl", fault="user"), "FAILED", dict.fromkeys(range(4), -6), job=(134, 0))

    s = Stint(218, "dense-70b-64", "h100", 8, 8, script="pretrain_gpt.py", hosts="hgx{:03d}", hours=72, batch=2048)
    s.say("using world size: 64, data-parallel size: 2, tensor-model-parallel size: 8, pipeline-model-parallel size: 4", 60).gpu("load").mem(30).gpu("full", sm=78).mem(76).go(610, 21.4, 5, MEGA, s.curve(11.0, 2.6, 40), 40_000, who=63, b=lambda _i, _x: 2048)
    yield called_off(frozen(s, 40).wait(3050), STOOD)

    s = Stint(219, "wake-word", "t4", 1, 4, script="kws.py", hosts="edge{:02d}", hours=2)
    s.say("worker <r>", 6, None).gpu("load").mem(1).gpu("mid").mem(6).go(2600, 0.34, 50, "{i},{x:.4f}", s.curve(2.4, 0.3, 200), 30_000)
    s.say(trace("ZeroDivisionError: division by zero", "kws.py|117|<module>|run()", "kws.py|90|run|far = fp / n_neg"), 0.4, 2).sh(f"srun: error: {s.host(2)}: task 2: Exited with exit code 1", 0.7)
    died = s.t - 0.4
    yield timed_out(frozen(s, 2, "idle"), Label(mode="C2", cause="div_zero", trigger="A3", fault="user", first_ranks=(2,)), {2: 1}, at={2: died, **dict.fromkeys((0, 1, 3), 7200 + 13.0)})

    s = Stint(220, "protein-flow-8", "h100n", 1, 4, script="flow.py", hosts="nvl{:d}")
    s.say("[<r>] 410k chains", 9, None).gpu("load").mem(6).gpu("busy").mem(58).go(3000, 0.88, 30, "{t:%H:%M:%S} n={i} fape={x:.4f}", s.curve(2.7, 0.9, 200), 60_000)
    frozen(s, 3).look(3, state="S", wchan="futex_wait_queue", looks=52).wait(481)
    s.say("[rank3]:[E<t:%m%d %H:%M:%S.%f> ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank 3] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives. This typically indicates a NCCL/CUDA API (e.g., CudaEventDestroy) hang blocking the watchdog, and could be triggered by another thread holding the GIL inside a CUDA api (for example, CudaEventDestroy), or other deadlock-prone behaviors.If you suspect the watchdog is not actually stuck and a longer timeout would help, you can either increase the timeout (TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC) to a larger value or disable the heartbeat monitor (TORCH_NCCL_ENABLE_MONITORING=0).", 0.2, 3)
    yield srun_saw(s, 3, "Aborted (core dumped)").end(STOOD.but(cause="nccl"), "FAILED", {3: -6}, -15, lag=4, job=(134, 0))


def _two_ends(s: Stint, died: float) -> HandJob:
    """One died long before its owner called the rest off."""
    ends_step(s, after=0.1)
    ends_job(s, after=0.1)
    return s.end(Label(mode="C2", cause="cuda_oom", trigger="B1", fault="user", first_ranks=(1,)), "CANCELLED", {1: 1}, -15, at={1: died, **dict.fromkeys((0, 2, 3), s.t + 0.6)}, cancelled_by_uid=1042, step_state="CANCELLED", job=(0, 0))


def alone() -> Iterator[HandJob]:
    """One card that held its memory and did nothing more."""
    s = Stint(231, "hubert-units", "a100", script="units.py", hours=6, via="batch")
    s.say("tokenizers parallelism on, 8 workers forked", 8).gpu("load").mem(3).gpu("busy").mem(29).go(5000, 0.61, 100, "step {i:>6} ce {x:.4f}", s.curve(5.5, 2.0, 300), 90_000)
    yield timed_out(s.gpu("still").look(0, state="S", wchan="futex_wait_queue", looks=600, cpu_s=3120.0), ALONE)

    s = Stint(232, "kitchen-pose", "l40s", script="pose.py", hours=4)
    s.say("albumentations 1.4.18, cv2 threads 16", 7).gpu("load").mem(2).gpu("busy").mem(18).go(1420, 0.8, 20, "Epoch [{ep}] [{i}] kpt_loss {x:.5f}", s.curve(0.04, 0.004, 200), 9000).say("Epoch [1] end, shuffling", 1)
    yield timed_out(s.gpu("still").look(0, state="S", wchan="pipe_read", looks=400), ALONE)

    s = Stint(233, "seis-denoise", "gh200", script="seis.py", hosts="nid{:06d}", hours=10)
    s.say("zarr on /capstor, 2.1 TB", 8).gpu("load").mem(4).gpu("busy").mem(52).go(6100, 0.73, 50, "{t:%d %b %H:%M:%S} | {i} | snr {a:.2f} | l1 {x:.4f}", s.curve(0.6, 0.12, 300), 90_000, a=lambda _i, x: 20 - 12 * x)
    yield timed_out(s.gpu("still").look(0, state="S", wchan="ep_poll", looks=900, cpu_s=4702.0), ALONE)

    s = Stint(234, "triton-attn", "h100", script="bench_train.py", hours=48, via="batch")
    s.say("autotune 48 configs: done in 41 s, best BLOCK_M=128 BLOCK_N=64", 49).gpu("full").mem(33).go(2300, 0.55, 50, "[{i}] nll {x:.4f} {ips:.2f} it/s", s.curve(9.9, 3.3, 150), 20_000).say("seq len -> 8192, autotune 48 configs", 1)
    yield called_off(s.gpu("still").look(0, state="S", wchan="futex_wait_queue", looks=120).wait(4300), ALONE)

    s = Stint(235, "whale-calls", "a30", script="orca.py", hours=3)
    s.say("lendo /data/hidrofone (soundfile)", 6).gpu("load").mem(1).gpu("mid").mem(9).go(900, 0.5, 30, "lote {i} perda {x:.4f}", s.curve(0.7, 0.2, 100), 12_000)
    yield timed_out(s.gpu("still").look(0, state="S", wchan="do_wait", looks=300), ALONE)


def lost_a_node() -> Iterator[HandJob]:
    """A node went down."""
    for key, name, nodes, per, dead, state, why, form, card, steps, pace, first, to in (
        (241, "chem-lm-4n", 4, 4, 1, "DOWN*", "Not responding", "{t:%H:%M:%S} {i} nll {x:.4f}", "a100", 4100, 1.3, 4.4, 0.9),
        (242, "clip-de-8n", 8, 8, 6, "DOWN*", "Not responding", "upd {i:>6} | con {x:.4f} | {sps:.0f} img/s", "h100", 7400, 2.2, 9.1, 2.0),
        (243, "weather-2n", 2, 4, 1, "DOWN*", "Node unexpectedly rebooted", "epoch {ep} batch {i} rmse {x:.5f}", "a100s", 2350, 0.9, 1.2, 0.3),
        (244, "speech-en-2n", 2, 8, 0, "DOWN*+DRAIN", "Not responding", lambda d: f"rank {d['r']}: {d['i']} rnnt {d['x'] * (1 + 0.006 * ((d['r'] * 7 + d['i']) % 11 - 5)):.3f}", "h200", 3050, 3.1, 212.0, 31.0),
        (245, "gnn-papers-3n", 3, 2, 2, "DOWN", "NHC: check_ps_loadavg: node hung; power cycled by oncall", lambda d: f"{d['i']}\t{d['x'] * (1 + 0.008 * ((d['r'] * 5 + d['i']) % 9 - 4)):.5f}\t{d['dt']:.2f}", "v100", 5225, 0.41, 3.7, 1.1),
    ):
        s = Stint(key, name, card, nodes, per, script="train.py", hosts="cn{:04d}" if key % 2 else "gpu-b{:02d}", hours=30, batch=8192)
        who: Any = range(s.world) if key in (244, 245) else 0
        s.say("<h> <r>/<w>", 12, None, 0.4).gpu("load").mem(8).gpu("busy").mem(0.7 * s.kind.gib).go(steps, pace, 25, form, s.curve(first, to, 200), 60_000, who=who)
        s.gpu("spin", s.rest(*s.on(dead))).hand.event(s.hand.nodes[dead], s.t + (31 if why == "Not responding" else 4), state, why)
        s.wait(58)
        if dead != 0:
            ends_step(s, " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS", 0.2)
            s.sh(f"srun: error: Node failure on {s.hand.nodes[dead]}\nsrun: error: {s.hand.nodes[dead]}: tasks {dead * per}-{dead * per + per - 1}: Killed", 0.1)
        else:
            s.shell.clear()
        yield s.end(NODE, "NODE_FAIL", {}, -9 if key != 243 else -15, gone=(dead,), failed_node=s.hand.nodes[dead])


def in_the_queue() -> Iterator[HandJob]:
    """Preempted or requeued."""
    s = Stint(251, "lens-finder", "l40s", hours=24, script="lens.py", via="batch", asked="sbatch -p scavenge --requeue lens.sh")
    s.hand.earlier("PREEMPTED", 9100, 5200, partition="scavenge", qos="scavenge")
    s.hand.past.append(PastVerdict(relation="earlier_attempt", job=str(s.hand.job_id), mode="F2", fault="none", head_loss=0.69, tail_loss=0.28, steps_done=8050, checkpoints=("ckpt/008000.pt",)))
    s.say("auto-resume: ckpt/008000.pt (step 8000)", 9).gpu("load").mem(2).gpu("busy").mem(17)
    s.step = 8000
    yield s.go(8000, 0.55, 100, "{t:%H:%M:%S} {i}/{n} bce {x:.4f}", s.curve(0.69, 0.12, 400), 16_000).say("16000/16000, auc 0.973", 4).end(Label(mode="F2", variant="preempted_recovered", fault="none"), partition="scavenge", restarts=1)

    s = Stint(252, "polymer-gpt", "a100", 1, 4, hours=24, script="poly.py", asked="sbatch --qos=low poly.sbatch")
    s.say("rank <r>", 9, None).gpu("load").mem(4).gpu("busy").mem(41).go(4400, 1.0, 40, "it={i} | loss={x:.4f} | {ms:.0f} ms", s.curve(4.1, 1.0, 200), 50_000)
    ends_step(s, " DUE TO PREEMPTION", 0.5)
    ends_job(s, " DUE TO PREEMPTION", 0.1)
    yield s.end(Label(mode="F2", variant="preempted", fault="none"), "PREEMPTED", {}, -15, qos="low")

    s = Stint(253, "ensemble-member-7", "gh200", 2, 1, hours=24, script="member.py", hosts="nid{:06d}", asked="sbatch --requeue member7.sbatch")
    s.hand.earlier("NODE_FAIL", 15_200, 11_900, code=1)
    s.hand.past.append(PastVerdict(relation="earlier_attempt", job=str(s.hand.job_id), mode="F1", fault="node", head_loss=0.9, tail_loss=0.204, steps_done=7740, checkpoints=("/scratch/m7/state_7500",)))
    s.say("restored /scratch/m7/state_7500", 15).gpu("load").mem(11).gpu("busy").mem(63)
    s.step = 7500
    yield s.go(4500, 1.5, 50, "member 7 | step {i} | crps {x:.4f}", s.curve(0.9, 0.09, 300), 12_000).say("member 7 | step 12000 | saved", 6).end(Label(mode="F2", variant="requeued_recovered", fault="none"), restarts=1)

    s = Stint(254, "ner-swahili", "t4", hours=24, script="ner.py", via="batch", asked="sbatch -p free --requeue ner.sh")
    s.hand.earlier("PREEMPTED", 21_000, 2400, partition="free")
    s.hand.earlier("PREEMPTED", 14_000, 6100, partition="free")
    s.hand.past.append(PastVerdict(relation="earlier_attempt", job=str(s.hand.job_id), mode="F2", fault="none", head_loss=2.2, tail_loss=0.46, steps_done=9100, checkpoints=("out/checkpoint-9000",)))
    s.say("Found checkpoint out/checkpoint-9000, continuing from global step 9000", 11).gpu("load").mem(2).gpu("mid").mem(9)
    s.step = 9000
    yield s.go(3000, 0.9, 50, "{{'loss': {x:.4f}, 'learning_rate': {lr:.6e}, 'epoch': {epf:.2f}}}", s.curve(2.2, 0.21, 300), 12_000).say("{'train_runtime': 2711.4, 'train_loss': 0.1074, 'epoch': 3.0}", 3).end(Label(mode="F2", variant="preempted_recovered", fault="none"), partition="free", restarts=2)


def clock_struck() -> Iterator[HandJob]:
    """The limit came while it went on."""
    def fill(s: Stint, pace: float, every: int, form: Any, curve: Any, of: int, **more: Any) -> HandJob:  # noqa: PLR0917
        s.go(of, pace, every, form, curve, of, until=s.hand.limit_s + 3, **more)
        return timed_out(s, SLOW)

    s = Stint(261, "codegen-1b", "a100", 2, 4, script="pretrain_gpt.py", hosts="cn{:04d}", hours=8, batch=512)
    s.say("building GPT model ...", 30).gpu("load").mem(12).gpu("full").mem(66)
    yield fill(s, 3.9, 10, MEGA, s.curve(10.8, 2.2, 90), 40_000, who=7, b=lambda _i, _x: 512)
    s = Stint(262, "birds-effnet", "r3090", script="eff.py", hours=1, via="batch")
    s.say("=> 555 classes", 6).gpu("load").mem(2).gpu("busy").mem(19)
    yield fill(s, 0.33, 100, "Epoch: [{ep}][{i}/{n}]  Time {dt:.3f}  Loss {x:.4e}  Acc@1 {a:.2f}", s.curve(6.3, 1.1, 400), 40_000, epochs=90, a=lambda _i, x: 90 - 13 * x)
    s = Stint(263, "flood-unet", "l40s", 1, 2, script="flood.py", hours=2)
    s.say("rang <r>", 7, None).gpu("load").mem(3).gpu("busy").mem(29)
    yield fill(s, 1.2, 50, "{t:%d/%m/%Y %H:%M:%S} lot {i} perte {x:.4f} reste {eta}", s.curve(0.8, 0.17, 200), 21_000, save=(1000, 9, "sauvé flood_{i}.pt"))
    s = Stint(264, "dreamer-crafter", "h100n", script="crafter.py", hosts="nvl{:d}", hours=12)
    s.say("logdir ~/logdir/crafter7", 7).gpu("load").mem(4).gpu("mid").mem(13)
    yield fill(s, 2.2, 100, "[{k}] train_ratio 512 / model_loss {x:.2f} / score {a:.2f} / fps {ips:.1f}", s.curve(31, 8, 800), 60_000, a=lambda i, _x: 2 + i / 2600 + s.dice.gauss(0, 0.6))
    s = Stint(265, "reranker-xl", "h200", 1, 8, "torchrun", script="rerank.py", hosts="h200-{:02d}", hours=3)
    torchrun_banner(s).say("queries 8.8 M", 18).gpu("load").mem(20).gpu("full").mem(121)
    yield fill(s, 1.6, 25, "\r{pct:3.0f}%|{b}| {i}/{n} [{run}<{eta}, {dt:.2f}s/it] loss={x:.4f}", s.curve(1.9, 0.5, 200), 14_000, b=lambda i, _x: ("#" * (i * 10 // 14_000)).ljust(10))
    s = Stint(266, "dem-superres", "mi250", 1, 4, script="dem.py", hosts="lumi{:04d}", hours=4)
    s.say("[<r>] hip 6.2", 9, None).gpu("load").mem(5).gpu("busy").mem(44)
    yield fill(s, 0.95, 60, "{i:7d} l1={x:.5f} rmse_m={a:.2f}", s.curve(0.4, 0.05, 300), 30_000, a=lambda _i, x: 40 * x)
    s = Stint(267, "llm-judge-rm", "b200", 1, 4, script="rm.py", hosts="gb{:02d}", hours=1.5)
    s.say("rm 8B, 1.1 M pairs", 40).gpu("load").mem(30).gpu("full").mem(141)
    yield fill(s, 1.1, 20, "{{'loss': '{x:.4g}', 'grad_norm': '{g:.4g}', 'learning_rate': '{lr:.3g}', 'accuracy': '{a:.3g}', 'epoch': '{epf:.3g}'}}", s.curve(0.69, 0.32, 200), 9000, epochs=1, a=lambda _i, x: 1 - x / 1.4)


def off() -> Iterator[HandJob]:
    """Called off by a person while it went on."""
    mine, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    s = Stint(271, "pixelart-ddpm", "a6000", script="ddpm.py", via="batch")
    yield called_off(s.say("T=1000 cosine", 5).gpu("load").mem(2).gpu("full").mem(22).go(6300, 0.6, 100, "{i}: mse {x:.5f}", s.curve(0.3, 0.03, 300, 0.05), 200_000).wait(0.3), mine)
    s = Stint(272, "deberta-sweep-3", "a100", 1, 2, script="sweep.py")
    yield called_off(s.say("rank <r>, trial 3: lr 1e-5", 9, None).gpu("load").mem(2).gpu("busy").mem(31).go(2200, 0.8, 50, "{t:%Y-%m-%d %H:%M:%S.%f} | INFO     | sweep:one:58 - trial 3 step {i} loss {x:.4f}", s.curve(1.1, 0.4, 200), 24_000).wait(0.4), mine)
    s = Stint(273, "gpt-tamil", "h100", 2, 8, "torchrun", script="lm.py", hosts="dgx-{:02d}", batch=1024)
    yield called_off(torchrun_banner(s).say("tokens 41 B", 20).gpu("load").mem(12).gpu("full").mem(70).go(5100, 1.4, 50, "{i} {x:.4f} {g:.2f} {sps:.0f}", s.curve(10.9, 2.9, 200), 90_000).wait(0.7), other, 0)
    s = Stint(274, "ice-core-tf", "v100", script="core.py", east=1)
    yield called_off(s.say("GRIP δ18O, fenêtre 512", 7).gpu("load").mem(3).gpu("mid").mem(14).go(3600, 0.5, 60, "pas {i} eqm {x:.5f}", s.curve(0.8, 0.1, 300), 50_000).wait(0.3), mine)
    s = Stint(275, "foundation-s2", "gh200", 4, 1, script="foundation.py", hosts="nid{:06d}")
    yield called_off(s.say("<h> up", 10, None).gpu("load").mem(9).gpu("busy").mem(70).go(4700, 2.0, 50, "step {i} mse {x:.5f} {eta} to go", s.curve(0.7, 0.1, 300), 100_000).wait(0.9), other, 11_207)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (never_met, stood_still, alone, lost_a_node, in_the_queue, clock_struck, off):
        yield from part()


RECIPE = Recipe("saddle_tags_by_pen", "development", jobs)
