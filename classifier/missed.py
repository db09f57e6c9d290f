"""What a run was to go on from, and its own word that nothing was loaded from there: absent beside others, unreadable, of another shape."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.afresh import learned_all
from gpualert_slurm.classifier.excerpts import text_of
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lineage import came_from_nothing
from gpualert_slurm.classifier.named_files import files, names
from gpualert_slurm.classifier.parents import command_lines, named_states, printed_paths
from gpualert_slurm.evidence import Evidence, Quote

AT = re.compile(r"(?:^|[^\d])0{0,9}[1-9]\d{0,8}(?!\d)")
"""The count in a checkpoint's name."""
_UNREADABLE = re.compile(
    r"\b(?:could(?:n't| not)|can(?:'t|not)|failed|unable|corrupt\w*|broken|unreadable|another|different|differs?|mismatch\w*|incompatible|reject\w*"
    r"|discard\w*|skipp\w*|ignor\w*|version|not (?:fit|compatible|usable|match\w*|valid|accepted)|format \d|truncated|invalid|passt nicht|unlesbar"
    r"|illisible)\b",
    re.IGNORECASE,
)
"""It was there, and could not be used."""
_AS_TOLD = re.compile(r"--(?:fresh|no[-_]resume|from[-_]scratch|overwrite|force)\b|\bon purpose\b|\bas (?:asked|told|requested)\b", re.IGNORECASE)
_ABSENT = re.compile(r"\b(?:could(?:n't| not)|can(?:'t|not)|failed to|unable to)(?: be)? (?:find|found|see|locate\w*)\b", re.IGNORECASE)
_STATE_FILE = re.compile(r"(?<![\w./~@+=-])[\w./~@+=-]{1,300}\.(?:pth?|ckpt|pkl|pickle|safetensors|npz|h5|keras|msgpack|tar|json|bin|state|eqx)\b")
_OTHERS_THERE = re.compile(
    r"\b(?:there(?: (?:are|is))?|contains|holds|only|available|have|has)\W{1,6}[\w=./-]{1,80}\.(?:pth?|ckpt|pkl|npz|h5|keras|msgpack|json|ubj|bin)\b"
)
"""Other states lie where one was looked for: it is no first start."""
LEFT_RANDOM = re.compile(r"\b(?:weights?|param\w*|model)\b.{0,12}\b(?:are|is|stays?|remains?|left|kept) (?:at )?random\b", re.IGNORECASE)
_ABOUT_TO = re.compile(r"\b(?:resum|restor|continu|load)ing\b.{0,30}\b(?:from|of) (?P<place>\S{1,200})", re.IGNORECASE)
_TAKES = re.compile(
    r"\b(?:resum|restor|load|continu|warm[- ]?start|pick(?:s|ed|ing) up|go(?:es|ing) on)\w{0,6}\b.{0,40}\b(?:from|with|of|at)\b", re.IGNORECASE
)
_READS = re.compile(r"(?<![A-Za-z])(?:load|read|restor|resum|restart|open|continu)\w*", re.IGNORECASE)
_WISHES = re.compile(r"(?<![A-Za-z])(?:resum|restart|restor|continu)\w*", re.IGNORECASE)
_OTHERS = re.compile(r"pre-?train|backbone|imagenet|\bbase\b|teacher|encoder|fine-?tun|transfer", re.IGNORECASE)
_STATE_FOLDER = re.compile(r"(?<![\w./~@+=-])[\w./~@+=-]{0,200}/(?:check-?point|ckpt|step|iter|epoch)[\w=-]{0,4}\d{1,9}(?![\w./])", re.IGNORECASE)
NEAR = 3
MOST_TEXT = 300
SCRATCH = "the program said that it starts from scratch"


def missed(facts: Facts, unloaded: Sequence[Evidence]) -> tuple[str, str, Evidence] | None:
    """What a run was to go on from, what became of it, and which of the words ``unloaded`` tells so.

    What it was to go on from is told by its settings, by its command line or by its own word.
    """
    found = _missed(facts, unloaded)
    return None if found is None or _had_later(facts, found[0], found[2]) else found


def _had_later(facts: Facts, path: str, said: Evidence) -> bool:
    """Whether a later line of the log says that the same state was taken up after all: a script's next slice, say."""
    place, name = said.source, path.rpartition("/")[2]
    text = text_of(facts.job, place.file) if isinstance(place, Quote) else ""
    behind = text.partition(place.text.strip()[:MOST_TEXT])[2] if isinstance(place, Quote) else ""
    lines = (line[:MOST_TEXT] for line in behind.splitlines()[1:] if name in line)
    taken = (line for line in lines if _TAKES.search(line) and not (_UNREADABLE.search(line) or _ABSENT.search(line)))
    return any(re.search(r"[1-9]", line.replace(name, "")) for line in taken)


def _missed(facts: Facts, unloaded: Sequence[Evidence]) -> tuple[str, str, Evidence] | None:
    told = [(e, e.source.text) for e in unloaded if isinstance(e.source, Quote)]
    broken = [e for e in facts.said("checkpoint_broken") if facts.advance.after(e) is not None]
    bare = [(e, e.source.text) for e in (*facts.advance.passed_over, *broken) if isinstance(e.source, Quote)]
    states = named_states(facts.job, facts.row) if told or bare else []
    given = [line for line, _ in command_lines(facts.job, facts.row)] if told else []
    states += [one for _, text in told for one in files(text) if one not in states and any(names(line, one) for line in given)]
    for path in printed_paths(facts.job) if told else ():
        for said, text in told:
            if names(text, path) or names(text, path.rpartition("/")[0]) or re.search(r"\bresum", text, re.IGNORECASE):
                return path, SCRATCH, said
    for said, text in told:
        if (missed := _of_it(said, text, states)) is not None:
            return (*missed, said)
    for said, text in bare:
        if _UNREADABLE.search(text) and (mine := next((path for path in states if names(text, path)), None)) is not None:
            return mine, "it could not be read", said
    for said, text in told:  # it was there, so that it is no first start
        there = _UNREADABLE.search(_ABSENT.sub(" ", text)) or _OTHERS_THERE.search(text)
        file = _STATE_FILE.search(text) if there and not _AS_TOLD.search(text) else None
        if file is not None and not states and (learned_all(facts) or came_from_nothing(facts)):
            return file[0], "it could not be read", said
    return _of_what_is_before(facts, told)


def _of_what_is_before(facts: Facts, told: Sequence[tuple[Evidence, str]]) -> tuple[str, str, Evidence] | None:
    """The same, where another line names what was to be gone on from."""
    for said, _ in told:
        if said.data.get("none") is True and (before := _named_before(facts, said)) is not None and came_from_nothing(facts):
            return before, "nothing of it was taken over", said
        if said.data.get("none") is True and _wished_before(facts, said) and came_from_nothing(facts):
            return "what it names", "nothing of it was taken over", said
    for said, text in told:  # not "starting from scratch", which a first run says as well
        if LEFT_RANDOM.search(text) and (announced := _announced(facts, said)) is not None:
            return announced, SCRATCH, said
    return None


def _of_it(said: Evidence, text: str, states: list[str]) -> tuple[str, str] | None:
    """The path and what became of it, where one line tells both, or names one of the ``states`` of the command line."""
    if "_IncompatibleKeys(" in text:
        if "unexpected_keys=[]" in text:
            return None  # all that was saved fits; what is missing is new
        return next(iter(states), "the state that it loaded"), "none of its keys fits the model's own"
    none = said.data.get("none") is True
    for path in (path for path in states if names(text, path)):
        beside = none or _OTHERS_THERE.search(text.replace(path, " "))
        if beside or AT.search(path.rpartition("/")[2]) or _UNREADABLE.search(text):  # what is merely absent may be where a first start is to save
            return path, "nothing of it was taken over" if none else SCRATCH
    if none and len(states) == 1:
        return states[0], "nothing of it was taken over"
    named = _STATE_FILE.search(text) if none else None
    return (named[0], "nothing of it was taken over") if named is not None else None  # it was there, and was read


def _named_before(facts: Facts, said: Evidence) -> str | None:
    """The state that one of the lines right before ``said`` names as what is read."""
    for line in reversed(_lines_before(facts, said)):
        named = (_STATE_FILE.search(line) or _STATE_FOLDER.search(line)) if _READS.search(line) and _OTHERS.search(line) is None else None
        if named is not None:
            return named[0]
    return None


def _wished_before(facts: Facts, said: Evidence) -> bool:
    """Whether one of the lines right before ``said``, or it itself, says that the run goes on."""
    lines = [*_lines_before(facts, said), said.source.text if isinstance(said.source, Quote) else ""]
    return any(_WISHES.search(line) for line in lines) and not any(_OTHERS.search(line) for line in lines)


def _lines_before(facts: Facts, said: Evidence) -> list[str]:
    place = said.source
    text = text_of(facts.job, place.file) if isinstance(place, Quote) else ""
    before = text.partition(place.text.strip()[:MOST_TEXT])[0] if isinstance(place, Quote) else ""
    return [line[:MOST_TEXT] for line in before.splitlines() if line.strip()][-NEAR:]


def _announced(facts: Facts, said: Evidence) -> str | None:
    """What the program said, before ``said``, that it was about to go on from."""
    place = said.source
    before = [e.source for e in facts.advance.loaded if isinstance(e.source, Quote) and isinstance(place, Quote) and e.source.file == place.file]
    found = [match for one in before if isinstance(place, Quote) and one.offset < place.offset and (match := _ABOUT_TO.search(one.text))]
    return found[-1]["place"].strip("'\"`.,:;") if found else None
