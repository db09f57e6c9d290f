"""From NVML's rows to the records that travel: snapshots, series, gaps. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from pydantic import ValidationError

from gpualert_slurm.evidence import Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.series import Series

SAMPLED = {
    "utilization_gpu_percent": ("gpu_utilization_percent", "percent"),
    "memory_used_bytes": ("gpu_memory_used_bytes", "bytes"),
    "power_mw": ("gpu_power_mw", "mW"),
    "temperature_c": ("gpu_temperature_c", "C"),
    "sm_clock_mhz": ("gpu_sm_clock_mhz", "MHz"),
    "throttle_reasons": ("gpu_throttle_reasons", "bit mask"),
}
"""What is kept between ``before`` and ``after``: the field of a snapshot, its series' name and unit."""

MOST_POINTS = 600


def snapshots(rows: Iterable[dict[str, object]], node: str, job_pids: Collection[int]) -> tuple[list[GpuSnapshot], list[Gap]]:
    """The node's GPUs as records; a row that makes no sense is a gap."""
    found: list[GpuSnapshot] = []
    gaps: list[Gap] = []
    for row in rows:
        pids = row.get("process_pids")
        attached = any(pid in job_pids for pid in pids) if isinstance(pids, list) else None
        try:
            found.append(GpuSnapshot.model_validate({**row, "node": node, "job_attached": attached}))
        except ValidationError as error:
            why = f"NVML's answer makes no sense: {error.errors()[0]['msg']}"
            gaps.append(Gap(what=f"counters of GPU {row.get('index', '?')}", why=why, node=node))
    return found, gaps


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


def series(samples: Iterable[tuple[int, dict[str, dict[str, float]]]], node: str, wanted: Callable[[str], bool]) -> list[Series]:
    """One series for each sampled field and GPU.

    Args:
        samples: (time in ns, {uuid: {field: value}}), oldest first.
        node: whose they are.
        wanted: whether a GPU, by UUID, is the job's.
    """
    columns: dict[tuple[str, str], tuple[list[int], list[float]]] = {}
    for time_ns, gpus in samples:
        for uuid, fields in gpus.items():
            if not wanted(uuid):
                continue
            for field, value in fields.items():
                if field in SAMPLED:
                    times, values = columns.setdefault((uuid, field), ([], []))
                    times.append(time_ns)
                    values.append(float(value))
    found = []
    for (uuid, field), (times, values) in sorted(columns.items()):
        name, unit = SAMPLED[field]
        keep = thin(values)
        found.append(
            Series(
                name=name,
                unit=unit,
                where=Where(node=node, gpu_uuid=uuid),
                times_ns=tuple(times[i] for i in keep),
                values=tuple(values[i] for i in keep),
                points_seen=len(values),
            )
        )
    return found
