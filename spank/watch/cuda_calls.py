"""What a rank asked of CUDA and NCCL in a window: kernel launches, copies by direction, collectives that were enqueued.

Function names are those of NVIDIA's cuda.h and nccl.h. The runtime (libcudart, mostly linked into frameworks) calls libcuda for each launch, so that
libcuda alone is counted. A collective that was enqueued is not one that was done: that the GPU alone knows. Bytes are not counted: a count is all
that a window costs least.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from gpualert_slurm.spank.watch import call_counter, elf_symbols
from gpualert_slurm.spank.watch.call_counter import Call, CannotCountError, Wanted
from gpualert_slurm.spank.watch.process_identity import PROC, as_text, read_bytes

CALLS: dict[str, dict[str, tuple[str, ...]]] = {
    "libcuda.so": {
        "kernel_launches": (
            "cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchKernelEx", "cuLaunchKernelEx_ptsz", "cuGraphLaunch", "cuGraphLaunch_ptsz",
        ),
        "copies_to_gpu": ("cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync_v2_ptsz"),
        "copies_from_gpu": ("cuMemcpyDtoH_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoHAsync_v2_ptsz"),
    },
    "libnccl.so": {"collectives": ("ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclBroadcast", "ncclReduce", "ncclAlltoAll")},
}  # fmt: skip
NAMES = tuple(name for kinds in CALLS.values() for name in kinds)
MOST_THREADS = 8
"""Of a rank, the busiest: Python's, and those that run the backward pass."""
_LIBRARY = re.compile(r"/(libcuda\.so|libnccl\.so)[.\d]*$")
_MAPS_BYTES = 4 << 20


def libraries(pid: int, proc: Path = PROC) -> dict[str, Path]:
    """{kind: path} of the CUDA and NCCL that a process has mapped, as seen from here: through its own root, for containers."""
    found: dict[str, Path] = {}
    for line in read_bytes(proc / str(pid) / "maps", _MAPS_BYTES).splitlines():
        path = as_text(line.split(maxsplit=5)[-1]) if line.count(b"/") else ""
        match = _LIBRARY.search(path)
        if match is not None and path.startswith("/"):
            found.setdefault(match.group(1), proc / str(pid) / "root" / path.lstrip("/"))
    return found


def count(pids: Iterable[int], window_s: float, proc: Path = PROC) -> tuple[dict[int, dict[str, int]], float]:
    """({pid: calls by name}, seconds counted) of the processes that have CUDA or NCCL; zero where they have it and did not call.

    Raises:
        CannotCountError: nothing could be counted; the text says why.
    """
    known: dict[tuple[int, int], dict[str, int]] = {}
    paths: dict[tuple[int, int], Path] = {}
    wanted: list[Wanted] = []
    for pid in pids:
        threads = list(call_counter.busiest_threads(pid, MOST_THREADS, proc))
        for kind, library in libraries(pid, proc).items():
            functions = [function for names in CALLS[kind].values() for function in names]
            try:
                status = library.stat()
                file = status.st_dev, status.st_ino
                if file not in known:
                    known[file] = elf_symbols.offsets(library, functions)
            except (OSError, ValueError):
                continue
            for name, those in CALLS[kind].items():
                offsets = {known[file][function] for function in those if function in known[file]}  # several names of one function count once
                # One path for one file, so that it is defined once: that of the first rank that has it.
                wanted += [Wanted((pid, name), thread, Call(paths.setdefault(file, library), offset)) for thread in threads for offset in offsets]
    if not wanted:
        raise CannotCountError("no rank has libcuda or libnccl loaded")
    counted, seconds = call_counter.count(wanted, window_s)
    found: dict[int, dict[str, int]] = {}
    for (pid, name), calls in counted.items():
        found.setdefault(pid, {})[name] = calls
    return found, seconds
