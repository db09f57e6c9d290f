"""Words that must stand verbatim wherever a pattern matches: what the plain nominator looks for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpualert_slurm.classifier.regex_tree import REPEATS, Node, Value, nodes, tree

_MAX_RUNS = 64
_MAX_TIMES = 3


def words(pattern: str) -> tuple[frozenset[str], ...]:
    """Sets of words: of each set, at least one word stands verbatim in every line that ``pattern`` matches. Empty when none can be told."""
    whole, flags = tree(pattern)
    return () if flags & re.IGNORECASE else tuple(_Runs().read(whole))


class _Runs:
    """Literal runs of a sequence, with small choices multiplied out: each finished set is one that every match has a word of."""

    def __init__(self) -> None:
        self.now: set[str] = {""}
        self.done: list[frozenset[str]] = []

    def read(self, pieces: Iterable[Node]) -> list[frozenset[str]]:
        for kind, value in pieces:
            self._node(kind, value)
        self._flush()
        return self.done

    def _flush(self) -> None:
        if self.now and "" not in self.now:
            self.done.append(frozenset(self.now))
        self.now = {""}

    def _times(self, tails: Iterable[str]) -> None:
        several = list(tails)
        if len(self.now) * len(several) > _MAX_RUNS:
            self._flush()
        if len(several) > _MAX_RUNS:
            return
        self.now = {head + tail for head in self.now for tail in several}

    def _node(self, kind: str, value: Value) -> None:
        if kind == "LITERAL":
            self._times([chr(value)])
        elif kind == "IN" and all(str(item) == "LITERAL" for item, _ in value):
            self._times([chr(code) for _, code in value])
        elif kind in {"SUBPATTERN", "ATOMIC_GROUP"}:
            for inner in nodes(value[3] if kind == "SUBPATTERN" else value):
                self._node(*inner)
        elif kind == "BRANCH":
            self._branch([nodes(branch) for branch in value[1]])
        elif kind in REPEATS and value[0] >= 1:
            for inner in nodes(value[2]) * min(value[0], _MAX_TIMES):
                self._node(*inner)
            self._flush()
        elif kind in REPEATS and value[1] == 1 and (fixed := _fixed(nodes(value[2]))) is not None:
            self._times(["", *fixed])
        elif kind not in {"AT", "ASSERT", "ASSERT_NOT"}:
            self._flush()

    def _branch(self, branches: list[list[Node]]) -> None:
        fixed = [_fixed(branch) for branch in branches]
        if all(one is not None for one in fixed):
            self._times(sorted({text for one in fixed for text in one or ()}))
            return
        self._flush()
        each = [best(_Runs().read(branch)) for branch in branches]
        if all(each):
            self.done.append(frozenset(word for one in each for word in one))


def _fixed(pieces: list[Node]) -> list[str] | None:
    """The few texts that ``pieces`` can match; None when there are many."""
    texts = [""]
    for kind, value in pieces:
        if kind == "LITERAL":
            tails: list[str] | None = [chr(value)]
        elif kind == "IN" and all(str(item) == "LITERAL" for item, _ in value):
            tails = [chr(code) for _, code in value]
        elif kind == "SUBPATTERN":
            tails = _fixed(nodes(value[3]))
        elif kind == "BRANCH":
            several = [_fixed(nodes(branch)) for branch in value[1]]
            tails = None if any(one is None for one in several) else [text for one in several for text in one or ()]
        elif kind in REPEATS and value[:2] == (0, 1):
            inner = _fixed(nodes(value[2]))
            tails = None if inner is None else ["", *inner]
        else:
            return None
        if tails is None or len(texts) * len(tails) > _MAX_RUNS:
            return None
        texts = [head + tail for head in texts for tail in tails]
    return texts


def best(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """The set whose shortest word is longest (then: the fewest words): the quietest filter."""
    return max(sets, key=lambda one: (min(map(len, one)), -len(one)), default=frozenset())
