"""NVML answers, in time: asked in a process of its own, because a GPU that fell off the bus can make it hang for ever."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from gpualert_slurm.epilog.bounded_command import CommandError, run
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown

ASK = """
import pynvml
try:
    pynvml.nvmlInit()
    print(pynvml.nvmlSystemGetDriverVersion(), pynvml.nvmlDeviceGetCount())
    for at in range(pynvml.nvmlDeviceGetCount()):
        print(pynvml.nvmlDeviceGetUUID(pynvml.nvmlDeviceGetHandleByIndex(at)))
except pynvml.NVMLError as error:
    raise SystemExit(f"{type(error).__name__}: {error}")
"""
"""One line where it fails: of a traceback the end, which names the error, may be cut off."""


def _run(who: Patient) -> Iterator[Found]:
    try:
        said = run([sys.executable, "-I", "-c", ASK], timeout_s=max(10.0, 2 * who.config.node.nvml_timeout_s)).stdout.split()
    except CommandError as error:
        words = str(error)
        if "LibraryNotFound" in words or "Shared Library Not Found" in words:
            yield unknown("there is no libnvidia-ml.so.1: no NVIDIA driver, so that mails say nothing about GPUs", "nvidia-smi")
        else:
            yield bad(f"NVML: {words[-200:]}", "nvidia-smi; dmesg | grep -i -e nvrm -e xid | tail")
        return
    yield good(f"driver {said[0]}, {said[1]} GPUs")


CHECK = Check("NVML", frozenset({Host.NODE}), _run, order=50)
