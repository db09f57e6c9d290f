"""Written jobs that stopped before their time, or stood still."""

from __future__ import annotations

from corpus.make._heron_ledgers_by_pen_base import (
    AMPERE,
    EMPTY,
    HOPPER_200,
    OPENED,
    Dial,
    Writer,
    Written,
    curve,
    frames,
    ill,
    when,
)
from corpus.make._heron_ledgers_by_pen_kit import Yard
from corpus.make._heron_ledgers_by_pen_words import agent_closes, agent_words, slurm_ends, srun


def odd_split() -> Written:
    """A1: 64 cards cannot be divided by tensor 8 times pipeline 3; Megatron's arguments assert it on every rank."""
    y = Yard(
        tuple(f"hcn{n:03d}" for n in range(12, 20)),
        "mgt-33b-p3",
        8_841_022,
        when("2026-11-03 06:41:10"),
        program=("python3", "pretrain_gpt.py"),
        readings=8,
        submit_line="sbatch -N8 scripts/33b.slurm 8 3",
    )
    y.script(0.6, "TP=8 PP=3 MBS=1 GBS=1536\nMASTER_ADDR=hcn012 MASTER_PORT=6000 nodes=8 gpus=64")
    text = frames(
        ("/project/lm/Megatron-LM/pretrain_gpt.py", 303, "<module>", "pretrain("),
        ("/project/lm/Megatron-LM/megatron/training/training.py", 612, "pretrain", "initialize_megatron("),
        ("/project/lm/Megatron-LM/megatron/training/initialize.py", 98, "initialize_megatron", "validate_args(args, args_defaults)"),
        ("/project/lm/Megatron-LM/megatron/training/arguments.py", 412, "validate_args", "assert args.world_size % total_model_size == 0, ("),
        error="AssertionError: world size (64) is not divisible by total_model_size (total_model_size=24)",
    )
    y.all_tell(31, lambda _: text, gap=0.03, tag="@: ")
    y.stop(y.world, 33.5, code=1)
    y.dial([(0, EMPTY)])
    srun(y, 34, *(f"error: {n}: tasks {8 * k}-{8 * k + 7}: Exited with exit code 1" for k, n in enumerate(y.nodes)))
    return ill(y.finish("FAILED", 37, code=1), "A1", "assertion", variant="config")


def plasma() -> Written:
    """A2: a kinetic plasma code in C++; rank 9 ends with SIGSEGV after a regrid, and srun takes the others down."""
    y = Yard(
        ("a100-04", "a100-05", "a100-07", "a100-08"),
        "vlasov6d",
        8_841_377,
        when("2026-11-04 13:20:00"),
        per=4,
        board=AMPERE,
        program=("./vlasov6d", "ion_beam.par"),
        submit_line="sbatch -N4 vl.job",
    )
    y.tell(
        0,
        3,
        "  VLASOV6D  rev 4c1e0a7  built with nvc++ 24.5\n  ranks 16   phase-space cells 3.84e+10   scheme WENO5/RK3\n  reading ion_beam.par ... ok",
    )
    last = y.march(
        0,
        range(50, 2451, 50),
        40,
        1.31,
        lambda i, _: (
            f"  n={i:6d}  t={i * 2.5e-4:.5f}  dt=2.50e-04  W_E={3.1e-3 * 1.0021 ** (i / 10):.6e}  dM/M={(i % 7) * 1e-12:.1e}  {131 + i % 5:4d} s/100"
        ),
    )
    y.tell(0, last + 22, "  regrid: beam front crossed x=0.61, 4 blocks moved between ranks 8,9,12,13")
    y.stop(9, last + 24, signal=11)
    y.stop(y.others(9), last + 26, signal=9)
    y.dial([(0, EMPTY), (30, Dial(96, 0, 322, 61.4)), (last + 24, OPENED)])
    srun(
        y,
        last + 24.6,
        "error: a100-07: task 9: Segmentation fault (core dumped)",
        f"Terminating StepId={y.job_id}.0",
        "error: a100-04: tasks 0-3: Killed",
        "error: a100-05: tasks 4-7: Killed",
        "error: a100-07: tasks 8,10-11: Killed",
        "error: a100-08: tasks 12-15: Killed",
    )
    return ill(y.finish("FAILED", last + 29, code=139, batch=(139, 0), step=("FAILED", 0, 11)), "A2", "segfault", first_ranks=(9,))


def reader_model() -> Written:
    """A3: one shard has a record without an answer; rank 21 of 32 fails in its collator in the second epoch."""
    y = Yard(
        ("gn21", "gn22", "gn25", "gn26"),
        "extractive-qa",
        8_841_590,
        when("2026-11-04 22:05:30"),
        pipe=True,
        program=("/opt/qa/bin/python3", "-u", "train_reader.py"),
        submit_line="sbatch qa_reader.sbatch",
    )
    f = curve(5.9, 0.7, 60)
    last = y.march(
        0,
        range(25, 1901, 25),
        71,
        0.83,
        lambda i, t: (
            f"{y.clock(t, '%H:%M:%S')} reader ep{1 + i // 1200} it{i:05d} span={f(i):.4f} em~{62 - 9 * f(i):.1f} f1~{71 - 8 * f(i):.1f} lr={2e-5 * (1 - i / 4800):.2e}"
        ),
    )
    y.tell(
        21,
        last + 11,
        frames(
            ("/home/alice/reader/train_reader.py", 244, "<module>", "main()"),
            ("/home/alice/reader/train_reader.py", 187, "main", "for batch in loader:"),
            ("/opt/qa/lib/python3.11/site-packages/torch/utils/data/dataloader.py", 708, "__next__", "data = self._next_data()"),
            ("/home/alice/reader/collate.py", 38, "__call__", 'spans = [r["answer"]["char_start"] for r in rows]'),
            error="KeyError: 'answer'",
        ),
        "[rank21]: ",
    )
    y.stop(21, last + 13, code=1)
    y.stop([r for r in y.others(21) if r // 8 == 2], last + 15, signal=15)
    y.stop([r for r in y.world if r // 8 != 2], last + 21, signal=15)
    agent_closes(y, last + 14, [16, 17, 18, 19, 20, 22, 23])
    agent_words(y, 2, last + 17, {21: (last + 13, 1)}, site="/opt/qa", word="train_reader.py")
    for n in (0, 1, 3):
        agent_closes(y, last + 20.5, y.ranks_of(n))
    y.dial([(0, EMPTY), (44, OPENED), (69, Dial(93, 47, 560, 58.2)), (last + 13, OPENED)])
    srun(y, last + 19, "error: gn25: task 2: Exited with exit code 1", f"Terminating StepId={y.job_id}.0")
    return ill(y.finish("FAILED", last + 23, code=1), "A3", "traceback", first_ranks=(21,))


def packed() -> Written:
    """B1: NeMo's fine-tuning with packed samples; on rank 5 the backward pass of a long pack does not fit."""
    y = Yard(
        ("dgx-02", "dgx-06"),
        "nemo-sft-27b",
        8_842_013,
        when("2026-11-05 17:44:00"),
        program=("python", "/workspace/sft_27b.py"),
        submit_line="sbatch --container-image=nemo:25.04 sft27.sub",
    )
    y.all_tell(
        22,
        lambda r: f"[NeMo I 2026-11-05 17:44:22 nemo_logging:393] Rank {r} has data parallel rank : {r // 8}, tensor parallel rank: {r % 8}",
        gap=0.1,
    )
    f = curve(1.9, 1.02, 12)
    last = y.march(
        0,
        range(44),
        231,
        9.81,
        lambda i, _: (
            f"Training epoch 0, iteration {i}/1999 | lr: {1e-7 * (i + 1):.2e} | global_batch_size: 128 | global_step: {i} | max_memory_reserved: 79104573440 | max_memory_allocated: 74011238400 | reduced_train_loss: {f(i):.4g} | train_step_timing in s: 9.{70 + i % 23} | consumed_samples: {128 * (i + 1)}"
        ),
    )
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 5 has a total capacity of 79.11 GiB of which 2.06 GiB is free. Including non-PyTorch memory, this process has 77.04 GiB memory in use. Of the allocated memory 71.83 GiB is allocated by PyTorch, and 2.41 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    y.tell(
        5,
        last + 6.2,
        frames(
            ("/workspace/sft_27b.py", 171, "<module>", "llm.finetune(recipe)"),
            (
                "/opt/megatron-lm/megatron/core/pipeline_parallel/schedules.py",
                501,
                "forward_backward_no_pipelining",
                "backward_step(input_tensor, output_tensor, output_tensor_grad, model_type, config)",
            ),
            ("/opt/megatron-lm/megatron/core/tensor_parallel/cross_entropy.py", 120, "backward", "grad_input = softmax"),
            error=error,
        ),
        "[rank5]: ",
    )
    y.stop(5, last + 9, code=1)
    y.stop(y.others(5), last + 12, signal=9)
    y.dial([(0, EMPTY), (35, OPENED), (120, Dial(3, 1, 128, 41.2, 10)), (228, Dial(98, 58, 633, 74.4))])
    y.dial([(0, EMPTY), (35, OPENED), (120, Dial(3, 1, 128, 41.2, 10)), (228, Dial(98, 58, 640, 75.0)), (last + 1, Dial(98, 58, 640, 77.1))], [5])
    srun(
        y,
        last + 10,
        "error: dgx-02: task 5: Exited with exit code 1",
        f"Terminating StepId={y.job_id}.0",
        "error: dgx-02: tasks 0-4,6-7: Killed",
        "error: dgx-06: tasks 8-15: Killed",
    )
    return ill(y.finish("FAILED", last + 15, code=1), "B1", "cuda_oom", first_ranks=(5,))


def gone_card() -> Written:
    """B2: one card of 64 falls off the bus; its rank gets an unknown error, its readings end there."""
    y = Yard(
        tuple(f"nid{n:04d}" for n in (201, 202, 203, 204, 209, 210, 211, 212)),
        "titan-13b-web",
        8_842_466,
        when("2026-11-06 02:10:00"),
        program=("python3", "-m", "torchtitan.train"),
        readings=12,
        submit_line="sbatch -N8 titan13b.sbatch",
    )
    f = curve(11.8, 2.5, 55)
    last = y.march(
        0,
        range(20, 1241, 20),
        140,
        7.05,
        lambda i, t: (
            f"[titan] {y.clock(t)},{i % 1000:03d} - root - INFO - step: {i:2}  loss: {f(i):7.4f}  grad_norm: {0.2 + f(i) / 30:.4f}  memory: 61.12GiB(77.31%)  tps: 7,0{10 + i % 80}  tflops: 401.{i % 90 + 10}  mfu: 40.5{i % 9}%"
        ),
    )
    y.xid(42, last + 31, 79, "GPU has fallen off the bus.", owner=False)
    y.kernel(
        "nid0210",
        last + 31.2,
        "xid",
        f"NVRM: Xid (PCI:{y.bus(42)}): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
        gpu=2,
        xid=154,
        pci=y.bus(42),
        words="GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
    )
    y.tell(
        42,
        last + 33,
        frames(
            ("/opt/titan/torchtitan/train.py", 602, "<module>", "trainer.train()"),
            ("/opt/titan/torchtitan/train.py", 511, "train", "self.train_step(data_iterator)"),
            ("/opt/titan/torchtitan/distributed/utils.py", 377, "clip_grad_norm_", "total_norm = torch.nn.utils.get_total_norm("),
            error="torch.AcceleratorError: CUDA error: unknown error\nSearch for `cudaErrorUnknown' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
        "[rank42]: ",
    )
    y.stop(42, last + 38, code=1)
    y.stop(y.others(42), last + 44, signal=9, gap=0.01)
    y.counters[42] = ({}, None)
    y.dark[42] = last + 31
    y.dial([(0, EMPTY), (60, OPENED), (136, Dial(99, 61, 655, 62.9))])
    srun(y, last + 39, "error: nid0210: task 42: Exited with exit code 1", f"Terminating StepId={y.job_id}.0")
    return ill(y.finish("FAILED", last + 48, code=1), "B2", "cuda_runtime", variant="fault", fault="node", first_ranks=(42,))


def hot_chassis() -> Written:
    """B3: after two hours the eight cards of one node are held down by the hardware for heat; every epoch of all then takes twice as long."""
    y = Yard(
        ("lh-13", "lh-14"),
        "sst-emulator",
        8_842_700,
        when("2026-11-06 19:00:00"),
        board=HOPPER_200,
        program=("python3", "emulate.py", "--years", "40"),
        readings=40,
        submit_line="sbatch emu.sbatch",
    )
    f, turn = curve(0.94, 0.118, 4), 7400.0
    y.tell(0, 24, "year,mse_sst,mse_ssh,acc_30d,seconds")
    last = y.march(
        0,
        range(1, 41),
        40,
        lambda i: 290 if 40 + i * 290 < turn else 655,
        lambda i, _: f"{1980 + i},{f(i):.5f},{f(i) * 0.71:.5f},{0.93 - f(i) / 3:.4f},{(290 if 40 + i * 290 < turn else 655) + i % 5}.{i % 10}",
    )
    y.tell(0, last + 12, "# 40 years fitted, weights: emu/out/final.nc")
    for r in y.world:
        held = int((last - turn) * 0.91e9) if r >= 8 else 0
        y.counters[r] = (
            {"violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0},
            {"violation_hw_thermal_ns": held, "violation_thermal_ns": held},
        )
    y.dial([(0, EMPTY), (38, Dial(97, 63, 612, 104, heat=64)), (turn, Dial(99, 28, 318, 104, heat=52))], range(8))
    y.dial([(0, EMPTY), (38, Dial(97, 63, 618, 104, heat=76)), (turn, Dial(99, 64, 251, 104, clock=0.42, heat=93, throttle=0x48))], range(8, 16))
    return ill(y.finish("COMPLETED", last + 25), "B3", fault="node")


def eight_missing() -> Written:
    """C1: 128 ranks are to meet; those of one node never check in, their processes wait in the kernel on the image's file system. The limit ends it."""
    y = Yard(
        tuple(f"hx{n:02d}" for n in range(1, 17)),
        "dept-moe-128",
        8_843_105,
        when("2026-11-08 09:00:00"),
        program=("python3", "/project/moe/launch.py"),
        readings=6,
        limit_s=7200,
        submit_line="sbatch -N16 --time=2:00:00 moe128.sh",
    )
    there = [r for r in y.world if r // 8 != 10]
    y.all_tell(20, lambda r: f"[{r:03d}] {y.node_of(r)}: at the door of hx01:29400", there, gap=0.02)
    for k, s in enumerate((60, 300, 600, 1200, 1800, 2400, 3600, 4800, 6000, 7000)):
        y.tell(0, s, f"[000] roll call {k + 1}: 120 of 128 have checked in after {s} s, not yet: 80-87")
    slurm_ends(y, 7208, "DUE TO TIME LIMIT")
    y.stop(y.world, 7212, signal=15, gap=0.002)
    y.stop(y.ranks_of(10), 7241, signal=9)
    y.dial([(0, EMPTY)])
    for r in y.ranks_of(10):
        y.seen[r] = {
            "state": "D",
            "wchan": "request_wait_answer",
            "looks": 700,
            "waits": {"D request_wait_answer": 694},
            "file_systems": ("fuse.squashfuse_ll /opt/image",),
            "cpu_s": 0.4,
        }
    return ill(y.finish("TIMEOUT", 7245, signal=15), "C1", fault="unknown")


def still_reading() -> Written:
    """C2: rank 17 waits in the kernel for Lustre in the middle of training; the 31 others sit in an all-reduce until their watchdogs end them."""
    y = Yard(
        ("rk-05", "rk-06", "rk-07", "rk-08"),
        "video-lm-7b",
        8_843_490,
        when("2026-11-09 03:30:00"),
        program=("python3", "-u", "train_vlm.py"),
        submit_line="sbatch -N4 vlm.sbatch",
    )
    f = curve(8.8, 2.2, 80)
    last = y.march(
        0,
        range(10, 1131, 10),
        160,
        3.9,
        lambda i, t: f"{y.clock(t, '%m-%d %H:%M:%S')} | vlm | step {i}/20000 | ce {f(i):.4f} | img/s {1310 + i % 41} | data 0.0{i % 7 + 1}s",
    )
    for k in range(5):
        y.kernel(
            "rk-07",
            last + 130 + 123 * k,
            "kernel_hung_task",
            f"INFO: task python3:40017 blocked for more than {122 + 123 * k} seconds.",
            process="python3",
            pid=40_017,
            blocked_s=122 + 123 * k,
        )
    y.seen[17] = {"state": "D", "wchan": "cl_sync_io_wait", "looks": 460, "waits": {"D cl_sync_io_wait": 61}, "file_systems": ("lustre /scratch",)}
    for r in y.others(17):
        t = last + 604 + r * 0.04
        p = f"[rank{r}]:[E{y.clock(t, '%m%d %H:%M:%S')}.{220000000 + 31 * r:09d} ProcessGroupNCCL.cpp:"
        w = f"WorkNCCL(SeqNum=18113, OpType=ALLREDUCE, NumelIn=33554432, NumelOut=33554432, Timeout(ms)=600000) ran for {600020 + r * 3} milliseconds before timing out."
        y.tell(
            r,
            t,
            f"{p}616] [Rank {r}] Watchdog caught collective operation timeout: {w}\n{p}1785] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Exception (either an error or timeout) detected by watchdog at work: 18113, last enqueued NCCL work: 18114, last completed NCCL work: 18112.\n{p}630] [Rank {r}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n{p}636] [Rank {r}] To avoid data inconsistency, we are taking the entire process down.",
        )
    y.stop(y.others(17), last + 608, signal=6)
    y.stop(17, last + 645, signal=9)
    y.dial([(0, EMPTY), (80, OPENED), (155, Dial(95, 52, 590, 66)), (last + 4, Dial(100, 1.1, 151, 66, 0))])
    y.dial([(0, EMPTY), (80, OPENED), (155, Dial(95, 52, 588, 66)), (last + 3, Dial(0, 0, 118, 66, 0))], [17])
    y.cpu.update(
        {r: [(200.0, 104.0), (last, 101.0), (last + 60, 100.0), (last + 580, 100.0)] for r in (0, 9, 25)}
        | {17: [(200.0, 103.0), (last, 96.0), (last + 60, 0.0), (last + 580, 0.0)]}
    )
    y.host("rk-07", "host_psi_io_percent", "%", [(300, 0.4), (last, 0.8), (last + 90, 61.0), (last + 400, 83.0), (last + 600, 84.0)])
    srun(
        y,
        last + 609,
        "error: rk-05: tasks 0-7: Aborted (core dumped)",
        "error: rk-06: tasks 8-15: Aborted (core dumped)",
        "error: rk-07: tasks 16,18-23: Aborted (core dumped)",
        f"Terminating StepId={y.job_id}.0",
        "error: rk-07: task 17: Killed",
    )
    return ill(y.finish("FAILED", last + 650, code=134, batch=(134, 0), step=("FAILED", 0, 6)), "C2", "nccl", fault="unknown")


JOBS: tuple[Writer, ...] = (odd_split, plasma, reader_model, packed, gone_card, hot_chassis, eight_missing, still_reading)
