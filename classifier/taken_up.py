"""Whether the line of the program at which it failed takes up what a run had saved: by what that line does, for its error may be any.

A state of one's own making has no library's words. What its reading looks like is much the same everywhere: a file that is named by what it is
for (``np.load(args.init_from)``), arrays that are filled in place from what was read (``w[...] = z[k]``), the newest file of a folder that is
empty, a model handed to a booster to go on with, a sentence with two sizes of which one is the stored one. The line is the program's own, as a
traceback shows it.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.saves import STATE_ENDING
from gpualert_slurm.evidence import Evidence

NEAREST = 240
"""So much of the lines that led to the error is its innermost part."""
_CAUSES = frozenset({None, Cause.FILE_NOT_FOUND, Cause.TRACEBACK, Cause.RUNTIME_ERROR, Cause.ASSERTION})
_FOR_GOING_ON = (
    r"(?:resum|re_?start|restor|reload|contin(?:u|uer|uar)|init_?from|start_?from|begin_?from|go_?on|pick_?up|ckpt|check_?point|snapshot"
    r"|prev(?:ious)?_?(?:run|state|model|weights|params)|last_?(?:run|state|model|save|ckpt)|newest|latest|saved|stored|fortsetz|weiter|wiederauf|repri[sn]"
    r"|reprend|reanud|retom|ripre[sn]|riprend)"
)
_READS = re.compile(
    rf"\b(?:load\w*|open|read\w*|from_file|restore\w*)\(\s{{0,4}}[^()]{{0,60}}?{_FOR_GOING_ON}"
    r"|\bload\w{0,12}\(\s{0,4}(?:\w{1,20}\.)?(?:\w{1,20}_)?(?:last|kept|state(?:_?(?:file|path))?)\s{0,4}[,)]"
    rf"|\b\w{{0,30}}{_FOR_GOING_ON}\w{{0,30}}(?:\[[^\]]{{0,40}}\])?\.(?:read|open|load)\w{{0,12}}\("
    r"|(?:^|\s)(?:had|kept|stored|resumed|restored|old_\w{1,20}|prev\w{0,20})(?:, \w{1,30}){0,3} = [\w.]{1,30}\.loads?\("
    r"|(?:^|\s)(?:\w{1,30}, ){1,4}(?:done|so_far|(?:start|last|first|next|done)_?\w{0,12}|(?:global_?)?step|epoch"
    r"|it(?:er\w{0,6})?|round|sweep|generation|passes|reached|begun|trained)(?:, \w{1,30}){0,2} = (?:[\w.]{1,30}\.)?loads?\w{0,12}\(",
    re.IGNORECASE,
)
_ANY_READ = re.compile(r"\b(?:loads?\w{0,12}|open|read\w{0,12}|restore\w{0,12}|File)\(", re.IGNORECASE)
_GOING_ON = re.compile(rf"(?:\A|_){_FOR_GOING_ON}|{_FOR_GOING_ON}\Z", re.IGNORECASE)
"""A function by the name of what it is for: ``go_on_from``, ``restore_weights``."""
_STORED_SIZE = (
    r"(?:saved|stored|kept|prev\w{0,8}|ckpt|check_?point|snapshot|archive|had|old)(?:\[['\"]|\.)"
    r"(?:shapes?|sizes?|dims?|layers?|width|hidden|heads|rank|n_\w{1,12}|config|cfg|arch\w{0,10}|weights|params|(?:w|b|coef|means?|mix\w{0,8})\b)"
)
_COMPARES = re.compile(rf"\b{_STORED_SIZE}.{{0,40}}[!=]=|[!=]= ?{_STORED_SIZE}", re.IGNORECASE)
"""What was stored of a size, set against the run's own."""
_FILLS = re.compile(r"\w\[(?:\.\.\.|:)\][^=]{0,160}=(?!=).{0,80}\w\[(?:['\"]\w|\w{1,12}\])")
_COPIES = re.compile(
    r"\.copy_\(\s{0,4}(?:kept|saved|stored|state|ckpt|check_?point|snap\w{0,4}|old|prev|restored|resumed|had|sd)\w{0,12}[\[.(]", re.IGNORECASE
)
"""A tensor that is filled in place with what was stored."""
_NEWEST = re.compile(
    r"(?:^|\s)(?:newest|latest|ckpts?|check_?points?|snapshots?|last_?(?:run|state|model|save|ckpt|check_?point)|resume\w{0,12}|most_recent\w{0,12})"
    rf" = (?:max|min|sorted|\w{{1,30}}\[|next\()|\w\[['\"]\w{{0,20}}{_FOR_GOING_ON}\w{{0,12}}['\"]\] = (?:max|min|sorted|next)\("
    rf"|\b(?:max|min|sorted|next)\(.{{0,120}}\bglob\w{{0,3}}\(.{{0,120}}\*{STATE_ENDING}['\"]",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"empty sequence|(?:arg|argument) is (?:an )?empty|index out of range|^$")
_BOOSTS = re.compile(r"\b(?:init_model|xgb_model|model_file)\s?=\s?(?!None)", re.IGNORECASE)
_UNOPENED = re.compile(r"(?:could not|cannot|can't|failed to|unable to) open|no such file", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"\bsize_|model (?:file|format|string)|\bparse|magic|u?b?json|deseriali|unexpected|unknown (?:type|format)|corrupt", re.IGNORECASE
)
_STORED = re.compile(
    r"\b(?:stored|saved|kept|restored|memory|archived?|check-?points?|snapshots?|earlier run|previous run|gespeichert\w{0,3}|guardad[oa]s?"
    r"|sauvegard\w{1,3})\b",
    re.IGNORECASE,
)
_SIZES = re.compile(
    r"\b(?:rank|ranges?|weights?|param\w{0,8}|layers?|units?|dim(?:ension)?s?|hidden|width|factors?|heads?|neurons?|Gewichte|Schichten|pesos|capas"
    r"|poids|couches)\b",
    re.IGNORECASE,
)
_OF_DATA = re.compile(
    r"data(?!\.copy_\()|corpus|vocab|token|config(?!ured)|\bcfg_file|image|feature|label|annot|manifest|shard|\bcsv|samples|\brows?\b|columns?|pre_?train|backbone"
    r"|\btrain_?(?:set|file|x|y)\b",
    re.IGNORECASE,
)
_AT_WORK = re.compile(r"forward|__getitem__|collate|_step\b|loss|batch", re.IGNORECASE)
_UNREADABLE = re.compile(
    r"EOF|Unpickl|pickle|BadZip|JSONDecode|UnicodeDecode|struct\.error|zlib|lzma|BadGzip|magic|header|truncat|corrupt|reading array data|dbm\.error"
    r"|\bErrno 22\b",
    re.IGNORECASE,
)
_MISFIT = re.compile(
    rf"(?<![\w./~@+-])(?P<path>[\w./~@+-]{{1,200}}{STATE_ENDING})(?![\w/-])"
    r".{0,80}?(?P<one>\(\d[\d, ]{0,40}\)).{0,80}?(?P<other>\(\d[\d, ]{0,40}\))",
    re.IGNORECASE,
)
"""A state's file and two shapes of which one is the run's own."""
_NOT_THERE = re.compile(r"doesn't exist|does not exist|no such file|not found", re.IGNORECASE)


def takes_up(error: Evidence) -> str | None:
    """The variant of a resume that failed, where the line that raised ``error`` was taking up what had been saved; None where nothing shows that."""
    if error.cause not in _CAUSES or error.says != "exception" or _AT_WORK.search(str(error.data.get("function", ""))):
        return None
    kind, message = str(error.data.get("type", "")), str(error.data.get("message", ""))[:2000]
    line = str(error.data.get("doing", ""))[-NEAREST:]
    if _BOOSTS.search(line) and kind.endswith(("XGBoostError", "LightGBMError")):
        return "no_valid_checkpoint" if _UNOPENED.search(message) else "corrupt" if _NO_MODEL.search(message) else None
    function = str(error.data.get("function", ""))
    return _of_own_making(line, kind, message, function) if line and not _OF_DATA.search(f"{function} {line}") else None


def _of_own_making(line: str, kind: str, message: str, function: str = "") -> str | None:
    if _NEWEST.search(line) and _EMPTY.search(message) and kind in {"ValueError", "IndexError", "StopIteration"}:
        return "no_valid_checkpoint"
    if _two_sizes(message) or _misfits(message) or (_FILLS.search(line) and "could not broadcast" in message) or _copied(line, message):
        return "size_mismatch"
    if _COMPARES.search(line) and kind in {"AssertionError", "ValueError", "RuntimeError"}:
        return "size_mismatch"
    if not _READS.search(line) and not (_GOING_ON.search(function) and _ANY_READ.search(line)):
        return None
    if kind == "FileNotFoundError" or (kind == "dbm.error" and _NOT_THERE.search(message)):
        return "no_valid_checkpoint"
    return "corrupt" if _UNREADABLE.search(f"{kind}: {message}") else None


def _copied(line: str, message: str) -> bool:
    return _COPIES.search(line) is not None and re.search(r"size of tensor|must match|not broadcastable|\bsizes?\b", message) is not None


def _misfits(message: str) -> bool:
    """Whether a message sets a shape that a state's file has against another one."""
    found = _MISFIT.search(message)
    return found is not None and found["one"] != found["other"] and _OF_DATA.search(found["path"]) is None


def _two_sizes(message: str) -> bool:
    """Whether a sentence sets a stored size against another one."""
    several = len(set(re.findall(r"\b\d{1,9}\b", message))) >= 2
    return several and all(words.search(message) for words in (_STORED, _SIZES)) and not _OF_DATA.search(message)
