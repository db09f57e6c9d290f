"""``python -m corpus.running.card.facts FOLDER``: what gpualert's own reader gets from the real NVML while a small load runs, stops and fails."""

from __future__ import annotations

import inspect
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from corpus.running.card.identity import card
from corpus.running.environments import CARD, ENVIRONMENTS
from gpualert_slurm.discovery import discover
from gpualert_slurm.spank.watch import gpu_counters
from gpualert_slurm.spank.watch.gpu_counter import GpuCounter
from gpualert_slurm.spank.watch.nvml_child import Memories, read_one
from gpualert_slurm.spank.watch.nvml_events import NvmlEvents

READ_S = 45
LOAD = """
import time, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
for busy, idle in ((6, 3), (4, 2)):
    print("busy", time.time(), flush=True)
    until = time.time() + busy
    while time.time() < until:
        for _ in range(50):
            b = a @ a
        torch.cuda.synchronize()
    print("idle", time.time(), flush=True)
    time.sleep(idle)
"""
ILLEGAL = """
import cupy
kernel = cupy.RawKernel(r'extern "C" __global__ void store(float* p) { p[(1ull << 40) + threadIdx.x] = 1.0f; }', "store")
kernel((1,), (32,), (cupy.zeros(8, dtype=cupy.float32),))
cupy.cuda.Device().synchronize()
"""
TRAP = """
import cupy
kernel = cupy.RawKernel(r'extern "C" __global__ void stop() { asm("trap;"); }', "stop")
kernel((1,), (32,), ())
cupy.cuda.Device().synchronize()
"""


def main() -> int:
    """Write ``facts.json`` and ``nvidia-smi.txt``."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    import pynvml

    _write(folder / "nvidia-smi.txt", _said("nvidia-smi", "-q"))
    pynvml.nvmlInit()
    events = NvmlEvents(pynvml)
    events.start()
    asked: dict[str, Callable[[], Any]] = {
        "machine": _machine,
        "events": lambda: {**_event_types(pynvml), "a_thread_waits": events.waiting},
        "gpm": lambda: _gpm(pynvml),
        "readings": lambda: _readings(pynvml),
        "samples": lambda: _samples(pynvml),
        "child": _child,
        "illegal": lambda: _fault(ILLEGAL, events),
        "trap": lambda: _fault(TRAP, events),
        "fields": lambda: _fields(pynvml),
        "functions": lambda: _functions(pynvml),
    }
    facts: dict[str, Any] = {}
    for name, ask in asked.items():
        facts[name], took_ms = _timed(ask)
        print(f"{name}: {took_ms / 1000:.1f} s", flush=True)
        _write(folder / "facts.json", json.dumps(facts, indent=1, default=str))  # whatever stops the next one
    return 0


def _write(path: Path, text: str) -> None:
    for word, other in card().places.items():
        text = text.replace(word, other)
    path.write_text(re.sub(r"(Serial Number|GPU UUID|Board ID|Chassis Serial\w*)( *: )[^\",\n]*", r"\1\2(not told)", text))


def _said(*argv: str) -> str:
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{argv[0]}: {error}"


def _machine() -> dict[str, Any]:
    return {
        "kernel": os.uname().release,
        "driver": _read("/proc/driver/nvidia/version"),
        "devices": _said("bash", "-c", "ls -l /dev/nvidia*").splitlines(),
        "cgroups": _read("/proc/self/cgroup"),
        "dmesg_restrict": _read("/proc/sys/kernel/dmesg_restrict"),
        "pid_namespace": str(Path("/proc/self/ns/pid").readlink()),
        "kernel_log_of_the_driver": [line for line in _said("dmesg").splitlines() if re.search(r"nvidia|NVRM", line, re.IGNORECASE)][-40:],
        "cpus": os.cpu_count(),
    }


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError as error:
        return str(error)


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    try:
        answer = call()
    except Exception as error:  # pynvml has errors of its own kinds
        answer = f"!{type(error).__name__}: {error}"
    return answer, round((time.perf_counter() - began) * 1000, 3)


def _functions(nvml: Any) -> dict[str, Any]:
    """Every question about a card that needs nothing but its handle: the answer, and milliseconds."""
    handle = nvml.nvmlDeviceGetHandleByIndex(0)
    found = {}
    for name, function in sorted(vars(nvml).items()):
        if not name.startswith("nvmlDeviceGet") or not callable(function) or re.search("HandleBy|UUID|Serial|Pdi|BoardId|PlatformInfo|Attestation|Certificate", name, re.IGNORECASE):
            continue
        try:
            needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
        except (TypeError, ValueError):
            continue
        if len(needed) == 1:
            answer, ms = _timed(lambda f=function: f(handle))  # type: ignore[misc]
            found[name] = [repr(answer)[:160], ms]
    return found


def _fields(nvml: Any) -> dict[str, Any]:
    handle = nvml.nvmlDeviceGetHandleByIndex(0)
    names = {value: name for name, value in vars(nvml).items() if name.startswith("NVML_FI_DEV_") and isinstance(value, int)}
    found: dict[str, Any] = {}
    for number, name in sorted(names.items()):
        answer, ms = _timed(lambda n=number: nvml.nvmlDeviceGetFieldValues(handle, [n])[0])  # type: ignore[misc]
        if isinstance(answer, str):
            found[name] = [answer, ms]
        else:
            value = answer.value.dVal if answer.valueType == 0 else answer.value.ullVal
            found[name] = [int(answer.nvmlReturn), value if answer.nvmlReturn == 0 else None, int(answer.valueType), ms]
    return found


def _event_types(nvml: Any) -> dict[str, Any]:
    handle = nvml.nvmlDeviceGetHandleByIndex(0)
    supported, _ = _timed(lambda: nvml.nvmlDeviceGetSupportedEventTypes(handle))
    names = {name: value for name, value in vars(nvml).items() if name.startswith("nvmlEventType") and isinstance(value, int)}
    return {"mask": hex(supported) if isinstance(supported, int) else supported, "names": [n for n, v in names.items() if isinstance(supported, int) and v & supported]}


def _gpm(nvml: Any) -> dict[str, Any]:
    handle = nvml.nvmlDeviceGetHandleByIndex(0)
    answer, ms = _timed(lambda: nvml.nvmlGpmQueryDeviceSupport(handle))
    return {"gpm": answer if isinstance(answer, str) else bool(answer.isSupportedDevice), "ms": ms}


def _readings(nvml: Any) -> dict[str, Any]:
    """The reading that gpualert does, four times a second, each counter timed alone in every fourth, while a load runs and pauses."""
    counters = discover(gpu_counters, "COUNTER", GpuCounter)
    load = _load(LOAD)
    memories: Memories = {0: {}}
    rows: list[dict[str, Any]] = []
    slow, quick = list[float](), list[float]()
    alone = {name: list[float]() for name in counters}
    until = time.monotonic() + READ_S
    turn = 0
    while time.monotonic() < until and load.poll() is None:
        turn += 1
        fast = turn % 8 != 1
        (row, lost, said), ms = _timed(lambda fast=fast: read_one(nvml, 0, counters, memories[0], fast=fast))  # type: ignore[misc]
        (quick if fast else slow).append(ms)
        rows.append({"at_s": time.time(), "lost": lost, "said": said, **(row if turn < 3 or not fast else {k: v for k, v in row.items() if isinstance(v, int | float)})})
        time.sleep(0.25)
    spare: Memories = {0: {}}
    read_one(nvml, 0, counters, spare[0])
    for name, counter in counters.items():
        for _ in range(3):
            _, ms = _timed(lambda c=counter, n=name: read_one(nvml, 0, {n: c}, spare[0]))  # type: ignore[misc]
            alone[name].append(ms)
    seen = {key for row in rows for key in row}
    load.wait(30)
    return {
        "load": (load.stdout.read() if load.stdout else "").splitlines()[-30:],
        "ms_full": [min(slow), statistics.median(slow), max(slow)],
        "ms_fast": [min(quick), statistics.median(quick), max(quick)],
        "ms_of_a_counter": alone,
        "absent": {name: [f for f in (*c.fields, *c.field_ids) if f not in seen] for name, c in counters.items()},
        "rows": rows,
    }


def _load(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen([ENVIRONMENTS[CARD].python, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _samples(nvml: Any) -> dict[str, Any]:
    """The driver's own sample buffers: how many, how far apart (ms)."""
    handle = nvml.nvmlDeviceGetHandleByIndex(0)
    found: dict[str, Any] = {}
    for name in ("TOTAL_POWER", "GPU_UTILIZATION", "MEMORY_UTILIZATION", "ENC_UTILIZATION", "PROCESSOR_CLK", "MEMORY_CLK", "MODULE_POWER_SAMPLES"):
        kind = getattr(nvml, f"NVML_{name}_SAMPLES", getattr(nvml, f"NVML_{name}", None))
        answer, ms = _timed(lambda k=kind: nvml.nvmlDeviceGetSamples(handle, k, 0))  # type: ignore[misc]
        if isinstance(answer, str):
            found[name] = answer
            continue
        times = [int(s.timeStamp) for s in answer[1]]
        gaps = sorted((b - a) / 1000 for a, b in pairwise(times))
        found[name] = {"count": len(times), "call_ms": ms, "values": [int(s.sampleValue.uiVal) for s in answer[1]][-60:]}
        if gaps:
            found[name] |= {"gap_ms": [gaps[0], statistics.median(gaps), gaps[-1]], "newest_is_old_by_s": round(time.time() - times[-1] / 1e6, 3)}
    return found


def _child() -> dict[str, Any]:
    """NVML's own process as gpualert-node starts it: how long until its first answers."""
    began = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "gpualert_slurm.spank.watch.nvml_child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdin is not None
    assert child.stdout is not None
    took = []
    for request in ("read", "sample", "sample", "read"):
        child.stdin.write(request + "\n")
        child.stdin.flush()
        child.stdout.readline()
        took.append(round((time.perf_counter() - began) * 1000, 1))
    child.stdin.close()
    memory = _read(f"/proc/{child.pid}/status")
    return {"ms_since_start": took, "code": child.wait(20), "memory": [line for line in memory.splitlines() if line.startswith(("VmHWM", "VmRSS"))]}


def _fault(code: str, events: NvmlEvents) -> dict[str, Any]:
    """A kernel that faults: what the program says, the kernel log's Xid lines, and NVML's events."""
    before = len(_said("dmesg").splitlines())
    events.take()
    program = _load(code)
    said, _ = program.communicate(timeout=90)
    ended_ns = time.time_ns()
    time.sleep(1.5)
    lines = _said("dmesg", "--decode").splitlines()
    return {"code": program.returncode, "pid": program.pid, "said": said.splitlines()[-6:], "kernel": lines[before:][-20:], "events": events.take(), "ended_ns": ended_ns}


if __name__ == "__main__":
    sys.exit(main())
