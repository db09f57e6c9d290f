"""From NVML's rows to the records that travel: snapshots, samples, series, gaps. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import zip_longest

from pydantic import ValidationError

from gpualert_slurm.discovery import discover
from gpualert_slurm.evidence import Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.series import Series
from gpualert_slurm.spank.watch import gpu_counters
from gpualert_slurm.spank.watch.gpu_counter import GpuCounter
from gpualert_slurm.spank.watch.sample_file import Column, Place

MOST_POINTS = 600
FEWEST_POINTS = 60
MOST_POINTS_ALL = 30_000
"""Of all series of a node together: some 1.5 MB of JSON. Many ranks share it."""
Row = Mapping[str, object]
Foreign = Callable[[int], bool | None]


@cache
def sampled() -> dict[str, tuple[str, str]]:
    """What is kept of every sample: the field of a row, its series' name and unit; each counter's file says its own."""
    return {field: named for counter in _counters().values() for field, named in counter.series.items()}


@cache
def moving(*, slow: bool) -> tuple[str, ...]:
    """Counters of which moves are kept: those read with every sample, or the slow ones. Their series have their fields' names."""
    return tuple(field for counter in _counters().values() if counter.slow is slow for field in counter.moving)


@cache
def _counters() -> dict[str, GpuCounter]:
    return discover(gpu_counters, "COUNTER", GpuCounter)


def snapshots(
    rows: Iterable[Row], node: str, job_pids: Collection[int], foreign: Foreign | None = None
) -> tuple[list[GpuSnapshot], list[Gap]]:
    """The node's GPUs as records; a row that makes no sense is a gap.

    ``foreign`` says whether a pid is certainly not the job's (None: it cannot tell, and is not counted).
    """
    found: list[GpuSnapshot] = []
    gaps: list[Gap] = []
    for row in rows:
        users = _users(row, job_pids, foreign)
        try:
            found.append(GpuSnapshot.model_validate({**row, "node": node, **users}))
        except ValidationError as error:
            why = f"NVML's answer makes no sense: {error.errors()[0]['msg']}"
            gaps.append(Gap(what=f"counters of GPU {row.get('index', '?')}", why=why, node=node))
    return found, gaps


def _users(row: Row, job_pids: Collection[int], foreign: Foreign | None) -> dict[str, object]:
    """The job's own processes on the card, by pid; of the others how many, and how much they hold."""
    listed = listed_processes(row)
    if listed is None:
        return {"job_attached": None}
    own = [(pid, held, part) for pid, held, part in listed if pid in job_pids]
    changes: dict[str, object] = {
        "job_attached": bool(own), "process_pids": [pid for pid, _, _ in own], "process_memory_bytes": [held for _, held, _ in own],
        "process_slices": [part for _, _, part in own] if "process_slices" in row else None,
    }  # fmt: skip
    strangers = neighbours(row, job_pids, foreign) if foreign is not None else None
    if strangers is not None:
        changes |= {"foreign_processes": len(strangers), "foreign_memory_bytes": sum(held for _, held in strangers)}
    return changes


def listed_processes(row: Row) -> list[tuple[int, int, str]] | None:
    """(pid, bytes, MIG slice or nothing) of every process that NVML lists on the card; None where it lists none at all."""
    pids, held, slices = (row.get(name) for name in ("process_pids", "process_memory_bytes", "process_slices"))
    if not isinstance(pids, list):
        return None
    memory = held if isinstance(held, list) else []
    parts = slices if isinstance(slices, list) else []
    whole = zip_longest(pids, memory[: len(pids)], parts[: len(pids)])
    return [(pid, byte if isinstance(byte, int) else 0, part if isinstance(part, str) else "") for pid, byte, part in whole if isinstance(pid, int)]


def neighbours(row: Row, job_pids: Collection[int], foreign: Foreign) -> list[tuple[int, int]] | None:
    """(pid, bytes) of who is certainly not the job's; on a sliced card only on the job's own slices, None while those are not known."""
    listed = listed_processes(row)
    if listed is None:
        return None
    strangers = [(pid, held, part) for pid, held, part in listed if pid not in job_pids and foreign(pid)]
    if "process_slices" not in row:
        return [(pid, held) for pid, held, _ in strangers]
    mine = {part for pid, _, part in listed if pid in job_pids and part}
    return [(pid, held) for pid, held, part in strangers if part in mine] if mine else None


def numbers(row: Row, fields: Iterable[str], names: Mapping[str, tuple[str, str]] | None = None) -> dict[str, float]:
    """Of a row the numbers among ``fields``, by their series' name where ``names`` has one; flags are 0 and 1."""
    found: dict[str, float] = {}
    for field in fields:
        value = row.get(field)
        if isinstance(value, (int, float)) and math.isfinite(value):
            found[names[field][0] if names else field] = float(value)
    return found


def thin(values: Sequence[float], most: int = MOST_POINTS) -> list[int]:
    """Which points to keep of a longer series: the first and the last, and of each stretch between them the lowest and the highest."""
    count = len(values)
    if count <= most:
        return list(range(count))
    keep = {0, count - 1}
    stretches = max(1, (most - 2) // 2)
    for number in range(stretches):
        begin, end = 1 + number * (count - 2) // stretches, 1 + (number + 1) * (count - 2) // stretches
        if begin < end:
            stretch = range(begin, end)
            keep.add(min(stretch, key=values.__getitem__))
            keep.add(max(stretch, key=values.__getitem__))
    return sorted(keep)


def series(columns: Mapping[tuple[Place, str], Column], node: str, wanted: Callable[[Where], Where | None]) -> list[Series]:
    """One series for each column of samples.

    Args:
        columns: as ``sample_file.read`` gives them.
        node: whose they are.
        wanted: whose a place is, with all that is known of it by now (the rank of a pid); None where it is not the job's.
    """
    units = dict(sampled().values()) | _UNITS
    chosen = [(where, name, column) for (place, name), column in columns.items() if (where := _where(place, node, wanted)) is not None]
    most = max(FEWEST_POINTS, min(MOST_POINTS, MOST_POINTS_ALL // max(1, len(chosen))))
    found = []
    for where, name, column in sorted(chosen, key=lambda c: (c[0].gpu_uuid or "", c[0].rank if c[0].rank is not None else -1, c[0].pid or 0, c[1])):
        keep = thin(column.values, most)
        found.append(
            Series(
                name=name,
                unit=units.get(name, "ns" if name.endswith("_ns") else "count" if name in moving(slow=True) + moving(slow=False) else ""),
                where=where,
                times_ns=tuple(column.times_ns[i] for i in keep),
                values=tuple(column.values[i] for i in keep),
                points_seen=len(column.values),
            )
        )
    return found


_UNITS = {
    "kernel_launches": "count", "copies_to_gpu": "count", "copies_from_gpu": "count", "collectives": "count",
    "gpu_foreign_processes": "count", "cpu_percent": "percent", "blocked_percent": "percent", "log_bytes": "bytes", "host_load": "tasks",
    "host_memory_available_bytes": "bytes", "host_psi_cpu_percent": "percent", "host_psi_io_percent": "percent", "host_psi_memory_percent": "percent",
    "step_memory_bytes": "bytes", "step_cpu_percent": "percent", "step_psi_io_percent": "percent", "step_psi_memory_percent": "percent",
    "step_frozen": "0 or 1",
}  # fmt: skip


def _where(place: Place, node: str, wanted: Callable[[Where], Where | None]) -> Where | None:
    try:
        return wanted(Where.model_validate({**dict(place), "node": node}))
    except ValidationError:
        return None
