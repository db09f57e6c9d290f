"""The CUDA runtime's own words (11.8 to 13.5, codes in brackets), whatever class carries them, where they say more than "CUDA error".

Not run: it needs a GPU.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_CARRIERS = ("RuntimeError", "torch.AcceleratorError")


def _error(detail: str, text: str, name: str, about: str | None = None) -> ExceptionRule:
    """The rule for one runtime error: its text behind ``CUDA error:``, or its name. Texts are the same in all versions that have them."""
    words = text.replace("(", r"\(").replace(")", r"\)")
    return ExceptionRule(
        detail=detail,
        words=rf"(?:CUDA|HIP)(?: driver| runtime)? error: {words}|\b{name}\b",
        samples=(*((kind, f"CUDA error: {text}") for kind in _CARRIERS), ("RuntimeError", f"CUDA call failed: {name}")),
        near_misses=(("RuntimeError", "CUDA error: invalid argument"), ("RuntimeError", "CUDA error: out of memory")),
        cause=Cause.CUDA_RUNTIME,
        about=about,
    )


def _checked(found: re.Match[str], match: Match) -> Match:
    """A check of glog's that ended the program: its words with the exception's meaning."""
    message = f"CUDA error: {found['message'].strip()}"
    return refined(match, data={"type": "CudaError", "message": message})


PARSER = Parser(
    program="CUDA",
    patterns=(
        Pattern(
            name="malloc",
            says="gpu_oom",
            role=Role.ROOT,
            regex=r"\b(?:cuda|hip)Malloc\w{0,20}\b.{0,80}\b(?:failed|error|returned)\b.{0,40}\bout of memory\b",
            literals=("cudaMalloc", "hipMalloc"),
            samples=("nnfit: cudaMalloc of 6442450944 bytes failed: out of memory", "fit.cu:31: hipMallocManaged(8589934592) returned 2: out of memory"),
            near_misses=("cudaMalloc failed: invalid argument", "cudaMalloc is never out of memory here", "malloc of 3 bytes failed: out of memory"),
            cause=Cause.CUDA_OOM,
            detail="gpu_memory",
        ),
        Pattern(
            name="checked_memory",
            says="gpu_oom",
            role=Role.ROOT,
            regex=r"\bCheck failed: .{1,120}\b(?:cuda|hip)\w{0,12}[Ss]uccess \(\d{1,4} vs\. 0\)\s{1,3}out of memory",
            literals=("Check failed: ",),
            samples=("F0101 10:00:00.123456 4242 syncedmem.cpp:71] Check failed: error == cudaSuccess (2 vs. 0)  out of memory",),
            near_misses=("Check failed: error == cudaSuccess (77 vs. 0)  an illegal memory access was encountered", "Check failed: fd != -1 (-1 vs. -1) out of memory"),
            cause=Cause.CUDA_OOM,
            detail="gpu_memory",
        ),
        Pattern(
            name="checked",
            says="exception",
            role=Role.ROOT,
            regex=r"^F\d{4} \d\d:\d\d:\d\d\.\d{1,6} .{0,120}\] Check failed: .{1,120}\b(?:cuda|hip)\w{0,12}[Ss]uccess \(\d{1,4} vs\. 0\)\s{1,3}(?P<message>(?!out of memory)\S.{0,300})$",
            literals=("Check failed: ",),
            samples=(
                "F0101 10:00:00.123456 4242 math.cu:71] Check failed: error == cudaSuccess (77 vs. 0)  an illegal memory access was encountered",
                "F1220 11:02:41.118 solver.cc:318] Check failed: status == cudaSuccess (46 vs. 0) all CUDA-capable devices are busy or unavailable",
            ),
            near_misses=("F0101 10:00:00.123456 4242 db.cpp:9] Check failed: fd != -1 (-1 vs. -1) File not found: a.prototxt",),
            cause=Cause.CUDA_RUNTIME,
            read=_checked,
        ),
    ),
    exceptions=(
        _error("cuda_after_fork", "initialization error", "cudaErrorInitializationError", "config"),  # 3
        _error("no_gpu", "no CUDA-capable device is detected", "cudaErrorNoDevice", "env"),  # 100
        _error("device_busy", "CUDA-capable device(s) is/are busy or unavailable", "cudaErrorDevicesUnavailable", "env"),  # 46
        _error("device_ordinal", "invalid device ordinal", "cudaErrorInvalidDevice", "config"),  # 101
        _error("driver_too_old", "CUDA driver version is insufficient for CUDA runtime version", "cudaErrorInsufficientDriver", "env"),  # 35
        _error("no_kernel_image", "no kernel image is available for execution on the device", "cudaErrorNoKernelImageForDevice", "env"),  # 209
        _error("ptx_unsupported", "the provided PTX was compiled with an unsupported toolchain", "cudaErrorUnsupportedPtxVersion", "env"),  # 222
        _error("runtime_startup", "startup failure in cuda runtime", "cudaErrorStartupFailure", "env"),  # 127
        _error("fabric_not_ready", "system not yet initialized", "cudaErrorSystemNotReady", "env"),  # 802
        _error("fabric_not_ready", "GPU fabric is not ready within the probe wait budget", "cudaErrorFabricNotReady", "env"),  # 919, CUDA 13
        _error("driver_mismatch", "system has unsupported display driver / cuda driver combination", "cudaErrorSystemDriverMismatch", "env"),  # 803
        _error("driver_mismatch", "forward compatibility was attempted on non supported HW", "cudaErrorCompatNotSupportedOnDevice", "env"),  # 804
        _error("mps", "the remote procedural call between the MPS server and the MPS client failed", "cudaErrorMpsRpcFailure", "env"),  # 806
        _error("mps", "MPS server is not ready to accept new MPS client requests", "cudaErrorMpsServerNotReady", "env"),  # 807
        _error("illegal_address", "an illegal memory access was encountered", "cudaErrorIllegalAddress"),  # 700
        _error("launch_timeout", "the launch timed out and was terminated", "cudaErrorLaunchTimeout"),  # 702
        _error("device_assert", "device-side assert triggered", "cudaErrorAssert"),  # 710
        _error("hardware_stack", "hardware stack error", "cudaErrorHardwareStackError"),  # 714: the application first
        _error("illegal_instruction", "an illegal instruction was encountered", "cudaErrorIllegalInstruction"),  # 715: the application first
        _error("misaligned_address", "misaligned address", "cudaErrorMisalignedAddress"),  # 716
        _error("launch_failure", "unspecified launch failure", "cudaErrorLaunchFailure"),  # 719
        _error("external_device", "an async error has occured in external entity outside of CUDA", "cudaErrorExternalDevice"),  # 911 (sic)
        _error("driver_unknown", "unknown error", "cudaErrorUnknown"),  # 999
        ExceptionRule(
            detail="cuda_after_fork",
            words=r"Cannot re-initialize CUDA in forked subprocess",
            samples=(
                ("RuntimeError", "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method"),
                ("RuntimeError", "Cannot re-initialize CUDA in forked subprocess. "),
            ),
            near_misses=(("RuntimeError", "Cannot initialize a forked subprocess"),),
            cause=Cause.CUDA_RUNTIME,
            about="config",
        ),
        ExceptionRule(
            detail="kernel_resources",
            words=r"too many resources requested for launch|out of resource: shared memory, Required: \d{1,9}",
            samples=(
                ("RuntimeError", "CUDA error: too many resources requested for launch"),
                (
                    "triton.runtime.errors.OutOfResources",
                    "out of resource: shared memory, Required: 264208, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.",
                ),
            ),
            near_misses=(("RuntimeError", "out of resources"),),
            cause=Cause.CUDA_RUNTIME,
            about="config",
        ),
    ),
)
