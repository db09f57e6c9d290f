"""Lines of ranks, rank by rank: of logs of their own, or of one log that all of them write into, each with its number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.rank_tables import of_rows
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord

LEAST_RANKS = 2
MOST_TEXT, MOST_LINE = 64 * 1024, 400
_MEMBER = re.compile(r"[\s\[(<{|]{0,4}['\"]?(?P<name>[^\W\d_]{0,12}['\"]?[-_ :#=]{0,2})(?P<who>\d{1,4})(?:/\d{1,4})?(?![\w.%])")
"""How a line begins that one of several ranks wrote into the log of all: ``[0] ``, ``gauge-3``, ``{"rank": 1,``, ``[w0/4 pid 7]``, behind a clock."""
RANKED = re.compile(r"\brank['\"]?[-_ :#=]{0,3}(?P<who>\d{1,4})(?![\w.%])|(?<![\w.])R(?P<of>\d{1,4})/\d{1,4}(?![\w.])", re.IGNORECASE)
"""The same anywhere in a line: ``Epoch 3/5 [rank 1]``, ``{"host": "gn21", "rank": 0``, ``n021 - R0/4 - INFO``."""
LABEL = re.compile(r"\[1,(?P<who>\d{1,4})\]<std(?:out|err)>:|(?P<of>\d{1,4}): (?=\S)")
"""What mpirun (``--tag-output``) and srun (``--label``) put before each line of a rank."""
_HOST = re.compile(r"[\s\[(]{0,8}(?P<name>[a-z][a-z]{0,15}[\w.]{0,16}-\d{1,4}[a-z]?)[\])]?\s?[:|]\s", re.IGNORECASE)
"""A node's name before what its rank tells: ``c11-03:  152.1 samples/s``."""
MOST_HOSTS = 64
_MILLISECONDS = re.compile(r"\A[\s.,]{1,4}\d{3}(?=[,;\s])")
"""What is left of logging's clock where a comma follows it."""


def own_logs(job: JobRecord) -> Iterator[tuple[Where, dict[int, list[str]]]]:
    """The lines of ranks that have a log each."""
    ranks: dict[int, list[str]] = {}
    where = None
    for one in (x for report in job.reports for x in report.excerpts if x.where.rank is not None and x.where.local_rank is not None):
        where = where or one.where
        ranks.setdefault(one.where.rank or 0, []).extend(one.text[-MOST_TEXT:].splitlines())
    if where is not None and len(ranks) > 1:
        yield where, ranks


def sharing(job: JobRecord, wanted: Callable[[str], bool] = lambda _: True) -> Iterator[tuple[Where, dict[int, list[str]]]]:
    """The lines of ranks that write into one log and take turns: of those that are ``wanted``."""
    for one in (x for report in job.reports for x in report.excerpts):
        lines: dict[str, list[tuple[int, str]]] = {}
        hosts: dict[str, int] = {}
        for line in of_rows(unglued(one.text[-MOST_TEXT:])):
            if not wanted(line):
                continue
            bare = _MILLISECONDS.sub("", CLOCK.sub("", line[:MOST_LINE])).lstrip(" .,;|[(-")
            if (named := RANKED.search(line[:MOST_LINE]) or LABEL.match(line)) is not None:
                lines.setdefault("rank", []).append((int(named["who"] or named["of"]), line))
            elif (host := _HOST.match(line)) is not None and len(hosts) < MOST_HOSTS:
                lines.setdefault("host", []).append((hosts.setdefault(host["name"], len(hosts)), line))
            elif (found := _MEMBER.match(bare)) is not None:
                lines.setdefault(found["name"], []).append((int(found["who"]), line))
        for told in lines.values():
            members = sorted({who for who, _ in told})
            taking_turns = {who for who, _ in told[: 2 * len(members)]} == set(members)  # epochs come one after the other
            if len(members) >= LEAST_RANKS and members[0] <= 1 and members[-1] - members[0] == len(members) - 1 and taking_turns:
                yield one.where, {rank: [line for who, line in told if who == rank] for rank in members}


_HEAD = re.compile(r"[A-Za-z]{3,12}[ =:\[]|\{\"\w{1,12}\":")


def unglued(text: str) -> Iterator[str]:
    """Its lines; those that several ranks wrote at once, one behind the other without an end, each for itself."""
    for line in text.splitlines():
        head = _HEAD.match(line)
        yield from re.split(rf"(?<=[\w.\])}}])(?={re.escape(head[0])})", line) if head is not None and line.count(head[0]) > 1 else (line,)
