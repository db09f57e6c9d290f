"""Figures: precision, recall and F1 by class, their mean, who is taken for whom, ranks, citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpus.case import Case
from corpus.score.answer import Answer

NONE = "–"
Scored = Sequence[tuple[Case, Answer]]


@dataclass(frozen=True)
class ClassScore:
    """Of one class: ``support`` true ones, ``found`` said ones, ``right`` both."""

    name: str
    support: int
    found: int
    right: int

    @property
    def precision(self) -> float | None:
        """None where nothing was said to be of this class."""
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """None where there is none."""
        return self.right / self.support if self.support else None

    @property
    def f1(self) -> float:
        """2 right / (support + found); 0 where neither is there."""
        return 2 * self.right / (self.support + self.found) if self.support + self.found else 0.0


def by_class(scored: Scored, key: str) -> list[ClassScore]:
    """Of each value of ``mode`` or ``cause`` that a label has, by name. What only a classifier says has no row of its own: it costs others' recall."""
    truth: Counter[str] = Counter()
    found: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for case, answer in scored:
        true, said = getattr(case.label, key), getattr(answer, key)
        truth[true or NONE] += 1
        found[said or NONE] += 1
        right[true or NONE] += true == said
    return [ClassScore(name, truth[name], found[name], right[name]) for name in sorted(truth) if name != NONE]


def macro_f1(scores: Sequence[ClassScore]) -> float:
    """The mean of F1 over the classes that occur."""
    return sum(s.f1 for s in scores) / len(scores) if scores else 0.0


def share(scored: Scored, right: Callable[[Case, Answer], bool], asked: Callable[[Case], bool] = lambda _: True) -> tuple[int, int]:
    """(right, asked)."""
    mine = [(c, a) for c, a in scored if asked(c)]
    return sum(right(c, a) for c, a in mine), len(mine)


def confusion(scored: Scored, key: str = "mode") -> Counter[tuple[str, str]]:
    """(true, said) → how many."""
    return Counter((getattr(c.label, key) or NONE, getattr(a, key) or NONE) for c, a in scored)


def false_alarms(scored: Scored) -> list[tuple[Case, Answer]]:
    """Good runs that were called anything but good."""
    return [(c, a) for c, a in scored if c.label.healthy and a.mode != "G1"]


def first_rank(scored: Scored) -> Counter[str]:
    """``right``: exactly the first ranks; ``tie``: they are among those said to have failed together; ``wrong``; ``silent``: nothing said."""
    counted: Counter[str] = Counter()
    for case, answer in scored:
        truth, said = set(case.label.first_ranks), set(answer.first_ranks)
        if truth:
            counted["silent" if not said else "right" if said == truth else "tie" if truth < said else "wrong"] += 1
    return counted


def costliest(scored: Scored, key: str, most: int = 8) -> list[tuple[str, str, int]]:
    """The confusions that cost most, by number."""
    wrong = Counter({pair: n for pair, n in confusion(scored, key).items() if pair[0] != pair[1]})
    return [(true, said, n) for (true, said), n in wrong.most_common(most)]
