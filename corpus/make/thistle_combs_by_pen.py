"""Jobs of a vision institute and two start-ups on cards that are not here, by pen: they stop with a word, a signal, a full card or a card that is ill."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._scrollwork import VENV, Shift, brim, driver, roll_call, sinks, trip
from corpus.make._vellum import Leaf
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

FULL = Label(mode="B1", cause="cuda_oom", fault="user")
ILL = Label(mode="B2", variant="fault", cause="cuda_runtime", fault="node")


def at_the_door() -> Iterator[HandJob]:
    """Before the first step."""
    s: Leaf = Shift(1, "seg3d-b200", "b200", 1, 2, form="mm", via="torchrun", script="tools/train.py", site="blk")
    s.tell("mmengine - INFO - Environment info: sys.platform: linux, Python: 3.11.9, PyTorch: 2.4.1+cu121, GPU 0,1: NVIDIA B200", 14).hold(0.8)
    s.tell(f"{VENV}/torch/cuda/__init__.py:235: UserWarning: \nNVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports "
           "CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.", 4, None)  # fmt: skip
    s.tell(trip("RuntimeError: CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
                "below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
                "tools/train.py 88 main runner = Runner.from_cfg(cfg)", "seg3d/models/unet.py 51 init_weights nn.init.trunc_normal_(m.weight, std=0.02)", mark="[rank@r]: "), 3, None, 0.05)  # fmt: skip
    s.tell(roll_call("tools/train.py", [(0, 0, 1, 42_700), (1, 1, 1, 42_701)]), 2)
    yield s.close(Label(mode="A1", variant="env", cause="cuda_runtime", fault="user", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})

    s = Shift(2, "clip-b16", "a100", 1, 4, form="js", script="clip/main.py")
    s.tell('{"phase": "setup", "msg": "process @r takes cuda:0"}', 13, None).hold(0.7)
    s.tell("@n:@p:@p [0] init.cc:943 NCCL WARN Duplicate GPU detected : rank @r and rank 0 both on CUDA device 18000", 9, (1, 2, 3), 0.01)
    s.tell(trip("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.27.3\n"
                "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank @r and rank 0 both on CUDA device 18000",
                "clip/main.py 61 main torch.distributed.barrier()", mark="[rank@r]: "), 1, (1, 2, 3), 0.02)  # fmt: skip
    s.tell(trip("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.27.3\n"
                "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank 0 and rank 1 both on CUDA device 18000",
                "clip/main.py 61 main torch.distributed.barrier()", mark="[rank0]: "), 0.01)  # fmt: skip
    yield s.close(Label(mode="A1", variant="config", cause="nccl", fault="user", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Shift(3, "depth-any", "l40", 1, 2, form="lit", script="fit.py", asked="sbatch --gres=gpu:2 -n 2 depth.sh").tell("Seed set to 7", 8, None)
    s.tell(trip(driver("invalid device ordinal", "cudaErrorInvalidDevice") + "GPU device may be out of range, do you have enough GPUs?", "fit.py 29 <module> torch.cuda.set_device(int(os.environ['SLURM_PROCID']) + 1)"), 3, 1)
    yield s.close(Label(mode="A1", variant="config", cause="cuda_runtime", fault="user", failed_ranks=(1,), first_ranks=(1,)), "FAILED", {1: 1}, rest=-15)

    s = Shift(4, "gemma-de", "h100pcie", 1, 1, form="hf", script="sft_de.py").tell("Lade google/gemma-3-12b-it", 9)
    s.tell(trip("OSError: You are trying to access a gated repo.\nMake sure to have access to it at https://huggingface.co/google/gemma-3-12b-it.\n401 Client Error. (Request ID: Root=1-68f2ab1c-7c1d)\n\n"
                "Cannot access gated repo for url https://huggingface.co/google/gemma-3-12b-it/resolve/main/config.json.\nAccess to model google/gemma-3-12b-it is restricted. You must have access to it and be "
                "authenticated to access it. Please log in.", "sft_de.py 41 <module> model = AutoModelForCausalLM.from_pretrained(args.base, dtype=torch.bfloat16)",
                f"{VENV}/transformers/utils/hub.py 543 cached_files raise OSError("), 4)  # fmt: skip
    yield s.close(Label(mode="A1", variant="asset", cause="traceback", fault="user", failed_ranks=(0,)), "FAILED", {0: 1})


def on_the_way() -> Iterator[HandJob]:
    """After progress."""
    s = Shift(5, "landcover-29", "a10", 1, 1, form="pipe", script="landcover.py").tell("   step |       loss |      lr |      time", 9).hold(14).mood("busy")
    s.train(1240, 1.1, 20, 24_000, sinks(3.4, 0.6)).tell("\n".join(f"../aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [{t},0,0] Assertion `t >= 0 && t < n_classes` failed." for t in (3, 7, 11)), 0.7)
    s.tell(trip(driver("device-side assert triggered", "cudaErrorAssert"), "landcover.py 131 <module> run(cfg)", "landcover.py 98 run running += loss.item()"), 0.4)
    yield s.close(Label(mode="A3", cause="cuda_runtime", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Shift(6, "mamba-scan", "h100", 1, 4, form="titan", via="torchrun", script="train.py", site="blk").tell("[rank0]:[titan] - root - INFO - custom selective scan compiled (triton 3.4.0)", 30).hold(51).mood("busy")
    s.train(1100, 1.25, 10, 20_000, sinks(9.1, 2.9)).xid(2, 31, "pid=42702, name=python, channel 0x00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_4 faulted @ 0x7f2a_40c00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE")
    s.tell(trip(driver("an illegal memory access was encountered", "cudaErrorIllegalAddress"), "train.py 240 train_step loss.backward()", "kernels/scan.py 77 backward _scan_bwd[grid](dy, h, dh, seqlen, BLOCK=block)", mark="[rank2]: "), 0.8, 2)
    s.tell(roll_call("train.py", [(2, 2, 1, 42_702)]), 4)
    yield s.close(Label(mode="A3", cause="cuda_runtime", fault="user", first_ranks=(2,)), "FAILED", {2: 1}, rest=-15)

    s = Shift(7, "pose-hrnet", "rtx6000", 1, 1, form="imagenet", script="pose.py").tell("=> creating model 'hrnet_w48'", 8).hold(22).mood("busy").train(2000, 0.6, 25, 2000, sinks(2.1, 0.4))
    s.tell("=> validating", 1).mood("light").tell(trip("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!", "pose.py 301 main acc = validate(val_loader, model)",
                                 "pose.py 402 validate hits = ((heat - self_ref[idx]).abs() < thr).sum()"), 5)  # fmt: skip
    yield s.close(Label(mode="A3", cause="device_mismatch", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Shift(8, "wave-fdtd", "h200", 1, 8, form="logfmt", script="invert.py", site="geo").tell("ts=@tz level=info caller=main.py:12 msg=\"8 cards, cupy 13.4.1\"", 12).hold(88).mood("flat_out")
    s.train(700, 2.0, 10, 6000, sinks(41, 6)).tell("@n:@p:@p [@l] NCCL WARN Broadcast : invalid root 8 (root should be in the 0..8 range)", 1.4, None, 0.004)
    s.tell(trip("cupy_backends.cuda.libs.nccl.NcclError: NCCL_ERROR_INVALID_ARGUMENT: invalid argument", "invert.py 166 <module> model = share(model, root=shot % (size + 1))", "wave/comm.py 44 share comm.broadcast(a, a, n, dt, root, stream)"), 0.1, None, 0.004)
    yield s.close(Label(mode="A3", cause="nccl", fault="user", failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))

    s = Shift(9, "voxel-ext", "a30", 1, 1, form="fr", script="voxel.py").tell("extension voxel_ops chargée", 9).hold(11).mood("busy").train(900, 1.5, 15, 30_000, sinks(1.9, 0.3))
    s.xid(0, 13, "pid=40000, name=python, Graphics SM Warp Exception on (GPC 2, TPC 1, SM 1): Misaligned Address")
    s.tell(trip(driver("misaligned address", "cudaErrorMisalignedAddress"), "voxel.py 87 boucle sortie = voxel_ops.pool(nuage, taille=3)"), 0.4)
    yield s.close(Label(mode="A3", cause="cuda_runtime", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})


def struck() -> Iterator[HandJob]:
    """By a signal."""
    s = Shift(10, "pointnet-knn", "a100-40", 1, 4, form="gn", via="torchrun", script="knn_train.py").tell("knn_cuda 0.2 loaded", 11).hold(27).mood("busy").train(1500, 0.9, 20, 12_000, sinks(4.1, 1.1))
    s.tell("Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f1c2ffff640 (most recent call first):\n  File \"/project/vision/alice/src/ops/knn.py\", line 33 in neighbours\n  "
           "File \"/project/vision/alice/src/knn_train.py\", line 120 in step\n  File \"/project/vision/alice/src/knn_train.py\", line 188 in <module>", 0.6, 1)  # fmt: skip
    s.tell(roll_call("knn_train.py", [(1, 1, -11, 42_701)]), 4)
    yield s.close(Label(mode="A2", cause="segfault", fault="user", first_ranks=(1,)), "FAILED", {1: -11}, rest=-15)

    s = Shift(11, "era-cache", "h100", 1, 1, form="es", script="clima.py").tell("la caché de campos crece con cada época", 9).hold(33).mood("busy").train(1300, 1.1, 20, 9000, sinks(0.9, 0.2)).reaped(0)
    memory = CgroupMemory(limit_bytes=128 * GIB, peak_bytes=128 * GIB, oom_events=1, oom_kill_events=1)
    tail = [(s.now + 0.6, "slurmstepd: error: Detected 1 oom_kill event in StepId=@j.0. Some of the step tasks have been OOM Killed.")]
    yield s.close(Label(mode="A2", cause="oom_killer", fault="user", failed_ranks=(0,), first_ranks=(0,)), "OUT_OF_MEMORY", {0: -9}, memory={0: memory}, slurm=tail)


def brimful() -> Iterator[HandJob]:
    """The card is full."""
    one = {"failed_ranks": (0,), "first_ranks": (0,)}
    s = Shift(12, "video-dit", "h200", 1, 8, form="sd", via="torchrun", script="dit.py", site="blk").tell("49 frames at 720p, activation checkpointing: off", 40).hold(96).mood("flat_out").train(600, 2.3, 10, 8000, sinks(0.9, 0.12))
    s.tell("bucket switches to 81 frames", 2).hold(139.9, 5, 2)
    s.tell(trip(brim("9.42 GiB", "139.81 GiB", "4.11 GiB", "135.69 GiB", "131.02 GiB", "2.87 GiB", card=5), "dit.py 310 main loss = model(latents, t, cond)", "dit/blocks.py 140 forward x = x + self.mlp(self.norm2(x))", mark="[rank5]: "), 3, 5)
    yield s.tell(roll_call("dit.py", [(5, 5, 1, 42_705)]), 5).close(FULL.but(first_ranks=(5,)), "FAILED", {5: 1}, rest=-15)

    s = Shift(13, "mixt-jax", "gh200", 2, 1, form="max", script="train.py", site="gh").tell("System Information: Jax Version: 0.8.1, Backend: gpu, devices: 2", 20, None).hold(88, None, 3).mood("reads").tell("params initialised: 61.9 GB", 30)
    s.tell(trip("jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 41875931136 bytes.", "train.py 402 main state, metrics = step(state, batch)"), 70, None, 0.3)
    yield s.close(FULL.but(failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})

    s = Shift(14, "tf-unet-ct", "v100", 1, 1, form="keras", script="ct_unet.py").tell("TensorFlow 2.15.1, 1 Physical GPU", 12).hold(31.2, None, 2).mood("light")
    s.tell("W tensorflow/core/common_runtime/bfc_allocator.cc:487] Allocator (GPU_0_bfc) ran out of memory trying to allocate 6.00GiB (rounded to 6442450944) requested by op model/conv3d_7/Conv3D", 40)
    s.tell(trip("tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nOOM when allocating tensor with shape[4,96,256,128,128] and type float on "
                "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:__inference_train_function_8812]", "ct_unet.py 120 <module> model.fit(ds, epochs=80)"), 1)  # fmt: skip
    yield s.close(FULL.but(**one), "FAILED", {0: 1})

    s = Shift(15, "zero1-20b", "a100", 2, 8, form="meg", script="pretrain.py", site="lm").tell("> building 20B, tp 2 pp 1 dp 8", 34).hold(79.1, None, 20).mood("busy")
    s.tell("@n:@p:@p [@l] include/alloc.h:228 NCCL WARN Cuda failure 2 'out of memory'", 46, None, 0.004)
    s.tell(trip("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.3\n"
                "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 2 'out of memory'", "pretrain.py 77 main dist.all_gather_into_tensor(flat, shard)", mark="[rank@r]: "), 0.6, None, 0.004)  # fmt: skip
    yield s.close(FULL.but(failed_ranks=tuple(range(16))), "FAILED", dict.fromkeys(range(16), 1))

    s = Shift(16, "vllm-rollout", "h100", 1, 1, form="sb", script="rollout.py").tell("INFO worker.py:267] Loading model weights took 62.9 GiB", 65).hold(72).mood("reads")
    s.tell("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.50 GiB. GPU 0 has a total capacity of 79.10 GiB of which 6.81 GiB is free.\n" + trip(
        "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.",
        "rollout.py 55 <module> llm = LLM(model=args.policy, gpu_memory_utilization=0.98)"), 30)  # fmt: skip
    yield s.close(FULL.but(**one), "FAILED", {0: 1})

    s = Shift(17, "ragged-asr", "a30", 1, 1, form="nemo", script="ctc.py").tell("bucketing off, clips from 1 to 40 s", 11).hold(15).mood("busy").train(500, 1.2, 10, 5000, sinks(5.2, 1.4)).hold(23.4, None, 3)
    s.tell(trip(brim("2.21 GiB", "23.50 GiB", "311.00 MiB", "23.18 GiB", "12.04 GiB", "10.61 GiB"), "ctc.py 201 <module> out = enc(x.cuda(), xl)", f"{VENV}/torch/nn/modules/conv.py 371 forward return self._conv_forward(input, self.weight, self.bias)"), 4)
    yield s.close(FULL.but(**one), "FAILED", {0: 1})

    s = Shift(18, "sam-ft", "a10", 1, 1, form="tab", script="sam_ft.py").tell("│     time │    step │      loss │  s/step │", 9).hold(9).mood("light").train(60, 1.6, 5, 3000, sinks(1.4, 0.3)).hold(21.9, None, 2)
    s.tell(trip("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "sam_ft.py 91 step emb = self.encoder(img)", f"{VENV}/torch/nn/modules/linear.py 125 forward return F.linear(input, self.weight, self.bias)"), 4)
    yield s.close(FULL.but(**one), "FAILED", {0: 1})


def ill() -> Iterator[HandJob]:
    """The card is."""
    s = Shift(21, "llm-13b-ko", "h100", 2, 8, form="nemo", script="pretrain.py", via="torchrun", site="lm").tell("16 ranks, tp 4", 28).hold(66).mood("flat_out").train(900, 1.6, 10, 60_000, sinks(10.4, 2.7)).mood("asleep", 13)
    s.xid(13, 79, "pid=42713, name=python, GPU has fallen off the bus.")
    s.tell(trip(driver("unspecified launch failure", "cudaErrorLaunchFailure"), "pretrain.py 190 train_step opt.step()", mark="[rank13]: "), 1.1, 13).tell(roll_call("pretrain.py", [(13, 5, 1, 42_713)]), 6, 8)
    yield s.close(ILL.but(first_ranks=(13,)), "FAILED", {13: 1}, rest=-15, counters={13: ({}, None)}, dark={13: s.now - 9})

    s = Shift(22, "radar-nowcast", "a100", 1, 1, form="de", script="regen.py", site="wx").tell("Radarbilder 2015-2025, 5-Minuten-Takt", 10).hold(40).mood("busy").train(1600, 0.95, 20, 50_000, sinks(1.3, 0.2))
    s.xid(0, 48, "pid=40000, name=python, DBE (double bit error) ECC Error detected", 0.9).xid(0, 63, "pid=40000, name=python, Row Remapper: New row (0x0000000000002c14) marked for remapping, reset gpu to activate.", 0.8)
    s.xid(0, 94, "pid=40000, name=python, Contained: DRAM (0x1,0x0). uncorrectable ECC error", 0.7)
    s.tell(trip(driver("uncorrectable ECC error encountered", "cudaErrorECCUncorrectable"), "regen.py 140 epoche verlust.backward()"), 0.5)
    yield s.close(ILL.but(failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1}, counters={0: ({}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True, "recovery_action": "reset"})})

    s = Shift(23, "mol-diff", "h100", 1, 8, form="logfmt", script="moldiff.py").tell("level=info msg=\"nccl 2.27.3, 8 ranks over nvlink\"", 16).hold(49).mood("flat_out").train(700, 1.9, 20, 30_000, sinks(2.2, 0.4))
    s.xid(3, 74, "pid=40003, name=python, NVLink: fatal error detected on link 6(0x20000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)")
    s.tell(trip(driver("uncorrectable NVLink error detected during the execution", "cudaErrorNvlinkUncorrectable"), "moldiff.py 133 main scale(loss).backward()", mark="[rank3]: "), 0.9, 3)
    yield s.close(ILL.but(first_ranks=(3,)), "FAILED", {3: 1}, rest=-15, after=3, when={3: s.now + 0.3}, counters={3: ({}, {"nvlink_crc_errors": 7120, "nvlink_replay_errors": 64})})

    s = Shift(24, "flax-vit-g", "gh200", 4, 1, form="max", script="vit_g.py", site="gh").tell("jax.process_count() = 4", 21, None).hold(80).mood("flat_out").train(800, 1.7, 20, 40_000, sinks(7.2, 2.1))
    s.xid(1, 95, "pid=40001, name=python, Uncontained: FBHUB. RST: Yes, D-RST: No").tell(trip("jax.errors.JaxRuntimeError: INTERNAL: CUDA error: Failed to synchronize stream: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered", "vit_g.py 222 <module> loss = float(metrics['loss'])"), 1.2, 1)
    yield s.close(ILL.but(first_ranks=(1,)), "FAILED", {1: 1}, rest=-15, after=8, when={1: s.now + 0.5}, counters={1: ({}, {"ecc_volatile_uncorrected": 4, "ecc_aggregate_uncorrected": 4, "recovery_action": "reboot"})})

    s = Shift(25, "reranker-l", "l40", 1, 2, form="hf", script="rerank.py").tell("***** Running training *****", 14).hold(31).mood("busy").train(1400, 0.9, 20, 22_000, sinks(0.9, 0.25))
    s.mood("asleep", 0).xid(0, 119, "pid=40000, name=python, Timeout after 45s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080a0d1 0x4c).", 1)
    s.tell(trip(driver("unknown error", "cudaErrorUnknown"), "rerank.py 77 <module> trainer.train()", f"{VENV}/transformers/trainer.py 4071 training_step self.accelerator.backward(loss, **kwargs)", mark="[rank0]: "), 46, 0)
    yield s.close(ILL.but(first_ranks=(0,)), "FAILED", {0: 1}, rest=-15, after=4, when={0: s.now + 0.4}, counters={0: ({}, None)}, dark={0: s.now - 45})

    s = Shift(26, "stereo-net", "a100-40", 1, 4, form="imagenet", via="torchrun", script="stereo.py").tell("=> 4 GPUs", 12).hold(30).mood("busy").train(1700, 0.8, 25, 9000, sinks(3.0, 0.9))
    s.xid(2, 64, "pid=42702, name=python, Row Remapper: Error writing row remap entry", 0.8).tell(trip(driver("uncorrectable ECC error encountered", "cudaErrorECCUncorrectable"), "stereo.py 260 train disp = model(left, right)", mark="[rank2]: "), 0.6, 2)
    s.tell(roll_call("stereo.py", [(2, 2, 1, 42_702)]), 5)
    yield s.close(ILL.but(first_ranks=(2,)), "FAILED", {2: 1}, rest=-15, counters={2: ({"remapped_rows_uncorrectable": 7}, {"remapped_rows_uncorrectable": 8, "ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 9, "remap_failure": True, "recovery_action": "drain_and_reset"})})

    s = Shift(27, "sky-survey", "a30", 1, 1, form="es", script="cielo.py", site="obs").tell("placas 1998-2024", 9).hold(18).mood("busy").train(1600, 0.85, 20, 40_000, sinks(2.6, 0.7))
    s.tell(trip(driver("uncorrectable ECC error encountered", "cudaErrorECCUncorrectable"), "cielo.py 102 <module> perdida.backward()"), 0.5)
    yield s.close(ILL.but(failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1}, counters={0: ({}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "recovery_action": "reset"})})

    s = Shift(28, "agent-32b", "b200", 1, 8, form="titan", script="agent.py", site="blk").tell("[rank0]:[titan] - root - INFO - 8 ranks, fsdp", 31).hold(151).mood("flat_out").train(900, 1.5, 10, 20_000, sinks(6.1, 2.0))
    s.xid(4, 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 09 (0x004505c6 0x00000000)").tell(trip(driver("uncorrectable NVLink error detected during the execution", "cudaErrorNvlinkUncorrectable"), "agent.py 171 train_step loss.backward()", mark="[rank4]: "), 0.8, 4)
    yield s.close(ILL.but(first_ranks=(4,)), "FAILED", {4: 1}, rest=-15, after=3, when={4: s.now + 0.3}, counters={4: ({}, {"nvlink_receive_errors": 930, "nvlink_effective_errors": 311, "nvlink_recovery_failed": 1})})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (at_the_door, on_the_way, struck, brimful, ill):
        yield from part()


RECIPE = Recipe("thistle_combs_by_pen", "development", jobs)
