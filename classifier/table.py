"""Tables that a loop prints row by row: under a header that names what it counts or lowers, or without one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpualert_slurm.classifier.numbers import NUMBER, count, number
from gpualert_slurm.classifier.pattern import Data
from gpualert_slurm.classifier.tongues import BATCHES, EPOCHS, LOSSES, PASSES, STEPS

LOSS_WORDS = (
    rf"loss_(?:total|sum|all|avg|mean|overall|train)|loss|mse|squared error|sse|nll|bce|cross[_ -]?entropy|xent|cost|objective|logloss|crossent|xe"
    rf"|nelbo|-elbo"
    rf"|neg(?:ative)?[ _]elbo|ctc|ce|obj|criterion|(?:info[_-]?)?nce|contrastive|triplet|hinge|huber|focal|kld|{LOSSES}"
)
"""What training lowers, by the names that loops give it."""
DISTANCES = r"rmsle|rmse|mae|mape|l1|l2|(?:m|multi_|binary_)?logloss"
"""What a booster lowers, too, where it says that it is of the training data (XGBoost's ``train-rmse``)."""
METRIC_WORDS = (
    rf"{LOSS_WORDS}|rmse|mae|mape|r2|l1|l2|err(?:or)?|acc(?:uracy)?|auc|f1|ppl|perplexity|bleu|reward|return|score|elbo|kl|lr|learning[ _]rate"
    r"|g(?:rad(?:ient)?)?[ _]?norm|likelihood|ll|energy|residual|mAP|iou|dice|bpc|wer|brier"
)
CARD_TIMED = r"gpu(?!\s?[:=]?\s?\d+\.\d+\s?m?s\b)"
"""A card as something of the machine: ``gpu 1.18s`` is the time a step took on it."""
_NO_ROW = re.compile(r"[^\s\d.,;:|+\-eEnaifNIF%()\[\]\t│┃]")
_CELL = re.compile(r"[\s,;|│┃\t]+")
_STEPS = re.compile(
    r"#?(?:epochs?|ep|(?:global[_ ]?|train[_ ]?)?steps?|iter(?:ation)?s?|it|batch|rounds?|updates?|n_?iter|episode|gen(?:eration)?"
    rf"|pass(?:es)?|sweeps?|cycles?|#|i|{EPOCHS}|{STEPS}|{PASSES}|{BATCHES})\Z",
    re.IGNORECASE,
)
_WHOLE = re.compile(rf"(?:ep|pass|sweep|cycle)|(?:{EPOCHS}|{PASSES})\Z", re.IGNORECASE)
"""What counts whole passes over the data."""
_HEADS = re.compile(
    rf"(?:[\w@-]{{1,16}}[ _/.-])?(?:{LOSS_WORDS}|rmse|mae|l1|l2|err(?:or)?|acc(?:uracy)?|lr|grad_?norm|reward|score|ppl|auc|f1)\Z", re.IGNORECASE
)
_LOSS_HEAD = re.compile(rf"(?!val|test|eval|dev)(?:[\w@-]{{1,16}}[ _/.-])?(?:{LOSS_WORDS})\Z", re.IGNORECASE)
_VALUE = re.compile(rf"[\[(]?({NUMBER})(?:/\d{{1,12}}|[A-Za-z%]{{1,4}})?[:)\]]?\Z")
_CLOCK_CELL = re.compile(
    r"\A[\s\[(|│┃]{0,4}(?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:\d\d(?::\d\d(?:\.\d{1,6}|,\d{1,6}(?![\d,]))?)?Z?[\])]?(?:\s?[,;|│┃\t]\s?|\s{1,16}(?=[\w#]))"
)
_TIMES = re.compile(r"time(?:stamp)?|ts|date(?:time)?|clock|wall(?:_?time)?|(?:uhr)?zeit|heure|hora|ora|asctime", re.IGNORECASE)
"""A first column of times of day, and its name."""
_NAME = re.compile(r"[A-Za-z#_][\w./@()# -]{0,30}")


@dataclass(frozen=True)
class Row:
    """One row: how many cells, and what they say."""

    columns: int
    data: Data


class Table:
    """Reads rows of numbers, under a header where there is one."""

    def __init__(self) -> None:
        self.number = 0
        self._heads: list[list[str]] = []
        self._before: list[str] = []
        """The cells of the line before, where it was no row: an unknown header's, it may be."""
        self._foreign = False

    def row(self, text: str) -> Row | None:
        """The row, or None; a header is remembered."""
        text = _CLOCK_CELL.sub("", text, count=1)
        cells = [c for c in _CELL.split(text.strip(" |│┃\t,;")) if c]
        if not 2 <= len(cells) <= 24:
            self._before = []
            return None
        named = next((head for head in self._heads if len(head) == len(cells)), [])
        values = [_value(c) for c in cells] if named or not _NO_ROW.search(text) else []
        if not values or (values.count(None) > (len(cells) // 3 if named else 0)) or values[0] is None:
            self._maybe_head(text, cells)
            return None
        if named:
            return Row(len(cells), _named(named, cells, values))
        if self._before:
            self._foreign = len(self._before) in (len(cells), len(cells) - 1) and all(c[0].isalpha() for c in self._before)
            self._before = []
        first = count(cells[0].rstrip(":)]").lstrip("[("))
        if not any(re.search(r"[.eEn]", c) for c in cells):
            return None
        return Row(len(cells), {"step": first, "coarse": True} if first is not None and not self._foreign else {})

    def _maybe_head(self, text: str, cells: list[str]) -> None:
        self._before = cells
        wide = [c.strip() for c in re.split(r"\s{2,}|[,;|│┃\t]", text.strip(" |│┃\t,;")) if c.strip()]
        ways = [h[1:] if _TIMES.fullmatch(h[0]) else h for h in (cells, wide) if h]
        heads = [h for h in ways if sum(bool(_STEPS.match(c) or _HEADS.match(c)) for c in h) >= 2 and all(_NAME.fullmatch(c) for c in h)]
        if heads:
            self._heads, self.number = heads, self.number + 1

    def named(self, row: Row) -> bool:
        """Whether the header names what a loop counts or lowers."""
        return any(len(head) == row.columns for head in self._heads) and bool(row.data)


def _value(cell: str) -> float | None:
    found = _VALUE.match(cell)
    return number(found[1]) if found else None


def _named(names: list[str], cells: list[str], values: list[float | None]) -> Data:
    """What the cells under a header's names say."""
    data: Data = {}
    for name, cell, value in zip(names, cells, values, strict=True):
        if value is None:
            continue
        if _LOSS_HEAD.match(name):
            data.setdefault("loss", value)
        elif _STEPS.match(name) and (at := count(cell.split("/")[0])) is not None:
            whole = _WHOLE.match(name) is not None
            data.setdefault("epoch" if whole else "step", float(at) if whole else at)
            if name.lower().startswith("gen"):
                data["coarse"] = True  # a whole population is tried in each
    return data
