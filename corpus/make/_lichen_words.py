"""What the lab's jobs have in common beside the job itself: curves, tracebacks, dates, bars, labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime, timezone

from corpus.label import Label
from corpus.make._lichen_kit import Lab
from corpus.running.hand import Hand


def decay(first: float, last: float, over: float, rough: float = 0.012, seed: int = 0) -> Callable[[int], float]:
    """From ``first`` towards ``last``, fast and then slowly, with the noise of small batches."""
    return lambda i: (
        last
        + (first - last) * (0.65 * math.exp(-i / over) + 0.35 * math.exp(-i / (5 * over)))
        + rough * last * math.sin(i * 12.9898 + seed) * math.cos(i * 4.1)
    )


def tb(*frames: tuple[str, int, str, str], end: str) -> str:
    """A traceback, its last line ``end``."""
    return "\n".join(
        ["Traceback (most recent call last):", *(f'  File "{file}", line {line}, in {name}\n    {code}' for file, line, name, code in frames), end]
    )


def on(day: str) -> int:
    """Nanoseconds of a day and hour (UTC)."""
    return int(datetime.strptime(day, "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc).timestamp()) * 10**9


Job = tuple[Label, Hand]
Writer = Callable[[], Job]


def shelf() -> tuple[list[Writer], Callable[[Writer], Writer]]:
    """A list, and what puts a writer of a job on it."""
    kept: list[Writer] = []

    def case(writer: Writer) -> Writer:
        kept.append(writer)
        return writer

    return kept, case


def bad(
    lab: Lab,
    mode: str,
    cause: str | None = None,
    *,
    fault: str = "user",
    variant: str | None = None,
    first: Sequence[int] = (),
    failed: Sequence[int] = (),
    trigger: str | None = None,
) -> Job:
    """A job that went wrong."""
    return Label(mode=mode, cause=cause, fault=fault, variant=variant, first_ranks=tuple(first), failed_ranks=tuple(failed), trigger=trigger), lab


def fine(lab: Lab, hard: bool = False) -> Job:
    """A job that went well."""
    return Label(mode="G1", fault="none", hard=hard), lab


def bar(done: int, of: int, width: int = 10) -> str:
    """The middle of a progress bar."""
    return ("█" * (done * width // of)).ljust(width)


def hms(seconds: float) -> str:
    """1:02:03, or 02:03."""
    s = int(seconds)
    return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60:02d}:{s % 60:02d}"
