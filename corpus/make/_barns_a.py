"""Ranks of large jobs, first loft: doors shut, processes shot, memory gone, links broken, nobody there."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, CONTEXT, GH200, H200, IDLE, SPIN, V100, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import dump_signal, elastic, frames, sigterms, srun_says, taken_down, watchdog
from corpus.running.hand import GIB
from gpualert_slurm.rank import CgroupMemory

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def not_for_you() -> Made:
    """A1: the weights of a shared model belong to a group that the user is not in."""
    f = Fleet(("tn-01", "tn-02"), "l70b-lora", 9_120_031, when("2026-09-03 15:10"), per=4, agents=True, script="finetuning.py", submit_line="sbatch lora70.sh")
    f.each(19, "bitsandbytes not used, loading in bf16 (rank {r})", gap=0.1)
    trace = frames(
        ("/u/oduya/recipes/finetuning.py", 402, "<module>", "fire.Fire(main)"),
        ("/u/oduya/recipes/finetuning.py", 166, "main", "model = LlamaForCausalLM.from_pretrained(train_config.model_name, torch_dtype=torch.bfloat16)"),
        ("/u/oduya/.venv/lib/python3.11/site-packages/transformers/modeling_utils.py", 531, "load_state_dict", "with safe_open(checkpoint_file, framework=\"pt\") as f:"),
        error="PermissionError: [Errno 13] Permission denied: '/shared/models/Llama-3.1-70B/model-00001-of-00030.safetensors'",
    )  # fmt: skip
    f.each(24, trace, tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, 26, code=1, gap=0.05)
    f.load([(0, IDLE), (20, IDLE)])
    for n in range(2):
        elastic(f, n, 28, [(r, 1, 26 + 0.05 * r) for r in range(4 * n, 4 * n + 4)], binary="/u/oduya/.venv/bin/python3")
    f.close("FAILED", 31, code=1)
    return made(f, "A1", "permission", variant="asset")


@job
def offloaded() -> Made:
    """A2: ZeRO-Offload fills the host; the kernel kills a rank of the step's cgroup, torchrun ends the rest within a second."""
    f = Fleet(("fat-2",), "falcon40-offload", 9_120_417, when("2026-09-05 08:50"), per=8, card=A100, agents=True, script="zero_offload.py", submit_line="sbatch --mem=900G off.sbatch")
    last = f.steps(0, range(1, 42), 210, 33.0, lambda i, x, t: f"[{f.clock(t)},{(i * 71) % 1000:03d}] [INFO] [timer.py:264:stop] epoch=0/micro_step={i * 8}/global_step={i}, RunningAvgSamplesPerSec=7.7{i % 10}, CurrSamplesPerSec=7.8{i % 9}, MemAllocated=31.4GB, MaxMemAllocated=38.02GB\nstep {i} | lm {x:.4f}", fall(2.41, 1.83, 9))
    f.oom(5, last + 12, 900, 900.0)
    f.end(5, last + 12.1, signal=9)
    f.end([r for r in f.ranks if r != 5], last + 13.4, signal=15)
    sigterms(f, 0, last + 13, [0, 1, 2, 3, 4, 6, 7])
    elastic(f, 0, last + 19, [(5, -9, last + 12.1)])
    f.load([(0, IDLE), (120, CONTEXT), (205, Load(71, 33, 0.6, 0.5, 30))])
    f.script_words.append((last + 21, f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.\nsrun: error: fat-2: task 0: Out Of Memory"))
    f.close("OUT_OF_MEMORY", last + 22, code=0, signal=125, batch=(1, None), step=("OUT_OF_MEMORY", 0, 125))
    return made(f, "A2", "oom_killer", first=(5,))


@job
def who_did_it() -> Made:
    """A2: two ranks get SIGKILL while the model is being read; no counter and no line of the kernel says from whom, memory was far from its limit."""
    f = Fleet(("c-110", "c-111"), "opt30-qa", 9_120_702, when("2026-09-06 10:33"), per=4, script="qa.py", submit_line="sbatch -K qa.sh")
    f.each(11, "{node} rank {r}: reading shards", gap=0.2)
    f.end((2, 6), 58, signal=9, gap=0.01)
    f.end([r for r in f.ranks if r not in (2, 6)], 61, signal=15)
    for r in f.ranks:
        f.memory[r] = CgroupMemory(limit_bytes=512 * GIB, peak_bytes=61 * GIB, oom_events=0, oom_kill_events=0)
    f.load([(0, IDLE), (30, CONTEXT)])
    srun_says(f, 58.6, "error: c-110: task 2: Killed", f"Terminating StepId={f.job_id}.0", "error: c-111: task 6: Killed", "error: c-110: tasks 0-1,3: Terminated", "error: c-111: tasks 4-5,7: Terminated")
    f.close("FAILED", 64, code=137, batch=(137, None), step=("FAILED", 0, 9))
    return made(f, "A2", None, first=(2, 6), fault="unknown")


@job
def nothing_to_count() -> Made:
    """A3: the validation split of a language is empty: rank 0 divides by the number of its batches."""
    f = Fleet(("gpua014", "gpua015"), "nllb-ft", 9_121_130, when("2026-09-08 20:00"), per=4, card=A100_40, script="nllb_ft.py", submit_line="sbatch nllb.sbatch")
    last = f.steps(0, range(100, 2001, 100), 66, 0.97, lambda i, x, t: f"{f.clock(t)} | INFO     | __main__:train:188 - upd {i:5d} | label-smoothed nll {x:.3f} | ppl {2 ** x:.2f} | wps {88_120 + i % 700}", fall(6.4, 2.9, 150))
    f.say(0, last + 20, f"{f.clock(last + 20)} | INFO     | __main__:evaluate:231 - eng_Latn->fuv_Latn chrF++ 31.07 (997 lines)")
    f.say(0, last + 31, frames(("/scratch/nllb/nllb_ft.py", 330, "<module>", "train(args)"), ("/scratch/nllb/nllb_ft.py", 201, "train", "scores = evaluate(model, dev)"), ("/scratch/nllb/nllb_ft.py", 229, "evaluate", "nll = total / batches"), error="ZeroDivisionError: division by zero"))
    f.end(0, last + 33, code=1)
    f.end(range(1, 8), last + 35, signal=9)
    f.load([(0, IDLE), (60, WORK)])
    srun_says(f, last + 34, "error: gpua014: task 0: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: gpua014: tasks 1-3: Killed", "error: gpua015: tasks 4-7: Killed")
    f.close("FAILED", last + 38, code=1)
    return made(f, "A3", "div_zero", first=(0,))


@job
def too_wide() -> Made:
    """B1: a JAX program of two hosts asks for a temporary larger than what is left, at its first compiled step."""
    f = Fleet(("gh-01", "gh-02", "gh-03", "gh-04"), "pax-6b", 9_121_560, when("2026-09-09 11:11"), per=1, card=GH200, script="train_lm.py", submit_line="sbatch -N4 pax.sh")
    f.each(16, "I0909 11:11:16.40{r}113  4000{r} distributed.py:106] Connecting to JAX distributed service on gh-01:12321")
    f.say(0, 24, "I0909 11:11:24.811902   40000 train_lm.py:88] process 0/4, local devices: [CudaDevice(id=0)]\nI0909 11:11:24.812455   40000 train_lm.py:90] mesh {'data': 1, 'fsdp': 4}")
    f.say(0, 51, "I0909 11:11:51.300771   40000 train_lm.py:140] parameters: 6.17B, compiling train_step")
    f.each(131, "E0909 11:13:11.77{r}020  4000{r} pjrt_stream_executor_client.cc:3045] Execution of replica 0 failed: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 50465865728 bytes.")
    trace = frames(
        ("/users/petra/pax/train_lm.py", 233, "<module>", "app.run(main)"),
        ("/users/petra/pax/train_lm.py", 171, "main", "state, metrics = p_train_step(state, batch)"),
        error="jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 50465865728 bytes.",
    )  # fmt: skip
    f.each(131.5, trace)
    f.end(f.ranks, 134, code=1, gap=0.2)
    f.load([(0, IDLE), (22, Load(2, 1, 0.2, 0.76, 10)), (126, Load(60, 20, 0.4, 0.78, 40))])
    srun_says(f, 136, "error: gh-01: task 0: Exited with exit code 1", "error: gh-03: task 2: Exited with exit code 1")
    f.close("FAILED", 138, code=1)
    return made(f, "B1", "cuda_oom")


@job
def switch() -> Made:
    """B2: an NVLink of a card dies and the node's switch reports a fatal link; NCCL on that node tells of a CUDA failure."""
    f = Fleet(("dgxh-31", "dgxh-32"), "mixtral-cpt", 9_122_003, when("2026-09-11 02:22"), per=8, script="pretrain_mixtral.py", submit_line="sbatch mixtral.slurm")
    last = f.steps(15, range(10, 701, 10), 150, 8.8, lambda i, x, t: f"{f.clock(t)} it {i:>6} | lm {x:.5f} | aux {0.0101 + x / 9000:.5f} | z {0.002:.4f} | {8.8:.2f} s | 351 TF", fall(9.6, 2.2, 70))
    f.kernel("dgxh-32", last + 2.0, "sxid", "nvidia-nvswitch2: SXid (PCI:0000:86:00.0): 20034, Fatal, Link 41 LTSSM Fault Up", sxid=20034, switch_pci="0000:86:00", fatal=True, words="Link 41 LTSSM Fault Up")
    f.xid(12, last + 2.1, 74, "NVLink: fatal error detected on link 9(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)")
    f.marks[12] = ({"nvlink_replay_errors": 3, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 0}, {"nvlink_replay_errors": 4190, "nvlink_recovery_errors": 7, "nvlink_crc_errors": 611})
    error = "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2021, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'uncorrectable NVLink error detected during the execution'"
    f.say(12, last + 4, frames(("/raid/mix/pretrain_mixtral.py", 288, "<module>", "train()"), ("/raid/mix/pretrain_mixtral.py", 190, "train", "grads.reduce_scatter()"), error=error), "[rank12]: ")
    f.end(12, last + 6, code=1)
    f.end([r for r in f.ranks if r != 12], last + 9, signal=9)
    f.load([(0, IDLE), (100, CONTEXT), (146, WORK)])
    srun_says(f, last + 7, "error: dgxh-32: task 12: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 13, code=1)
    return made(f, "B2", "cuda_runtime", first=(12,), variant="fault", fault="node")


@job
def weak_supply() -> Made:
    """B3: the power brake holds one card down from the first tenth of the run on; all steps are as slow as it."""
    f = Fleet(("z81", "z82"), "dino-g", 9_122_400, when("2026-09-12 13:00"), per=4, card=H200, script="dinov2/train/train.py", submit_line="sbatch dino.sh")
    turn = 52 + 0.8 * 300
    last = f.steps(0, range(50, 3001, 50), 52, lambda i: 0.8 if i <= 300 else 2.0, lambda i, x, t: f"I{f.clock(t, '%Y%m%d %H:%M:%S')} 40000 dinov2 helpers.py:102] Training  [{i:>4}/3000]  eta: {int((3000 - i) * 2) // 3600}:{int((3000 - i) * 2) // 60 % 60:02d}:{(3000 - i) * 2 % 60:02d}  lr: 0.0004 ({0.0004:.4f})  total_loss: {x:.4f} ({x + 0.2:.4f})  time: {0.8 if i <= 300 else 2.0:.6f}  data: 0.0021{i % 90:02d}  max mem: 88121", fall(13.2, 9.1, 200))
    f.say(0, last + 2, f"I{f.clock(last + 2, '%Y%m%d %H:%M:%S')} 40000 dinov2 helpers.py:130] Training Total time: 1:35:12 (1.9041 s / it)")
    for r in f.ranks:
        gone = int((last - turn) * 0.95e9) if r == 3 else 0
        f.marks[r] = ({"violation_hw_power_brake_ns": 0, "violation_power_ns": 51_000, "violation_hw_thermal_ns": 0, "violation_thermal_ns": 0}, {"violation_hw_power_brake_ns": gone, "violation_power_ns": 51_000 + gone})
    f.load([(0, IDLE), (48, Load(97, 60, 0.86, 0.62, clock=0.98, heat=61)), (turn, Load(99, 23, 0.42, 0.62, clock=0.98, heat=50))])
    f.load([(0, IDLE), (48, Load(97, 60, 0.86, 0.62, clock=0.98, heat=62)), (turn, Load(99, 61, 0.3, 0.62, clock=0.38, heat=49, throttle=0x88))], [3])
    f.close("COMPLETED", last + 9)
    return made(f, "B3", fault="node")


@job
def store_barrier() -> Made:
    """C1: on PyTorch 1.13 the ranks of the last node never reach the first barrier; the others count twelve of sixteen for half an hour."""
    f = Fleet(("old-1", "old-2", "old-3", "old-4"), "wav2vec-xlsr", 9_122_805, when("2026-09-14 09:09"), per=4, card=V100, script="fairseq_cli/hydra_train.py", submit_line="sbatch -N4 w2v.sh")
    f.each(10, "[2026-09-14 09:09:10,{l}07][fairseq.distributed.utils][INFO] - distributed init (rank {r}): tcp://old-1:10001", range(12), gap=0.05)
    f.each(14, "[2026-09-14 09:09:14,{l}31][torch.distributed.distributed_c10d][INFO] - Added key: store_based_barrier_key:1 to store for rank: {r}", range(12), gap=0.05)
    f.each(25, "[2026-09-14 09:09:25,{l}92][torch.distributed.distributed_c10d][INFO] - Waiting in store based barrier to initialize process group for rank: {r}, key: store_based_barrier_key:1 (world_size=16, worker_count=12, timeout=0:30:00)", range(12), gap=0.05)
    trace = frames(
        ("/home/w2v/fairseq/fairseq_cli/hydra_train.py", 27, "hydra_main", "_hydra_main(cfg)"),
        ("/home/w2v/fairseq/fairseq/distributed/utils.py", 258, "distributed_init", "dist.init_process_group("),
        ("/home/w2v/env/lib/python3.9/site-packages/torch/distributed/distributed_c10d.py", 786, "init_process_group", "_store_based_barrier(rank, store, timeout)"),
        error="RuntimeError: Timed out initializing process group in store based barrier on rank: {r}, for key: store_based_barrier_key:1 (world_size=16, worker_count=12, timeout=0:30:00)",
    )  # fmt: skip
    f.each(1815, trace, range(12), gap=0.1)
    f.end(range(12), 1818, code=1, gap=0.1)
    f.end(range(12, 16), 1850, signal=9)
    f.load([(0, IDLE), (11, IDLE)])
    srun_says(f, 1821, "error: old-1: tasks 0-3: Exited with exit code 1", "error: old-2: tasks 4-7: Exited with exit code 1", "error: old-3: tasks 8-11: Exited with exit code 1", "error: old-4: tasks 12-15: Killed")
    f.close("FAILED", 1853, code=1)
    return made(f, "C1", "runtime_error", fault="unknown")


@job
def crossed() -> Made:
    """C2: rank 0 alone gathers metrics in a branch of its own, the others reduce gradients: two kinds of collective under one number, until the watchdogs end all."""
    f = Fleet(("kx1", "kx2"), "tabular-fm", 9_123_211, when("2026-09-15 17:30"), per=4, agents=True, script="fm/train.py", submit_line="sbatch fm.sh")
    last = f.steps(0, range(20, 1001, 20), 58, 1.12, lambda i, x, t: f"[rank0] {f.clock(t, '%H:%M:%S')} it={i} bce={x:.4f} auc~{0.5 + (0.69 - x) * 0.9:.3f}", fall(0.69, 0.33, 140))
    f.say(0, last + 1, "[rank0] it=1000 drift alarm: gathering embeddings for inspection")
    for r in f.ranks:
        at = last + 481 + r * 0.05
        kind, into, out = ("ALLGATHER", 2_097_152, 16_777_216) if r == 0 else ("ALLREDUCE", 26_214_400, 26_214_400)
        f.say(r, at, watchdog(f, r, at, "2.8", (4021, kind, into, out), 480, ahead=1 if r == 0 else 2))
        f.say(r, at + 0.4, dump_signal(f, r, at + 0.4, 4021, 1 if r == 0 else 2))
    f.end(f.ranks, last + 484, signal=6, gap=0.05)
    for n in range(2):
        elastic(f, n, last + 489 + n, [(r, -6, last + 484 + 0.05 * r) for r in range(4 * n, 4 * n + 4)])
    f.load([(0, IDLE), (54, WORK), (last + 2, SPIN)])
    f.close("FAILED", last + 493, code=1)
    return made(f, "C2", "nccl")


@job
def dreaming() -> Made:
    """C3: one card; the simulators of a reinforcement-learning job have stopped handing over states; nothing for six hours, then the limit."""
    f = Fleet(("rl-5",), "isaac-ppo", 9_123_650, when("2026-09-16 22:00"), per=1, limit_s=28_800, script="ppo_quadruped.py", submit_line="sbatch --time=8:00:00 quad.sh")
    last = f.steps(0, range(10, 621, 10), 80, 9.7, lambda i, x, _t: f"| iter {i:>4} | frames {i * 98304:>10,} | ep_rew {-x * 12 + 30:8.2f} | value_loss {x:.4f} | fps 10,134 |", fall(2.4, 0.35, 90))
    taken_down(f, 28_812, "DUE TO TIME LIMIT")
    f.end(0, 28_815, signal=15)
    f.load([(0, IDLE), (76, Load(84, 44, 0.6, 0.37, 25)), (last + 9, Load(0, 0, 0.16, 0.37, 0))])
    f.looks[0] = {"state": "S", "wchan": "do_poll", "cpu_s": 7102.0, "looks": 2800, "waits": {}}
    f.close("TIMEOUT", 28_818, signal=15)
    return made(f, "C3", fault="unknown")


@job
def far_disk() -> Made:
    """C3: one card; the process hangs in the kernel on an NFS server that is gone; the node's kernel repeats it, the log does not grow."""
    f = Fleet(("ws-22",), "pathology-mil", 9_123_990, when("2026-09-18 12:40"), per=1, limit_s=43_200, script="mil.py", submit_line="sbatch mil.sh")
    last = f.steps(0, range(4, 161, 4), 35, 14.0, lambda i, x, _t: f"slide {i:>5}/8100 bag_loss={x:.4f} auc_run={0.5 + (0.7 - x) * 0.8:.3f}", fall(0.7, 0.38, 30))
    for s in (122, 245, 368, 491):
        f.kernel("ws-22", last + 5 + s, "kernel_hung_task", f"INFO: task python:40000 blocked for more than {s} seconds.", process="python", pid=40_000, blocked_s=s)
    f.looks[0] = {"state": "D", "wchan": "rpc_wait_bit_killable", "looks": 4100, "waits": {"D rpc_wait_bit_killable": 3870}, "file_systems": ("nfs4 /mnt/slides",)}
    end = last + 9 * 3600
    f.script_words.append((end, f"slurmstepd: error: *** JOB {f.job_id} ON ws-22 CANCELLED AT {f.clock(end, '%Y-%m-%dT%H:%M:%S')} ***"))
    f.end(0, end + 30, signal=9)
    f.load([(0, IDLE), (32, Load(77, 39, 0.5, 0.3, 40)), (last + 3, Load(0, 0, 0.14, 0.3, 0))])
    f.close("CANCELLED", end + 33, signal=15, cancelled_by_uid=1042)
    return made(f, "C3", fault="unknown")
