"""Attempts that ended before the last one in the same log: out of what is judged, and offered as history."""

from __future__ import annotations

from gpualert_slurm.classifier.failure import is_root
from gpualert_slurm.classifier.parents import saved_to
from gpualert_slurm.evidence import Evidence, Quote, Role
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.past_verdict import UNNAMED_PLACE, PastVerdict
from gpualert_slurm.series import Series

MOST = 4
"""Earlier attempts that are told of."""
ENDED = frozenset({"time_limit_text", "preempted_text", "node_failure_text", "step_cancelled", "killed"})
"""What, beside an error, tells of an attempt's end."""
SAVED = "checkpoint_saved"


def last_attempts(job: JobRecord) -> JobRecord:
    """The record with what its logs say of their last attempts; the ends of earlier ones stay as history and decide nothing.

    Of a log that cannot be split, what arrived surely before its rank's last attempt began (by the rank's other log) goes as well.
    """
    several = {(r.node, e.source.file) for r in job.reports for e in r.evidence if e.attempt is not None and isinstance(e.source, Quote)}
    if not several:
        return job
    reports, told = [], dict[int, list[Evidence]]()
    series: dict[int, list[Series]] = {}
    for report in job.reports:
        last = _last(report)
        begins = _begins(report, last)
        kept: list[Evidence] = []
        for one in report.evidence:
            number = _number(one, last, begins)
            if number is None:
                kept.append(one)
            else:
                told.setdefault(number, []).append(one)
        numbers = {s.attempt for s in report.series if s.attempt is not None}
        newest = max(numbers, default=None)
        for line in report.series:
            if line.attempt is not None and line.attempt != newest:
                series.setdefault(line.attempt - (newest or 0), []).append(line)
        current = tuple(s for s in report.series if s.attempt is None or s.attempt == newest)
        reports.append(report.model_copy(update={"evidence": tuple(kept), "series": current}))
    numbers_told = sorted(told, reverse=True)[:MOST]
    ends = [_ending(number, told[number]) for number in reversed(numbers_told)]
    if reports:
        reports[0] = reports[0].model_copy(update={"evidence": (*(e for e in ends if e is not None), *reports[0].evidence)})
    past = tuple(_past(job, n, told[n], series.get(n, [])) for n in reversed(numbers_told) if any(e.says == SAVED for e in told[n]))
    return job.model_copy(update={"reports": tuple(reports), "past": (*job.past, *past), "gaps": (*job.gaps, *_said(len(several), told))})


def _last(report: NodeReport) -> dict[str, int]:
    """By file: the number of its last attempt."""
    last: dict[str, int] = {}
    for one in report.evidence:
        if one.attempt is not None and isinstance(one.source, Quote):
            last[one.source.file] = max(one.attempt, last.get(one.source.file, 1))
    return last


def _begins(report: NodeReport, last: dict[str, int]) -> dict[tuple[str | None, int | None], int]:
    """By step and rank: when the last attempt began at the earliest, where times are known."""
    begins: dict[tuple[str | None, int | None], int] = {}
    for one in report.evidence:
        if one.says == "attempt_began" and one.time_ns is not None and isinstance(one.source, Quote) and one.attempt == last[one.source.file]:
            key = (one.where.step, one.where.rank)
            begins[key] = max(one.time_ns - (one.uncertainty_ns or 0), begins.get(key, 0))
    return begins


def _number(one: Evidence, last: dict[str, int], begins: dict[tuple[str | None, int | None], int]) -> int | None:
    """How the evidence's attempt counts from the last one (-1, -2, …); None for what is judged."""
    if not isinstance(one.source, Quote):
        return None
    newest = last.get(one.source.file)
    if newest is not None:
        return one.attempt - newest if one.attempt is not None and one.attempt < newest else None
    began = begins.get((one.where.step, one.where.rank))
    return -1 if began is not None and one.time_ns is not None and one.time_ns + (one.uncertainty_ns or 0) < began else None


def _ending(number: int, said: list[Evidence]) -> Evidence | None:
    """What ended an earlier attempt, by its own last words, under a name that no mode asks for."""
    found = _end(said)
    if found is None:
        return None
    words = f"{found.data['type']}: {found.data.get('message', '')}" if "type" in found.data else getattr(found.source, "text", found.says)
    data = {"before_last": -number, "said": str(words).strip()[:120]}
    return found.model_copy(update={"id": f"e{found.id[1:]}", "says": "earlier_attempt", "role": Role.RECOVERED, "data": data})


def _end(said: list[Evidence]) -> Evidence | None:
    roots = [e for e in said if is_root(e)]
    whole = [e for e in roots if not e.data.get("bare")]
    other = [e for e in said if e.says in ENDED]
    return next(reversed(whole or roots or other), None)


def _past(job: JobRecord, number: int, said: list[Evidence], series: list[Series]) -> PastVerdict:
    """An earlier attempt that saved something, as history: the last one could have gone on from it."""
    end = _end(said)
    saved = [e for e in said if e.says == SAVED]
    loss = max((s for s in series if s.name == "loss" and s.values), key=lambda s: s.points_seen, default=None)
    steps = [step for e in said if e.says == "progress" and isinstance(step := e.data.get("step"), int)]
    return PastVerdict(
        relation="earlier_attempt",
        job=f"{job.attempt.label}, {-number} before the last in its log",
        mode="unknown",
        cause=end.cause if end is not None else None,
        fault="unknown",
        ended_ns=end.time_ns if end is not None else None,
        head_loss=loss.values[0] if loss is not None else None,
        tail_loss=loss.values[-1] if loss is not None else None,
        steps_done=max(steps, default=None),
        checkpoints=saved_to(saved) or (UNNAMED_PLACE,),
    )


def _said(logs: int, told: dict[int, list[Evidence]]) -> tuple[Gap, ...]:
    if not told:
        return ()
    what = f"earlier attempts in {logs} log{'s' if logs != 1 else ''}"
    return (Gap(what=what, why=f"only the last of {-min(told) + 1} is judged; the first and the last of each kind are kept"),)
