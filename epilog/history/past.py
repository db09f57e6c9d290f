"""Earlier verdicts that belong to a job's story, without telling one user about another's jobs."""

from __future__ import annotations

import re
import sqlite3
import zlib
from functools import lru_cache

from gpualert_slurm.cause import Cause
from gpualert_slurm.epilog.history.run import Judged
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import UNNAMED_PLACE, PastVerdict
from gpualert_slurm.record import Record

LIMIT = 10
"""Of each relation, the newest."""
NODE_DAYS, NAME_DAYS = 30, 90
MAX_VERDICT_BYTES = 16 << 20
DAY_NS = 86_400 * 1_000_000_000
_ON_NODE = (
    "SELECT verdict.id, label, verdict.uid, mode, cause, verdict.fault, verdict.ended_ns, nodes, head_loss, tail_loss, gpu_hours, fingerprint"
    " FROM verdict_node JOIN verdict ON verdict.id = verdict_id"
    " WHERE node = ? AND verdict_node.ended_ns BETWEEN ? AND ? AND cluster = ? AND job_id != ?"
)
_NEWEST = "ORDER BY verdict_node.ended_ns DESC LIMIT ?"
_DEPENDENCY = re.compile(r"(?:^|\s)(?:-d\s*|--dependency[=\s])['\"]?((?:after\w*:[\d_:+]+[,?]?)+)")
_AFTER = re.compile(r"after\w{0,12}:([\d_+:]{1,400})")
_RESUMES = re.compile(r"resume|--load\b|ckpt|checkpoint|restore", re.IGNORECASE)
"""A command line with such a word may name a checkpoint of an earlier job: the classifier decides whether it does."""


def look_up(database: sqlite3.Connection, record: JobRecord) -> tuple[PastVerdict, ...]:
    """Verdicts on the same nodes (other people's only where the node was at fault, and without their job), on jobs of
    the same user and name, and on jobs this one depends on (same user only). Where a command line speaks of a checkpoint, also the user's
    other recent jobs that saved some: they count as ``same_name``, for the checkpoint's name joins them.
    """
    begun = record.started_ns or record.ended_ns or 0
    found: list[PastVerdict] = []
    for job_id in parents(record):
        found += [
            _past(row, "parent", row["label"])
            for row in database.execute(
                "SELECT * FROM verdict WHERE cluster = ? AND job_id = ? AND uid = ? AND ended_ns <= ? AND newest ORDER BY ended_ns DESC LIMIT 1",
                (record.attempt.cluster, job_id, record.uid, begun + DAY_NS),
            )
        ]
    if record.name:
        found += [
            _past(row, "same_name", row["label"])
            for row in database.execute(
                "SELECT * FROM verdict WHERE cluster = ? AND uid = ? AND job_name = ? AND newest AND ended_ns BETWEEN ? AND ? AND job_id != ?"
                " ORDER BY ended_ns DESC LIMIT ?",
                (record.attempt.cluster, record.uid, record.name, begun - NAME_DAYS * DAY_NS, begun, record.attempt.job_id, LIMIT),
            )
        ]
    if resumes(record):
        known = {one.job for one in found}
        for row in database.execute(
            "SELECT * FROM verdict WHERE cluster = ? AND uid = ? AND newest AND head_loss IS NOT NULL AND ended_ns BETWEEN ? AND ? AND job_id != ?"
            " ORDER BY ended_ns DESC LIMIT ?",
            (record.attempt.cluster, record.uid, begun - NAME_DAYS * DAY_NS, begun, record.attempt.job_id, LIMIT),
        ):
            past = _past(row, "same_name", row["label"])
            if past.checkpoints and past.job not in known:
                found.append(past)
    seen: set[int] = set()
    span = (begun - NODE_DAYS * DAY_NS, begun)
    for node in record.nodes[:256]:
        asked = (node, *span, record.attempt.cluster, record.attempt.job_id)
        rows = database.execute(f"{_ON_NODE} AND verdict_node.uid = ? {_NEWEST}", (*asked, record.uid, LIMIT)).fetchall()
        rows += database.execute(f"{_ON_NODE} AND verdict_node.fault = 'node' {_NEWEST}", (*asked, LIMIT)).fetchall()
        for row in sorted(rows, key=lambda row: -row["ended_ns"])[:LIMIT]:
            if row["id"] not in seen and len(seen) < LIMIT:
                seen.add(row["id"])
                found.append(_past(row, "node", row["label"]) if row["uid"] == record.uid else _elsewhere(row, node))
    return tuple(found)


def parents(record: JobRecord) -> list[int]:
    """Job ids the submit line depends on (``--dependency=afterok:12:13``)."""
    row = record.accounting[-1] if record.accounting else None
    found = _DEPENDENCY.search((row.submit_line if row else None) or "")
    asked = [found[1]] if found else []
    asked += [text for text in (row.dependency if row else None,) if text and _AFTER.search(text)]
    asked += sorted({p.environment["SLURM_JOB_DEPENDENCY"] for r in record.reports for p in r.processes if "SLURM_JOB_DEPENDENCY" in p.environment})
    ids = [int(i) for text in asked for i in re.findall(r"(?<=:)\d{1,10}", text)]
    return [i for i in dict.fromkeys(ids) if i != record.attempt.job_id][:LIMIT]


def resumes(record: JobRecord) -> bool:
    """Whether a command line of the job speaks of going on from a checkpoint."""
    lines = [" ".join(p.command) for r in record.reports for p in r.processes] + [" ".join(record.command)]
    lines += [record.accounting[-1].submit_line or ""] if record.accounting else []
    return any(_RESUMES.search(line) for line in lines)


def earlier_attempt(judged: Judged, *, saved: bool) -> PastVerdict:
    """An attempt of the same job, as the next attempt's record has it; ``saved``: it said that it had saved a checkpoint."""
    record, verdict = judged.record, judged.verdict
    head, tail = judged.losses or losses(record)
    return PastVerdict(
        relation="earlier_attempt", job=record.attempt.label, mode=verdict.mode, cause=verdict.cause, fault=verdict.fault.value,
        ended_ns=record.ended_ns, nodes=",".join(record.nodes)[:4096] or None, head_loss=head, tail_loss=tail, gpu_hours=gpu_hours(record),
        fingerprint=verdict.fingerprint, steps_done=verdict.steps_done, checkpoints=verdict.checkpoints or ((UNNAMED_PLACE,) if saved else ()),
    )


def has_saved(record: JobRecord) -> bool:
    """Whether the run said that it had saved a checkpoint."""
    return any(e.says == "checkpoint_saved" for report in record.reports for e in report.evidence)


def losses(record: JobRecord) -> tuple[float | None, float | None]:
    """First and last value of the longest loss series."""
    series = [s for report in record.reports for s in report.series if s.name == "loss" and s.values]
    if not series:
        return None, None
    longest = max(series, key=lambda s: (max(s.points_seen, len(s.values)), -(s.where.rank or 0)))
    return longest.values[0], longest.values[-1]


def gpu_hours(record: JobRecord) -> float | None:
    """GPUs times hours of the run, from the allocation (``gres/gpu=2``); None without either."""
    if not record.accounting:
        return None
    row = record.accounting[-1]
    found = re.search(r"(?:^|,)gres/gpu=(\d+)", row.tres_alloc or "")
    return int(found[1]) * row.elapsed_s / 3600 if found and row.elapsed_s is not None else None


class _Told(Record):
    """What a past verdict is read for; the rest of it is not looked at beyond being JSON."""

    steps_done: int | None = None
    checkpoints: tuple[str, ...] = ()


@lru_cache(maxsize=LIMIT * 20)  # the jobs of one user and name have the same past, but for the last of them
def _told(packed: bytes) -> tuple[int | None, tuple[str, ...]]:
    """Steps done and places saved to, out of the verdict itself; nothing where it cannot be read."""
    try:
        told = _Told.model_validate_json(zlib.decompressobj().decompress(packed, MAX_VERDICT_BYTES))
    except (zlib.error, ValueError):
        return None, ()
    return told.steps_done, told.checkpoints


def _past(row: sqlite3.Row, relation: str, job: str) -> PastVerdict:
    steps_done, checkpoints = _told(row["content"]) if relation in {"parent", "same_name"} else (None, ())
    return PastVerdict(
        relation=relation, job=job, mode=row["mode"], cause=Cause(row["cause"]) if row["cause"] else None, fault=row["fault"],
        ended_ns=row["ended_ns"], nodes=row["nodes"], head_loss=row["head_loss"], tail_loss=row["tail_loss"], gpu_hours=row["gpu_hours"],
        fingerprint=row["fingerprint"], steps_done=steps_done, checkpoints=checkpoints,
    )


def _elsewhere(row: sqlite3.Row, node: str) -> PastVerdict:
    return PastVerdict(relation="node", job="another user's job", mode=row["mode"], fault=row["fault"], ended_ns=row["ended_ns"], nodes=node)
