"""Documents in ``out/``: each is handed over by a child, again and again with growing delays, until a transport took it."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Collection
from pathlib import Path

from gpualert_slurm.config import Config
from gpualert_slurm.programs.gpualert_node.child import FOR_GOOD, Child
from gpualert_slurm.programs.gpualert_node.documents import deliver
from gpualert_slurm.programs.gpualert_node.log import ERROR, WARNING, say
from gpualert_slurm.spool import finished, move

DEADLINE_S = 30.0
_FIRST_DELAY_S, _LONGEST_DELAY_S = 1.0, 300.0


class Outgoing:
    """The node's outgoing documents, one child at a time."""

    def __init__(self, folder: Path, bad: Path, config: Config, held_back: Callable[[], Collection[str]]) -> None:
        """Documents of ``folder``; what can never go is moved to ``bad``.

        ``held_back()`` names attempts whose job file still lies in ``ended/``: their report may yet be written again.
        """
        self._folder, self._bad, self._config, self._held_back = folder, bad, config, held_back
        self._child: tuple[Child, Path] | None = None
        self._stuck: Child | None = None
        """A child in a hung file system that does not even die: until it does, no second one follows it."""
        self._tries: dict[str, int] = {}
        self._next: dict[str, float] = {}

    def waiting(self) -> list[Path]:
        """What lies there, the newest first: a report has the time of its job's end, a note that of its writing."""
        return sorted(finished(self._folder), key=_newest_first)

    @property
    def child(self) -> Child | None:
        """The child at work."""
        return self._child[0] if self._child else None

    def step(self) -> None:
        """See whether the child is done, and start the next. Never raises."""
        self._reap()
        if self._stuck is not None and self._stuck.poll() is not None and self._stuck.gone:
            self._stuck = None
        if self._child is not None or self._stuck is not None:
            return
        now = time.monotonic()
        held = self._held_back()
        for path in self.waiting():
            if self._next.get(path.name, 0.0) > now or path.name.removesuffix(".report") in held:
                continue
            try:
                self._child = Child(path.name, lambda path=path: deliver(path, self._config), DEADLINE_S), path  # type: ignore[misc]
            except OSError as error:
                self._later(path.name, f"no process could be made: {error.strerror}")
            return

    def due(self) -> float | None:
        """Monotonic time of the next try, None while nothing waits or a child is at work (whose end wakes the service)."""
        if self._child is not None:
            return self._child[0].deadline + (2 if self._child[0].late else 0)
        if self._stuck is not None:
            return time.monotonic() + _LONGEST_DELAY_S
        held = self._held_back()
        return min((self._next.get(p.name, 0.0) for p in self.waiting() if p.name.removesuffix(".report") not in held), default=None)

    def stop(self) -> None:
        """Kill the child; its document stays in ``out/``."""
        if self._child is not None:
            self._child[0].kill()

    def _reap(self) -> None:
        if self._child is None:
            return
        child, path = self._child
        code = child.poll()
        if code is None:
            return
        self._child = None
        if not child.gone:
            self._stuck = child
        if code == 0:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            self._tries.pop(path.name, None)
            self._next.pop(path.name, None)
            say(f"{path.name}: handed over")
        elif code == FOR_GOOD:
            say(f"{path.name}: put aside in bad/", ERROR)
            with contextlib.suppress(OSError):
                move(path, self._bad)
        else:
            self._later(path.name, f"it took longer than {DEADLINE_S:g} s" if child.late else "its words are above")

    def _later(self, name: str, why: str) -> None:
        tries = self._tries[name] = self._tries.get(name, 0) + 1
        delay = min(_LONGEST_DELAY_S, _FIRST_DELAY_S * 2 ** (tries - 1)) * random.uniform(0.8, 1.2)  # noqa: S311  (a jitter, no secret)
        self._next[name] = time.monotonic() + delay
        say(f"{name}: not handed over ({why}); next try in {delay:.0f} s", ERROR if tries > 10 else WARNING)


def _newest_first(path: Path) -> int:
    try:
        return -path.lstat().st_mtime_ns
    except OSError:
        return 0
