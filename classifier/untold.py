"""A process that told of no progress, printed as it went on, and then nothing any more; and where it stood when it was interrupted."""

from __future__ import annotations

import re
from collections import Counter

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.excerpts import text_of
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.idlers import idling_since
from gpualert_slurm.classifier.line_shape import line_shape
from gpualert_slurm.classifier.meeting import LACK_WORDS, WAIT_WORDS, of_meeting, tails_by_path
from gpualert_slurm.classifier.stepd_lines import of_slurmstepd
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord

BREAKS = 5.0
"""So many of its longest pauses are no pause (nvidia-resiliency-ext's safety factor)."""
LEAST_ALIKE, FEW_WRITES, LEAST_WRITES = 4, 4, 8
"""Lines like the last one: it was another round of what the run did, and nothing new was begun."""
LEAST_S, PAUSES, SHARE = 20.0, 8.0, 0.3
"""Silence of so many seconds, of its longest pauses, and of so much of its life."""
CALLED_OFF_S, CALLED_OFF, CALLED_OFF_SHARE = 30.0, 15.0, 0.4
"""… where somebody cancelled it: who does has his own reasons."""
FEW_SHARE = 0.45
"""… where it had written few times."""
REPEATS_S, REPEATS = 60.0, 0.5
LEAST_WORK, LAST, MOST_TEXT, MOST_RANKS = 6, 12, 64 * 1024, 16
"""Lines alike that are work, of which one stands among a log's last ones; a job may have thousands of ranks."""
MOST_STORY = 4000
_FRAME = re.compile(r'^\s{1,8}File "(?P<file>[^"]{1,300})", line \d{1,9}, in (?P<function>\S{1,80})', re.MULTILINE)
_WAITS_IN = re.compile(
    r"(?:^|/)(?:threading|queue|selectors|socket|subprocess|_base|filelock/\w{1,20}|multiprocessing/(?:connection|queues|popen_fork|synchronize|pool)"
    r"|asyncio/\w{1,20}|concurrent/futures/\w{1,12})\.py$"
)
"""Files of Python's own that a process stands in when it waits for another one, a thread or a lock."""


def stopped_talking(facts: Facts, *, limit: bool) -> bool:
    """Whether a run without progress wrote line after line and then none until it was ended; ``limit``: by a time limit, else by somebody."""
    silence, life, end = facts.silence, facts.ending.elapsed_s, facts.ending.ended_ns
    if not limit and only_repeats(facts):
        return True
    told = facts.said("rhythm")
    own = [e for e in told if e.where.step not in SCRIPT] or list(told)
    if silence is None or silence.of != "output" or not life or end is None or len(own) != 1 or not isinstance(own[0].source, Quote):
        return False
    silent_s = (end - (own[0].time_ns or end)) / 1e9 - facts.ending.suspended_s
    if not limit and waits_where_stopped(facts.job):
        return silent_s >= max(LEAST_S, CALLED_OFF_SHARE * life)
    tail = dict(tails_by_path(facts.job)).get(own[0].source.file) or _of_script(facts.job, own[0].source.file)
    alike = Counter(line_shape(line) for line in tail)[line_shape(tail[-1])] if tail else 0
    if limit and alike >= LEAST_ALIKE and FEW_WRITES <= int(own[0].data["writes"]) < LEAST_WRITES:
        return silent_s >= max(CALLED_OFF_S, CALLED_OFF * float(own[0].data["longest_s"]), FEW_SHARE * life)
    if not tail or int(own[0].data["writes"]) < LEAST_WRITES or alike < LEAST_ALIKE:
        return False
    return silent_s >= _long_s(float(own[0].data["longest_s"]), life, limit=limit)


def _long_s(pause_s: float, life_s: float, *, limit: bool) -> float:
    """Seconds of silence that are too many, by the longest pause before and by the time that it ran."""
    least_s, pauses, share = (LEAST_S, PAUSES, SHARE) if limit else (CALLED_OFF_S, CALLED_OFF, CALLED_OFF_SHARE)
    return max(least_s, pauses * pause_s, share * life_s)


def _writers(facts: Facts) -> list[Evidence]:
    """The last lines of ranks that wrote line after line and told of no progress."""
    return [e for e in facts.said("rhythm") if e.where.step not in SCRIPT and int(e.data["writes"]) >= LEAST_WRITES]


def _of_script(job: JobRecord, path: str) -> list[str]:
    """The lines of a script's own log, where its program ran in no step."""
    lines = text_of(job, path)[-MOST_TEXT:].splitlines()
    return [line for line in lines if line.strip() and not line.startswith("srun: ") and not of_slurmstepd(line)]


def only_repeats(facts: Facts) -> bool:
    """Whether all that one process said in the last half of its time is one line of waiting that repeats itself."""
    since, end, life = idling_since(facts.job, alone=True), facts.ending.ended_ns, facts.ending.elapsed_s or 0.0
    return since is not None and end is not None and (end - since) / 1e9 >= max(REPEATS_S, REPEATS * life)


def all_stopped_talking(facts: Facts, *, limit: bool) -> bool:
    """The same of several ranks, none of which wrote any more."""
    silence, life, end = facts.silence, facts.ending.elapsed_s, facts.ending.ended_ns
    told = _writers(facts)
    if silence is None or silence.of != "output" or not life or end is None or not told or silence.talking:
        return False
    silent_s = min(silence.seconds, *((end - (e.time_ns or end)) / 1e9 - facts.ending.suspended_s for e in told))
    return silent_s >= _long_s(max(float(e.data["longest_s"]) for e in told), life, limit=limit)


def was_at_work(facts: Facts) -> bool:
    """Whether a rank that told of no progress known as such stood in the middle of lines alike, each another: it had met the others."""
    told = _writers(facts)[:MOST_RANKS]
    files = {e.source.file for e in told if isinstance(e.source, Quote)}
    return any(_at_work(one.text[-MOST_TEXT:]) for report in facts.job.reports for one in report.excerpts if one.path in files)


def _at_work(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#gpualert")]
    shapes = [line_shape(line) for line in lines]
    for line, shape in list(zip(lines, shapes, strict=True))[-LAST:]:
        if "#" not in shape or shapes.count(shape) < LEAST_WORK or of_meeting(line) or WAIT_WORDS.search(line) or LACK_WORDS.search(line):
            continue
        alike = [one for one, its in zip(lines, shapes, strict=True) if its == shape]
        if len({CLOCK.sub("", one) for one in alike}) > len(alike) // 2:
            return True
    return False


def broken_off(facts: Facts) -> bool:
    """Whether a run that was at such work then wrote nothing for many of its longest pauses."""
    told = _writers(facts)
    longest_s = max((float(e.data["longest_s"]) for e in told), default=0.0)
    return facts.silence is not None and facts.silence.seconds >= BREAKS * longest_s and was_at_work(facts)


def wrote_on(facts: Facts) -> bool:
    """Whether a run that tells of no training printed line after line."""
    return any(int(e.data["writes"]) >= LEAST_WRITES for e in facts.said("rhythm"))


def waits_where_stopped(job: JobRecord) -> bool:
    """Whether the traceback of an interrupt (Ctrl-C, SIGINT) ends in a wait for another process, a thread or a lock."""
    for one in (x for report in job.reports for x in report.excerpts if x.where.step not in SCRIPT):
        text = (one.tail.strip() or one.head.strip())[-MOST_STORY:]
        if text.rpartition("\n")[2].startswith("KeyboardInterrupt") and (frames := list(_FRAME.finditer(text))):
            return _WAITS_IN.search(frames[-1]["file"]) is not None
    return False
