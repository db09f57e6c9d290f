"""What was mailed in the last day, by group and by address: a plan looks only at those that it is about, however many there are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.notify.grouping import REMEMBERED_NS, Mailed, Waiting


class MailedLately:
    """Read once from the history, and told of each message from then on."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._all: deque[Mailed] | None = None
        self._by: dict[str, deque[Mailed]] = {}

    def about(self, waiting: Sequence[Waiting], now_ns: int) -> list[Mailed]:
        """The messages of the groups and to the addresses of these runs, each once, oldest first."""
        self._read(now_ns)
        self._forget(now_ns - REMEMBERED_NS)
        names = dict.fromkeys(name for one in waiting for name in _names(one.group[1], one.addresses))
        found = {id(mailed): mailed for name in names for mailed in self._by.get(name, ())}
        return sorted(found.values(), key=lambda mailed: mailed.at_ns)

    def add(self, group: str | None, recipients: Sequence[str], at_ns: int) -> None:
        """A message that the history has as composed."""
        if self._all is not None:  # else it will be read with the others
            self._keep(Mailed(group or "", tuple(recipients), at_ns))

    def _read(self, now_ns: int) -> None:
        if self._all is None:
            self._all = deque()
            for row in self._history.mailed_since(now_ns - REMEMBERED_NS):
                self._keep(Mailed(row.group or "", row.recipients, row.queued_ns))

    def _keep(self, mailed: Mailed) -> None:
        assert self._all is not None  # noqa: S101 - both callers see to it
        self._all.append(mailed)
        for name in _names(mailed.group, mailed.addresses):
            self._by.setdefault(name, deque()).append(mailed)

    def _forget(self, before_ns: int) -> None:
        while self._all and self._all[0].at_ns < before_ns:
            old = self._all.popleft()
            for name in _names(old.group, old.addresses):
                kept = self._by[name]
                kept.remove(old)  # at its front, or nearly
                if not kept:
                    del self._by[name]


def _names(group: str, addresses: Iterable[str]) -> set[str]:
    """Under what a message is found."""
    return {f"group {group}", *(f"to {address.lower()}" for address in addresses)}
