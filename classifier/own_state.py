"""An error before the first step about a state of the run's own that the command line names: ``--weights out/ae-010.npz``, ``load=q-900.json``.

That a state is the run's own, and not somebody's weights, is told by the count in its name (that far it had come), or by an option that says to go
on. What went wrong with it is told by the error alone, in any library's words: it cannot be read, it is not there, its sizes are others.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lineage import COUNTS, READ
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.classifier.resuming import before
from gpualert_slurm.classifier.saves import STATE_ENDING
from gpualert_slurm.evidence import Evidence

_CAUSES = frozenset({None, Cause.FILE_NOT_FOUND, Cause.TRACEBACK, Cause.RUNTIME_ERROR, Cause.ASSERTION})
_STATE = re.compile(rf"(?<![\w./~@+-])(?P<path>[\w./~@+-]{{1,200}}{STATE_ENDING})(?![\w/-])", re.IGNORECASE)
_COUNTED = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_GOES_ON = re.compile(
    r"(?:resum|restor|continu|reload|restart|reprise|fortsetz|weiter|reanud|retom|warm|(?:grow|carry|go|build)[_-]?on|(?:take|pick)[_-]?up|memory|load)"
    r"[\w.-]{0,30}['\"]?\s?[=:\s]\s?['\"]?\Z",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"(?:^|[\s,;{])['\"]?(?:--?|\+{1,2})?(?:[a-z]{1,12}[_-])?(?:state|(?:zu)?stand|snapshot|ckpt|checkpoint|[ée]tat|estado|stato)['\"]?(?:\s?[=:]\s?|\s)['\"]?"
    r"(?P<path>[\w./~@+-]{1,200}\.\w{1,12})(?![\w/-])",
    re.IGNORECASE,
)
"""A file of any ending under an option for a state."""
_FAR = re.compile(rf"(?<![\w.])\d{{1,9}} (?:{COUNTS}|chunks|portions)\b|\b(?:{COUNTS})\W{{0,3}}\d", re.IGNORECASE)
_ONWARD = re.compile(r"\b(?:resum|continu|restart|pick|go|carr)\w{0,5} (?:\w{1,12} )?(?:up |on )?(?:from|with)\b", re.IGNORECASE)
_TWO_SIZES = re.compile(r"\b(?P<name>[a-z]\w{1,24})\s?[=:]\s?(?P<a>\d{1,9})\b[^\n]{1,80}?\b(?P=name)\s?[=:]\s?(?!(?P=a)\b)\d{1,9}\b", re.IGNORECASE)
"""One name with two numbers: what was saved of it, and what is wanted."""
_OF_OTHERS = re.compile(
    r"data|corpus|vocab|token|config|\bcfg|image|feature|label|annot|manifest|shard|\bset\b|train[_-]?(?:set|file|x|y)|pre-?train|backbone|base|teacher|zoo"
    r"|foundation|hub|imagenet|out(?:put)?\b|save|write|log|table|split|fold|(?<![a-z])(?:ann|anno|val)(?![a-z])",
    re.IGNORECASE,
)
"""In the option or the path: what is no state of the run's own, or is yet to be written."""
_HUB = re.compile(r"(?:\A|/)(?:zoo|hub|pre-?trained|base|models?--)[\w.-]*/|pre-?train", re.IGNORECASE)
_UNREADABLE = re.compile(
    r"EOF|Unpickl|pickle|BadZip|JSONDecode|UnicodeDecode|struct\.error|zlib|lzma|BadGzip|magic|header|truncat|corrupt|\bErrno 22\b|[Pp]ars(?:e|ing)"
    r"|PytorchStreamReader|zip archive|end of file|unexpected|deseriali|not a (?:zip|valid)|reading array data|input_stream|json"
    r"|damaged|besch[äa]digt|unlesbar|illisible|ab[îi]m[ée]|da[ñn]ad[oa]|corrot"
)
_SIZES = re.compile(
    r"broadcast|shape|size|dimension|\blayers?\b|\bunits?\b|\bcells\b|\bweights\b|features|expect|mismatch|columns|\bhas \d|\bheads?\b|differ"
    r"|\bneeds? \d",
    re.IGNORECASE,
)
_AT_WORK = re.compile(r"\A(?:forward|training_step|train_step|step|compute_loss|loss|collate\w*|__getitem__|_call_impl)\Z")
"""Functions that come behind a load."""
_READS_DATA = re.compile(r"data(?!_ptr)|vocab|config\b|token|label|image", re.IGNORECASE)
_NOT_THERE = re.compile(r"no such file|not found|does not exist|cannot open|could not open|opening", re.IGNORECASE)


def own_state_failed(facts: Facts, error: Evidence) -> tuple[str, str] | None:
    """The variant of a resume that failed, and the state; None where the error is of something else."""
    if error.cause not in _CAUSES or error.says not in {"exception", "error_line", "data_refused", "asset_refused", "checkpoint_broken"}:
        return None
    state = _own(facts) or _told(facts, error)
    if state is None:
        return None
    kind, message = str(error.data.get("type", "")), f"{error.data.get('message', '')} {error.data.get('more', '')}"[:2000]
    function = f"{error.data.get('function', '')} {str(error.data.get('doing', ''))[-240:]}"
    last = state.rpartition("/")[2]
    if kind == "FileNotFoundError" or _NOT_THERE.search(message):
        return ("no_valid_checkpoint", state) if last in message else None
    at_work = _AT_WORK.search(str(error.data.get("function", ""))) or _READS_DATA.search(function)
    if last not in message and at_work:
        return None
    message = message.replace(last, "")
    if _UNREADABLE.search(f"{kind}: {message}"):
        return "corrupt", state
    sizes = _TWO_SIZES.search(message) or (_SIZES.search(message) and len(re.findall(r"\d+", message)) > 1)
    return ("size_mismatch", state) if sizes else None


def _told(facts: Facts, error: Evidence) -> str | None:
    """The state that the last lines before the error say was read, with how far it had come."""
    for line in before(facts.job, error):
        files = [found["path"] for found in _STATE.finditer(line)]
        if len(files) != 1:
            continue
        onward = _ONWARD.search(line) is not None and _HUB.search(files[0]) is None
        if onward or (READ.search(line) and _FAR.search(line.replace(files[0], " ")) and _OF_OTHERS.search(line) is None):
            return files[0]
    return None


def _own(facts: Facts) -> str | None:
    """The one state on the command lines that is the run's own."""
    found: dict[str, None] = {}
    for line, _ in command_lines(facts.job, facts.row):
        for state in _STATE.finditer(line):
            option = re.split(r"[\s,{]", line[: state.start()].rstrip("= :'\""))[-1]
            name = state["path"].rpartition("/")[2].rpartition(".")[0]
            mine = _COUNTED.search(name) is not None or _GOES_ON.search(line[: state.start()][-60:]) is not None
            mine = mine and _HUB.search(state["path"]) is None
            if mine and _OF_OTHERS.search(option) is None and _OF_OTHERS.search(name) is None:
                found[state["path"]] = None
    given = {one["path"] for line, _ in command_lines(facts.job, facts.row) for one in _GIVEN.finditer(line)}
    found.update(dict.fromkeys(sorted(given)))
    return next(iter(found)) if len(found) == 1 else None
