"""A run that learns all over again, in spite of what it was to go on from: what it was given, or says that it read, is not where it begins.

Its steps or epochs count from the first one, and its loss comes down by most of what there is to come down: weights that had learned would not.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.bidden import bidden
from gpualert_slurm.classifier.columns import columns
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.held_up import by_word
from gpualert_slurm.classifier.lineage import OTHERS, before_progress, came_from_nothing
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.classifier.recount import begins_within, counted_steps
from gpualert_slurm.classifier.words import headline
from gpualert_slurm.evidence import Evidence, Quote

LEAST_LOSSES = 8
LEARNED_ALL = 0.35
"""A run of which only a command line or a word says that it was to go on: its loss ends below this share of its first values."""
MOST_TEXT = 16 * 1024
MOST_LINE, MOST_OPTION = 300, 30
_COUNT = re.compile(
    r"\b(?:epoch|step|iter(?:ation)?|update|round|pass|generation|Schritt|Epoche|Runde|[ée]tape|[ée]poque)s?\W{0,3}(?P<at>\d{1,9})\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\b(?:resum|restor|continu|pick(?:s|ed|ing)? up|go(?:es|ing)? on|carr(?:y|ies|ying) on|fortgesetzt|repris)", re.IGNORECASE)
_WARM = re.compile(r"pre-?train|fine-?tun|backbone|transfer|warm|imagenet|new (?:task|stage|head)|stage|phase|base model|teacher", re.IGNORECASE)
_FILE = re.compile(r"(?<![\w.-])[\w.-]{1,150}\.(?:pth?|ckpt|pkl|safetensors|npz|h5|keras|msgpack|json|bin|state)")
_BID = re.compile(
    r"(?:^|[\s;&])(?:--?|\+{1,2})?(?:[a-z_]{1,20}[._-])?(?:from|resume|restore|continue|restart|model[_-]?in|desde|depuis|(?:grow|carry|go|build)[_-]?on"
    r"|(?P<named>(?:ckpt|checkpoint)(?=[_-]?path))|(?:take|pick)[_-]?up)(?:[_-](?:from|path|file|ckpt|checkpoint))?[= ]['\"]?"
    r"(?P<path>[\w./~@+=-]{1,300}\.(?:pth?|ckpt|pkl|pickle|bin|safetensors|npz|npy|h5|keras|msgpack|tar|model|json|state|weights|joblib|ubj|cbm))(?![\w./-])",
    re.IGNORECASE,
)
"""A state that a command line names as what to go on from: as an option, a setting, or a variable of the environment."""
_COUNTED = re.compile(r"(?:ep(?:och)?|step|iter|it|update|round)s?[=_-]?\d", re.IGNORECASE)
_LISTS = re.compile(
    r"\b(?:files?|folder|directory|contents|listing|here|there (?:is|are)|ls)\b"
    r"|\S\.\w{2,12}['\"]?,? ['\"]?\S{1,60}\.\w{2,12}\b",
    re.IGNORECASE,
)
_OPTIONS = re.compile(r"(?:--?|\b)[\w.-]{1,40}[= ]\S{0,200}\.\w{1,12}\b|--[\w-]{1,40}")
_ABOUT_IT = re.compile(r"\b(?:no|not|none|nothing|found|missing|absent|exists?|there|has|holds)\b", re.IGNORECASE)
_GIVEN = re.compile(r"\b(?:arg(?:ument)?s|options?|config\w*|settings|namespace|command|\w+\.(?:ini|json|ya?ml|toml))\b\W{0,3}", re.IGNORECASE)
_THERE = re.compile(r"(?<![\w.,-])[1-9]\d{0,5} (?:saved |old |earlier )?(?:check-?points?|ckpts?|snap-?shots?|states)\b", re.IGNORECASE)
_KEEPS = re.compile(r"\b(?:keep\w*|kept|every|each|max\w*|most|limit|last|sav(?:e|es|ing)|delet\w*|remov\w*|prun\w*|per)\b", re.IGNORECASE)
"""What is to be done with states, not what lies there."""
_AT_NOUGHT = re.compile(
    r"(?<![A-Za-z])(?:start(?:s|ing)?|begin(?:s|ning)?|first|initial)[_ ](?:at[_ ]|from[_ ])?(?:global_)?(?:step|epoch|iter(?:ation)?|update|round)"
    r"['\"]?\W{1,3}[01](?![.\d])",
    re.IGNORECASE,
)
_IS_IN = re.compile(r"\b(?:are|is|now|weights|saved) (?:now )?in \S{1,200}\Z", re.IGNORECASE)
_ON_PURPOSE = re.compile(r"\bon purpose\b|\bintended\b|\bdeliberate|absichtlich|\bexpr[èe]s\b|a prop[óo]sito|\bby design\b", re.IGNORECASE)
_TAKEN = re.compile(r"\b(?:load\w*|read|open\w*|took|taken|from|using|used)\b", re.IGNORECASE)


def learned_all(facts: Facts) -> bool:
    """Whether a run counts from the first step or epoch on, and learns nearly all that there is to learn."""
    losses, steps = _losses(facts), counted_steps(facts)
    if len(losses) < LEAST_LOSSES or not steps or steps[0] > begins_within(steps):
        return False
    if not 0 < statistics.median(losses[-3:]) < LEARNED_ALL * max(losses[:3]):
        return False
    epochs = [e for m in facts.advance.marks if isinstance(e := m.data.get("epoch"), (int, float))]
    return not epochs or min(epochs) <= 1


def _losses(facts: Facts) -> Sequence[float]:
    """The losses that it told; where none has a name that is known, a column that training lowers."""
    if facts.advance.loss is not None:
        return facts.advance.loss.values
    return next((c.values for c in columns(facts.advance.marks, facts.job) if c.loses and not c.counts), ())


def claimed(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """What a run said that it goes on from, with the step or epoch of it, where it then learned all over again from the first one."""
    for one in facts.advance.loaded:
        text = one.source.text[:MOST_LINE] if isinstance(one.source, Quote) else ""
        if not _GOES_ON.search(text) or not (files := _FILE.findall(text)) or _counts_on(facts, one):
            continue
        lines = [line for line in _lines(facts) if any(_stem(file) in line for file in files)]
        reached = [int(found["at"]) for line in (text, *lines) for found in _COUNT.finditer(line.replace(files[0], ""))][:1]
        if reached and reached[0] > 1 and not any(_WARM.search(line) for line in _lines(facts)) and learned_all(facts):
            words = f"it says that it goes on from {files[0]}, of {reached[0]}, and counts and learns from the beginning"
            return words, (one, *facts.advance.marks[:1])
    return None


def _counts_on(facts: Facts, loaded: Evidence) -> bool:
    """Whether the lines behind ``loaded``, in the middle of a log, count further than those before it."""
    place = loaded.source
    if not isinstance(place, Quote):
        return False
    own = [(m.source.offset, m) for m in facts.advance.marks if isinstance(m.source, Quote) and m.source.file == place.file]
    before, behind = ([c for at, m in own if (at < place.offset) is early and (c := _count_of(m)) is not None] for early in (True, False))
    return bool(before and behind) and behind[0] >= max(before)


def _count_of(mark: Evidence) -> float | None:
    count = mark.data.get("step", mark.data.get("epoch"))
    return float(count) if isinstance(count, (int, float)) else None


def never_read(facts: Facts) -> tuple[str, str, Evidence] | None:
    """A state that the command line names as what to go on from, of which the run says nothing at all and learns from the beginning."""
    surely = learned_all(facts)
    if facts.advance.loaded or not (surely or _measured_all(facts)) or any(_ON_PURPOSE.search(line) for line in _lines(facts)):
        return None
    for line, cite in command_lines(facts.job, facts.row):
        for found in _BID.finditer(line):
            path = found["path"]
            if found["named"] and _COUNTED.search(path.rpartition("/")[2]) is None:
                continue  # where it saves, perhaps
            if not surely and not (_GOES_ON.search(line[: found.start("path")][-MOST_OPTION:]) and re.search(r"\d", path.rpartition("/")[2])):
                continue  # weights to begin with, or where it saves itself, and this its first start
            if not any(path.removeprefix("./") in said and not _lists(said) and not _of_itself(said) for said in _lines(facts)):
                return path, "the run names it nowhere, and counts and learns from the beginning", cite()
    return None


def passed_by(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, that a run was bidden to go on, says that states were there, or that it begins at nought with one, and learns from the beginning."""
    bid = bidden(facts.job, facts.row)
    if bid is None or facts.advance.loaded or not learned_all(facts):
        return None
    lines = before_progress(facts)
    if any(OTHERS.search(line) or _ON_PURPOSE.search(line) for line in lines):
        return None
    there = next((line for line in lines if _THERE.search(line) and _KEEPS.search(line) is None), None)
    named = re.split(r"[= ]", bid.said)[-1]
    at_nought = "/" in named and any(named in line for line in lines) and any(_AT_NOUGHT.search(line) for line in lines)
    if there is None and not at_nought:
        return None
    had = f"it says: {headline(there.strip())}" if there is not None else f"it names {named}"
    return f"it was told {bid.said}, {had}, and counts and learns from the beginning", (bid.evidence, *facts.advance.marks[:1])


def _measured_all(facts: Facts) -> bool:
    """The same of numbers that no pattern knows for losses."""
    return facts.measured is not None and facts.measured.counter.from_the_first and came_from_nothing(facts, by_half=True)


def begun_again(facts: Facts, said: Evidence) -> bool:
    """Whether behind ``said``, in the middle of a log, the steps count from the first ones again; before all progress that need not be seen."""
    if not isinstance(said.source, Quote):
        return False
    place = said.source
    own = [m for m in facts.advance.marks if isinstance(m.source, Quote) and m.source.file == place.file]
    counts: list[tuple[int, float]] = []
    for mark in own:
        count = mark.data.get("step", mark.data.get("epoch"))
        if isinstance(mark.source, Quote) and isinstance(count, (int, float)):
            counts.append((mark.source.offset, float(count)))
    before, behind = [c for offset, c in counts if offset < place.offset], [c for offset, c in counts if offset > place.offset]
    return not before or bool(behind and behind[0] < max(before) and behind[0] <= min(before))


def _lines(facts: Facts) -> list[str]:
    """What the run says at its beginning, less what a shell traces."""
    return [line[:MOST_LINE] for text in heads(facts.job, MOST_TEXT) for line in text.splitlines() if not line.startswith("+")]


def _lists(line: str) -> bool:
    """Whether a line merely tells what lies in a folder."""
    return _LISTS.search(line) is not None and _GOES_ON.search(line) is None and _TAKEN.search(line) is None


def _of_itself(line: str) -> bool:
    """Whether a line tells what the run was given, or what it wrote: neither says that anything was read."""
    bare = _OPTIONS.sub(" ", line)
    if any(words.search(bare) for words in (_GOES_ON, _TAKEN, _ABOUT_IT)):
        return False
    return _GIVEN.search(line) is not None or by_word(line) or _IS_IN.search(line) is not None


def _stem(file: str) -> str:
    """A file's name up to its first ending: ``ridges.pth`` and ``ridges.pth.ema`` are of one run."""
    return file.partition(".")[0]
