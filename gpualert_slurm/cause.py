from __future__ import annotations

from enum import Enum


class Cause(str, Enum):
    """The fifteen causes every comparison is scored on; the names are the public benchmark's labels."""

    CUDA_OOM = "cuda_oom"
    NCCL = "nccl"
    CUDA_RUNTIME = "cuda_runtime"
    RAM_OOM = "ram_oom"
    SEGFAULT = "segfault"
    FILE_NOT_FOUND = "file_not_found"
    PERMISSION = "permission"
    MISSING_MODULE = "missing_module"
    DIV_ZERO = "div_zero"
    DEVICE_MISMATCH = "device_mismatch"
    NAN_LOSS = "nan_loss"
    OOM_KILLER = "oom_killer"
    TRACEBACK = "traceback"
    ASSERTION = "assertion"
    RUNTIME_ERROR = "runtime_error"
