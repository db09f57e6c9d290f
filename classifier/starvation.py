"""A run's word that it was starved, told without the seconds: percents, counts of an empty queue, the work's own part, rates against each other.

``75% of this window went to the reader``, ``the buffer was empty on 9 of the last 10 steps``,
``the GPU worked for 20 s of 80 s; the rest it waited for tiles``, ``38 samples/s (the model alone: 240/s)``, rows of names and percents
that add up to a hundred. Lines alike tell it together; one line alone must stand near the log's end. A percent that grows tells how far
something came, and is none.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gpualert_slurm.classifier.line_times import kind_at, parts_of
from gpualert_slurm.classifier.partition import Share
from gpualert_slurm.classifier.time_kinds import LOAD, NONE, REST, WAIT, WHOLE, WORK, behind_its_back, kind_of, plays, waits

LEAST_LINES, MOST_LINE, LAST_LINES, MOST_ROWS = 5, 300, 16, 12
FASTER = 1.5
"""Times what it does, what the model could."""
LEAST_COUNTED = 10
COVERS, MOST_COVERS = 0.3, 1.4
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_PERCENT = re.compile(r"(?<![\w.,:/+<>≤≥-])(?P<value>\d{1,3}(?:[.,]\d{1,3})?)\s?(?:%|percent|pct|Prozent)(?![\w/])")
_TIMELY = re.compile(
    r"\b(?:of|of the|of this|of each|of its|der|du|del|da|do|dieser|des) ?(?:\w{1,9} )?(?:time|window|interval|step|wall\S{0,12}|period"
    r"|iteration|epoch|pass|run"
    r"|Zeit|Laufzeit|temps|tiempo|tempo)\b|\b(?:went|spent|time|Zeit|temps|tiempo)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"\d\s?%\s(?:loading|reading|fetching|decoding|waiting|in|on|for)\b", re.IGNORECASE)
_DATA = re.compile(
    r"(?<![a-z])(?:load\w{0,6}|dataload\w{0,4}|data|batch\w{0,4}|reader\w?|read\w{0,4}|decod\w{0,5}|input\w{0,2}|queue\w?|feed\w{0,4}"
    r"|prefetch\w{0,5}|buffer|pipeline|samples?|shards?|tiles?"
    r"|images?|files?|disk|nfs|workers|storage|daten|lader|donn[ée]es|datos|dados|dati|collat\w{0,4}|augment\w{0,7}|tokeni\w{0,7})(?![a-z])",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"(?<![a-z])(?:empty|starv\w{0,6}|dry|under-?runs?|underflows?|not ready|had to wait|waited|stall\w{0,4}|blocked|leer|vide|vac[ií][oa]"
    r"|vazi[oa])(?![a-z])",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?<![\w.,])(?P<part>\d{1,7}) ?(?:times )?(?:of|out of|/|in|von|sur|de) ?(?:the )?(?:last |past |previous )?(?P<all>\d{1,7})"
    r"(?: (?:steps?|batches|times|iterations?|iters|gets?|requests?|calls|polls|Schritten?|fois|veces|updates))?(?![\w.,%])",
    re.IGNORECASE,
)
_USED = re.compile(r"(?<![A-Za-z])(?:util\w{0,10}|busy|used|active|work\w{0,3}|duty)(?![A-Za-z])", re.IGNORECASE)
_GPU = re.compile(r"(?<![A-Za-z])(?:gpus?|device|accelerator|card|cuda|tpu|model)(?![A-Za-z])", re.IGNORECASE)
_RATE = re.compile(
    r"(?<![\w.,])(?P<value>\d{1,7}(?:\.\d{1,3})?)\s?(?P<unit>[A-Za-z]{0,12}\s?/\s?s(?:ec)?|it/s|[a-z]{1,10} per second|per second|fps)(?![\w/])",
    re.IGNORECASE,
)
_RATE_KEY = re.compile(
    r"(?P<name>\w{0,24}?)(?:_|\b)(?:sps|ips|fps|throughput|samples_per_s\w{0,5}"
    r"|per_sec\w{0,3})['\"]?\s?[:=]?\s{1,8}(?P<value>\d{1,7}(?:\.\d{1,3})?)(?![\w/%])",
    re.IGNORECASE,
)
_KEYED = re.compile(r"(?P<name>[A-Za-z_]{2,20})['\"]?[=:]\s?(?P<value>[01]?\.\d{1,4})(?![\w%])")
_STARVED = re.compile(
    r"(?<![A-Za-z])(?:starv\w{0,6}|(?:data|input|loader|batch)[_ ]?(?:wait|stall|idle)\w{0,3}_?(?:frac\w{0,4}|ratio|share))"
    r"['\"]?\s?[=:]\s?(?P<value>[01]?\.\d{1,4})(?![\w%])"
)
_COULD = re.compile(
    r"(?<![a-z])(?:could|would|can|alone|possible|capab\w{0,5}|able|max\w{0,4}|peak|ceiling|compute|gpu|model|net\w{0,4}|device|step"
    r"|train\w{0,3})(?![a-z])",
    re.IGNORECASE,
)
_FEEDS = re.compile(
    r"(?<![a-z])(?:load\w{0,6}|data\w{0,8}|reader|read|input|feed\w{0,3}|pipeline|deliver\w{0,4}|decod\w{0,4}|produc\w{0,4}|got"
    r"|actual\w{0,2}|now|real)(?![a-z])",
    re.IGNORECASE,
)
_SECONDS_FIRST = re.compile(r"\s{0,12}(?P<value>\d{1,7}\.\d{1,4})\s?s?\s{1,8}(?P<name>[A-Za-z_/~<{][^\n]{2,100}\([\w.<>]{1,60}\))\s{0,8}\Z")
_SUM = re.compile(r"(?<![A-Za-z])(?:sum|total|all)\w{0,8}\s?[=:]\s?(?P<value>\d{1,8}(?:\.\d{1,6})?)\s?(?:s|secs?|seconds)?(?![\w.])", re.IGNORECASE)
_MACHINE = re.compile(
    r"(?<![A-Za-z])(?:cpu|mem(?:ory)?|vram|ram|swap|hit|cached?|progress|done|complete\w{0,2}|full|ready|busy|ahead|corpus|fill\w{0,2}"
    r"|capacity|level|eta)(?![A-Za-z])",
    re.IGNORECASE,
)


def starvation(text: str, span_s: float | None) -> Iterator[Share]:
    """What one log tells so."""
    lines = [line for line in text.splitlines() if line.strip()]
    groups: dict[str, list[str]] = {}
    for line in lines:
        if len(line) <= MOST_LINE and any(char.isdigit() for char in line):
            groups.setdefault(_NUMBER.sub("#", line).replace("█", ""), []).append(line)
    for rows in groups.values():
        last = rows[-1]
        alone = len(rows) < LEAST_LINES
        if (alone and last not in lines[-LAST_LINES:]) or behind_its_back(last) or plays(last):
            continue
        read = (_percent, _emptied, _used, _rates, _fractions, _rest_of) if not alone else (_percent, _emptied, _used, _rest_of)
        for one in read:
            shares = [one(row) for row in rows[1:] or rows]
            told = [share for share in shares if share is not None]
            if len(told) < max(1, 0.8 * len(shares)) or (one is _percent and _grows(told)):
                continue
            whole_s = max((part.seconds for part in parts_of(last) if not part.share), default=None) if one is _rest_of and alone else None
            if whole_s is not None and span_s and not COVERS * span_s <= whole_s <= MOST_COVERS * span_s:
                continue
            yield Share(min(1.0, statistics.fmean(told)), span_s or 0.0, last.strip())
    yield from _rows(lines[-LAST_LINES - MOST_ROWS :], span_s)


def of_time(line: str) -> bool:
    """Whether a percent on a line may be one of the time: words say so, and none that it is of something else."""
    return _MACHINE.search(line) is None and (_TIMELY.search(line) is not None or _BEHIND.search(line) is not None or waits(line))


def of_another(before: str) -> bool:
    """Whether the words before a percent say that it is of something else than time: what is full, ready or done."""
    return _MACHINE.search(before[-30:]) is not None


def _grows(values: Sequence[float]) -> bool:
    return len(values) >= LEAST_LINES and all(a <= b for a, b in pairwise(values)) and values[-1] > values[0] + 0.3


def _percent(line: str) -> float | None:
    """A percent beside words of loading, or of waiting, and of time."""
    for found in _PERCENT.finditer(line):
        near = kind_at(line, found.start(), found.end())
        words = line[max(0, found.start() - 60) : found.end() + 60]
        if near not in {LOAD, WAIT} or _MACHINE.search(words) is not None or float(found["value"].replace(",", ".")) > 100:
            continue
        if (near == WAIT or _TIMELY.search(line) is not None or waits(words)) and (near == LOAD or _DATA.search(line) is not None):
            return float(found["value"].replace(",", ".")) / 100
    return None


def _fractions(line: str) -> float | None:
    """Fractions with names that add up to one, some of them of the work and some of loading."""
    found = [(kind_of(one["name"]), float(one["value"])) for one in _KEYED.finditer(line)]
    if (alone := _STARVED.search(line)) is not None:
        return float(alone["value"])
    told = [(kind, value) for kind, value in found if kind in {LOAD, WAIT, WORK, REST}]
    kinds = {kind for kind, _ in told}
    total = sum(value for _, value in told)
    if len(told) < 3 or not 0.93 <= total <= 1.02 or WORK not in kinds or LOAD not in kinds:
        return None
    return sum(value for kind, value in told if kind == LOAD) / total


def _emptied(line: str) -> float | None:
    """Of how many batches the queue was empty."""
    if _EMPTY.search(line) is None or _DATA.search(line) is None:
        return None
    found = next((one for one in _COUNTED.finditer(line) if int(one["all"]) >= LEAST_COUNTED and int(one["part"]) <= int(one["all"])), None)
    return (
        int(found["part"]) / int(found["all"]) if found is not None and _EMPTY.search(line[max(0, found.start() - 50) : found.end() + 50]) else None
    )


def _used(line: str) -> float | None:
    """How much the card was not used, where the line says that it waited for data."""
    found = list(_PERCENT.finditer(line))
    if len(found) != 1 or _USED.search(line) is None or _GPU.search(line) is None or not waits(line) or _DATA.search(line) is None:
        return None
    used = float(found[0]["value"].replace(",", "."))
    return 1.0 - used / 100 if used <= 100 and kind_at(line, found[0].start(), found[0].end()) not in {LOAD, WAIT} else None


def _rest_of(line: str) -> float | None:
    """A whole and the work's own part of it, and words that the rest was a wait for data."""
    parts = [part for part in parts_of(line) if not part.share and part.seconds > 0]
    work = [part.seconds for part in parts if part.kind == WORK]
    whole = max((part.seconds for part in parts if part.kind in {WHOLE, NONE, REST}), default=0.0)
    if len(work) != 1 or whole <= work[0] or not waits(line) or _DATA.search(line) is None or any(part.kind in {LOAD, WAIT} for part in parts):
        return None
    return 1.0 - work[0] / whole


def _rates(line: str) -> float | None:
    """What it does beside what the model could do, in the same unit."""
    found = list(_RATE.finditer(line))
    if len(found) < 2:
        keyed = list(_RATE_KEY.finditer(line))
        return _against([(float(one["value"]), one["name"].replace("_", " ")) for one in keyed]) if len(keyed) > 1 else None
    return _against([(float(one["value"]), _beside(line, found, at)) for at, one in enumerate(found)])


def _against(named: Sequence[tuple[float, str]]) -> float | None:
    """How far what it does stays behind what the model could do."""
    could = [value for value, name in named if _COULD.search(name) and not _FEEDS.search(name)]
    feeds = [value for value, name in named if _FEEDS.search(name) and not _COULD.search(name)] or [
        value for value, name in named if not _COULD.search(name)
    ]
    if not could or not feeds or max(could) <= 0:
        return None
    return max(0.0, 1.0 - min(feeds) / max(could)) if max(could) >= FASTER * min(feeds) else 0.0


def _beside(line: str, found: Sequence[re.Match[str]], at: int) -> str:
    begin = found[at - 1].end() if at else max(0, found[at].start() - 40)
    return re.split(r"[,;|(\[]", line[begin : found[at].start()])[-1]


def _rows(lines: Sequence[str], span_s: float | None) -> Iterator[Share]:
    """Rows near the log's end, of a name and a percent each, or of a name and a sum."""
    for read, adds_up in ((_row, True), (_sum, False), (_first, False)):
        block: list[tuple[str, float, str]] = []
        for line in [*lines, ""]:
            row = read(line) if len(line) <= MOST_LINE else None
            if row is not None:
                block.append((*row, line))
                continue
            yield from _of_block(block[-MOST_ROWS:], span_s, adds_up=adds_up)
            block = []


def _of_block(block: Sequence[tuple[str, float, str]], span_s: float | None, *, adds_up: bool) -> Iterator[Share]:
    kinds = [kind_of(name) for name, _, _ in block]
    parts = [(value, kind) for (_, value, _), kind in zip(block, kinds, strict=True) if kind != WHOLE or len(block) == 2]
    total = sum(value for value, _ in parts)
    if len({name for name, _, _ in block}) < len(block) or LOAD not in kinds or WORK not in kinds:
        return
    if not (0.8 <= total <= 1.03 if adds_up else span_s is not None and COVERS * span_s <= total <= MOST_COVERS * span_s):
        return
    said = next(line for (_, _, line), kind in zip(block, kinds, strict=True) if kind == LOAD)
    yield Share(min(1.0, sum(value for value, kind in parts if kind == LOAD) / total), total if not adds_up else span_s or 0.0, said.strip())


def _row(line: str) -> tuple[str, float] | None:
    found = list(_PERCENT.finditer(line))
    if len(found) != 1 or len(_NUMBER.findall(line)) > 4:
        return None
    name = re.sub(r"[\d.,:%█▇▉▊▋▌▍▎▏#=*|-]+(?:\s?(?:s|ms|sec)\b)?", " ", line).strip()
    return (name, float(found[0]["value"].replace(",", ".")) / 100) if name else None


def _sum(line: str) -> tuple[str, float] | None:
    found = _SUM.search(line)
    name = line.strip().partition(" ")[0]
    return (name, float(found["value"])) if found is not None and not name[:1].isdigit() else None


def _first(line: str) -> tuple[str, float] | None:
    """A profiler's row: the seconds, then the place."""
    found = _SECONDS_FIRST.match(line)
    return (found["name"], float(found["value"])) if found is not None else None
