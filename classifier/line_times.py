"""The times that one line tells, each with what it is of: ``lettura 3.02 s, rete 0.29 s``, ``wait_ms=11724 compute_ms=795``.

A number is a time by its unit, by the unit that its name ends with, or by a name that is a time's. Its name stands before it or behind it: on each
line it is where more of the names say something. Percents are parts of a whole that is not told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.log_head import log_head
from gpualert_slurm.classifier.time_kinds import LOAD, NONE, SAVE, WAIT, WHOLE, WORK, behind_its_back, kind_of, waits

MOST_LINE, MOST_PARTS, MOST_NAME = 400, 16, 60
_UNIT = (
    r"(?:ms|msec|milliseconds|millisecondes|milisegundos|Millisekunden|secs?|seconds?|secondes?|segundos?|segs?|Sekunden|Sek|secondi|sekund"
    r"|sn|s|min(?:utes?|utos|uten|uti)?"
    r"|h(?:ours?|rs?)?|мс|сек|с|毫秒|秒|%)"
)
_VALUE = re.compile(
    rf"(?<![\w.,:/+*<>≤≥-])(?<![<>≤≥] )(?P<value>\d{{1,7}}(?:[.,]\d{{1,15}}(?:[eE]-\d\d)?)?)"
    rf"(?:\s?\((?P<mean>\d{{1,7}}\.\d{{1,6}})\))?(?:\s?(?P<unit>{_UNIT}))?(?![\w%°:]|[.,]\d|/\d|-\d)"
    r"(?P<each>/(?:step|it|iter|iteration|batch|update|pas|paso|passo|Schritt)\b"
    r"|,? (?:a|per|each|every|pro|je|par|por) (?:step|iteration|batch|update|Schritt|pas|paso|passo|lote)\b)?(?!/)"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,16}m")
_ASIDE = re.compile(
    r"(?<=s )\(\d{1,3}(?:\.\d{1,2})? ?%\)|\((?:\d{1,6}(?:\.\d{1,3})?\s?(?:[kKMGT]i?B|bytes|images?|files?)"
    r"|(?![^()]{0,60}\d[.,]\d)(?![^()]{0,60}\d\s?(?:s|ms|sec|min|%)\b)[^()]{0,60})\)"
)
"""Words in brackets without a time."""
_ENDS_IN_UNIT = re.compile(
    r"(?<!per)(?:_|[ (\[.-])\(?(ms|msec|s|secs?|seconds|segundos|sekunden|secondes|min|%|pct|percent)[)\]]?\s{0,2}\Z", re.IGNORECASE
)
_BEGINS_WITH_UNIT = re.compile(r"(?:\A|[\s'\"{,])(ms|secs?|seconds|pct|percent)_(?=[A-Za-z])")
"""``"ms_fetch": 1929``."""
_UNIT_ASIDE = re.compile(r" ?[(\[](ms|s|secs?|seconds|min|%)[)\]]")
"""A unit behind a name: ``data_loading(s)``."""
_A_STEP = re.compile(r"(?<![A-Za-z])(?P<unit>ms|s|secs?|seconds)/(?:batch|step|it|iter\w{0,6}|epoch)(?![A-Za-z])", re.IGNORECASE)
_LEVEL = re.compile(r"\d|INFO|DEBUG|NOTICE|info|debug")
_IN_HEAD = re.compile(r"[(\[](ms|s|secs?|seconds)(?P<each>(?: per |/)\w{2,10})?[)\]]", re.IGNORECASE)
"""The unit of a whole line: ``timers (s per step): forward 1.31, all-reduce 12.70``."""
_TIMELY = re.compile(
    r"(?<![^\W\d_])(?:\w{0,12}time|\w{0,12}secs?|seconds|took|duration|dur|elapsed|(?:batch|reader|data)_cost"
    r"|(?:dt|t)_\w{2,12}|dauer|\w{0,8}zeit|temps|dur[ée]e|tiempo|tempo|durata|duraci[oó]n)(?![^\W\d_])",
    re.IGNORECASE,
)
_NO_TIME = re.compile(
    r"loss|(?<![a-z])(?:acc|err|lr|mse|mae|auc|nll|ppl)|error|accuracy|iou"
    r"|rate|norm|rmse|reward|return|score|perte|verlust|p[eé]rdida|perdita|perda|strata|损失|損失",
    re.IGNORECASE,
)
_ASIDES = re.compile(
    r"(?<![^\W\d_])(?:since|seit|depuis|desde|ago|eta|left|remain\w*|restant\w*|noch|limit|time-?out|budget|deadline"
    r"|max(?:imum)?|min(?:imum)?|std|stdev|p\d\d|worst|every)"
    r"(?![^\W\d_])",
    re.IGNORECASE,
)
"""A time that is no part of what went: a clock, what is left, an extreme."""
_SEPARATES = re.compile(
    r"[,;|()\[\]{}•·…│┃、，；]|\s-\s|\s[–—]\s|\s/\s|\s\+\s|\.\s|\s{3,}|\s(?:and|und|et|y|e|i|и)\s|[:=](?=\s?['\"]?\S{0,3}[^\W\d])"
)
_CLAUSE = re.compile(r"[,;|()\[\]{}•·│]|\s[–—-]\s|\d")
_MARKED = re.compile(r"\s{2,12}saved\W{0,4}", re.IGNORECASE)
"""A word of its own at the end of a line: what became of the pass whose time stands before it."""
_EVERY = re.compile(r"\bevery (?:step|batch|iteration|update)\b", re.IGNORECASE)
_EACH_LINE = re.compile(r"\b(?:per|each|every|a|je|pro|par|por|per) (?:step|iteration|batch|update|Schritt|pas|paso|passo|lote)\b", re.IGNORECASE)
_TIMER = re.compile(r"\s{0,8}(?P<name>[A-Za-z][\w-]{1,40}) \.{3,80}: \((?P<least>\d{1,9}\.\d{1,4}), (?P<most>\d{1,9}\.\d{1,4})\)\s{0,4}\Z")
"""Megatron's timers, in milliseconds, of the fastest rank and the slowest."""
_OF = re.compile(r"\s{0,2}(?:of|out of|de|von|sur|di|da|из|van|/)(?: (?:the|its|a|los|las|les|ces|den|diesen))?\s{1,2}\Z", re.IGNORECASE)
_OF_BEHIND = re.compile(r"[^\d]{3,80}\s(?:of|out of|von|sur|van|из)\s{1,2}\Z")
"""``34.0 s waited for the reader of 35.9 s``."""
_KEY = re.compile(r"[:=]\s{0,3}['\"]?\Z")
_STATE_FILE = re.compile(r"\w\.(?:pth?|ckpt|pkl|pickle|safetensors|npz|h5|keras|msgpack|tar|eqx|joblib|weights|state)\b", re.IGNORECASE)
_RATIO = re.compile(
    r"(?<![\w./])(?P<names>[A-Za-z_]{2,16}(?: ?/ ?[A-Za-z_]{2,16}){1,4})\s?[:=]?\s{1,2}"
    r"(?P<values>\d{1,6}\.\d{1,4}(?: ?/ ?\d{1,6}\.\d{1,4}){1,4})(?P<unit>\s?(?:ms|s|sec))?(?![\w/.])"
)
_BATCHES_TIME = re.compile(r"epoch:train:\d+-\d+batch")
"""ESPnet's line, of which ``iter_time`` is the wait for a batch."""


@dataclass(frozen=True)
class Part:
    """One time: of what ``kind``, how many ``seconds`` (of a bare number: in a unit that is not told), or which ``share`` of a whole."""

    kind: str
    seconds: float
    share: bool = False
    bare: bool = False
    each: bool = False
    """Said to be of every step."""
    waits: bool = False
    """Its name has a word for waiting."""
    mean: bool = False
    """Its mean stands behind it in brackets."""


def seconds_of(unit: str) -> float:
    """How many a unit of time is."""
    low = unit.lower()
    if low.startswith(("ms", "mill", "mili", "мс", "毫")):
        return 0.001
    return 60.0 if low.startswith("min") else 3600.0 if low.startswith("h") else 1.0


_OPTIMIZES = re.compile(r"\bstep(?=(?:_microstep)?: )")
"""… and its ``step`` the optimizer's."""
_PER_SECOND = re.compile(r"(?:per[ _]?|/)s(?:ec(?:onds?)?)?(?: per \w{2,8})?\W{0,3}\Z", re.IGNORECASE)
"""The name of a rate: ``SamplesPerSec=37.3``, ``samples/sec: 36.1``."""
_DEEPSPEED = re.compile(r"\bbwd(?:_microstep)?: [\d.]{1,12} \| ")
"""DeepSpeed's ``wall_clock_breakdown``: its ``bwd`` is what ``bwd_inner`` and ``bwd_allreduce``, which follow, come to."""


@lru_cache(maxsize=8192)
def parts_of(line: str) -> tuple[Part, ...]:
    """The times that a line tells, in its order; empty where it tells none."""
    if not any(char.isdigit() for char in line):
        return ()
    if (timer := _TIMER.match(line)) is not None:
        return (Part(kind_of(timer["name"]), float(timer["least"]) / 1000, each=True),)
    deepspeed = "bwd_allreduce" in line and "bwd_inner" in line
    text = _bare(_OPTIMIZES.sub("optimizer", _DEEPSPEED.sub("", line)) if deepspeed else line)
    found = [one for one in _VALUE.finditer(text) if one["unit"] or not one["value"].isdigit() or _KEY.search(text[: one.start()])][:MOST_PARTS]
    if not found:
        return ()
    found = [one for at, one in enumerate(found) if not (_PER_SECOND.search(_ahead(text, found, at)) and not one["unit"])]
    ahead = [_ahead(text, found, at) for at in range(len(found))]
    behind = [_behind(text, found, at) if one["unit"] else "" for at, one in enumerate(found)]
    first, last = [_kind(name, text) for name in ahead], [_kind(name, text) for name in behind]
    header = _IN_HEAD.search(line[:MOST_LINE])
    units = [_unit_of(one, name, header[1] if header is not None else "s") for one, name in zip(found, ahead, strict=True)]
    told = [at for at, unit in enumerate(units) if unit is not None]
    keyed = 2 * sum(_KEY.search(text[: found[at].start()]) is not None for at in told) >= max(1, len(told))
    swapped = not keyed and sum(last[at] not in {NONE, WHOLE} for at in told) > sum(first[at] not in {NONE, WHOLE} for at in told)
    of_each = deepspeed or _EACH_LINE.search(text) is not None or (header is not None and bool(header["each"]))
    beside = behind_its_back(line[:MOST_LINE])
    parts: list[Part] = []
    for at, one in enumerate(found):
        kind, name = (last[at] or first[at], behind[at]) if swapped else (first[at], ahead[at])
        if kind == NONE and not swapped and at == len(found) - 1 and last[at] not in {NONE, WHOLE}:
            kind, name = last[at], behind[at]  # ``1.26 s of waiting`` at the end of a line
        if at and _OF.fullmatch(text[found[at - 1].end() : one.start()]) and units[at] not in {None, "%"} and parts:
            if parts[-1].kind in {NONE, WHOLE} and last[at] not in {NONE, WHOLE}:
                parts[-1] = replace(parts[-1], kind=last[at], waits=waits(behind[at]))
            parts = [replace(part, kind=NONE, seconds=0.0) if part.kind == parts[-1].kind and part is not parts[-1] else part for part in parts]
            kind = WHOLE
        elif parts and units[at] not in {None, "%"} and waits(behind[at - 1]) and _OF_BEHIND.fullmatch(text[found[at - 1].end() : one.start()]):
            parts[-1] = replace(parts[-1], kind=last[at - 1] if last[at - 1] not in {NONE, WHOLE} else WAIT, waits=True)
            kind = WHOLE
        elif _ASIDES.search(ahead[at]) and not _EVERY.search(ahead[at]):
            continue
        if beside and kind in {LOAD, SAVE}:
            continue
        unit, value = units[at], float(one["value"].replace(",", "."))
        each = bool(one["each"]) or of_each
        bare = unit is None and header is None
        if unit not in {None, "%"} and kind == NONE and _NO_TIME.search(name):
            continue  # an error that is told in minutes
        if unit is None and (kind == NONE or not ("." in one["value"] or "," in one["value"]) or _NO_TIME.search(name)):
            continue
        unit = unit or (header[1] if header is not None else "s")
        factor = 0.01 if unit == "%" else seconds_of(unit)
        parts.append(Part(kind, value * factor, share=unit == "%", bare=bare, each=each, waits=waits(name), mean=bool(one["mean"])))
    return tuple(parts)


def _bare(line: str) -> str:
    """A line without colours, its logger's head, clocks and words in brackets."""
    text = _COLOUR.sub("", line[:MOST_LINE])
    head = log_head(text)
    text = text[len(head) :] if _LEVEL.search(head) is not None else text  # a bare name may be what is timed
    text = _UNIT_ASIDE.sub(r"_\1", CLOCK.sub(" ", text.replace(" (t):", "_s:")))  # ``data (t): 2.1`` are seconds
    return _ASIDE.sub("", _RATIO.sub(_apart, text))


def _apart(found: re.Match[str]) -> str:
    """``io/compute = 1.5/0.5``, each name with its number."""
    names, values = found["names"].split("/"), found["values"].split("/")
    if len(names) != len(values):
        return found[0]
    unit = found["unit"] or ""
    return ", ".join(f"{name.strip()}={value.strip()}{unit}" for name, value in zip(names, values, strict=True))


def _kind(name: str, text: str) -> str:
    if name.strip(" :=") == "train_time" and "iter_time=" in text and _BATCHES_TIME.search(text):
        return WHOLE
    if name.strip(" :=") == "iter_time" and _BATCHES_TIME.search(text):
        return LOAD
    kind = kind_of(name)
    return SAVE if kind in {NONE, WHOLE, WORK} and _STATE_FILE.search(name) else kind


def _ahead(text: str, found: list[re.Match[str]], at: int) -> str:
    """The words before a number, back to the one before it or to what separates them."""
    begin = found[at - 1].end() if at else 0
    before = text[max(begin, found[at].start() - MOST_NAME) : found[at].start()]
    if before.endswith("="):
        return before.split()[-1]
    name = before.rstrip(" ([|:=~≈'\">")
    cut = [sep.end() for sep in _SEPARATES.finditer(name)]
    return (name[cut[-1] :] if cut else name) + before[len(name) :][:1]


def _behind(text: str, found: list[re.Match[str]], at: int) -> str:
    """The words behind a number, up to the next one or to what separates them."""
    end = found[at + 1].start() if at + 1 < len(found) else len(text)
    behind = text[found[at].end() : min(end, found[at].end() + MOST_NAME)]
    cut = _SEPARATES.search(behind)
    behind = behind[: cut.start()] if cut is not None else behind
    return "" if _MARKED.fullmatch(behind) else behind


def _unit_of(one: re.Match[str], name: str, usual: str) -> str | None:
    if one["unit"]:
        return one["unit"]
    bare = name.rstrip(" :='\"")
    ends = _ENDS_IN_UNIT.search(bare)
    if ends is not None:
        return "%" if ends[1].lower() in {"%", "pct", "percent"} else ends[1]
    if (step := _A_STEP.search(bare)) is not None:
        return step["unit"]
    if (begins := _BEGINS_WITH_UNIT.search(bare)) is not None:
        return "%" if begins[1].startswith("p") else begins[1]
    return usual if _TIMELY.search(bare) and not _NO_TIME.search(bare) else None


def kind_at(line: str, begin: int, end: int) -> str:
    """The kind that the words next to a place of a line tell: those before it, or else those behind it."""
    before = _CLAUSE.split(line[max(0, begin - MOST_NAME) : begin].rstrip(" (:=~'\"|["))[-1]
    after = line[end : end + MOST_NAME].strip(" ()|")
    cut = _CLAUSE.search(after)
    behind = after if cut is None else "" if cut[0].isdigit() else after[: cut.start()]  # words before another number are that one's
    kinds = [kind_of(name) for name in (before, behind)]
    return next((kind for kind in kinds if kind not in {NONE, WHOLE}), NONE)


def kind_before(line: str) -> tuple[str, bool]:
    """The kind that all words before a line's last time tell, and whether they tell of a wait; none of a line that tells a loss, too."""
    text = _bare(line)
    if _NO_TIME.search(text):
        return NONE, False
    found = [one for one in _VALUE.finditer(text) if one["unit"]]
    before = text[: found[-1].start()][-MOST_LINE:] if found else text
    return _kind(before, text), waits(before)


def part_of_column(name: str) -> Part | None:
    """What a column called ``name`` tells the times of, with the seconds of one of its units; None where it is none of times."""
    kind, unit = kind_of(name), _ENDS_IN_UNIT.search(name.rstrip())
    if kind == NONE or _NO_TIME.search(name) or (unit is None and not _TIMELY.search(name)):
        return None
    told = unit[1].lower() if unit is not None else "s"
    return None if told in {"%", "pct", "percent"} else Part(kind, seconds_of(told))
