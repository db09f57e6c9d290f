"""Parts of a time that a line tells in words: ``waiting for the loader: 3.6 s of 3.7 s``, ``7.7 s, of which 7.5 s saving``, ``95% of this pass``.

What the part is of is told by a word on the line; where words of two kinds are there, the one next to the part counts. Times in other tongues are
read as far as their words are few (French, German, Spanish, Italian). Bytes, files and samples of a whole have no unit of time and are none.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.line_times import kind_at
from gpualert_slurm.classifier.starvation import of_another
from gpualert_slurm.classifier.time_kinds import WORK

MOST_LINE = 400
_TIME = r"(?:ms|milliseconds|secs?|seconds?|secondes?|segundos?|Sekunden|s|min(?:utes)?|h(?:ours?)?)"
_N = r"\d{1,7}(?:\.\d{1,6})?"
_OF = r"(?:out of|of|sur|von|de|di|from|/)(?: (?:the|its|these|a|this))?"
_PART = re.compile(
    rf"(?<![\w.,])(?P<value>{_N})(?:\s?(?P<unit>{_TIME})(?: [a-z]{{3,20}}ing)?)? {_OF} (?P<all>{_N})(?:\s?(?P<unit_all>{_TIME}))?(?![\w%/]"
    rf"|[.,]\d)",
    re.IGNORECASE,
)
"""``3.61 s of 3.68 s``, ``0.9 of 1.0 s``, ``1.05 s sur 1.05 s``."""
_SPENT_IN = re.compile(
    rf"(?<![\w.,])(?P<value>{_N})\s?(?P<unit>{_TIME}) of [a-z]{{4,20}}ing\b.{{0,24}}? (?:in|within)"
    rf" (?P<all>{_N})\s?(?P<unit_all>{_TIME})\b",
    re.IGNORECASE,
)
"""``1.8 s of waiting so far in 1.9 s``."""
_OF_WHICH = re.compile(
    rf"(?<![\w.,])(?P<all>{_N})\s?(?P<unit_all>{_TIME})\b.{{0,24}}?"
    rf"\b(?:of (?:which|them|that|these)|davon|dont|de (?:ellos|ellas|los cuales|las cuales)|di cui)"
    rf"(?P<named>(?: [^\W\d]{{2,14}}(?:\([\w.]{{0,14}}\))?){{0,2}}) (?P<value>{_N})\s?(?P<unit>{_TIME})\b",
    re.IGNORECASE,
)
"""``0.91 s a batch, of which 0.90 s waiting``, ``4.5 s of which reading 4.4 s``."""
_OF_ALL = re.compile(
    rf"\b(?:of|out of|sur|von|de) (?P<all>{_N})\s?(?P<unit_all>{_TIME})\b[^.;:]{{0,40}}?"
    rf"(?:\b(?:for|spent|während|pendant) |(?<= )(?={_N}\s?{_TIME} (?:was|were|is|are|went|goes)\b))(?P<value>{_N})\s?(?P<unit>{_TIME})\b",
    re.IGNORECASE,
)
"""``of 4.4 s the learner was idle for 3.9 s``, ``of 7.1 s in this pass 6.6 s were spent waiting``."""
_SHARE = re.compile(
    r"(?<![\w.,])(?P<share>\d{1,3}(?:\.\d{1,3})?)\s?% (?:of|der|du|de la|del) "
    r"(?:(?:this|the|each|every|its|all|a|whole|dieser|des) ){0,2}"
    r"(?:pass|steps?|iterations?|epochs?|times?|updates?|rounds?|run|wall\S{0,12}|Zeit|temps|tiempo)\b",
    re.IGNORECASE,
)
"""``(95% of this pass)``."""
_WORDS = {
    "load": re.compile(
        r"(?<![A-Za-z])(?:(?<!barrier )(?<!peer )(?<!sync )wait(?:s|ed|ing)?"
        r"(?! (?:for|on) (?:the )?(?:other|rank|peer|barrier|slowest|all|gradient|lock|gpu))"
        r"|load(?:ing|er|s|ed)?|data(?:loader)?|next\(\w{0,14}\)"
        r"|batch[-_ ]generator|input|fetch(?:es|ed|ing)?|read(?:ing|s)?|prefetch\w{0,4}|idle|starved"
        r"|attente|lecture|chargement|esper\w{1,5}|cargador|lectura|wart\w{1,6}|Laden|Datenlader|attesa|lettura|caricamento)(?![A-Za-z])",
        re.IGNORECASE,
    ),
    "save": re.compile(
        r"(?<![A-Za-z])(?:sav(?:e|es|ed|ing)|check-?point\w{0,3}|ckpts?|snap-?shot\w{0,5}|wr(?:ote|ite|ites|iting|itten)"
        r"|persist\w{0,3}|dump\w{0,3}|seriali\w{0,4}"
        r"|sauvegard\w{1,3}|[ée]critur\w|guarda\w{0,3}|escrib\w{1,5}|speicher\w{0,2}|gespeichert|schreib\w{0,2}|sicher\w{1,3}"
        r"|salvat\w{1,6})(?![A-Za-z])",
        re.IGNORECASE,
    ),
    "talk": re.compile(
        r"(?<![A-Za-z])(?:all[-_ ]?(?:reduce|gather)|reduce[-_ ]?scatter|exchang\w{1,3}|communicat\w{1,3}|comm|sync\w{0,10}|nccl"
        r"|barrier)(?![A-Za-z])",
        re.IGNORECASE,
    ),
}
_SO_FAR = re.compile(r"\bso far\b|\bsince\b|\bdepuis\b|\bseit\b|\bdesde\b|\bin all\b|\btotal\b|\bbisher\b|\bhasta ahora\b", re.IGNORECASE)
_PLAN = re.compile(r"\b(?:limit|budget|timeout|max(?:imum)?|remaining|left|eta|every)\b", re.IGNORECASE)
"""What is left of a limit is no part of the time that went."""


def told_share(text: str, kind: str) -> tuple[float, float | None] | None:
    """The share of ``kind`` (``load``, ``save``, ``talk``) in a time, and that time in seconds (None: a share alone); None: it tells none."""
    text = text[:MOST_LINE]
    if not any(mark in f" {text}".lower() for mark in ("%", " of ", " sur ", " von ", " de", " davon", " dont", " di ", "/")) or _PLAN.search(text):
        return None
    for regex in (_OF_WHICH, _SPENT_IN, _PART, _OF_ALL):
        for found in regex.finditer(text):
            named = found.groupdict().get("named")
            if named and not any(words.search(named) for words in _WORDS.values()):
                continue
            unit, unit_all = found["unit"] or found["unit_all"], found["unit_all"] or found["unit"]
            unit = unit or ("ms" if "(ms)" in text else "")
            if not unit or _kind(text, found.start("value"), found.end("value")) != kind:
                continue
            part, whole = float(found["value"]) * seconds(unit), float(found["all"]) * seconds(unit_all or unit)
            if whole > 0 and part <= 1.02 * whole:
                return min(1.0, part / whole), whole
    share = _SHARE.search(text)
    if (
        share is not None
        and float(share["share"]) <= 100
        and kind_at(text, *share.span()) != WORK
        and not of_another(text[: share.start()])
        and _kind(text, share.start(), share.end()) == kind
    ):
        return float(share["share"]) / 100, None
    return None


def so_far(text: str) -> bool:
    """Whether a line tells of all the time since the beginning: the last such line holds what those before it told."""
    return _SO_FAR.search(text) is not None


def seconds(unit: str) -> float:
    """How many a unit of time is."""
    low = unit.lower()
    return 0.001 if low.startswith(("ms", "milli")) else 60.0 if low.startswith("min") else 3600.0 if low.startswith("h") else 1.0


def _kind(text: str, begin: int, end: int) -> str | None:
    """The kind whose word is nearest to a place in the line."""
    near: list[tuple[int, str]] = []
    for kind, regex in _WORDS.items():
        apart = (begin - one.end() if one.end() <= begin else one.start() - end for one in regex.finditer(text))
        places = [letters for letters in apart if letters >= 0]
        if places:
            near.append((min(places), kind))
    return min(near)[1] if near else None
