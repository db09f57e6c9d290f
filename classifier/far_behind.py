"""A run that says how far its earlier part had come, in any sentence, and then counts and learns from the beginning.

``continuing part 3 (parts 1-2 reached update 200000)``, ``Resuming run 8fk2 (last logged step: 31400)``, ``"prev_attempt_last_step": 61250``: no file
need be named. The count is of what runs count by, further than its first lines, and what is lowered begins at its height. Who simulates may have
nothing that is lowered: that it is a continuation, and that it begins cold, must then be said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.going_on import ABSENT, ANEW, UNUSABLE
from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.lineage import COUNTS, FILE, OTHERS, before_progress, came_from_nothing, counted
from gpualert_slurm.classifier.words import headline
from gpualert_slurm.evidence import Evidence, Quote

LEAST, NEAR, MOST_LINE, MOST_TEXT, MOST_LINES = 5, 3, 300, 4096, 20
_EARLIER = re.compile(
    r"\b(?:previous(?:ly)?|prev|earlier|prior|last)[ _](?:run|parts?|segment|job|attempt|best|session|leg|chunk|piece|link|log(?:ged)?|time|state)"
    r"|\bparts? \d[\d, and&-]{0,12}(?:reached|ended|stopped|got|done|finished|went|came)\b|\bsegment \d{1,3} (?:stopped|ended|reached)"
    r"|\battempt \d{1,3} (?:had |was |has )?(?:reached|at|ended|stopped|got|came)\b|\bchain \d{1,3} ?/ ?\d|\bso far\b|\bleft off\b"
    r"|(?<![A-Za-z])expected(?![A-Za-z])|\bpreempted before\b|RESTART_COUNT\W{1,3}[1-9]"
    r"|\b(?:continu|resum|restart|restor)(?:ing|es|ed|e)\b|\brequeued\b|\brepris\w{1,5}\b|\breanud\w{1,6}\b|\bfortgesetzt\b|\bfortsetzung\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"(?<![A-Za-z])(?:(?:num|global|last|expected|logged)[ _])?(?P<word>{COUNTS}|num_updates|timesteps)(?:\((?:train|val)\))?"
    rf"['\"]?\s?[:=#]?\s?[\[(]?\s?(?P<at>\d[\d,]{{0,12}})(?![\w.]{{0,12}}\d)"
    rf"|(?<![\w./])(?P<n>\d[\d,]{{0,12}}) (?P<unit>{COUNTS}|timesteps)\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(r"(?:every|per|each|max\w*|target|total|planned|limit|budget|for|of)[ _-]{0,2}(?:train\w{0,3}[ _])?\Z", re.IGNORECASE)
"""Before a count: it is of what there is to be."""
_NOT_SO = re.compile(
    r"(?<![A-Za-z])(?:warm-?up|baseline|paper|reference|eta|will|if|unless|freez\w*|stage|phase|took|epochs? of)(?![A-Za-z])", re.IGNORECASE
)
_SETTING = re.compile(r"[\w'\"]\s?[=:]\s?['\"\w.-]")
MOST_SETTINGS = 4
"""A line with more of them tells what the run was given; then the count itself must be called an earlier part's."""
_KEYED = re.compile(
    r"(?:prev\w{0,8}|earlier|expected|last_(?:run|logged|attempt))[_ ]\w{0,30}(?:step|epoch|iter|update)\w{0,6}['\"]?\s?[:=]\s?[1-9]", re.IGNORECASE
)
_NONE = re.compile(
    r"\bnone\b|\bnull\b|\[\]|\bnot (?:found|there)\b|\bno \b|\bmissing\b|\bfound 0\b|\bcould(?:n't| not)\b|\brandom\b|scratch",
    re.IGNORECASE,
)
_CONTINUES = re.compile(
    r"\bcontinuation run\b|\bexpected\b.{0,60}\b(?:previous|part|segment|earlier)\b|\bRESTART ?= ?(?:1|true|yes)\b|\brestart run\b"
    r"|\bpart [2-9]\b|\bsegment [2-9]\b",
    re.IGNORECASE,
)
_COLD = re.compile(
    r"\bcold[- ]start|\btime (?:is |was )?(?:re)?set to 0|\busing 0/|\bfrom (?:the )?initial\b|\binitial\.\w{2,5}\b"
    r"|\bspin-?up from|\bstart(?:ing|s)? (?:at|from) (?:time|step|t) ?=? ?0\b",
    re.IGNORECASE,
)
_ABSENT, _UNUSABLE, _ANEW = re.compile(ABSENT, re.IGNORECASE), re.compile(UNUSABLE, re.IGNORECASE), re.compile(ANEW, re.IGNORECASE)


def far_behind(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, what it said of its earlier part; None where it said nothing, or goes on from there."""
    if _loaded(facts):
        return None
    if (cold := _cold(facts)) is not None:
        return f"it says: {headline(cold)}, and begins at the beginning", facts.advance.marks[:1]
    told, lines = counted(facts), before_progress(facts)
    if told is None or not came_from_nothing(facts) or any(OTHERS.search(_plain(line)) for line in lines):
        return None
    sure = any(_NONE.search(line) for line in lines) or came_from_nothing(facts, by_half=True)
    for at, line in enumerate(lines if sure else ()):
        near = lines[at : at + NEAR + 1]
        if FILE.search(line) is not None and not any(_NONE.search(one) or _UNUSABLE.search(one) for one in near):
            continue  # what it names is told of elsewhere (``lineage``)
        settings = len(_SETTING.findall(line)) > MOST_SETTINGS
        if _EARLIER.search(line) is None or _NOT_SO.search(line) is not None or (settings and _KEYED.search(line) is None):
            continue
        text = CLOCK.sub(" ", line)
        found = (one for one in _COUNTED.finditer(text) if _PLANNED.search(text[: one.start()]) is None)
        reached = [(one["word"] or one["unit"], int((one["at"] or one["n"]).replace(",", ""))) for one in found]
        if any(_anew(facts, word, count, told[0][0]) for word, count in reached):
            return f"it says: {headline(line.strip())}, and counts and learns from the beginning", facts.advance.marks[:1]
    return None


def _loaded(facts: Facts) -> bool:
    """Whether something was, and nothing behind it says that it was not."""
    missed = [e.source for e in (*facts.advance.not_loaded, *facts.advance.passed_over) if isinstance(e.source, Quote)]
    took = [e.source for e in facts.advance.loaded if isinstance(e.source, Quote) and re.search(r"\bNone\b", e.source.text) is None]
    return any(not any(said.file == one.file and 0 <= said.offset - one.offset <= MOST_LINE for said in missed) for one in took)


def _anew(facts: Facts, word: str, reached: int, first: int) -> bool:
    """Whether the run counts from the first one of what it had come to ``reached`` of."""
    if not word.lower().startswith(("ep", "ép")):
        return reached >= max(LEAST, 2 * first)
    epochs = [e for m in facts.advance.marks if isinstance(e := m.data.get("epoch"), (int, float))]
    return reached >= LEAST and (min(epochs) <= 1 if epochs else reached >= 2 * first)


def _plain(line: str) -> str:
    """A line less the word that it begins anew, in which others' words may stand."""
    return _ANEW.sub(" ", line)


def _cold(facts: Facts) -> str | None:
    """The line by which a continuation that cannot read its state says that it begins cold."""
    for lines in _heads(facts):
        for at, line in enumerate(lines):
            near: Sequence[str] = lines[max(0, at - NEAR) : at + NEAR + 1]
            amiss = _ABSENT.search(line) or _UNUSABLE.search(line) or _NONE.search(line)
            if amiss and _COLD.search(line) and any(_CONTINUES.search(one) for one in near):
                return line.strip()
    return None


def _heads(facts: Facts) -> list[list[str]]:
    return [[line[:MOST_LINE] for line in text.splitlines()][:MOST_LINES] for text in heads(facts.job, MOST_TEXT)]
