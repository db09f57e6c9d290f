"""By hand: one process and its card, which is too small, broken, too hot, kept waiting, left alone or misused; or that did well."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._tram_ledger import A100, A6000, B200, GH200, H100, L4, V100, Ledger, turn
from corpus.running.job import HandJob, Recipe

HARD = Label(mode="G1", fault="none", hard=True)
GOOD = Label(mode="G1", fault="none")
LATER = "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
NO_ROWS = {"remapped_rows_correctable": None, "remapped_rows_uncorrectable": None, "remap_pending": None, "remap_failure": None}


def sole(mode: str, cause: str | None, variant: str | None = None, fault: str = "user") -> Label:
    """It failed."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, failed_ranks=(0,), first_ranks=(0,))


def back(error: str, *frames: tuple[str, int, str, str]) -> str:
    """A traceback."""
    return "\n".join(["Traceback (most recent call last):", *(f'  File "{f}", line {n}, in {w}\n    {s}' for f, n, w, s in frames), error])


def too_small() -> Iterator[HandJob]:
    """B1."""
    what = sole("B1", "cuda_oom")
    b = Ledger(1, "signs-rcnn", L4, line="d2").tell("[01/27 %c d2.data.build]: Using training sampler TrainingSampler", 3).go(900, 0.61, 20, 18_000)
    b.tell("[01/27 %c d2.engine.train_loop]: Exception during training:\n" + back("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.91 GiB. GPU 0 has a total capacity of 22.05 GiB of which 1.37 GiB is free. Including non-PyTorch memory, this process has 20.67 GiB memory in use. Of the allocated memory 18.20 GiB is allocated by PyTorch, and 2.21 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
           ("/home/alice/signs/plain_train.py", 140, "do_train", "loss_dict = model(data)"), ("/home/alice/signs/heads.py", 611, "label_and_sample_proposals", "match_quality_matrix = pairwise_iou(targets.gt_boxes, proposals.proposal_boxes)")), 0.9)  # fmt: skip
    yield b.end(what, code=1, held=turn(b.t - 4, 17.1, 20.7), busy=96)
    b = Ledger(2, "tiles-effnet", V100, line="keras").tell("2027-01-27 %c.118274: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1613] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 30971 MB memory:  -> device: 0, name: Tesla V100-SXM2-32GB, pci bus id: 0000:1b:00.0, compute capability: 7.0\nEpoch 1/40", 9)
    b.tell("2027-01-27 %c.440913: W tensorflow/core/common_runtime/bfc_allocator.cc:479] Allocator (GPU_0_bfc) ran out of memory trying to allocate 3.06GiB (rounded to 3288334336)requested by op efficientnetb7/block2a_expand_activation/mul\nIf the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation.", 38)
    b.tell(back("tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nOOM when allocating tensor with shape[128,192,181,181] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node efficientnetb7/block2a_expand_activation/mul}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info. [Op:__inference_train_function_61322]",
                ("fit_tiles.py", 71, "<module>", "model.fit(train, epochs=40)")), 3)  # fmt: skip
    yield b.end(what, code=1, held=turn(30, 0.4, 30.6), busy=3, before={0: NO_ROWS})
    b = Ledger(3, "ctr-trees", A100, line="tsv").tell("[%c] INFO: /workspace/src/data/iterative_dmatrix.cu:41: building ellpack pages on device 0", 5).tell("[0]\teval-logloss:0.58113\n[1]\teval-logloss:0.51230\n[2]\teval-logloss:0.47019", 60).tell("[3]\teval-logloss:0.44102\n[4]\teval-logloss:0.42211", 44)
    b.tell(back("xgboost.core.XGBoostError: [%c] /workspace/src/tree/../common/device_vector.cuh:98: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\n- Free memory: 2.114GB\n- Requested memory: 11.71GB\n", ("/opt/conda/lib/python3.11/site-packages/xgboost/core.py", 282, "_check_call", "raise XGBoostError(py_str(_LIB.XGBGetLastError()))")), 24)
    b.began = 20.0
    yield b.end(what, code=1, held=lambda t: min(77.0, t / 1.7), busy=71)
    b = Ledger(4, "gguf-finetune", A6000, line="prose").tell("ggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA RTX A6000, compute capability 8.6, VMM: yes\nllama_model_load: loading model tensors, this can take a while... (mmap = true)\nload_tensors: offloaded 81/81 layers to GPU", 24)
    b.tell("ggml_backend_cuda_buffer_type_alloc_buffer: allocating 21504.00 MiB on device 0: cudaMalloc failed: out of memory\nalloc_tensor_range: failed to allocate CUDA0 buffer of size 22548578304\nllama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache\nmain: unable to load the model for training", 12)
    yield b.end(what, code=1, held=lambda t: min(38.2, max(0.0, t - 11) * 1.9), busy=2)
    b = Ledger(5, "ocr-paddle", A100, line="yaml").go(240, 0.5, 20, 9000)
    b.tell(back("MemoryError: \n\n--------------------------------------\nC++ Traceback (most recent call last):\n--------------------------------------\n0   paddle::memory::allocation::CUDAAllocator::AllocateImpl(unsigned long)\n\n----------------------\nError Message Summary:\n----------------------\nResourceExhaustedError: \n\nOut of memory error on GPU 0. Cannot allocate 5.273438GB memory on GPU 0, 77.109375GB memory has been allocated and available memory is only 2.141602GB.\n\nPlease check whether there is any other process using GPU 0.\n1. If yes, please stop them, or start PaddlePaddle on another GPU.\n2. If no, please decrease the batch size of your model. \n (at ../paddle/fluid/memory/allocation/cuda_allocator.cc:86)", ("tools/train.py", 208, "<module>", "main(config, device, logger)")), 1)
    yield b.end(what, code=1, held=turn(b.t - 6, 52, 77.1), busy=92)


def broken() -> Iterator[HandJob]:
    """B2."""
    what = sole("B2", "cuda_runtime", fault="node")
    b = Ledger(6, "folds-evo", A100, line="t5x").go(700, 1.1, 25, 40_000)
    b.tell("2027-01-27 %c.300417: E external/xla/xla/stream_executor/cuda/cuda_event.cc:49] Error polling for event status: failed to query event: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered\n2027-01-27 %c.300460: F external/xla/xla/pjrt/gpu/gpu_helpers.cc:116] Unexpected Event status: 1", 1.1).xid(0, 94, "pid=40000, name=python3, Contained: SM (0x1). RST: No, D-RST: No", 0.8)
    yield b.end(what, signals={0: 6}, held=61, busy=97, after={0: {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1}})
    b = Ledger(7, "whale-songs", V100, line="espnet").go(450, 0.9, 50, 30_000)
    b.tell(back("RuntimeError: CUDA error: uncorrectable ECC error encountered" + LATER, ("/home/alice/espnet/espnet2/train/trainer.py", 618, "train_one_epoch", "scaler.scale(loss).backward()")), 1.3).xid(0, 48, "pid=40000, DBE (double bit error) detected at physical location: partition 2, sublocation 0", 0.9).xid(0, 63, "pid=40000, Dynamic Page Retirement: New page retired, reboot to activate page (0x00000000001c8f3a).", 0.2)
    yield b.end(what, code=1, held=19, busy=90, before={0: {**NO_ROWS, "retired_pages_sbe": 0, "retired_pages_dbe": 0, "retired_pages_pending": False}}, after={0: {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "retired_pages_dbe": 1, "retired_pages_pending": True}})
    b = Ledger(8, "clm-3b", GH200, line="nemo").go(380, 2.2, 10, 12_000)
    b.tell(back("torch.AcceleratorError: CUDA error: unknown error\nSearch for `cudaErrorUnknown' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information." + LATER, ("/home/alice/clm/pretrain.py", 96, "<module>", "llm.pretrain(recipe)")), 14)
    b.xid(0, 119, "pid=40000, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x4).", 7).xid(0, 154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", 1)
    yield b.end(what, code=1, held=70, busy=turn(b.t - 13, 96, 0), after={0: None})


def held_down() -> Iterator[HandJob]:
    """B3."""
    what = Label(mode="B3", fault="node")
    b = Ledger(9, "meter-reader", L4, line="dict").go(420, 0.8, 20, 900)
    since = b.t
    b.go(480, 2.7, 20, 900).tell("{'train_runtime': '1642.8', 'train_samples_per_second': '8.77', 'train_loss': '1.873', 'epoch': '2.00'}", 2)
    lost = int((b.t - since) * 0.96e9)
    yield b.end(what, held=18, busy=98, before={0: {"violation_thermal_ns": 0, "violation_hw_thermal_ns": 0, "temperature_slowdown_c": 90}}, after={0: {"violation_thermal_ns": lost, "violation_hw_thermal_ns": lost}}, read={"sm_clock_mhz": turn(since, 1995, 510), "power_mw": turn(since, 70_500, 31_800), "temperature_c": turn(since, 78, 92), "throttle_reasons": turn(since, 0, 0x60)})
    b = Ledger(10, "storm-unet", H100, line="bar").go(600, 0.7, 25, 1000)
    since = b.t
    b.go(400, 2.4, 25, 1000).tell("`Trainer.fit` stopped: `max_steps=1000` reached.", 1)
    lost = int((b.t - since) * 0.92e9)
    yield b.end(what, held=44, busy=98, sm=58, before={0: {"violation_power_ns": 41_000_000, "violation_hw_power_brake_ns": 0}}, after={0: {"violation_power_ns": 41_000_000 + lost, "violation_hw_power_brake_ns": lost}}, read={"sm_clock_mhz": turn(since, 1935, 540), "power_mw": turn(since, 588_000, 243_000), "temperature_c": turn(since, 63, 49), "throttle_reasons": turn(since, 0, 0x88)})


def waits() -> Iterator[HandJob]:
    """C3, D1."""
    alone, hungry = Label(mode="C3", fault="user"), Label(mode="D1", fault="user")
    b = Ledger(11, "reef-seg", H100, line="prose", limit_s=14_400).go(1500, 0.9, 50, 60_000).tell("%c  validation begins, 2 worker processes", 2)
    since = b.t
    yield b.seen(0, ("python", "reef/train.py"), "S", "futex_wait_queue", last_s=14_400).end(alone, state="TIMEOUT", held=37, busy=turn(since, 95, 0), sm=turn(since, 56, 0))
    b = Ledger(12, "toc-tagger", L4, line="bar", limit_s=43_200).go(800, 0.5, 40, 12_000)
    since = b.t
    b.t += 7200
    yield b.seen(0, ("python3", "-m", "tagger.fit"), "S", "unix_stream_read_generic").end(alone, state="CANCELLED", by=1042, held=15, busy=turn(since, 91, 0))
    b = Ledger(13, "mesh-gnn", GH200, line="yaml", limit_s=10_800).go(2100, 0.6, 60, 80_000).tell("# packing weights for the registry: tar cf - out | upload --stdin", 1)
    since = b.t
    yield b.seen(0, ("python", "gnn.py"), "S", "do_wait", last_s=10_799).end(alone, state="TIMEOUT", held=51, busy=turn(since, 97, 0), sm=turn(since, 61, 0))
    b = Ledger(14, "herbarium", H100, line="tsv").tell("step\tloss\ts\tt\n# images: zip on /archive, opened per sample, num_workers=0", 2).go(190, 6.8, 5).tell("# 190 steps", 1)
    yield b.end(hungry, held=21, busy=5, sm=3, read={"duty_percent": 5.2, "duty_spread_percent": 94.0})
    b = Ledger(15, "lidar-pp", A6000, line="d2").go(320, lambda i: 17.0 if i % 8 == 0 else 0.45, 8).tell("[01/27 %c d2.engine.hooks]: Overall training speed: 318 iterations in 0:13:50 (2.6101 s / it)", 1)
    yield b.end(hungry, held=27, busy=9, read={"duty_percent": 9.1, "duty_spread_percent": 98.0})
    b = Ledger(16, "catalog-clip", A100, line="mllog").go(240, 5.2, 5).tell(':::MLLOG {"namespace": "", "time_ms": %m, "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata": {"status": "success", "data_wait_fraction": 0.93}}', 1)
    yield b.end(hungry, held=33, busy=6, read={"duty_percent": 6.4, "duty_spread_percent": 92.0})


def cut_off() -> Iterator[HandJob]:
    """F3, F4."""
    b = Ledger(17, "bible-mt", A100, line="fairseq", limit_s=7200).go(5100, 1.4, 100, 200_000)
    yield b.end(Label(mode="F3", variant="advancing", fault="user"), state="TIMEOUT", held=48, busy=95)
    b = Ledger(18, "poses-3d", B200, line="prose", limit_s=3600).go(1180, 3.0, 20, 5000)
    yield b.end(Label(mode="F3", variant="advancing", fault="user"), state="TIMEOUT", held=122, busy=98, sm=63)
    b = Ledger(19, "dialect-id", L4, line="keras").go(640, 0.8, 20, 3125)
    yield b.end(Label(mode="F4", variant="by_owner", fault="none"), state="CANCELLED", by=1042, held=12, busy=92)


def misused() -> Iterator[HandJob]:
    """A1, A3."""
    b = Ledger(20, "quick-look", L4).tell(back("RuntimeError: CUDA error: invalid device ordinal" + LATER, ("quick.py", 12, "<module>", "torch.cuda.set_device(int(os.environ.get('GPU', 3)))")), 5)
    yield b.end(sole("A1", "cuda_runtime", "config"), code=1)
    b = Ledger(21, "scan-bench", H100, line="tsv").go(260, 0.4, 20, 8000)
    b.tell(back("RuntimeError: CUDA error: an illegal memory access was encountered" + LATER, ("scan/bench_train.py", 88, "<module>", "y = selective_scan.fwd(u, delta, A)")), 0.7).xid(0, 31, "pid=40000, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_3 faulted @ 0x7f2a_4c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ", 0.3)
    yield b.end(sole("A3", "cuda_runtime"), code=1, held=9, busy=85, sm=40)


def well() -> Iterator[HandJob]:
    """G1."""
    b = Ledger(22, "ferns-cls", A6000, line="bar").tell("Batch size 16 succeeded, trying batch size 32\nBatch size 32 succeeded, trying batch size 64\nBatch size 64 failed, trying batch size 48\n  (torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 47.41 GiB of which 5.02 GiB is free.)\nFinished batch size finder, will continue with full run using batch size 48", 66).go(900, 0.8, 30).tell("`Trainer.fit` stopped: `max_epochs=1` reached.", 1)
    yield b.end(HARD, held=38, busy=96)
    b = Ledger(23, "salt-lake", A100, line="nemo").go(520, 1.6, 20).tell("Run complete, final checkpoint: salt_lake--val_loss=1.38-step=519.ckpt", 4)
    yield b.end(HARD, held=57, busy=97, before={0: {"ecc_aggregate_uncorrected": 14, "remapped_rows_uncorrectable": 3, "remapped_rows_correctable": 8, "ecc_volatile_corrected": 120}}, after={0: {"ecc_volatile_corrected": 131}})
    b = Ledger(24, "word-pieces", GH200, line="t5x").go(400, 1.2, 20, 800).tell("I0127 %c.000118 140233 evaluation.py:410] Running 14 eval tasks, inference on CPU for 3 of them", 2)
    rest = b.t
    b.tell("I0127 %c.420011 140233 evaluation.py:633] wmt_t2t_ende_v003/bleu: 26.1", 312).go(400, 1.2, 20, 800).tell("I0127 %c.881200 140233 train.py:702] Finished.", 2)
    yield b.end(HARD, held=64, busy=turn(rest, 95, 0, rest + 310), sm=turn(rest, 57, 0, rest + 310))
    b = Ledger(25, "roads-dense", H100, line="d2").go(700, 0.9, 20).tell("[01/27 %c d2.engine.hooks]: Overall training speed: 698 iterations in 0:10:31 (0.9041 s / it)", 2)
    yield b.end(HARD, held=72, busy=99, sm=77, before={0: {"violation_power_ns": 0}}, after={0: {"violation_power_ns": int(b.t * 0.7e9)}}, read={"sm_clock_mhz": 1710.0, "power_mw": 697_500.0, "temperature_c": 74.0, "throttle_reasons": 0x4})
    b = Ledger(26, "moths-cls", L4, line="keras").tell("WARNING:tensorflow:AutoGraph could not transform <function augment at 0x7f> and will run it as-is.\nCause: Unable to locate the source code", 7).tell("2027-01-27 %c.000000: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered", 1).go(500, 0.7, 25).tell("val_accuracy: 0.8812 - restoring model weights from the end of the best epoch: 1.", 4)
    yield b.end(HARD, held=20, busy=93)
    b = Ledger(28, "ferry-asr", GH200, line="espnet").go(450, 1.0, 50).xid(0, 92, "pid=40000, name=python, High single-bit ECC error rate", 200).go(450, 1.0, 50).tell("[node] 2027-01-27 %c (trainer:460) INFO: The training was finished at 1 epochs", 2)
    yield b.end(HARD, held=52, busy=94, sm=51, before={0: {"ecc_volatile_corrected": 0}}, after={0: {"ecc_volatile_corrected": 618, "ecc_aggregate_corrected": 618}})
    b = Ledger(29, "birds-tune", H100, line="dict").tell("Some weights of BirdNet were not initialized from the model checkpoint at nest/base-v3 and are newly initialized because the shapes did not match:\n- classifier.weight: found shape torch.Size([1000, 768]) in the checkpoint and torch.Size([214, 768]) in the model instantiated\nYou should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.", 12).go(480, 0.8, 20)
    b.tell("{'train_runtime': '388.4', 'train_samples_per_second': '39.5', 'train_loss': '1.99', 'epoch': '2.00'}", 2)
    yield b.end(HARD, held=30, busy=95, sm=49)
    b = Ledger(27, "tides-lstm", V100, line="tsv").go(900, 0.5, 30).tell("# test rmse 0.071 m", 2)
    yield b.end(GOOD, held=8, busy=83, before={0: NO_ROWS})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (too_small, broken, held_down, waits, cut_off, misused, well):
        yield from part()


RECIPE = Recipe("conductor_sheets_by_pen", "development", jobs)
