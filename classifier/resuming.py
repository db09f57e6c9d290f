"""Whether an error came while a run went on from what it had saved: by the rank's last words before it, the functions that led to it, its own words.

A checkpoint that does not load wears any error: a ``KeyError`` for what the file lacks, a ``ValueError`` for its shapes, a time-worn pickle. That a
run was going on from one is told in anybody's words (``picking up at …``, ``restoring state``); an error that speaks of other files, of data or of
a package is none of it, nor one after a load that was told as done.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.job_record import JobRecord

LAST_LINES = 3
"""Lines of a rank before its error that are asked."""
MOST_LINE = 400
NEAREST = 160
"""So much of what led to the error is its innermost part."""
_SCRIPT = re.compile(r"(?<![\w./~@+-])[\w./~@+-]{1,200}\.py\b")
"""A program's name, in which words mean nothing."""
SOFT = frozenset({None, Cause.FILE_NOT_FOUND, Cause.TRACEBACK, Cause.RUNTIME_ERROR, Cause.ASSERTION})
"""Causes under which a checkpoint may be at fault; a right that is missing, memory, a device are their own matter."""
_SAVED = (
    r"check-?points?|ckpts?|snapshots?|saved (?:state|run|model|weights|param\w*|training)|(?:train(?:ing|er)|run|optimi[sz]er|model)[ _]?state"
    r"|state[ _]?dict"
)
_GOES_ON = re.compile(
    r"\brestart(?:s|ed|ing)? (?:from|at)\b|\bresum(?!e\w{0,24}['\"]?\s{0,20}[=:|.]{1,60}\s{0,20}(?:(?:none|false|no|0|off)\b|''|\"\"|\[\]|,|$))"
    r"|\b(?:restor|re-?load)(?!e?[\w-]{0,24}['\"]?\s{0,20}[=:]\s{0,20}(?:(?:none|false|no|0|off)\b|''|\"\"|\[\]|,|$))"
    r"|\bcontinu(?:ing|ed|ation)\b(?! (?:in|without)\b)|\bcontinues? (?:from|at|run|train\w*)\b|\brecover(?:ing|ed|s)? from\b"
    r"|\bpick(?:s|ed|ing)? (?:up|it up)|\bleft off|\b(?:go(?:es|ing)?|carr(?:y|ies|ying)) on\b|warm[- ]?(?:re)?start"
    rf"|\b(?:load|read|open|fetch|import|unpickl|deseriali[sz])\w*\b.{{0,60}}(?:{_SAVED}|\bstate (?:of|at|from)\b)"
    r"|\b(?:lade|lese|[öo]ffne|hole) (?:den |die |das )?(?:letzten? )?(?:Zwischen|Speicher|Modell)?(?:stand|st[äa]nde|gewichte)\b"
    r"|\b(?:charge|lis|lit|lecture de|chargement de|reprise de) (?:l'|la |le )?(?:[ée]tat|sauvegarde|reprise|point de reprise)\b"
    r"|\b(?:carg(?:o|a|ando)|le(?:o|e|yendo)) (?:el )?(?:estado|punto de (?:control|guardado))\b|\b(?:carreg(?:o|a|ando)|lendo) (?:o )?(?:estado"
    r"|ponto)\b"
    r"|\b(?:caric(?:o|a|ando)|legg(?:o|endo)) (?:lo )?(?:stato|punto)\b|\b(?:reprends?|retomando|reanudando|riprendo|hervat\w*"
    r"|setze\b.{0,30}\bfort)\b"
    rf"|(?:{_SAVED})\b.{{0,60}}\b(?:load|read|open|found|restor)|\b(?:from|found|check\w*|using) (?:\w+ )?(?:{_SAVED})",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"\bfound (?:0|no)\b|\bfound\W{1,3}(?:0\b|none\b|\[\])"
    r"|\bno\b.{0,30}(?:check-?point|ckpt|snapshot|resum|saved)|\b(?:not|isn't|without|never)\b.{0,20}(?:resum|restor|found|load)|scratch|\bafresh"
    r"|\banew"
    r"|pre-?train|backbone|\bbase model|data ?set|\bdata\b(?!_)|\bcorpus|token(?:iz|is)|vocab|\bconfig|features|images"
    r"|\b(?:every|interval|frequency|keep|max_)\b|will be (?:saved|written)|sav(?:ed|ing) (?:to|at|in|as)\b|if training is",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:resumed|restored|re-?loaded|loaded|continued)\b.{0,120}?\b(?:at|to|in|epoch|step|iter\w*|ok|successfully|done)\b|\b(?:success\w*"
    r"|complete[d]?|done|ok)\W{0,3}$",
    re.IGNORECASE,
)
_LOADER = re.compile(
    r"resum|restor|re_?load|load_?(?:prev|last|latest|old)|(?:load|read|open|unpack|import|recover)_?(?:from_?)?(?:the_?|last_?|latest_?|old_?"
    r"|train\w{0,6}_?|model_?)?(?:ckpt"
    r"|check_?point|snap|state|saved|weights)"
    r"|(?:ckpt|check_?point|snapshot|state_dict)_?(?:load|read|restore)|continue_(?:from|run|training)"
    r"|\b(?:ckpt|check_?point|snap(?:shot)?|saved|state)\w{0,12} = (?:torch|pickle|np|joblib)\.load\(",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"\bcheck-?points?\b|\bckpts?\b|\bsnapshots?\b|\bstate[_ ]dict|\b(?:saved|stored) (?:state|model|weights|run|param\w*|optimi[sz]er)"
    r"|\b(?:trainer|training|optimi[sz]er|scheduler)[ _]state\b|\bresum(?:e|ed|ing|ption)\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"EOFError|Unpickl|Pickle|BadZip|JSONDecode|UnicodeDecode|struct\.error|zlib|lzma|BadGzip|shape|re(?:size|shape)|broadcast|magic|header"
    r"|truncat|corrupt|check-?sum"
    r"|besch(?:[äa]|ae)digt|pr(?:[üu]|ue)fsumme|somme de contr|suma de (?:control|comprob)|soma de verific|unlesbar|unvollst|illisible"
    r"|ab[îi]m[ée]|corromp|tronqu|da[ñn]ad[oa]|ilegible|danificad|illeggibil|\bGewichte\b|\bpoids\b|\bpesos\b"
    r"|\bcrc|\bhash\b|digest|version|mismatch|differ|optim|sched|epoch|param|layers?\b|weights?\b|\bkeys?\b|\bstate|\bmodel\b|incomplete"
    r"|unreadable|damaged"
    r"|broken|garbled|\bbytes\b|\bends?\b|\bempty\b|\bformat\b|\bfinite\b|\bsteps?\b|\bfields?\b|\branks\b|world[ _]size"
    r"|\bexpected\b|\btensors?\b|\barrays?\b|load|\bread\b",
    re.IGNORECASE,
)
_FETCHED = re.compile(r"from_url|from_pretrained|hub\.\w|snapshot_download|hf_hub|urlretrieve|backbone|pre_?trained", re.IGNORECASE)
"""What is loaded there is somebody else's, and nothing that the run had saved."""
_AT_WORK = re.compile(r"(?:torch/(?:utils/data|nn/)|datasets/|torchvision/|PIL/|sklearn/)")
_FIELDS = re.compile(r"['\"]\w{1,40}['\"]\s?:\s?(?:None|True|False|['\"][^'\"]{0,60}['\"]|[-\d.e]{1,20})\s?[,}]")
"""Settings that are written out in the line, whatever they are called."""
_WORKING = re.compile(r"forward|__getitem__|collate|training_step|loss|batch|augment|dataset|dataloader|tokeni|config", re.IGNORECASE)
_OTHERS = re.compile(
    r"pre-?train|hub\b|transformers\b|architecture|hugging|repo(?:sitory)?\b|from_pretrained|config\.json|tokenizer|\btok\b|\bspm\b"
    r"|sentencepiece|\bvocab|\bbpe\b|data ?set|\bdata\b"
    r"|\.(?:jsonl|csv|tsv|parquet|arrow"
    r"|ya?ml|toml|txt|png|jpe?g|tfrecord|so|py)\b",
    re.IGNORECASE,
)
_ANY_DATA = re.compile(r"\b(?:decompressing|compressed|unexpected|reading|array|pickle|end of|zip) data\b", re.IGNORECASE)
_LIKE_SAVED = re.compile(
    r"check-?point|ckpt|snap|resum|state|epoch|step|iter|last|latest|best|\bck|\.pth?\b|\.pkl\b|\.safetensors|\.npz|\.msgpack",
    re.IGNORECASE,
)
_A_STATE = re.compile(
    r"check-?point|ckpt|snap|resum|(?<![a-z])(?:last|latest|best|final|state|epoch|iter|step|model|weights)(?![a-z])|\.pth?\b|\.safetensors\b",
    re.IGNORECASE,
)
"""What a run that a command line bids go on reads is a state under these names; a table under ``.npz`` or ``.pkl`` may be data."""
_ASKS = re.compile(r"\bresum\w{0,20}\s?=(?!=)|\.get\w{0,12}\(\s{0,4}['\"][\w.-]{0,40}['\"][^()]{0,40}\)")
"""What a line merely looks up among settings: ``run.get("resume", "")``."""
_ONE_OF = re.compile(r"\bassert [\w.]{1,80} (?:not )?in [(\[{]")
"""A setting that is checked."""
_UNKNOWN_SETTING = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|no such)(?: \w{1,20})? (?:setting|option|argument|flag|hyper-?param\w*)s?\b"
    r"|\b(?:invalid|unexpected|unsupported) (?:setting|option|hyper-?param\w*)s?\b|\b(?:setting|option|flag)s? \S{1,80} (?:is|are) (?:unknown"
    r"|not (?:one of|known|recogni[sz]ed|allowed|a (?:known|valid)))"
    r"|\b(?:mutually )?exclusive\b|\bmust be one of\b|--\w[\w-]{0,40} (?:and|or|needs|requires|without) --\w"
    r"|\bknown (?:are|settings|options|keys)\b|\bdid you mean\b|\bchoose from\b|\bvalid (?:settings|options|keys|choices)\b|\bnot one of\b",
    re.IGNORECASE,
)
_READS = re.compile(
    r"\btorch\.load\(|\b(?:model|learn\w{0,3}|agent|policy|net\w{0,4})\.load(?:_model|_weights)?\(|load_state_dict\(|\bload_checkpoint"
    r"|\bload_weights\(|restore_checkpoint|set_state_dict\(|tree_deserialise_leaves\("
)
_PLACES = re.compile(r"(?<![\w.~@+=-])[\w.~@+=-]{0,200}/[\w./~@+=-]{1,400}|(?<![\w@+=-])[\w@+=-]{1,200}\.[A-Za-z]\w{1,11}\b")
_MISFITS = re.compile(
    r"shape|size|layers?\b|vocab|dimension|param(?:eter)? group|missing key|unexpected key|differ|does(?: not|n't) (?:fit|match)|\bheads?\b",
    re.IGNORECASE,
)
_NONE_THERE = re.compile(r"\bno (?:\w+ ){0,2}(?:check-?point|ckpt|snapshot)|not found|does not exist|missing file", re.IGNORECASE)
_BY_NAME = re.compile(r"check-?point|ckpt|snapshot|state[_ ]dict|\b(?:saved|stored)\b|\bresum", re.IGNORECASE)
_AMISS = re.compile(r"\b(?:not|no|but|differs?|mismatch|older?|newer|by|wrong|bad|doesn't|cannot|unable|failed)\b")
_OF_CODE = re.compile(r"(?:Import|ModuleNotFound|Name|Syntax|Indentation)Error$")
_CHAINED = ("During handling of the above exception", "was the direct cause of the following exception")


_BASE = re.compile(r"\bloading checkpoint shards\b", re.IGNORECASE)
"""Transformers' bar of the model that it begins with."""


def failed_load(job: JobRecord, error: Evidence, *, bidden: bool = False) -> str | None:
    """The variant of a resume that failed, where ``error`` is one; None where nothing says so. ``bidden``: a command line says to go on."""
    if error.cause not in SOFT or error.says not in {"exception", "error_line", "data_refused", "asset_refused", "checkpoint_broken"}:
        return None
    kind, message = str(error.data.get("type", "")), f"{error.data.get('message', '')} {error.data.get('more', '')}".strip()[:2000]
    if _AT_WORK.match(str(error.data.get("raised_in", ""))) or _OF_CODE.search(kind) or of_a_setting(message, kind):
        return None
    said = before(job, error)
    goes = [line for line in said if _GOES_ON.search(line) and not _NOT_SO.search(line) and _BASE.search(line) is None]
    if said and _NOT_SO.search(said[-1]):
        goes = []  # it had come to other things
    near = _SCRIPT.sub(" ", f"{error.data.get('function', '')} {_FIELDS.sub(' ', str(error.data.get('doing', '')))[-NEAREST:]}")
    near = _ONE_OF.sub(" ", near)
    near = _ASKS.sub(" ", near) if kind in {"KeyError", "IndexError"} else near
    files = _PLACES.findall(message)
    named = any(one.strip(".") in line for line in goes for one in files)
    other = any(_NOT_SO.search(line) and one.strip(".") in line for line in said[-1:] for one in files)
    foreign = _OTHERS.search(_ANY_DATA.sub(" ", message)) and not named and not (goes and _SPEAKS.search(message))
    if other or (error.cause is not Cause.FILE_NOT_FOUND and foreign):
        return None  # its last word is that it reads this file for another end, say
    if error.cause is Cause.FILE_NOT_FOUND:
        led = (bool(goes) or bool(_LOADER.search(near))) and any(_LIKE_SAVED.search(one) for one in files) and not _OTHERS.search(message)
        led = led or (bidden and any(_A_STATE.search(one) for one in files) and not _OTHERS.search(message))
        spoken = any(_SPEAKS.search(line) and any(one.strip(".") in line for one in files) and not _NOT_SO.search(line) for line in said)
        return "no_valid_checkpoint" if named or led or spoken else None
    reads = bidden and _READS.search(near) is not None and not _FETCHED.search(near) and not _WORKING.search(str(error.data.get("function", "")))
    if not reads and not _while_loading(error, kind, message, goes, near):
        return None
    return "no_valid_checkpoint" if _NONE_THERE.search(message) else "size_mismatch" if _MISFITS.search(message) else "corrupt"


def of_a_setting(message: str, kind: str = "") -> bool:
    """Whether a message, of an exception of the type ``kind``, is about a setting that has no such name."""
    if re.search(r"(?:^|\.)(?:Config(?:Key|Attribute)Error|ArgumentError)\Z", kind):
        return True
    return _UNKNOWN_SETTING.search(message) is not None and re.search(r"state[_ ]dict|check-?point|\bsaved\b|\bstored\b", message) is None


def _while_loading(error: Evidence, kind: str, message: str, goes: list[str], near: str) -> bool:
    """Whether the error's own words, the functions around it, or what was said before it put it into a load."""
    loader = _LOADER.search(near) is not None and not _FETCHED.search(near)
    if _SPEAKS.search(message) and (goes or loader or _of_its_kind(message)):
        return True
    if loader and not _WORKING.search(str(error.data.get("function", ""))):
        return True
    going = any(not _DONE.search(line) for line in goes)
    return going and _STATE.search(f"{kind} {message}") is not None and not _WORKING.search(f"{near} {message}")


def _of_its_kind(message: str) -> bool:
    """Whether a message says by itself that what was saved does not fit the run, or is not whole."""
    return _BY_NAME.search(message) is not None and _STATE.search(_SPEAKS.sub("", message)) is not None and _AMISS.search(message) is not None


def reads_data(job: JobRecord, error: Evidence) -> bool:
    """Whether the rank's last words before ``error`` are of its data, and nothing before or in it is of a checkpoint."""
    said = before(job, error)[-1:]
    doing = f"{error.data.get('doing', '')} {error.data.get('message', '')}"
    return bool(said) and not (_SPEAKS.search(doing) or _LOADER.search(doing) or re.search(r"model|weights", doing, re.IGNORECASE)) and all(
        re.search(r"\b(?:data ?sets?|data|corpus|shards?|images|samples|features|annotations|labels)\b", line, re.IGNORECASE)
        and not (_GOES_ON.search(line) or re.search(r"model|weights|resum", line, re.IGNORECASE))
        for line in said
    )


def before(job: JobRecord, error: Evidence) -> list[str]:
    """What the error's writer said last before it: of the log that holds it, and of the rank's other one."""
    where, source = error.where, error.source
    found: list[str] = []
    for one in (x for r in job.reports for x in r.excerpts):
        same = isinstance(source, Quote) and one.path == source.file
        its = one.where
        mine = where.rank is not None and its.step not in SCRIPT and (its.rank, its.step) == (where.rank, where.step)
        mine = mine and its.node in {None, where.node}
        if same or mine:
            text = _until(one, source.offset) if same and isinstance(source, Quote) else one.tail or one.head
            found += _last(text)
    return found


def _until(one: Excerpt, offset: int) -> str:
    """The text before the story of the error whose line begins at byte ``offset`` of the log."""
    text = one.tail or one.head
    raw = text.encode("utf-8", "replace")
    start = max(0, one.bytes_total - len(raw)) if one.tail else 0
    cut = raw[: offset - start].decode("utf-8", "replace") if 0 <= offset - start <= len(raw) else text
    for _ in range(5):
        head, found, _ = cut.rpartition("Traceback (most recent call last)")
        if not found:
            break
        cut = head[: head.rfind("\n") + 1]
        if not any(words in cut[-200:] for words in _CHAINED):
            break
    return cut


def _last(text: str) -> list[str]:
    cut = text.find("Traceback (most recent call last)")
    text = text[: text.rfind("\n", 0, cut) + 1] if cut >= 0 else text
    lines = (line[:MOST_LINE] for line in text[-20 * MOST_LINE :].splitlines() if line.strip())
    return [line for line in lines if not line.startswith((" ", "srun: ", "slurmstepd: "))][-LAST_LINES:]
