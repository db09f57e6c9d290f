"""Lines that tell, each by itself, how long something was written: ``autosave after rating 100 took 264 ms``, ``snapshot names=32 took=0.39s``.

Alike but for their numbers, many of them, and a fifth of the run's time in all: then writing held the run up, whatever words it has for it and
whether or not a state is what it wrote. A line that tells how long a pass took and that it was saved tells nothing of the save; nor does a clock.
"""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass

from gpualert_slurm.classifier.alike import MOST_TEXT, Told, alike, is_clock
from gpualert_slurm.classifier.columns import columns
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.held_up import by_word, names_state, told_s
from gpualert_slurm.classifier.saves import judged, of_no_state
from gpualert_slurm.evidence import Evidence

LEAST = 8
MOST_OF_PASSES = 0.6
"""Of the run's time: what lines that name a pass say may be the pass's own time, where it comes to more."""
_NOT_SO = re.compile(
    r"\b(?:load\w*|read\w*|fetch\w*|download\w*|eval\w*|valid\w*|test\w*|loss|acc(?:uracy)?|async\w*|background|thread|every|each|skip\w*|fail\w*"
    r"|error|retr\w+|data ?set|prepar\w*|token\w*|predict\w*|embed\w*|featur\w*|wait\w*"
    r"|time-?out|raise|not|limit|deadline|budget|interval|eta|left|remain\w*|since|until|ago|(?:by|per|across|each) ranks?)\b",
    re.IGNORECASE,
)
_LOSS = re.compile(
    r"(?<![A-Za-z])(?:\w{0,12}loss|huber|mse|rmse|mae|xent|nll|bce|elbo|perplexity|ppl|bits|nats|cost|verlust|perte|p[ée]rdida|perda|perdita)(?:/\w{1,10})?\W{0,4}\d"
    r"|\d (?:bits|nats)/",
    re.IGNORECASE,
)
_PASSES = r"(?:epochs?|pass(?:es)?|rounds?|sweeps?|generations?|steps?|Epoche|Runde|[ée]poque|[ée]poca)"
_OF_PASS = re.compile(
    rf"\b{_PASSES}\b.{{0,60}}\b(?:done|finish\w*|complete\w*|end(?:ed|s)?|over|trained|fertig)\b|\b{_PASSES}\W{{0,3}}\d+\W{{0,3}}(?:took|in|time)\b",
    re.IGNORECASE,
)
"""A pass that has ended, and what it took."""
_TIMING = re.compile(r"\b(?:timing for|elapsed seconds|wall ?(?:clock|time)|time/step|s/step|sec/step)\b", re.IGNORECASE)
_ARRAY, _COUNTED_ARRAY = re.compile(r"[\w./-]{1,200}\.npy\b"), re.compile(r"\d\.npy\b")


@dataclass(frozen=True)
class Timed:
    """How many such lines there were, their ``share`` of the run's time, the last of them, and what is cited beside it."""

    count: int
    share: float
    said: str
    cites: tuple[Evidence, ...]


def timed_saves(facts: Facts) -> Timed | None:
    """The kind of such lines that took most of the time; None where there is none, or how long the run took is not known."""
    whole_s = facts.ending.elapsed_s
    if not whole_s or not trains(facts):
        return None
    best: Timed | None = None
    for lines, left_out in alike(facts.job, took_s):
        found = _of_kind(facts, lines, left_out, whole_s)
        if found is not None and (best is None or found.share > best.share):
            best = found
    return best


def trains(facts: Facts) -> bool:
    """Whether a loss is told: of a job whose work is to write, its writing is no delay."""
    moved = facts.measured is not None and any(len(set(m.values)) > 1 for m in facts.measured.measures)
    if facts.advance.loss is not None or moved or any(c.loses for c in columns(facts.advance.marks, facts.job)):
        return True
    if any(_LOSS.search(one.text[:MOST_TEXT]) for report in facts.job.reports for one in report.excerpts):
        return True
    return any(len(lines) >= LEAST for lines, _ in alike(facts.job, _worked_s))


def _worked_s(line: str) -> float | None:
    """How long something else than a write took, by the line's own word (WRF's ``Timing for main``)."""
    return told_s(line) if _TIMING.search(line) and not by_word(line) and not names_state(line) else None


def counts(facts: Facts) -> bool:
    """Whether lines of progress tell of something else than what was written."""
    return any(m.says == "progress" for m in facts.advance.marks)


def took_s(line: str) -> float | None:
    """How long something was written, by a line's own word; None for every other line."""
    words = line.replace("_", " ")
    bare = line if _COUNTED_ARRAY.search(line) else _ARRAY.sub(" ", line)  # the same array again and again is what was written there
    if not (by_word(line) or names_state(line)) or _NOT_SO.search(words) or of_no_state(bare) or judged(line):
        return None
    return told_s(line)


def _of_kind(facts: Facts, lines: Told, left_out: float, whole_s: float) -> Timed | None:
    took = [one for one, _ in lines]
    if len(took) < LEAST or len({line for _, line in lines}) < LEAST // 4:
        return None
    if is_clock(took):
        return None
    share = statistics.fmean(took) * len(took) * left_out / whole_s
    if share > 1.05 or (share > MOST_OF_PASSES and _OF_PASS.search(lines[-1][1]) and not names_state(lines[-1][1])):
        return None
    return Timed(round(len(took) * left_out), min(1.0, share), lines[-1][1].strip(), facts.advance.marks[-1:] or facts.cite_end()[:1])
