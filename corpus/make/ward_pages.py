"""By hand: jobs of several ranks whose cards are full, broken, held back, starved, waited for, or well, as six houses' trainers tell of them."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._wards import A100, H100, H200, Ward, since
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe


def trace(path: str, line: int, code: str, error: str, rank: int | None = None) -> str:
    """A traceback of two frames, each line with its rank where one is given."""
    text = f"Traceback (most recent call last):\n  File \"{path}\", line {line + 64}, in <module>\n    main()\n  File \"{path}\", line {line}, in main\n    {code}\n{error}"
    return text if rank is None else "\n".join(f"[rank{rank}]: {row}" for row in text.split("\n"))


def full() -> Iterator[HandJob]:
    """B1."""

    def label(rank: int) -> Label:
        return Label(mode="B1", cause="cuda_oom", fault="user", first_ranks=(rank,))

    ward = Ward(0, "sft-dolly", 1, 8, 1)
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.82 GiB. GPU 2 has a total capacity of 79.10 GiB of which 5.06 GiB is free. Including non-PyTorch memory, this process has 74.03 GiB memory in use. Of the allocated memory 70.55 GiB is allocated by PyTorch, and 1.71 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    ward.says(0, 0, "  0%|          | 0/3000 [00:00<?, ?it/s]").fails(2, trace("/home/alice/sft/run.py", 188, "trainer.train()", error, 2), after_s=9).busy(H100, memory_used_bytes=(lambda t: min(74, t / 0.8) * GIB, 0), sm_activity_percent=(0, 0), utilization_percent=(6, 4), power_mw=(140_000, 20_000))
    yield ward.job(label(2))
    ward = Ward(1, "gemma-moe", 2, 4, 3)
    error = "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 21525168128 bytes."
    ward.fails(5, f"2026-11-23 02:11:09.441023: W external/xla/xla/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 20.05GiB (rounded to 21525168128)requested by op \n{trace('/home/alice/maxlm/train.py', 402, 'state, metrics = p_train_step(state, batch, rng)', error)}", after_s=40).busy(H100, memory_used_bytes=(since(20, 0.6 * GIB, 61 * GIB), 0), sm_activity_percent=(0, 0), utilization_percent=(2, 2), power_mw=(120_000, 9_000))
    yield ward.job(label(5))
    ward = Ward(2, "unet3d-tf", 1, 2, 4).learns(310, 0.9, planned=2000)
    error = "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node gradient_tape/unet/conv3d_14/Conv3D/Conv3DBackpropInputV2 defined at (most recent call last):\nOOM when allocating tensor with shape[8,64,128,128,96] and type float on /job:worker/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node gradient_tape/unet/conv3d_14/Conv3D/Conv3DBackpropInputV2}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info. [Op:__inference_multi_step_on_iterator_9177]"
    ward.fails(0, trace("/home/alice/brain/fit.py", 77, "model.fit(train, epochs=40, validation_data=val)", error)).busy(A100, memory_used_bytes=(37.9 * GIB, 0), power_mw=(310_000, 9_000))
    yield ward.job(label(0))
    ward = Ward(3, "mixtral-lora", 1, 8, 2).learns(200, 1.6, planned=900)
    error = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 3.50 GiB. GPU 5 has a total capacity of 63.98 GiB of which 1.20 GiB is free. Of the allocated memory 60.11 GiB is allocated by PyTorch, and 1.02 GiB is reserved by PyTorch but unallocated."
    ward.says(0, 1, "evaluating: 0/64").fails(5, trace("/scratch/alice/lora/train.py", 233, "logits = model(**batch).logits.float()", error, 5), after_s=12).busy({"name": "AMD Instinct MI250X", "memory_total_bytes": 64 * GIB, "driver_version": "6.8.5", "ecc_enabled": None}, memory_used_bytes=(since(368, 55 * GIB, 62.6 * GIB), 0))
    yield ward.job(label(5))
    ward = Ward(4, "t5-xxl", 2, 4, 2).learns(90, 3.1, planned=5000)
    error = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.25 GiB (GPU 1; 39.39 GiB total capacity; 36.02 GiB already allocated; 1.03 GiB free; 37.11 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    ward.fails(1, trace("/home/alice/t5/finetune.py", 301, "engine.backward(loss)", error)).busy(A100, memory_used_bytes=(lambda t: min(38.6, 21 + t / 18) * GIB, 0), power_mw=(330_000, 20_000))
    yield ward.job(label(1))
    ward = Ward(5, "gbdt-gpu", 1, 4, 2)
    error = "xgboost.core.XGBoostError: [03:20:41] /workspace/src/tree/updater_gpu_hist.cu:861: Exception in gpu_hist: [03:20:41] /workspace/src/c_api/../data/../common/device_helpers.cuh:431: Memory allocation error on worker 3: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\n- Free memory: 311427072\n- Requested memory: 1073741824"
    ward.says(0, 4, "DMatrix: 410000000 rows, 118 features, 4 workers").fails(3, trace("/home/alice/boost/train.py", 58, "booster = xgb.train(params, dtrain, num_boost_round=800, evals=[(dvalid, 'valid')])", error), after_s=25).busy(A100, memory_used_bytes=(since(50, 4 * GIB, 39 * GIB), 0), sm_activity_percent=(9, 4), utilization_percent=(40, 10), power_mw=(150_000, 20_000))
    yield ward.job(label(3))


def broken() -> Iterator[HandJob]:
    """B2, and two that look like it."""

    def label(rank: int) -> Label:
        return Label(mode="B2", variant="fault", cause="cuda_runtime", fault="node", first_ranks=(rank,))

    ward = Ward(6, "wan-video", 2, 8, 0).learns(420, 1.3, planned=8000)
    text = trace("/home/alice/wan/train.py", 512, "torch.cuda.synchronize()", "torch.AcceleratorError: CUDA error: unspecified launch failure\nSearch for `cudaErrorLaunchFailure' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.", 11)
    ward.xid(11, 79, "GPU has fallen off the bus.").fails(11, text).busy(H100, but=11).card(11, H100, {"utilization_percent": (97, 2), "power_mw": (560_000, 9_000)}, after=None, until=ward.at)
    yield ward.job(label(11))
    ward = Ward(7, "esm-3b", 1, 4, 1).learns(280, 2.0, planned=4000)
    ward.xid(2, 94, "Contained: SM (0x1). RST: No, D-RST: No").fails(2, trace("/home/alice/esm/pretrain.py", 144, "loss.item()", "RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."))
    ward.busy(H200, but=2).card(2, H200, {"utilization_percent": (98, 1), "power_mw": (590_000, 9_000)}, after={"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1})
    yield ward.job(label(2))
    ward = Ward(8, "flux-lora", 1, 4, 2).learns(350, 1.1, planned=2000)
    ward.xid(0, 62, "2a1c(3f40) 00000000 00000000").fails(0, trace("/home/alice/flux/train.py", 260, "accelerator.backward(loss)", "torch.AcceleratorError: CUDA error: unknown error"))
    ward.busy(H100, but=0).card(0, H100, {"utilization_percent": (98, 1), "power_mw": (520_000, 9_000)}, after=None, until=ward.at)
    yield ward.job(label(0))
    ward = Ward(9, "olmo-1b", 1, 8, 2).learns(500, 0.8, planned=20_000)
    link: dict[str, object] = {"nvlink_replay_errors": 0, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 0}
    ward.xid(6, 74, "NVLink: fatal error detected on link 11(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)").fails(6, trace("/home/alice/olmo/train.py", 371, "dist.all_reduce(metrics)", "torch.AcceleratorError: CUDA error: uncorrectable NVLink error detected during the execution", 6))
    ward.busy(H100, but=6).card(6, H100, {"utilization_percent": (99, 1), "power_mw": (530_000, 9_000)}, before=link, after={"nvlink_replay_errors": 41, "nvlink_recovery_errors": 6, "nvlink_crc_errors": 220})
    yield ward.job(label(6))
    own = Label(mode="A3", cause="cuda_runtime", fault="user", first_ranks=(1,))
    ward = Ward(10, "pointnet", 1, 4, 2).learns(240, 0.7, planned=3000)
    ward.xid(1, 31, "Ch 00000010, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_5 faulted @ 0x7e1a_5c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE").fails(1, trace("/home/alice/points/train.py", 120, "grouped = ext.group_points(feats, idx)", "torch.AcceleratorError: CUDA error: an illegal memory access was encountered", 1)).busy(A100, power_mw=(300_000, 9_000))
    yield ward.job(own)
    ward = Ward(11, "ocr-v4", 1, 4, 0).learns(900, 0.6, planned=5000)
    ward.xid(3, 63, "Row Remapper: New row (0x000000000131ad40) marked for remapping, reset gpu to activate.", after_s=-400).fails(0, trace("/home/alice/ocr/train.py", 91, "lexicon = open(cfg.lexicon, encoding='utf-8')", "FileNotFoundError: [Errno 2] No such file or directory: '/home/alice/ocr/lex/latin_v2.txt'"))
    ward.busy(H100, but=3).card(3, H100, {"utilization_percent": (97, 2), "sm_activity_percent": (50, 3), "power_mw": (530_000, 9_000)}, before={"remapped_rows_correctable": 1, "ecc_aggregate_corrected": 12})
    yield ward.job(Label(mode="A3", cause="file_not_found", fault="user", first_ranks=(0,)))


def held_back() -> Iterator[HandJob]:
    """B3."""
    for number, (name, nodes, each, style, sick, brake, model, slow) in enumerate((("sam-l", 1, 8, 2, (4,), False, H100, 1.9), ("rwkv", 2, 4, 1, (4, 5, 6, 7), True, H200, 2.4), ("bert-xl", 1, 4, 0, (1,), False, A100, 2.8))):
        ward = Ward(12 + number, name, nodes, each, style).learns(300, 1.0, 20, 900)
        start = ward.at
        ward.learns(600, slow, 20, 900).ends("finished 900 steps")
        top = 1410 if model is A100 else 1965
        kinds = ("hw_power_brake", "power") if brake else ("hw_thermal", "thermal")
        zero: dict[str, object] = {f"violation_{k}_ns": 0 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}
        for rank in range(ward.ranks):
            bad = rank in sick
            gone = int((ward.end - start) * 0.95e9)
            ward.card(rank, model, {
                "utilization_percent": (97, 2), "sm_activity_percent": (54 if bad else since(start, 54, 25), 2), "sm_clock_mhz": (since(start, top, 570) if bad else top, 8), "temperature_c": (since(start, 67, 58 if brake else 92) if bad else 64, 1),
                "throttle_reasons": (since(start, 0, 0x88 if brake else 0x60) if bad else 0, 0), "power_mw": (since(start, 380_000, 190_000) if bad else 380_000, 7_000),
            }, before=zero, after={f"violation_{k}_ns": gone for k in kinds} if bad else {})  # fmt: skip
        yield ward.job(Label(mode="B3", fault="node"))


def slow() -> Iterator[HandJob]:
    """D1, D2, D3."""
    for number, (name, each, style, pace, duty) in enumerate((("whisper-l", 4, 2, lambda i: 5.2 + i % 2, 5), ("laion-clip", 8, 0, lambda i: 21.0 if i % 8 == 0 else 0.6, 9))):
        ward = Ward(15 + number, name, 1, each, style).says(0, -20, ("decoding mp3 with 1 worker", "shards are read from s3://laion-part, no prefetch")[number]).learns((170, 320)[number], pace, (10, 8)[number]).ends("training complete")
        ward.busy(H100, utilization_percent=(duty, 3), duty_percent=(duty, 2), duty_spread_percent=(94, 4), sm_activity_percent=(duty / 2, 1), power_mw=(118_000, 9_000))
        yield ward.job(Label(mode="D1", fault="user"))
    ward = Ward(17, "llama-tp", 4, 4, 3).says(0, -15, "NCCL INFO NET/Socket : Using [0]ens5:10.11.4.7<0>").learns(260, 6.4).ends("reached 260 steps")
    ward.busy(H100, utilization_percent=(100, 0.4), sm_activity_percent=(9, 1), power_mw=(201_000, 6_000))
    yield ward.job(Label(mode="D2", variant="interconnect", fault="cluster"))
    for number, (name, nodes, each, style, lag) in enumerate((("dit-s", 2, 4, 1, 6), ("vit-22", 1, 8, 4, 3))):
        ward = Ward(18 + number, name, nodes, each, style).learns(420, 1.9).ends("saved final checkpoint, 420 steps")
        ward.busy(H100, but=lag, utilization_percent=(99, 1), sm_activity_percent=(15, 2), power_mw=(215_000, 8_000)).card(lag, H100, {"utilization_percent": (99, 1), "sm_activity_percent": (59, 3), "power_mw": (455_000, 9_000)})
        yield ward.job(Label(mode="D3", fault="unknown"))


def well() -> Iterator[HandJob]:
    """G1."""
    hard = Label(mode="G1", fault="none", hard=True)
    ward = Ward(20, "mae-h", 1, 8, 0).learns(700, 0.8).says(3, 1.0, "[rank3]:[W1123 05:10:22.771043 ProcessGroupNCCL.cpp:1538] Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL. On normal program exit, the application should call destroy_process_group to ensure that any pending NCCL operations have finished in this process.").ends("best acc1 78.31")
    yield ward.busy(H100, temperature_c=(83, 1), throttle_reasons=(0x4, 0), power_mw=(693_000, 4_000), sm_clock_mhz=(1635, 40)).job(hard)
    ward = Ward(21, "qwen-grpo", 2, 4, 2)
    ward.learns(150, 2.0, planned=400).says(5, 1.0, "rollout engine: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.00 GiB. Halving max_num_seqs to 128 and going on.").learns(250, 2.2, planned=400).ends("policy saved to ckpt/final")
    yield ward.busy(H200, memory_used_bytes=(122 * GIB, 6 * GIB)).job(hard)
    ward = Ward(22, "xlmr", 1, 4, 4).learns(300, 0.9, planned=600).says(0, 2, "Running evaluation: 0/1200")
    rest = ward.at
    ward.at += 330
    ward.says(0, 0, "Running evaluation: 1200/1200, f1 0.8123").learns(300, 0.9, planned=600).ends("done")
    back = rest + 330
    yield ward.busy(A100, utilization_percent=(since(rest, 96, 2, back), 1), sm_activity_percent=(since(rest, 50, 0, back), 0), power_mw=(since(rest, 330_000, 79_000, back), 2_000)).job(hard)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, held_back, slow, well):
        yield from part()


RECIPE = Recipe("ward_pages", "development", jobs)
