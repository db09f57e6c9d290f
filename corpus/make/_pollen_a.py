"""Many frameworks, first basket: packages, configurations, memory, cards."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, CONTEXT, H200, IDLE, SPIN, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._nettle_kit import busy, closing, nodes, slurm_ends, srun, torchrun, trace
from corpus.running.hand import GIB
from gpualert_slurm.rank import CgroupMemory

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def without_mpi() -> Made:
    """A1: started by srun without a launcher, DeepSpeed looks for MPI's rank, and its Python package is not installed."""
    f = Fleet(
        nodes("node", 12, 2), "rwkv7-chat", 8_501_233, when("2026-11-02 09:14"), per=8, script="tune_chat.py", submit_line="sbatch rwkv_chat.sh"
    )
    f.each(17, f"[{f.clock(17)},4{{l}}1] [INFO] [real_accelerator.py:222:get_accelerator] Setting ds_accelerator to cuda (auto detect)", gap=0.03)
    text = trace(
        "ModuleNotFoundError: No module named 'mpi4py'",
        ("/home/ono/rwkv/tune_chat.py", 133, "<module>", "main()"),
        ("/home/ono/rwkv/tune_chat.py", 58, "main", "deepspeed.init_distributed()"),
        (
            "/home/ono/rwkv/.venv/lib/python3.11/site-packages/deepspeed/comm/comm.py",
            697,
            "init_distributed",
            "mpi_discovery(distributed_port=distributed_port, verbose=verbose)",
        ),
        ("/home/ono/rwkv/.venv/lib/python3.11/site-packages/deepspeed/comm/comm.py", 714, "mpi_discovery", "from mpi4py import MPI"),
    )
    f.each(
        22,
        f"[{f.clock(22)},10{{l}}] [INFO] [comm.py:667:init_distributed] Not using the DeepSpeed or dist launchers, attempting to detect MPI environment...\n"
        + text,
        gap=0.04,
    )
    f.end(f.ranks, 24, code=1)
    f.load([(0, IDLE), (12, IDLE)])
    srun(f, 25.5, "error: node012: tasks 0-7: Exited with exit code 1", "error: node013: tasks 8-15: Exited with exit code 1")
    f.close("FAILED", 27, code=1)
    return made(f, "A1", "missing_module", variant="env")


@job
def forty_eight() -> Made:
    """A1: six nodes instead of eight: 48 ranks cannot hold models of 32 parts; Megatron's arguments are refused."""
    f = Fleet(
        nodes("t", 88, 6),
        "mcore-175b-test",
        8_502_030,
        when("2026-11-03 16:00"),
        per=8,
        script="pretrain_gpt.py",
        submit_line="sbatch -N6 gpt175.sbatch",
    )
    error = "AssertionError: world size (48) is not divisible by total_model_size (encoder_model_size=0 + decoder_model_size=32)"
    f.each(
        31,
        trace(
            error,
            ("/workspace/megatron-lm/pretrain_gpt.py", 302, "<module>", "pretrain("),
            ("/workspace/megatron-lm/megatron/training/training.py", 219, "pretrain", "initialize_megatron("),
            ("/workspace/megatron-lm/megatron/training/initialize.py", 72, "initialize_megatron", "validate_args(args, args_defaults)"),
            ("/workspace/megatron-lm/megatron/training/arguments.py", 170, "validate_args", "assert args.world_size % total_model_size == 0, ("),
        ),
        gap=0.02,
        tag="{r}: ",
    )
    f.end(f.ranks, 33, code=1)
    f.load([(0, IDLE), (20, IDLE)])
    f.points = 8
    srun(f, 35, *(f"error: t0{88 + n}: tasks {8 * n}-{8 * n + 7}: Exited with exit code 1" for n in range(6)))
    f.close("FAILED", 38, code=1)
    return made(f, "A1", "assertion", variant="config")


@job
def shuffle_buffer() -> Made:
    """A2: the shuffle buffer of rank 3 grows until the step's memory is full; the kernel kills the rank without a word in its log."""
    f = Fleet(
        ("sp1", "sp2"),
        "parakeet-ml",
        8_503_377,
        when("2026-11-04 07:00"),
        per=8,
        agents=True,
        card=A100,
        script="speech_to_text_rnnt_bpe.py",
        submit_line="sbatch --mem=480G parakeet.sh",
    )
    last = f.steps(
        0,
        range(50, 9001, 50),
        110,
        1.31,
        lambda i, x, _t: (
            f"Epoch 0:  {100 * i // 41_000:>2}%|{'█' * (i // 4100):<10}| {i}/41000 [{int(i * 1.31) // 3600}:{int(i * 1.31) // 60 % 60:02d}:{int(i * 1.31) % 60:02d}<14:0{i % 10}:11, v_num=4-07, reduced_train_loss={x:.1f}, train_step_timing in s=1.3{i % 9}]"
        ),
        fall(310, 31, 300),
    )
    f.oom(3, last + 21, 480, 480.0)
    f.end(3, last + 21.2, signal=9)
    f.end([r for r in range(8) if r != 3], last + 24, signal=15)
    f.end(range(8, 16), last + 33, signal=15)
    closing(f, 0, last + 22, [r for r in range(8) if r != 3])
    torchrun(f, 0, last + 28, [(3, -9, last + 21.2)], env="/opt/nemo")
    closing(f, 1, last + 31, range(8, 16))
    f.load(busy(104, Load(95, 0, 0.78, 0.84, 12), held=0.84, end=last))
    f.script_words.append(
        (
            last + 30,
            f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.\nsrun: error: sp1: task 0: Out Of Memory\nsrun: Terminating StepId={f.job_id}.0",
        )
    )
    f.close("OUT_OF_MEMORY", last + 40, code=0, signal=125, batch=(1, None), step=("OUT_OF_MEMORY", 0, 125))
    return made(f, "A2", "oom_killer", first=(3,))


@job
def beyond_the_table() -> Made:
    """A3: an own Triton kernel reads past a routing table when one expert overflows; the driver notes a page fault of that process."""
    f = Fleet(
        nodes("c", 401, 4),
        "moe-fine-64e",
        8_504_800,
        when("2026-11-05 02:20"),
        per=4,
        card=H200,
        script="moe64/train.py",
        submit_line="sbatch -N4 moe64.sh",
    )
    last = f.steps(
        0,
        range(10, 2031, 10),
        95,
        3.6,
        lambda i, x, t: (
            f"{f.clock(t, '%m%d-%H%M%S')} it={i:06d} xe={x:.4f} drop={0.001 * (i % 7):.3f} bal={1.02 + x / 300:.3f} tok/s={1_166_000 + i % 900}"
        ),
        fall(9.0, 2.8, 120),
    )
    f.xid(
        7,
        last + 1.5,
        31,
        "Ch 0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_5 faulted @ 0x7f2c_8e000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    )
    f.say(
        7,
        last + 3,
        trace(
            "RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
            ("/g/moe64/moe64/train.py", 318, "<module>", "run()"),
            ("/g/moe64/moe64/train.py", 247, "run", "loss.backward()"),
            ("/g/moe64/moe64/kernels/scatter.py", 91, "backward", "dx = torch.empty_like(ctx.x)"),
        ),
        "[rank7]: ",
    )
    f.end(7, last + 6, code=1)
    f.end([r for r in f.ranks if r != 7], last + 10, signal=9)
    f.load(busy(90, Load(97, 47, 0.8, 0.81, 7), held=0.81, end=last))
    srun(f, last + 7, "error: c402: task 7: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 14, code=1)
    return made(f, "A3", "cuda_runtime", first=(7,))


@job
def one_odd_byte() -> Made:
    """A3: in the fourth hour a transcript is not UTF-8, and nobody catches it."""
    f = Fleet(
        ("q7", "q8"),
        "seamless-ft-am",
        8_505_210,
        when("2026-11-06 20:40"),
        per=4,
        card=A100_40,
        script="m4t_finetune.py",
        submit_line="sbatch m4t.sbatch",
    )
    last = f.steps(
        0,
        range(20, 6421, 20),
        60,
        2.2,
        lambda i, x, t: (
            f"{f.clock(t)} INFO -- m4t.finetune: Epoch {i // 9000:03d} / update {i:05d}: train loss={x:.4f} last lr={min(i, 1000) * 1e-9:.2E}"
        ),
        fall(5.1, 1.7, 200),
    )
    f.say(
        5,
        last + 19,
        trace(
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe1 in position 4117: invalid continuation byte",
            ("/data/am/m4t_finetune.py", 190, "<module>", "main()"),
            ("/data/am/trainer.py", 402, "run", "for batch in self.loader:"),
            ("/data/am/dataloader.py", 77, "__iter__", 'row = json.loads(handle.readline().decode("utf-8"))'),
        ),
    )
    f.end(5, last + 21, code=1)
    f.end([r for r in f.ranks if r != 5], last + 25, signal=9)
    f.load(busy(55, Load(92, 0, 0.75, 0.88, 14), held=0.88, end=last))
    srun(
        f,
        last + 22,
        "error: q8: task 5: Exited with exit code 1",
        f"Terminating StepId={f.job_id}.0",
        "error: q7: tasks 0-3: Killed",
        "error: q8: tasks 4,6-7: Killed",
    )
    f.close("FAILED", last + 29, code=1)
    return made(f, "A3", "traceback", first=(5,))


@job
def no_rematerialisation() -> Made:
    """B1: a Flax model of 32 devices without remat: the compiled step wants more than is there, on each host."""
    f = Fleet(
        nodes("hal", 21, 4),
        "vdm-flax-512",
        8_506_601,
        when("2026-11-07 13:33"),
        per=8,
        card=H200,
        script="main.py",
        submit_line="sbatch vdm512.sbatch",
    )
    f.say(
        0,
        40,
        "I1107 13:33:40.020118 40000 main.py:61] JAX process: 0 / 32\nI1107 13:33:52.771002 40000 main.py:118] Initialized 2.61B parameters\nI1107 13:33:53.010442 40000 train.py:204] Compiling first step ...",
    )
    error = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 171798691840 bytes."
    f.each(
        205,
        "2026-11-07 13:36:25.40{l}117: W external/xla/xla/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 160.00GiB (rounded to 171798691840)requested by op \n2026-11-07 13:36:25.40{l}902: W external/xla/xla/tsl/framework/bfc_allocator.cc:508] *___________________________________________________________________________________________________",
        gap=0.05,
    )
    f.each(
        206,
        trace(
            error,
            ("/u/eli/vdm/main.py", 92, "<module>", "app.run(main)"),
            ("/u/eli/vdm/train.py", 211, "train_and_evaluate", "state, metrics = p_train_step(state, next(it))"),
        ),
        gap=0.05,
    )
    f.end(f.ranks, 209, code=1, gap=0.05)
    f.load([(0, IDLE), (35, CONTEXT), (48, Load(2, 1, 0.17, 0.75, 10)), (198, Load(21, 8, 0.25, 0.76, 60))])
    srun(f, 212, *(f"error: hal0{21 + n}: tasks {8 * n}-{8 * n + 7}: Exited with exit code 1" for n in range(4)))
    f.close("FAILED", 215, code=1)
    return made(f, "B1", "cuda_oom")


@job
def double_bit() -> Made:
    """B2: a double-bit error in the memory of one of 32 cards in the seventh hour."""
    f = Fleet(
        nodes("amp", 9, 4, 2),
        "bert-large-patents",
        8_508_045,
        when("2026-11-09 01:01"),
        per=8,
        card=A100,
        script="run_pretraining.py",
        submit_line="sbatch patents.sbatch",
    )
    last = f.steps(
        0,
        range(50, 17_451, 50),
        70,
        1.47,
        lambda i, x, t: (
            f"DLL {f.clock(t, '%Y-%m-%d %H:%M:%S')}.{i * 7 % 1000:03d} - PARAMETER step : {i} Training Epoch: 0 Iteration: {i}  average_loss : {x:.5f}  step_loss : {x + (i % 9 - 4) / 60:.5f}  learning_rate : {6e-3 * (1 - i / 50_000):.8f}"
        ),
        fall(10.4, 1.6, 500),
    )
    f.xid(19, last + 2, 48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 5, subpartition 0.")
    f.xid(19, last + 2.1, 63, "Row remapper: New row marked for remapping, reset gpu to activate.", named=False)
    f.marks[19] = ({}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True})
    f.say(
        19,
        last + 3,
        trace(
            "RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1.\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
            ("/workspace/bert/run_pretraining.py", 740, "<module>", "main()"),
            ("/workspace/bert/run_pretraining.py", 633, "main", "average_loss += loss.item()"),
        ),
    )
    f.end(19, last + 5, code=1)
    f.end([r for r in f.ranks if r != 19], last + 9, signal=9)
    f.load(busy(64, Load(97, 0, 0.86, 0.62, 7), held=0.62, end=last))
    srun(f, last + 6, "error: amp11: task 19: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 13, code=1)
    return made(f, "B2", "cuda_runtime", first=(19,), variant="fault", fault="node")


@job
def dead_and_not_missed() -> Made:
    """C2: rank 22 is killed by the kernel for memory; srun was told not to mind, NCCL's watchdog is off: 31 ranks wait until the limit."""
    f = Fleet(
        nodes("w", 5, 4, 2),
        "graphcast-hres",
        8_509_300,
        when("2026-11-10 18:00"),
        per=8,
        limit_s=43_200,
        script="gc_train.py",
        submit_line="sbatch -t 12:00:00 --mem=700G gc.sbatch",
    )
    f.script_words.append(
        (
            0.7,
            "+ export TORCH_NCCL_ENABLE_MONITORING=0 TORCH_NCCL_ASYNC_ERROR_HANDLING=0\n+ srun --kill-on-bad-exit=0 python -u gc_train.py --res 0.25",
        )
    )
    last = f.steps(
        0,
        range(10, 1511, 10),
        130,
        7.9,
        lambda i, x, t: f"{f.clock(t, '%d.%m %H:%M:%S')} gc {i:>5}/6000 wmse={x:.5f} z500={x * 311:.1f} t850={x * 4.1:.3f}",
        fall(0.61, 0.11, 100),
    )
    f.oom(22, last + 6, 700, 700.0)
    f.memory[22] = CgroupMemory(limit_bytes=700 * GIB, peak_bytes=700 * GIB, oom_events=1, oom_kill_events=1)
    f.end(22, last + 6.3, signal=9)
    srun(f, last + 8, "error: w07: task 22: Out Of Memory")
    f.script_words.append(
        (last + 8.2, f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.")
    )
    slurm_ends(f, 43_207, "DUE TO TIME LIMIT")
    f.end([r for r in f.ranks if r != 22], 43_210, signal=15)
    f.load([(0, IDLE), (60, CONTEXT), (124, Load(97, 49, 0.81, 0.84, 8)), (last + 7, SPIN)])
    f.load([(0, IDLE), (60, CONTEXT), (124, Load(97, 49, 0.81, 0.84, 8)), (last + 7, IDLE)], [22])
    f.close("TIMEOUT", 43_214, signal=15)
    return made(f, "C2", "oom_killer", first=(22,), trigger="A2")
