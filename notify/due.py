"""What is to be tried next, kept in memory: the folders are read when they changed, not every round."""

from __future__ import annotations

import heapq
import os
import time
from pathlib import Path

SETTLED_NS = 1_000_000_000
"""A folder's time stamp that is younger than this when it is read may hide a further change within the same tick of the kernel's clock."""
REREAD_DEFERRED_S = 600.0


class Due:
    """The waiting messages of one outbox, for its one sender.

    ``queued/`` is listed when its time stamp moved: whoever queues or retries a message renames it into there.
    ``deferred/`` is listed at the start and then seldom: what enters it meanwhile, this process put there and says so by ``defer``.
    """

    def __init__(self, queued: Path, deferred: Path) -> None:
        self._queued, self._deferred = queued, deferred
        self._seen_ns = -1
        self._read_deferred_at: float | None = None
        self._later: list[tuple[int, str]] = []
        self._held: dict[str, int] = {}

    def ready(self, now_ns: int) -> list[Path]:
        """All that may be tried now, each once until it is reported back: queued ones oldest first, then deferred ones by their time."""
        found = [path for path in self._new_in_queue() if self._held.get(path.name, 0) <= now_ns]
        if self._read_deferred_at is None or time.monotonic() - self._read_deferred_at > REREAD_DEFERRED_S:
            self._read_deferred_at = time.monotonic()
            self._later = [(at, name) for at, name in listed(self._deferred)]
            heapq.heapify(self._later)
        names = set()
        while self._later and self._later[0][0] <= now_ns:
            names.add(heapq.heappop(self._later)[1])
        found += [self._deferred / name for name in sorted(names)]
        return found

    def defer(self, name: str, at_ns: int) -> None:
        """The message was moved to ``deferred/`` and is due then."""
        self._held.pop(name, None)
        heapq.heappush(self._later, (at_ns, name))

    def hold(self, name: str, until_ns: int) -> None:
        """The message lies in ``queued/`` again and is not to be taken before then."""
        self._held[name] = until_ns
        self._seen_ns = -1

    def had_its_turn(self, name: str) -> bool:
        """Whether the message was held before: its place is reserved."""
        return name in self._held

    def done(self, name: str) -> None:
        """Nothing more is to be remembered of the message."""
        self._held.pop(name, None)

    def again(self) -> None:
        """A round left messages in ``queued/``: list it next time, changed or not."""
        self._seen_ns = -1

    def _new_in_queue(self) -> list[Path]:
        changed_ns = self._queued.stat().st_mtime_ns
        if changed_ns == self._seen_ns:
            return []
        self._seen_ns = changed_ns if time.time_ns() - changed_ns > SETTLED_NS else -1
        found = listed(self._queued)
        if self._held:
            there = {name for _, name in found}
            self._held = {name: at for name, at in self._held.items() if name in there}
            if self._held:
                self._seen_ns = -1
        return [self._queued / name for _, name in found]


def listed(folder: Path) -> list[tuple[int, str]]:
    """(time stamp, name) of every message in a folder, oldest first."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".msg") and not entry.name.startswith("."):
                try:
                    found.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.name))
                except OSError:  # moved just now
                    continue
    return sorted(found)
