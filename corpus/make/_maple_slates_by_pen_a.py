"""Large jobs, first slate: ended by their own words, by the kernel, by hardware."""

from __future__ import annotations

from corpus.make._otter_bells_by_pen_book import (
    ADA,
    AMPERE,
    AMPERE_40,
    HARD_AT_WORK,
    HOPPER,
    HOPPER_NEW,
    HOPPER_WIDE,
    OPENED,
    REST,
    WAITS_FOR_PEERS,
    Pose,
)
from corpus.make._otter_bells_by_pen_chatter import chat
from corpus.make._otter_bells_by_pen_talk import closing, srun_ends, tag, torchrun_ends, trace
from corpus.make._otter_bells_by_pen_yard import Rig, Teller, Told, ill, noted, shelf, sinks
from corpus.running.hand import GIB

JOBS: list[Teller] = []
job = shelf(JOBS)


@job
def not_asked() -> Told:
    """A1: the owner of the weights asks everybody to agree to terms first, which this account has not; every rank is refused."""
    f = Rig(
        ("ice-14", "ice-15"),
        "dpo-gemma27b",
        7_900_114,
        noted("2026-09-01 08:00:00"),
        per=8,
        launcher=True,
        script="dpo.py",
        submit_line="sbatch dpo27.sh",
    )
    chat(f, ranks=False)
    site = "/home/alice/envs/dpo/lib/python3.12/site-packages"
    text = trace(
        (f"{site}/huggingface_hub/utils/_http.py", 409, "hf_raise_for_status", "response.raise_for_status()"),
        (f"{site}/requests/models.py", 1026, "raise_for_status", "raise HTTPError(http_error_msg, response=self)"),
        ends="requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://huggingface.co/google/gemma-3-27b-it/resolve/main/config.json",
    )
    text += "\n\nThe above exception was the direct cause of the following exception:\n\n" + trace(
        ("/home/alice/dpo/dpo.py", 131, "<module>", "main()"),
        ("/home/alice/dpo/dpo.py", 58, "main", "model = AutoModelForCausalLM.from_pretrained(cfg.base, torch_dtype=torch.bfloat16)"),
        (f"{site}/transformers/utils/hub.py", 566, "cached_files", "raise OSError("),
        ends="OSError: You are trying to access a gated repo.\nMake sure to have access to it at https://huggingface.co/google/gemma-3-27b-it.\n403 Client Error. (Request ID: Root=1-68b55f40-1d3f0c7e44)\n\nCannot access gated repo for url https://huggingface.co/google/gemma-3-27b-it/resolve/main/config.json.\nAccess to model google/gemma-3-27b-it is restricted and you are not in the authorized list. Visit https://huggingface.co/google/gemma-3-27b-it to ask for access.",
    )
    f.all_say(23, lambda _r: text, tag=tag)
    f.dies(f.ranks, 25, code=1, apart=0.05)
    for n in range(2):
        torchrun_ends(f, n, 28, [(r, 1, 25 + 0.05 * r) for r in f.on(n)], binary="/home/alice/envs/dpo/bin/python3.12")
        f.script_says(30 + n, f"srun: error: ice-{14 + n}: task {n}: Exited with exit code 1")
    f.stand([(0, REST), (20, OPENED)])
    f.finish("FAILED", 33, code=1)
    return ill(f, "A1", "traceback", variant="asset")


@job
def wrong_image() -> Told:
    """A1: the container that the site brought up to date has no Transformer Engine any more; 32 ranks end at the same import."""
    f = Rig(
        ("cg-01", "cg-02", "cg-03", "cg-04"),
        "bionemo-esm2",
        7_901_220,
        noted("2026-09-02 10:40:00"),
        per=8,
        split=True,
        script="train_esm2.py",
        submit_line="sbatch bionemo.sub",
    )
    chat(f, ranks=False)
    f.script_says(1.1, "container: /apps/sif/pytorch-2026.08.sif")
    text = trace(
        ("/work/bio/train_esm2.py", 9, "<module>", "from bio.model import build"),
        ("/work/bio/model.py", 6, "<module>", "import transformer_engine.pytorch as te"),
        ends="ModuleNotFoundError: No module named 'transformer_engine'",
    )
    f.all_say(14, lambda _r: text, err=True)
    f.dies(f.ranks, 16, code=1)
    f.stand([(0, REST)])
    srun_ends(f, 17, list(f.ranks), "Exited with exit code 1")
    f.finish("FAILED", 21, code=1)
    return ill(f, "A1", "missing_module", variant="env")


@job
def eaten() -> Told:
    """A2: decoded videos pile up in the loaders of an eight-card node; the kernel kills rank 2 at the job's memory limit, the launcher the others."""
    f = Rig(
        ("vid-07",),
        "videomae-ft",
        7_902_060,
        noted("2026-09-03 21:10:30"),
        per=8,
        kit=AMPERE,
        launcher=True,
        script="videomae.py",
        submit_line="sbatch --mem=480G vmae.sh",
    )
    chat(f)
    last = f.run(
        0,
        range(10, 871, 10),
        58,
        2.9,
        lambda i, x, _t: (
            f"Epoch: [0]  [{i:>5}/11872]  eta: {int((11872 - i) * 2.9) // 3600}:{int((11872 - i) * 2.9) // 60 % 60:02d}:{i % 60:02d}  lr: 0.000{i % 7}61  loss: {x:.4f} ({x + 0.04:.4f})  acc: {max(0.0, 0.74 - x / 9):.4f}  time: 2.9{i % 9}40  data: 0.21{i % 8}  max mem: 48120"
        ),
        sinks(5.9, 3.3, 120),
    )
    f.host_series(
        0,
        "step_memory_bytes",
        "bytes",
        [(60 + (last - 40) * k / 14, (118 + 25.6 * k) * GIB) for k in range(14)] + [(last + 1, 479.6 * GIB)],
        step="0",
    )
    f.shot_for_memory(2, last + 2.2, 480)
    f.dies(2, last + 2.3, signal=9)
    f.dies(f.but(2), last + 5, signal=15)
    closing(f, 0, last + 4, f.but(2))
    torchrun_ends(f, 0, last + 12, [(2, -9, last + 2.3)], binary="/sw/venv/vmae/bin/python3")
    f.script_says(
        last + 14,
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.\nsrun: error: vid-07: task 0: Out Of Memory",
    )
    f.stand([(0, REST), (20, OPENED), (54, HARD_AT_WORK)])
    f.finish("OUT_OF_MEMORY", last + 17, signal=125, batch=(1, None), step=("OUT_OF_MEMORY", 0, 125))
    return ill(f, "A2", "oom_killer", first=(2,))


@job
def own_kernel() -> Told:
    """A3: a hand-made Triton kernel reads beyond its tensor at an odd length; rank 6 fails, the driver notes a fault of the application's address."""
    f = Rig(
        ("mn-3", "mn-4"),
        "mamba-mix",
        7_903_390,
        noted("2026-09-05 13:20:00"),
        per=8,
        kit=HOPPER_NEW,
        script="mix/train.py",
        submit_line="sbatch mix.sh",
    )
    chat(f)
    last = f.run(
        0,
        range(20, 3381, 20),
        66,
        1.12,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S.%f')} mix | {i:>6} | nll {x:.4f} | {16 * 65536 / 1.12 / 1e6:.2f} Mtok/s | skipped 0",
        sinks(10.4, 2.75, 200),
    )
    f.driver(
        6,
        last + 0.72,
        31,
        "Ch 00000013, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC4 GPCCLIENT_T1_11 faulted @ 0x7f24_b1c00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    )
    text = trace(
        ("/home/alice/mix/train.py", 251, "<module>", "fit(cfg)"),
        ("/home/alice/mix/train.py", 198, "fit", "loss.backward()"),
        ("/home/alice/.venv/lib/python3.12/site-packages/torch/autograd/function.py", 311, "apply", "return user_fn(self, *args)"),
        ("/home/alice/mix/scan.py", 140, "backward", "_scan_bwd[grid](dy, a, b, da, db, L, BLOCK=256)"),
        ends="RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered",
    )
    f.say(6, last + 1.3, text, tag=tag(6))
    f.dies(6, last + 3, code=1)
    f.dies(f.but(6), last + 6, signal=9)
    f.stand([(0, REST), (22, OPENED), (62, HARD_AT_WORK)])
    srun_ends(f, last + 3.6, [6], "Exited with exit code 1", "Killed")
    f.finish("FAILED", last + 11, code=1)
    return ill(f, "A3", "cuda_runtime", first=(6,))


@job
def too_many_slices() -> Told:
    """B1: TensorFlow under Horovod on sixteen cards: the batch of volumes does not fit, each rank says so in its first step."""
    f = Rig(
        ("tk-1", "tk-2", "tk-3", "tk-4"),
        "unet3d-liver",
        7_904_021,
        noted("2026-09-07 09:05:00"),
        per=4,
        kit=AMPERE_40,
        script="unet3d.py",
        submit_line="sbatch -N4 liver.sh batch=6",
    )
    chat(f, ranks=False)
    f.all_say(
        12,
        lambda r: (
            f"2026-09-07 09:05:12.{100_000 + r * 4001}: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1929] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 38011 MB memory:  -> device: {r % 4}, name: NVIDIA A100-SXM4-40GB, pci bus id: {f.bus(r)}.0, compute capability: 8.0"
        ),
    )
    f.all_say(
        47,
        lambda r: (
            f"2026-09-07 09:05:47.{200_000 + r * 3907}: W tensorflow/tsl/framework/bfc_allocator.cc:485] Allocator (GPU_0_bfc) ran out of memory trying to allocate 6.00GiB (rounded to 6442450944)requested by op unet/dec1/conv3d_transpose/conv3d_transpose\nIf the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \n2026-09-07 09:05:47.{200_400 + r * 3907}: I tensorflow/tsl/framework/bfc_allocator.cc:1112] Sum Total of in-use chunks: 34.61GiB"
        ),
    )
    text = trace(
        ("/scratch/liver/unet3d.py", 171, "<module>", "main()"),
        ("/scratch/liver/unet3d.py", 149, "main", "model.fit(train, epochs=cfg.epochs, steps_per_epoch=cfg.steps, callbacks=hooks, verbose=verbose)"),
        (
            "/opt/tf214/lib/python3.10/site-packages/keras/src/utils/traceback_utils.py",
            70,
            "error_handler",
            "raise e.with_traceback(filtered_tb) from None",
        ),
        ends="tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nOOM when allocating tensor with shape[6,64,128,128,128] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node unet/dec1/conv3d_transpose/conv3d_transpose}}]]",
    )
    f.all_say(50, lambda _r: text)
    f.dies(f.ranks, 53, code=1, apart=0.06)
    f.stand([(0, REST), (12, Pose(1, 0, 0.16, 0.94)), (40, Pose(44, 0, 0.4, 0.95, 50))])
    srun_ends(f, 55, list(f.ranks), "Exited with exit code 1")
    f.finish("FAILED", 59, code=1)
    return ill(f, "B1", "cuda_oom")


@job
def two_bits() -> Told:
    """B2: an uncorrectable memory error on the card of rank 9, not contained by the driver; the rank's next call fails, Slurm ends the others."""
    f = Rig(
        ("sn201", "sn202", "sn203", "sn204"),
        "graphcast-fine",
        7_905_112,
        noted("2026-09-09 17:31:00"),
        per=4,
        kit=HOPPER,
        script="gc_train.py",
        submit_line="sbatch -N4 gcast.sh",
    )
    chat(f, ranks=False)
    f.all_say(
        15,
        lambda r: (
            f"I0909 17:31:15.{400_000 + 997 * r} {f.pid(r)} xla_bridge.py:925] Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'"
        ),
        apart=0.02,
    )
    last = f.run(
        0,
        range(10, 1951, 10),
        130,
        2.2,
        lambda i, x, t: (
            f"I{f.clock(t, '%m%d %H:%M:%S')}.{i * 91 % 1000:03d}114 {f.pid(0)} gc_train.py:211] step={i} loss={x:.5f} z500_rmse={x * 420:.1f} steps/s=0.45"
        ),
        sinks(1.2, 0.16, 160),
    )
    f.driver(
        9,
        last + 1.1,
        48,
        "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 4, subpartition 0.",
        named=False,
    )
    f.driver(9, last + 1.2, 95, "Uncontained: FBHUB (0x9,0x0). RST: Yes, D-RST: No")
    f.counters[9] = (
        {"ecc_volatile_uncorrected": 0, "ecc_aggregate_uncorrected": 0},
        {
            "ecc_volatile_uncorrected": 2,
            "ecc_aggregate_uncorrected": 2,
            "remapped_rows_uncorrectable": 1,
            "remap_pending": True,
            "recovery_action": "reset",
        },
    )
    text = trace(
        ("/home/alice/graphcast/gc_train.py", 260, "<module>", "app.run(main)"),
        ("/home/alice/graphcast/gc_train.py", 203, "main", "params, opt_state, metrics = update(params, opt_state, batch)"),
        ends="jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to complete all kernels launched on stream 0x55d6a3be71e0: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered",
    )
    f.say(9, last + 2, text)
    f.dies(9, last + 4, code=1)
    f.dies(f.but(9), last + 8, signal=9)
    f.stand([(0, REST), (20, Pose(2, 0.5, 0.17, 0.75)), (124, HARD_AT_WORK), (last + 2, WAITS_FOR_PEERS)])
    f.stand([(0, REST), (20, Pose(2, 0.5, 0.17, 0.75)), (124, HARD_AT_WORK)], [9])
    srun_ends(f, last + 4.5, [9], "Exited with exit code 1", "Killed")
    f.finish("FAILED", last + 12, code=1)
    return ill(f, "B2", "cuda_runtime", first=(9,), variant="fault", fault="node")


@job
def loose_link() -> Told:
    """B2: a link between cards breaks on the second node; rank 12 is told of it by CUDA, the driver names the link, its replay counters have leapt."""
    f = Rig(
        ("ox-1", "ox-2"),
        "moe-8x3b",
        7_906_203,
        noted("2026-09-11 00:15:00"),
        per=8,
        kit=HOPPER_WIDE,
        launcher=True,
        script="moe_train.py",
        submit_line="sbatch moe.sh",
    )
    chat(f)
    last = f.run(
        0,
        range(5, 1281, 5),
        121,
        6.7,
        lambda i, x, _t: f"it {i:>5} | lm {x:.4f} | balance {1.01 + x / 90:.3f} | drop {0.02 + i % 5 / 1000:.3f} | {6.7 + i % 3 / 10:.1f} s",
        sinks(9.8, 2.5, 90),
    )
    f.driver(12, last + 2.4, 74, "NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)")
    f.counters[12] = (
        {"nvlink_replay_errors": 0, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 0},
        {"nvlink_replay_errors": 60_211, "nvlink_recovery_errors": 31, "nvlink_crc_errors": 7110},
    )
    text = trace(
        ("/raid/moe/moe_train.py", 333, "<module>", "train(args)"),
        ("/raid/moe/moe_train.py", 262, "train", "out = ep_dispatch(h, router(h))"),
        ("/raid/moe/experts.py", 88, "ep_dispatch", "torch.cuda.current_stream().synchronize()"),
        ends="torch.AcceleratorError: CUDA error: uncorrectable NVLink error detected during the execution\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
    )
    f.say(12, last + 3, text, tag=tag(12))
    f.dies(12, last + 5, code=1)
    f.dies([r for r in f.on(1) if r != 12], last + 7, signal=15)
    f.dies(f.on(0), last + 13, signal=15)
    closing(f, 1, last + 6, [r for r in f.on(1) if r != 12])
    torchrun_ends(f, 1, last + 10, [(12, 1, last + 5)], binary="/raid/env/bin/python3")
    f.script_says(
        last + 11, f"srun: error: ox-2: task 1: Exited with exit code 1\nsrun: Terminating StepId={f.job_id}.0\nsrun: error: ox-1: task 0: Terminated"
    )
    f.stand([(0, REST), (40, OPENED), (116, HARD_AT_WORK)])
    f.finish("FAILED", last + 16, code=1)
    return ill(f, "B2", "cuda_runtime", first=(12,), variant="fault", fault="node")


@job
def brake() -> Told:
    """B3: the power brake of one node's supply is pulled for two thirds of the run: card 5 of it stays at a third of its clock, all sixteen go at its pace."""
    f = Rig(
        ("ml-31", "ml-32"),
        "sdxl-turbo-d",
        7_907_018,
        noted("2026-09-13 06:00:00"),
        per=8,
        kit=ADA,
        script="distill.py",
        submit_line="sbatch distill.sh",
    )
    chat(f)
    turn = 48 + 0.9 * 900
    last = f.run(
        0,
        range(30, 2701, 30),
        48,
        lambda i: 0.9 if i <= 900 else 2.45,
        lambda i, x, t: (
            f"{f.clock(t, '%H:%M')} distill {i}/2700 loss_g {x:.4f} loss_d {0.69 + x / 50:.4f} {128 / (0.9 if i <= 900 else 2.45):.1f} img/s"
        ),
        sinks(0.94, 0.18, 160),
    )
    f.say(0, last + 5, f"{f.clock(last + 5, '%H:%M')} distill 2700/2700, fid 21.7, written to distill/final")
    for r in f.ranks:
        held = int((last - turn) * 0.97e9) if r == 13 else 0
        f.counters[r] = (
            {"violation_hw_power_brake_ns": 0, "violation_power_ns": 12_000},
            {"violation_hw_power_brake_ns": held, "violation_power_ns": 12_000 + held},
        )
    f.stand([(0, REST), (44, Pose(98, 0, 0.9, 0.81, warm=64)), (turn, Pose(100, 0, 0.47, 0.81, warm=51))])
    f.stand([(0, REST), (44, Pose(98, 0, 0.9, 0.81, warm=65)), (turn, Pose(100, 0, 0.33, 0.81, clock=0.33, warm=46, why=0x88))], [13])
    f.finish("COMPLETED", last + 13)
    return ill(f, "B3", fault="node")
