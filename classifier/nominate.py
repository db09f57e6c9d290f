"""The cheap half of matching: which lines of a block hold a literal of which pattern."""

from __future__ import annotations

from collections.abc import Sequence

from gpualert_slurm.classifier.lines import bounds

Nomination = tuple[int, int, set[int]]
"""Start and end of a line in its block, and the numbers of the patterns worth trying."""


class Nominator:
    """Finds, with ``bytes.find`` alone, the lines on which patterns are worth trying.

    ``literals[i]`` are the literals of pattern ``i``. A literal that contains another one is dropped in its favour, so that
    each block is searched for few words.
    """

    def __init__(self, literals: Sequence[Sequence[str]]) -> None:
        every = {literal.encode() for several in literals for literal in several}
        self.words = sorted(word for word in every if not any(other != word and other in word for other in every))
        self.patterns: list[set[int]] = [set() for _ in self.words]
        for number, several in enumerate(literals):
            for literal in several:
                for index, word in enumerate(self.words):
                    if word in literal.encode():
                        self.patterns[index].add(number)

    def lines(self, data: bytes) -> list[Nomination]:
        """The nominated lines of ``data`` in order; each word nominates a line once, however often it stands there."""
        found: dict[int, Nomination] = {}
        for word, patterns in zip(self.words, self.patterns, strict=False):
            at = data.find(word)
            while at >= 0:
                start, end = bounds(data, at)
                known = found.get(start)
                if known is None:
                    found[start] = (start, end, set(patterns))
                else:
                    known[2].update(patterns)
                at = data.find(word, end)
        return [found[start] for start in sorted(found)]
