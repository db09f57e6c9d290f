"""A case's logs as lines with the seconds at which they came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from corpus.case import LOGS, TIMES_NAME, arrival_of, log_name
from gpualert_slurm.framed_log import open_log
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankLog
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.run_file import RUN_NAME

HEAD, TAIL, BETWEEN = 70, 110, 40
"""Lines of a long log that are shown: its first, its last, and some of those between."""
WIDEST = 420


def log_pages(folder: Path, job: JobRecord, begin_ns: int | None) -> Iterator[str]:
    """One text for each log of the staged case that is not empty; seconds count from ``begin_ns``."""
    times = json.loads((folder / TIMES_NAME).read_text()) if (folder / TIMES_NAME).exists() else {}
    for log in sorted((log for report in job.reports for log in report.logs), key=lambda log: (log.node, log.step, log.rank or 0, log.stream)):
        path = _path(folder, log)
        if path is None:
            continue
        lines = list(_lines(path, log, times, begin_ns))
        if lines:
            yield "\n".join([f"--- {path.name} (node {log.node}, step {log.step}, rank {log.rank}, {log.stream}; {len(lines)} lines)", *_fewer(lines)])


def _path(folder: Path, log: RankLog) -> Path | None:
    path = folder / Path(log.path).name if (folder / RUN_NAME).exists() else folder / LOGS / log_name(log)
    return path if path.exists() else None


def _lines(path: Path, log: RankLog, times: dict[str, list[list[int]]], begin_ns: int | None) -> Iterator[str]:
    frame = LogFrame.read(path)
    arrival = arrival_of(path, frame, log, times.get(path.name))
    if arrival is None and path.name.startswith("run."):
        arrival = arrival_of(path.with_name("run.0"), frame, log, None)
    offset = 0
    with open_log(path, frame) as stream:
        for raw in stream:
            at = arrival(offset) if arrival else None
            offset += len(raw)
            text = raw.replace(b"\0", b"").decode("utf-8", "backslashreplace").rstrip("\n")
            bars = [part for part in text.split("\r") if part.strip()]
            if not bars:
                continue
            text = bars[-1] if len(bars) == 1 else f"{bars[0][:120]} …⏎ ({len(bars)} redraws) … {bars[-1]}"
            when = f"{(at[0] - begin_ns) / 1e9:9.2f}s " if at and begin_ns else " " * 11
            yield when + (text if len(text) <= WIDEST else f"{text[: WIDEST - 60]} […] {text[-50:]}")


def _fewer(lines: list[str]) -> list[str]:
    if len(lines) <= HEAD + TAIL + BETWEEN:
        return lines
    middle = lines[HEAD:-TAIL]
    every = max(1, len(middle) // BETWEEN)
    return [*lines[:HEAD], f"   … of the next {len(middle)} lines one in {every} …", *middle[::every], "   … the end:", *lines[-TAIL:]]
