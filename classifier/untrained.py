"""Whether a program says, in whatever words, that it trained nothing: no steps, no batches, nothing to train on, nothing left to do.

Read in the last lines of a log in which next to no progress was found, so that it costs a scan nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.classifier.untrained_abroad import untrained_abroad
from gpualert_slurm.evidence import Role

PATTERN = "untrained.words"
MOST_TEXT = 300
_BAR_OF_NOTHING = "0it ["
_UNITS = r"(?:steps?|updates?|iterations?|iters?|mini-?batch(?:es)?|batch(?:es)?|epochs?)"
_KIND = r"(?:(?:optimi[sz]er|optimi[sz]ation|training|train|gradient|parameter|weight|global|sgd|adam|usable|full|whole|complete)[ _-]){0,2}"
_ITEMS = (
    r"(?:samples?|examples?|images?|sequences?|documents?|rows?|records?|items?|files?|pairs?|utterances?|sentences?|clips?|shards?|points?"
    r"|batch(?:es)?|data)"
)
_OWN = r"(?:train(?:ing)?|usable|valid|matching|labell?ed|new|more|input|data)"
_NONE = r"(?:(?<![\d.,:/-])0(?![\d.,:%/]\d|[%xX]|[.,:]\d)|\b(?:no|zero|none|not (?:a|one)(?: single)?)\b)"
_NO_STEPS = re.compile(
    rf"{_NONE} {_KIND}{_UNITS}\b(?! (?:skipped|dropped|failed|lost|left out|without|with|had|were (?:skipped|dropped|lost)|remain|limit))"
    rf"|\b{_KIND}(?:steps|updates|iterations|iters|mini-?batches|batches|(?:n|num|n_?um)_(?:steps|updates|batches|iters))"
    r"(?: ?(?:per|in each|an?|/) ?epoch|_per_epoch| (?:done|taken|run|performed|made|completed|executed|in (?:all|total)|total|trained|seen"
    rf"|so far)){{0,2}}['\"]?\s?(?:[:=]|was|were|is|->)?\s?0(?![\d./%]|,\d)"
    rf"|(?:^|[\s\"'({{,])(?:total|global|train(?:ed|ing)?|optimi[sz]er|num|n|last|final|trained)[ _-]?(?:global[ _-]?)?(?:steps?|updates?"
    r"|iterations?|batches)['\"]?\s?[:=]\s?0(?![\d./%]|,\d)"
    r"|(?:^|[\s\"'({,])(?:(?:num|n|max|total|train)_)?epochs['\"]?\s?[:=]\s?0(?![\d./%]|,\d)|\bbefore the first (?:step|batch|update|iteration)\b"
    r"|len\((?:train\w{0,12}[._ ]?)?(?:data_?)?(?:loader|set|dl|iter\w{0,5}|dataset)\)\s?[:=]{1,2}\s?0(?![\d.])"
    r"|(?<!\d)0it \[\d\d:\d\d",
    re.IGNORECASE,
)
_NO_DATA = re.compile(
    r"\btrain(?:ing)?[ _-]?(?:data ?set|set|data(?: ?loader)?|loader|split|examples|samples|images|sequences|corpus|files"
    rf"|shards?)['\"]?(?: (?:size|length))?\s?(?:[:=]|has|with|contains|holds|is|of|,|->|\()\s?(?:0(?![\d./%]|,\d)|empty\b|no {_ITEMS}|zero)"
    r"|\b(?:data ?set|(?:data)?loader|shard|split|iterator|train(?:ing)? set|corpus|manifest|file list)\b['\"]?(?: (?:shard|size|length"
    rf"|\S{{1,40}}))?\s?(?:[:=]|has|with|contains|holds|is|was|yielded|gave|produced|returned|of|,|->)\s?(?:only |now |exactly )?(?:0 {_ITEMS}"
    rf"|0\s{{0,4}}$|empty\b|no {_ITEMS}|zero {_ITEMS})"
    rf"|\bno train(?:ing)? {_ITEMS}\b|\b(?:over|on|from|of|using|with) 0 (?:{_OWN} )?{_ITEMS}\b(?! (?:skipped|dropped|failed|lost|with))"
    rf"|\bempty (?:train(?:ing)? ?)?(?:data ?set|(?:data)? ?loader|shard|iterator|split|epoch|corpus|manifest)\b"
    rf"|{_NONE} (?:{_OWN} ){{0,2}}{_ITEMS} (?:were |was |are |is )?(?:left|remain\w*|surviv\w+|kept|pass(?:ed)?|match(?:ed|ing)?|found|available"
    r"|to train|for training|after|loaded|selected|used|in the (?:train|data))"
    r"|\b(?:found|kept|loaded|read|selected|using|have|has|got|left with|remaining|remain|yielded"
    rf"|left)\s?[:=]?\s?(?:only )?0 (?:{_OWN} ){{0,2}}{_ITEMS}\b(?!,? (?:errors|problems|bad|corrupt|invalid|missing|dropped|skipped))"
    rf"|\b(?:all|every) (?:\d[\d,]{{0,12}} |of the )?(?:{_OWN} )?{_ITEMS} (?:were |was |have been |are )?(?:filtered|dropped|skipped|discarded"
    r"|removed|rejected|excluded|ignored|thrown|too (?:long|short))"
    r"|(?<![\d.])0 (?:of|/|out of) \d{1,12} \w{1,16} (?:were |was )?(?:used|kept|left|usable|valid|trained|passed|loaded)"
    rf"|\b(?:kept|keeping|left|remaining|remain|usable|selected|found|using|use|loaded|retained)\s?[:=]?\s?0 ?(?:of|/"
    rf"|out of) ?\d[\d,]{{0,12}} (?:{_OWN} ){{0,2}}{_ITEMS}\b"
    rf"|\bepoch\b.{{0,20}}?[:|,-] ?0 {_ITEMS}\b(?! (?:skipped|dropped|failed|lost|filtered|too|with|errors|discarded))",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\bnothing (?:left |more |else )?(?:to (?:do|train|learn|fit|optimi[sz]e|run|process|be done)|remains|left)\b|\bno (?:more |further )?(?:work"
    r"|steps?|epochs?|iterations?|training|updates?) (?:left|remain\w*|to (?:do|run|perform|train)|was (?:done|performed|needed)|(?:is "
    r"|was )?(?:needed|necessary|required|performed|done|took place))"
    r"|\balready (?:been )?(?:fully )?(?:done|trained|finished training|complete[d]?|reached|converged|at (?:the )?(?:max|last|final|end)|past)\b"
    r"|\bskip(?:ping|ped)? (?:the )?train(?:ing)?(?: loop| phase)?\b(?!\s?(?:set|data|step|batch|sample|example))|\btraining (?:was "
    r"|is )?skipped\b"
    r"|\b(?:max\w{0,12}|last|final|all|target|total)[ _](?:steps?|epochs?|iter\w{0,8}|updates?)\b.{0,40}\balready\b"
    r"|\bloop (?:body )?(?:was )?never (?:ran|entered|executed|run)\b|\bnever entered\b|\bdid not (?:train|take a (?:single )?step)\b"
    r"|\bnot a single (?:step|batch|update)\b"
    r"|\b(?:time|budget|quota|deadline|clock)\b.{0,40}\b(?:used up|exhausted|spent|ran out|over|gone|past|passed|zero)\b.{0,20}\bbefore\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:start(?:ing)?|first|initial|resum\w{1,4}|current|loaded|begin)[ _]?(?:from |at )?(?:epoch|step|iter\w{0,7}"
    r"|update)s?\W{1,4}(?P<at>\d{1,9})\b.{0,40}?\b(?:(?:num|max|total|n|last|end|final|target|of|all|train)[ _])?(?:epochs?|steps?|iter\w{0,7}"
    r"|updates?)\W{1,4}(?P<of>\d{1,9})\b(?!\.\d)",
    re.IGNORECASE,
)
_AT_THE_END = re.compile(
    r"\b(?:resum\w{1,4}|restor\w{1,4}|pick\w{0,3} up|continu\w{1,5}|state (?:from|of)|go(?:es|ing)? on from|went on from)\b.{0,80}?"
    r"\b(?:epochs?|steps?|iter\w{0,7}|updates?|rounds?)\W{0,4}(?P<at>\d{1,9})\W{0,3}"
    r"(?:of|/|(?:target|goal|max\w{0,8}|total|limit|end|planned|wanted)\W{0,4}(?:epochs?|steps?|iter\w{0,7}|updates?|rounds?)?\W{0,4})\s?(?P<of>\d{1,9})\b(?!\.\d)",
    re.IGNORECASE,
)
"""A run that went on from where it was to end."""
_ALL_GONE = re.compile(
    r"\b(?:dropp\w+|skipp\w+|filter\w*(?: out)?|discard\w*|reject\w*|remov\w+|exclud\w+|threw away"
    rf"|ignor\w+)\D{{0,30}}?(?P<gone>\d[\d,]{{0,12}})(?: {_ITEMS})?(?: ?/ ?| of | out of )(?:the |all )?(?P<of>\d[\d,]{{0,12}})\b",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"\b(?:eval\w*|valid(?!_)\w*|val|test\w*|dev|infer\w*|predict\w*|hold-?out|warm-?up\w*|accumul\w*|patience|skip\w*|freez\w*|frozen|burn\w*"
    r"|delay|decay|log_?(?:steps|every|interval)|sav(?:e|ing)_?(?:steps|every)|retr\w*|overflow\w*|bad|lost|failed|missed|verbos\w*|seed"
    r"|workers?"
    r"|skipped batches|errors?|warnings?)\b",
    re.IGNORECASE,
)
_TRAINS = re.compile(
    r"\btrain|\bepoch|\bloss\b|optimi[sz]|\bfit(?:ting|ted)?\b|\bmodel\b|learning[ _]rate|\blr\b|gradient|global_?step|\bmax_?steps"
    r"|\bentren|\bentra[îi]n|\btrein|\baddestr|\blern(?:en|t|rate)|\bmodell|\bmod[èe]le|\bmodelo",
    re.IGNORECASE,
)


def untrained(lines: Sequence[Line], *, bars: bool = True) -> list[Match]:
    """The first line among a log's last ``lines`` that says so, in a log that speaks of training at all.

    ``bars``: also by a bar of nothing (``0it [00:00, ?it/s]``), which some draw before they know how long it is to be.
    """
    if not any(_TRAINS.search(line.text[:MOST_TEXT]) for line in lines):
        return []
    for line in lines:
        text = line.text[:MOST_TEXT]
        if (bars or _BAR_OF_NOTHING not in text) and _says_so(text):
            return [Match("no_training", Role.MARKER, line, PATTERN)]
    return []


def _says_so(text: str) -> bool:
    about = _JUDGED.search(text) is not None and re.search(r"\btrain(?!ed\b)", text, re.IGNORECASE) is None
    if untrained_abroad(text):
        return True
    if _NO_STEPS.search(text) or _NO_DATA.search(text):
        return not about
    if _NOTHING.search(text):
        return not about and not re.match(r"\s{0,4}make(?:\[\d{1,3}\])?: ", text)
    past = _PAST.search(text) or _AT_THE_END.search(text)
    if past is not None and int(past["at"]) >= int(past["of"]) > 0:
        return True
    gone = _ALL_GONE.search(text)
    return gone is not None and gone["gone"].replace(",", "") == gone["of"].replace(",", "") != "0"
