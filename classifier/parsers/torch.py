"""PyTorch outside tracebacks: native aborts, watchdogs, loaders; every version from 1.13 to 2.14."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.classifier.pattern import MAX_TEXT, Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_SIZES = re.compile(
    r"Tried to allocate (?P<requested>[\d.]{1,12} [KMGT]i?B)|total capac(?:i)?ty of (?P<total>[\d.]{1,12} [KMGT]i?B)|; (?P<old_total>[\d.]{1,12} [KMGT]i?B) total capacity"
    r"|of which (?P<free>[\d.]{1,12} [KMGT]i?B) is free|; (?P<old_free>[\d.]{1,12} [KMGT]i?B) free"
)


def _oom(found: re.Match[str], match: Match) -> Match:
    sizes = {}
    for size in _SIZES.finditer(match.line.text):
        for name, value in size.groupdict().items():
            if value:
                sizes[name.removeprefix("old_")] = value
    allowed = {"memory_cap": True} if "allowed;" in match.line.text else {}
    return refined(match, data={**sizes, **allowed, "text": found.group(0)[:MAX_TEXT]})


def _native(found: re.Match[str], match: Match) -> Match:
    meaning = meaning_of("RuntimeError", found.group(0))
    about = {"about": meaning.about} if meaning.about else {}
    return refined(match, cause=meaning.cause, detail=meaning.detail, data={"message": found["message"][:MAX_TEXT], **about})


def _terminated(found: re.Match[str], match: Match) -> Match:
    meaning = meaning_of("std::bad_alloc" if "bad_alloc" in found["what"] else "RuntimeError", found["what"])
    return refined(match, cause=meaning.cause, detail=meaning.detail)


def _worker(found: re.Match[str], match: Match) -> Match:
    causes = {"Killed": (Cause.OOM_KILLER, 9), "Segmentation fault": (Cause.SEGFAULT, 11), "Bus error": (Cause.RAM_OOM, 7)}
    cause, number = causes.get(found["signal"].strip(". "), (None, 0))
    return refined(match, cause=cause, data={"signal_number": number})


PARSER = Parser(
    program="PyTorch",
    patterns=(
        Pattern(
            name="gpu_oom",
            says="gpu_oom",
            role=Role.ROOT,
            regex=r"\b(?:CUDA|HIP|XPU) out of memory\. Tried to allocate.{0,600}",
            literals=("out of memory. Tried to allocate",),
            samples=(
                "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total capacity; 14.9 GiB already allocated; 13.75 MiB free; 15 GiB reserved in total by PyTorch)",
                "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacty of 79.15 GiB of which 1.2 GiB is free.",
                "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 91.60 GiB. GPU 0 has a total capacity of 79.20 GiB of which 70.00 GiB is free.",
            ),
            near_misses=("we ran out of memory. Tried to allocate more", "if you see CUDA out of memory, lower the batch size"),
            cause=Cause.CUDA_OOM,
            detail="gpu_memory",
            read=_oom,
        ),
        Pattern(
            name="oom_retried",
            says="retried",
            role=Role.RECOVERED,
            regex=r"Batch size \d{1,9} failed, trying batch size \d{1,9}|Decreasing batch size to:? ?\d{1,9}",
            literals=(", trying batch size", "Decreasing batch size"),
            samples=("Batch size 64 failed, trying batch size 32", "Decreasing batch size to: 16."),
            near_misses=("trying batch size 32 first", "batch size 64"),
        ),
        Pattern(
            name="cuda_error",
            says="cuda_error",
            role=Role.ROOT,
            regex=r"(?P<type>[\w.]{0,60}Error: )?(?:CUDA|HIP)(?: driver)? error: (?P<message>.{1,300})",
            literals=("CUDA error: ", "CUDA driver error: ", "HIP error: "),
            samples=(
                "RuntimeError: CUDA error: an illegal memory access was encountered",
                "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
                "CUDA driver error: out of memory",
            ),
            near_misses=("CUDA kernel errors might be asynchronously reported at some other API call", "no CUDA errors: 0"),
            read=_native,
        ),
        Pattern(
            name="cuda_advice",
            says="advice",
            role=Role.ADVICE,
            regex=r"CUDA kernel errors might be asynchronously reported|For debugging consider passing CUDA_LAUNCH_BLOCKING=1|Compile with `TORCH_USE_CUDA_DSA`",
            literals=("errors might be asynchronously", "consider passing CUDA_LAUNCH_BLOCKING", "Compile with `TORCH_USE"),
            samples=(
                "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
                "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
            ),
            near_misses=("export CUDA_LAUNCH_BLOCKING=1", "TORCH_USE_CUDA_DSA is on"),
        ),
        Pattern(
            name="terminate",
            says="native_crash",
            role=Role.CONFIRMATION,
            regex=r"terminate called after throwing an instance of '(?P<what>[^']{1,120})'",
            literals=("terminate called after throwing",),
            samples=(
                "terminate called after throwing an instance of 'c10::Error'",
                "terminate called after throwing an instance of 'std::bad_alloc'",
            ),
            near_misses=("terminate called without an active exception", "the job will terminate"),
            read=_terminated,
        ),
        Pattern(
            name="loader_worker_killed",
            says="worker_killed",
            role=Role.ROOT,
            regex=r"DataLoader worker \(pid\(?s?\)? ?(?P<worker_pid>\d{1,10})\) is killed by signal: (?P<signal>[A-Z][a-z]+(?: [a-z]+)?)",
            literals=("is killed by signal: ",),
            samples=(
                "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.",
                "RuntimeError: DataLoader worker (pid(s) 31337) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.",
            ),
            near_misses=("worker is killed by signal: handler installed", "DataLoader worker (pid 3) started"),
            read=_worker,
        ),
        Pattern(
            name="loader_worker_gone",
            says="worker_killed",
            role=Role.CASCADE,
            regex=r"DataLoader worker \(pid\(?s?\)? [\d, ]{1,200}\) exited unexpectedly",
            literals=("exited unexpectedly",),
            samples=(
                "RuntimeError: DataLoader worker (pid(s) 4711, 4712) exited unexpectedly",
                "RuntimeError: DataLoader worker (pid 99) exited unexpectedly",
            ),
            near_misses=("the server exited unexpectedly",),
        ),
        Pattern(
            name="watchdog",
            says="collective_timeout",
            role=Role.CASCADE,
            regex=r"(?:Watchdog caught collective operation timeout|failure detected by watchdog at work sequence id|Timeout at NCCL work|Received a dump signal due to a collective timeout"
            r"|Observed flight recorder dump signal from another rank)(?::? ?.{0,20}SeqNum=(?P<seqnum>\d{1,12}))?(?:.{0,10}OpType=(?P<optype>\w{1,40}))?",
            literals=(
                "Watchdog caught collective",
                "failure detected by watchdog",
                "Timeout at NCCL work",
                "Received a dump signal",
                "Observed flight recorder",
            ),
            samples=(
                "[rank0]:[E ProcessGroupNCCL.cpp:475] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600123 milliseconds before timing out.",
                "[PG ID 0 PG GUID 0(default_pg) Rank 3]  failure detected by watchdog at work sequence id: 98 PG status: last enqueued work: 98, last completed work: 97",
            ),
            near_misses=("watchdog thread started with timeout 600000", "Timeout(ms)=600000"),
            cause=Cause.NCCL,
            detail="collective_timeout",
        ),
        Pattern(
            name="taken_down",
            says="teardown",
            role=Role.CASCADE,
            regex=r"To avoid data inconsistency, we are taking the entire process down|watchdog thread terminated with exception|recvValue failed",
            literals=("taking the entire process down", "watchdog thread terminated", "recvValue failed"),
            samples=(
                "To avoid data inconsistency, we are taking the entire process down.",
                "ProcessGroupNCCL's watchdog thread terminated with exception: CUDA error",
            ),
            near_misses=("the watchdog thread started",),
        ),
        Pattern(
            name="rendezvous",
            says="rendezvous",
            role=Role.ROOT,
            regex=r"The client socket has (?:timed out after|failed to connect to)|TCP client failed to connect/validate to host|The server socket has failed to (?:listen|bind)|Timed out after \d{1,9} seconds waiting for clients"
            r"|Bootstrap : no socket interface found",
            literals=(
                "The client socket has ",
                "TCP client failed to connect",
                "The server socket has failed",
                "waiting for clients",
                "Bootstrap : no socket",
            ),
            samples=(
                "The client socket has timed out after 900s while trying to connect to (n1, 29500).",
                "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 3/4 clients joined.",
            ),
            near_misses=("The client socket is open", "waiting for requests"),
            detail="rendezvous_timeout",
        ),
    ),
)
