"""A job's GPU, host and log timelines as text: one line of blocks a series, all on one time axis."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from itertools import pairwise
from pathlib import Path

from pydantic import ValidationError

from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.process import Process
from gpualert_slurm.series import Series
from gpualert_slurm.spool import read_bounded

WIDTH = 60
_BLOCKS = " ▁▂▃▄▅▆▇█"
_MAX_BYTES = 256 << 20
_ORDER = (
    "gpu_sm_activity_percent", "gpu_utilization_percent", "gpu_duty_spread_percent", "gpu_memory_bandwidth_percent", "gpu_memory_used_bytes",
    "gpu_power_mw", "gpu_temperature_c", "gpu_sm_clock_mhz", "log_bytes", "cpu_percent", "blocked_percent", "step_memory_bytes", "step_cpu_percent",
    "host_load", "host_tasks_blocked", "host_memory_available_bytes", "host_psi_cpu_percent", "host_psi_io_percent", "host_psi_memory_percent",
)  # fmt: skip
_PERCENT_TOP = 100.0
_MOST_LINES = 600
_LATE = 2.5
"""A reading that comes so many times later than usual was late; after more there was none."""
_SHORT = {"bytes": (1 << 30, "GiB"), "mW": (1000, "W")}


class NoSignalsError(Exception):
    """There is nothing to draw; the text says where it was looked for."""


def load(path: Path) -> list[NodeReport]:
    """Reports from a job record, a node's report, or a gpualert-run bundle.

    Raises:
        NoSignalsError: it is none of these, or cannot be read.
    """
    from gpualert_slurm.programs.bundle import job_of
    from gpualert_slurm.programs.log_paths import PathError, shown
    from gpualert_slurm.run_file import RUN_NAME

    if path.is_dir():
        for name in ("job.json", "record.json", "report.json"):
            if (path / name).is_file():
                return load(path / name)
        if not (path / RUN_NAME).is_file():
            raise NoSignalsError(f"{shown(path)}: neither a bundle of gpualert-run nor a folder with a job.json or a report.json")
        try:
            return list(job_of(path).reports)
        except PathError as error:
            raise NoSignalsError(str(error)) from error
    try:
        content = read_bounded(path, _MAX_BYTES)
    except OSError as error:
        raise NoSignalsError(f"{shown(path)}: {error.strerror or error}") from error
    with contextlib.suppress(ValidationError, ValueError):
        return list(JobRecord.model_validate_json(content).reports)
    with contextlib.suppress(ValidationError, ValueError):
        return [NodeReport.model_validate_json(content)]
    raise NoSignalsError(f"{shown(path)}: neither a job record nor a node's report that this gpualert can read")


def draw(reports: Sequence[NodeReport], zone: tzinfo | None = None, width: int = WIDTH) -> str:
    """Every series with times, by node and rank, and below them when counters moved, who ended how, and stalls.

    Raises:
        NoSignalsError: no report has any.
    """
    found = [s for r in reports for s in r.series if any(t is not None for t in s.times_ns)]
    times = [t for s in found for t in s.times_ns if t is not None]
    if not times:
        raise NoSignalsError("no numbers over time in it: gpualert-node was not there, or the job was over at once")
    first, last = min(times), max(times)
    lines = [f"{_clock(first, zone)} … {_clock(last, zone)}: {(last - first) / 1e9:.0f} s, {max(1e-9, (last - first) / 1e9 / width):.3g} s a column"]
    for report in reports:
        of_node = [s for s in found if s in report.series]
        for where, group in _groups(of_node):
            lines += ["", _visible(_title(report.node, where))]
            drawn = [s for s in group if s.name in _ORDER]
            lines += [_line(s, first, last, width) for s in sorted(drawn, key=lambda s: _ORDER.index(s.name))]
            lines += [_visible(line) for s in group if s.name not in _ORDER for line in _moves(s, zone)]
        lines += _below(report, zone)
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"… {len(lines) - _MOST_LINES} more lines"]
    return "\n".join(lines)


def _groups(series: Iterable[Series]) -> list[tuple[Where, list[Series]]]:
    found: dict[tuple[object, ...], tuple[Where, list[Series]]] = {}
    for one in series:
        where = one.where
        key = ("rank", where.rank) if where.rank is not None else ("gpu", where.gpu_uuid) if where.gpu_uuid else ("other", where.pid, where.step)
        found.setdefault(key, (where, []))[1].append(one)
    return [found[key] for key in sorted(found, key=lambda k: ({"rank": 0, "gpu": 1, "other": 2}[str(k[0])], str(k[1]).zfill(9), str(k[-1])))]


def _title(node: str, where: Where) -> str:
    if where.rank is not None:
        return f"rank {where.rank} on {node}"
    if where.gpu_uuid:
        return f"{where.gpu_uuid} on {node}"
    if where.pid is not None:
        return f"process {where.pid} on {node}"
    return f"step {where.step} on {node}" if where.step else f"{node}"


def _line(series: Series, first: int, last: int, width: int) -> str:
    values = _rates(series) if series.name == "log_bytes" else list(zip(series.times_ns, series.values, strict=False))
    sums = [(0.0, 0)] * width
    for time_ns, value in values:
        if time_ns is None or not math.isfinite(value):
            continue
        column = min(width - 1, int((time_ns - first) * width / max(1, last - first)))
        sums[column] = sums[column][0] + value, sums[column][1] + 1
    means = _bridged([total / count if count else None for total, count in sums], [t for t, _ in values if t is not None], last - first)
    known = [mean for mean in means if mean is not None]
    top = _PERCENT_TOP if series.unit == "percent" and max(known, default=0.0) <= _PERCENT_TOP else max(known, default=0.0)
    blocks = "".join("·" if mean is None else _block(mean, top) for mean in means)
    divisor, unit = _SHORT.get(series.unit, (1, series.unit))
    name = "log bytes a second" if series.name == "log_bytes" else series.name.removeprefix("gpu_")
    unit = "" if series.name == "log_bytes" else unit
    divisor = 1 if series.name == "log_bytes" else divisor
    low, high = min(known, default=0.0) / divisor, max(known, default=0.0) / divisor
    return _visible(f"  {name:<26} {blocks} {low:.4g} … {high:.4g} {unit}".rstrip())


def _bridged(means: list[float | None], times_ns: Sequence[int], span_ns: int) -> list[float | None]:
    """Columns between two readings that followed each other at the usual pace show the earlier one; a longer silence stays empty."""
    steps = sorted(later - earlier for earlier, later in pairwise(times_ns))
    if not steps:
        return means
    most = math.ceil(_LATE * steps[len(steps) // 2] * len(means) / max(1, span_ns))
    found = list(means)
    known = [place for place, mean in enumerate(means) if mean is not None]
    for before, after in pairwise(known):
        if after - before <= most:
            found[before:after] = [means[before]] * (after - before)
    return found


def _block(value: float, top: float) -> str:
    if top <= 0 or value <= 0:
        return _BLOCKS[1]
    return _BLOCKS[min(len(_BLOCKS) - 1, 1 + round(value / top * (len(_BLOCKS) - 2)))]


def _rates(series: Series) -> list[tuple[int | None, float]]:
    """Of a growing total its growth a second, at the later of two points."""
    points = [(t, v) for t, v in zip(series.times_ns, series.values, strict=False) if t is not None]
    return [(t, max(0.0, v - before_v) / ((t - before_t) / 1e9)) for (before_t, before_v), (t, v) in pairwise(points) if t > before_t]


def _moves(series: Series, zone: tzinfo | None) -> list[str]:
    """A counter's line for each move; those that stood still have none."""
    points = [(t, v) for t, v in zip(series.times_ns, series.values, strict=False) if t is not None]
    found = []
    for (before_t, before), (after_t, after) in pairwise(points):
        if after != before:
            found.append(f"  {series.name}: {before:g} → {after:g} between {_clock(before_t, zone)} and {_clock(after_t, zone)}")
    return found[:8]


def _below(report: NodeReport, zone: tzinfo | None) -> list[str]:
    lines: list[str] = []
    for process in report.processes:
        ended = _ended(process)
        if ended and _matters(process):
            who = f"rank {process.rank}" if process.rank is not None else "a process"
            when = _clock(process.ended_ns, zone) if process.ended_ns else "?"
            lines.append(f"{who} on {report.node} (pid {process.pid}) ended at {when}: {ended}")
    for stall in report.stalls:
        why = stall.culprit_why or "no rank stands out"
        who = f"rank {stall.culprit_rank}: " if stall.culprit_rank is not None else ""
        since = _clock(stall.since_ns, zone) if stall.since_ns else "?"
        what = f"no output since {since}" if stall.silent else "looked at before the time limit"
        lines.append(f"{report.node}: {what}; {who}{why}")
    return ["", *(_visible(line) for line in lines)] if lines else []


def _matters(process: Process) -> bool:
    """A rank by its launcher's word or by its GPU, and whoever failed: a job script's shells end too."""
    failed = process.exit_signal is not None or bool(process.exit_code)
    return bool(process.gpu_uuids) or "LOCAL_RANK" in process.environment or (failed and process.rank is not None)


def _ended(process: Process) -> str | None:
    if process.exit_signal is not None:
        return f"signal {process.exit_signal}"
    return f"exit code {process.exit_code}" if process.exit_code is not None else None


def _clock(time_ns: int, zone: tzinfo | None) -> str:
    return datetime.fromtimestamp(time_ns / 1e9, zone).astimezone(zone).strftime("%H:%M:%S")


def _visible(text: str) -> str:
    """Names of processes and nodes are shown, never obeyed."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
