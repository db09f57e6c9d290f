"""Ranks that never met, that waited for one another in mid-training, a single card that waited for nothing."""

from __future__ import annotations

from corpus.make._ballast import (
    A100,
    A100_40,
    B200,
    COLD,
    CONTEXT,
    GH200,
    H100,
    H200,
    IDLE,
    L40S,
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
from corpus.make._ballast_words import dump_signal, elastic, frames, srun_says, taken_down, watchdog
from corpus.make._fennel_kit import bar, megatron, threads_note

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def seven_of_eight() -> Made:
    """C1: eight nodes are to meet at torchrun's rendezvous, on one the agent never starts; after the join time-out the others leave."""
    f = Fleet(tuple(f"e{n:02d}" for n in range(21, 29)), "granite-cpt", 10_430_020, when("2026-09-01 03:00"), per=4, agents=True, script="cpt/main.py", submit_line="sbatch -N8 granite.sh")
    f.points = 12
    f.unborn = set(f.ranks)
    for n in range(8):
        if n == 5:
            f.launcher[n].append((4, "+ module load cuda/12.6 openmpi/5.0"))
            continue
        at = 9 + n / 3
        head = f"I{f.clock(at, '%m%d %H:%M:%S')}.{100_000 + 991 * n} {1_210_311 + n} torch/distributed/launcher/api.py:194]"
        f.launcher[n].append((4, "+ module load cuda/12.6 openmpi/5.0\n+ torchrun --nnodes=8 --nproc-per-node=4 --rdzv-backend=c10d --rdzv-endpoint=e21:29412 --rdzv-id=10430020 --rdzv-conf=join_timeout=900 cpt/main.py"))
        f.launcher[n].append((at, f"{head} Starting elastic_operator with launch configs:\n{head}   entrypoint         : cpt/main.py\n{head}   min_nodes          : 8\n{head}   max_nodes          : 8\n{head}   nproc_per_node     : 4\n{head}   run_id             : 10430020\n{head}   rdzv_backend       : c10d\n{head}   rdzv_endpoint      : e21:29412\n{head}   rdzv_configs       : {{'join_timeout': '900', 'timeout': 900}}\n{head}   max_restarts       : 0"))
        f.launcher[n].append((at + 1, f"I{f.clock(at + 1, '%m%d %H:%M:%S')}.{300_000 + 991 * n} {1_210_311 + n} torch/distributed/elastic/agent/server/api.py:699] [default] starting workers for entrypoint: python3.11\nI{f.clock(at + 1, '%m%d %H:%M:%S')}.{301_000 + 991 * n} {1_210_311 + n} torch/distributed/elastic/agent/server/api.py:525] [default] Rendezvous'ing worker group"))
        f.launcher[n].append((at + 902, frames(("/sw/pt26/bin/torchrun", 8, "<module>", "sys.exit(main())"), ("/sw/pt26/lib/python3.11/site-packages/torch/distributed/elastic/agent/server/api.py", 526, "_rendezvous", "rdzv_info = spec.rdzv_handler.next_rendezvous()"), ("/sw/pt26/lib/python3.11/site-packages/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py", 671, "run", "raise RendezvousTimeoutError"), error="torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError")))
    for n in range(8):
        f.end(range(4 * n, 4 * n + 4), 913 + n / 3 if n != 5 else 945, code=1 if n != 5 else None, signal=9 if n == 5 else None, gap=0)
    f.load([(0, IDLE)])
    srun_says(f, 914, *(f"error: e{21 + n}: task {n}: Exited with exit code 1" for n in range(8) if n != 5), "Job step aborted: Waiting up to 32 seconds for job step to finish.", "error: e26: task 5: Exited with exit code 1")
    f.close("FAILED", 949, code=1)
    return made(f, "C1", "traceback", fault="unknown")


@job
def all_quiet() -> Made:
    """C1: 64 ranks print where they are and then nothing; no context of NCCL's, no step, the limit of a day."""
    f = Fleet(tuple(f"nid{n:06d}" for n in range(2101, 2117)), "wx-graphcast", 10_430_344, when("2026-09-02 18:30"), per=4, limit_s=86_400, card=GH200, script="gc/train.py", submit_line="sbatch -N16 --time=1-0 gc.sh")
    f.points = 10
    f.say(0, 11, "MASTER_ADDR=nid002101 MASTER_PORT=23456 WORLD_SIZE=64")
    f.each(14, "[{node}] rank {r:3d}/64 local {l} -> init_process_group(nccl, tcp://nid002101:23456, timeout=2 days)", [r for r in f.ranks if r not in (44, 45, 46, 47)], gap=0.004)
    taken_down(f, 86_404, "DUE TO TIME LIMIT")
    f.end(f.ranks, 86_407, signal=15, gap=0.002)
    f.load([(0, IDLE)])
    for r in (44, 45, 46, 47):
        f.looks[r] = {"state": "D", "wchan": "cl_sync_io_wait", "looks": 8600, "waits": {"D cl_sync_io_wait": 8571}, "file_systems": ("lustre /capstor/scratch",)}
    f.close("TIMEOUT", 86_410, signal=15)
    return made(f, "C1", fault="unknown")


@job
def coordinator_unheard() -> Made:
    """C1: JAX on eight hosts; all but one try to connect, the first prints nothing of a service; their owner gives up after 50 minutes."""
    f = Fleet(tuple(f"t{n}" for n in range(401, 409)), "maxtext-7b", 10_430_701, when("2026-09-03 10:00"), per=1, card=H200, script="MaxText/train.py", submit_line="sbatch -N8 mt.sh")
    for r in f.ranks:
        if r != 0:
            f.say(r, 21 + r / 9, f"Running Model: default\nI0903 10:00:2{1 + r // 5}.4{r}1034 {40_000 + r} max_utils.py:254] Attempting to initialize the jax distributed system for GPU backend...\nI0903 10:00:2{1 + r // 5}.4{r}2290 {40_000 + r} distributed.py:140] Connecting to JAX distributed service on t401:1234")
    end = 3015.0
    taken_down(f, end, "")
    f.end(f.ranks, end + 1, signal=15)
    f.load([(0, IDLE)])
    f.looks[0] = {"state": "S", "wchan": "do_wait", "cpu_s": 3.1, "looks": 300, "waits": {}}
    f.close("CANCELLED", end + 4, signal=15, cancelled_by_uid=1042)
    return made(f, "C1", fault="unknown")


@job
def fifteen_members() -> Made:
    """C1: Lightning counts members up, one of sixteen never says its line; eight hours of nothing till the limit."""
    f = Fleet(("du-1", "du-2", "du-3", "du-4"), "panoptic-lit", 10_431_050, when("2026-09-04 21:15"), per=4, card=A100, limit_s=28_800, script="main.py", submit_line="sbatch -N4 -t 08:00:00 pan.sh fit")
    f.say(0, 16, "Seed set to 42\nUsing bfloat16 Automatic Mixed Precision (AMP)\nGPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores")
    f.each(17, "[rank: {r}] Seed set to 42", [r for r in range(1, 16) if r != 9], gap=0.05)
    f.each(19, "Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r}/16", [r for r in range(1, 16) if r != 9], gap=0.05)
    f.say(0, 19, "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16")
    taken_down(f, 28_811, "DUE TO TIME LIMIT")
    f.end(f.ranks, 28_814, signal=15)
    f.load([(0, IDLE)])
    f.looks[9] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 5.2, "looks": 2790, "waits": {}}
    f.close("TIMEOUT", 28_817, signal=15)
    return made(f, "C1", fault="unknown")


@job
def not_enqueued() -> Made:
    """C2: after eleven hours rank 37 of 64 does not launch the next all-gather; the watchdogs of the other 63 end them after ten minutes."""
    f = Fleet(tuple(f"h{n}" for n in range(301, 309)), "dense-30b", 10_431_366, when("2026-09-05 02:02"), per=8, script="train_fsdp2.py", submit_line="sbatch -N8 dense30.sh", limit_s=259_200)
    f.points = 10
    last = f.steps(0, range(100, 5601, 100), 260, 7.1, lambda i, x, t: f"[{f.clock(t)}][rank0] step: {i:>6}  loss: {x:8.5f}  grad_norm: {0.21 + x / 30:7.4f}  memory: 66.41GiB(84.02%)  tps: {4612 - i % 31}  tflops: 421.{i % 90:02d}  mfu: 42.{i % 80:02d}%", fall(11.9, 2.2, 120))
    for r in f.ranks:
        if r != 37:
            at = last + 604 + r * 0.02
            f.say(r, at, watchdog(f, r, at, "2.7", (1_120_402, "_ALLGATHER_BASE", 26_214_400, 1_677_721_600), 600, ahead=2))
            f.say(r, at + 0.3, dump_signal(f, r, at + 0.3, 1_120_402, 2))
    f.looks[37] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 40_211.0, "looks": 4020, "waits": {}}
    f.end([r for r in f.ranks if r != 37], last + 609, signal=6, gap=0.02)
    f.end(37, last + 642, signal=9)
    f.load([(0, IDLE), (120, CONTEXT), (250, WORK), (last + 3, SPIN)])
    f.load([(0, IDLE), (120, CONTEXT), (250, WORK), (last + 3, COLD)], [37])
    srun_says(f, last + 611, *(f"error: h30{1 + n}: tasks {8 * n}-{8 * n + 7}: Aborted (core dumped)" for n in range(8) if n != 4), "error: h305: tasks 32-36,38-39: Aborted (core dumped)", "Job step aborted: Waiting up to 32 seconds for job step to finish.", "error: h305: task 37: Killed")
    f.close("FAILED", last + 645, code=134, batch=(134, None), step=("FAILED", 0, 6))
    return made(f, "C2", "nccl", fault="unknown")


@job
def shorter_share() -> Made:
    """C2: rank 5's share of the epoch is one batch shorter: it waits in the barrier at the end while the others reduce; no watchdog, two days' limit."""
    f = Fleet(("so-1", "so-2"), "zipformer-gigaspeech", 10_431_700, when("2026-09-06 12:00"), per=4, card=A100, limit_s=172_800, script="zipformer/train.py", submit_line="sbatch -t 2-0 zf.sh")
    for r in f.ranks:
        f.environment[r] = {"TORCH_NCCL_ASYNC_ERROR_HANDLING": "0"}
    last = f.steps(0, range(50, 9351, 50), 90, 1.18, lambda i, x, t: f"{f.clock(t)},{i % 993:03d} INFO [train.py:1031] (0/8) Epoch 1, batch {i}, loss[loss={x:.4f}, simple_loss={x * 1.3:.4f}, pruned_loss={x * 0.9:.4f}, over {21_000 + i % 900}.00 frames. ], tot_loss[loss={x + 0.01:.4f}, over 4318211.{i % 97:02d} frames. ], batch size: 112, lr: {4.4e-2:.2e}, grad_scale: 8.0", fall(7.8, 0.39, 90))
    f.say(5, last + 7, f"{f.clock(last + 7)},104 INFO [train.py:1190] (5/8) epoch 1 exhausted after 9352 batches, waiting for validation")
    taken_down(f, 172_806, "DUE TO TIME LIMIT")
    f.end(f.ranks, 172_809, signal=15)
    f.points = 40
    f.load([(0, IDLE), (84, Load(95, 0, 0.8, 0.81)), (last + 7, Load(100, 0, 0.23, 0.81, 0))])
    f.close("TIMEOUT", 172_812, signal=15)
    return made(f, "C2")


@job
def dead_among_living() -> Made:
    """C2: rank 12 dies of SIGSEGV in its third hour and srun leaves the others be: they spin until their owner cancels the next morning."""
    f = Fleet(("ko-21", "ko-22"), "alphafold-like", 10_432_022, when("2026-09-07 19:40"), per=8, card=H100, script="openfold/train.py", submit_line="sbatch of.sh")
    last = f.steps(0, range(10, 1341, 10), 130, 7.9, lambda i, x, t: f"{f.clock(t, '%d/%m/%Y %H:%M:%S')} INFO [train_openfold] iter={i} loss={x:.4f} fape={x / 3:.4f} distogram={x / 2.2:.4f} lddt_ca={0.88 - x / 9:.4f} sec/it=7.9{i % 9}", fall(5.2, 1.6, 90))
    f.end(12, last + 30, signal=11)
    f.kernel("ko-22", last + 30, "kernel_segfault", "python[40012]: segfault at 10 ip 00007fb1f3a0b3f4 sp 00007fb0117fd8c0 error 4 in libhts.so.3.19[7fb1f39e0000+9b000] likely on CPU 70", process="python", pid=40_012, kind="segfault", address="10", object="libhts.so.3.19")
    srun_says(f, last + 31, "error: ko-22: task 12: Segmentation fault (core dumped)")
    end = last + 11 * 3600 + 140
    taken_down(f, end, "")
    f.end([r for r in f.ranks if r != 12], end + 1, signal=15)
    f.points = 34
    f.load([(0, IDLE), (124, WORK), (last + 9, SPIN)])
    f.load([(0, IDLE), (124, WORK), (last + 30, IDLE)], [12])
    f.close("CANCELLED", end + 5, signal=15, cancelled_by_uid=1042)
    return made(f, "C2", "segfault", first=(12,), trigger="A2")


@job
def too_full_for_one() -> Made:
    """C2: rank 3 has no memory for its batch and ends with Python's error; the others wait for it in the all-reduce till their watchdogs' half hour."""
    f = Fleet(("g110", "g111"), "vilt-large", 10_432_390, when("2026-09-09 08:25"), per=4, card=L40S, script="vilt/run.py", submit_line="sbatch vilt.sh")
    last = f.steps(0, range(40, 3881, 40), 57, 1.6, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')}  e0 i{i:05d}  itm+mlm {x:.4f}  acc {0.93 - x / 9:.3f}  mem {40.1 + i % 30 / 10:.1f}G", fall(7.2, 1.9, 150))
    f.say(3, last + 5, frames(("/vl/vilt/run.py", 190, "<module>", "main()"), ("/vl/vilt/run.py", 144, "main", "out = model(**to_device(batch))"), ("/vl/env/lib/python3.11/site-packages/torch/nn/functional.py", 2140, "softmax", "ret = input.softmax(dim)"), error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.81 GiB. GPU 3 has a total capacity of 44.39 GiB of which 1.77 GiB is free. Including non-PyTorch memory, this process has 42.62 GiB memory in use. Of the allocated memory 39.90 GiB is allocated by PyTorch, and 2.11 GiB is reserved by PyTorch but unallocated."))
    f.end(3, last + 8, code=1)
    srun_says(f, last + 9, "error: g110: task 3: Exited with exit code 1")
    for r in f.ranks:
        if r != 3:
            at = last + 1806 + r * 0.05
            f.say(r, at, watchdog(f, r, at, "2.5", (58_207, "ALLREDUCE", 31_457_280, 31_457_280), 1800))
    f.end([r for r in f.ranks if r != 3], last + 1810, signal=6, gap=0.05)
    srun_says(f, last + 1812, "error: g110: tasks 0-2: Aborted (core dumped)", "error: g111: tasks 4-7: Aborted (core dumped)")
    f.load([(0, IDLE), (52, Load(96, 0, 0.82, 0.94)), (last + 6, Load(100, 0, 0.25, 0.94, 0))])
    f.load([(0, IDLE), (52, Load(96, 0, 0.82, 0.95)), (last + 8, IDLE)], [3])
    f.close("FAILED", last + 1816, code=134, batch=(134, None), step=("FAILED", 1, 0))
    return made(f, "C2", "cuda_oom", first=(3,), trigger="B1")


@job
def heart_stops() -> Made:
    """C2: a rank's thread holds the interpreter for ever in a tokenizer; Megatron's iterations stop, everyone's watchdogs speak of one all-reduce."""
    f = Fleet(("va1", "va2", "va3"), "t5-xxl-denoise", 10_432_650, when("2026-09-10 15:00"), per=8, agents=True, card=H200, script="pretrain_t5.py", submit_line="sbatch -N3 t5.slurm")
    threads_note(f, 6)
    last = f.steps(23, range(10, 1811, 10), 170, 8.3, lambda i, x, t: megatron(i, 60_000, x, stamp=f.clock(t), ms=8301.0 + i % 61, lr=1e-4, batch=768, flops=377.0, norm=0.5 + x / 14), fall(10.4, 2.6, 80), tag="[default7]:")
    for r in f.ranks:
        if r != 16:
            at = last + 1804 + r * 0.03
            f.say(r, at, watchdog(f, r, at, "2.6", (361_930, "ALLREDUCE", 1, 1), 1800, ahead=1), f"[default{r % 8}]:")
    f.looks[16] = {"state": "R", "wchan": "", "cpu_s": 17_900.0, "looks": 1680, "waits": {}}
    f.end([r for r in f.ranks if r != 16], last + 1809, signal=6, gap=0.03)
    f.end(16, last + 1815, signal=15)
    for n in range(3):
        elastic(f, n, last + 1816 + n, [(r, -6, last + 1809 + 0.03 * r) for r in range(8 * n, 8 * n + 8) if r != 16], binary="/usr/bin/python")
    f.load([(0, IDLE), (100, CONTEXT), (166, WORK), (last + 3, SPIN)])
    f.load([(0, IDLE), (100, CONTEXT), (166, WORK), (last + 3, COLD)], [16])
    f.close("FAILED", last + 1824, code=1)
    return made(f, "C2", "nccl", fault="unknown")


@job
def second_epoch_never() -> Made:
    """C3: one card; the loader's forked workers hang at the beginning of the second epoch; a day of nothing till the limit."""
    f = Fleet(("lab-a6",), "resunet-ct", 10_432_930, when("2026-09-11 17:05"), per=1, card=A100_40, limit_s=86_400, script="seg3d.py", submit_line="sbatch -t 24:00:00 ct.sh")
    last = f.steps(0, range(20, 1441, 20), 31, 1.9, lambda i, x, t: f"epoch 1 [{i:>4}/1440] dice {x:.4f} ce {x * 0.8:.4f} ({t - 31:.0f} s)", fall(0.98, 0.31, 90))
    f.say(0, last + 80, "epoch 1 done in 2820 s | val dice 0.641 | saved ckpt/e001.pt")
    taken_down(f, 86_411, "DUE TO TIME LIMIT")
    f.end(0, 86_414, signal=15)
    f.load([(0, IDLE), (28, Load(88, 0, 0.66, 0.52, 15)), (last + 85, Load(0, 0, 0.15, 0.52, 0))])
    f.looks[0] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 2950.0, "looks": 8500, "waits": {}}
    f.close("TIMEOUT", 86_417, signal=15)
    return made(f, "C3", fault="unknown")


@job
def no_answer_from_store() -> Made:
    """C3: one card; the stream from an object store stops in the middle of a read that has no time-out; cancelled by its owner seven hours later."""
    f = Fleet(("px-3",), "music-tagger", 10_433_240, when("2026-09-12 01:20"), per=1, card=H100, script="tagger.py", submit_line="sbatch tag.sh")
    f.say(0, 16, "streaming s3://fma/full/{0000..0999}.tar via http://minio.lan:9000")
    last = f.steps(0, range(25, 4326, 25), 29, 0.68, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} | {i:>6} | bce {x:.5f} | map {0.47 - x:.4f} | {128 / 0.68:.0f} clips/s", fall(0.21, 0.041, 250))
    end = last + 7 * 3600 + 300
    f.script_words.append((end, f"slurmstepd: error: *** JOB {f.job_id} ON px-3 CANCELLED AT {f.clock(end, '%Y-%m-%dT%H:%M:%S')} ***"))
    f.end(0, end + 1, signal=15)
    f.load([(0, IDLE), (26, Load(83, 37, 0.55, 0.33, 20)), (last + 12, Load(0, 0, 0.15, 0.33, 0))])
    f.looks[0] = {"state": "S", "wchan": "sk_wait_data", "cpu_s": 4010.0, "looks": 2520, "waits": {}}
    f.close("CANCELLED", end + 3, signal=15, cancelled_by_uid=1042)
    return made(f, "C3", fault="unknown")


@job
def engine_asleep() -> Made:
    """C3: vLLM makes answers on one card; at two fifths the bar stands still, the engine's process waits, the weights lie on the card until the limit."""
    f = Fleet(("inf-12",), "synth-answers", 10_433_515, when("2026-09-13 09:10"), per=1, card=B200, limit_s=36_000, script="synth.py", submit_line="sbatch -t 10:00:00 synth.sh")
    f.say(0, 41, f"INFO {f.clock(41, '%m-%d %H:%M:%S')} [gpu_model_runner.py:1843] Model loading took 61.2031 GiB and 24.118 seconds\nINFO {f.clock(60, '%m-%d %H:%M:%S')} [kv_cache_utils.py:829] GPU KV cache size: 712,304 tokens\nINFO {f.clock(79, '%m-%d %H:%M:%S')} [core.py:193] init engine (profile, create kv cache, warmup model) took 37.70 seconds")
    last = f.steps(0, range(200, 20_801, 200), 84, 0.29, lambda i, _x, t: bar(i, 52_002, t - 84, name="Processed prompts", tail=f"est. speed input: {1911 + i % 77}.20 toks/s, output: {5203 + i % 213}.71 toks/s"), lambda _i: 0.0)
    taken_down(f, 36_009, "DUE TO TIME LIMIT")
    f.end(0, 36_012, signal=15)
    f.load([(0, IDLE), (30, Load(10, 4, 0.2, 0.36, 20)), (82, Load(97, 48, 0.71, 0.9)), (last + 4, Load(0, 0, 0.16, 0.9, 0))])
    f.looks[0] = {"state": "S", "wchan": "ep_poll", "cpu_s": 6100.0, "looks": 2990, "waits": {}}
    f.close("TIMEOUT", 36_015, signal=15)
    return made(f, "C3", fault="unknown")


