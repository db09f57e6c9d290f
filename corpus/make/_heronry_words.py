"""Heronry's words: tracebacks, and what PyTorch, NCCL, launchers and others say when they stop; losses as they go."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

LIB = "/gpfs/work/alice/venv/lib/python3.11/site-packages"


def trace(error: str, *frames: str, mark: str = "", root: str = "/gpfs/work/alice") -> str:
    """A traceback: a frame is ``file|line|function|source``; a file without a leading slash lies in ``root``, ``*`` stands for the libraries."""
    rows = ["Traceback (most recent call last):"]
    for frame in frames:
        file, line, function, source = frame.split("|", 3)
        path = file.replace("*", LIB) if file.startswith("*") else file if file.startswith(("/", "<")) else f"{root}/{file}"
        rows += [f'  File "{path}", line {line}, in {function}']
        rows += [f"    {source}"] if source else []
    return "\n".join(mark + row for row in [*rows, *error.split("\n")])


def cuda(what: str, symbol: str = "", *, new: bool = False) -> str:
    """PyTorch of an error of CUDA, ``new`` from 2.8 on."""
    seek = f"Search for `{symbol}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\n" if new and symbol else ""
    return f"{'torch.AcceleratorError' if new else 'RuntimeError'}: CUDA error: {what}\n{seek}CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"


def brimful(ask: str, card: int, total: str, free: str, used: str, torch: str, spare: str, *, age: float = 2.6, hip: bool = False, other: str = "") -> str:  # noqa: PLR0917
    """PyTorch of a card that is full, by its version."""
    what = "HIP" if hip else "CUDA"
    conf = f"PYTORCH_{'HIP' if hip else 'CUDA'}_ALLOC_CONF"
    if age < 2.1:
        kind = "RuntimeError" if age < 1.13 else "torch.cuda.OutOfMemoryError"
        return f"{kind}: {what} out of memory. Tried to allocate {ask} (GPU {card}; {total} total capacity; {torch} already allocated; {free} free; {used} reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and {conf}"
    kind = "torch.OutOfMemoryError" if age >= 2.5 else "torch.cuda.OutOfMemoryError"
    return f"{kind}: {what} out of memory. Tried to allocate {ask}. GPU {card} has a total {'capacity' if age >= 2.4 else 'capacty'} of {total} of which {free} is free. {other}Including non-PyTorch memory, this process has {used} memory in use. Of the allocated memory {torch} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting {conf}=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"


def hound(op: str, seq: int, numel: int, ms: int, *, age: float = 2.7, pg: str = "0(default_pg)", done: int = -1, put: int = -1, out: int = 0) -> str:
    """NCCL's watchdog in PyTorch, of rank ``%r``."""
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={out or numel}, Timeout(ms)={ms}) ran for {ms + 34} milliseconds before timing out."
    last, queued = (seq - 1 if done < 0 else done), (seq if put < 0 else put)
    if age < 2.3:
        return "\n".join((
            f"[E ProcessGroupNCCL.cpp:475] [Rank %r] Watchdog caught collective operation timeout: {work}",
            "[E ProcessGroupNCCL.cpp:489] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            "[E ProcessGroupNCCL.cpp:495] To avoid data inconsistency, we are taking the entire process down.",
            f"[E ProcessGroupNCCL.cpp:916] [Rank %r] NCCL watchdog thread terminated with exception: [Rank %r] Watchdog caught collective operation timeout: {work}",
            "terminate called after throwing an instance of 'std::runtime_error'", f"  what():  [Rank %r] NCCL watchdog thread terminated with exception: [Rank %r] Watchdog caught collective operation timeout: {work}",
        ))  # fmt: skip
    at = "[rank%r]:[E%m %T.%u ProcessGroupNCCL.cpp"
    if age < 2.6:
        mid = (f"{at}:607] [Rank %r] Watchdog caught collective operation timeout: {work}", f"{at}:1664] [PG {pg} Rank %r] Exception (either an error or timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {queued}, last completed NCCL work: {last}.")
    else:
        mid = (f"{at}:632] [Rank %r] Watchdog caught collective operation timeout: {work}", f"{at}:2271] [PG ID 0 PG GUID {pg} Rank %r]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {queued}, last completed work: {last}")
    return "\n".join((
        *mid, f"{at}:684] [Rank %r] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{at}:698] [Rank %r] To avoid data inconsistency, we are taking the entire process down.", "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  [PG ID 0 PG GUID {pg} Rank %r] Process group watchdog thread terminated with exception: [Rank %r] Watchdog caught collective operation timeout: {work}",
    ))  # fmt: skip


def verdicts(script: str, fallen: Sequence[tuple[int, int, int, int]]) -> str:
    """Torchrun's last words; ``fallen`` are (rank, local rank, exit code or minus signal, pid), the first of all first."""

    def one(rank: int, local: int, how: int, pid: int) -> str:
        names = {6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}
        note = f"Signal {-how} ({names[-how]}) received by PID {pid}" if how < 0 else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        return f"  time      : %D_%T\n  host      : %h.cluster.local\n  rank      : {rank} (local_rank: {local})\n  exitcode  : {how} (pid: {pid})\n  error_file: <N/A>\n  traceback : {note}"

    others = [f"[{k}]:\n{one(*f)}" for k, f in enumerate(fallen[1:], 1)] or ["  <NO_OTHER_FAILURES>"]
    first = fallen[0]
    state = f"E%m %T.%u 40000 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: {first[2]}) local_rank: {first[1]} (pid: {first[3]}) of binary: /gpfs/work/alice/venv/bin/python"
    return "\n".join((state, "Traceback (most recent call last):", '  File "/gpfs/work/alice/venv/bin/torchrun", line 8, in <module>', "    sys.exit(main())", f'  File "{LIB}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper', "    return f(*args, **kwargs)",
                      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "=" * 60, f"{script} FAILED", "-" * 60, "Failures:", *others, "-" * 60, "Root Cause (first observed failure):", f"[0]:\n{one(*first)}", "=" * 60))  # fmt: skip


def down(first: float, to: float, knee: float = 80.0, power: float = 0.7) -> Callable[[int], float]:
    """A loss that falls by a power of the step, with a ripple of two periods."""
    return lambda i: to + (first - to) * (1 + i / knee) ** -power + 0.008 * (first - to) * (math.sin(i * 0.83) + math.cos(i * 0.271))


def level(at: float, width: float) -> Callable[[int], float]:
    """A loss that stays where it is."""
    return lambda i: at + width * (math.sin(i * 1.31) + 0.5 * math.cos(i * 0.37)) / 1.5


def worked(what: str, code: str, file: str = "") -> str:
    """A CUDA runtime assertion's shower."""
    rows = [f"{file or '/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1553'}: {what}: block: [{b},0,0], thread: [{t},0,0] Assertion `{code}` failed." for b, t in ((118, 64), (118, 65), (118, 66), (119, 31))]
    return "\n".join(rows)
