"""The pictures of a mail, from the series in the node reports; where a series is missing there is no picture.

Each has an alternative text that is the fact it shows: many readers never see the picture.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from datetime import tzinfo

from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notification import Attachment
from gpualert_slurm.notify import words
from gpualert_slurm.notify.chart import Bar, Line, Panel, bars, lines
from gpualert_slurm.notify.claims import SCRIPT_STEPS
from gpualert_slurm.notify.compose import Drawn
from gpualert_slurm.notify.plain import visible
from gpualert_slurm.notify.view import Picture
from gpualert_slurm.rank import RankLog
from gpualert_slurm.series import Series
from gpualert_slurm.verdict import Verdict

log = logging.getLogger(__name__)

ACTIVITY = ("gpu_sm_activity_percent", "gpu_duty_percent", "gpu_utilization_percent")
"""The first that there is: what says most about work on the GPU."""
MEMORY = "gpu_memory_used_bytes"
MOST_LINES = 32
MOST_POINTS = 2000
IDLE_PERCENT = 1.0
GIB = 1 << 30
S = 1_000_000_000
LEAST_SERIES_NS = 20 * S
"""A job that failed at its start has no GPU curves worth a look."""
LEAST_SPREAD_NS = 2 * S
"""Ranks that fell silent together tell nothing."""


def draw(verdict: Verdict, job: JobRecord, zone: tzinfo | None = None) -> tuple[Drawn, ...]:
    """What can be drawn; a picture that cannot is left out, and the log says why."""
    found = []
    for name, one in (("loss", _loss), ("gpus", _gpus), ("output", _output)):
        try:
            made = one(verdict, job, zone)
        except Exception:  # a picture is worth no mail
            log.exception("the picture %s of job %s cannot be drawn", name, verdict.attempt.label)
            continue
        if made is not None:
            png, width, height, alt = made
            key = f"{name}.gpualert"
            attachment = Attachment(filename=f"{name}.png", media_type="image/png", content=png, content_id=key)
            found.append(Drawn(attachment, Picture(key, alt, width, height)))
    return tuple(found)


_Made = tuple[bytes, int, int, str]
_Points = tuple[Series, list[tuple[int, float]]]


def _loss(verdict: Verdict, job: JobRecord, zone: tzinfo | None) -> _Made | None:
    del zone
    every = [s for r in job.reports for s in r.series if s.name == "loss" and len(s.values) > 1]
    if not every:
        return None
    series = max(every, key=lambda s: (max(s.points_seen, len(s.values)), -(s.where.rank or 0)))
    by_step = len(series.steps) == len(series.values) and all(step is not None for step in series.steps)
    xs = [float(step or 0) for step in series.steps] if by_step else [float(i) for i in range(len(series.values))]
    what = "step" if by_step else "report"
    points = sorted(zip(xs, series.values, strict=True))[-MOST_POINTS:]
    finite = [(x, y) for x, y in points if math.isfinite(y)]
    if not finite:
        return None
    bad = next((x for x, y in points if not math.isfinite(y)), None)
    failed = verdict.is_problem and verdict.state != "COMPLETED"
    mark_x, mark = (bad, f"not finite from {what} {bad:.0f}") if bad is not None else (points[-1][0], "it ended here") if failed else (None, "")
    line = Line("loss", [x for x, _ in points], [y for _, y in points])
    png, width, height = lines([Panel("Loss", [line], what, mark_x, mark)])
    alt = f"Loss from {words.number(finite[0][1])} at {what} {finite[0][0]:.0f} to {words.number(finite[-1][1])} at {what} {finite[-1][0]:.0f}"
    if bad is not None:
        alt += f"; not a finite number from {what} {bad:.0f} on"
    elif failed:
        alt += f"; the run ended at {what} {points[-1][0]:.0f}"
    return png, width, height, alt


def _gpus(verdict: Verdict, job: JobRecord, zone: tzinfo | None) -> _Made | None:
    del zone
    name = next((n for n in ACTIVITY if any(s.name == n and len(s.values) > 1 for r in job.reports for s in r.series)), None)
    names = {s.uuid: f"GPU {s.index} {visible(s.node)}" for r in job.reports for s in (*r.gpus_before, *r.gpus_after) if s.index is not None}
    activity = _by_gpu(job, name) if name else []
    memory = _by_gpu(job, MEMORY)
    if not activity and not memory:
        return None
    begin = min(t for _, points in (*activity, *memory) for t, _ in points)
    end = max(t for _, points in (*activity, *memory) for t, _ in points)
    if end - begin < LEAST_SERIES_NS:
        return None
    unit_s, unit = _unit((end - begin) / S)
    failed = set(verdict.first_failure.gpu_uuids) if verdict.first_failure else set()
    when = verdict.first_failure.time_ns if verdict.first_failure and verdict.is_problem else None
    mark_x = (when - begin) / S / unit_s if when is not None and begin <= when <= end + 3600 * S else None

    def panel(title: str, found: Sequence[_Points], scale: float, top: float) -> Panel:
        shown = sorted(found, key=lambda f: (f[0].where.gpu_uuid not in failed, f[0].where.rank is None, f[0].where.rank or 0))
        made = [
            Line(_name(s, names), [(t - begin) / S / unit_s for t, _ in points], [v / scale for _, v in points], strong=s.where.gpu_uuid in failed)
            for s, points in shown[:MOST_LINES]
        ]
        more = f" (of {len(found)} GPUs {MOST_LINES})" if len(found) > MOST_LINES else ""
        return Panel(f"{title}{more}", made, f"{unit} from the first reading", mark_x, "first failure" if mark_x is not None else "", top)

    total = max((s.memory_total_bytes or 0 for r in job.reports for s in (*r.gpus_before, *r.gpus_after)), default=0)
    highest = max((v for _, points in memory for _, v in points), default=0.0)
    panels = []
    if activity:
        panels.append(panel("GPU activity, percent", activity, 1.0, 100.0))
    if memory:
        panels.append(panel("GPU memory in use, GiB", memory, GIB, max(total, highest, 1.0) / GIB))
    png, width, height = lines(panels)
    return png, width, height, _gpu_words(activity, memory, names, end)


def _gpu_words(activity: Sequence[_Points], memory: Sequence[_Points], names: dict[str, str], end: int) -> str:
    parts = []
    if activity:
        means = [sum(v for _, v in points) / len(points) for _, points in activity]
        parts.append(f"activity of {words.plural(len(activity), 'GPU')}: {sum(means) / len(means):.0f} % on average")
        idle = [(series, since) for series, points in activity if (since := _idle_since(points)) is not None and end - since >= 30 * S]
        for series, since in idle[:3]:
            parts.append(f"{_name(series, names)} at 0 % for the last {words.span(round((end - since) / S))}")
        if len(idle) > 3:
            parts.append(f"{len(idle) - 3} more idle at the end")
    if memory:
        parts.append(f"at most {max(v for _, points in memory for _, v in points) / GIB:.1f} GiB of memory in use on one GPU")
    text = "; ".join(parts)
    return text[0].upper() + text[1:]


def _output(verdict: Verdict, job: JobRecord, zone: tzinfo | None) -> _Made | None:
    """When each rank last wrote: the newer of its two streams."""
    last: dict[tuple[str, int | None, int | None], int] = {}
    for report in job.reports:
        for one in report.logs:
            if one.last_write_ns is not None and one.step not in SCRIPT_STEPS:
                key = _rank_key(one)
                last[key] = max(last.get(key, 0), one.last_write_ns)
    ends = [t for t in (verdict.ended_ns, job.ended_ns, *last.values()) if t is not None]
    start = verdict.started_ns or job.started_ns
    if len(last) < 2 or start is None:
        return None
    end = max(ends)
    total_s = (end - start) / S
    if total_s <= 0:
        return None
    if max(last.values()) - min(last.values()) < LEAST_SPREAD_NS:
        return None
    failed = set(verdict.first_failure.ranks) if verdict.first_failure else set()
    ordered = sorted(last.items(), key=lambda item: (item[1], item[0][1] if item[0][1] is not None else 1 << 30))
    rows = [
        Bar(_rank_name(key), max(0.0, (at - start) / S), f"{words.span(round(max(0, end - at) / S))} before the end", strong=key[1] in failed)
        for key, at in ordered
    ]
    more = f", the {24} that went silent first of {len(rows)}" if len(rows) > 24 else ""
    png, width, height = bars(f"Last output of each rank{more}", rows, f"0 to {words.span(round(total_s))} after the start", total_s)
    key, at = ordered[0]
    alt = f"Of {words.plural(len(last), 'rank')} {_rank_name(key)} went silent first, at {words.instant(at, zone)}"
    return png, width, height, f"{alt}, {words.span(round((end - at) / S))} before the end"


def _by_gpu(job: JobRecord, name: str) -> list[_Points]:
    found = []
    for series in (s for r in job.reports for s in r.series if s.name == name and s.where.gpu_uuid):
        points = [(t, v) for t, v in zip(series.times_ns, series.values, strict=False) if t is not None and math.isfinite(v)]
        if len(points) > 1:
            found.append((series, sorted(points)[-MOST_POINTS:]))
    return found


def _idle_since(points: Sequence[tuple[int, float]]) -> int | None:
    since = None
    for at, value in reversed(points):
        if value > IDLE_PERCENT:
            break
        since = at
    return since


def _unit(seconds: float) -> tuple[float, str]:
    return (1.0, "seconds") if seconds < 300 else (60.0, "minutes") if seconds < 3 * 3600 else (3600.0, "hours")


def _name(series: Series, names: dict[str, str]) -> str:
    rank = f"rank {series.where.rank}, " if series.where.rank is not None else ""
    return rank + names.get(series.where.gpu_uuid or "", visible((series.where.gpu_uuid or "a GPU")[:12]))


def _rank_key(one: RankLog) -> tuple[str, int | None, int | None]:
    return ("", one.rank, None) if one.rank is not None else (visible(one.node), None, one.local_rank)


def _rank_name(key: tuple[str, int | None, int | None]) -> str:
    node, rank, local = key
    return f"rank {rank}" if rank is not None else f"task {local} {node}" if local is not None else node
