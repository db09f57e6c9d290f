"""Jobs of many cards, first page: they broke off."""

from __future__ import annotations

from corpus.make._otter_bells_by_pen_book import AMPERE, HARD_AT_WORK, HOPPER_NEW, OPENED, REST, WAITS_FOR_PEERS, Pose
from corpus.make._otter_bells_by_pen_chatter import chat
from corpus.make._otter_bells_by_pen_talk import deepspeed_ends, nccl, srun_ends, tag, trace
from corpus.make._otter_bells_by_pen_yard import Rig, Teller, Told, ill, noted, shelf, sinks

JOBS: list[Teller] = []
job = shelf(JOBS)


@job
def indivisible() -> Told:
    """A1: three nodes were given where tensor and pipeline parallelism ask for a multiple of sixteen ranks."""
    f = Rig(
        ("hx0411", "hx0412", "hx0415"),
        "nemotron-8b",
        6_802_117,
        noted("2026-07-06 08:14:09"),
        per=8,
        script="pretrain_gpt.py",
        submit_line="sbatch -N3 nemotron8b.sbatch",
    )
    chat(f, ranks=False)
    f.script_says(
        1.2,
        "+ srun --ntasks-per-node=8 --cpu-bind=none python -u pretrain_gpt.py --tensor-model-parallel-size 8 --pipeline-model-parallel-size 2 --num-layers 32 --hidden-size 4096",
    )
    text = trace(
        ("/work/ai/megatron/pretrain_gpt.py", 301, "<module>", "pretrain("),
        ("/work/ai/megatron/megatron/training/training.py", 612, "pretrain", "initialize_megatron("),
        ("/work/ai/megatron/megatron/training/initialize.py", 83, "initialize_megatron", "validate_args(args, args_defaults)"),
        ("/work/ai/megatron/megatron/training/arguments.py", 342, "validate_args", "assert args.world_size % total_model_size == 0, ("),
        ends="AssertionError: world size (24) is not divisible by total_model_size (encoder_model_size=0 + decoder_model_size=16)",
    )
    f.all_say(19, lambda _r: text, tag=tag)
    f.dies(f.ranks, 21, code=1, apart=0.03)
    f.stand([(0, REST)])
    srun_ends(f, 23, list(f.ranks), "Exited with exit code 1")
    f.finish("FAILED", 26, code=1)
    return ill(f, "A1", "assertion", variant="config")


@job
def plugin() -> Told:
    """A2: rank 21 dies of a bad pointer inside the network plugin, in the middle of training; no word of its own."""
    f = Rig(
        ("p3c07", "p3c08", "p3c09", "p3c10"),
        "openfold-mono",
        6_803_440,
        noted("2026-07-07 19:40:51"),
        per=8,
        kit=AMPERE,
        script="train_openfold.py",
        submit_line="sbatch fold.slurm",
    )
    chat(f)
    f.all_say(13, lambda r: nccl(f, r, 212, "INFO NET/Plugin: Loaded net plugin AWS Libfabric (v8)"))
    last = f.run(
        0,
        range(10, 1461, 10),
        118,
        3.05,
        lambda i, x, t: (
            f"{f.clock(t, '%H:%M:%S')} [train] step={i} fape={x:.4f} distogram={x * 1.9 + 0.4:.3f} lddt_ca={max(0.1, 0.93 - x / 2.6):.3f} | 3.0{i % 9} s/it"
        ),
        sinks(2.2, 0.41, 150),
    )
    f.kernel(
        "p3c09",
        last + 1.12,
        "kernel_segfault",
        f"python[{f.pid(21)}]: segfault at 38 ip 00007f61c40be7d4 sp 00007f5e88ff8b20 error 4 in libnccl-net.so[7f61c40a1000+44000] likely on CPU 41 (core 9, socket 1)",
        process="python",
        pid=f.pid(21),
    )
    f.dies(21, last + 1.2, signal=11)
    f.dies(f.but(21), last + 4.5, signal=9)
    f.stand([(0, REST), (14, OPENED), (112, HARD_AT_WORK)])
    srun_ends(f, last + 2, [21], "Segmentation fault (core dumped)", "Killed")
    f.finish("FAILED", last + 9, code=139, step=("FAILED", 0, 11))
    return ill(f, "A2", "segfault", first=(21,))


@job
def full() -> Told:
    """A3: the scratch file system of the group is full when rank 8 writes its part of the third checkpoint; the others were done with theirs."""
    f = Rig(
        ("n1101", "n1102", "n1103", "n1104"),
        "code34b-cpt",
        6_804_902,
        noted("2026-07-09 01:05:30"),
        per=8,
        kit=HOPPER_NEW,
        split=True,
        script="cpt/main.py",
        submit_line="sbatch code34.sh",
    )
    chat(f)
    begin, at = 190.0, 0.0
    for k in range(3):
        at = f.run(
            0,
            range(500 * k + 10, 500 * k + 501, 10),
            begin,
            6.4,
            lambda i, x, t: (
                f"{f.clock(t)} I cpt.loop    it={i:>6} ce={x:.4f} z={x / 900:.5f} lr={min(i, 400) * 5e-8:.2e} gn={0.31 + x / 9:.3f} tok/s={152_000 + i % 813}"
            ),
            sinks(2.05, 1.41, 160),
        )
        f.say(0, at + 1, f"{f.clock(at + 1)} I cpt.state   writing {500 * (k + 1)} to /gscratch/nlp/code34b/it{500 * (k + 1):07d} (32 parts)")
        if k < 2:
            f.say(0, at + 44, f"{f.clock(at + 44)} I cpt.state   it{500 * (k + 1):07d} complete, 511.3 GB in 43 s")
        begin = at + 46
    text = trace(
        ("/home/alice/cpt/main.py", 144, "<module>", "sys.exit(run(parse()))"),
        ("/home/alice/cpt/loop.py", 268, "run", "state.write(step, model, optim)"),
        ("/home/alice/cpt/state.py", 91, "write", "fh.write(view[off : off + CHUNK])"),
        ends="OSError: [Errno 28] No space left on device",
    )
    f.say(8, at + 33, text, err=True)
    f.dies(8, at + 35, code=1)
    f.dies(f.but(8), at + 38, signal=15)
    f.stand([(0, REST), (30, OPENED), (186, HARD_AT_WORK)])
    srun_ends(f, at + 35.6, [8], "Exited with exit code 1", "Terminated")
    f.finish("FAILED", at + 44, code=1)
    return ill(f, "A3", "traceback", first=(8,))


@job
def longest() -> Told:
    """B1: an unusually long conversation comes to rank 13, whose card has no room for its logits; DeepSpeed's launcher ends the node."""
    f = Rig(
        ("sx-02", "sx-03"),
        "sft-qwen32b",
        6_805_811,
        noted("2026-07-10 11:55:00"),
        per=8,
        launcher=True,
        script="sft.py",
        submit_line="sbatch sft32.sh",
    )
    chat(f)
    f.agent_says(
        0,
        9,
        f"[{f.clock(9)},104] [INFO] [launch.py:256:main] process 2704118 spawned with command: ['python', '-u', 'sft.py', '--local_rank=0', '--deepspeed', 'ds_config.json']",
    )
    f.say(
        0,
        71,
        f"[{f.clock(71)},640] [INFO] [config.py:1001:print]   zero_config .................. {{'stage': 3, 'overlap_comm': True, 'reduce_bucket_size': 26214400}}",
    )
    last = f.run(
        0,
        range(2, 413, 2),
        120,
        9.3,
        lambda i, x, t: (
            f"[{f.clock(t)},{i * 7 % 1000:03d}] [INFO] [logging.py:107:log_dist] [Rank 0] step={i}, skipped=0, lr=[{1e-5 * (1 - i / 1900):.6e}], mom=[(0.9, 0.95)]\nsft | {i}/1876 | loss {x:.4f} | seqlen max {2048 + i * 911 % 6000}"
        ),
        sinks(1.24, 0.71, 60),
    )
    text = trace(
        ("/proj/sft/sft.py", 288, "<module>", "main()"),
        ("/proj/sft/sft.py", 231, "main", "loss = engine(**batch).loss"),
        ("/proj/env/lib/python3.11/site-packages/deepspeed/runtime/engine.py", 2046, "forward", "loss = self.module(*inputs, **kwargs)"),
        ("/proj/env/lib/python3.11/site-packages/transformers/loss/loss_utils.py", 47, "ForCausalLMLoss", "logits = logits.float()"),
        ends="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.53 GiB. GPU 5 has a total capacity of 79.11 GiB of which 11.02 GiB is free. Including non-PyTorch memory, this process has 68.07 GiB memory in use. Of the allocated memory 61.90 GiB is allocated by PyTorch, and 4.41 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    )
    f.say(13, last + 6.2, text, tag=tag(13))
    f.dies(13, last + 8, code=1)
    f.dies([r for r in f.on(1) if r != 13], last + 9.5, signal=9)
    f.dies(f.on(0), last + 14, signal=15)
    deepspeed_ends(f, 1, last + 9, 13, 1)
    f.script_says(
        last + 12,
        f"srun: error: sx-03: task 1: Exited with exit code 1\nsrun: Terminating StepId={f.job_id}.0\nsrun: error: sx-02: task 0: Terminated",
    )
    f.stand([(0, REST), (60, Pose(3, 1, 0.2, 0.31)), (116, HARD_AT_WORK)])
    f.stand([(0, REST), (60, Pose(3, 1, 0.2, 0.31)), (116, HARD_AT_WORK._replace(held=0.86))], [13])
    f.finish("FAILED", last + 17, code=1)
    return ill(f, "B1", "cuda_oom", first=(13,))


@job
def gone() -> Told:
    """B2: a card of the fifth node falls off the bus after nine hours; its rank gets an unknown error, the driver says why."""
    nodes = tuple(f"dgx-b{n:02d}" for n in range(1, 9))
    f = Rig(
        nodes,
        "mt-nlg-22b",
        6_807_230,
        noted("2026-07-12 14:20:44"),
        per=8,
        script="pretrain_gpt.py",
        submit_line="sbatch -N8 gpt22b.slurm",
        account="foundation",
    )
    chat(f)
    last = f.run(
        63,
        range(20, 3321, 20),
        260,
        9.9,
        lambda i, x, t: (
            f" [{f.clock(t)}.{i % 1000:06d}] iteration {i:8d}/   95000 | consumed samples: {i * 1536:12d} | elapsed time per iteration (ms): {9900 + i % 61:.1f} | throughput per GPU (TFLOP/s/GPU): 418.{i % 10} | learning rate: 1.400000E-04 | global batch size:  1536 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.2 + x / 12:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
        sinks(10.9, 2.1, 90),
    )
    f.driver(37, last + 3.9, 79, "GPU has fallen off the bus.", named=False)
    f.kernel("dgx-b05", last + 4.0, "gpu_off_bus", f"NVRM: GPU {f.bus(37)}.0: GPU has fallen off the bus.", gpu=5, pci=f.bus(37))
    f.counters[37] = ({"pcie_replay_count": 41}, None)
    f.unseen_from[37] = last + 3.9
    text = trace(
        ("/lustre/fm/Megatron-LM/pretrain_gpt.py", 288, "<module>", "pretrain("),
        ("/lustre/fm/Megatron-LM/megatron/training/training.py", 1330, "train_step", "losses_reduced = forward_backward_func("),
        (
            "/lustre/fm/Megatron-LM/megatron/core/pipeline_parallel/schedules.py",
            1917,
            "forward_backward_pipelining_without_interleaving",
            "input_tensor = recv_forward(recv_tensor_shapes, config)",
        ),
        ("/lustre/fm/Megatron-LM/megatron/core/pipeline_parallel/p2p_communication.py", 381, "_communicate", "torch.cuda.synchronize()"),
        ends="RuntimeError: CUDA error: unknown error\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
    )
    f.say(37, last + 5.4, text, tag=tag(37))
    f.dies(37, last + 8, code=1)
    f.dies(f.but(37), last + 13, signal=9)
    f.stand([(0, REST), (70, OPENED), (255, HARD_AT_WORK), (last + 4, WAITS_FOR_PEERS)])
    f.stand([(0, REST), (70, OPENED), (255, HARD_AT_WORK)], [37])
    srun_ends(f, last + 9, [37], "Exited with exit code 1", "Killed")
    f.finish("FAILED", last + 19, code=1)
    return ill(f, "B2", "cuda_runtime", first=(37,), variant="fault", fault="node")


@job
def warm_aisle() -> Told:
    """B3: the third node's eight cards get too warm and their clocks are held down by hardware from 40 % of the run on; every step is twice as long from there."""
    nodes = ("r12s1", "r12s2", "r12s3", "r12s4")
    f = Rig(
        nodes,
        "whisper-xl",
        6_808_118,
        noted("2026-07-14 10:00:02"),
        per=8,
        kit=HOPPER_NEW,
        script="asr/pretrain.py",
        submit_line="sbatch whisper_xl.sh",
    )
    chat(f)
    pace = 1.45
    turn = 80 + 1600 * pace
    last = f.run(
        0,
        range(40, 4001, 40),
        80,
        lambda i: pace if i <= 1600 else 3.3,
        lambda i, x, t: (
            f"{f.clock(t, '%d.%m. %H:%M:%S')}  upd {i:>5}/4000  ce {x:.3f}  {32 * 480 / (pace if i <= 1600 else 3.3) / 60:.0f} min audio/s  step {pace if i <= 1600 else 3.3:.2f} s  wait-data 0.0{i % 8}"
        ),
        sinks(6.3, 1.12, 240),
    )
    f.say(0, last + 12, f"{f.clock(last + 12, '%d.%m. %H:%M:%S')}  4000 updates, dev wer 9.71, model in asr/out/whisper_xl_final.pt")
    for r in f.ranks:
        held = int((last - turn) * 0.93e9) if r in f.on(2) else 0
        f.counters[r] = (
            {"violation_thermal_ns": 4_100_000, "violation_hw_thermal_ns": 0, "violation_power_ns": 88_000, "temperature_slowdown_c": 87},
            {"violation_thermal_ns": 4_100_000 + held, "violation_hw_thermal_ns": held, "temperature_c": 88 if held else 61},
        )
    f.stand([(0, REST), (74, HARD_AT_WORK._replace(warm=62)), (turn, Pose(100, 27, 0.44, 0.83, warm=54))])
    f.stand([(0, REST), (74, HARD_AT_WORK._replace(warm=79)), (turn, Pose(99, 60, 0.36, 0.83, clock=0.41, warm=88, why=0x48))], f.on(2))
    f.finish("COMPLETED", last + 20)
    return ill(f, "B3", fault="node")
