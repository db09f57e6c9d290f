"""Whether a program says, in whatever words, that it took nothing over from what was saved: no tensor fitted, the file was passed over.

Read in the first lines of a log, before its first progress, and only where a word of the kind stands there at all, so that it costs a scan next to
nothing. That some of it was left out (a head, an optimizer) is none of it, nor that nothing was missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.evidence import Role

PATTERN = "unrestored.words"
MOST_TEXT = 300
MOST_BYTES = 16 * 1024
HINT = re.compile(
    rb"[Cc]heck-?point|ckpt|[Ss]napshot|[Rr]esum|[Rr]estor|RESUM|[Ss]tate|\.(?:pth?|pkl|safetensors|npz|h5|keras|msgpack|json|txt|bin|dat|model|ubj)\b"
    rb"|[Tt]ensor|[Ww]eight|[Pp]aram|[Kk]ey|[Vv]ariable|array|layer"
    rb"|stand\b|Gewicht|[Rr]eprise|tat\b|poids|sauvegarde|pesos|pesi|punto de control"
)
"""Bytes of which one stands in every line that tells of it."""
NOTHING_TAKEN = re.compile(
    rb"\b0 ?(?:/|of|out of) ?\d|[Nn]othing|[Mm]issing[_ ]keys|(?:loaded|restored|matched|taken|applied)\W{1,4}0\b"
    rb"|\b0 (?:tensors|keys|param|weights|layers)"
)
"""The same of lines that say that nothing was taken over."""
_PIECES = (
    r"(?:tensors?|param(?:eter)?s?|weights?|keys?|layers?|variables?|arrays?|entr(?:y|ies)|modules?|matri(?:x|ces)|lea(?:f|ves)|blobs?|values?"
    r"|coefficients?|factors?|vectors?|numbers?|elements?|buffers?)"
)
_TAKEN = (
    r"(?:load(?:ed)?|restored|matched|match(?:es)?|fitt?(?:ed|s)?|taken over|taken|copied|transferred|recovered|imported|read|reused"
    r"|recogni[sz]ed|applied)"
)
_NO = r"(?:(?<![\d.,:/=-])0(?![\d.,]\d)(?: ?%)?|\bno(?:ne)?|\bzero|\bnot (?:one|a single))"
_NONE = re.compile(
    rf"\b{_TAKEN}:?\s(?:only )?{_NO}(?: ?(?:of|/|out of) ?(?:the |its |all )?(?:\d[\d,]* )?|\s)(?:\w+ ){{0,1}}{_PIECES}\b(?! (?:missing"
    rf"|unexpected|skipped|mismatch\w*|frozen|left))"
    rf"|{_NO}(?: ?(?:of|/|out of) ?(?:the |its |all )?(?:\d[\d,]*)?)? ?(?:\w+ )?{_PIECES} (?:were |was |are |could be |have been |of it )?{_TAKEN}\b"
    rf"|\bnothing (?:was |could be |has been )?(?:loaded|restored|recovered|taken over|resumed|reused|transferred)\b|\b(?:loaded|restored"
    rf"|recovered|resumed|reused|took over) nothing\b"
    rf"|\b(?:all|every one of)(?: the| its| of the)? (?:\d[\d,]* )?{_PIECES}\b.{{0,60}}\b(?:skipped|missing|mismatch\w*|ignored|unexpected"
    rf"|discarded|dropped|left out|not found)\b",
    re.IGNORECASE,
)
_SHARE = re.compile(
    rf"(?<![\d.,:/=-])0 ?(?:/|of|out of) ?[1-9]\d{{0,8}} (?:\w+ ){{0,2}}{_TAKEN}\b|\b{_TAKEN}\W{{1,4}}0 ?(?:/|of|out of) ?[1-9]\d{{0,8}}\b"
    rf"|(?<![A-Za-z])(?:coverage|overlap|{_TAKEN})['\"]?\s?[:=]?\s?0(?:\.0{{1,3}})? ?%",
    re.IGNORECASE,
)
"""Of how much there was, nothing; where the line is of a state."""
_ZERO = re.compile(rf"(?<![A-Za-z])(?:n_|num_)?{_TAKEN}(?:_(?:keys|tensors|params|weights|layers))?['\"]?\s?[:=]\s?['\"]?0(?![\d.])", re.IGNORECASE)
_OF_ALL = re.compile(
    r"(?<![A-Za-z])(?:total|of|expected|missing|all|model|wanted|n|params|tensors|keys)(?: in (?:the )?(?:file|model|checkpoint)"
    r"|_(?:keys|tensors|params|weights))?"
    r"['\"]?\s?[:=]\s?['\"]?[1-9]",
    re.IGNORECASE,
)
_KEYS = re.compile(r"(?<![A-Za-z])(?:keys|tensors|param(?:eter)?s|weights|layers)(?![A-Za-z])", re.IGNORECASE)
"""The same of a record's fields: ``restored=0 total=96``."""
_LISTS = re.compile(r"\b(?P<which>missing|unexpected)[_ ]?(?:keys?)?\W{0,4}[\[({](?P<keys>[^\])}]{1,4000})", re.IGNORECASE)
_KEY = re.compile(r"[\w.-]{1,200}")
_OF_THE_INPUT = re.compile(
    r"(?:\w+\.)*(?:0|conv_?1|conv_?in|embed\w*|tok_emb\w*|wte|stem\w*|input\w*|in_\w+|fc1|l1|layer1|lin1|linear1|w1)\.", re.IGNORECASE
)
"""Keys of the layer that a model begins with: they are missing only where everything is."""
_OF_THE_END = re.compile(r"(?:\w+\.)*(?:dec\w*|head\w*|out\w*|cls\w*|classifier|proj\w*)\.", re.IGNORECASE)
"""Keys behind an encoder: where they alone are missing, and nothing is left over, the rest was taken."""
_TAKES = re.compile(rf"\b{_TAKEN}\b", re.IGNORECASE)
_HOW_MANY = r"(?P<gone>\d{1,7}) ?(?:of|/|out of) ?(?P<of>\d{1,7})\b"
_EQUAL = (
    re.compile(rf"\bmissing (?:{_PIECES})?\W{{0,3}}{_HOW_MANY}", re.IGNORECASE),
    re.compile(rf"(?<![\d.,:/=-]){_HOW_MANY} (?:model )?{_PIECES} (?:were |was |are )?(?:missing|absent|not found|not loaded)\b", re.IGNORECASE),
)
_AT_RANDOM = re.compile(
    rf"\b{_HOW_MANY} (?:\w+ ){{0,2}}{_PIECES} (?:were |was |are |is )?(?:left|kept|keep|still|stay\w*|remain\w*)"
    r" (?:at|with|in|on)? ?(?:their |its |the )?(?:own |fresh )?(?:random|init\w*)",
    re.IGNORECASE,
)
"""All of them are as a fresh model has them."""
_MISFITS = re.compile(rf"\b(?:size|shape) mismatch\w* (?:for|of|in) {_HOW_MANY} (?:\w+ )?{_PIECES}\b", re.IGNORECASE)
_SWAPPED = re.compile(
    rf"(?<![\d.])(?P<missing>\d{{1,7}}) (?:{_PIECES} )?missing(?: {_PIECES})?\W{{1,3}}(?:and )?(?P<unexpected>\d{{1,7}}) (?:{_PIECES} )?unexpected\b"
    rf"|\bmissing(?:[ _]{_PIECES})?\W{{1,3}}(?P<gone>\d{{1,7}})\W{{1,3}}(?:and )?unexpected(?:[ _]{_PIECES})?\W{{1,3}}(?P<odd>\d{{1,7}})(?![\d.])",
    re.IGNORECASE,
)
LEAST_SWAPPED = 6
"""As many that are missing as are not expected, and more than a new head has: they have other names."""
_SUBJECT = re.compile(
    r"\bcheck-?points?\b|\bckpts?\b|\bsnap-?shots?\b|\bresum(?:e|ed|ing|ption)\b"
    r"|\bcontinue (?:is |was )?ignored\b|\bhervatten\b|\brestor(?:e|ed|ing)\b|\b(?:saved|model|train\w*) state\b"
    r"|\bstate(?:[_ ]dict)?\b(?! machine)"
    r"|\.(?:pth?|ckpt|pkl|safetensors|npz|h5|keras|msgpack|eqx)\b|[_-]\d{1,9}\.(?:txt|bin|dat|model|ubj|json)\b"
    r"|\b(?:Zwischen|Speicher)st[aä]nd\w*|\bKontrollpunkt\w*|\bGewichte\b|\breprise\b|\b[ée]tat\b|\bpoids\b|\bsauvegarde\b|\bpunto de control\b"
    r"|\b(?:pesos|pesi)\b",
    re.IGNORECASE,
)
_PASSED_OVER = re.compile(
    r"\bignor(?:ed|ing)\b|\bnot (?:be )?(?:usable|used|loaded|restored|found|there|readable|read|opened|compatible)\b|\bun(?:readable"
    r"|usable)\b|\bskipp(?:ed|ing)\b|\bdiscard\w*\b"
    r"|\brejected\b|\bincompatible\b|\bnothing (?:under|in|at|inside|to)\b|\bno such file\b|\bmissing\b|\bdoes(?: not|n't) (?:exist|match"
    r"|fit)\b|\b(?:cannot|can't|could(?: not|n't)|unable to|failed to)\b"
    r"|\b(?:no|without)(?: \w+){0,2} (?:check-?point|ckpt|snap-?shot|state|state dict)s?\b|\bempty\b|\bcorrupt\w*|\b(?:is"
    r"|comes?) from another\b|\btoo old\b|\b(?:by|of|from|for) (?:an?other|a different) (?:run|model|arch\w*|network|version|config\w*|experiment)\b"
    r"|\bmismatch\w*|\bdiffer(?:s|ent|ed)?\b|\binvalid\b|\brefus\w+|\bnot (?:valid|taken|accepted|recogni[sz]ed|applied)\b|\bunsupported\b"
    r"|\b(?:left|set|put|laid) aside\b|\bleft alone\b|\btruncated\b|\bdamaged\b|\bbroken\b|\babsent\b"
    r"|\bnicht\b|\bfehlt\b|\bkeine?n?\b|\bunlesbar\b|\bintrouvable|\billisible|\binexistant"
    r"|\bmanquant|\bpas (?:de|trouv\w+|lisible)\b|\bno (?:existe|encontrad\w+|se )|\bnon (?:trovat\w+|esiste|leggibile)\b"
    r"|\b(?:but|mais|aber|pero|mas|ma) [A-Z]\w{2,30}(?:Error|Exception)\b"
    r"|\bis no\b|\bis not an?\b|\bniet\b|\bgeen\b|\bontbreekt\b"
    r"|\bn[ãa]o (?:existe|encontr\w+|ach\w+|h[áa]|foi)|\bausente\b|\bassente\b|\bmanca(?:nte)?\b|\bnie (?:ma|istnieje|znaleziono)\b|\bbrak\b"
    r"|\bsaknas\b|\bhittades inte\b|\bfindes ikke\b|\bfinnes ikke\b|\bbulunamad|\bchyb[íi]\b|не найден|отсутству|未找到|不存在|見つかりません",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"\bscratch\b|\bfresh(?:ly)?\b|\banew\b|\bafresh\b|\bcold(?: start)?\b|\bstart(?:s|ed|ing)? over\b|\bfrom the (?:very )?(?:beginning"
    r"|start)\b|\brandom(?:ly)?\b|\buntrained\b"
    r"|\binitial (?:values|weights|state|param\w*)\b|\bnew (?:model|network|run|weights|param\w*)\b|\b(?:from|at|to|with)"
    r" (?:step|epoch|iteration|update|batch|zero|0)(?: [01])?\b|\bbegins?_at_\w{1,12}\W{1,3}[01]\b|\bempty (?:model|ensemble|network|booster)\b"
    r"|\bre-?initiali[sz]\w+"
    r"|\bvon (?:vorn\w*|Anfang|Null|neuem)\b|\bneu (?:begonnen|initialisiert|gestartet)\b|\bzuf[äa]llig\w*|\bde z[ée]ro\b|\bau hasard\b"
    r"|\bal[ée]atoire\w*|\bdepuis le d[ée]but\b|\bdesde (?:cero|el principio)\b|\baleatori\w+"
    r"|\b(?:weights|param\w*) (?:are|were) drawn\b|\b(?:empieza|empez\w+|comienza|arranca)\w* (?:desde|de|en|otra|por)\b"
    r"|\bda (?:zero|capo)\b|\bdall'inizio\b|\bverse gewichten\b|\bopnieuw\b|\bvan voren af aan\b"
    r"|\bdo (?:zero|in[íi]cio|come[çc]o)\b|\bod (?:zera|pocz[ąa]tku|nowa|nuly)\b|\bfr[åa]n (?:b[öo]rjan|noll)\b|\bforfra\b"
    r"|\bp[åa] ny\b|\bs[ıi]f[ıi]rdan\b"
    r"|\br[ée]seau (?:neuf|nouveau|vierge)|\b(?:nouveau|nouvelle) (?:r[ée]seau|mod[èe]le)|\bneues? (?:Netz|Modell)\w{0,2}"
    r"|\bred nueva|\bmodelo n(?:ue|o)vo"
    r"|с нуля|заново|从头|最初から|처음부터",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\boptim\w*|\bschedul\w*|\bscaler\b|\bema\b|\brng\b|\bmoment\w*|\bsampler\b|\bhistory\b|\bvocab\w*|\btoken\w*|\bconfig\w*"
    r"|\bembed\w*|\bhead\b"
    r"|\bclassifier\b|\bcaches?\b|\bdata(?: ?sets?|loader)?\b|\bbuffer\b|\brecords\b|\bsamples?\b|\blogs?\b|\bmetrics?\b|\blora\b"
    r"|\badapters?\b|\bworkers?\b|\bjobs?\b|\bqueue\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\bpre-?train\w*|\bbackbone\b|\bimagenet\b", re.IGNORECASE)
"""Somebody else's weights, which a run may do without."""
_IF = re.compile(r"\b(?:if|when|unless|otherwise|would|will be|should|may|might|to resume,|pass|use --)\b", re.IGNORECASE)


def unrestored(lines: Iterable[Line], taken: frozenset[int], loads: frozenset[int] = frozenset(), *, wholly: bool = False) -> list[Match]:
    """Lines that say so, in order of place.

    ``taken``: offsets of lines that say something else already; ``loads``: of those that tell of a load; ``wholly``: that nothing was taken, alone.
    """
    found = []
    for line in lines:
        if line.offset in taken:
            continue
        alone = wholly or line.offset in loads
        if (nothing := says_so(line.text)) is not None and (nothing or not alone):
            found.append(Match("checkpoint_not_loaded", Role.MARKER, line, PATTERN, data={"none": nothing}))
        elif nothing is None and not alone and passed_over(line.text):
            found.append(Match("checkpoint_not_loaded", Role.MARKER, line, PATTERN, data={"none": False, "bare": True}))
    return found[:4]


def says_so(text: str) -> bool | None:
    """True: what was saved was read, and nothing of it was taken over; False: it was passed over, and the run begins anew; None: neither."""
    if no_key_fits(text) or _at_random(text[:MOST_TEXT]):
        return True
    text = text[:MOST_TEXT]
    if _IF.search(text) or _PARTLY.search(text):
        return None
    found = _NONE.search(text)
    none = found is not None and (_TAKES.search(found[0]) or found[0].lower().startswith(("all", "every")) or "nothing" in found[0].lower())
    equal = any(equal["gone"] == equal["of"] != "0" for one in _EQUAL if (equal := one.search(text)) is not None)
    if none or equal or _other_names(text):
        return True
    if _SUBJECT.search(text) is None:
        return True if _KEYS.search(text) and _ZERO.search(text) and _OF_ALL.search(text) else None
    if _SHARE.search(text) or (_ZERO.search(text) and _OF_ALL.search(text)):
        return True
    return False if _PASSED_OVER.search(text) and _ANEW.search(text) and not _OTHERS.search(text) else None


def _at_random(text: str) -> bool:
    """Whether all pieces were left as a fresh model has them."""
    left = (_AT_RANDOM.search(text) or _MISFITS.search(text)) if _IF.search(text) is None else None
    return left is not None and left["gone"] == left["of"] != "0"


def _other_names(text: str) -> bool:
    """Whether as many are missing as are not expected."""
    found = _SWAPPED.search(text)
    return found is not None and LEAST_SWAPPED <= int(found["missing"] or found["gone"]) == int(found["unexpected"] or found["odd"])


def passed_over(text: str) -> bool:
    """Whether a line says of what was saved that it was not there, or could not be used, and not what becomes of the run."""
    text = text[:MOST_TEXT]
    if _IF.search(text) or _PARTLY.search(text) or _OTHERS.search(text):
        return False
    return _SUBJECT.search(text) is not None and _PASSED_OVER.search(text) is not None


def no_key_fits(text: str) -> bool:
    """Whether lists of keys show that a state and a model have none in common: one name with and without a prefix, or the first layer's too."""
    lists: dict[str, list[str]] = {}
    for found in _LISTS.finditer(text):
        lists.setdefault(found["which"].lower(), _KEY.findall(found["keys"]))
    missing, unexpected = ([k for k in lists.get(which, []) if "." in k.strip(".")] or lists.get(which, []) for which in ("missing", "unexpected"))
    behind = not unexpected and all(_OF_THE_END.match(key) for key in missing)
    if not missing or behind or any("lora" in key or "adapter" in key for key in missing):
        return False
    pairs = [key for key in missing if any(one.endswith(f".{key}") or key.endswith(f".{one}") for one in unexpected)]
    if len(pairs) == len(missing):
        return True
    modules = {key.rpartition(".")[0] for key in missing}
    return len(modules) > 1 and any(_OF_THE_INPUT.match(key) for key in missing) and "..." not in text
