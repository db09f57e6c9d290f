"""Which lines of a block are worth trying which patterns on: with ``bytes.find`` alone, where there is no Hyperscan (``hyper.py``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from gpualert_slurm.classifier.expression import NotDerivableError, expression
from gpualert_slurm.classifier.lines import bounds
from gpualert_slurm.classifier.needles import best, words

Nomination = tuple[int, int, int]
"""Start and end of a line in its block, and the patterns worth trying, as bits by their numbers."""


class Nominator(Protocol):
    """Names lines of flat, bare data (every line end a newline, no colours, no NULs). It may name too much, never too little."""

    def lines(self, data: bytes) -> list[Nomination]:
        """The nominated lines in order."""


TYPICAL = b"""2026-11-20 16:30:00,123 INFO some.module.name: processing batch of 128 samples from shard with id 000123 and other words
[2026-11-20 16:30:00] step 100/100000 | epoch 3/10 | loss 2.3456 | lr 1.0e-04 | grad_norm 1.23 | tokens/s 12345.6 | time 0.123 s | mem 40.1GB
Epoch 1: 100%|##########| 100/100 [00:10<00:00, 9.95it/s, loss=2.31, accuracy=0.51, v_num=0] {'loss': 2.3, 'learning_rate': 5e-05, 'epoch': 0.01}
 iteration       10/  500000 | consumed samples: 2560 | elapsed time per iteration (ms): 1234.5 | number of skipped iterations: 0
DEBUG worker 3 on node gpu-12 received tensor of shape [32, 1024, 768] dtype=torch.float32 device=cuda:0 path=/home/user/data/train
GET /v1/status HTTP/1.1 200 OK - validation finished, evaluating model on test set, writing metrics to file, best so far is 0.912
Downloading and preparing the dataset, using cached version of the tokenizer, number of parameters: 124,439,808 trainable
running with distributed training at epoch 12, continuing; the current state of this model is not different from what it should be
"""
"""Everyday lines: a gateway should not stand in them. Only speed depends on it."""
GATEWAY_BYTES = range(4, 9)


class Plain:
    """Looks for words that must stand where a pattern matches.

    They are the pattern's declared literals where it can be told from the regex that one of them always stands there, else words derived
    from the regex; a regex that has none (ignored case, say) is swept over the block. A word that contains another one is dropped in its
    favour. A block is searched for a few *gateways*, short pieces such that every word holds one; words are looked for on those lines only.
    """

    def __init__(self, regexes: Sequence[str], literals: Sequence[Sequence[str]]) -> None:
        needles = [needed(regex, several) for regex, several in zip(regexes, literals, strict=True)]
        every = {word.encode() for several in needles for word in several}
        self.words = sorted(word for word in every if not any(other != word and other in word for other in every))
        owners = dict.fromkeys(self.words, 0)
        for number, several in enumerate(needles):
            for needle in several:
                for word in self.words:
                    if word in needle.encode():
                        owners[word] |= 1 << number
        self.gateways = [(gate, [(word, owners[word]) for word in self.words if gate in word]) for gate in gateways(self.words)]
        self.sweeps = [(_sweep(regex), 1 << number) for number, regex in enumerate(regexes) if not needles[number]]

    def lines(self, data: bytes) -> list[Nomination]:
        """The nominated lines of ``data`` in order."""
        found: dict[int, tuple[int, int]] = {}
        find, rfind, length = data.find, data.rfind, len(data)
        for gate, several in self.gateways:
            at = find(gate)
            while at >= 0:
                start = rfind(b"\n", 0, at) + 1
                end = find(b"\n", at)
                end = length if end < 0 else end
                mask = 0
                for word, owners in several:
                    if find(word, start, end) >= 0:
                        mask |= owners
                if mask:
                    found[start] = (end, mask | found.get(start, (0, 0))[1])
                at = find(gate, end)
        for regex, mask in self.sweeps:
            for hit in regex.finditer(data):
                start, end = bounds(data, hit.start() + (data[hit.start() : hit.start() + 1] == b"\n"))
                found[start] = (end, mask | found.get(start, (0, 0))[1])
        return [(start, *found[start]) for start in sorted(found)]


def needed(regex: str, literals: Sequence[str]) -> tuple[str, ...]:
    """Words of which one stands in every line that ``regex`` matches; none when it cannot be told from the regex."""
    sets = words(regex)
    if any(all(any(literal in word for literal in literals) for word in one) for one in sets):
        return tuple(literals)
    return tuple(sorted(best(sets)))


def _sweep(regex: str) -> re.Pattern[bytes]:
    try:
        return re.compile(b"(?m)" + expression(regex).encode("latin-1"))
    except NotDerivableError:
        return re.compile(rb"[^\n]+")


def gateways(every: Sequence[bytes]) -> list[bytes]:
    """Few short pieces such that every word holds at least one, none of which everyday lines hold (where that can be)."""
    left = set(every)
    chosen: list[bytes] = []
    pieces: dict[bytes, set[bytes]] = {}
    for word in every:
        own = {word[i : i + n] for n in GATEWAY_BYTES for i in range(len(word) - n + 1)}
        quiet = {piece for piece in own if piece not in TYPICAL}
        for piece in quiet or {word}:
            pieces.setdefault(piece, set()).add(word)
    while left:
        best_piece = max(pieces, key=lambda piece: (len(pieces[piece] & left), len(piece), piece))
        chosen.append(best_piece)
        left -= pieces[best_piece]
    return chosen
