"""The first and the last bytes of a log, kept while it is read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from gpualert_slurm.classifier.lines import Line, clean, flat

HEAD_BYTES, TAIL_BYTES = 128 * 1024, 64 * 1024


class Ends:
    """The first and the last bytes of a log while it is read."""

    def __init__(self) -> None:
        self._head: list[tuple[int, int, bytes]] = []
        self._tail: deque[tuple[int, int, bytes]] = deque(maxlen=2)
        self._had = 0

    def take(self, offset: int, line: int, data: bytes) -> None:
        """The next piece of whole lines: where it begins, the number of its first line, its bytes."""
        if self._had < HEAD_BYTES:
            cut = data[: HEAD_BYTES - self._had]
            cut = cut if len(cut) == len(data) else cut[: cut.rfind(b"\n") + 1]
            self._head.append((offset, line, cut))
            self._had += max(1, len(cut))
            if len(cut) == len(data):
                return
        self._tail.append((offset, line, data))

    def lines(self, size: int) -> Iterator[Line]:
        """Both ends' lines, each once, of a log of ``size`` bytes."""
        after = 0
        for offset, first, data in (*self._head, *self._tail):
            at, number, smooth = offset, first, flat(data)
            late = offset >= after and (offset, first, data) in self._tail
            begin = max(after, size - TAIL_BYTES) if late or at < after else at
            for raw in smooth.split(b"\n"):
                if raw and at >= begin:
                    yield clean(raw, at, number)
                end = at - offset + len(raw)
                number += data[end : end + 1] == b"\n"
                at += len(raw) + 1
            after = max(after, at - 1)

    def last(self, size: int, most: int) -> list[Line]:
        """The whole lines in the last ``most`` bytes of a log of ``size`` bytes."""
        found: list[Line] = []
        for offset, first, data in list(self._tail)[-1:] or self._head[-1:]:
            begin = max(0, size - most - offset)
            begin = data.find(b"\n", begin) + 1 if begin else 0
            at, number = begin, first + data.count(b"\n", 0, begin)
            for raw in flat(data[begin:]).split(b"\n"):
                if raw:
                    found.append(clean(raw, offset + at, number))
                number += data[at + len(raw) : at + len(raw) + 1] == b"\n"
                at += len(raw) + 1
        return found
