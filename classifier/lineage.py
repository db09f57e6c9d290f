"""What a run knew, before it made its first step, of a state that was there: its file, and how far that state had come.

Programs say so in anybody's words (``newest of the store: mf/sweep-32.json``, ``gcn.pt [...] epoch 52``, ``Reprise de x.npz (passage 15)``), but the
numbers are the same in all: a state's file, a count in its name or beside it in the word that the run counts by, and behind it a run that counts from
the first one past that very count, and comes down from where nothing had been learned. Weights of another's making, a new stage and what is merely
to be written are none; a state that is named on a command line only counts as bidden where its option says to go on.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from gpualert_slurm.classifier.columns import columns
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.measures import Measure, begins_first
from gpualert_slurm.classifier.numbers import finite, pointed
from gpualert_slurm.classifier.parents import command_lines, saved_to
from gpualert_slurm.classifier.recount import counted_steps
from gpualert_slurm.classifier.saves import STATE_ENDING
from gpualert_slurm.evidence import Evidence, Quote

LEAST_COUNT, LEAST_LOSSES = 3, 5
MOST_LINES, MOST_LINE, MOST_TEXT = 60, 300, 16 * 1024
MOST_SETTINGS = 4
"""A line with more names and values than these tells settings."""
HIGHEST = 0.97
"""Of the highest of all losses, what the first one is at least where nothing had been learned."""
FELL, FELL_EARLY, EARLY, HALF = 0.12, 0.33, 0.3, 0.5
"""How far the loss came down, at least; so much of it within the first part of the run; or to a share of what it was."""
FILE = re.compile(rf"(?<![\w./~@+=-])['\"]?(?P<path>[\w./~@+-]{{1,200}}{STATE_ENDING})(?![\w/-])", re.IGNORECASE)
_ANY_FILE = re.compile(r"(?<![\w./~@+=-])['\"]?(?P<path>[\w./~@+-]{1,200}\.[A-Za-z]\w{0,11})(?![\w/-])")
"""Where the very word that the run counts by, and a count, stand beside it."""
_IN_NAME = re.compile(r"(?<!\d)0{0,9}(\d{1,9})(?!\d)")
COUNTS = (
    r"epochs?|steps?|it(?:er(?:ation)?)?s?|updates?|rounds?|pass(?:es)?|sweeps?|generations?|trees|batches|games|episodes|cycles?|turns?|blocks?|portions?|laps?"
    r"|Epochen?|Schritte?n?|Runden?|Durchg[äa]nge?n?|[ée]tapes?|[ée]poques?|passages?|vueltas?|pasos?|[ée]pocas?"
)
_PLANNED = re.compile(r"(?:epochs|steps|iters|iterations|rounds|updates|sweeps|generations|cycles)['\"]?\s?[=:]", re.IGNORECASE)
"""A setting: how many there are to be."""
_WORD_BEFORE = re.compile(r"(?P<word>[^\W\d_]{2,24})['\"]?\s{0,3}[:=#(\[]?\s{0,4}\Z")
_WRITES = re.compile(
    r"\b(?:sav\w*|writ\w*|wrote|stor(?:es|ing|ed)|output|out|will|every|each|per|to be|target|keep\w*|dump\w*|log|speicher\w*|schreib\w*|enregistr\w*"
    r"|guardar\w*|default|delet\w*|remov\w*|prun\w*)\b",
    re.IGNORECASE,
)
OTHERS = re.compile(
    r"pre-?train|model[_ ]?zoo|fine-?tun|backbone|transfer|warm|imagenet|\bnew (?:task|stage|head|run)|\bstage\b|\bphase\b|\bbase(?:line)?\b"
    r"|teacher|donor|frozen|freez"
    r"|start(?:ing)? (?:values|weights|point)|seed(?:ed)? (?:from|with|by)|average|distil|student|encoder|adapt|\bother|fresh"
    r"|from scratch|overwrit|first (?:run|start)|\bhead\b|\bbody\b|\btrunk\b|\bdomain\b|downstream"
    r"|\bon (?:the|a|an|all|another) (?:\w+ ){0,3}(?:set|data|corpus|task|images|texts?)\b|\bpublic\b|vorab|anderen|autres?\b",
    re.IGNORECASE,
)
"""Words by which a run begins with what is not its own earlier work, or begins anew on purpose."""
RIGHT = re.compile(
    r"(?:\b|_)(?:acc(?:uracy)?|top-?[15]|f1|iou|miou|m?ap|auc|bleu|r2|nse|correct|richtig|exactitude|genauigkeit)(?:\b|_|\Z)", re.IGNORECASE
)
"""What is measured of what is right: from nought to one, or to a hundred."""
_INITIAL = re.compile(r"\binitial|\binit\b", re.IGNORECASE)
_PROGRAM = re.compile(r"(?<![\w./~@+-])[\w./~@+-]{0,200}/(?:env|bin|lib|python)[\w./-]{0,200}")
_SCRIPT = re.compile(r"(?<![\w./~@+-])[\w./~@+-]{1,200}\.(?:py|sh|pl|R|jl)\b")
"""The interpreter's own path and the program's name, in which words mean nothing."""
_TAKES = re.compile(
    r"\b(?:resum\w*|restor\w*|contin\w*|restart\w*|reload\w*|load\w*|read|open\w*|found|newest|latest|last|from|at|is|here|holds|has|had|have|seen|done"
    r"|repris\w*|reprend\w*|fortsetz\w*|weiter|geladen|lade\w*|charg\w*|retom\w*|reanud\w*|carg\w*|picks?|picked|goes|going|took|taken|up to|of)\b",
    re.IGNORECASE,
)
RESUMES = re.compile(r"\b(?:resum|restor|reload|fortgesetzt|repris|reanud)", re.IGNORECASE)
READ = re.compile(
    r"\b(?:read|loaded|opened|restored|resumed|taken up|picked up|gelesen|geladen|lue?s?|charg[ée]e?s?|le[ií]d[oa]s?|cargad[oa]s?)\b(?! only)",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"\bdata(?:set)?s?\b|\bvocab|\bconfig|\btoken|\brows\b|\bcorpus\b|\bsplit|\bfeatures?\b|\blabels?\b|\bvectors?\b|\bwords?\b|\blexic|\bglove"
    r"|\bcontext\b|\bwindow|\bopponent|\brival|\breplay|\bbuffer|\bpool\b|\bscaler|\bstat(?:s|istics)\b|\bindex|\bcaches?\b|\bmasks?\b|\bgraph\b"
    r"|\bcalendar|\bschedul|\bstudy\b|\btrials?\b|\bfolds?\b|\bhparams|\bsettings\b|\bbest\b(?!['\"]?\W{0,3}\d{0,6}\.\d)|\bcritic\b|\breward|\benv(?:ironment)?\b|\bprices?\b",
    re.IGNORECASE,
)
"""What is there beside a model's state, or is of other models."""
_DATA_PATH = re.compile(
    r"(?:\A|[/_.-])(?:data(?:sets?)?|shards?|corpus|tokens?|features?|labels?|embeddings?|samples|batches|images?)(?=[/_.\d-]|\Z)", re.IGNORECASE
)
_TUNER = re.compile(r"\.(?:lr_find|scale_batch_size)_")
"""What Lightning's tuner puts away before its trial, and takes back: the run begins behind it."""
_GOES_THERE = re.compile(
    r"\b(?:to|into|in|under|als|nach|dans|vers|en)\s+['\"]?\Z|(?<!latest )(?<!newest )(?<!last )(?:->|=>|→)\s*['\"]?\Z", re.IGNORECASE
)
_BIDS = re.compile(
    r"(?:^|[\s;&,{])['\"]?(?:--?|\+{1,2})?(?:[a-z_]{1,20}[._-])?(?:resume|restore|continue|restart|reprise|reprendre|fortsetzen|weiter|reanudar"
    r"|retomar|(?:grow|carry|go|build)[_-]?on|(?:take|pick)[_-]?up)"
    rf"[\w.-]{{0,30}}['\"]?\s?[=:\s]\s?['\"]?(?P<path>[\w./~@+-]{{1,200}}{STATE_ENDING})(?![\w/-])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class State:
    """A state's file, how far it had come, what said so, and whether a command line bids the run go on from it."""

    path: str
    count: int
    evidence: tuple[Evidence, ...]
    bidden: bool


def known_before(facts: Facts) -> State | None:
    """The state that a run knew of and went past, counting from the first one and learning anew; None: there is none, or it does not show."""
    told = counted(facts)
    if told is None or not came_from_nothing(facts):
        return None
    (steps, word), lines = told, before_progress(facts)
    commands = [_SCRIPT.sub(" ", _PROGRAM.sub(" ", line)) for line, _ in command_lines(facts.job, facts.row)]
    if any(OTHERS.search(text) for text in (*lines, *commands)) or any(_INITIAL.search(line) for line in lines):
        return None
    reach = max(steps[-1], facts.advance.steps_planned or 0, (facts.measured.counter.planned or 0) if facts.measured is not None else 0)
    for state in (*_said(facts, lines, word), *_bidden(facts)):
        own = state.bidden or _its_own(facts, state)
        if max(LEAST_COUNT, 2 * steps[0]) <= state.count < reach and own and not _went_on(facts, state, steps[-1]):
            return state
    return _read_and_written(facts, lines)


def _went_on(facts: Facts, state: State, last: int) -> bool:
    """Whether a line names the state once more with all that it came to: what it had, and what this run added."""
    sums = {str(state.count + last), str(state.count + last + 1)}
    texts = (one.text for report in facts.job.reports for one in report.excerpts)
    said = (line for text in texts for line in text.splitlines() if state.path in line)
    return any(sums & set(re.findall(r"(?<![\d.])\d{1,9}(?![\d.])", CLOCK.sub(" ", line).replace(state.path, " "))) for line in said)


def _read_and_written(facts: Facts, lines: Sequence[str]) -> State | None:
    """A state that the first lines say was read, and that the run itself wrote again later: it is of its own earlier work.

    How far it had come is not told: only a run that learns at least by half has not begun there.
    """
    if not came_from_nothing(facts, by_half=True):
        return None
    for line in lines:
        files = [found["path"] for found in FILE.finditer(line)]
        if len(files) == 1 and _named_later(facts, files[0], line) and READ.search(line) and not _DATA.search(line) and not _WRITES.search(line):
            return State(files[0], 0, (), bidden=False)
    return None


def _named_later(facts: Facts, file: str, line: str) -> bool:
    """Whether the log that has ``line`` names the file again behind it, and does not say that it was read."""
    texts = (one.text for report in facts.job.reports for one in report.excerpts)
    behind = next((text[text.find(line) + len(line) :] for text in texts if line in text), "")
    said = [one for one in behind.splitlines() if file in one]
    return bool(said) and not any(READ.search(one) for one in said)


def goes_on_from(facts: Facts) -> State | None:
    """A state with a count that its first lines name: what it adds to that may be little."""
    return next(iter(_said(facts, before_progress(facts), counted_by(facts))), None)


def came_from_nothing(facts: Facts, *, by_half: bool = False) -> bool:
    """Whether what is lowered began at its highest and came down as it does where nothing had been learned; whatever it is called."""
    loss = facts.advance.loss
    if loss is not None and len(loss.values) >= LEAST_LOSSES:
        return _from_nothing(finite(loss.values), by_half)
    if any(_from_nothing(c.values, by_half) for c in columns(facts.advance.marks, facts.job) if c.loses and not c.counts):
        return True
    found = facts.measured
    return found is not None and any(_from_nothing(m.values, by_half) or _rose(m) for m in found.measures)


def _rose(told: Measure) -> bool:
    """Whether a log-likelihood, or a share of what is right, rose as from nothing."""
    highest = max(told.finite, default=math.nan)
    if highest <= 0:
        return _from_nothing([-v for v in told.values], by_half=True)
    right = RIGHT.search(told.name) is not None and min(told.finite) >= 0
    return right and told.values[0] <= HALF * highest and _from_nothing([1.01 * highest - v for v in told.values], by_half=True)


def _from_nothing(numbers: Sequence[float], by_half: bool) -> bool:
    if len(numbers) < LEAST_LOSSES or not all(math.isfinite(v) for v in numbers):
        return False
    floor = min(numbers)
    values = [v - floor for v in numbers] if floor < 0 else list(numbers)  # decibels, log-likelihoods
    first, last = max(values[:2]), statistics.median(values[-3:])
    early = statistics.median(values[max(1, int(EARLY * len(values))) - 1 :][:3])
    fell = first - last >= FELL * first and (first - early >= FELL_EARLY * (first - last) or last <= HALF * first)
    return first >= HIGHEST * max(values) and fell and (not by_half or last <= HALF * first)


def counted(facts: Facts) -> tuple[list[int], str] | None:
    """What its lines of progress count from the first one on, and the word before it (empty: none); None where they begin further on."""
    steps = counted_steps(facts)
    counter = (steps, counted_by(facts)) if len(steps) >= LEAST_LOSSES else None
    if counter is None or not begins_first(counter[0]):
        found = (([int(v) for v in c.values], c.name) for c in columns(facts.advance.marks, facts.job) if c.counts)
        counter = next(((counts, name) for counts, name in found if len(counts) >= LEAST_LOSSES and begins_first(counts)), None)
    told = facts.measured
    if counter is None and told is not None and told.counter.from_the_first:
        counter = (list(told.counter.counts), told.counter.word)
    if counter is not None and not counter[1] and told is not None and told.counter.counts[-1] == counter[0][-1]:
        counter = (counter[0], told.counter.word)  # a table's header has it
    return counter


def before_progress(facts: Facts) -> list[str]:
    """What the log that tells of progress says before the first line of it."""
    told = [m for m in facts.advance.marks if isinstance(m.source, Quote)]
    first = next((m for m, after in zip_longest(told[:2], told[1:2]) if after is None or not _of_a_state(m, after)), None)
    if first is None or not isinstance(first.source, Quote):
        return _before_measured(facts)
    text = next((one.head or one.tail for r in facts.job.reports for one in r.excerpts if one.path == first.source.file), "")[:MOST_TEXT]
    at = text.find(first.source.text[:80])
    return [line[:MOST_LINE] for line in (text[:at] if at >= 0 else "").splitlines() if not line.startswith("+")][:MOST_LINES]


def _of_a_state(mark: Evidence, after: Evidence) -> bool:
    """Whether what passes for the first line of progress tells of the state: it speaks of a load, or the count goes back behind it."""
    text = mark.source.text[:MOST_LINE] if isinstance(mark.source, Quote) else ""
    count, then = (m.data.get("step", m.data.get("epoch")) for m in (mark, after))
    if count is None and then is not None and FILE.search(text) is not None:
        return True  # ``memory: w.joblib had 30 iterations, loss 0.42``
    return RESUMES.search(text) is not None or (isinstance(count, (int, float)) and isinstance(then, (int, float)) and 0 < then < count)


def _before_measured(facts: Facts) -> list[str]:
    """The same of a log whose lines of progress no pattern knows."""
    found = facts.measured
    if found is None or not found.line:
        return []
    text = next((text for text in heads(facts.job, MOST_TEXT) if found.line in text), "")
    return [line[:MOST_LINE] for line in text[: text.find(found.line)].splitlines() if not line.startswith(("+", "#gpualert"))][:MOST_LINES]


def counted_by(facts: Facts) -> str:
    """The word before the counter in the lines of progress; empty where it has none."""
    mark = next((m for m in facts.advance.marks if "step" in m.data or "epoch" in m.data), None)
    if mark is None:
        return ""
    count = mark.data.get("step", mark.data.get("epoch"))
    if not isinstance(mark.source, Quote) or not isinstance(count, (int, float)):
        return ""
    for found in re.finditer(rf"(?<![\d.])0{{0,9}}{int(count)}(?![\d.])", mark.source.text[:MOST_LINE]):
        if named := _WORD_BEFORE.search(mark.source.text[: found.start()]):
            return named["word"]
    return ""


def _said(facts: Facts, lines: list[str], word: str) -> list[State]:
    """States that its first lines name, each with its count: beside the word that the run counts by, else in the file's name."""
    counts = rf"{re.escape(word)}s?|{COUNTS}" if word else COUNTS
    before, behind = rf"(?<![\w-])(?:{counts})['\"]?\W{{0,3}}(?P<at>\d{{1,9}})(?![\d.])", rf"(?<![\w.-])(?P<of>\d{{1,9}}) (?:{counts})(?![\w])"
    beside = re.compile(f"{before}|{behind}", re.IGNORECASE)
    own = re.compile(rf"(?<![\w-]){re.escape(word)}s?\W{{0,3}}\d|\d {re.escape(word)}", re.IGNORECASE) if len(word) > 2 else None
    states = []
    for line in lines:
        text = pointed(line)
        named = _ANY_FILE if own is not None and FILE.search(text) is None and own.search(_ANY_FILE.sub(" ", text)) else FILE
        files = [found["path"] for found in named.finditer(text) if _GOES_THERE.search(text[: found.start()]) is None]
        bare = re.sub(r"[\w./~@+-]{1,200}" + STATE_ENDING, " ", text) if named is FILE else _ANY_FILE.sub(" ", text)
        if len(files) != 1 or _DATA_PATH.search(files[0]) or _TUNER.search(files[0]):
            continue
        if _DATA.search(bare) or _WRITES.search(bare) or len(re.findall(r"[\w]['\"]?\s?[=:]\s?['\"\w]", bare)) > MOST_SETTINGS:
            continue
        found = next((one for one in beside.finditer(bare) if _PLANNED.match(one[0]) is None), None)
        count = int(found["at"] or found["of"]) if found is not None else None
        if count is None and (_TAKES.search(bare) or any(files[0] in command for command, _ in command_lines(facts.job, facts.row))):
            count = _named(files[0])
        if count is not None:
            cites = tuple(e for e in facts.advance.loaded if isinstance(e.source, Quote) and files[0] in e.source.text)
            states.append(State(files[0], count, cites[:1], bidden=any(files[0] in path for path, _ in _bids(facts))))
    return states


def _bids(facts: Facts) -> list[tuple[str, Evidence]]:
    return [(found["path"], cite()) for line, cite in command_lines(facts.job, facts.row) for found in _BIDS.finditer(line)]


def _bidden(facts: Facts) -> list[State]:
    """States that a command line bids it go on from, with the count in the file's name."""
    return [State(path, count, (cite,), bidden=True) for path, cite in _bids(facts) if (count := _named(path)) is not None]


def _named(path: str) -> int | None:
    """The last number of a file's name."""
    found = _IN_NAME.findall(path.rpartition("/")[2].rpartition(".")[0])
    return int(found[-1]) if found else None


def _its_own(facts: Facts, state: State) -> bool:
    """Whether the run wrote to where that state lay, under its name or the next one's; where it told of no save, its own file it may be."""
    saved = [_family(path) for path in saved_to(facts.advance.saved)]
    return not saved or _family(state.path) in saved


def _family(path: str) -> str:
    """A path without its counts and folders: ``mf/sweep-32.json`` and ``mf/sweep-8.json`` are of one run."""
    return re.sub(r"\d+", "#", path.strip("'\"`.").rpartition("/")[2]).lower()
