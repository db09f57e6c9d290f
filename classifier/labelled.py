"""A time of each of several members on one line, whatever they are called: ``p0=142 p1=143 p3=0``, ``cuda:0 0.56s cuda:1 2.91s``.

Also in columns: ``busy0,busy1,busy2``.

Line after line the same one stands apart: its work is far longer than that of any other, and these are alike; or, where the words are of waiting, it
alone does not wait. What is no time (memory, clocks, losses, shares of classes) stands apart as it pleases.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.time_kinds import PEERS, TALK, WAIT, WORK, kind_of

LEAST_MEMBERS, LEAST_LINES, MOST_LINE, MOST_TITLE = 3, 4, 500, 48
SLOWER, ALIKE, RESTS, SAME, LEAST_S = 1.6, 1.5, 0.4, 0.8, 0.02
_N = r"\d{1,7}(?:\.\d{1,6})?"
_PAIR = re.compile(
    rf"(?<![\w.])(?P<stem>[A-Za-z][A-Za-z]{{0,9}}[:_#]?)(?P<who>\d{{1,4}})\s?[=:]?\s?(?P<value>{_N})(?P<unit>\s?(?:ms|s)(?![A-Za-z/])|%)?(?![\w.%:/])"
)
_MEMBER = re.compile(r"(?<![\w.])(?P<stem>[A-Za-z]{1,8}[ _#-]?)(?P<who>\d{1,4})\s?[:>]\s(?=[A-Za-z])")
_NAMED = re.compile(rf"(?P<name>[A-Za-z][A-Za-z+/_ -]{{1,30}}?)\s?[=:]?\s?(?P<value>{_N})\s?(?:ms|s)?(?![\w.%:/])")
_LIST = re.compile(
    rf"(?P<title>[A-Za-z][\w ./-]{{0,30}})['\"]?\s?[:=]?\s?\[\s?(?P<values>{_N}(?:\s?[,;\s]\s?{_N}){{2,63}})\s?\]\s?(?P<unit>ms|s)?(?![A-Za-z])"
)
_STEM = re.compile(r"(?P<stem>[A-Za-z][A-Za-z]{0,9})[_#]?(?P<who>\d{1,4})(?:_(?:s|ms|sec))?\Z")
_TIMELY = re.compile(
    r"time|second|\bms\b|\bs\b|_s\b|_ms\b|busy|wait|idle|barrier|stood|stall|dur|took|work|compute|fwd|bwd|\bt\b|zeit|temps|tiempo|arriv",
    re.IGNORECASE,
)
_NO_TIME = re.compile(
    r"loss|acc|mem|gib|mib|\bgb\b|temp|clock|mhz|util|token|request|count|experts?|heads?|class|reward|return|score|lr\b|norm|rate|/s\b"
    r"|size|step \Z|epoch \Z"
    r"|power|watt|fold|dice|iou|auc|f1|bytes|share|seed|layer|version|port|pid|rows|files|length",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Za-z_/-]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CELL = re.compile(r"[,;|\s]+")


@dataclass(frozen=True)
class Outlier:
    """``who`` (its place among them) has ``own`` where the others have ``peers``, by the line ``said``."""

    who: str
    place: int
    own: float
    peers: float
    said: str


@dataclass(frozen=True)
class _Vector:
    title: str
    stem: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    said: str

    @property
    def waits(self) -> bool:
        return kind_of(f"{self.title} {self.stem}") in {PEERS, TALK, WAIT}


def standing_out(lines: Sequence[str]) -> Outlier | None:
    """The member that stands apart in one kind of line; None where none does again and again."""
    kinds: dict[tuple[str, str, int], list[_Vector]] = {}
    for line in lines:
        if len(line) <= MOST_LINE:
            for vector in _vectors(line):
                kinds.setdefault((vector.title, vector.stem, len(vector.values)), []).append(vector)
    for vector in _columns(lines):
        kinds.setdefault((vector.title, vector.stem, len(vector.values)), []).append(vector)
    for rows in kinds.values():
        if len(rows) < LEAST_LINES:
            continue
        found = [one for row in rows if (one := _apart(row)) is not None]
        names = [one.who for one in found]
        usual = max(set(names), key=names.count, default="")
        if names.count(usual) >= SAME * len(rows):
            return next(one for one in reversed(found) if one.who == usual)
    return None


def _apart(row: _Vector) -> Outlier | None:
    values = row.values
    if row.waits:
        at = min(range(len(values)), key=lambda i: values[i])
        peers = [v for i, v in enumerate(values) if i != at]
        apart = values[at] <= RESTS * min(peers) and max(peers) <= ALIKE * min(peers) and min(peers) >= LEAST_S
    else:
        at = max(range(len(values)), key=lambda i: values[i])
        peers = [v for i, v in enumerate(values) if i != at]
        alike = max(peers) <= ALIKE * max(min(peers), LEAST_S) or max(peers) <= values[at] / 20
        apart = values[at] >= SLOWER * max(peers) and alike and values[at] >= LEAST_S
    return Outlier(row.labels[at], at, values[at], statistics.median(peers), row.said) if apart else None


def _vectors(line: str) -> Iterator[_Vector]:
    text = CLOCK.sub(" ", line)
    run: list[re.Match[str]] = []
    for found in [*_PAIR.finditer(text), None]:
        near = bool(run) and found is not None and found["stem"] == run[0]["stem"] and len(text[run[-1].end() : found.start()].strip(" ,;|")) == 0
        if run and not near:
            yield from _of_run(text, run, line)
            run = []
        if found is not None:
            run.append(found)
    yield from _segments(text, line)
    for one in _LIST.finditer(text):
        values = tuple(float(v) for v in _NUMBER.findall(one["values"]))
        title = " ".join(_WORDS.findall(one["title"]))
        if len(values) >= LEAST_MEMBERS and _timed(title, "", one["unit"]):
            yield _Vector(title, "", tuple(str(i) for i in range(len(values))), values, line.strip())


def _segments(text: str, line: str) -> Iterator[_Vector]:
    """Several times of each member, behind its name: ``r0: fwd 46 wait 212  r1: fwd 210 wait 45  r2: …``."""
    heads = list(_MEMBER.finditer(text))
    if len(heads) < LEAST_MEMBERS or len({one["who"] for one in heads}) < len(heads) or len({one["stem"].lower() for one in heads}) > 1:
        return
    told: dict[str, list[float]] = {}
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        for one in _NAMED.finditer(text[head.end() : after.start() if after is not None else len(text)]):
            told.setdefault(one["name"].strip(), []).append(float(one["value"]))
    labels = tuple(f"{one['stem']}{one['who']}" for one in heads)
    for name, values in told.items():
        if len(values) == len(heads) and _NO_TIME.search(name) is None and kind_of(name) in {PEERS, TALK, WAIT, WORK}:
            yield _Vector(name, "", labels, tuple(values), line.strip())


def _of_run(text: str, run: Sequence[re.Match[str]], line: str) -> Iterator[_Vector]:
    if len(run) < LEAST_MEMBERS or len({one["who"] for one in run}) < len(run):
        return
    before = text[max(0, run[0].start() - MOST_TITLE) : run[0].start()]
    title = " ".join(_WORDS.findall(re.split(r"[|;\d]", before)[-1]))
    behind = re.match(r"\s?(ms|s)\b", text[run[-1].end() :])
    unit = next((one["unit"] for one in run if one["unit"]), behind[1] if behind is not None else None)
    stem = run[0]["stem"]
    if _timed(title, stem, unit):
        yield _Vector(title, stem, tuple(f"{stem}{one['who']}" for one in run), tuple(float(one["value"]) for one in run), line.strip())


def _timed(title: str, stem: str, unit: str | None) -> bool:
    words = f"{title} {stem}".replace("_", " _")
    if _NO_TIME.search(words):
        return False
    waits = kind_of(words) in {PEERS, TALK, WAIT}
    return (unit is not None and unit.strip() in {"s", "ms"}) or (unit == "%" and waits) or (unit is None and _TIMELY.search(words) is not None)


def _columns(lines: Sequence[str]) -> Iterator[_Vector]:
    """Rows under a head whose names end in numbers that count: ``step,loss,busy0,busy1,busy2``."""
    runs: list[tuple[int, str, tuple[str, ...]]] = []
    for line in lines:
        if len(line) > MOST_LINE:
            continue
        cells = [cell for cell in _CELL.split(line.strip(" |")) if cell]
        named = [_STEM.match(cell) for cell in cells]
        if sum(one is not None for one in named) >= LEAST_MEMBERS and not any(_NUMBER.fullmatch(cell) for cell in cells):
            runs = list(_of_head(cells, named))
        elif runs:
            for begin, stem, labels in runs:
                told = cells[begin : begin + len(labels)]
                timed = _NO_TIME.search(stem) is None and (kind_of(stem) in {PEERS, TALK, WAIT, WORK} or len(stem) < 7)
                if timed and len(told) == len(labels) and all(re.fullmatch(_N, cell) and "." in cell for cell in told):
                    yield _Vector("", stem, labels, tuple(float(cell) for cell in told), line.strip())


def _of_head(cells: Sequence[str], named: Sequence[re.Match[str] | None]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    at = 0
    while at < len(cells):
        one = named[at]
        end = at + 1
        while one is not None and end < len(cells) and (after := named[end]) is not None and after["stem"] == one["stem"]:
            end += 1
        if one is not None and end - at >= LEAST_MEMBERS:
            yield at, one["stem"], tuple(cells[at:end])
        at = end
