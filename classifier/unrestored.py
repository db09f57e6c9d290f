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
    rb"[Cc]heck-?point|ckpt|[Ss]napshot|[Rr]esum|[Rr]estor|RESUM|[Ss]tate|\.(?:pth?|pkl|safetensors|npz|h5|keras|msgpack|json)\b"
    rb"|[Tt]ensors|[Ww]eights|[Pp]aram|[Kk]eys|[Vv]ariables|arrays|layers"
)
"""Bytes of which one stands in every line that tells of it."""
_PIECES = r"(?:tensors?|param(?:eter)?s?|weights|keys|layers|variables|arrays|entries|modules|matrices|leaves|blobs)"
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
_TAKES = re.compile(rf"\b{_TAKEN}\b", re.IGNORECASE)
_HOW_MANY = r"(?P<gone>\d{1,7}) ?(?:of|/|out of) ?(?P<of>\d{1,7})\b"
_EQUAL = (
    re.compile(rf"\bmissing (?:{_PIECES})?\W{{0,3}}{_HOW_MANY}", re.IGNORECASE),
    re.compile(rf"(?<![\d.,:/=-]){_HOW_MANY} (?:model )?{_PIECES} (?:were |was |are )?(?:missing|absent|not found|not loaded)\b", re.IGNORECASE),
)
_SUBJECT = re.compile(
    r"\bcheck-?points?\b|\bckpts?\b|\bsnap-?shots?\b|\bresum(?:e|ed|ing|ption)\b|\brestor(?:e|ed|ing)\b|\b(?:saved|model|train\w*) state\b"
    r"|\bstate(?:[_ ]dict)?\b(?! machine)"
    r"|\.(?:pth?|ckpt|pkl|safetensors|npz|h5|keras|msgpack|eqx)\b",
    re.IGNORECASE,
)
_PASSED_OVER = re.compile(
    r"\bignor(?:ed|ing)\b|\bnot (?:be )?(?:usable|used|loaded|restored|found|there|readable|read|opened|compatible)\b|\bun(?:readable"
    r"|usable)\b|\bskipp(?:ed|ing)\b|\bdiscard\w*\b"
    r"|\brejected\b|\bincompatible\b|\bnothing (?:under|in|at|inside|to)\b|\bno such file\b|\bmissing\b|\bdoes(?: not|n't) (?:exist|match"
    r"|fit)\b|\b(?:cannot|can't|could(?: not|n't)|unable to|failed to)\b"
    r"|\b(?:no|without)(?: \w+){0,2} (?:check-?point|ckpt|snap-?shot|state|state dict)s?\b|\bempty\b|\bcorrupt\w*|\b(?:is"
    r"|comes?) from another\b|\btoo old\b",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"\bscratch\b|\bfresh(?:ly)?\b|\banew\b|\bafresh\b|\bcold(?: start)?\b|\bstart(?:s|ed|ing)? over\b|\bfrom the (?:very )?(?:beginning"
    r"|start)\b|\brandom(?:ly)?\b|\buntrained\b"
    r"|\binitial (?:values|weights|state|param\w*)\b|\bnew (?:model|network|run|weights|param\w*)\b|\b(?:from|at|to) (?:step|epoch"
    r"|iteration|update|batch|zero|0)(?: [01])?\b|\bre-?initiali[sz]\w+",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\boptim\w*|\bschedul\w*|\bscaler\b|\bema\b|\brng\b|\bmoment\w*|\bsampler\b|\bhistory\b|\bvocab\w*|\btoken\w*|\bconfig\w*"
    r"|\bpre-?train\w*|\bbackbone\b|\bimagenet\b|\bembed\w*|\bhead\b"
    r"|\bclassifier\b|\bcaches?\b|\bdata(?: ?sets?|loader)?\b|\bbuffer\b|\brecords\b|\bsamples?\b|\blogs?\b|\bmetrics?\b|\blora\b"
    r"|\badapters?\b|\bworkers?\b|\bjobs?\b|\bqueue\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(?:if|when|unless|otherwise|would|will be|should|may|might|to resume,|pass|use --)\b", re.IGNORECASE)


def unrestored(lines: Iterable[Line], taken: frozenset[int]) -> list[Match]:
    """Lines that say so, in order of place; ``taken``: offsets of lines that say something else already."""
    found = []
    for line in lines:
        text = line.text[:MOST_TEXT]
        if line.offset not in taken and (nothing := says_so(text)) is not None:
            found.append(Match("checkpoint_not_loaded", Role.MARKER, line, PATTERN, data={"none": nothing}))
    return found[:4]


def says_so(text: str) -> bool | None:
    """True: what was saved was read, and nothing of it was taken over; False: it was passed over, and the run begins anew; None: neither."""
    if _IF.search(text):
        return None
    found = _NONE.search(text)
    if found is not None and (_TAKES.search(found[0]) or found[0].lower().startswith(("all", "every")) or "nothing" in found[0].lower()):
        return None if _PARTLY.search(text) else True
    if any(equal["gone"] == equal["of"] != "0" for one in _EQUAL if (equal := one.search(text)) is not None):
        return None if _PARTLY.search(text) else True
    if _SUBJECT.search(text) and _PASSED_OVER.search(text) and _ANEW.search(text) and not _PARTLY.search(text):
        return False
    return None
