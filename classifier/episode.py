"""The terminal episode: from the last sign of progress, or the first terminal evidence, to the end."""

from __future__ import annotations

from dataclasses import dataclass

EPISODE_BEFORE_S = 600.0
"""A kernel line this long before the first failure still belongs to the episode (a peer's collective timeout is 600 s)."""
WENT_ON_S = 60.0
"""Progress this long after an event says that the run went on in spite of it."""
INTERVALS = 2.0


@dataclass(frozen=True)
class Episode:
    """``first_ns``: the first rank's failure; ``progress_ns``: the last progress; ``end_ns``: Slurm's end; absent where not known."""

    first_ns: int | None
    progress_ns: int | None
    end_ns: int | None
    interval_s: float = 0.0
    """The run's own rhythm of progress."""

    @property
    def begin_ns(self) -> int | None:
        """Where it begins: at the earlier of the last progress and the first failure."""
        known = [t for t in (self.first_ns, self.progress_ns) if t is not None]
        return min(known) if known else self.end_ns

    def holds(self, time_ns: int | None) -> bool:
        """Whether an event of the machine can belong to it: not long before it, and no progress was made after. An unknown time can."""
        begin = self.begin_ns
        if time_ns is None or begin is None:
            return True
        if self.progress_ns is not None and self.progress_ns > time_ns + round((WENT_ON_S + INTERVALS * self.interval_s) * 1e9):
            return False
        return time_ns >= begin - round(EPISODE_BEFORE_S * 1e9)
