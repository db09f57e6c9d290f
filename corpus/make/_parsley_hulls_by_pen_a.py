"""Jobs on many cards and on few, first pot: ended by their own error, the kernel, a card, or never begun."""

from __future__ import annotations

from corpus.make._ballast import A100, CONTEXT, H100, H200, IDLE, L40S, SPIN, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says, taken_down

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def no_index() -> Made:
    """A1: Megatron is given a data prefix whose index is not there; all 32 ranks fail at building the data sets."""
    f = Fleet(
        ("gpu-a07", "gpu-a08", "gpu-a11", "gpu-a12"),
        "llama-7b-hindi",
        20_441_187,
        when("2026-10-19 10:22"),
        per=8,
        script="pretrain_gpt.py",
        submit_line="sbatch scripts/pretrain_7b.slurm",
    )
    f.say(
        0,
        31,
        "using world size: 32, data-parallel size: 8, context-parallel size: 1, tensor-model-parallel size: 4, pipeline-model-parallel size: 1\nsetting global batch size to 1024\n> initializing torch distributed ...",
    )
    f.say(
        0,
        58,
        "> initialized tensor model parallel with size 4\n> initialized pipeline model parallel with size 1\n> setting random seeds to 1234 ...\n> compiling dataset index builder ...\nmake: Nothing to be done for 'default'.\n>>> done with dataset index builder. Compilation time: 0.071 seconds",
    )
    f.say(
        0,
        83,
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 1685229568\n> building train, validation, and test datasets ...\n > datasets target sizes (minimum size):\n    train:      102400000\n    validation: 1034240\n    test:       10240",
    )
    trace = frames(
        ("/home/rverma/Megatron-LM/pretrain_gpt.py", 288, "<module>", "pretrain("),
        ("/home/rverma/Megatron-LM/megatron/training/training.py", 402, "pretrain", "train_data_iterator, valid_data_iterator, test_data_iterator = build_train_valid_test_data_iterators("),
        ("/home/rverma/Megatron-LM/megatron/core/datasets/blended_megatron_dataset_builder.py", 471, "build_generic_dataset", "dataset = cls(*args)"),
        ("/home/rverma/Megatron-LM/megatron/core/datasets/indexed_dataset.py", 224, "__init__", 'with open(idx_path, "rb") as stream:'),
        error="FileNotFoundError: [Errno 2] No such file or directory: '/lustre/proj/hindi/tokens/sangraha_verified_text_document.idx'",
    )  # fmt: skip
    f.each(84.4, trace, gap=0.03, tag="[rank{r}]: ")
    f.end(f.ranks, 87, code=1, gap=0.05)
    f.load([(0, IDLE), (29, CONTEXT), (70, Load(1, 0.3, 0.14, 0.17, 6))])
    srun_says(
        f,
        89,
        "error: gpu-a07: tasks 0-7: Exited with exit code 1",
        "error: gpu-a08: tasks 8-15: Exited with exit code 1",
        "error: gpu-a11: tasks 16-23: Exited with exit code 1",
        "error: gpu-a12: tasks 24-31: Exited with exit code 1",
    )
    f.close("FAILED", 92, code=1)
    return made(f, "A1", "file_not_found")


@job
def kernels_not_built() -> Made:
    """A1: the environment was made again without flash-attn; the import of the model's file fails on every rank."""
    f = Fleet(
        ("b14", "b15"),
        "qwen-med-sft",
        20_441_502,
        when("2026-10-20 15:40"),
        per=8,
        agents=True,
        script="finetune.py",
        submit_line="sbatch sft_qwen.sh",
        card=A100,
    )
    trace = frames(
        ("/data/nlp/qwen_med/finetune.py", 14, "<module>", "from modeling.packed import PackedQwen"),
        ("/data/nlp/qwen_med/modeling/packed.py", 9, "<module>", "from flash_attn import flash_attn_varlen_func"),
        error="ModuleNotFoundError: No module named 'flash_attn'",
    )  # fmt: skip
    f.launcher[0].append(
        (
            3,
            f"W{f.clock(3, '%m%d %H:%M:%S')}.710000 1210311 torch/distributed/run.py:792] \nW{f.clock(3, '%m%d %H:%M:%S')}.710000 1210311 torch/distributed/run.py:792] *****************************************\nW{f.clock(3, '%m%d %H:%M:%S')}.710000 1210311 torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. \nW{f.clock(3, '%m%d %H:%M:%S')}.710000 1210311 torch/distributed/run.py:792] *****************************************",
        )
    )
    f.each(19, trace, gap=0.11)
    f.end(f.ranks, 20.4, code=1, gap=0.11)
    for n in range(2):
        elastic(f, n, 23.5, [(r, 1, 20.4 + 0.11 * r) for r in range(8 * n, 8 * n + 8)], binary="/data/envs/med/bin/python3.11")
    f.load([(0, IDLE)])
    f.close("FAILED", 27, code=1)
    return made(f, "A1", "missing_module", variant="env")


@job
def greedy_cache() -> Made:
    """A2: the loaders of one node keep every decoded clip; the step's memory limit is reached and the kernel kills rank 5."""
    f = Fleet(
        ("vid-01",),
        "videomae-k710",
        20_442_011,
        when("2026-10-21 20:04"),
        per=8,
        agents=True,
        script="run_mae_pretraining.py",
        submit_line="sbatch --mem=480G mae.slurm",
    )
    last = f.steps(
        0,
        range(20, 2241, 20),
        64,
        1.12,
        lambda i, x, _t: (
            f"Epoch: [{i // 1600}]  [{i % 1600:>4}/1600]  eta: {int((1600 - i % 1600) * 1.12) // 60:>2}:{int((1600 - i % 1600) * 1.12) % 60:02d}  lr: 0.000{120 + i // 40}  min_lr: 0.000{120 + i // 40}  loss: {x:.4f} ({x + 0.02:.4f})  loss_scale: 65536.0000  grad_norm: {0.2 + x / 9:.4f}  time: 1.12{i % 9}  data: 0.0{i % 8 + 10}  max mem: 38211"
        ),
        fall(1.02, 0.64, 200),
    )
    f.oom(5, last + 0.7, 480, 480)
    f.end(5, last + 0.8, signal=9)
    f.end([r for r in f.ranks if r != 5], last + 5, signal=15)
    sigterms(f, 0, last + 4, [0, 1, 2, 3, 4, 6, 7])
    elastic(f, 0, last + 9, [(5, -9, last + 0.8)])
    f.script_words.append(
        (
            last + 11,
            f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.\nsrun: error: vid-01: task 0: Out Of Memory",
        )
    )
    f.load([(0, IDLE), (58, WORK)])
    f.close("OUT_OF_MEMORY", last + 13, code=0, signal=125, batch=(1, None), step=("OUT_OF_MEMORY", 0, 125))
    return made(f, "A2", "oom_killer", first=(5,))


@job
def cut_cable() -> Made:
    """A3: completions fail with a retry count exceeded on the link between two of four nodes; NCCL's error on both sides ends the run."""
    f = Fleet(
        ("n211", "n212", "n217", "n218"),
        "mixtral-legal",
        20_442_390,
        when("2026-10-22 08:48"),
        per=8,
        card=H200,
        script="train_moe.py",
        submit_line="sbatch -N4 --exclusive moe.sbatch",
    )
    f.each(22, "{node}:400{r:02d}:404{r:02d} [{l}] NCCL INFO Using network IB", [0, 8, 16, 24])
    last = f.steps(
        0,
        range(10, 691, 10),
        151,
        6.8,
        lambda i, x, t: (
            f"[{f.clock(t)}] INFO moe | step {i}/20000 | loss {x:.4f} | aux {0.0102 + i % 7 / 9000:.4f} | gnorm {0.3 + x / 8:.3f} | {1_312_000 + i * 37 % 9000} tok/s"
        ),
        fall(2.7, 1.83, 70),
    )
    f.say(
        9,
        last + 3.4,
        "n212:40009:40447 [1] transport/net_ib.cc:2249 NCCL WARN NET/IB: Got completion from peer 172.20.4.17<53104> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_RDMA_WRITE(1) reqSize=0 vendor_err=129 reqType=Send localGid ::ffff:172.20.4.12 remoteGids::ffff:172.20.4.17 hca mlx5_1",
    )
    trace = frames(
        ("/u/lopez/moe/train_moe.py", 402, "<module>", "main(cfg)"),
        ("/u/lopez/moe/train_moe.py", 341, "main", "gnorm = clip_by_global_norm(params, cfg.clip)"),
        ("/u/lopez/venv/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", 2810, "all_reduce", "work = group.allreduce([tensor], opts)"),
        error="torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:133, remote process exited or there was a network error, NCCL version 2.27.3\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nNET/IB: Got completion from peer 172.20.4.17<53104> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_RDMA_WRITE(1) reqSize=0 vendor_err=129 reqType=Send hca mlx5_1",
    )  # fmt: skip
    f.say(9, last + 4.1, trace, "[rank9]: ")
    f.end(9, last + 6, code=1)
    f.end([r for r in f.ranks if r != 9], last + 9, signal=9)
    srun_says(
        f,
        last + 7,
        "error: n212: task 9: Exited with exit code 1",
        f"Terminating StepId={f.job_id}.0",
        "error: n211: tasks 0-7: Killed",
        "error: n217: tasks 16-23: Killed",
        "error: n218: tasks 24-31: Killed",
    )
    f.load([(0, IDLE), (90, CONTEXT), (147, WORK)])
    f.close("FAILED", last + 14, code=1)
    return made(f, "A3", "nccl", fault="unknown", first=(9,))


@job
def closed_folder() -> Made:
    """A3: the group's results folder belongs to somebody else by now; the first checkpoint of a good run cannot be written."""
    f = Fleet(("lab3",), "ct-unet3d", 20_442_640, when("2026-10-23 17:05"), per=2, card=L40S, script="segment.py", submit_line="sbatch segment.sh")
    last = f.steps(
        0,
        range(1, 26),
        30,
        48,
        lambda i, x, t: f"{f.clock(t, '%d-%b %H:%M')}  epoch {i:03d}/300  dice_ce={x:.4f}  val_dice={max(0.02, 0.93 - x):.3f}",
        fall(1.3, 0.3, 8),
    )
    trace = frames(
        ("/home/katrin/ct/segment.py", 219, "<module>", "main()"),
        ("/home/katrin/ct/segment.py", 188, "main", "torch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'epoch': epoch}, args.out / f'e{epoch:03d}.pt')"),
        ("/home/katrin/.conda/envs/ct/lib/python3.11/site-packages/torch/serialization.py", 943, "save", "with _open_zipfile_writer(f) as opened_zipfile:"),
        ("/home/katrin/.conda/envs/ct/lib/python3.11/site-packages/torch/serialization.py", 784, "__init__", "torch._C.PyTorchFileWriter(self.name, _compute_crc32)"),
        error="PermissionError: [Errno 13] Permission denied: '/groups/radiology/results/ct_unet3d/e025.pt'",
    )  # fmt: skip
    f.say(0, last + 0.8, trace)
    f.end(0, last + 2.3, code=1)
    f.end(1, last + 5, signal=9)
    srun_says(f, last + 3, "error: lab3: task 0: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: lab3: task 1: Killed")
    f.load([(0, IDLE), (27, WORK)])
    f.close("FAILED", last + 8, code=1)
    return made(f, "A3", "permission", first=(0,))


@job
def second_moment() -> Made:
    """B1: ZeRO-2 of a 13B model: forward and backward fit, the first optimiser step asks for the moments and does not."""
    f = Fleet(
        ("dgx02", "dgx03"),
        "vicuna13b-zero2",
        20_443_020,
        when("2026-10-24 11:31"),
        per=8,
        card=A100,
        agents=True,
        script="train_sft.py",
        submit_line="sbatch ds_sft.sbatch",
    )
    f.say(
        0,
        40,
        f"[{f.clock(40)},112] [INFO] [real_accelerator.py:219:get_accelerator] Setting ds_accelerator to cuda (auto detect)\n[{f.clock(41)},901] [INFO] [comm.py:652:init_distributed] cdb=None",
        "dgx02: ",
    )
    f.say(
        0,
        121,
        f"[{f.clock(121)},448] [INFO] [stage_1_and_2.py:149:__init__] Reduce bucket size 500000000\n[{f.clock(121)},448] [INFO] [stage_1_and_2.py:152:__init__] CPU Offload: False",
        "dgx02: ",
    )
    trace = frames(
        ("/home/tzhao/sft/train_sft.py", 197, "<module>", "train()"),
        ("/home/tzhao/sft/train_sft.py", 162, "train", "engine.step()"),
        ("/opt/ds/lib/python3.10/site-packages/deepspeed/runtime/engine.py", 2237, "step", "self._take_model_step(lr_kwargs)"),
        ("/opt/ds/lib/python3.10/site-packages/deepspeed/runtime/zero/stage_1_and_2.py", 1957, "_optimizer_step", "self.optimizer.step()"),
        ("/opt/ds/lib/python3.10/site-packages/deepspeed/ops/adam/fused_adam.py", 149, "step", "state['exp_avg_sq'] = torch.zeros_like(p.data)"),
        error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.03 GiB. GPU {l} has a total capacity of 79.15 GiB of which 1.48 GiB is free. Including non-PyTorch memory, this process has 77.65 GiB memory in use. Of the allocated memory 74.90 GiB is allocated by PyTorch, and 1.21 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    )  # fmt: skip
    f.each(172, trace, gap=0.05, tag="{node}: [rank{r}]: ")
    f.end(f.ranks, 175, code=1, gap=0.05)
    for n in range(2):
        f.launcher[n].append(
            (
                177.0 + n,
                f"dgx0{n + 2}: [{f.clock(177)},733] [INFO] [launch.py:319:sigkill_handler] Killing subprocess {f.pid(8 * n)}\ndgx0{n + 2}: [{f.clock(177)},734] [ERROR] [launch.py:325:sigkill_handler] ['/opt/ds/bin/python', '-u', 'train_sft.py', '--local_rank=7'] exits with return code = 1",
            )
        )
    f.load([(0, IDLE), (38, CONTEXT), (100, Load(5, 0, 0.2, 0.5, 20)), (160, Load(92, 0, 0.7, 0.96, 10))])
    f.close("FAILED", 184, code=1)
    return made(f, "B1", "cuda_oom")


@job
def gone_from_slot() -> Made:
    """B2: a card of the third node drops out of the bus (Xid 79) in the middle of training; it cannot be read any more."""
    f = Fleet(
        ("hgx-14", "hgx-15", "hgx-16", "hgx-17"),
        "esm3-cont",
        20_443_377,
        when("2026-10-25 02:20"),
        per=8,
        card=H100,
        script="esm_train.py",
        submit_line="sbatch -N4 esm.sl",
    )
    last = f.steps(
        0,
        range(25, 2051, 25),
        96,
        2.3,
        lambda i, x, t: f"{f.clock(t)} | {i:>6} | mlm {x:.4f} | perp {2.718**x:6.2f} | lr 1.0e-4 | 2.3{i % 9} s/it",
        fall(2.86, 2.12, 150),
    )
    f.xid(21, last + 1.4, 79, "GPU has fallen off the bus.", named=False)
    f.marks[21] = ({}, None)
    f.blind[21] = last + 1
    f.say(
        21,
        last + 3,
        frames(
            ("/proj/esm/esm_train.py", 277, "<module>", "main()"),
            ("/proj/esm/esm_train.py", 230, "main", "loss_value = loss.item()"),
            error="torch.AcceleratorError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
        "[rank21]: ",
    )
    f.say(21, last + 4.2, "terminate called after throwing an instance of 'c10::AcceleratorError'\n  what():  CUDA error: unspecified launch failure")
    f.end(21, last + 5, signal=6)
    f.end([r for r in f.ranks if r != 21], last + 9, signal=9)
    srun_says(f, last + 6, "error: hgx-16: task 21: Aborted (core dumped)", f"Terminating StepId={f.job_id}.0", "error: hgx-14: tasks 0-7: Killed")
    f.load([(0, IDLE), (90, WORK), (last + 1, SPIN)])
    f.load([(0, IDLE), (90, WORK)], [21])
    f.close("FAILED", last + 13, code=134)
    return made(f, "B2", "cuda_runtime", variant="fault", fault="node", first=(21,))


@job
def blocked_filter() -> Made:
    """B3: two cards of one workstation grow hot from the first epoch's end on and are slowed by the hardware; steps take three times as long."""
    f = Fleet(
        ("ws-12",),
        "pose-vitl",
        20_443_700,
        when("2026-10-26 13:13"),
        per=4,
        card=L40S,
        agents=True,
        script="tools/pose_train.py",
        submit_line="sbatch pose.sh",
    )
    turn = 45 + 2000 * 0.62
    last = f.steps(
        0,
        range(50, 4001, 50),
        45,
        lambda i: 0.62 if i <= 2000 else 1.95,
        lambda i, x, t: (
            f"{f.clock(t, '%m/%d %H:%M:%S')} - INFO - [{1 + (i - 1) // 2000}/2][{1 + (i - 1) % 2000:>4}/2000] heat_loss={x:.5f} acc_pose={0.86 - x * 20:.4f} time={0.62 if i <= 2000 else 1.95:.3f}{i % 9} mem=31744"
        ),
        fall(0.0031, 0.0009, 400),
    )
    f.say(
        0,
        last + 40,
        f"{f.clock(last + 40, '%m/%d %H:%M:%S')} - INFO - coco/AP: 0.7412  coco/AR: 0.7961\n{f.clock(last + 41, '%m/%d %H:%M:%S')} - INFO - finished 2 epochs",
    )
    f.load([(0, IDLE), (42, Load(96, 0, 0.84, 0.7, clock=0.96, heat=66)), (turn, Load(98, 0, 0.42, 0.7, clock=0.96, heat=58))])
    f.load([(0, IDLE), (42, Load(96, 0, 0.84, 0.7, clock=0.96, heat=84)), (turn, Load(99, 0, 0.3, 0.7, clock=0.29, heat=93, throttle=0x48))], [1, 2])
    for r in f.ranks:
        held = int((last - turn) * 0.95e9) if r in (1, 2) else 0
        f.marks[r] = ({"violation_thermal_ns": 0, "violation_hw_thermal_ns": 0}, {"violation_thermal_ns": held, "violation_hw_thermal_ns": held})
    f.close("COMPLETED", last + 48)
    return made(f, "B3", fault="node")


@job
def seven_of_eight() -> Made:
    """C1: JAX on eight nodes; the eighth process waits for a coordinator by another name, the seven wait for it until the time limit."""
    nodes = tuple(f"jx{n:02d}" for n in range(1, 9))
    f = Fleet(
        nodes,
        "paxml-3b",
        20_444_110,
        when("2026-10-27 06:00"),
        per=1,
        limit_s=3600,
        script="train_lm.py",
        submit_line="sbatch -N8 --time=1:00:00 pax.sh",
    )
    f.each(
        9,
        "I1027 06:00:09.41{r}022 4000{r} train_lm.py:61] jax.distributed.initialize(coordinator_address='jx01:12355', num_processes=8, process_id={r})",
        range(7),
    )
    f.say(
        7,
        9.8,
        "I1027 06:00:09.880213 40007 train_lm.py:61] jax.distributed.initialize(coordinator_address='jx01-ipmi:12355', num_processes=8, process_id=7)",
    )
    for k in range(6):
        at = 310.0 + 550 * k
        f.say(
            0,
            at,
            f"I{f.clock(at, '%m%d %H:%M:%S')}.003114 40311 coordination_service.cc:1280] Cluster register barrier: 7/8 tasks have connected. Still waiting for /job:jax_worker/replica:0/task:7",
        )
    for k in range(12):
        at = 70.0 + 290 * k
        f.say(
            7,
            at,
            f"W{f.clock(at, '%m%d %H:%M:%S')}.51{k:02d}40 40318 coordination_client.cc:402] Connection attempt {k + 1} to jx01-ipmi:12355 failed: UNAVAILABLE: failed to connect to all addresses; last error: UNKNOWN: ipv4:10.9.200.1:12355: No route to host. Retrying.",
        )
    f.load([(0, IDLE)])
    f.end(f.ranks, 3617, signal=15)
    taken_down(f, 3611, "DUE TO TIME LIMIT")
    f.close("TIMEOUT", 3619, signal=15)
    return made(f, "C1")
