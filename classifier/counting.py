"""Progress that no parser knows the words of: lines of one template that count, and rows of tables. Looked for at the ends of a log.

A line's *template* is the line with its numbers as ``#``. Lines of one template whose counter grows are progress of some loop, whatever
it prints beside it; so are rows under a header that names a counter or a loss. What is looked at is bounded (``log_ends.py``), and only where
the parsers' own patterns found next to nothing. Conventions read: XGBoost's ``[10] train-rmse:0.4``, LightGBM's ``[10] valid_0's l2: 0.3``,
scikit-learn's ``Iteration 3, …``, logfmt, JSON lines, loops of one's own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from gpualert_slurm.classifier.growing import CLOCK, LOWERED, Growing
from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.log_head import log_head
from gpualert_slurm.classifier.numbers import NUMBER, count, epoch_and_step, number, pointed
from gpualert_slurm.classifier.pattern import Data, Match
from gpualert_slurm.classifier.table import CARD_TIMED, DISTANCES, LOSS_WORDS, METRIC_WORDS, Table
from gpualert_slurm.classifier.tongues import BATCHES, COUNTED, EPOCHS, HELD_OUT, OF, PASSES, STEPS
from gpualert_slurm.evidence import Role

MOST_LINE = 400
MOST_REMEMBERED = 4096
"""Lines of which what they say is remembered."""
LEAST_LINES = 3
"""Lines of one template that are a loop's, where no word of theirs says so."""
LEAST_LIKELY = 2
SHORT_WORD = 3
"""Letters of a counter's word that may be another thing's number (``it``, ``ep``)."""
LEAST_ROWS = 4
"""Rows of numbers alone, without a header."""
AFTER_ERROR = 80
"""So many lines behind the beginning of a traceback may be its own."""
PATTERN = "counting.rows"

_NUMBER = re.compile(r"(?<![\w.])" + NUMBER + r"(?!\.\d)(?![\w.]{0,20}[A-Za-z_])")
_UNIT = re.compile(r"\s?(?:s|ms|sec(?:onds?)?|m|min|h|it/s|s/it|[KMG]i?B(?:/s)?|/s|x|B|\S{1,12}/s(?:ec)?)\b|\s?%")
_COUNTER = re.compile(
    r"(?<![A-Za-z])(?<!sub_)(?P<word>epochs?|ep|e|(?:global|train|opt|optim(?:izer)?)?[_ ]?steps?|it|iters?|iterations?|rounds?|batch(?:es)?"
    rf"|mini-?batch|mb|(?:num[_ ])?upd(?:ate)?s?|episodes?|generations?|gen|sweep|cycle|turn|trial|n|i|k|t|tick|pass|{EPOCHS}|{STEPS}|{PASSES})"
    r"(?:[_ ]?(?:no|num|idx|index|nr|number))?['\"]?\.?\s{0,3}[:=#]?\s{0,3}[\[('\"]?\s{0,8}(?P<at>\d[\d,_]{0,14})(?![\d.:]{0,20}\d)"
    rf"(?:\s{{0,3}}(?:/|{OF})\s{{0,8}}(?P<planned>\d[\d,_]{{0,14}}))?",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"\b(?:msg|message|event|what|kind|type|name)['\"]?\s?[=:]\s?['\"](?P<word>epoch|(?:train_)?step|iter(?:ation)?|round|update|generation|batch)['\"]"
    r",?\s{0,3}['\"]?(?:n|i|no|nr|num|number|idx|index|at|k)['\"]?\s?[=:]\s?(?P<at>\d{1,12})(?:\s?/\s?(?P<planned>\d{1,12}))?(?![\w.])",
    re.IGNORECASE,
)
"""``msg="round" n=3``: the record's title names what its first number counts."""
_LEADING = re.compile(
    r"[\s\[(|#<*>=@-]{0,12}(?!\d{4}-\d\d-\d\d|\d\d[-/]\d\d[ T]\d{1,2}:\d\d)(?P<at>\d{1,12})(?![\d.:]{0,20}\d)"
    r"(?:\s{0,3}(?:/|of)\s{0,3}(?P<planned>\d{1,12}))?(?=[\])|:,;\s>-])"
)
_COUNTED = re.compile(COUNTED)
_SLASHED = re.compile(r"(?<![\w./-])\(?\[?(?P<at>\d{1,12})\s{0,2}/\s{0,2}(?P<planned>\d{1,12})(?![\w./])")
_REVERSED = re.compile(
    r"(?<![\w.,/-])(?P<at>\d{1,12}) (?:samples|mini-?batches|batches|steps|iterations|updates|episodes|games|epochs)\b(?P<planned>)", re.IGNORECASE
)
_INNER = re.compile(rf"\b(?:step|iter(?:ation)?|it|upd(?:ate)?|{BATCHES})\b\D{{0,4}}(\d{{1,12}})(?:\s?(?:/|{OF})\s?(\d{{1,12}}))?", re.IGNORECASE)
_WEAK_WORDS = frozenset({"e", "n", "i", "k", "t", "mb"})
_STEPS = re.compile(rf"(?:(?:global|train|opt|optim(?:izer)?)?[_ ]?steps?|it|iters?|iterations?|(?:num[_ ])?upd(?:ate)?s?|{STEPS})\Z", re.IGNORECASE)
"""Counters of steps; others (rounds, episodes, a number without a word) may stand for a whole pass."""
_EPOCHS = re.compile(rf"(?:epochs?|ep|e|{EPOCHS})\Z", re.IGNORECASE)
_PASSES = re.compile(rf"(?:pass|{PASSES})\Z", re.IGNORECASE)
"""Whole passes, where what they consist of is counted beside them."""
_SAYS = r"(?:[:=]|[-=]>|→|≈|~|(?:(?:over|of) the last \d{1,6}(?: [a-z]{1,12})? )?(?:is(?: now)?|was|now|at)\b)"
"""What stands between a name and its number."""
_OWN_LOSS = r"(?!val|test|eval|dev|best|min|max|prev|last|gen|disc|crit|adv|policy|pi|actor|value|vf|aux|kl|reg)[a-z]{2,16}(?:_[a-z]{2,12})?_loss"
"""A loss by the name of what is learned (``caption_loss``)."""
_LOSS = re.compile(
    rf"(?<![\w/.-])(?:(?:(?:train(?:ing)?|trn?|avg|mean|total|batch|epoch|running)[ _/.-]?)?(?:{LOSS_WORDS})|{_OWN_LOSS}"
    rf"|(?P<distance>train(?:ing)?(?:'s)?[ _/.-](?:{DISTANCES})|(?:{DISTANCES})(?: ?\(train(?:ing)?\))?|learn))(?![A-Za-z])(?:/\w{{1,8}})?"
    rf"['\"\])]?\s{{0,3}}{_SAYS}?\s{{0,16}}['\"]?(?P<value>{NUMBER})(?![\w])",
    re.IGNORECASE,
)
_TRAINED = re.compile(rf"\b(?:train|trn|tr)\s?[:=]?\s(?P<value>{NUMBER})\W{{1,8}}(?:val\w{{0,7}}|dev)\s?[:=]?\s{NUMBER}(?![\w%])", re.IGNORECASE)
_OF_HELD_OUT = re.compile(rf"\W{{0,6}}(?:{HELD_OUT})\b", re.IGNORECASE)
"""What a line begins with that tells of no training."""
_ACCURACY = re.compile(r"\bacc(?:uracy)?\b", re.IGNORECASE)
"""``trn 2.31 val 2.35 acc 0.1``: where the accuracy has a name of its own, the other two are losses."""
_METRIC = re.compile(
    rf"(?<![A-Za-z])(?:(?:train(?:ing)?|valid(?:ation)?|val|eval|test|dev|avg|mean|top)[ _/.@1-9'a-z-]{{0,6}}[ _/.:-]?)?"
    rf"(?:{METRIC_WORDS})(?![A-Za-z])(?:[_/][A-Za-z]{{1,8}})?['\"\])]?\s{{0,3}}{_SAYS}?\s{{0,16}}['\"]?{NUMBER}(?![\w])",
    re.IGNORECASE,
)
_PREPARING = re.compile(
    rf"load|read|download|fetch|extract|unpack|unzip|token|shard|files?\b|worker|rank|{CARD_TIMED}|device|retry|retries|attempt|connect|wait(?!\s?[:=]?\s{{0,4}}\d)|install|\bmap(?!e?_|e\b)"
    r"|check"
    r"|\bport|node|cach|warm|prepar|process|copy|copied|index|import|compil|build|creat|(?<!inf)init|param|layer|module|verif|scan|stag|version|thread|socket"
    r"|heartbeat|sleep|poll|rows?\b|records|lines|class|fold|seed|config"
    r"|requirement|augment|blob|\bping|\bhost|resiz|shuffl|merg|split|hash|test case|collect|sync|queue",
    re.IGNORECASE,
)
"""What loops do before they train: their counts are no progress of training."""
_WITH_METRIC = re.compile(
    r"worker|rank|gpu|device|node|process|thread|host|param(?:eter)?s?|warm-?up|fold|seed|sync|class|token|time|stage|phase|rows?\b|records",
    re.IGNORECASE,
)
"""Words of these that loops say beside a metric, too."""
_PLURAL = re.compile(r"s\Z", re.IGNORECASE)
"""A counter's word in the plural tells how many there are to be, where no share of them is told: a line of settings."""
_SO_MANY = re.compile(r"\b(?:total|num(?:ber)?|max(?:imum)?|planned)\b(?:[ _](?:of|\w{1,16})){0,2}\Z", re.IGNORECASE)
"""``Total optimization steps = 90``: how many there are to be."""
_RATE_WORD = re.compile(r"(?:lr|learning[ _]rate)(?![A-Za-z])", re.IGNORECASE)
_LABELS = re.compile(
    r"['\"](?:(?:local_|global_)?rank|worker(?:_id)?|node|host(?:name)?|device|gpu|thread|process|pid|fold"
    r"|seed)['\"]\s?:\s?(?:['\"][^'\"]{0,60}['\"]|\d{1,12})"
)
"""Fields of a record that say whose it is, and nothing of what it does."""
_SETTINGS = re.compile(r"\{[^{}]{0,300}\}")
"""What a line has in braces behind its numbers: what was tried."""
_KNOWN = re.compile(r"\btrial \d{1,9} (?:finished|completed?)\b|\biteration: {1,9}\d{1,9} / \d{1,9} \[", re.IGNORECASE)
"""Optuna's and Stan's own lines."""
_STOPS_EARLY = re.compile(r"\bearly[ -]stopping at (?:step|epoch|iteration)\b.{0,40}\b(?:due to|because|max[ _]kl|target[ _]kl)", re.IGNORECASE)
"""Stable-Baselines3's PPO leaves the rest of an update's passes out so, and trains on: no progress of the run's."""
_WARNS = re.compile(r"\b[A-Z]\w{0,40}Warning: ")
"""A sentence by Python's warnings."""
_KEEPS = re.compile(r"\b(?:copied|saved|written|stored)\b", re.IGNORECASE)
_SETTING_UP = re.compile(_PREPARING.pattern.replace("|token|", "|tokeni|"), re.IGNORECASE)
_WRITER = re.compile(
    r"\s{0,4}(?:[\[(<{][^\[\](){}<>]{1,60}[\])}>][:>]?|[A-Za-z]{1,8}\d{1,6}>"
    r"|(?:rank|task|process|proc|worker|replica|fold|node)[ _#]?\d{1,6}\s?[:|>-])\s{1,3}(?=\S)",
    re.IGNORECASE,
)
"""Whose line it is, in words of the program's own: ``[rank 3] ``, ``(fold 1 pid 99) ``, ``r1> ``, ``task 2 | ``."""
_ELAPSED = re.compile(r"\s{0,9}\d{1,9}\.\d{1,6}\s?(?:s|ms|sec)?(?=\W)")
"""``[  12.34s] ``: a clock of the program's own, and nobody's name."""
_WRITERS_CELL = re.compile(r"\A(?!(?:ep?|epoch|step|it|iter|round|batch|run|fold)\d)[A-Za-z]{2,8}\d{1,4}(?:\t|\s?[|,;]\s?)(?=\S)", re.IGNORECASE)
"""The same as the first cell of a table's row."""
_TRACE = re.compile(r'\s{0,12}(?:File "|wandb: |at |Traceback|\^|~|#\d{1,4}\s{1,4}0x)')


@dataclass
class _Kind:
    """Lines of one template, or one table's rows."""

    sure: bool = False
    """Words of its own say that it is a loop's."""
    likely: bool = False
    """It names a metric, or a counter of loops beside a fraction."""
    behind: bool = False
    """It begins right behind a traceback."""
    rows: list[tuple[Line, Data]] = field(default_factory=list)


def counted(lines: Iterable[Line], taken: frozenset[int], when: Callable[[int], tuple[int, int] | None] = lambda _: None) -> list[Match]:
    """Lines of progress among ``lines``, in order of place.

    Args:
        lines: the ends of a log, cleaned.
        taken: offsets of lines that say something else already.
        when: when the byte at an offset arrived, where that is known: rows of bare numbers count only where they came one by one.
    """
    kinds: dict[str, _Kind] = {}
    table, growing, since = Table(), Growing(), AFTER_ERROR
    for line in lines:
        text, since = pointed(line.text), since + 1
        if text.startswith("Traceback (most recent call last)"):
            since = 0
        if not text or len(text) > MOST_LINE or line.offset in taken or _TRACE.match(text):
            continue
        if (row := table.row(_WRITERS_CELL.sub("", text, count=1))) is not None:
            key = f"table {table.number} of {row.columns}"
            kind = kinds.setdefault(key, _Kind(sure=table.named(row), behind=since < AFTER_ERROR))
            kind.rows.append((line, row.data))
        elif (data := _counting(text)) is not None or (data := _labelled(line)) is not None:
            kind = kinds.setdefault(f"{_ELAPSED.sub('', CLOCK.sub('', _writer(text)))} {_template(text)}", _Kind(behind=since < AFTER_ERROR))
            kind.sure = kind.sure or bool(data.pop("sure", False))
            kind.likely = kind.likely or bool(data.pop("likely", False))
            kind.rows.append((line, data))
            if "label" in data and since >= AFTER_ERROR:
                growing.take(line)  # srun's label it may be, after all: what follows it may grow
        elif since >= AFTER_ERROR and not _sets_up(text):
            growing.take(line)
    found = []
    for key, kind in kinds.items():
        if kind.behind and not kind.sure:  # a list in an error's message
            continue
        if kind.sure or (_told(kind.rows, when) if key.startswith("table ") else _grows(kind.rows, LEAST_LIKELY if kind.likely else LEAST_LINES)):
            found += kind.rows
    found = found or list(growing.rows(when))
    found.sort(key=lambda row: row[0].offset)
    return [
        Match("progress", Role.MARKER, line, PATTERN, data={k: v for k, v in data.items() if k not in {"sure", "likely", "label"}})
        for line, data in found
    ]


def _learns(text: str) -> bool:
    return LOWERED.search(text) is not None and not _KEEPS.search(text)


@lru_cache(maxsize=MOST_REMEMBERED)
def _sets_up(text: str) -> bool:
    """Whether a line is of what comes before the training."""
    if _learns(text):
        return False
    return _SETTING_UP.search(_WITH_METRIC.sub("", text) if _METRIC.search(text) else text) is not None


def _counting(text: str) -> Data | None:
    """What a line that counts says; ``sure`` where it names a metric beside its counter."""
    data = _read(text)
    return None if data is None else dict(data)


@lru_cache(maxsize=MOST_REMEMBERED)
def _read(text: str) -> Data | None:
    """The same: a log's ends may be read twice, and often say one thing again and again."""
    body = text[len(log_head(text)) :]
    if _STOPS_EARLY.search(body) or _WARNS.search(body):
        return None
    if body is not text and _COUNTER.search(body) is None and _COUNTER.match(text.lstrip()) is not None:
        body = text.lstrip()  # what looked like a logger's name was the counter's
    body = body[len(_writer(body)) :]
    found, word = _counter(body)
    at = count(found["at"]) if found is not None else None
    if found is None or at is None:
        return None
    if _PLURAL.search(word) and not found["planned"] and _SO_MANY.search(body[: found.start("word")].rstrip()):
        return None
    metric = _METRIC.search(body)
    about = _LABELS.sub("", body if body.lstrip().startswith("{") else _SETTINGS.sub("", body))
    others = [n for n in _NUMBER.finditer(body) if not found.start() <= n.start() < found.end()]
    told = [n for n in others if not _UNIT.match(body, n.end()) and re.search(r"[.eEn]", n[0])]
    beside = metric is not None or (bool(told) and len(word) > SHORT_WORD and (_STEPS.match(word) or _EPOCHS.match(word)))
    if _PREPARING.search(_WITH_METRIC.sub("", about) if beside else about) and not (_KNOWN.search(body) or _learns(body)):
        return None
    if metric is None and not told and (not word or word in _WEAK_WORDS):
        return None
    data = _counts(body, word, at, count(found["planned"]))
    loss = _LOSS.search(body) or (_TRAINED.search(body) if _ACCURACY.search(body) else None)
    value = number(loss["value"]) if loss else None
    if loss and value is not None and word != "trial":  # each trial is another model's
        data["eval_loss" if _OF_HELD_OUT.match(body[: loss.start()]) else "loss"] = value
        if loss.groupdict().get("distance") and math.isfinite(value):
            data["distance"] = True
    if metric is None and "step" in data:
        data["coarse"] = True  # a script counts its own steps so, too
    if metric is not None and word not in _WEAK_WORDS and (found["planned"] or (word and not _PLURAL.search(word) and _judged(body))):
        data["sure"] = True
    if metric is not None or (told and word and word not in _WEAK_WORDS):
        data["likely"] = True
    return data


def _judged(body: str) -> bool:
    """Whether a line names a metric that is no mere learning rate, as a line of settings has it."""
    return any(_RATE_WORD.match(found[0]) is None for found in _METRIC.finditer(body))


def _writer(text: str) -> str:
    """What names the writer at a line's beginning, where a counter with a word follows."""
    found = _WRITER.match(text)
    return found[0] if found is not None and _COUNTER.match(text, found.end()) else ""


def _labelled(line: Line) -> Data | None:
    """A counter that looks like srun's label (``12: learn: 0.31``, as CatBoost prints it): sure as no other, so its kind may count up only."""
    data = _counting(f"{line.speaker.task}: {line.text}") if line.speaker.task is not None else None
    return None if data is None or data.get("sure") else {**data, "label": True}


def _counter(body: str) -> tuple[re.Match[str] | None, str]:
    """The counter, and its word (empty: it has none)."""
    if (titled := _TITLED.search(body)) is not None:
        return titled, titled["word"].lower()
    found = _COUNTER.search(body)
    if found is not None and found["word"].lower() in _WEAK_WORDS:  # a clock it may be, where a word for steps follows
        found = next((one for one in _COUNTER.finditer(body, found.end()) if one["word"].lower() not in _WEAK_WORDS), found)
    word = found["word"].lower() if found else ""
    if found is None or (word in _WEAK_WORDS and (found.start() > 3 or body[found.start("word") + len(word)].isdigit())):
        found, word = _LEADING.match(body) or _SLASHED.search(body), ""
    if (named := _COUNTED.search(body)) is not None:
        found, word = named, "epoch" if named["epoch"] else "step"
    if found is None and _METRIC.search(body):
        found = _REVERSED.search(body)
    return found, word


def _counts(body: str, word: str, at: int, planned: int | None) -> Data:
    """Epochs with the step within, where both are told; else a step."""
    if (both := epoch_and_step(body)) is not None:
        return {**both}
    data: Data = {}
    inner = _INNER.search(body)
    if _EPOCHS.match(word) or (inner and _PASSES.match(word)):
        data["epoch"] = float(at)
        if planned:
            data["epochs"] = planned
        if inner:
            data["step"] = int(inner[1])
            if inner[2]:
                data["planned"] = int(inner[2])
        return data
    data["step"] = at
    if planned:
        data["planned"] = planned
    if not _STEPS.match(word):
        data["coarse"] = True
    return data


def _template(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"(?:[-+]?\d[\d.,:_]*(?:e[-+]?\d+)?|\bnan\b|\binf(?:inity)?\b)[.,:_]*", "#", text, flags=re.IGNORECASE)).strip()


def _grows(rows: list[tuple[Line, Data]], least: int) -> bool:
    """Whether the counter goes up from line to line (it may begin anew with each epoch), and the lines are not one list's at a fixed number."""
    counters = [at for _, data in rows if (at := _place(data)) is not None]
    ups = sum(after > before for before, after in pairwise(counters))
    if any("label" in data for _, data in rows) and ups < len(rows) - 1:
        return False
    if len(counters) >= least and ups >= max(least - 1, 0.7 * (len(counters) - 1)):
        return True
    level = sum(after >= before for before, after in pairwise(counters))  # several writers count in one log, each on its own
    return len(set(counters)) >= LEAST_ROWS and counters[-1] > counters[0] and ups >= LEAST_LINES and level >= 0.7 * (len(counters) - 1)


def _place(data: Data) -> tuple[float, float] | None:
    """Where a line stands in the run: by its epoch and the step in it, or by one of them."""
    epoch, step = data.get("epoch"), data.get("step")
    if isinstance(step, (int, float)):
        return (float(epoch) if isinstance(epoch, (int, float)) else 0.0, float(step))
    return (float(epoch), 0.0) if isinstance(epoch, (int, float)) else None


def _told(rows: list[tuple[Line, Data]], when: Callable[[int], tuple[int, int] | None]) -> bool:
    """Whether rows without a header are a loop's: their first column grows, or they came at different times, one by one."""
    known = [time[0] for line, _ in rows if (time := when(line.offset)) is not None]
    apart = len(set(known)) >= max(3, len(known) // 4)
    if any("step" in data for _, data in rows):
        return _grows(rows, LEAST_ROWS) and (apart or len(known) < LEAST_ROWS)
    return len(rows) >= LEAST_ROWS and len(known) >= LEAST_ROWS and apart
