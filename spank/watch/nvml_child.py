"""The process that talks to NVML, and may hang doing so. Started and bounded by ``nvml_client``; imports no pydantic.

One request a line on stdin (``read``: every counter; ``sample``: those that move; or end of file), one JSON object a line on stdout:
``{"time_ns": …, "gpus": [{"index": 0, "uuid": …, …}], "problems": [{"index": 1, "uuid": …, "words": "…"}], "events": […]}`` or
``{"error": "…"}`` when there is no NVML. A GPU that is lost has a problem and no row: half of its counters would look like a card that is well.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from types import ModuleType
from typing import Any

from gpualert_slurm.discovery import discover
from gpualert_slurm.spank.watch import gpu_counters
from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, GpuLostError, Nvml, Value
from gpualert_slurm.spank.watch.nvml_events import Event, NvmlEvents

Reading = dict[str, object]
Memories = dict[int, dict[str, Any]]
"""What each card's counters remember from reading to reading, by index: a card that comes or goes starts all anew."""


def read_all(module: ModuleType, counters: dict[str, GpuCounter], memories: Memories, *, fast: bool = False) -> Reading:
    """Every GPU of the node, once; ``fast`` leaves the slow counters out."""
    count = int(module.nvmlDeviceGetCount())
    if count != len(memories):
        memories.clear()
        memories.update({index: {} for index in range(count)})
    gpus: list[dict[str, Value]] = []
    problems: list[dict[str, Value]] = []
    for index in range(count):
        row, lost, said = read_one(module, index, counters, memories[index], fast=fast)
        if not lost and "uuid" not in row:
            lost, said = True, [*said, "NVML does not say its UUID"]
        problems += [{k: row[k] for k in ("index", "uuid") if k in row} | {"words": words} for words in said]
        if lost:
            uuid = row.get("uuid")
            memories[index] = {} if uuid is None else {"identity": memories[index].get("identity", {"uuid": uuid})}
        else:
            gpus.append(row)
    return {"time_ns": time.time_ns(), "gpus": gpus, "problems": problems}


def read_one(
    module: ModuleType, index: int, counters: dict[str, GpuCounter], memory: dict[str, Any], *, fast: bool = False
) -> tuple[dict[str, Value], bool, list[str]]:
    """One GPU's counters, whether it is lost, and what went wrong with it in words."""
    row: dict[str, Value] = {"index": index, "time_ns": time.time_ns()}
    nvml = Nvml(module, memory)
    lost: list[str] = []
    wanted = [counter for counter in counters.values() if not (fast and counter.slow)]
    try:
        if "handle" not in memory:
            memory["handle"] = module.nvmlDeviceGetHandleByIndex(index)
        handle = memory["handle"]
        # Identity first: a card that is lost half-way must still be named.
        for counter in sorted(wanted, key=lambda c: "uuid" not in c.fields):
            row.update(counter.read(nvml, handle))
        fields = {name: number for counter in wanted for name, number in counter.field_ids.items()}
        found = zip(fields, nvml.field_values(handle, list(fields.values())), strict=True)
        row.update({name: value for name, value in found if value is not None})
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
    memories: Memories = {}
    events = NvmlEvents(pynvml)
    for request in sys.stdin:
        try:
            answer = read_all(pynvml, counters, memories, fast=request.strip() == "sample")
            answer["events"] = [_with_slice(event, memories) for event in events.take()]
        except pynvml.NVMLError as error:
            answer = {"error": str(error)}
        _say(answer)
        events.start()  # after the first answer: a hanging registration costs no reading
    if not events.waiting:
        pynvml.nvmlShutdown()
    sys.stdout.flush()
    os._exit(0)  # a thread may wait in NVML for an event that never comes


def _with_slice(event: Event, memories: Memories) -> Event:
    """The event with the MIG slice it is about, where it names a GPU instance that the card's last slow reading knew."""
    for memory in memories.values():
        part = memory.get("slices", {}).get(event.get("gpu_instance"))
        if part is not None and memory.get("identity", {}).get("uuid") == event["uuid"]:
            return {**event, "slice": part}
    return event


def _say(answer: Reading) -> int:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    return 1


if __name__ == "__main__":
    sys.exit(main())
