"""PyTorch outside tracebacks: native aborts, watchdogs, loaders; every version from 1.13 to 2.14."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.meaning import GLOO_HAS_NO_ADDRESS, meaning_of
from gpualert_slurm.classifier.pattern import MAX_TEXT, Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_SIZES = re.compile(
    r"Tried to allocate (?P<requested>[\d.]{1,12} [KMGT]i?B)|total capac(?:i)?ty of (?P<total>[\d.]{1,12} [KMGT]i?B)|; (?P<old_total>[\d.]{1,12} [KMGT]i?B) total capacity"
    r"|of which (?P<free>[\d.]{1,12} [KMGT]i?B) is free|; (?P<old_free>[\d.]{1,12} [KMGT]i?B) free"
)

_GROUP_OF = re.compile(r"\bPG (?:ID (?P<id>\d{1,9}))?(?: ?PG)?(?: ?GUID (?P<guid>[^ \]]{1,80}))?")
_ENQUEUED = re.compile(r"[Ll]ast enqueued(?: NCCL)? work: (?P<enqueued>\d{1,15})")


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


def _watchdog(_: re.Match[str], match: Match) -> Match:
    """The process group and how far its rank had got: sequence numbers count within one group only."""
    group, done = _GROUP_OF.search(match.line.text), _ENQUEUED.search(match.line.text)
    data: dict[str, str | int] = {"group": str(group["guid"] or group["id"] or "")} if group else {}
    return refined(match, data={**data, **({"enqueued": int(done["enqueued"])} if done else {})})


def _rendezvous(_: re.Match[str], match: Match) -> Match:
    if "EADDRINUSE" not in match.line.text and "ddress already in use" not in match.line.text:
        return match
    return refined(match, says="launch_refused", cause=Cause.TRACEBACK, detail="port_in_use", data={"about": "config"})


def _spawned(found: re.Match[str], match: Match) -> Match:
    """``mp.spawn`` gives each process its number as the first argument."""
    number = -_NUMBERS.get(found["signal_name"] or "", 0)
    return refined(match, data={"spawned": int(found["process"] or found["raised"]), **({"exitcode": number} if number else {})})


def _worker(found: re.Match[str], match: Match) -> Match:
    causes = {
        "Killed": (Cause.OOM_KILLER, "loader_worker_killed", 9),
        "Segmentation fault": (Cause.SEGFAULT, "loader_worker_segfault", 11),
        "Bus error": (Cause.RAM_OOM, "shared_memory", 7),
    }
    cause, detail, number = causes.get(found["signal"].strip(". "), (None, None, 0))
    return refined(match, cause=cause, detail=detail, data={"signal_number": number})


def _worker_signal(found: re.Match[str], match: Match) -> Match:
    """The worker's own handler says it before it dies; batches that lie ready are still used after it."""
    causes = {
        "segmentation fault": (Cause.SEGFAULT, "loader_worker_segfault", 11),
        "bus error": (Cause.RAM_OOM, "shared_memory", 7),
        "floating-point exception": (Cause.DIV_ZERO, "sigfpe", 8),
    }
    cause, detail, number = causes[found["signal"]]
    return refined(match, cause=cause, detail=detail, data={"signal_number": number})


_NUMBERS = {"SIGHUP": 1, "SIGINT": 2, "SIGILL": 4, "SIGABRT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGKILL": 9, "SIGSEGV": 11, "SIGTERM": 15}
EXCEPTIONS = (
    ExceptionRule(
        detail="collective_timeout",
        words=r"Timed out waiting \d{1,9} ?ms for (?:recv|send) operation to complete|Application timeout caused pair closure|Wait timeout\b",
        samples=(
            ("RuntimeError", "[../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 6000ms for recv operation to complete"),
            ("torch.distributed.DistBackendError", "[/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 1800000ms for send operation to complete"),
            ("RuntimeError", "[../third_party/gloo/gloo/transport/tcp/pair.cc:589] Application timeout caused pair closure"),
        ),
        near_misses=(("RuntimeError", "Timed out waiting for the lock"),),
    ),
    ExceptionRule(
        detail="collective_mismatch",
        words=r"Detected mismatch between collectives on ranks|Collectives differ in the following aspects|Expected to have finished reduction in the prior iteration",
        samples=(
            ("RuntimeError", "Detected mismatch between collectives on ranks. Rank 0 is running collective: CollectiveFingerPrint"),
            ("RuntimeError", "Expected to have finished reduction in the prior iteration before starting a new one."),
        ),
        near_misses=(("RuntimeError", "Detected a mismatch"),),
        about="config",
    ),
    ExceptionRule(
        detail="shapes",
        words=(
            r"mat1 and mat2 shapes cannot be multiplied|must match the size of tensor b|must have same reduction dim|shape '\[[-\d, ]{0,80}\]' is invalid for input of size"
            r"|Expected input batch_size \(\d{1,9}\) to match target|Sizes of tensors must match except in dimension|Given groups=\d{1,6}, weight of size"
            r"|Expected size for first two dimensions of batch2 tensor|Expected 4D|size mismatch, (?:m1|got)|expand\(.{1,120}: the number of sizes provided"
        ),
        samples=(
            ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (8x16 and 9x1)"),
            ("RuntimeError", "The size of tensor a (1025) must match the size of tensor b (1024) at non-singleton dimension 1"),
            ("RuntimeError", "shape '[2, 512, 768]' is invalid for input of size 393216"),
            ("RuntimeError", "Given groups=1, weight of size [64, 3, 7, 7], expected input[8, 1, 224, 224] to have 3 channels, but got 1 channels instead"),
        ),
        near_misses=(("RuntimeError", "size mismatch for lm_head.weight: copying a param with shape"), ("ValueError", "the shapes are fine")),
        about="config",
    ),
    ExceptionRule(
        detail="ragged_batch",
        words=r"stack expects each tensor to be equal size|Unable to create tensor, you should probably activate truncation and/or padding|batch must contain tensors, numpy arrays",
        samples=(
            ("RuntimeError", "stack expects each tensor to be equal size, but got [512] at entry 0 and [498] at entry 1"),
            ("ValueError", "Unable to create tensor, you should probably activate truncation and/or padding with 'padding=True' 'truncation=True'"),
            ("TypeError", "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'NoneType'>"),
        ),
        near_misses=(("RuntimeError", "the stack is empty"),),
        about="data",
    ),
    ExceptionRule(
        detail="index_range",
        words=r"^index out of range in self|Target -?\d{1,12} is out of bounds|index -?\d{1,12} is out of bounds for (?:dimension|axis)",
        samples=(
            ("IndexError", "index out of range in self"),
            ("IndexError", "Target 3 is out of bounds."),
            ("IndexError", "index 512 is out of bounds for dimension 0 with size 512"),
        ),
        near_misses=(("IndexError", "list index out of range"), ("IndexError", "pop from empty list")),
        about="data",
    ),
    ExceptionRule(
        detail="dtype",
        words=(
            r"expected scalar type \w{2,20} but found \w{2,20}|expected target dtype to be .{1,40} but got \w{2,20}|Found dtype \w{2,20} but expected \w{2,20}|must have the same dtype|can't be cast to the desired output type"
            r"|\w{2,40} not implemented for '\w{2,20}'|expected m1 and m2 to have the same dtype"
        ),
        samples=(
            ("RuntimeError", "expected scalar type Long but found Float"),
            ("RuntimeError", "expected target dtype to be Long or Byte, but got Float"),
            ("RuntimeError", "Found dtype Long but expected Float"),
            ("RuntimeError", "mat1 and mat2 must have the same dtype, but got Half and Float"),
            ("RuntimeError", "addmm_impl_cpu_ not implemented for 'Half'"),
        ),
        near_misses=(("RuntimeError", "the dtype is float32"),),
        about="config",
    ),
    ExceptionRule(
        detail="backward",
        words=r"Trying to backward through the graph a second time|does not require grad and does not have a grad_fn|modified by an inplace operation|Attempting to run optimizer\.step\(\) with .{0,60}no inf checks|No inf checks were recorded",
        samples=(
            ("RuntimeError", "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed)."),
            ("RuntimeError", "element 0 of tensors does not require grad and does not have a grad_fn"),
            ("RuntimeError", "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [3]]"),
        ),
        near_misses=(("RuntimeError", "backward was called"),),
        about="config",
    ),
    ExceptionRule(
        detail="weights_only",
        words=r"Weights only load failed|WeightsUnpickler error|Unsupported (?:global|class|operand) .{0,120}weights_only",
        samples=(
            ("_pickle.UnpicklingError", "Weights only load failed. This file can still be loaded, to do so you have two options, do those steps only if you trust the source"),
            ("_pickle.UnpicklingError", "Weights only load failed. Re-running `torch.load` with `weights_only` set to `False` will likely succeed"),
        ),
        near_misses=(("_pickle.UnpicklingError", "invalid load key, 'v'."),),
        about="asset",
    ),
    ExceptionRule(
        detail="too_many_files",
        words=r"received \d{1,6} items of ancdata|unable to .{1,120}: Too many open files|Too many open files",
        samples=(
            ("RuntimeError", "received 0 items of ancdata"),
            ("RuntimeError", "unable to open shared memory object </torch_4711_1> in read-write mode: Too many open files (24)"),
            ("OSError", "[Errno 24] Too many open files: '/tmp/pymp-x'"),
        ),
        near_misses=(("RuntimeError", "many files are open"),),
        cause=Cause.TRACEBACK,
        about="env",
    ),
    ExceptionRule(
        detail="compiler",
        words=r"^(?:backend=.{1,40} raised|.{0,80}Failed running call_|Compiler: .{1,80} not found|Failed to find C compiler)|InductorError",
        samples=(
            ("torch._dynamo.exc.BackendCompilerFailed", "backend='inductor' raised:"),
            ("RuntimeError", "Failed to find C compiler. Please specify via CC environment variable or set triton.knobs.build.impl."),
        ),
        near_misses=(("RuntimeError", "the backend failed"),),
        about="env",
    ),
)


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
            name="loader_worker_signal",
            says="worker_killed",
            role=Role.ROOT,
            regex=r"^ERROR: Unexpected (?P<signal>segmentation fault|bus error|floating-point exception) encountered in worker\.",
            literals=("encountered in worker.",),
            samples=(
                "ERROR: Unexpected segmentation fault encountered in worker.",
                "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
                "ERROR: Unexpected floating-point exception encountered in worker.",
            ),
            near_misses=("an error was encountered in worker.", "ERROR: Unexpected segmentation fault in the driver"),
            read=_worker_signal,
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
                "[Rank 1] Timeout at NCCL work: 12, last enqueued NCCL work: 12, last completed NCCL work: 11.",
            ),
            near_misses=("watchdog thread started with timeout 600000", "Timeout(ms)=600000"),
            cause=Cause.NCCL,
            detail="collective_timeout",
            read=_watchdog,
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
            regex=r"The client socket has (?:timed out after|failed to connect to)|TCP client failed to connect/validate to host|The server socket has failed to (?:listen|bind)|Timed out after \d{1,9} seconds waiting for clients|" + GLOO_HAS_NO_ADDRESS,
            literals=(
                "gloo/transport/",
                "The client socket has ",
                "TCP client failed to connect",
                "The server socket has failed",
                "waiting for clients",
            ),
            samples=(
                "The client socket has timed out after 900s while trying to connect to (n1, 29500).",
                "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 3/4 clients joined.",
                "RuntimeError: [enforce fail at /b/third_party/gloo/gloo/transport/tcp/device.cc:84] ifa != nullptr. Unable to find address for: ib0",
            ),
            near_misses=("The client socket is open", "waiting for requests", "RuntimeError: [gloo/transport/tcp/pair.cc:12] Connection reset by peer"),
            detail="rendezvous_timeout",
            read=_rendezvous,
        ),
        Pattern(
            name="child_killed",
            says="killed",
            role=Role.WRAPPER,
            regex=r"process (?P<process>\d{1,6}) terminated with signal (?P<signal_name>SIG[A-Z0-9]{2,8})",
            literals=(" terminated with signal ",),
            samples=(
                "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGKILL",
                "torch.multiprocessing.spawn.ProcessExitedException: process 0 terminated with signal SIGSEGV",
            ),
            near_misses=("the process terminated with signal handling on", "process 1 terminated with exit code 3"),
            read=lambda found, match: refined(match, data={"signal": _NUMBERS.get(found["signal_name"], 0)}),
        ),
        Pattern(
            name="child_ended",
            says="failure_summary",
            role=Role.WRAPPER,
            regex=r"^(?:-- Process (?P<raised>\d{1,6}) terminated with the following error:$"
            r"|(?:torch\.multiprocessing\.spawn\.)?ProcessExitedException: process (?P<process>\d{1,6}) terminated with"
            r" (?:exit code (?P<exitcode>\d{1,3})|signal (?P<signal_name>SIG[A-Z0-9]{2,8}))$)",
            literals=(" terminated with ",),
            samples=(
                "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with exit code 3",
                "ProcessExitedException: process 0 terminated with exit code 1",
                "torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with signal SIGKILL",
                "-- Process 2 terminated with the following error:",
            ),
            near_misses=("the process terminated with exit code 0", "worker process 2 terminated with signal SIGKILL"),
            read=_spawned,
        ),
    ),
    exceptions=EXCEPTIONS,
)
