"""Times that lines print themselves: read where there is no time index, and never taken for more exact than they are.

Forms: ISO 8601 and Python's logging (``2026-11-20 16:30:00,123``), glog and torch's C++ (``W1121 10:00:00.123456``), syslog
(``Nov 20 16:30:00``), torchelastic's summary (``2026-01-01_00:00:00``), slurmstepd's ``CANCELLED AT``. Few name a zone: which one
it is is told by what else the record knows (below), or stays unknown.
"""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, timezone

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.evidence import Evidence, TimeSource
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord

ZONE_NS = 14 * 3600 * 10**9
"""Zones lie between UTC-12 and UTC+14 (IANA's time zone database)."""
QUARTER_NS = 15 * 60 * 10**9
"""Every zone is a multiple of this away from UTC."""
DELAY_NS = 120 * 10**9
"""What is printed can arrive later than it was printed (a pipe's buffer): up to so much is taken for the same zone."""
SLACK_NS = 60 * 10**9
"""Slurm's start and end of a job against the clocks of its nodes."""
MOST_TEXT = 64
_FORMS = (
    re.compile(
        r"(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)[ T_](?P<clock>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{1,9}))?(?P<zone>Z|[+-]\d\d:?\d\d)?"
    ),
    re.compile(r"(?P<month>\d\d)(?P<day>\d\d) (?P<clock>\d\d:\d\d:\d\d)\.(?P<part>\d{1,9})"),
    re.compile(r"(?P<name>[A-Z][a-z]{2}) (?P<day>[ \d]\d) (?P<clock>\d\d:\d\d:\d\d)(?:\.(?P<part>\d{1,9}))?"),
)
_GLOG = re.compile(r"^\[?[IWEF](\d{4} \d\d:\d\d:\d\d\.\d{1,9}) ")
_MONTHS = {name: number for number, name in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1)}
_HEADS = re.compile(r"\b(?:ERROR|CRITICAL|FATAL|[Ee]xception)\b|^\[?[EF]\d{4} ")
LOOK_BACK_BYTES = 4096
_ANY_YEAR_NS = 4_000_000_000 * 10**9


class Printed:
    """One time as it was printed: ``ns`` since the epoch as if its zone were UTC, to ``step_ns``; ``zoned`` where it named its zone."""

    __slots__ = ("ns", "step_ns", "zoned")

    def __init__(self, ns: int, step_ns: int, *, zoned: bool) -> None:
        self.ns, self.step_ns, self.zoned = ns, step_ns, zoned


def stamp_of(line: Line, data: dict[str, str | int | float | bool]) -> str | None:
    """The time that a line prints of itself, verbatim: by its prefix, in glog's way, or where its parser read one; None where it prints none."""
    found = _GLOG.match(line.text)
    told = data.get("at") or data.get("time")
    for text in (line.speaker.stamp, found[1] if found else None, told):
        if isinstance(text, str) and len(text) <= MOST_TEXT and any(form.fullmatch(text) for form in _FORMS):
            return text
    return None


def pause_s(before: Line, after: Line) -> float | None:
    """Seconds from one line to another by what they print; None where one prints no time, or only one of them a zone."""
    texts = stamp_of(before, {}), stamp_of(after, {})
    first, second = (read(text, _ANY_YEAR_NS) if text is not None else None for text in texts)
    if first is None or second is None or first.zoned is not second.zoned:
        return None
    return (second.ns - first.ns) / 1e9


def head_of(above: Line) -> str | None:
    """The time in the line above an exception's traceback, where that line is the head of the same record: it speaks of an error."""
    return stamp_of(above, {}) if _HEADS.search(above.text) else None


def read(text: str, before_ns: int | None = None) -> Printed | None:
    """What a stamp says; None where it is no date.

    One without a year is of the last year in which it lies before ``before_ns``, and none where that is not known.
    """
    found = next((match for form in _FORMS if (match := form.fullmatch(text))), None)
    if found is None:
        return None
    parts = found.groupdict()
    month = _MONTHS.get(parts["name"]) if parts.get("name") else int(parts["month"])
    fraction = parts["part"] or ""
    step_ns = 10 ** (9 - len(fraction))
    try:
        clock = time.fromisoformat(parts["clock"])
        if parts.get("year"):
            at = datetime.combine(datetime(int(parts["year"]), month or 0, int(parts["day"]), tzinfo=timezone.utc), clock, timezone.utc)
        elif before_ns is None:
            return None
        else:
            latest = datetime.fromtimestamp(before_ns / 1e9, timezone.utc) + timedelta(hours=14)
            years = (latest.year, latest.year - 1)
            whole = (datetime.combine(datetime(y, month or 0, int(parts["day"]), tzinfo=timezone.utc), clock, timezone.utc) for y in years)
            at = next((one for one in whole if one <= latest), None) or datetime.fromtimestamp(0, timezone.utc)
    except (ValueError, OverflowError):
        return None
    ns = int(at.timestamp()) * 10**9 + (int(fraction) * step_ns if fraction else 0)
    zone = parts.get("zone")
    if zone and zone != "Z":
        minutes = int(zone[1:3]) * 60 + int(zone[-2:])
        ns += (-1 if zone[0] == "+" else 1) * minutes * 60 * 10**9
    return Printed(ns, step_ns, zoned=bool(zone)) if ns > 0 else None


def dated(job: JobRecord) -> JobRecord:
    """The record with the times that its evidence prints, where its log has no time index.

    A zone is known by the line itself; else by evidence that has both a printed time and one of arrival; else where only one zone lets all
    printed times lie between the job's start and end. In a record without any other clock the printed times stand as they are, the zone
    being the same for all: they are in order, and each may be off by ZONE_NS. Else they are left out.
    """
    wanted = any(e.printed is not None and e.time_ns is None for r in job.reports for e in r.evidence)
    if not wanted:
        return job
    before_ns = max((r.written_ns for r in job.reports), default=None)
    stamps = {id(e): found for r in job.reports for e in r.evidence if e.printed is not None and (found := read(e.printed, before_ns)) is not None}
    zone, source = _zone(job, stamps)
    reports, unsure = [], False
    for report in job.reports:
        evidence = []
        for one in report.evidence:
            stamp = stamps.get(id(one))
            if one.time_ns is not None or stamp is None or not (stamp.zoned or source is not None):
                evidence.append(one)
                continue
            unknown = not stamp.zoned and source is TimeSource.PRINTED_ZONE_UNKNOWN
            unsure = unsure or unknown
            time_ns = stamp.ns + stamp.step_ns // 2 - (0 if stamp.zoned else zone)
            uncertainty_ns = stamp.step_ns // 2 + (ZONE_NS if unknown else 0)
            by = TimeSource.PRINTED if stamp.zoned else source
            evidence.append(one.model_copy(update={"time_ns": time_ns, "uncertainty_ns": uncertainty_ns, "time_source": by}))
        reports.append(report.model_copy(update={"evidence": tuple(evidence)}))
    why = "the logs print it without a zone, and no other clock is known: they may be off by up to 14 h, in an unknown zone; their order is not"
    gaps = (*job.gaps, Gap(what="the times of day", why=why)) if unsure else job.gaps
    return job.model_copy(update={"reports": tuple(reports), "gaps": gaps})


def _zone(job: JobRecord, stamps: dict[int, Printed]) -> tuple[int, TimeSource | None]:
    """How far the zone of stamps that name none lies from UTC, and how that is known; None where it is not."""
    plain = [(e, stamps[id(e)]) for r in job.reports for e in r.evidence if id(e) in stamps and not stamps[id(e)].zoned]
    offsets = [stamp.ns - e.time_ns for e, stamp in plain if e.time_ns is not None and e.time_source in {None, TimeSource.ARRIVAL}]
    if offsets:
        zones = {_quarter(off) for off in offsets if abs(off - _quarter(off)) <= DELAY_NS}
        return (zones.pop(), TimeSource.PRINTED_ZONE_BY_INDEX) if len(zones) == 1 else (0, None)
    row = job.accounting[-1] if job.accounting else None
    starts = [t for t in (row.start_ns if row else None, job.started_ns, *(r.job_started_ns for r in job.reports)) if t is not None]
    ends = [t for t in (row.end_ns if row else None, job.ended_ns, *(r.job_ended_ns for r in job.reports)) if t is not None]
    times = [stamp.ns for _, stamp in plain]
    if starts and ends and times:
        first, last = min(times), max(times)
        lowest, highest = last - max(ends) - SLACK_NS, first - min(starts) + SLACK_NS
        fitting = range(-(-lowest // QUARTER_NS), highest // QUARTER_NS + 1)
        zones_ns = [n * QUARTER_NS for n in fitting[:3] if -12 * 4 <= n <= 14 * 4]
        return (zones_ns[0], TimeSource.PRINTED_ZONE_BY_JOB) if len(zones_ns) == 1 else (0, None)
    if starts or ends or _other_clock(job):
        return 0, None
    return 0, TimeSource.PRINTED_ZONE_UNKNOWN


def _other_clock(job: JobRecord) -> bool:
    """Whether anything in the record has a time that is no printed one."""
    return any(
        any(e.time_ns is not None for e in r.evidence) or any(e.end_time_ns is not None for e in r.exits) or any(log.last_write_ns for log in r.logs)
        for r in job.reports
    )


def _quarter(off_ns: int) -> int:
    return round(off_ns / QUARTER_NS) * QUARTER_NS


def zone_unknown(one: Evidence, uncertainty_ns: int) -> bool:
    """Whether most of an uncertainty is the zone's, which is the same for all that one record prints."""
    return one.time_source is TimeSource.PRINTED_ZONE_UNKNOWN and uncertainty_ns >= ZONE_NS
