"""By hand: what needs a GPU or other software, in the words of JAX, TensorFlow, Megatron, vLLM-like servers, NCCL and CUDA of other versions."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.handlogs import SITE, training
from corpus.running.job import HandJob, Recipe

JAX = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes."
TF = "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nOOM when allocating tensor with shape[128,4096,4096] and type half on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [[{{node model/dense/MatMul}}]]"
CAP = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 139.81 GiB of which 88.20 GiB is free. 50.00 GiB allowed; Of the allocated memory 47.20 GiB is allocated by PyTorch, and 1.01 GiB is reserved by PyTorch but unallocated."
CUDNN = "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED"
DEVICES = (
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cuda:0! (when checking argument for argument index in method wrapper_CUDA__index_select)",
    "RuntimeError: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)",
    "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
)
RUNTIME = (
    "torch.AcceleratorError: CUDA error: device kernel image is invalid\nSearch for `cudaErrorInvalidKernelImage' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.",
    "RuntimeError: CUDA error: operation not permitted when stream is capturing", "RuntimeError: CUDA error: peer access is not supported between these two devices",
    "RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable", "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx( handle, opa, opb, m, n, k)`",
)  # fmt: skip
COMMS = (
    "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, remote process exited or there was a network error, NCCL version 2.27.3\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketPollConnect: connect to 10.3.0.18<51812> returned Connection timed out",
    "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 801 'operation not supported'",
    "RuntimeError: NCCL communicator was aborted on rank 5.",
    "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3690, unhandled system error, NCCL version 2.25.1\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nCall to ibv_modify_qp failed with 110 Connection timed out",
)


def trace(error: str, call: str) -> str:
    """In another project's frames."""
    return f'Traceback (most recent call last):\n  File "/workspace/project/cli.py", line 57, in <module>\n    app()\n  File "/workspace/project/engine.py", line 188, in fit\n    {call}\n  File "{SITE}/lib/step.py", line 41, in step\n    return inner(*args)\n{error}'


def one(job_id: int, text: str, late: bool, ranks: int, bad: tuple[int, ...], *, form: int, memory: bool = False) -> Hand:
    """A job in which ``bad`` ranks print ``text`` and end with 1."""
    hand = Hand(("a1", "a2") if ranks > 2 else ("a1",), job_id=job_id, gpus=max(1, ranks // 2), name=("pretrain", "eval", "distill")[form % 3])
    end = 30 + 140 * 1.5 + 2 if late else 41.0
    for rank in range(ranks):
        node = hand.nodes[rank * len(hand.nodes) // ranks]
        lines = [*(training(140, planned=1000, form=form + 2, every_s=1.5) if late and rank == 0 else [(8.0, "building the model")]), *([(end + 0.02 * rank, text)] if rank in bad else [])]
        hand.rank(rank, node, lines, code=1 if rank in bad else None, signal=None if rank in bad else 15, end=end + (0.5 + 0.02 * rank if rank in bad else 9), local=rank % 2, stream="both")
        if memory:
            hand.gpu(node, rank % 2, {}, {}, memory_used_bytes=[2 * GIB, 55 * GIB, 70 * GIB, 77 * GIB], utilization_percent=[0, 60, 80, 70])
    return hand.ended("FAILED", code=1, end=end + 11, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))


def jobs() -> Iterator[HandJob]:
    """Memory of GPUs, devices that differ, the runtime, communication, hardware in other words; and good runs that read like them."""
    number = 0
    for text in (JAX, TF, CAP, CUDNN) * 2:
        number += 1
        bad = (0,) if number % 2 else (0, 1)
        yield HandJob(Label(mode="B1", cause="cuda_oom", fault="user", failed_ranks=bad, first_ranks=bad if len(bad) == 1 else ()), one(190_000 + number, trace(text, "state = update(state, batch)"), number % 3 == 0, len(bad), bad, form=number, memory=number % 2 == 0))
    for text in DEVICES * 2:
        number += 1
        late = number % 2 == 0
        yield HandJob(Label(mode="A3" if late else "A1", variant=None if late else "config", cause="device_mismatch", fault="user", failed_ranks=(0,), first_ranks=(0,)), one(190_000 + number, trace(text, "loss = criterion(model(x), y)"), late, 2, (0,), form=number))
    for text in RUNTIME + RUNTIME[:4]:
        number += 1
        late = "busy" not in text and "image" not in text and "peer" not in text
        yield HandJob(Label(mode="A3" if late else "A1", variant=None if late else "env", cause="cuda_runtime", fault="user", failed_ranks=(1,), first_ranks=(1,)), one(190_000 + number, trace(text, "engine.step()"), late, 2, (1,), form=number))
    for text in COMMS * 2:
        number += 1
        late = "aborted" in text or "socketPoll" in text
        yield HandJob(Label(mode="A3" if late else "A1", variant=None if late else "env", cause="nccl", fault="unknown" if late else "user", failed_ranks=(3,), first_ranks=(3,)), one(190_000 + number, trace(text, "dist.all_reduce(flat)"), late, 4, (3,), form=number))
    for k in range(6):
        number += 1
        hand = Hand(("a5", "a6"), job_id=190_000 + number, gpus=2)
        end = 30 + 160 * 1.5 + 1800
        for rank in range(4):
            waiting = rank != k % 4
            said = (f"[rank{rank}]:[E1118 11:02:19.330 ProcessGroupNCCL.cpp:685] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={9000 + k}, OpType=_ALLGATHER_BASE, NumelIn=1048576, NumelOut=4194304, Timeout(ms)=1800000) ran for 1800044 milliseconds before timing out.\n"
                    f"[rank{rank}]:[E1118 11:02:19.331 ProcessGroupNCCL.cpp:2252] [Rank {rank}] failure detected by watchdog at work sequence id: {9000 + k} PG status: last enqueued work: {9002 + k}, last completed work: {8999 + k}")
            hand.rank(rank, hand.nodes[rank // 2], [*(training(160, planned=3000, form=k, every_s=1.5) if rank == 0 else []), *([(end, said)] if waiting else [])], signal=6 if waiting else 9, end=end + (2 if waiting else 7), local=rank % 2, stream="both")
        hand.ended("FAILED", code=1, end=end + 9, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 0, 6)))
        yield HandJob(Label(mode="C2", cause="nccl", fault="unknown"), hand)
    for k in range(6):
        number += 1
        code, words, counters = ((63, "Row Remapper: New row marked for remapping", {"remapped_rows_uncorrectable": 1, "remap_pending": True, "ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1}), (119, "Timeout after 6s of waiting for RPC response from GPU0 GSP!", {}), (140, "Unrecovered ECC Error", {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3}))[k % 3]
        hand = Hand(("a7",), job_id=190_000 + number, gpus=1)
        end = 30 + 150 * 1.5
        text = trace("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" if counters else "RuntimeError: CUDA error: unknown error", "scaler.step(optimizer)")
        hand.rank(0, "a7", [*training(150, planned=2000, form=k, every_s=1.5), (end + 3, text)], code=1, end=end + 4, stream="both")
        hand.gpu("a7", 0, {}, counters if counters else None, utilization_percent=[0, 88, 93, 90])
        hand.kernel("a7", end + 1, "xid", f"NVRM: Xid (PCI:0000:1b:00): {code}, {words}", gpu=0, xid=code, pci="0000:1b:00")
        hand.ended("FAILED", code=1, end=end + 6, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
        yield HandJob(Label(mode="B2", cause="cuda_runtime", fault="node", failed_ranks=(0,), first_ranks=(0,)), hand)
    for k in range(14):
        number += 1
        hand = Hand(("a8",), job_id=190_000 + number, gpus=2)
        steps = 220
        lines = training(steps, form=k, every_s=1.5)
        scare = (
            (20.0, "CUDA out of memory. Tried to allocate 9.10 GiB: batch of 64 does not fit, taking 32"), (20.0, "a8:812:901 [0] NCCL WARN Failed to open libibverbs.so[.1]"), (25.0, " iteration 0 | number of nan iterations:   0 |"),
            (60.0, "[Rank 0] Skipping step. Attempted loss scale: 65536, reducing to 32768"), (lines[-1][0] + 2, "Exception ignored in: <function Pool.__del__ at 0x7f21>\nTraceback (most recent call last):\n  File \"pool.py\", line 271, in __del__\nResourceWarning: unclosed running pool"),
            (22.0, "UserWarning: CUDA initialization: the first call took long. RuntimeError is raised when it takes longer than 60 s"), (40.0, "policy: {'on_nan': 'raise', 'on_oom': 'retry', 'xid_79': 'drain'}"),
        )[k % 7]  # fmt: skip
        rows = sorted([*lines, scare, (lines[-1][0] + 1, "training done, 220 steps")])
        for rank in range(2):
            hand.rank(rank, "a8", rows if rank == 0 else [], code=0, end=lines[-1][0] + 5, stream="both")
            hand.gpu("a8", rank, {}, {}, utilization_percent=[0] + [95] * 12, sm_activity_percent=[0] + [51] * 12, power_mw=[90_000] + [500_000] * 12)
        hand.ended("COMPLETED", end=lines[-1][0] + 7, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
        yield HandJob(Label(mode="G1", fault="none", hard=True), hand)


RECIPE = Recipe("hand_other_words", "development", jobs)
