"""By hand: GPU memory that ran out, broken cards, NCCL that does not start or waits in vain, in the words of other libraries than PyTorch and of newer versions."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from random import Random

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

FULL = (
    ("cupy", "  File \"/u/kim/lbm/step.py\", line 141, in collide\n    feq = cp.einsum('qd,dxyz->qxyz', e, u)\n  File \"cupy/cuda/memory.pyx\", line 1142, in cupy.cuda.memory.SingleDeviceMemoryPool._try_malloc\ncupy.cuda.memory.OutOfMemoryError: Out of memory allocating 9,663,676,416 bytes (allocated so far: 77,309,411,328 bytes).", False),
    ("rmm", "  File \"/u/kim/etl/join.py\", line 58, in <module>\n    wide = left.merge(right, on='session_id')\nMemoryError: std::bad_alloc: out_of_memory: CUDA error at: /opt/apps/ml/include/rmm/mr/device/cuda_memory_resource.hpp:62: cudaErrorMemoryAllocation out of memory", False),
    ("xgboost", "  File \"/u/kim/rank/gbm.py\", line 77, in <module>\n    booster = xgb.train(params, dtrain, 400, evals=[(dvalid, 'valid')])\nxgboost.core.XGBoostError: [HH:MM:SS] /workspace/src/tree/../common/device_helpers.cuh:431: Memory allocation error on worker 0: [HH:MM:SS] /workspace/src/c_api/../data/../common/common.h:45: cudaErrorMemoryAllocation: out of memory\n- Free memory: 1093664768\n- Requested memory: 9130934272", True),
    ("paddle", "  File \"/u/kim/ocr/tools/train.py\", line 244, in main\n    program.train(config, train_dataloader, valid_dataloader, device, model)\n\n--------------------------------------\nC++ Traceback (most recent call last):\n--------------------------------------\n0   paddle::pybind::ThrowExceptionToPython(std::__exception_ptr::exception_ptr)\n\n----------------------\nError Message Summary:\n----------------------\nResourceExhaustedError: \n\nOut of memory error on GPU 0. Cannot allocate 3.164063GB memory on GPU 0, 38.601562GB memory has been allocated and available memory is only 815.750000MB.\n\nPlease check whether there is any other process using GPU 0.", True),
    ("jax", "  File \"/u/kim/gnn/train.py\", line 190, in train\n    state, metrics = train_step(state, graphs)\njaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 38654705664 bytes.\nBufferAssignment OOM Debugging.\nBufferAssignment stats:\n             parameter allocation:    2.31GiB\n              constant allocation:         0B\n        maybe_live_out allocation:    2.29GiB\n     preallocated temp allocation:   36.00GiB\nPeak buffers:\n\tBuffer 1:\n\t\tSize: 18.00GiB\n\t\tXLA Label: fusion", False),
    ("keras", "YYYY-MM-DD HH:MM:SS.118422: W external/local_xla/xla/tsl/framework/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 5.74GiB (rounded to 6163005696)requested by op StatefulPartitionedCall/functional_1/attention/MatMul\n  File \"/u/kim/asr/fit.py\", line 88, in <module>\n    model.fit(train, epochs=40)\ntensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node functional_1/attention/MatMul defined at (most recent call last):\nOut of memory while trying to allocate 6163005696 bytes.\n\t [[{{node StatefulPartitionedCall}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info. [Op:__inference_one_step_on_iterator_3310]", True),
    ("torch", "[rank2]:   File \"/u/kim/moe/train.py\", line 402, in <module>\n[rank2]:     loss.backward()\n[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.42 GiB. GPU 2 has a total capacity of 94.50 GiB of which 5.11 GiB is free. Including non-PyTorch memory, this process has 89.38 GiB memory in use. Of the allocated memory 84.02 GiB is allocated by PyTorch, with 1.12 GiB allocated in private pools (e.g., CUDA Graphs), and 3.50 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.", True),
    ("llama.cpp", "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 42880.00 MiB on device 0: cudaMalloc failed: out of memory\nalloc_tensor_range: failed to allocate CUDA0 buffer of size 44962938880\nllama_model_load: error loading model: unable to allocate CUDA0 buffer\nllama_model_load_from_file_impl: failed to load model\nmain: error: failed to load the model", False),
)  # fmt: skip
VERSIONS = ("13.3", "25.2", "2.1", "2.6", "0.4.38", "3.6", "2.7", "b4589")
BROKEN = (
    (79, "GPU has fallen off the bus.", None, "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: CUDA error: Could not synchronize CUDA stream: CUDA_ERROR_UNKNOWN: unknown error"),
    (48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 4, subpartition 1.", {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 5}, "cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorECCUncorrectable: uncorrectable ECC error encountered"),
    (95, "Uncontained: L2 (0x1). RST: Yes, D-RST: No", {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1}, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\nSearch for `cudaErrorECCUncorrectable' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information."),
    (74, "NVLink: fatal error detected on link 11(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)", {"nvlink_replay_errors": 64, "nvlink_recovery_errors": 3, "nvlink_crc_errors": 211}, "torch.AcceleratorError: CUDA error: uncorrectable NVLink error detected during the execution"),
    (119, "Timeout after 45s of waiting for RPC response from GPU2 GSP! Expected function 76 (GSP_RM_CONTROL)", None, "RuntimeError: CUDA error: unspecified launch failure"),
    (94, "Contained: SM (0x1). RST: No, D-RST: No", {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True}, "tensorflow.python.framework.errors_impl.InternalError: Failed to complete all kernels launched on stream 0x5581: CUDA error: Could not synchronize CUDA stream: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"),
    (64, "Failed to persist dynamically offlined page or row remap", {"ecc_volatile_uncorrected": 4, "ecc_aggregate_uncorrected": 9, "remapped_rows_uncorrectable": 8, "remap_failure": True}, "numba.cuda.cudadrv.driver.CudaAPIError: [214] Call to cuStreamSynchronize results in CUDA_ERROR_ECC_UNCORRECTABLE"),
    (79, "GPU has fallen off the bus.", None, "RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."),
)  # fmt: skip
Rows = list[tuple[float, str]]


def clock(hand: Hand, at: float) -> datetime:
    """What a clock on the wall showed then: two hours east of Greenwich."""
    return datetime.fromtimestamp(hand.at(at) / 1e9, timezone(timedelta(hours=2)))


def talk(hand: Hand, kind: int, steps: int, *, first_s: float, each_s: float, dice: Random, planned: int = 4000, level: float = 2.4) -> Rows:
    """Progress in one of six dialects: a line each ten steps."""
    rows = []
    for i in range(10, steps + 1, 10):
        x = 0.7 + level * (1 + i / 60) ** -0.6 + dice.uniform(-0.02, 0.02)
        at = first_s + i * each_s + dice.uniform(0, 0.2)
        now = clock(hand, at)
        text = (
            f"{{\"iter\": {i}, \"objective\": {x:.4f}, \"samples_per_s\": {dice.uniform(880, 920):.0f}, \"lr\": 0.0004}}",
            f"I{now:%m%d %H:%M:%S.%f} 139871 train.py:131] [{i}] loss={x:.5f}, learning_rate=0.0004, steps_per_sec={1 / each_s:.3f}",
            f"[{now:%Y/%m/%d %H:%M:%S}] ppocr INFO: epoch: [{1 + i // 200}/20], global_step: {i}, lr: 0.000400, loss: {x:.6f}, avg_reader_cost: 0.00071 s, avg_batch_cost: {each_s:.5f} s, ips: 221.7 samples/s",
            f"0: {i:>6} / {planned} | lm {x:.3f} | gnorm {0.4 + x / 5:.2f} | {each_s * 1000:.0f} ms/it",
            f"[{i}]\tvalid-rmse:{x:.5f}",
            f"{i}/{planned} - {i * each_s:.0f}s - {each_s * 1000:.0f}ms/step - accuracy: {1 - x / 4:.4f} - loss: {x:.4f}",
        )[kind % 6]
        rows.append((at, text))
    return rows


def full(number: int) -> HandJob:
    """A card that is full: in the first step, or later; one process, or four of which one has the largest share."""
    dice = Random(900 + number)
    name, text, late = FULL[number]
    ranks = 4 if name == "torch" else 1
    bad = 2 if ranks > 1 else 0
    hand = Hand((f"gpu-{11 + number:02d}",), job_id=5_310_400 + 7 * number, gpus=ranks, name=f"{name[:3]}-{number}", start_ns=1_795_290_100_000_000_000 + number * 10**12, submit_line=f"sbatch -G{ranks} go_{name[:3]}.sh")
    (node,) = hand.nodes
    steps = dice.randrange(150, 260, 10)
    kind = {"paddle": 2, "xgboost": 4, "jax": 1, "keras": 5}.get(name, number)
    head: Rows = [(3.1, f"{name} build for CUDA 12.6, driver 560.35.03"), (9.8, "reading the index ... 1.2e6 entries")]
    rows = head + (talk(hand, kind, steps, first_s=31, each_s=0.9, dice=dice) if late else [])
    end = rows[-1][0] + dice.uniform(2, 14)
    now = clock(hand, end)
    text = text.replace("YYYY-MM-DD", f"{now:%Y-%m-%d}").replace("HH:MM:SS", f"{now:%H:%M:%S}")
    warning, _, text = text.rpartition("op StatefulPartitionedCall/functional_1/attention/MatMul\n") if name == "keras" else ("", "", text)
    trace = ("[rank2]: " if text.startswith("[rank") else "") + "Traceback (most recent call last):\n" + text
    body = text if name == "llama.cpp" else f"{warning}op functional_1/attention/MatMul\n{trace}" if warning else trace
    for rank in range(ranks):
        mine = sorted([*(rows if rank == 0 else []), *([(end, body)] if rank == bad else [])])
        hand.rank(rank, node, mine, code=1 if rank == bad else None, signal=None if rank == bad else 15, end=end + (0.9 if rank == bad else 4.4), local=rank, stream="both")
        top = 94 if name == "torch" else 40 if name == "paddle" else 80
        share = 0.98 if rank == bad else 0.83
        if number % 4 != 1:
            hand.gpu(node, rank, {"memory_total_bytes": top * GIB, "driver_version": "560.35.03"}, {}, memory_used_bytes=[0.01 * top * GIB, *(top * GIB * share * k / 9 for k in range(3, 10))], utilization_percent=[0, 12, 64, 81, 90, 88, 93, 41])
    hand.ended("FAILED", code=1, end=end + 7, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    return HandJob(Label(mode="B1", cause="cuda_oom", fault="user", failed_ranks=(bad,), first_ranks=(bad,), software={name: VERSIONS[number]}), hand)


def broken(number: int) -> HandJob:
    """A card that breaks in training, on one of the job's nodes."""
    dice = Random(70 + number)
    xid, words, counters, error = BROKEN[number]
    nodes = (f"dgx{3 + number}", f"dgx{13 + number}") if number % 2 else (f"dgx{3 + number}",)
    hand = Hand(nodes, job_id=5_322_000 + 13 * number, gpus=2, name=("fold", "climate", "llm", "seg")[number % 4], start_ns=1_795_301_000_000_000_000 + number * 10**12)
    ranks = 2 * len(nodes)
    bad = dice.randrange(ranks)
    end = 40 + 300 * 1.1
    for rank in range(ranks):
        node = nodes[rank // 2]
        rows = talk(hand, (1, 0, 3, 1, 3, 1, 0, 3)[number], 300, first_s=40, each_s=1.1, dice=dice) if rank == 0 else [(12.0, f"worker {rank} ready on {node}")]
        if rank == bad:
            rows = sorted([*rows, (end + 2.2, f"Traceback (most recent call last):\n  File \"/p/home/lee/run/main.py\", line {200 + number}, in <module>\n    train(cfg)\n  File \"/p/home/lee/run/loop.py\", line 97, in train\n    total += float(batch_loss)\n{error}")])
        hand.rank(rank, node, rows, code=1 if rank == bad else None, signal=None if rank == bad else 9, end=end + (2.9 if rank == bad else 8.0 + rank / 10), local=rank % 2, stream="both")
        duty = [0, 0, *(dice.randrange(84, 97) for _ in range(20))]
        start = {"nvlink_replay_errors": 0, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 0}
        hand.gpu(node, rank % 2, start, counters if rank == bad else {}, utilization_percent=duty, power_mw=[88_000, 90_000, *(dice.randrange(480_000, 640_000) for _ in range(20))])
    pci = f"0000:{0x1B + 0x20 * (bad % 2):02x}:00"
    hand.kernel(nodes[bad // 2], end + 0.6, "xid", f"NVRM: Xid (PCI:{pci}): {xid}, pid={9000 + number}, name=python3, {words}", gpu=bad % 2, xid=xid, pci=pci)
    hand.ended("FAILED", code=1, end=end + 14, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    return HandJob(Label(mode="B2", variant="fault", cause="cuda_runtime", fault="node", failed_ranks=(bad,), first_ranks=(bad,)), hand)


def own_kernel(number: int) -> HandJob:
    """The program's own kernel goes astray; the card is well: its counters say so."""
    dice = Random(5 + number)
    hand = Hand((f"c{21 + number}",), job_id=5_330_100 + number, gpus=1, name="raymarch", start_ns=1_795_310_000_000_000_000)
    rows = talk(hand, number, 180, first_s=20, each_s=0.7, dice=dice)
    end = rows[-1][0] + 3
    error = ("cupy_backends.cuda.api.driver.CUDADriverError: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered", "RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered")[number]
    rows.append((end, f"Traceback (most recent call last):\n  File \"render.py\", line {60 + number}, in <module>\n    march(grid, rays, out)\n{error}"))
    hand.rank(0, hand.nodes[0], rows, code=1, end=end + 0.6, stream="both")
    hand.gpu(hand.nodes[0], 0, {}, {}, utilization_percent=[0, *(dice.randrange(90, 99) for _ in range(12))])
    hand.kernel(hand.nodes[0], end - 0.4, "xid", "NVRM: Xid (PCI:0000:1b:00): 31, pid=77120, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @ 0x7f3c_40000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ", gpu=0, xid=31, pci="0000:1b:00")
    hand.ended("FAILED", code=1, end=end + 4, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    return HandJob(Label(mode="A3", cause="cuda_runtime", fault="user", failed_ranks=(0,), first_ranks=(0,)), hand)


NO_START = (
    "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, remote process exited or there was a network error, NCCL version 2.26.2\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketPollConnect: connect to 10.31.4.{peer}<48211> returned No route to host, exceeded error retry count after 35 attempts",
    "torch.distributed.DistBackendError: [{rank}] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: wait timeout after 600000ms, keys: /default_pg/0//cuda//0",
    "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.22.3\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error. \nLast error:\nCall to bind failed : Cannot assign requested address",
    "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: NCCL operation ncclCommInitRankConfig(&comm, nranks, nccl_id, rank, &config) failed: unhandled system error (run with NCCL_DEBUG=INFO for details). Last NCCL warning(error) log entry (may be unrelated) 'Bootstrap : no socket interface found'.",
)  # fmt: skip


def no_start(number: int) -> HandJob:
    """Ranks of two nodes that do not reach each other; nothing was trained."""
    nodes = (f"rome{31 + number}", f"rome{32 + number}")
    hand = Hand(nodes, job_id=5_341_000 + number, gpus=2, name="multi", start_ns=1_795_320_000_000_000_000 + number * 10**12)
    wait = (70.0, 612.0, 15.0, 44.0)[number]
    bad = (2, 3) if number == 1 else (0, 1, 2, 3)
    for rank in range(4):
        lines: Rows = [(6 + rank / 9, f"rank {rank}/4 on {nodes[rank // 2]} cuda:{rank % 2}"), *([(wait + rank / 50, "Traceback (most recent call last):\n  File \"/proj/vlm/pretrain.py\", line 55, in <module>\n    setup(args)\n  File \"/proj/vlm/dist.py\", line 21, in setup\n    sync_all()\n" + NO_START[number].format(rank=rank, peer=80 + rank))] if rank in bad else [])]
        hand.rank(rank, nodes[rank // 2], lines, code=1 if rank in bad else None, signal=None if rank in bad else 15, end=wait + 1 + rank / 20 + (0 if rank in bad else 12), local=rank % 2)
        hand.gpu(nodes[rank // 2], rank % 2, {}, {}, utilization_percent=[0] * 8, memory_used_bytes=[0, *[0.6 * GIB] * 7], sm_activity_percent=[0] * 8)
    hand.ended("FAILED", code=1, end=wait + 20, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    return HandJob(Label(mode="C1", cause="nccl", fault="unknown", failed_ranks=bad), hand)


def in_vain(number: int) -> HandJob:
    """Ranks that wait in a collective until NCCL's watchdog ends them, for one that stands still or has died."""
    dice = Random(400 + number)
    nodes = (f"hop{number}a", f"hop{number}b")
    hand = Hand(nodes, job_id=5_350_000 + 3 * number, gpus=4, name="tts", start_ns=1_795_330_000_000_000_000 + number * 10**12)
    odd, patience = dice.randrange(8), (480, 600, 900, 1800)[number]
    stop = 60 + 400 * 0.8
    end = stop + patience
    op, sequence = ("ALLREDUCE", "_REDUCE_SCATTER_BASE", "BROADCAST", "ALLTOALL_BASE")[number], 48_100 + 77 * number
    dead = number == 3
    for rank in range(8):
        node = nodes[rank // 4]
        rows = talk(hand, (3, 1, 0, 3)[number], 400, first_s=60, each_s=0.8, dice=dice) if rank == 0 else []
        if rank != odd:
            tag = f"[rank{rank}]:[E{clock(hand, end + rank / 30):%m%d %H:%M:%S.%f}941 ProcessGroupNCCL.cpp:"
            rows = [*rows, (end + rank / 30, f"{tag}655] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={sequence}, OpType={op}, NumelIn=8388608, NumelOut=8388608, Timeout(ms)={patience}000) ran for {patience}0{40 + rank} milliseconds before timing out.\n{tag}2299] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {sequence} PG status: last enqueued work: {sequence + 2}, last completed work: {sequence - 1}\n{tag}710] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.\nterminate called after throwing an instance of 'c10::DistBackendError'")]
        gone = rank == odd and dead
        hand.rank(rank, node, rows, signal=9 if rank == odd else 6, end=stop + 1.5 if gone else end + (9 if rank == odd else 1 + rank / 20), local=rank % 4, stream="both")
        busy = [0, *[95] * 5]
        hang = [100 if rank != odd else 0] * max(4, patience // 60)
        hand.gpu(node, rank % 4, {}, {}, utilization_percent=busy + hang, sm_activity_percent=[0, *[48] * 5, *[1 if rank != odd else 0] * len(hang)], power_mw=[90_000, *[520_000] * 5, *[135_000 if rank != odd else 95_000] * len(hang)])
    hand.ended("FAILED", signal=6, end=end + 15, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 0, 6)))
    return HandJob(Label(mode="C2", cause="nccl", trigger="A2" if dead else None, fault="unknown", first_ranks=(odd,) if dead else ()), hand)


def some(make: object, numbers: Sequence[int]) -> Iterator[HandJob]:
    """Each of these."""
    for number in numbers:
        yield make(number)  # type: ignore[operator]


def jobs() -> Iterator[HandJob]:
    """Eight full cards, eight broken ones, two kernels that go astray, four jobs that do not start, four that wait in vain."""
    yield from some(full, range(len(FULL)))
    yield from some(broken, range(len(BROKEN)))
    yield from some(own_kernel, range(2))
    yield from some(no_start, range(len(NO_START)))
    yield from some(in_vain, range(4))


RECIPE = Recipe("card_stories", "development", jobs)
