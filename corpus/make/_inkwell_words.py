"""What libraries say when they stop: PyTorch of several years, NCCL and RCCL, JAX, launchers; by pen."""

from __future__ import annotations

from collections.abc import Sequence

SITE = "/data/alice/envs/main/lib/python3.11/site-packages"
SRC = "/data/alice/code"


def stack(error: str, *frames: str, mark: str = "") -> str:
    """A traceback. A frame is ``file@line@function@source``; ``~`` stands for the site's packages."""
    rows = ["Traceback (most recent call last):"]
    for frame in frames:
        file, line, function, source = frame.split("@", 3)
        path = file.replace("~", SITE) if file[0] in "~/" else f"{SRC}/{file}"
        rows += [f'  File "{path}", line {line}, in {function}', f"    {source}"]
    return "\n".join(mark + row for row in [*rows, *error.split("\n")])


ASYNC = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"


def cuda(what: str, code: str = "") -> str:
    """An error of CUDA: with ``code`` as PyTorch 2.9 has it, else 2.5."""
    if not code:
        return f"RuntimeError: CUDA error: {what}\n{ASYNC}"
    return f"torch.AcceleratorError: CUDA error: {what}\nSearch for `{code}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\n{ASYNC}"


def no_room(ask: str, total: str, free: str, mine: str, torch: str, spare: str, *, gpu: str = "0", kind: str = "CUDA", foreign: str = "") -> str:  # noqa: PLR0917
    """A full card, PyTorch 2.6."""
    return (f"torch.OutOfMemoryError: {kind} out of memory. Tried to allocate {ask}. GPU {gpu} has a total capacity of {total} of which {free} is free. {foreign}"
            f"{'Including non-PyTorch memory, this process has ' + mine + ' memory in use. ' if mine else ''}Of the allocated memory {torch} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. "
            f"If reserved but unallocated memory is large try setting PYTORCH_{kind}_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  "
            "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)")  # fmt: skip


def no_room_then(ask: str, total: str, held: str, free: str, reserved: str, *, gpu: str = "0") -> str:
    """The same of PyTorch 1.13."""
    return (f"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask} (GPU {gpu}; {total} total capacity; {held} already allocated; {free} free; {reserved} reserved in total by PyTorch) "
            "If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF")  # fmt: skip


def dog(op: str, seq: int, numel: int, ms: int, *, enqueued: int = 0, group: str = "0(default_pg)") -> str:
    """The watchdog of PyTorch 2.7, of ``<rank>``."""
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={ms}) ran for {ms + 83} milliseconds before timing out."
    at = "[rank<rank>]:[E<md> <hms>.<us>311 ProcessGroupNCCL.cpp"
    return "\n".join((
        f"{at}:632] [Rank <rank>] Watchdog caught collective operation timeout: {work}",
        f"{at}:2271] [PG ID 0 PG GUID {group} Rank <rank>]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {enqueued or seq + 1}, last completed work: {seq - 1}",
        f"{at}:670] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
        f"{at}:684] [Rank <rank>] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{at}:698] [Rank <rank>] To avoid data inconsistency, we are taking the entire process down.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  [PG ID 0 PG GUID {group} Rank <rank>] Process group watchdog thread terminated with exception: [Rank <rank>] Watchdog caught collective operation timeout: {work}",
    ))  # fmt: skip


def elastic(script: str, fallen: Sequence[tuple[int, int, int, int]]) -> str:
    """Torchrun's last words; ``fallen``: (rank, local rank, exit code or minus signal, pid), the first first."""
    named = {6: "SIGABRT", 7: "SIGBUS", 9: "SIGKILL", 11: "SIGSEGV"}

    def one(f: tuple[int, int, int, int]) -> str:
        r, local, how, pid = f
        why = f"Signal {-how} ({named[-how]}) received by PID {pid}" if how < 0 else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        return f"  time      : <iso>\n  host      : <host>\n  rank      : {r} (local_rank: {local})\n  exitcode  : {how} (pid: {pid})\n  error_file: <N/A>\n  traceback : {why}"

    rest = [f"[{k}]:\n{one(f)}" for k, f in enumerate(fallen[1:], 1)] or ["  <NO_OTHER_FAILURES>"]
    return "\n".join(["Traceback (most recent call last):", f'  File "{SITE}/torch/distributed/run.py", line 896, in <module>', "    main()", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
                      "=" * 60, f"{script} FAILED", "-" * 60, "Failures:", *rest, "-" * 60, "Root Cause (first observed failure):", f"[0]:\n{one(fallen[0])}", "=" * 60])  # fmt: skip


def closing(*pids: int) -> str:
    """Torchrun sends the others home."""
    return "\n".join(f"W<md> <hms>.<ms>000 40000 torch/distributed/elastic/multiprocessing/api.py:906] Sending process {p} closing signal SIGTERM" for p in pids)


def held_back(**seconds: float) -> dict[str, int]:
    """For how long the clocks were held down, by reason."""
    return {f"violation_{k}_ns": round(v * 1e9) for k, v in seconds.items()}
