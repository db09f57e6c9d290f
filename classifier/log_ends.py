"""The first and the last bytes of a log, kept while it is read."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from gpualert_slurm.classifier.lines import Line, clean, flat

HEAD_BYTES, TAIL_BYTES = 128 * 1024, 64 * 1024


class Ends:
    """The first and the last bytes of a log while it is read."""

    def __init__(self) -> None:
        self._head: list[tuple[int, int, bytes]] = []
        self._tail: deque[tuple[int, int, bytes]] = deque()
        self._had = self._kept = 0

    def take(self, offset: int, line: int, data: bytes) -> None:
        """The next piece of whole lines: where it begins, the number of its first line, its bytes."""
        if self._had < HEAD_BYTES:
            room = HEAD_BYTES - self._had
            if len(data) <= room:
                self._head.append((offset, line, data))
                self._had += max(1, len(data))
                return
            if cut := data[: data.rfind(b"\n", 0, room) + 1]:
                self._head.append((offset, line, cut))
            self._had = HEAD_BYTES  # no later piece belongs to the head, however small it is
        self._tail.append((offset, line, data))
        self._kept += len(data)
        while self._kept - len(self._tail[0][2]) >= TAIL_BYTES:
            self._kept -= len(self._tail.popleft()[2])

    def lines(self, size: int, hint: re.Pattern[bytes] | None = None) -> Iterator[Line]:
        """Both ends' lines, each once, of a log of ``size`` bytes; with ``hint`` only those in which it is found."""
        after = 0
        for offset, first, data in (*self._head, *self._tail):
            at, number, smooth = offset, first, flat(data)
            late = offset >= after and (offset, first, data) in self._tail
            begin = max(after, size - TAIL_BYTES) if late or at < after else at
            for raw in smooth.split(b"\n"):
                if raw and at >= begin and (hint is None or hint.search(raw)):
                    yield clean(raw, at, number)
                end = at - offset + len(raw)
                number += data[end : end + 1] == b"\n"
                at += len(raw) + 1
            after = max(after, at - 1)

    def first(self, most: int, hint: re.Pattern[bytes]) -> Iterator[Line]:
        """The whole lines in the first ``most`` bytes in which ``hint`` is found."""
        for offset, first, data in self._head:
            if offset >= most or hint.search(data, 0, most - offset) is None:
                continue
            at, number, smooth = 0, first, flat(data[: data.rfind(b"\n", 0, most - offset) + 1])
            for raw in smooth.split(b"\n"):
                if raw and hint.search(raw):
                    yield clean(raw, offset + at, number)
                number += data[at + len(raw) : at + len(raw) + 1] == b"\n"
                at += len(raw) + 1

    def last(self, size: int, most: int) -> list[Line]:
        """The whole lines in the last ``most`` bytes of a log of ``size`` bytes."""
        found: list[Line] = []
        late = self._tail[0][0] if self._tail else size
        for offset, first, data in (*(piece for piece in self._head if piece[0] < late), *self._tail):
            begin = max(0, size - most - offset)
            if begin >= len(data):
                continue
            begin = data.find(b"\n", begin - 1) + 1 if begin else 0
            at, number = begin, first + data.count(b"\n", 0, begin)
            for raw in flat(data[begin:]).split(b"\n"):
                if raw:
                    found.append(clean(raw, offset + at, number))
                number += data[at + len(raw) : at + len(raw) + 1] == b"\n"
                at += len(raw) + 1
        return found
