"""A wish to go on that was not met, told in anybody's words over one line or two, and a run behind it that counts from the first step.

``looking for a state in X`` / ``nothing there, step 0``; ``config hash differs: none of them is used``; ``Zwischenstand gesucht`` / ``keiner da``:
the words are anyone's, what they stand for are four things that must all be there. *A wish*: an option that bids it go on or names what from, a
setting printed under such a name, an earlier attempt that is told of. *A trouble*: a line, about a state or right behind one that is, which says
that it is not there or of no use. *A state that was there, or had to be*: the trouble is one that only a thing that is there can have; or it was
named in an option that says to go on, and is not where the run itself saves; or the log tells of an earlier attempt. *A start at the beginning*:
the count, and what is lowered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.bidden import bidden
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.going_on import ABSENT, ANEW, GOES_ON, STATES, UNASKED, UNUSABLE
from gpualert_slurm.classifier.lineage import OTHERS, READ, before_progress, came_from_nothing
from gpualert_slurm.classifier.parents import FIRST, NEVER, command_lines, new_stage, printed_paths, saved_to
from gpualert_slurm.classifier.recount import begins_within, counted_steps
from gpualert_slurm.classifier.saves import STATE_ENDING
from gpualert_slurm.classifier.words import headline
from gpualert_slurm.evidence import Evidence, Quote

MOST_LINES, MOST_LINE = 40, 300
EARLY = 0.05
"""Of all steps, where a bar's first count stands at the latest."""
NEAR = 2
"""So many lines behind the one that names a state still speak of it."""
_GOES_ON, _STATES = re.compile(GOES_ON, re.IGNORECASE), re.compile(STATES, re.IGNORECASE)
_ABSENT, _UNUSABLE, _ANEW = re.compile(ABSENT, re.IGNORECASE), re.compile(UNUSABLE, re.IGNORECASE), re.compile(ANEW, re.IGNORECASE)
_FILE = re.compile(rf"(?<![\w./~@+=-])['\"]?[\w./~@+-]{{1,200}}(?:{STATE_ENDING}|\.(?:state|snap))(?![\w/-])", re.IGNORECASE)
_OPTION = re.compile(
    rf"(?:^|\s)(?:--?|\+{{1,2}})?(?:[a-z]{{1,20}}[._-])?(?:{GOES_ON}|(?P<load>load(?=[= ]|[-_](?:dir|from|path|ckpt|checkpoint)\b))|r(?=[= ])|(?:from"
    rf"|init)[-_](?:state|snap\w{{0,4}}|ckpt|checkpoint)|(?P<state>state))"
    r"[\w-]{0,24}[= ]['\"]?(?P<path>[\w.~@+-]{0,200}(?:/[\w.~@+=-]{1,200}){1,12}|[\w.~@+-]{1,200}\.[a-z]\w{1,11})(?=['\"\s]|$)",
    re.IGNORECASE,
)
"""An option that says to go on, and a path behind it."""
_RUN = re.compile(r"(?:^|\s)--?(?:resume|restore|continue)[-_](?:run|id|job|exp)[= ]['\"]?(?P<path>[\w.-]{3,80})(?=['\"\s]|$)", re.IGNORECASE)
"""The same of a run by its name."""
_BIDS = re.compile(
    r"(?:^|\s)--?(?:weiter\w{0,12}|fortsetzen|reprendre|reprise|continuer|suite|seguir|continuar|reanudar|retomar|riprendi|prosegui"
    r"|hervat\w{0,4}|verder|wzn[oó]w\w{0,4}|kontynuuj|devam|pokracuj|fortsatt|jatka|folytat|carry-on|go-on|pick-up)(?=[= ]|$)",
    re.IGNORECASE,
)
"""An option of another language that only bids it go on."""
_BARE = re.compile(r"\bauto|if[-_ ](?:any|possible|available|there|present|exists)|latest[-_]if|\btry\b|allow", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:attempt|try) ?[#=:]? ?[2-9]\d? of (?:this|the) job\b|\b(?:restart|requeue)(?: (?:number|no\.?|count))? ?[=:#] ?#?[1-9]\b"
    r"|\b(?:restart|requeue) #[1-9]|(?<![a-z])restart_?count\W{0,3}[1-9]|\b(?:previous|earlier|last|first) (?:run|attempt|try|job) (?:ended"
    r"|stopped|died|was|had|came|reached|got|made)"
    r"|\bafter (?:a )?(?:requeue|preemption)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:days|weeks|months|hours) (?:ago|old)\b|\bold(?:er)?\b|\bstale\b|\bexpired\b|\bversion\b|\bformat\b|\bhash\b|\bconfig\w*\b"
    r"|\barchitecture\b|\bdiffer|\bmismatch|\bincompatib|\bcorrupt|\bunreadable|\btruncat",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:was|were|is|has been|had been) (?:explicitly )?(?:given|set|requested|demanded|required|wanted|asked for)\b"
    r"|\b(?:requested|demanded|verlangt|gew[üu]nscht|angefordert|demand[ée]e?|solicitad[oa]|pedid[oa]|richiest[oa]|gevraagd)\b",
    re.IGNORECASE,
)
"""The program itself is surprised."""
_FOUND = re.compile(
    r"\b(?:found|has|have|holds|there are|candidates|contains|ls|lists?|listing|sees)\b.{0,40}?(?:\b[1-9]\d{0,4} (?:check-?points?|ckpts?"
    r"|snap-?shots?|states)\b|(?:step|ckpt|check-?point|epoch|iter|snap\w{0,4}|[a-z]{2,12})[-_]?\d{2,9}(?:\.\w{2,8})?\b)",
    re.IGNORECASE,
)
_NOT_MEANT = re.compile(
    UNASKED + r"|"
    r"\bon purpose\b|\bintended\b|\bdeliberate|\bas (?:asked|told|requested|wished|expected)\b|\bby design\b|\babsichtlich|\bexpr[èe]s\b"
    r"|a prop[óo]sito|--(?:fresh|no[-_]resume|overwrite|from[-_]scratch)\b"
    r"|\b(?:without|no) --?(?:resume|continue)|\b(?:resume|continue)\b.{0,20}\b(?:not given|not set|not asked|is off|off\b)|\b(?:none"
    r"|not) expected\b|(?:^|\s)--new\b|\byet\b|\bwill be (?:created|made|set)\b|\bfirst link\b|\blink 1\b|\bstage\b|\bphase\b|\btask \d"
    r"|\bfold\b|\btrial\b",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"\b(?:if (?!any|available|possible|there)|when|unless|otherwise|would|will be|should|may|might)\b|\bto (?:resume|continue"
    r"|restore)\b.{0,40}(?:--|pass|use|run|after)|\b(?:use|pass|give|add|run with) --",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\boptim\w*|\bschedul\w*|\bscaler\b|\bema\b|\brng\b|\bmoment\w*|\bsampler\b|\bhistory\b|\bvocab\w*|\btoken\w*|\bembed\w*|\bhead\b"
    r"|\bclassifier\b|\bcach\w+|\bdata(?: ?sets?|loader)?\b|\bbuffer\b|\brecords\b"
    r"|\bsamples?\b|\blora\b|\badapters?\b|\bworkers?\b|\bfeatures?\b|\bnormali[sz]\w*|\bstudy\b|\bwandb\b|\bmetrics?\b|\blogg?\w*\b"
    r"|\bmissing[_ ]keys|\btensorboard\b|\bthread\w*|\bcompil\w*|\bshards?\b|\bbest\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w./~@+=-])[\w.~@+=-]{0,200}/[\w./~@+=-]{1,400}")
_SURELY = re.compile(r"(?<![\w./~@+=-])[\w./~@+-]{1,200}\.(?:pth?(?:\.tar)?|ckpt|safetensors|keras|snap|state)(?![\w/-])", re.IGNORECASE)
"""A file that is no data."""
_ANY_STATE = re.compile(
    r"(?<!saved )(?<!model )(?<!trainer )(?<!training )(?<!previous )(?<!earlier )\bstate\b|\bestado\b|\b[ée]tat\b|\bstan[du]?\b|\bstato\b"
    r"|状態|状态|состояни\w{0,3}|상태",
    re.IGNORECASE,
)
"""What may be of anything, where nobody bids it go on."""
_CLEARS = re.compile(r"\b(?:remov|delet|prun|purg|clean|clear|overwr)\w*", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:weights|model|network|params?|parameters|everything|all)\b", re.IGNORECASE)
_OFF = re.compile(
    rf"(?:(?!restored|resumed|continued|reloaded)(?:{GOES_ON}))\w{{0,20}}['\"]?\s?[=:]\s?(?:['\"]{{2}}|null|none|false|no\b"
    rf"|off\b|0\b|$|[,}})])",
    re.IGNORECASE,
)
"""A setting that is not made."""
_INSTEAD = re.compile(r"\b(?:instead|stattdessen|[àa] la place|en su lugar|invece|in plaats)\b", re.IGNORECASE)
_COUNTED = re.compile(r"(?<!\d)0{0,9}[1-9]\d{0,8}(?!\d)")
_NONE_TO_READ = re.compile(r"\bnot (?:be )?(?:load|read|restor|us)\w* any\b", re.IGNORECASE)
"""Where there is none, none is read: a fresh run says it, too."""


_NO_WARM = re.compile(r"\bwarm[-_ ]?start\w{0,3}['\"]?\W{1,3}(?:no|false|off|none)\b", re.IGNORECASE)


def unmet(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, what a run was to go on from and why it did not; None where that does not show."""
    steps = counted_steps(facts)
    first = _from_the_first(facts)
    if not (first or (bool(steps) and steps[0] <= EARLY * steps[-1])) or new_stage(facts.job, facts.row) is not None:
        return None
    lines = [line[:MOST_LINE] for line in before_progress(facts)][:MOST_LINES]
    if any(_NOT_MEANT.search(line) or FIRST.search(line) or _others(line) for line in lines):
        return None
    wanted = _wanted(facts)
    bid = bool(wanted) or _bid(facts)
    if not bid and not any(_EARLIER.search(line) for line in lines):
        return None  # a log's own word alone may be of a state that nobody wished
    if any(_NOT_MEANT.search(line) for line, _ in command_lines(facts.job, facts.row)) or any(_taken(line) for line in lines):
        return None
    for at, line in enumerate(lines):
        if not _trouble(lines, at, wanted, bid=bid):
            continue
        anew = any(_ANEW.search(one) for one in lines[at : at + 1 + NEAR])
        why = _must_have_been(facts, lines, at, wanted, bid=bid)
        if not (first or _ANEW.search(line)):
            continue  # its bar's first count is some way on: only its own word tells that it began at nought
        if why is not None and (came_from_nothing(facts) or (anew and wanted)):
            return f"it says: {headline(line.strip())}; {why}, and counts and learns from the beginning", _cites(facts, line)
    return None


def _from_the_first(facts: Facts) -> bool:
    steps, told = counted_steps(facts), facts.measured
    epochs = [e for m in facts.advance.marks if isinstance(e := m.data.get("epoch"), (int, float))]
    if epochs and min(epochs) > 1:
        return False
    return (bool(steps) and steps[0] <= begins_within(steps)) or (told is not None and told.counter.from_the_first)


def _wanted(facts: Facts) -> list[str]:
    """The paths that an option, or a setting that is printed, names as what to go on from."""
    found = [one["path"] for line, _ in command_lines(facts.job, facts.row) for one in _OPTION.finditer(line)]
    found += [one["path"] for line, _ in command_lines(facts.job, facts.row) for one in _RUN.finditer(line)]
    return [path for path in dict.fromkeys([*found, *printed_paths(facts.job)]) if path.lower() not in NEVER]


def _begins_with(facts: Facts) -> set[str]:
    """The paths that an option to load names: it may be of weights to begin with, or where the run is to save."""
    return {one["path"] for line, _ in command_lines(facts.job, facts.row) for one in _OPTION.finditer(line) if one["load"] or one["state"]}


def _bid(facts: Facts) -> bool:
    """Whether a command line bids it go on, in any language."""
    return bidden(facts.job, facts.row) is not None or any(_BIDS.search(line) for line, _ in command_lines(facts.job, facts.row))


def _others(line: str) -> bool:
    """Whether a line tells of somebody else's weights, as far as that is not the word that the run begins anew."""
    return OTHERS.search(_ANEW.sub(" ", _NO_WARM.sub(" ", line))) is not None and _UNUSABLE.search(line) is None


def _trouble(lines: Sequence[str], at: int, wanted: Sequence[str], *, bid: bool) -> bool:
    """Whether a line says, of a state, that it is not there or of no use."""
    line = lines[at]
    partly = _PARTLY.search(_PATH.sub(" ", line)) is not None
    said, hint = _UNUSABLE.search(line) or _ABSENT.search(line), _HINT.search(line)
    if (
        said is None
        or (hint is not None and hint.start() < said.start())
        or _OFF.search(line)
        or _CLEARS.search(line)
        or (partly and not _WHOLE.search(line))
    ):
        return False
    if not bid:
        lines = [_ANY_STATE.sub(" ", one) for one in lines]
        line = lines[at]
    if _of_a_state(line, wanted) or (bid and _GOES_ON.search(line) is not None):
        return True
    near = [one for one in lines[max(0, at - NEAR) : at] if not _OFF.search(one)]
    spoken = any((_of_a_state(one, wanted) or (bid and _GOES_ON.search(one) is not None)) and not _PARTLY.search(_PATH.sub(" ", one)) for one in near)
    return spoken and _PARTLY.search(line) is None


def _of_a_state(line: str, wanted: Sequence[str]) -> bool:
    return _STATES.search(line) is not None or _FILE.search(line) is not None or any(path in line for path in wanted)


def _taken(line: str) -> bool:
    """Whether a line behind it says that a state was read after all."""
    read, anew = READ.search(line), _ANEW.search(line)
    begins = anew is not None and (read is None or anew.start() < read.start())  # ``resumed from prev.pt at step 0`` was resumed
    if _INSTEAD.search(line) is None and (_ABSENT.search(line) or _UNUSABLE.search(line) or begins):
        return False
    return read is not None and (_STATES.search(line) is not None or _FILE.search(line) is not None or _GOES_ON.search(line) is not None)


def _must_have_been(facts: Facts, lines: Sequence[str], at: int, wanted: Sequence[str], *, bid: bool) -> str | None:
    """What shows that there was, or had to be, something to go on from."""
    lines = lines if bid else [_ANY_STATE.sub(" ", one) for one in lines]
    line, told = lines[at], lines[max(0, at - NEAR) : at + 1 + NEAR]
    asked = bid or any(
        _GOES_ON.search(one) and (_STATES.search(one) or _SURELY.search(one)) and not (_OFF.search(one) or _HINT.search(one)) for one in told
    )
    if any(_EARLIER.search(one) for one in lines) and (bid or any(_STATES.search(one) for one in told)):
        return "an earlier attempt is told of"
    there = _UNUSABLE.search(_NONE_TO_READ.sub(" ", line)) is not None
    named = _SURELY.search(line) is not None
    tried = named and _REASON.search(line) is not None
    tried = tried or ((named or _STATES.search(line) is not None) and any(_ANEW.search(one) for one in told))
    if there and (asked or tried):
        return "what is there was not used"
    if any(_ASKED.search(one) and _GOES_ON.search(one) and not _BARE.search(one) for one in told):
        return "it was to go on"
    if asked and any(_FOUND.search(one) and not READ.search(one) for one in lines):
        return "states lie there"
    saved = {path.strip("'\"`.").removeprefix("./") for path in saved_to(facts.advance.saved)}
    begins = _begins_with(facts)
    for path in wanted:
        if path in begins and not _COUNTED.search(path.rpartition("/")[2]):
            continue
        own = path.removeprefix("./")
        folder = own.rpartition("/")[0]
        inside = own in saved or (not _COUNTED.search(own.rpartition("/")[2]) and any(one == folder or one.startswith(f"{own}/") for one in saved))
        inside = inside or _named_later(facts, own, lines[-1])
        if not inside and not _BARE.search(path):
            return f"{path} was named to it"
    return None


def _named_later(facts: Facts, path: str, last: str) -> bool:
    """Whether the log names the path behind its first lines, the last of which is ``last``: that is where the run saves itself."""
    texts = (one.text for report in facts.job.reports for one in report.excerpts)
    return any(path in text[text.find(last) + len(last) :] for text in texts if last in text)


def _cites(facts: Facts, line: str) -> tuple[Evidence, ...]:
    said = (*facts.advance.not_loaded, *facts.advance.passed_over)
    told = next((e for e in said if isinstance(e.source, Quote) and e.source.text[:80].strip() in line), None)
    return (*((told,) if told is not None else ()), *facts.advance.marks[:1])
