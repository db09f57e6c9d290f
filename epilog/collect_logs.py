"""A job's logs, read and parsed as the job's user, one child a log: a log that kills its reader costs that log only."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gpualert_slurm.config import Node
from gpualert_slurm.epilog.collect_account import Account
from gpualert_slurm.epilog.collect_log_work import LogWork, Scan
from gpualert_slurm.epilog.collect_user import Answer, Limits, run_as
from gpualert_slurm.evidence import Evidence, Quote, Trust, Where
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.gap import Gap
from gpualert_slurm.parsed_log import ParsedLog
from gpualert_slurm.rank import RankExit, RankLog
from gpualert_slurm.rank_log import HEADER_BYTES, MARK_BYTES
from gpualert_slurm.series import FROM_LOGS, Series
from gpualert_slurm.time_index import TimeIndex

MOST_EVIDENCE_PER_LOG = 2000
MOST_EVIDENCE = 6000
MOST_SERIES = 400
_MOST_POINTS = 5000
_MOST_TEXT = 4096
_MOST_DATA = 40
_STEPD_BYTES = 1 << 20
_FRAME_SLACK = HEADER_BYTES + MARK_BYTES + 4096
_UNRECORDED_BYTES = 64 << 20
_ENOUGH_S = 5.0
_SKIP_BYTES_PER_S = 8e6
"""How fast a parser gets through blanks on a busy node; an idle core does 40 MB/s."""
_ID = re.compile(r"q[0-9a-f]{15}")
@dataclass
class LogFindings:
    """What the logs gave, all of it USER."""

    evidence: list[Evidence] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    excerpts: list[Excerpt] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


def in_order(logs: Sequence[RankLog], exits: Sequence[RankExit]) -> list[RankLog]:
    """The logs by what they are worth: of failed tasks first, the earliest failure leading; then by step and rank; stderr before stdout."""
    ends = {(e.step, e.local_rank): e.end_time_ns or 0 for e in exits if e.failed}
    worst = max(ends.values(), default=0)

    def worth(log: RankLog) -> tuple[bool, int, str, int, bool]:
        key = (log.step, -1 if log.local_rank is None else log.local_rank)
        return key not in ends, ends.get(key, worst), log.step, log.rank if log.rank is not None else 1 << 30, log.stream == "out"

    return sorted(logs, key=worth)


@dataclass(frozen=True)
class LogReader:
    """Reads the logs of one job as its user. Never raises for what a log or its reader does."""

    account: Account
    scan: Scan
    bounds: Node
    node: str

    def logs(self, logs: Sequence[RankLog], until: float) -> LogFindings:
        """Parse ``logs`` in the order given until the monotonic time ``until``; the first ``excerpt_ranks`` tasks get excerpts."""
        found = LogFindings()
        tasks: list[tuple[str, int | None]] = []
        for number, log in enumerate(logs):
            task = (log.step, log.local_rank)
            if task not in tasks:
                tasks.append(task)
            left = until - time.monotonic()
            if left < 0.1:
                found.gaps.append(Gap(what=f"the log {log.path}", why="no time was left to read it", node=self.node, rank=log.rank))
                continue
            sizes = (self.bounds.excerpt_head_bytes, self.bounds.excerpt_tail_bytes) if tasks.index(task) < self.bounds.excerpt_ranks else None
            most = _UNRECORDED_BYTES if log.bytes_kept is None else log.bytes_kept + _FRAME_SLACK
            index = TimeIndex.read(Path(log.index_path)) if log.index_path is not None else None
            # Half of what is left: a log that hangs its reader leaves time for the next.
            share = left if number == len(logs) - 1 else max(left / 2, min(left, _ENOUGH_S))
            hurry_at = time.monotonic() + share - _to_the_end_s(share, log)
            work = LogWork(log, self.account.uid, self.scan, index, most, sizes, MOST_EVIDENCE_PER_LOG, hurry_at=hurry_at)
            _take(found, log, run_as(self.account, work, self._limits(share)))
        return found

    def stepd_log(self, path: Path, step: str, until: float) -> LogFindings:
        """What slurmstepd said on the job's stderr: root's file, lent to the user's child as an open descriptor, for it quotes what users chose."""
        found = LogFindings()
        with suppress(OSError):
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                log = RankLog(path=str(path), node=self.node, step=step, stream="err")
                work = LogWork(log, self.account.uid, self.scan, None, _STEPD_BYTES, None, MOST_EVIDENCE_PER_LOG, lent=fd)
                _take(found, log, run_as(self.account, work, self._limits(max(1.0, until - time.monotonic())), lend=(fd,)))
            finally:
                os.close(fd)
        return found

    def _limits(self, deadline_s: float) -> Limits:
        return Limits(deadline_s=deadline_s, memory_mib=self.bounds.parse_max_memory_mib)


def _to_the_end_s(share_s: float, log: RankLog) -> float:
    """Of a log's time, what is kept back for getting to its end: half, or what skipping through a large one takes, but not all."""
    return min(0.8 * share_s, max(share_s / 2, 2 + (log.bytes_kept or 0) / _SKIP_BYTES_PER_S))


def _take(found: LogFindings, log: RankLog, answer: Answer) -> None:
    """Believe of a child's answer what is well formed, and no more than a user may say."""
    nonsense = sum(not _made_sense(found, log, frame) for frame in answer.frames)
    if nonsense:
        found.gaps.append(Gap(what=f"part of what was read in {log.path}", why="its reader's answer makes no sense", node=log.node, rank=log.rank))
    if answer.cut_short is not None:
        found.gaps.append(Gap(what=f"what the log {log.path} says", why=f"reading it: {answer.cut_short}", node=log.node, rank=log.rank))


def _made_sense(found: LogFindings, log: RankLog, frame: bytes) -> bool:
    try:
        _take_frame(found, log, frame)
    except ValueError:
        return False
    return True


def _take_frame(found: LogFindings, log: RankLog, frame: bytes) -> None:
    kind, body = frame[:1], frame[1:]
    if kind == b"G":
        gap = Gap.model_validate_json(body)
        found.gaps.append(Gap(what=gap.what[:500], why=gap.why[:500], node=log.node, rank=log.rank))
    elif kind == b"X":
        excerpt = Excerpt.model_validate_json(body)
        found.excerpts.append(excerpt.model_copy(update={"path": log.path, "where": _ours(excerpt.where, log), "stream": log.stream}))
    elif kind == b"P":
        _take_parsed(found, log, ParsedLog.model_validate_json(body))


def _take_parsed(found: LogFindings, log: RankLog, parsed: ParsedLog) -> None:
    known = {e.id for e in found.evidence}
    refused = 0
    for evidence in parsed.evidence[:MOST_EVIDENCE_PER_LOG]:
        stamped = stamp(evidence, log) if len(found.evidence) < MOST_EVIDENCE else None
        if stamped is None or stamped.id in known:
            refused += 1
            continue
        known.add(stamped.id)
        found.evidence.append(stamped)
    refused += max(0, len(parsed.evidence) - MOST_EVIDENCE_PER_LOG)
    if refused:
        found.gaps.append(Gap(what=f"{refused} findings in {log.path}", why="malformed, or more than a report carries", node=log.node, rank=log.rank))
    for series in parsed.series[: MOST_SERIES - len(found.series)]:
        if len(series.values) <= _MOST_POINTS and series.name in FROM_LOGS:
            found.series.append(series.model_copy(update={"where": _ours(series.where, log)}))
    for gap in parsed.gaps[:20]:
        found.gaps.append(Gap(what=gap.what[:500], why=gap.why[:500], node=log.node, rank=log.rank))


def stamp(evidence: Evidence, log: RankLog) -> Evidence | None:
    """The evidence as USER's, about this log and this node only; None for what a log's reader cannot rightly say."""
    quote = evidence.source
    if not isinstance(quote, Quote) or quote.file != log.path or len(quote.text) > _MOST_TEXT or not _ID.fullmatch(evidence.id):
        return None
    if len(evidence.data) > _MOST_DATA or any(len(k) > 64 or (isinstance(v, str) and len(v) > _MOST_TEXT) for k, v in evidence.data.items()):
        return None
    short = {"says": evidence.says[:64], "detail": evidence.detail and evidence.detail[:500], "pattern": evidence.pattern and evidence.pattern[:200]}
    return evidence.model_copy(update={**short, "trust": Trust.USER, "where": _ours(evidence.where, log)})


def _ours(where: Where, log: RankLog) -> Where:
    """A reader may say which rank and pid spoke (a prefix on the line); the node, the step and the GPU are not its to say."""
    return Where(node=log.node, rank=where.rank, local_rank=where.local_rank, pid=where.pid, step=log.step)
