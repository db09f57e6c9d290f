"""Tables that tell of ranks, as lines that name them: a column for each rank, or a row with the rank in one of its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

LEAST_RANKS, MOST_CELLS = 3, 64
_RANK = re.compile(r"(?:r|rank|gpu|node|host|proc|w)[ _#-]?(\d{1,3})(?:_(?:s|ms|sec|time))?", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_][\w#-]*")
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,9}(?:\.\d{1,9})?(?![\w.])")
_PART = re.compile(r"\s?[,;\t|]\s?")


def of_columns(lines: Sequence[str]) -> list[str]:
    """Rows under a head that names each rank (``steps | r0 r1 r2 | loss``), each as ``rank 0: 389.4 rank 1: …``; empty without such a head."""
    found, names, first, title = list[str](), list[str](), -1, ""
    for line in lines:
        words = _WORD.findall(line)
        ranks = [at for at, word in enumerate(words) if _RANK.fullmatch(word)]
        numbers = _NUMBER.findall(line)
        if len(ranks) >= LEAST_RANKS and not numbers and _numbers(words, ranks) == list(range(len(ranks))):
            names, first = words, ranks[0]
        elif names and len(numbers) == len(names):
            many = sum(1 for word in names[first:] if _RANK.fullmatch(word))
            values = " ".join(f"rank {rank}: {value}" for rank, value in enumerate(numbers[first : first + many]))
            found.append(f"{title} {values}")
        elif not names and not numbers and line.strip():
            title = line.strip()[:120]
    return found


def _numbers(words: Sequence[str], places: Sequence[int]) -> list[int]:
    return [int(found[1]) for at in places if (found := _RANK.fullmatch(words[at])) is not None]


def of_rows(lines: Iterable[str]) -> Iterator[str]:
    """The lines; rows under a head of cells of which one is ``rank`` as ``rank 0 step=50 compute_ms=59.3``."""
    head: list[str] = []
    for line in lines:
        cells = _PART.split(line.strip())
        if 1 < len(cells) <= MOST_CELLS and "rank" in (low := [cell.strip().lower() for cell in cells]) and not any(c.isdigit() for c in line):
            head = low
        elif head and len(cells) == len(head) and cells[head.index("rank")].strip().isdigit():
            rank = cells[head.index("rank")].strip()
            yield f"rank {rank} " + " ".join(f"{name}={cell.strip()}" for name, cell in zip(head, cells, strict=True) if name != "rank")
            continue
        yield line
