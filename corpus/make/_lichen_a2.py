"""Jobs of a lab, first drawer, lower half."""

from __future__ import annotations

from corpus.make._lichen_kit import A100, A6000, H100, H200, OFF, RTX4090, Lab, Mood, busy
from corpus.make._lichen_words import Job, bad, bar, decay, hms, on, shelf, tb

JOBS, case = shelf()


@case
def grows_with_length() -> Job:
    """B1: LoRA of an 8B model in the Trainer; a batch of long samples at step 214 does not fit."""
    f = Lab(
        nodes=("h5",),
        name="lora-legal",
        job_id=660_118,
        start_ns=on("2026-11-16 07:15:09"),
        gpus=1,
        board=RTX4090,
        program="python sft_lora.py --model meta-llama/Llama-3.1-8B",
        submit_line="sbatch lora.sh",
    )
    ce = decay(1.92, 1.31, 70)
    last = f.go(
        range(10, 214, 10),
        75,
        3.9,
        lambda i, _t: (
            f"{{'loss': {ce(i):.4f}, 'grad_norm': {0.41 + ce(i) / 7:.4f}, 'learning_rate': {2e-4 * (1 - i / 1560):.4e}, 'epoch': {i / 780:.2f}}}"
        ),
    )
    f.put(
        last + 14,
        tb(
            ("/home/dario/legal/sft_lora.py", 118, "<module>", "trainer.train()"),
            ("/home/dario/.conda/envs/ft/lib/python3.11/site-packages/transformers/trainer.py", 2245, "train", "return inner_training_loop("),
            (
                "/home/dario/.conda/envs/ft/lib/python3.11/site-packages/transformers/trainer.py",
                3736,
                "training_step",
                "self.accelerator.backward(loss, **kwargs)",
            ),
            end="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 23.55 GiB of which 1.87 GiB is free. Including non-PyTorch memory, this process has 21.66 GiB memory in use. Of the allocated memory 19.48 GiB is allocated by PyTorch, and 1.71 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        ),
    )
    f.put(last + 14.4, f"  {100 * 213 // 1560}%|{bar(213, 1560)}| 213/1560 [14:02<1:28:41,  3.95s/it]")
    f.leave(0, last + 15.5, code=1)
    f.feel((0, OFF), (20, Mood(4, 0, 0.2, 0.69, 30)), (70, busy(0.92)))
    f.close("FAILED", last + 17, code=1)
    return bad(f, "B1", "cuda_oom")


@case
def double_bit() -> Job:
    """B2: a double-bit error in the memory of the third of four cards ends a fine-tuning of a vision model."""
    f = Lab(
        nodes=("a100-04",),
        name="dinov2-histo",
        job_id=88_120,
        start_ns=on("2026-10-08 16:40:00"),
        gpus=4,
        board=A100,
        way="srun",
        program="python finetune_histo.py",
        submit_line="sbatch histo.sub",
        zone_h=1,
    )
    ce = decay(2.7, 0.7, 420)
    last = f.go(
        range(25, 1176, 25),
        48,
        1.1,
        lambda i, t: f"{f.clock(t, '%d %b %H:%M:%S')}  step={i:<5d} ce={ce(i):.4f}  top1={min(0.89, 0.2 + i / 1700):.3f}  img/s=928",
    )
    f.driver(2, last + 6.0, 48, "pid=40002, name=python, DBE (double bit error): uncorrectable ECC error detected, physical address 0x4_8fa1c200")
    f.driver(
        2, last + 6.1, 63, "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000048fa1c2) marked for remapping, reset gpu to activate."
    )
    f.counters[2] = (
        {"ecc_volatile_uncorrected": 0, "ecc_aggregate_uncorrected": 0, "remapped_rows_uncorrectable": 0},
        {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True},
    )
    f.put(
        last + 7,
        tb(
            ("/scratch/emma/histo/finetune_histo.py", 240, "<module>", "main()"),
            ("/scratch/emma/histo/finetune_histo.py", 176, "main", "running += loss.item()"),
            end="RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
        2,
    )
    f.leave(2, last + 8.4, code=1)
    f.leave((0, 1, 3), last + 12, signal=9)
    f.feel((0, OFF), (43, busy(0.58)))
    f.out(
        last + 9,
        "srun: error: a100-04: task 2: Exited with exit code 1",
        f"srun: Terminating StepId={f.job_id}.0",
        "srun: error: a100-04: tasks 0-1,3: Killed",
    )
    f.close("FAILED", last + 14, code=1)
    return bad(f, "B2", "cuda_runtime", variant="fault", fault="node", first=(2,))


@case
def hot_corner() -> Job:
    """B3: the upper card of a workstation node gets 90 degrees hot and runs at half its clock from the 20th minute on."""
    f = Lab(
        nodes=("ws-11",),
        name="nerf-campus",
        job_id=5_512,
        start_ns=on("2026-11-11 12:00:00"),
        gpus=1,
        board=A6000,
        program="python run_nerf.py --config campus.txt",
        submit_line="sbatch nerf.sh",
    )
    turn, psnr = 1180.0, decay(14, 27.8, 9000, 0.01)
    last = f.go(
        range(500, 30_001, 500),
        25,
        lambda i: 0.11 if i <= 10_500 else 0.247,
        lambda i, t: (
            f"[TRAIN] Iter: {i} Loss: {10 ** (-psnr(i) / 10):.6f}  PSNR: {psnr(i):.3f}  ({110 if i <= 10_500 else 247 + i % 5} ms/it, {hms(t)})"
        ),
    )
    f.put(last + 22, "Saved checkpoints at ./logs/campus/030000.tar\nDone, 30000 iterations, test PSNR 24.58")
    held = int((last - turn) * 0.97e9)
    f.counters[0] = (
        {"violation_thermal_ns": 4_000_000, "violation_hw_thermal_ns": 0, "violation_power_ns": 0},
        {"violation_thermal_ns": held + 4_000_000, "violation_hw_thermal_ns": held, "violation_power_ns": 0},
    )
    f.feel(
        (0, OFF),
        (20, Mood(99, 0, 0.93, 0.52, 4, 0.86, 78)),
        (turn, Mood(99, 0, 0.44, 0.52, 3, 0.37, 92, 0x48)),
        (last + 22, Mood(0, 0, 0.2, 0.1, 0, 0.15, 71)),
    )
    f.close("COMPLETED", last + 29)
    return bad(f, "B3", fault="node")


@case
def outside_vocabulary() -> Job:
    """A3: a class index above the number of classes; the device asserts, the driver notes a torn channel."""
    f = Lab(
        nodes=("h2",),
        name="bird-sounds",
        job_id=730_551,
        start_ns=on("2026-10-22 06:30:00"),
        gpus=1,
        board=H100,
        program="python birds.py train",
        submit_line="sbatch birds.sh",
    )
    ce = decay(6.9, 2.2, 500)
    last = f.go(range(50, 1301, 50), 28, 0.37, lambda i, _t: f"bird-sounds  batch {i}/6104  xent {ce(i):.3f}  mAP {min(0.6, i / 3300):.3f}")
    for k in range(4):
        f.put(
            last + 9,
            f"../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [{5 + k * 7},0,0] Assertion `t >= 0 && t < n_classes` failed.",
        )
    f.driver(0, last + 9.1, 43, "pid=2207500, name=python, Ch 00000008")
    f.put(
        last + 9.6,
        tb(
            ("/home/priya/birds/birds.py", 155, "<module>", "COMMANDS[sys.argv[1]]()"),
            ("/home/priya/birds/birds.py", 102, "train", "scaler.scale(loss).backward()"),
            end="RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
    )
    f.leave(0, last + 11, code=1)
    f.feel((0, OFF), (24, busy(0.22, 88, 0.6, 41)))
    f.close("FAILED", last + 12, code=1)
    return bad(f, "A3", "cuda_runtime")


@case
def all_pairs() -> Job:
    """A3: the distance matrix of an evaluation asks the host for more than it has; NumPy refuses."""
    f = Lab(
        nodes=("h1",),
        name="reid-market",
        job_id=730_604,
        start_ns=on("2026-10-23 09:09:09"),
        gpus=1,
        board=H200,
        program="python reid.py --eval-every 5",
        submit_line="sbatch --mem=96G reid.sh",
    )
    tri = decay(3.1, 0.4, 1.8)
    last = f.go(range(1, 6), 22, 96, lambda i, t: f"{f.clock(t, '%H:%M')} epoch {i:02d}/60 triplet+id {tri(i):.4f}  ({96 + i % 3} s)")
    f.put(last + 4, "extracting features: gallery 512331, query 188402 ...")
    f.put(
        last + 160,
        tb(
            ("/home/wei/reid/reid.py", 310, "<module>", "main()"),
            ("/home/wei/reid/reid.py", 233, "main", "cmc, mAP = evaluate(model, query, gallery)"),
            ("/home/wei/reid/metrics.py", 21, "evaluate", "dist = np.zeros((len(q), len(g)), dtype=np.float64)"),
            end="numpy.core._exceptions._ArrayMemoryError: Unable to allocate 719. GiB for an array with shape (188402, 512331) and data type float64",
        ),
    )
    f.leave(0, last + 162, code=1)
    f.feel((0, OFF), (18, busy(0.36, 93, 0.7, 48)))
    f.close("FAILED", last + 164, code=1)
    return bad(f, "A3", "ram_oom")
