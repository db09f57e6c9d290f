"""How long a run stood before the lines that tell of what it wrote: by when its lines arrived, whatever words they have.

A line that tells of a write comes when it is done, behind one that told of something else: the time between the two went into it. Lines alike but for
their numbers are added up. Where the same kind of line comes again and again, nothing tells how much of the time between went into the work itself;
and a word that something begins to be written has its time behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.pattern import Data, Match
from gpualert_slurm.classifier.saves import STATE_ENDING
from gpualert_slurm.evidence import Role

PATTERN = "held_up.lines"
LEAST = 6
MOST_TEXT = 300
OTHERS_BEFORE = 0.8
"""Of such lines, those that follow a line of another kind."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_FILE = re.compile(rf"\w(?:{STATE_ENDING}|\.(?:full|shared|txt|bak|tmp|zip|gz|bz2|xz|zst|tgz|raw|all))\b", re.IGNORECASE)
_WRITES = re.compile(
    r"(?<![A-Za-z])(?:auto)?(?:sav(?:e|es|ed|ing)|snap-?shot\w{0,5}|check-?point\w{0,3}|ckpts?|(?:re-?)?writ(?:e|es|ing|ten)|rewrote|wrote|packed"
    r"|dump\w{0,3}|persist\w{0,3}|stor(?:e|es|ed|ing)|flush\w{0,3}|archiv\w{0,3}|back(?:ed|ing)?[ -]?up|seriali\w{0,4}|kept|keep\w{0,3}|f?sync\w{0,3}"
    r"|cop(?:y|ies|ied|ying)|mirror\w{0,3}|shared|(?:on|to) disk|full state|(?:state|model|weights|params) out"
    r"|gesichert|gespeichert|geschrieben|sauvegard\w{1,3}|enregistr\w{1,3}"
    r"|[ée]crite?s?|guardad[oa]s?|escrit[oa]s?|c[oó]pi[ae]\w{0,3}|gravad[oa]s?|salv(?:o|ad[oa]s?|at[oaie])|Sicherung|Kopie)(?![A-Za-z])|-> |=> |> \S",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\W{0,6}(?:->|=>|>)\s")
_TOOK = re.compile(
    r"(?P<value>\d{1,6}(?:[.,]\d{1,6})?)\s?(?:elapsed )?(?P<unit>ms|milliseconds|s|secs?|seconds?|Sekunden|secondes|segundos)\b(?!['\"]?\s?[=:])"
    r"|\b(?:took|seconds|secs?|duration|dur|elapsed|cost|spent|dt|(?=ms['\"]))(?P<key>[_ ]?(?:s|ms|sec|seconds))?['\"]?\s?[=:]\s?['\"]?"
    r"(?P<said>\d{1,6}(?:\.\d{1,6})?)(?P<after>ms|s)?\b",
    re.IGNORECASE,
)
_NO_STATE = re.compile(r"\w\.(?:csv|tsv|jsonl|parquet|png|jpe?g|svg|pdf|log|md|wav|mp4|gif|html)\b", re.IGNORECASE)
_POINT = re.compile(r"(?<![A-Za-z])(?:check-?point|ckpt|snap-?shot)", re.IGNORECASE)
_EVENT = re.compile(r"\W{0,4}(?:check-?point\w{0,3}|ckpt|snap-?shot\w{0,3}|sav(?:e|ing|ed))\b(?!.{0,200}\d\.\d)", re.IGNORECASE)
"""What begins with the word for it and measures nothing counts no work, whatever it counts."""
_FRACTION = re.compile(r"\d[.,]\d")
_FOLDER = re.compile(r"(?<![\w/])[\w.~:-]{0,40}/{1,3}[\w.-]{1,80}/[\w./-]{1,200}")
"""A place without an ending: a folder of a state's parts."""
_MADE = re.compile(
    r"sample|image|picture|audio|video|figure|plot|predict|generat|translat|transcri|render|feature|embed|token|data|cache|log|metric|report|result",
    re.IGNORECASE,
)
"""What a run makes beside its state."""
_BEGINS = re.compile(r"\b(?:saving|writing|storing|dumping|persisting|checkpointing|copying|start\w*|begin\w*)\b", re.IGNORECASE)
_NOT_SO = re.compile(
    r"\b(?:load\w*|read\w*|fetch\w*|download\w*|waiting|eval\w*|valid\w*|test\w*|predict\w*|process\w*|async\w*|background|fail\w*|error|retr\w+|skip\w*|loss|acc"
    r"|prepar\w*|epoch \d+ of|nothing)\b",
    re.IGNORECASE,
)


@dataclass
class _Kind:
    count: int = 0
    spent_ns: int = 0
    """Behind the line before it, or what had come at once with that."""
    since_ns: int = 0
    """Behind the last line of progress."""
    behind_others: int = 0
    told: bool = False
    """Whether its lines say themselves how long it took."""
    last: Line | None = None


class _Clock:
    """What came when, line by line; lines that come at once are one burst."""

    def __init__(self) -> None:
        self.first_ns: int | None = None
        self.now_ns = self.before_ns = self.gap_ns = self.work_ns = 0
        self.progress_ns: int | None = None
        self.going = False

    def tick(self, now_ns: int, about_ns: int, *, progress: bool) -> None:
        """The next line came."""
        self.before_ns = self.now_ns if self.first_ns is not None else now_ns
        self.first_ns = now_ns if self.first_ns is None else self.first_ns
        apart = now_ns - self.before_ns - 2 * about_ns
        if apart > 0 or self.before_ns == now_ns == self.first_ns:
            self.gap_ns, self.going = max(0, apart), False
        self.now_ns = now_ns
        if progress:
            self.work_ns += self.take()
            self.going, self.progress_ns = True, now_ns

    def take(self) -> int:
        """The time before this burst, which is of the first line in it that is asked for; what comes at once with a line of the work took nothing."""
        gap_ns, self.gap_ns = 0 if self.going else self.gap_ns, 0
        return gap_ns


def held_up(lines: Iterable[Line], when: Callable[[int], tuple[int, int] | None], progress: frozenset[int]) -> list[Match]:
    """The kind of such lines that took most of the time: its ``share``, that of the ``work``'s own lines; none without times."""
    told = [(line, time, _key(line.text)) for line in lines if line.text.strip() and (time := when(line.offset)) is not None]
    seen = Counter(key for _, _, key in told)
    going = {key for line, _, key in told if line.offset in progress and not _of_a_save(line.text[:MOST_TEXT])}
    going |= {key for line, _, key in told if seen[key] >= LEAST and "#" in key and not writes(line.text[:MOST_TEXT])}
    kinds: dict[str, _Kind] = {}
    clock, before, begun = _Clock(), "", None
    for line, time, key in told:
        clock.tick(*time, progress=key in going)
        if begun is not None:
            begun.spent_ns += clock.now_ns - clock.before_ns
            begun.since_ns += clock.now_ns - clock.before_ns
            begun = None
        if before and key not in going and seen[key] >= LEAST and len(line.text) <= MOST_TEXT and writes(line.text):
            kind = kinds.setdefault(key, _Kind())
            kind.count += 1
            kind.behind_others += before != key
            kind.last = line
            took_s = told_s(line.text)
            kind.told = kind.told or took_s is not None
            if _BEGINS.search(line.text):
                begun = kind
            else:
                kind.since_ns += clock.now_ns - (clock.progress_ns if clock.progress_ns is not None else clock.before_ns)
                gap_ns = clock.take()
                kind.spent_ns += gap_ns if took_s is None else min(gap_ns, int(1e9 * took_s))
        before = key
    return _of(kinds, clock)


def _of_a_save(text: str) -> bool:
    """Whether a line tells of a save alone, although it counts."""
    return _EVENT.match(text) is not None or (_FRACTION.search(text) is None and names_state(text))


def _key(text: str) -> str:
    return _NUMBER.sub("#", CLOCK.sub("", text[:MOST_TEXT]))


def told_s(text: str) -> float | None:
    """How long a line says that something took, its last such number; None where it says nothing."""
    if not (found := list(_TOOK.finditer(text))):
        return None
    last = found[-1]
    if len(found) > 1 and text[found[-2].end() : last.start()].strip() in {"of", "/", "von", "de", "sur"}:
        last = found[-2]  # of all the time so far
    value, unit = float((last["value"] or last["said"]).replace(",", ".")), last["unit"] or last["after"] or last["key"] or "s"
    return value / 1000 if unit.lstrip("_ ").lower().startswith(("ms", "milli")) else value


def _of(kinds: dict[str, _Kind], clock: _Clock) -> list[Match]:
    apart = [kind for kind in kinds.values() if kind.behind_others >= OTHERS_BEFORE * kind.count]
    best = max(apart or kinds.values(), key=lambda kind: kind.spent_ns, default=None)
    whole_ns = clock.now_ns - (clock.first_ns or 0)
    if best is None or best.last is None or whole_ns <= 0:
        return []
    shares = {"share": best.spent_ns, "since": best.since_ns, "work": clock.work_ns}
    data: Data = {**{name: round(min(1.0, ns / whole_ns), 4) for name, ns in shares.items()}, "count": best.count}
    if not apart and not best.told:
        data |= {"each_s": round(whole_ns / 1e9 / best.count, 4), "alone": True}
    return [Match("held_up", Role.MARKER, best.last, PATTERN, data=data)]


def writes(text: str) -> bool:
    """Whether a line tells of something that was written to a file, or names one beside a word for it."""
    if not by_word(text):
        return names_state(text)
    if _NO_STATE.search(text) is not None and _FILE.search(text) is None:
        return False
    if _NUMBER.search(text) is None or "tate" in text or told_s(text) is not None:
        return True
    return any(words.search(text) for words in (_FILE, _POINT)) or (_FOLDER.search(text) is not None and _MADE.search(text) is None)


def by_word(text: str) -> bool:
    """Whether a line has a word for writing, and none for something else."""
    words = text.replace("_", " ")
    if (bullet := _BULLET.match(words)) is not None and _FOLDER.search(text) is None and _POINT.search(text) is None:
        words = words[bullet.end() :]  # an arrow that points at no place
    return _WRITES.search(words) is not None and _NOT_SO.search(words) is None


def names_state(text: str) -> bool:
    """Whether a line names a file that may hold a state, and has no word for something else."""
    return _FILE.search(text) is not None and _NO_STATE.search(text) is None and _NOT_SO.search(text.replace("_", " ")) is None
