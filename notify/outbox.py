"""The outbox: a message's state is the folder its file lies in, every change one rename. See doc/formats/outbox.md."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Notification, Outcome, OutcomeKind
from gpualert_slurm.notify import stored_message
from gpualert_slurm.notify.message import build
from gpualert_slurm.notify.schedule import delay_s
from gpualert_slurm.notify.stored_message import KEY, DamagedError, Event, Stored
from gpualert_slurm.spool import sync_folder, write_whole

if TYPE_CHECKING:
    from gpualert_slurm.notify.channel import Sender
    from gpualert_slurm.notify.delivery import Round

log = logging.getLogger(__name__)

MAX_DEATHS = 5
"""A message that ended its sender this often in a row is set aside: it would do so for ever."""


class State(str, Enum):
    """The folders a message can lie in."""

    QUEUED = "queued"
    ACTIVE = "active"
    DEFERRED = "deferred"
    SENT = "sent"
    REFUSED = "refused"
    CORRUPT = "corrupt"


class OutboxBusyError(Exception):
    """Another process sends from this outbox."""


class NoSuchMessageError(Exception):
    """No message has this key in a state in which that could be done."""


@dataclass
class Held:
    """A message that this process has in ``active/``."""

    path: Path
    stored: Stored


class Outbox:
    """The folder. Any process may queue, list, retry and drop; one at a time may send."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sending = 0
        self._lock_fd = -1
        self._unsettled: dict[str, Held] = {}
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("tmp", *(s.value for s in State)):
            (folder / name).mkdir(mode=0o700, exist_ok=True)

    def enqueue(self, notification: Notification, mail: Mail, now_ns: int | None = None) -> str:
        """Freeze the message and queue it; a key that is known in any state is not queued again. Gives the key.

        Raises:
            ValueError: no recipient, or a key that is no file name.
            OSError: it could not be written; nothing was queued, and the caller should try again.
        """
        if not KEY.fullmatch(notification.key):
            raise ValueError(f"the key {notification.key!r} is not fit for a file name")
        now = time.time_ns() if now_ns is None else now_ns
        envelope, message = build(notification, mail, now)
        content = stored_message.encode(envelope, message)
        name = f"{notification.key}.msg"
        with self._flock("enqueue.lock"):
            if self.state_of(notification.key) is not None:
                return notification.key
            draft = self.folder / "tmp" / name
            write_whole(draft, content)
            self._rename(draft, State.QUEUED)
        return notification.key

    def state_of(self, key: str) -> State | None:
        """Where the message lies; None when the key is not known."""
        # A sender may move it while we look: states in the order in which it can move on, and the last ones twice.
        order: tuple[State, ...] = (*State, State.QUEUED, State.DEFERRED, State.ACTIVE, *State)
        for state in order:
            if (self.folder / state.value / f"{key}.msg").exists():
                return state
        return None

    def messages(self) -> Iterator[tuple[State, Path]]:
        """Every message there is, by state, oldest first."""
        for state in State:
            for path in self._paths(state):
                yield state, path

    def find(self, key: str) -> tuple[State, Path]:
        """The message of that key, or of the only key that begins so.

        Raises:
            NoSuchMessageError: none, or several.
        """
        all_of_them = [(s, p) for s, p in self.messages() if p.name.startswith(key)]
        exact = [found for found in all_of_them if found[1].name == f"{key}.msg"]
        if len(exact or all_of_them) != 1:
            raise NoSuchMessageError(f"{len(all_of_them)} messages in {self.folder} have a key beginning with {key!r}: see 'gpualert outbox list'")
        return (exact or all_of_them)[0]

    # By hand.

    def retry(self, key: str) -> Path:
        """Queue a deferred or refused message now; refused recipients are asked again, those that took it are not."""
        state, path = self.find(key)
        if state not in (State.DEFERRED, State.REFUSED):
            raise NoSuchMessageError(f"{path.stem} is {state.value}: only a deferred or refused message can be tried again")
        try:
            path = self._rename(path, State.ACTIVE)  # nobody else touches it there; whoever renames first has it
        except FileNotFoundError as error:
            raise NoSuchMessageError(f"{path.stem} was taken by the sender just now") from error
        try:
            stored_message.append(path, stored_message.read(path), [Event(event="again", time_ns=time.time_ns())], durable=True)
        except (DamagedError, OSError) as error:
            self._set_aside(path, f"{error}")
            raise NoSuchMessageError(f"{path.stem} cannot be tried again: {error}") from error
        return self._rename(path, State.QUEUED)

    def drop(self, key: str) -> Path:
        """Remove a message for good, because a human said so; not one that a sender has in hand."""
        state, path = self.find(key)
        if state is State.ACTIVE:
            raise NoSuchMessageError(f"{path.stem} is being sent; stop the sender or wait")
        try:
            path.unlink()
        except FileNotFoundError as error:
            raise NoSuchMessageError(f"{path.stem} was taken by the sender just now") from error
        path.with_suffix(".reason").unlink(missing_ok=True)
        sync_folder(path.parent)
        return path

    def remove_sent(self, older_than_s: float, now_ns: int | None = None) -> int:
        """Remove messages that every recipient took longer ago than that; gives how many."""
        limit = (time.time_ns() if now_ns is None else now_ns) - int(older_than_s * 1e9)
        old = [p for p in self._paths(State.SENT) if p.stat().st_mtime_ns < limit]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)

    # The one sender.

    @contextlib.contextmanager
    def sending(self) -> Iterator[None]:
        """Be the sender for a while; on entry what a dead one left behind is put back.

        Raises:
            OutboxBusyError: another process is.
        """
        if self._sending == 0:
            self._lock_fd = self._open_lock("sender.lock")
            try:
                fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(self._lock_fd)
                raise OutboxBusyError(f"another process is sending from {self.folder}") from error
        self._sending += 1
        try:
            if self._sending == 1:
                self._recover()
            yield
        finally:
            self._sending -= 1
            if self._sending == 0:
                os.close(self._lock_fd)

    def due(self, now_ns: int) -> list[Path]:
        """What may be tried now: all that is queued, then what was deferred until now, oldest first."""
        deferred = [p for p in self._paths(State.DEFERRED) if _mtime_ns(p) <= now_ns]
        return [*self._paths(State.QUEUED), *deferred]

    def take(self, path: Path, now_ns: int) -> Held | None:
        """Move the message to ``active`` and read it; None when someone else moved it, or there is nothing to send."""
        try:
            path = self._rename(path, State.ACTIVE)
        except FileNotFoundError:
            return None
        try:
            stored = stored_message.read(path)
        except (DamagedError, OSError) as error:
            self._set_aside(path, f"{error}")
            return None
        if stored.deaths >= MAX_DEATHS:
            self._set_aside(path, f"{stored.deaths} attempts in a row ended the sender without an answer")
            return None
        held = Held(path, stored)
        if not stored.open_recipients:
            self.settle(held, [], now_ns)
            return None
        with contextlib.suppress(OSError):  # a full disk must not stop mail: the line only counts deaths
            held.stored = stored_message.append(path, stored, [Event(event="attempt", time_ns=now_ns)], durable=False)
        return held

    def settle(self, held: Held, outcomes: Sequence[Outcome], now_ns: int) -> State:
        """Write down what was answered and move the message to where it belongs; past its time, RETRY becomes refused.

        Never raises OSError: when even the rename fails, the answer is kept and ``settle_leftovers`` tries again.
        """
        if outcomes:
            events = [Event(event="outcome", time_ns=now_ns, outcomes=tuple(outcomes))]
            if now_ns >= held.stored.expires_ns and any(o.kind is OutcomeKind.RETRY for o in outcomes):
                events.append(Event(event="expired", time_ns=now_ns))
            try:
                held.stored = stored_message.append(held.path, held.stored, events, durable=True)
            except OSError as error:
                log.warning("%s: the answer could not be written down: %s", held.path, error)
                held.stored = replace(held.stored, journal=(*held.stored.journal, *events))
        state = self._place(held, now_ns)
        try:
            held.path = self._rename(held.path, state)
        except OSError as error:
            log.error("%s could not be moved to %s: %s", held.path, state.value, error)
            self._unsettled[held.path.name] = held
            return State.ACTIVE
        return state

    def settle_leftovers(self, now_ns: int) -> None:
        """Try again to move what could not be moved; none of it is sent again by this process."""
        leftovers, self._unsettled = self._unsettled, {}
        for held in leftovers.values():
            self.settle(held, [], now_ns)

    def release(self, held: Held) -> None:
        """Back to ``queued``: the sender stops before it has an answer."""
        with contextlib.suppress(OSError):
            held.path = self._rename(held.path, State.QUEUED)

    async def deliver_due(self, channel: Sender, now_ns: int | None = None) -> Round:
        """One round over everything that is due; see ``delivery.deliver_due``."""
        from gpualert_slurm.notify.delivery import deliver_due

        return await deliver_due(self, channel, now_ns)

    async def pump(self, channel: Sender, stop_event: asyncio.Event, poll_s: float = 1.0) -> None:
        """Send until ``stop_event`` is set; see ``delivery.pump``."""
        from gpualert_slurm.notify.delivery import pump

        await pump(self, channel, stop_event, poll_s)

    def _place(self, held: Held, now_ns: int) -> State:
        stored = held.stored
        if stored.open_recipients:
            wait = int(delay_s(stored.attempts) * 1e9)
            due = max(now_ns + 1, min(now_ns + wait, stored.expires_ns))  # the last try when the time runs out, not long after
            with contextlib.suppress(OSError):
                os.utime(held.path, ns=(due, due))
            return State.DEFERRED
        refused = any(o.kind is OutcomeKind.REFUSED for o in stored.last_outcomes.values())
        return State.REFUSED if refused else State.SENT

    def _recover(self) -> None:
        for draft in sorted((self.folder / "tmp").iterdir()):
            # Whoever writes here holds enqueue.lock.
            with self._flock("enqueue.lock"):
                draft.unlink(missing_ok=True)
        for path in self._paths(State.ACTIVE):
            if path.name in self._unsettled:
                continue
            log.warning("%s: its sender died; queued again", path.stem)
            with contextlib.suppress(DamagedError, OSError):
                stored = stored_message.read(path)
                stored_message.append(path, stored, [Event(event="recovered", time_ns=time.time_ns())], durable=False)
            try:
                self._rename(path, State.QUEUED)
            except OSError as error:
                log.error("%s could not be queued again: %s", path, error)

    def _set_aside(self, path: Path, reason: str) -> None:
        log.error("%s is set aside in corrupt/: %s", path.name, reason)
        target = self.folder / State.CORRUPT.value / path.with_suffix(".reason").name
        with contextlib.suppress(OSError):
            write_whole(target, f"{reason}\n".encode())
        try:
            self._rename(path, State.CORRUPT)
        except OSError as error:
            log.error("%s could not be set aside: %s", path, error)

    def _paths(self, state: State) -> list[Path]:
        with os.scandir(self.folder / state.value) as entries:
            found = [Path(e.path) for e in entries if e.name.endswith(".msg") and not e.name.startswith(".")]
        return sorted(found, key=lambda p: (_mtime_ns(p), p.name))

    def _rename(self, path: Path, state: State) -> Path:
        target = self.folder / state.value / path.name
        path.rename(target)
        sync_folder(target.parent)
        sync_folder(path.parent)
        return target

    def _open_lock(self, name: str) -> int:
        fd = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if os.geteuid() == 0:  # an administrator came first: the daemon's user must be able to open it as well
            owner = self.folder.stat()
            os.fchown(fd, owner.st_uid, owner.st_gid)
        return fd

    @contextlib.contextmanager
    def _flock(self, name: str) -> Iterator[None]:
        fd = self._open_lock(name)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
