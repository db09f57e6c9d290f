"""Logs that were found, read into node reports: what ``gpualert diagnose`` and ``gpualert finish`` judge."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.evidence import Role, Where
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.framed_log import arrivals, open_log
from gpualert_slurm.gap import Gap
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.parsed_log import ParsedLog
from gpualert_slurm.programs.log_paths import Found, LogSource, shown
from gpualert_slurm.rank import Hole, RankExit, RankLog
from gpualert_slurm.series import Series
from gpualert_slurm.time_index import StreamName, TimeIndex
from gpualert_slurm.wishes import Wishes

EXCERPT_BYTES = (16_384, 65_536)
EXCERPT_LOGS = 4
MOST_POINTS = 400
MOST_EVIDENCE = 6000
"""Of one run; a log's own share is what is left of it, at least 50 pieces."""


@dataclass(frozen=True)
class Whose:
    """The run that logs belong to, for the head of its reports. ``node`` stands for logs that name none; empty: unknown."""

    attempt: Attempt
    uid: int = 0
    user: str | None = None
    node: str = ""
    boot_id: str = ""
    wishes: Wishes = field(default_factory=Wishes)
    work_dir: str | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    rank: int | None = None
    """The rank of a task whose record names none: a command outside Slurm is its run's only rank."""


def reports(found: Found, whose: Whose) -> tuple[NodeReport, ...]:
    """One report for each node that the logs and records name, in name order. Never raises for what a log holds."""
    read: dict[str, list[tuple[RankLog, ParsedLog, Excerpt | None]]] = {}
    left = MOST_EVIDENCE
    for source in found.logs:
        log = rank_log(source, whose)
        one = _read(source, log, max(50, left))
        left -= len(one[0].evidence)
        read.setdefault(log.node, []).append((log, *one))
    exits: dict[str, list[RankExit]] = {}
    for record in found.exits:
        exits.setdefault(record.node, []).append(rank_exit(record, whose))
    names = sorted({*read, *exits})
    return tuple(_report(name, read.get(name, []), exits.get(name, []), found, whose, first=name == names[0]) for name in names)


def rank_log(source: LogSource, whose: Whose) -> RankLog:
    """The log in the project's words; times of a plain file are unknown."""
    frame, kept = source.frame, source.frame.head + source.frame.tail
    index = TimeIndex.read(source.index_path) if source.index_path else None
    return RankLog(
        path=shown(source.path),
        node=source.node or whose.node,
        step=source.step or "",
        stream="both" if source.both_streams else source.stream,
        rank=whose.rank if source.rank is None and source.step == "run" else source.rank,
        local_rank=source.local_rank,
        index_path=shown(source.index_path) if source.index_path else None,
        bytes_seen=frame.footer.bytes if frame.footer else kept + frame.hole,
        bytes_kept=kept,
        holes=(Hole(offset=frame.head, length=frame.hole),) if frame.hole else (),
        output_error=frame.footer.output_error if frame.footer else None,
        log_error=frame.footer.log_error if frame.footer else None,
        last_write_ns=index.last_arrival(source.stream) if index else None,
    )


def rank_exit(record: ExitRecord, whose: Whose) -> RankExit:
    """The task's end; the only task of a command outside Slurm gets that run's rank."""
    end = record.rank_exit()
    return end.model_copy(update={"rank": whose.rank}) if end.rank is None and end.step == "run" else end


def _read(source: LogSource, log: RankLog, max_evidence: int) -> tuple[ParsedLog, Excerpt | None]:
    from gpualert_slurm.classifier import scan
    from gpualert_slurm.epilog.collect_log_work import cut_excerpt

    where = Where(node=log.node or None, rank=log.rank, local_rank=log.local_rank, step=log.step or None)
    index = TimeIndex.read(source.index_path) if source.index_path else None
    arrival = arrivals(source.frame, index, source.stream) if index is not None else None
    try:
        with open_log(source.path, source.frame) as stream:
            parsed = scan(stream, log.path, where, arrival, max_evidence)
        if index is not None and (grew := growth(index, source.stream, where)) is not None:
            parsed = parsed.model_copy(update={"series": (*parsed.series, grew)})
        with source.path.open("rb") as file:
            return parsed, cut_excerpt(file.fileno(), source.frame, log, EXCERPT_BYTES)
    except (OSError, MemoryError, RecursionError) as error:
        gap = Gap(what=f"log {log.path}", why=str(error) or type(error).__name__, node=log.node or None, rank=log.rank)
        return ParsedLog(path=log.path, bytes_read=0, gaps=(gap,)), None


def growth(index: TimeIndex, stream: StreamName, where: Where) -> Series | None:
    """The log's size by its time index, in bytes, as a node's service samples it: the last MOST_POINTS records; None where nothing was written."""
    points = index.points(stream)
    sizes = [offset for _, offset in points[1:]] + [index.length(stream) or 0]
    if not points or sizes[-1] <= points[-1][1]:  # not closed: how much came with the last record is not known
        points, sizes = points[:-1], sizes[:-1]
    if not points:
        return None
    times = tuple(at for at, _ in points[-MOST_POINTS:])
    values = tuple(float(size) for size in sizes[-MOST_POINTS:])
    return Series(name="log_bytes", where=where, unit="bytes", times_ns=times, values=values, points_seen=len(points))


def _report(
    node: str, read: Sequence[tuple[RankLog, ParsedLog, Excerpt | None]], exits: Sequence[RankExit], found: Found, whose: Whose, *, first: bool
) -> NodeReport:
    logs = [log for log, _, _ in read]
    return NodeReport(
        attempt=whose.attempt,
        uid=whose.uid,
        user=whose.user,
        node=node,
        nodes=node,
        boot_id=whose.boot_id,
        wishes=whose.wishes,
        work_dir=whose.work_dir,
        job_started_ns=whose.started_ns,
        job_ended_ns=whose.ended_ns,
        written_ns=time.time_ns(),
        logs=tuple(logs),
        exits=tuple(exits),
        evidence=tuple(e for _, parsed, _ in read for e in parsed.evidence),
        series=tuple(s for _, parsed, _ in read for s in parsed.series),
        excerpts=tuple(_excerpts(read, exits)),
        gaps=(*(found.gaps if first else ()), *_unkept(logs), *(g for _, parsed, _ in read for g in parsed.gaps), *_empty(logs)),
    )


def _excerpts(read: Sequence[tuple[RankLog, ParsedLog, Excerpt | None]], exits: Iterable[RankExit]) -> list[Excerpt]:
    """Of the logs that tell most: a failed task's, then those with an error in them; stderr before stdout."""
    bad = {(e.step, e.local_rank) for e in exits if e.failed}

    def worth(item: tuple[RankLog, ParsedLog, Excerpt | None]) -> tuple[bool, bool, int, bool]:
        log, parsed, _ = item
        silent = not any(e.role in (Role.ROOT, Role.CONFIRMATION) for e in parsed.evidence)
        return (log.step, log.local_rank) not in bad, silent, log.rank if log.rank is not None else 1 << 30, log.stream == "out"

    chosen = [excerpt for _, _, excerpt in sorted(read, key=worth) if excerpt is not None and excerpt.bytes_total]
    return chosen[:EXCERPT_LOGS]


def _unkept(logs: Sequence[RankLog]) -> Iterator[Gap]:
    """What capture left out of a log, and what became of the run's own output."""
    for log in logs:
        said = [(f"{h.length} bytes from byte {h.offset} on of {log.path}", "capture keeps head and tail") for h in log.holes]
        if log.log_error:
            said.append((f"the end of {log.path}", f"writing the log failed: {log.log_error}"))
        if log.output_error:
            said.append((f"output of {log.path} at its own place", f"writing there failed, which the command did not see: {log.output_error}"))
        for what, why in said:
            yield Gap(what=what, why=why, node=log.node or None, rank=log.rank)


def _empty(logs: Sequence[RankLog]) -> list[Gap]:
    with suppress(IndexError):
        if not any(log.bytes_kept for log in logs):
            return [Gap(what=f"output in {logs[0].path}" + (f" and {len(logs) - 1} more" if len(logs) > 1 else ""), why="nothing was written there")]
    return []
