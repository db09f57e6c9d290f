"""A run that ended well after a handful of what it counts by, far short of what it was asked for: ``--rounds 400``, and the last line tells round 4.

What was asked is read under the very word that the lines of progress count by: on the command line, in the first lines, behind the slash. A run that
says why it stopped before its time (it had converged, or met its target) is none, nor one that counts from further on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lineage import COUNTS, before_progress, counted_by
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.classifier.recount import counted_steps
from gpualert_slurm.evidence import Evidence, Quote

MOST_DONE, LEAST_ASKED = 10, 10
SHORT = 0.34
"""Of what was asked, so much at most was done."""
MOST_TAIL = 2000
PATIENCE = 3
"""Lines behind the lowest of what is held out, after which a run may stop without a word."""
LITTLE = 0.05
_WORD = re.compile(
    rf"(?<![\w.,/])(?P<done>\d[\d,]{{0,11}}) (?:of|out of|/) (?:the )?(?P<of>\d[\d,]{{0,11}}) (?:planned|wanted|requested"
    rf"|scheduled|intended|configured) (?:training |optimi[sz]er |global )?(?:{COUNTS})\b",
    re.IGNORECASE,
)
_HELD_OUT = re.compile(r"(?:\b|_)(?:val\w*|dev|held|hold\w*|test|check|eval\w*|pr[üu]f\w*|contr[ôo]le|kontroll\w*)(?:\b|_)", re.IGNORECASE)
_ENOUGH = re.compile(
    r"\bearly[ _-]?stop|\bpatience\b|\bconverg|\btarget\b|\btolerance\b|\bgoal\b|\bno (?:more |further )?improvement|\bnot improv|\bsolved\b"
    r"|good enough|\bplateau|\bsatisf|\bthreshold|\bbest\b.{0,20}\breached|\breached\b|\bstable\b|konvergier|\bZiel\b|atteint|alcanzad"
    r"|\bno (?:\w+ )?(?:gain|progress|change|better)|\bwithout (?:a |any )?(?:gain|improv|progress|change)"
    r"|\bn(?:ot|'t) (?:risen|fallen|dropped|moved)\b|\bnot (?:getting |any )?(?:better|lower|improv)|\bworse\b"
    r"|stagnat|saturat|\blevel(?:l?ed|s) (?:off|out)|\bkeine? (?:Verbesserung|Fortschritt|Besserung)"
    r"|aucune? (?:am[ée]lioration|progr)|sin mejora",
    re.IGNORECASE,
)
_FIRST = re.compile(r"(?<![^\W\d_])(?P<word>[^\W\d_]{3,24})\W{1,6}(?P<at>\d{1,6})(?![\d.:])")
_EACH = re.compile(r"(?:\bper|\beach|\bevery|\bpro|\bje|\bpar|\bpor|/) ?[^\W\d_]{1,24}\W{1,4}\Z", re.IGNORECASE)
"""``batches per epoch: 1503``: of what one of them consists."""
_GENERIC = r"epochs?|steps?|iter(?:ation)?s?|updates?|rounds?|pass(?:es)?|sweeps?|generations?|episodes?|cycles?"


def short_of(facts: Facts) -> tuple[int, int, Evidence] | None:
    """How many were done, how many were asked for, and the last line that counts; None where that does not show."""
    marks = [m for m in facts.advance.marks if isinstance(m.source, Quote)]
    if not marks:
        return _of_bare_lines(facts)
    said = _by_its_word(facts)
    return (*said, marks[-1]) if said is not None else _of_marks(facts, marks)


def _of_marks(facts: Facts, marks: Sequence[Evidence]) -> tuple[int, int, Evidence] | None:
    """The same of lines that are known for progress."""
    steps = counted_steps(facts)
    if facts.measured is not None and facts.measured.counter.counts[-1] > MOST_DONE:
        return None  # its lines count further than those that are known for progress
    if not steps or steps[0] > 1 or steps != sorted(steps) or facts.advance.loaded or max(steps) > MOST_DONE:
        return None
    if any(isinstance(epoch := m.data.get("epoch"), float) and not epoch.is_integer() for m in marks):
        return None  # parts of one epoch
    counting = [m for m in marks if "step" in m.data or "epoch" in m.data]
    word = counted_by(facts) or ("" if any("step" in m.data for m in counting) else "epoch")  # how many steps there are to be says nothing of epochs
    own = [m.data.get("planned", m.data.get("epochs")) for m in counting] if word else []
    asked = max([*(n for n in own if isinstance(n, int)), *_asked(facts, word)], default=0)
    if asked < LEAST_ASKED or max(steps) > SHORT * asked or any(_ENOUGH.search(text) for text in _ends(facts)) or _got_worse(facts):
        return None
    return max(steps), asked, marks[-1]


def _by_its_word(facts: Facts) -> tuple[int, int] | None:
    """``finished after 1 of 381 planned iterations``: the program's own word of how little of it was done."""
    for text in _ends(facts):
        found = [(int(one["done"].replace(",", "")), int(one["of"].replace(",", ""))) for one in _WORD.finditer(text)]
        if found and found[-1][0] <= LITTLE * found[-1][1] and not _ENOUGH.search(text):
            return found[-1]
    return None


def _got_worse(facts: Facts) -> bool:
    """Whether something that is held out came down at first and had its lowest some lines before the last: it may have stopped on purpose."""
    found = facts.measured
    held = [m.finite for m in found.measures if _HELD_OUT.search(m.name)] if found is not None else []
    return any(len(v) > PATIENCE and v[0] > min(v) and len(v) - 1 - v.index(min(v)) >= PATIENCE for v in held)


def _of_bare_lines(facts: Facts) -> tuple[int, int, Evidence] | None:
    """The same of one or two lines with a loss, too few to be known for progress: by the word before their first number."""
    said = [e for e in facts.said("progress") if isinstance(e.source, Quote)]
    found = [_FIRST.search(e.source.text[:200]) for e in said if isinstance(e.source, Quote)]
    counts = [int(one["at"]) for one in found if one is not None]
    words = {one["word"].lower() for one in found if one is not None}
    if not said or len(words) != 1 or len(counts) < len(said) or counts != list(range(counts[0], counts[0] + len(counts))) or counts[0] > 1:
        return None
    asked = max(_asked(facts, words.pop()), default=0)
    if asked < LEAST_ASKED or counts[-1] > SHORT * asked or any(_ENOUGH.search(text) for text in _ends(facts)):
        return None
    return max(1, counts[-1]), asked, said[-1]


def _asked(facts: Facts, word: str) -> list[int]:
    """The numbers that the command line and the first lines give under the counter's word."""
    named = rf"{re.escape(word.rstrip('s'))}(?:e?s|en|n)?" if len(word) > 1 else f"(?:{_GENERIC})"
    option = rf"(?:(?:max|num|n|total|train)[_-]?)?(?:train[_-]?)?{named}['\"]?(?:\s?[=:]\s?|\s)['\"]?(?P<n>\d{{1,8}})(?![\d.])(?! of\b)"
    given = re.compile(rf"(?:^|[\s,;{{('\"])(?:--?|\+{{1,2}})?{option}", re.IGNORECASE)
    found = [int(one["n"]) for line, _ in command_lines(facts.job, facts.row) for one in given.finditer(line)]
    counted = re.compile(rf"(?<![\w.,/=:-])(?P<n>\d{{1,8}}) {named}\b", re.IGNORECASE)
    lines = before_progress(facts)
    told = [(one, line[: one.start("n")]) for line in lines for regex in (given, counted) for one in regex.finditer(line)]
    return found + [int(one["n"]) for one, before in told if _EACH.search(before) is None]


def _ends(facts: Facts) -> list[str]:
    """The last words of each log."""
    return [(one.tail or one.head)[-MOST_TAIL:] for report in facts.job.reports for one in report.excerpts]
