"""Tracebacks and what PyTorch of several versions, NCCL and launchers print at the end, as blocks of text for a watch."""

from __future__ import annotations

VENV = "/home/alice/.venvs/main/lib/python3.11/site-packages"
CONDA = "/opt/conda/lib/python3.10/site-packages"
PIXI = "/home/alice/work/.pixi/envs/cuda/lib/python3.12/site-packages"
_OLD = "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1{}\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
_NEW = "\nSearch for `{}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nDevice-side assertion tracking was not enabled by user.\n"


def tb(error: str, *frames: str, mark: str = "") -> str:
    """A traceback; a frame is ``file:line function source``."""
    rows = ["Traceback (most recent call last):"]
    for frame in frames:
        place, function, source = frame.split(" ", 2)
        file, line = place.rsplit(":", 1)
        rows += [f'  File "{file}", line {line}, in {function}', f"    {source}"]
    return "\n".join(mark + row for row in [*rows, *error.split("\n")])


def cuda(what: str, name: str = "", torch: str = "2.6") -> str:
    """A CUDA error as that PyTorch says it."""
    if torch >= "2.9":
        return f"torch.AcceleratorError: CUDA error: {what}{_NEW.format(name)}"
    return f"{'torch.AcceleratorError' if torch >= '2.8' else 'RuntimeError'}: CUDA error: {what}{_OLD.format('' if torch >= '2.2' else '.')}"


def full(ask: str, gpu: int, total: str, free: str, used: str, live: str, spare: str = "412.51 MiB", *, torch: str = "2.6", others: str = "") -> str:  # noqa: PLR0917
    """PyTorch has no more room on the card."""
    kind = "torch.OutOfMemoryError" if torch >= "2.5" else "torch.cuda.OutOfMemoryError"
    if torch < "2":
        return f"{kind}: CUDA out of memory. Tried to allocate {ask} (GPU {gpu}; {total} total capacity; {live} already allocated; {free} free; {used} reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    hint = "expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)" if torch >= "2.2" else "max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    have = "capacty" if torch < "2.4" else "capacity"
    return f"{kind}: CUDA out of memory. Tried to allocate {ask}. GPU {gpu} has a total {have} of {total} of which {free} is free. {others}Including non-PyTorch memory, this process has {used} memory in use. Of the allocated memory {live} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF={hint}"


def waited(op: str, seq: int, numel: int, ms: int, *, pg: str = "0 PG GUID 0(default_pg)", torch: str = "2.6") -> str:
    """The watchdog of a rank that waited too long in a collective."""
    head = f"[rank~r~]:[E~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:{ {'2.4': 607, '2.6': 632, '2.8': 685, '2.9': 688}[torch]}] [Rank ~r~] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={ms}) ran for {ms + 61} milliseconds before timing out."
    if torch == "2.4":
        rest = [f"[rank~r~]:[E~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:1664] [PG 0 (default_pg) Rank ~r~] Exception (either an error or timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {seq + 2}, last completed NCCL work: {seq - 1}.",
                f"[rank~r~]:[E~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:1709] [PG 0 (default_pg) Rank ~r~] Timeout at NCCL work: {seq}, last enqueued NCCL work: {seq + 2}, last completed NCCL work: {seq - 1}."]  # fmt: skip
    else:
        rest = [f"[rank~r~]:[E~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:2271] [PG ID {pg} Rank ~r~]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}"]
    rest += ["[rank~r~]:[E~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:684] [Rank ~r~] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
             "[rank~r~]:[E~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:698] [Rank ~r~] To avoid data inconsistency, we are taking the entire process down."]  # fmt: skip
    return "\n".join([head, *rest])


def elastic(script: str, code: int, *, others: tuple[int, ...] = (), at: str = "~D~_~H~") -> str:
    """The summary of torchrun, said as the rank that failed first; ``others`` are pids it ended."""
    kind = f"exitcode  : {code} (pid: ~p~)"
    trace = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html" if code >= 0 else f"Signal {-code} ({ {6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV', 7: 'SIGBUS', 15: 'SIGTERM'}.get(-code, 'SIG')}) received by PID ~p~"
    rows = [f"W~M~ ~H~.~U~ 210300 torch/distributed/elastic/multiprocessing/api.py:900] Sending process {pid} closing signal SIGTERM" for pid in others]
    rows += [f"E~M~ ~H~.~U~ 210300 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: {code}) local_rank: ~l~ (pid: ~p~) of binary: /home/alice/.venvs/main/bin/python",
             tb("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "/home/alice/.venvs/main/bin/torchrun:8 <module> sys.exit(main())", f"{VENV}/torch/distributed/run.py:892 main run(args)", f"{VENV}/torch/distributed/launcher/api.py:264 launch_agent raise ChildFailedError("),
             "=" * 60, f"{script} FAILED", "-" * 60, "Failures:", "  <NO_OTHER_FAILURES>", "-" * 60, "Root Cause (first observed failure):", "[0]:", f"  time      : {at}", "  host      : ~n~", "  rank      : ~r~ (local_rank: ~l~)", f"  {kind}", "  error_file: <N/A>", f"  traceback : {trace}", "=" * 60]  # fmt: skip
    return "\n".join(rows)


def refused(call: int, kind: str, last: str, *, nccl: str = "2.21.5", explained: str = "") -> str:
    """NCCL's error through PyTorch."""
    words = {"ncclUnhandledCudaError": "unhandled cuda error", "ncclSystemError": "unhandled system error", "ncclInternalError": "internal error", "ncclInvalidUsage": "invalid usage", "ncclRemoteError": "remote process exited or there was a network error", "ncclInvalidArgument": "invalid argument"}[kind]
    told = explained or {"ncclUnhandledCudaError": "Call to CUDA function failed.", "ncclSystemError": "System call (e.g. socket, malloc) or external library call failed or device error. ", "ncclInternalError": "Internal check failed.", "ncclInvalidUsage": "This usually reflects invalid usage of NCCL library.",
                         "ncclRemoteError": "A call failed possibly due to a network error or a remote process exiting prematurely.", "ncclInvalidArgument": "Invalid value for an argument."}[kind]  # fmt: skip
    return f"torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:{call}, {words} (run with NCCL_DEBUG=INFO for details), NCCL version {nccl}\n{kind}: {told}\nLast error:\n{last}"
