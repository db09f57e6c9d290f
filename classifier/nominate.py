"""The cheap half of matching: which lines of a block hold a literal of which pattern."""

from __future__ import annotations

from collections.abc import Sequence

Nomination = tuple[int, int, set[int]]
"""Start and end of a line in its block, and the numbers of the patterns worth trying."""

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


class Nominator:
    """Finds, with ``bytes.find`` alone, the lines on which patterns are worth trying.

    ``literals[i]`` are the literals of pattern ``i``. A literal that contains another one is dropped in its favour. A block is
    searched for a few *gateways*, short pieces such that every word holds one; the words are looked for on those lines only.
    """

    def __init__(self, literals: Sequence[Sequence[str]]) -> None:
        every = {literal.encode() for several in literals for literal in several}
        self.words = sorted(word for word in every if not any(other != word and other in word for other in every))
        owners: dict[bytes, set[int]] = {word: set() for word in self.words}
        for number, several in enumerate(literals):
            for literal in several:
                for word in self.words:
                    if word in literal.encode():
                        owners[word].add(number)
        self.gateways = [(gate, [(word, frozenset(owners[word])) for word in self.words if gate in word]) for gate in gateways(self.words)]

    def lines(self, data: bytes) -> list[Nomination]:
        """The nominated lines of ``data`` in order."""
        marks = tuple(mark for mark in (b"\r", b"\b") if mark in data)
        found: dict[int, Nomination] = {}
        ends: dict[int, int] = {}
        find, rfind, length = data.find, data.rfind, len(data)
        for gate, words in self.gateways:
            at = find(gate)
            while at >= 0:
                start = rfind(b"\n", 0, at) + 1
                for mark in marks:
                    start = max(start, rfind(mark, start, at) + 1)
                end = ends.get(start, -1)
                if end < 0:
                    end = find(b"\n", at)
                    end = length if end < 0 else end
                    for mark in marks:
                        cut = find(mark, at, end)
                        end = cut if cut >= 0 else end
                    ends[start] = end
                for word, owners in words:
                    if find(word, start, end) >= 0:
                        known = found.get(start)
                        if known is None:
                            found[start] = (start, end, set(owners))
                        else:
                            known[2].update(owners)
                at = find(gate, end)
        return [found[start] for start in sorted(found)]


def gateways(words: Sequence[bytes]) -> list[bytes]:
    """Few short pieces such that every word holds at least one, none of which everyday lines hold (where that can be)."""
    left = set(words)
    chosen: list[bytes] = []
    pieces: dict[bytes, set[bytes]] = {}
    for word in words:
        own = {word[i : i + n] for n in GATEWAY_BYTES for i in range(len(word) - n + 1)}
        quiet = {piece for piece in own if piece not in TYPICAL}
        for piece in quiet or {word}:
            pieces.setdefault(piece, set()).add(word)
    while left:
        best = max(pieces, key=lambda piece: (len(pieces[piece] & left), len(piece), piece))
        chosen.append(best)
        left -= pieces[best]
    return chosen
