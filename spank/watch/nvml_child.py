"""The process that talks to NVML, and may hang doing so. Started and bounded by ``nvml_client``; imports no pydantic.

One request a line on stdin (``read``, or end of file), one JSON object a line on stdout:
``{"time_ns": …, "gpus": [{"index": 0, "uuid": …, …}], "problems": [{"index": 1, "uuid": …, "words": "…"}]}`` or ``{"error": "…"}``
when there is no NVML. A GPU that is lost has a problem and no row: half of its counters would look like a card that is well.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from types import ModuleType

from gpualert_slurm.discovery import discover
from gpualert_slurm.spank.watch import gpu_counters
from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, GpuLostError, Nvml, Value

Reading = dict[str, object]


def read_all(module: ModuleType, counters: dict[str, GpuCounter]) -> Reading:
    """Every GPU of the node, once."""
    count = int(module.nvmlDeviceGetCount())
    gpus: list[dict[str, Value]] = []
    problems: list[dict[str, Value]] = []
    for index in range(count):
        row, lost, said = read_one(module, index, counters)
        if not lost and "uuid" not in row:
            lost, said = True, [*said, "NVML does not say its UUID"]
        problems += [{k: row[k] for k in ("index", "uuid") if k in row} | {"words": words} for words in said]
        if not lost:
            gpus.append(row)
    return {"time_ns": time.time_ns(), "gpus": gpus, "problems": problems}


def read_one(module: ModuleType, index: int, counters: dict[str, GpuCounter]) -> tuple[dict[str, Value], bool, list[str]]:
    """One GPU's counters, whether it is lost, and what went wrong with it in words."""
    row: dict[str, Value] = {"index": index, "time_ns": time.time_ns()}
    nvml = Nvml(module)
    lost: list[str] = []
    try:
        handle = module.nvmlDeviceGetHandleByIndex(index)
        # Identity first: a card that is lost half-way must still be named.
        for counter in sorted(counters.values(), key=lambda c: "uuid" not in c.fields):
            row.update(counter.read(nvml, handle))
    except GpuLostError as error:
        lost = [f"lost: {error}"]
    except module.NVMLError as error:
        lost = [str(error)]
    return row, bool(lost), [f"{name}: {why}" for name, why in nvml.problems.items()] + lost


def main() -> int:
    """Answer requests until stdin ends."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        import pynvml
    except ImportError as error:
        return _say({"error": f"pynvml cannot be imported: {error}"})
    counters = discover(gpu_counters, "COUNTER", GpuCounter)
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return _say({"error": str(error)})
    for _request in sys.stdin:
        try:
            answer = read_all(pynvml, counters)
        except pynvml.NVMLError as error:
            answer = {"error": str(error)}
        _say(answer)
    pynvml.nvmlShutdown()
    return 0


def _say(answer: Reading) -> int:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    return 1


if __name__ == "__main__":
    sys.exit(main())
