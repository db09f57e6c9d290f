"""A state that a run looked for and did not get, as its first lines tell it, where something shows that there was one to go on from.

``0 of ckpt/*.ckpt (folder has step-200.pt)``, ``e08.pt is truncated, skipped``, ``resume was requested, but …``, ``"path": "step_8000.pt", "found":
false``: what all of them have is a line that a state was not found or is of no use, and a run behind it that counts from the first step and comes
down as what begins with nothing does. A first start says as much of an empty folder, so that by itself is no fault: other states must lie there, or
the state be there and unusable, or be one of a certain step, or the run have been bidden in so many words, or one that it depends on have trained.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.afresh import learned_all
from gpualert_slurm.classifier.bidden import bidden
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.going_on import UNASKED
from gpualert_slurm.classifier.lineage import OTHERS, READ, RESUMES, before_progress, came_from_nothing
from gpualert_slurm.classifier.parents import FIRST, Parent, command_lines, left_nothing, new_stage
from gpualert_slurm.classifier.recount import FIRST_STEPS, begins_within, counted_steps
from gpualert_slurm.classifier.words import headline
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.past_verdict import PastVerdict

MOST_LINE, MOST_LINES, MOST_NAMES = 400, 40, 24
_ENDING = (
    r"\.(?:pth?(?:\.tar)?|ckpt|pkl|pickle|safetensors|npz|h5|hdf5|keras|msgpack|tar|eqx|state|weights|pdparams|joblib|snap|ubj|cbm|zip|index"
    r"|rds|bson|jld2|params)"
)
_NAME = re.compile(
    rf"(?<![\w./~@+=*?%-])(?P<path>[\w./~@+=-]{{1,200}}(?:{_ENDING}|(?<=\d)\.(?:json|bin|dat|model|txt))(?![\w/*?-])"
    r"|(?:[\w.~@+=-]{1,80}/){0,6}(?:check-?point|ckpt|global_step|step|epoch|iter|snapshot|round|model)[-_=]?\d{1,9}(?![\w.*?-]))"
)
"""A file, or a folder, that may hold a state."""
_NONE = re.compile(
    r"\b(?:but|mais|aber|pero|mas|ma|maar) (?:no|not|pas|nicht|keine?n?|n[ãa]o|non|geen|niet)\b|\b(?:holds?|has|contains?) only\b|\benth[äa]lt nur\b"
    r"|\bnot (?:loaded|restored|resumed|taken)\b|\bnone of ['\"]?\[|\bnone (?:is |are )?(?:usable|found|valid|left|fits?|readable|of them)\b"
    r"|\b(?:latest|newest|last|best_match)['\"]?\s?[=:]\s?(?:null|none)\b"
    r"|(?<![\w.,:/=-])0 (?:check-?points?|ckpts?|snap-?shots?|states?|files?|matches|hits|candidates|found|of)\b|\bfound (?:0|no|none|nothing)\b"
    r"|\b(?:found|exists?|present|loaded|restored|resumed|usable|readable|valid|matches|hits)['\"]?\s?[=:]\s?['\"]?(?:false|no|none|null|0)\b"
    r"|\bno (?:\w+ ){0,2}(?:check-?point|ckpt|snap-?shot|state|save|match|file|candidate)\w{0,2}\b|\bno [\w./*{}<>-]{1,80}\.\w{2,8}\b"
    r"|\bno \S{0,40}\*"
    r"|\b(?:is|are|was) (?:missing|absent|gone|empty|lost)\b|\bmissing\b|\babsent\b|\bnot (?:found|there|present|exist\w*|available"
    r"|usable|readable|valid)\b"
    r"|\b(?:does|do|did)(?: not|n't) (?:exist|match|fit|load)\b|\bno such (?:file|directory)\b|\bnothing (?:there|in|at|under|below|to"
    r"|found|matches)\b"
    r"|\bdid(?: not|n't) find\b|\b(?:cannot|can't|could(?: not|n't)|unable to|failed to) (?:be )?(?:find|found|open\w*|read|load\w*"
    r"|restor\w*|resum\w*|locate\w*|pars\w+)\b"
    r"|\bnicht (?:gefunden|vorhanden|da|lesbar|gelesen)\b|\bfehlt\b|\bfalta\b|\bmanca\b|\b(?:wanted|sought|expected) \S{1,80}\.\w|\bkeine?n?\b"
    r"|\bintrouvables?\b|\binexistante?s?\b|\bmanquante?s?\b|\baucune?\b"
    r"|\bno (?:existe|encontrad\w+|se encuentra|hay|est[áa])|\bn[ãa]o (?:encontr\w+|existe|h[áa]|achei)|\bnenhuma?\b|\bsem \w+ em\b"
    r"|\bnon (?:trovat\w+|esiste|c'[èe])|\bnessuna?\b|\bniet gevonden\b|\bbestaat niet\b|\bgeen\b|\bontbreekt\b|\bbulunamad|\bbrak\b"
    r"|\bnie (?:znaleziono|istnieje|ma)\b|\bikke (?:fundet|funnet)\b|\bfindes ikke\b|\bhittades inte\b|\bsaknas\b|не найден|нет файла"
    r"|отсутству|找不到|未找到|不存在"
    r"|見つかりません",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\b(?:bad|wrong) (?:crc|header|magic|length)\b|\bcrc (?:mismatch|error|fail\w*|differs)\b|\bhas (?:shape|size)\b.{0,40}\b(?:expected|needs?"
    r"|wants?|model|but)\b|\bexpected\b.{1,30}\bgot\b|(?<=\d) ?!= ?\d|\bunexpected end\b"
    r"|\btruncat\w+|\bcorrupt\w*|\bdamaged\b|\bbroken\b|\bunreadable\b|\bpermission denied\b|\bbad magic\b|\bcheck-?sum\b"
    r"|\b(?:unexpected )?EOF\b|\bincomplete\b"
    r"|\b(?:written|saved|made) (?:by|with|for) (?:an?other|an? (?:old|new|diff)\w*|format|version|torch|world|\d)|\b(?:format|schema"
    r"|file) version\b|\b(?:schema|format) v?\d|\bincompatible\b"
    r"|\bmismatch\w*|\bdiffer(?:s|ent)?\b|\bdo(?:es)?(?: not|n't) (?:fit|match)\b|\bnot compatible\b|\btoo old\b|\bzero bytes\b"
    r"|\b0 bytes\b|\binvalid\b"
    r"|\bbesch[äa]digt|\bunlesbar|\bpasst nicht|\bpassen nicht|\billisible|\bcorromp\w+|\babîm|\btronqu|\bda[ñn]ad[oa]|\bilegible"
    r"|\bdanificad[oa]|\billeg[ií]vel"
    r"|\bdanneggiat|\billeggibil|\bbeschadigd|\bonleesbaar|\buszkodzon|\bbozuk|поврежд|损坏",
    re.IGNORECASE,
)
"""It was there, and is of no use."""
_ANEW = re.compile(
    r"\bscratch\b|\bfresh(?:ly|_start)?\b|\banew\b|\bafresh\b|\bcold[ _-]?start|\bstart(?:s|ed|ing)? over\b"
    r"|\bfrom (?:the )?(?:very )?(?:beginning|start)\b"
    r"|\brandom(?:ly)?\b|\bprng init|\bre-?initiali[sz]\w+|\binitiali[sz](?:e|ing|es) (?:the )?(?:new )?(?:weights|model|param\w*|network)"
    r"|\binitial (?:weights|values)\b"
    r"|\bnew (?:\w+ )?(?:model|network|run|weights|training|agent|policy)\b|\b(?:at|from|with|is|=|:) ?(?:the )?(?:global_)?(?:step"
    r"|epoch|iter(?:ation)?|update|round|batch|sweep)"
    r"\W{0,3}[01]\b|\b(?:step|epoch|iter(?:ation)?|round) (?:counter )?(?:is |re)?set to [01]\b|\bfirst (?:step|epoch|round|iteration"
    r"|update|batch) is [01]\b"
    r"|\b(?:at|from|with) zero\b|\b(?:values?|weights|tables?|param\w*) (?:all )?(?:start|begin|are|set)\b.{0,12}\b(?:zero|0|random)\b"
    r"|\bvon (?:vorn\w*|Anfang|Null|neuem)\b|\bneu (?:begonnen|initialisiert|gestartet)\b|\bzuf[äa]llig|\bz[ée]ro\b|\bau hasard\b|\bal[ée]atoire"
    r"|\bdepuis le d[ée]but\b|\bdesde (?:cero|el principio)\b|\baleat[óo]ri|\bdo (?:zero|in[íi]cio)\b|\bda (?:zero|capo)\b"
    r"|\bdall'inizio\b|\bopnieuw\b"
    r"|\bverse gewichten\b|\bvan voren af aan\b|\brastgele|\bs[ıi]f[ıi]rdan|\bod (?:zera|nowa|pocz[ąa]tku)\b|\bforfra\b"
    r"|\bfr[åa]n b[öo]rjan\b|с нуля|случайн|从头|最初から",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"check-?point|\bckpts?\b|ckpt[_*]|snap-?shot|\bresum(?:e|ed|es|ing|ption)\b|\bauto-?resume\b|\brestor(?:e|ed|ing)\b|\bcontinu(?:e"
    r"|ing|ation)_?(?:from|run|training)\b"
    r"|\b(?:saved|model|train\w*|run) state\b|\bstate(?:[_ ]dict)?\b(?! machine)|\bearlier run\b|\bprevious run\b|\bsaved (?:model|weights|run)\b"
    r"|\b(?:Zwischen|Speicher)st[aä]nd\w*|\bStand\b|\bFortsetz\w*|\bfortsetzen\b|\breprise\b|\breprendre\b|\bsauvegarde\b|\breanuda\w*"
    r"|\bpunto de (?:control|guardado)"
    r"|\bretom\w+|\bponto (?:de controle|salvo)|\bripre(?:sa|nd\w+)|\bhervat\w*",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:was|were|is|has been|had been)? ?(?:explicitly )?(?:requested|demanded|required|wanted|asked for|ordered)\b|\bverlangt\b"
    r"|\bgefordert\b|\bgew[üu]nscht\b"
    r"|\bangefordert\b|\bdemand[ée]e?\b|\bexig[ée]e?\b|\bsolicitad[oa]\b|\bpedid[oa]\b|\bgevraagd\b|\brichiest[oa]\b|\bbegärd",
    re.IGNORECASE,
)
_UNASKED = re.compile(UNASKED, re.IGNORECASE)
_BIDS = re.compile(
    r"\b(?:wiederauf\w*|ripresa|resum\w*|restor\w*|continu\w*|fortsetz\w*|reprise|reanuda\w*|retom\w*|ripre\w*|hervat\w*)\b", re.IGNORECASE
)
_AUTO = re.compile(r"\bauto\b|\bif[ _](?:available|any|possible|there|present)\b|\bwhen available\b", re.IGNORECASE)
_HAS = re.compile(
    r"\b(?:others?|candidates|nearest|has|have|holds?|contains?|there(?: (?:is|are|was|were))?|found|only|available|present|instead|listing"
    r"|lists|sees"
    r"|vorhanden|enth[äa]lt|liegen|liegt|da sind|nur|pr[ée]sente?s?|contient|il y a|seulement|hay|contiene|s[óo]lo|existen|t[êe]m|h[áa]"
    r"|cont[ée]m|ci sono|solo"
    r"|bevat|alleen|wel|er zijn)\b\W{0,4}",
    re.IGNORECASE,
)
_SO_FAR = re.compile(r"\A\W{0,3}(?:(?:was|were|is|are|has been|could be|exists?|found|available|present|there|yet)\b ?){1,4}", re.IGNORECASE)
"""The rest of the word that nothing was found."""
_LISTS = re.compile(r"\bothers?['\"]?\s?(?=[=:(\[])|\bno other\b", re.IGNORECASE)
_LOOKED = re.compile(
    r"\b(?:looked|looking|tried|trying|searched|expected|wanted|need\w*|sought|would be|asked for|gesucht|erwartet|cherch[ée]|attendu"
    r"|buscad[oa]|esperad[oa]"
    r"|procurad[oa]|gezocht|cercat[oa])\b",
    re.IGNORECASE,
)
_FALLS_BACK = re.compile(r"\b(?:trying|try|fall(?:ing|s)? back|using|next|older|previous one|instead of it|backup)\b", re.IGNORECASE)
_PARTLY = re.compile(
    r"\bsome (?:of|weights|keys|tensors|layers|param\w*)\b|\bpart(?:ly|ial\w*)\b|\boptim\w*|\bschedul\w*|\bscaler\b|\bema\b|\brng\b"
    r"|\bmoment\w*|\bsampler\b|\bhistory\b|\bvocab\w*|\btoken\w*|\bconfig\b|\bembed\w*|\bhead\b"
    r"|\bclassifier\b|\bcaches?\b|\bdata(?: ?sets?|loader)?\b|\bbuffer\b|\brecords\b|\bsamples?\b|\blora\b|\badapters?\b|\bworkers?\b"
    r"|\bqueue\b|\bfeatures?\b"
    r"|\bstatistics\b|\bnormali[sz]\w*|\bindex\b(?!\b)|\bmasks?\b|\blabels?\b|\bstudy\b|\btrials?\b|\bcompil\w*|\bkernels?\b",
    re.IGNORECASE,
)
_NOT_RESUMED = re.compile(r"\b(?:cannot|can't|could(?: not|n't)|unable to|failed to|not) (?:be )?(?:resumed?|restored?|continued?)\b", re.IGNORECASE)
_WRITES = re.compile(r"\b(?:sav\w+|writ\w+|wrote|stor\w+|kept|delet\w+|remov\w+|prun\w+)\b", re.IGNORECASE)
_ALL_NEW = re.compile(
    r"\b(?:fresh|new|random\w*|re-?initiali[sz]\w*|initial)\b(?: \w+ and)? (?:weights|model|network|parameters)\b"
    r"|\bweights (?:are )?(?:random|fresh|new)\b",
    re.IGNORECASE,
)
_FAILED = re.compile(r"\b(?:resume|restore|resuming|restoring|loading|load)\b.{0,30}\bfailed\b|\bfailed to (?:resume|restore)\b", re.IGNORECASE)
_CLEARS = re.compile(r"\b(?:remov|delet|prun|purg(?:ing|es)|clean|clear)\w*\b", re.IGNORECASE)
_IF = re.compile(
    r"\b(?:if (?!any|available|possible|there)|when|unless|otherwise|would|will be|should|may|might|to resume,|pass --|use --)", re.IGNORECASE
)
_ON_PURPOSE = re.compile(
    r"\bon purpose\b|\bintended\b|\bdeliberate|\bas (?:asked|told|requested|wished)\b|\bby design\b|absichtlich|\bexpr[èe]s\b"
    r"|a prop[óo]sito|--(?:fresh|no[-_]resume|overwrite)\b",
    re.IGNORECASE,
)
_BEGINS_AT = re.compile(
    r"(?:^|\s)(?:--?)?(?:start|initial|begin|first)[-_](?P<unit>epoch|step|iter(?:ation)?|round)[= ](?P<at>\d{1,9})(?=\s|$)", re.IGNORECASE
)
_OPTION = re.compile(r"\A(?!epoch|step|iter)[A-Za-z_-]{2,24}=(?=[\w.~/])", re.IGNORECASE)
_BARE = re.compile(r"(?:[-dl][rwxsStT-]{9}[.+@]?\s.{10,120}\s)?(?P<path>[\w./~@+=-]{1,300})/?")
"""A line of ``ls``, or of ``ls -l``."""
_COUNT = re.compile(r"(?<!\d)0{0,9}[1-9]\d{0,8}(?!\d)")


def turned_away(facts: Facts, parent: Parent | None) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, what a run looked for, did not get, and learned all over again without; None where that does not show, or was a first start."""
    if not _from_nothing(facts):
        return None
    lines = [line[:MOST_LINE] for line in before_progress(facts)][:MOST_LINES]
    if any(_ON_PURPOSE.search(line) or (FIRST.search(line) and _BROKEN.search(line) is None) for line in lines):
        return None
    if (began := _bidden_to_begin(facts)) is not None:
        return began
    commands = [line for line, _ in command_lines(facts.job, facts.row)]
    bid = bidden(facts.job, facts.row) is not None
    refused = [(at, line) for at, line in enumerate(lines) if _refused(line, commands)]
    if not refused or any(_taken(line) for line in lines[refused[0][0] + 1 :]):
        return None
    named = {path for line in commands for path in _names(line)}
    for at, line in refused:
        set_before = {path for one in lines[:at] for path in _names(one)}
        anew = any(_ANEW.search(one) for one in lines[at + 1 : at + 3])
        why = _shown(line, named, set_before, meant=bid or anew, anew=anew) or _listed(lines[at + 1 : at + 2]) or _of_parent(facts, parent, lines, at)
        why = why or (_listed_alone(lines[:at]) if _ANEW.search(line) else None)
        if why is not None:
            return f"it says: {headline(line.strip())}; {why}, and counts and learns from the beginning", _cites(facts, line)
    return None


def began_with(facts: Facts, past: PastVerdict) -> bool:
    """Whether a line before all progress says that the run begins with what ``past`` had saved: as a base, say, of another stage."""
    lines = [line[:MOST_LINE] for line in before_progress(facts)][:MOST_LINES]
    named = [line for line in lines if any(path.removeprefix("./") in line for path in past.checkpoints)]
    return any((OTHERS.search(line) or READ.search(line)) and not (_BROKEN.search(line) or _BIDS.search(line)) for line in named)


def _from_nothing(facts: Facts) -> bool:
    """Whether it counts from the first step, and what it lowers comes down as from nothing."""
    steps, told = counted_steps(facts), facts.measured
    first = bool(steps) and steps[0] <= begins_within(steps)
    first = first or (told is not None and told.counter.from_the_first)
    return first and (learned_all(facts) or came_from_nothing(facts))


def _refused(line: str, commands: Sequence[str] = ()) -> bool:
    """Whether a line says of a state that it was not found, or is of no use, and that nothing else was taken for it.

    ``commands``: a file that they name may have any ending, where the line says as well that the run begins anew.
    """
    if (
        _IF.search(line)
        or _CLEARS.search(line)
        or (_PARTLY.search(line) and not (_NOT_RESUMED.search(line) or _ALL_NEW.search(line)))
        or OTHERS.search(_LISTS.sub(" ", _ANEW.sub(" ", line)))
    ):
        return False
    if not (_NONE.search(line) or _BROKEN.search(line)):
        return False
    if _SUBJECT.search(line) is not None or _names(line):
        return True
    return _ANEW.search(line) is not None and any(path in command for path in _given(line) for command in commands)


def _taken(line: str) -> bool:
    """Whether a line behind it says that a state was read after all."""
    if _NONE.search(line) or _BROKEN.search(line) or _ANEW.search(line):
        return False
    return (READ.search(line) is not None or RESUMES.search(line) is not None) and (_SUBJECT.search(line) is not None or bool(_names(line)))


def _shown(line: str, named: set[str], set_before: set[str], *, meant: bool, anew: bool = False) -> str | None:
    """What in the line shows that there was, or had to be, something to go on from.

    ``meant``: the run was bidden to, or says (``anew``) behind the line that it begins anew; else a file that is of no use must be spoken of so.
    """
    if (other := _other_there(line)) is not None:
        return f"{other} lies there"
    meant = meant or any(words.search(line) for words in (_ANEW, _BIDS)) or any(path in named for path in _names(line))
    if meant and _BROKEN.search(line) and not _FALLS_BACK.search(line) and (_names(line) or _ANEW.search(line) or (anew and _FAILED.search(line))):
        return "what is there could not be used"
    if _ASKED.search(line) and _BIDS.search(line) and not (_AUTO.search(line) or _UNASKED.search(line)):
        return "it was to go on"
    for path in _names(line):
        given = next((one for one in (*named, *set_before) if one == path or one in path.split("/")), "")
        if _COUNT.search(given.rpartition("/")[2]) and (_SUBJECT.search(line) or _ANEW.search(line)):
            return f"{path} was named to it"
    return None


def _other_there(line: str) -> str | None:
    """A state that the line says lies where another one was looked for."""
    absent = _NONE.search(line)
    if absent is None:
        return None
    for found in _NAME.finditer(line[: absent.start()]):
        near = line[max(0, found.start() - 40) : found.start()]
        if _HAS.search(near) and not _LOOKED.search(near) and _names(line[absent.end() :]):
            return found["path"]
    line = line[: absent.end()] + _SO_FAR.sub(lambda some: " " * len(some[0]), line[absent.end() :], 1)
    for found in _NAME.finditer(line, absent.start()):
        before = line[max(0, found.start() - 60) : found.start()]
        listed = max(before.rfind("("), before.rfind("["), before.rfind("{"))
        listed = listed if listed >= 0 else before.rfind(":")
        near = before[listed + 1 :] if listed >= 0 else before[max(before.rfind(", "), before.rfind("; ")) + 1 :]
        if _LOOKED.search(near) or found.start() < absent.end():
            continue
        several = len(_NAME.findall(line, found.start())) > 1
        if _HAS.search(near) or (listed >= 0 and (_HAS.search(before) or ((several or _sought(line[: found.start()])) and before[listed] in "(["))):
            return found["path"]
    return None


def _listed(lines: Sequence[str]) -> str | None:
    """The same of the line behind it."""
    for line in lines:
        if _HAS.search(line) and _names(line) and not (_WRITES.search(line) or READ.search(line) or _NONE.search(line) or RESUMES.search(line)):
            return f"{_names(line)[0]} lies there"
    return None


def _listed_alone(lines: Sequence[str]) -> str | None:
    """A state that a shell had listed before the run began: its name is all of the line, or stands behind a file's rights, size and date."""
    for line in lines:
        found = _BARE.fullmatch(line.strip())
        if found is not None and _names(found["path"]) == [found["path"].removeprefix("./")] and _COUNT.search(found["path"].rpartition("/")[2]):
            return f"{found['path']} lies there"
    return None


def _sought(text: str) -> bool:
    """Whether a name, or a pattern of names, stands in the text: what is told behind it in brackets is another."""
    return bool(_names(text)) or re.search(r"\S\*\S{0,20}|\S{1,20}\{\w*\}", text) is not None


def speaks_of_state(line: str) -> bool:
    """Whether a line has a word for what a run goes on from."""
    return _SUBJECT.search(line) is not None


def names_of_states(line: str) -> list[str]:
    """Files and folders that a line names and that may hold a state."""
    return _names(line)


def _names(text: str) -> list[str]:
    return [_OPTION.sub("", found["path"]).removeprefix("./") for found in _NAME.finditer(text)][:MOST_NAMES]


def _of_parent(facts: Facts, parent: Parent | None, lines: Sequence[str], at: int) -> str | None:
    """Whether a run is known that this one was to go on from and that had trained.

    The line must say that the run begins anew, or name what it was given.
    """
    past, line = parent.past if parent is not None else None, lines[at]
    if (
        parent is None
        or past is None
        or not (past.checkpoints or (past.steps_done or 0) > FIRST_STEPS)
        or new_stage(facts.job, facts.row) is not None
    ):
        return None
    if left_nothing(parent, facts.advance.saved, facts.job.accounting) is not None:
        return None
    behind = lines[at + 1] if at + 1 < len(lines) else ""
    given = any(path in command for command, _ in command_lines(facts.job, facts.row) for path in _given(line))
    if not (_ANEW.search(line) or given or (_ANEW.search(behind) and _SUBJECT.search(line))):
        return None
    return f"job {past.job} had done {past.steps_done} steps" if past.steps_done else f"job {past.job} had saved"


def _given(line: str) -> list[str]:
    return re.findall(r"(?<![\w./~@+=-])[\w.~@+-]{0,100}/[\w./~@+=-]{1,200}\w|(?<![\w./~@+=-])[\w@+=-]{1,100}\.[A-Za-z]\w{1,8}", line)[:MOST_NAMES]


def _bidden_to_begin(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """``--start-epoch 6`` of a run whose epochs begin with the first one; or a word that allows no other start than to go on."""
    bid = bidden(facts.job, facts.row)
    if bid is not None and bid.firm and not facts.advance.loaded and learned_all(facts):
        return f"it was told {bid.said}, and counts and learns from the beginning", (bid.evidence, *facts.advance.marks[:1])
    epochs = [e for m in facts.advance.marks if isinstance(e := m.data.get("epoch"), (int, float))]
    for line, cite in command_lines(facts.job, facts.row):
        for found in _BEGINS_AT.finditer(line):
            of_epochs = found["unit"].lower() == "epoch"
            counts = epochs if of_epochs else counted_steps(facts)
            if counts and min(counts) <= (1 if of_epochs else begins_within([int(c) for c in counts])) < int(found["at"]):
                return f"it was told {found[0].strip()}, and counts and learns from the beginning", (cite(), *facts.advance.marks[:1])
    return None


def _cites(facts: Facts, line: str) -> tuple[Evidence, ...]:
    said = (*facts.advance.not_loaded, *facts.advance.passed_over)
    told = next((e for e in said if isinstance(e.source, Quote) and e.source.text[:80].strip() in line), None)
    return (*((told,) if told is not None else ()), *facts.advance.marks[:1])
