"""A process that told of no progress, printed as it went on, and then nothing any more; and where it stood when it was interrupted."""

from __future__ import annotations

import re
from collections import Counter

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.meeting import tails_by_path
from gpualert_slurm.evidence import Quote
from gpualert_slurm.job_record import JobRecord

LEAST_ALIKE, LEAST_WRITES = 4, 8
"""Lines like the last one: it was another round of what the run did, and nothing new was begun."""
LEAST_S, PAUSES, SHARE = 20.0, 8.0, 0.3
"""Silence of so many seconds, of its longest pauses, and of so much of its life."""
CALLED_OFF_S, CALLED_OFF, CALLED_OFF_SHARE = 30.0, 15.0, 0.4
"""… where somebody cancelled it: who does has his own reasons."""
MOST_STORY = 4000
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_BAR = re.compile(r"\|[^|\w]{0,200}\|")
_FRAME = re.compile(r'^\s{1,8}File "(?P<file>[^"]{1,300})", line \d{1,9}, in (?P<function>\S{1,80})', re.MULTILINE)
_WAITS_IN = re.compile(
    r"(?:^|/)(?:threading|queue|selectors|socket|subprocess|_base|filelock/\w{1,20}|multiprocessing/(?:connection|queues|popen_fork|synchronize|pool)"
    r"|asyncio/\w{1,20}|concurrent/futures/\w{1,12})\.py$"
)
"""Files of Python's own that a process stands in when it waits for another one, a thread or a lock."""


def stopped_talking(facts: Facts, *, limit: bool) -> bool:
    """Whether a run without progress wrote line after line and then none until it was ended; ``limit``: by a time limit, else by somebody."""
    silence, life, end = facts.silence, facts.ending.elapsed_s, facts.ending.ended_ns
    told = facts.said("rhythm")
    own = [e for e in told if e.where.step not in SCRIPT] or list(told)
    if silence is None or silence.of != "output" or not life or end is None or len(own) != 1 or not isinstance(own[0].source, Quote):
        return False
    silent_s = (end - (own[0].time_ns or end)) / 1e9 - facts.ending.suspended_s
    if not limit and waits_where_stopped(facts.job):
        return silent_s >= max(LEAST_S, CALLED_OFF_SHARE * life)
    tail = dict(tails_by_path(facts.job)).get(own[0].source.file, [])
    if not tail or int(own[0].data["writes"]) < LEAST_WRITES or Counter(_kind(line) for line in tail)[_kind(tail[-1])] < LEAST_ALIKE:
        return False
    least_s, pauses, share = (LEAST_S, PAUSES, SHARE) if limit else (CALLED_OFF_S, CALLED_OFF, CALLED_OFF_SHARE)
    return silent_s >= max(least_s, pauses * float(own[0].data["longest_s"]), share * life)


def waits_where_stopped(job: JobRecord) -> bool:
    """Whether the traceback of an interrupt (Ctrl-C, SIGINT) ends in a wait for another process, a thread or a lock."""
    for one in (x for report in job.reports for x in report.excerpts if x.where.step not in SCRIPT):
        text = (one.tail.strip() or one.head.strip())[-MOST_STORY:]
        if text.rpartition("\n")[2].startswith("KeyboardInterrupt") and (frames := list(_FRAME.finditer(text))):
            return _WAITS_IN.search(frames[-1]["file"]) is not None
    return False


def _kind(line: str) -> str:
    return _NUMBER.sub("#", _BAR.sub("|", CLOCK.sub("", line[:300]))).strip()
