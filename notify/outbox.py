"""The outbox: a message's state is the folder its file lies in, every change one rename. See doc/formats/outbox.md."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from gpualert_slurm import file_lock
from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Notification, Outcome, OutcomeKind
from gpualert_slurm.notify import stored_message
from gpualert_slurm.notify.due import listed
from gpualert_slurm.notify.message import build
from gpualert_slurm.notify.schedule import delay_s
from gpualert_slurm.notify.stored_message import KEY, DamagedError, Event, Stored
from gpualert_slurm.spool import sync_folder, write_whole

if TYPE_CHECKING:
    from gpualert_slurm.notify.channel import Sender
    from gpualert_slurm.notify.delivery import Round
    from gpualert_slurm.notify.pace import Pace

log = logging.getLogger(__name__)

MAX_DEATHS = 5
"""A message that ended its sender this often in a row is set aside: it would do so for ever."""
SYNCS_AT_ONCE = 8
ALONE_AFTER = 2
"""A message that was in hand at so many deaths in a row goes alone, so that it is known which of several is the deadly one."""


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
    taken_at: int = 0
    """Where the journal ended before this attempt was noted in it."""
    due_ns: int = 0
    """When it is tried again, once it was deferred."""


class Outbox:
    """The folder. Any process may queue, list, retry and drop; one at a time may send.

    What a caller was told is on the disk when he is told it. What the sender does between two ``sync`` is not: a power
    failure may have it send a few messages again; a killed sender loses none of it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sending = 0
        self._lock_fd = -1
        self._unsettled: dict[str, Held] = {}
        self._unsynced: deque[Path] = deque()  # filled by the event loop, emptied by a thread beside it
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("tmp", *(s.value for s in State)):
            (folder / name).mkdir(mode=0o700, exist_ok=True)

    def enqueue(self, notification: Notification, mail: Mail, now_ns: int | None = None) -> str:
        """Freeze the message and queue it; a key that is known in any state is not queued again. Gives the key.

        Raises:
            ValueError: no recipient, or a key that is no file name.
            OSError: it could not be written; nothing was queued, and the caller should try again.
        """
        return self.enqueue_all([notification], mail, now_ns)[0]

    def enqueue_all(self, notifications: Iterable[Notification], mail: Mail, now_ns: int | None = None) -> list[str]:
        """Several at once, for one sync of the folder; gives their keys. Errors as for ``enqueue``: the same call again makes it whole."""
        now = time.time_ns() if now_ns is None else now_ns
        frozen: dict[str, bytes] = {}
        keys = []
        for notification in notifications:
            if not KEY.fullmatch(notification.key):
                raise ValueError(f"the key {notification.key!r} is not fit for a file name")
            keys.append(notification.key)
            frozen[notification.key] = stored_message.encode(*build(notification, mail, now))
        with file_lock.locked(self.folder / "enqueue.lock"):
            drafts: list[tuple[Path, Path]] = []
            try:
                contents = []
                for key, content in frozen.items():
                    if self.state_of(key) is None:
                        drafts.append((self._draft(key), self.folder / State.QUEUED.value / f"{key}.msg"))
                        contents.append(content)
                _write_durably([draft for draft, _ in drafts], contents)
                for draft, target in drafts:
                    draft.rename(target)
            except BaseException:
                for draft, _ in drafts:
                    with contextlib.suppress(OSError):
                        draft.unlink()
                raise
            sync_folder(self.folder / State.QUEUED.value)
        return keys

    def state_of(self, key: str) -> State | None:
        """Where the message lies; None when the key is not known."""
        # A sender may move it while we look: states in the order in which it can move on, and the last ones twice.
        order: tuple[State, ...] = (*State, State.QUEUED, State.DEFERRED, State.ACTIVE, *State)
        folder, name = os.fspath(self.folder), f"{key}.msg"
        for state in order:
            if os.access(f"{folder}/{state.value}/{name}", os.F_OK):
                return state
        return None

    def on_their_way(self) -> set[str]:
        """The keys that lie in ``queued``, ``active`` or ``deferred``: three listings, however many they are.

        One that a sender moved while we looked may be missing: ask ``state_of`` about what is not among them.
        """
        found: set[str] = set()
        for state in (State.DEFERRED, State.QUEUED, State.ACTIVE):
            with os.scandir(self.folder / state.value) as entries:
                found |= {entry.name.removesuffix(".msg") for entry in entries if entry.name.endswith(".msg")}
        return found

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
            path = self._move(path, State.ACTIVE)  # nobody else touches it there; whoever renames first has it
        except FileNotFoundError as error:
            raise NoSuchMessageError(f"{path.stem} was taken by the sender just now") from error
        try:
            stored_message.append(path, stored_message.read(path), [Event(event="again", time_ns=time.time_ns())], durable=True)
        except (DamagedError, OSError) as error:
            self._set_aside(path, f"{error}")
            raise NoSuchMessageError(f"{path.stem} cannot be tried again: {error}") from error
        return self._move(path, State.QUEUED, durable=True)

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
            self._lock_fd = file_lock.open_lock(self.folder / "sender.lock")
            if not file_lock.take(self._lock_fd):
                os.close(self._lock_fd)
                raise OutboxBusyError(f"another process is sending from {self.folder}")
        self._sending += 1
        try:
            if self._sending == 1:
                self._recover()
            yield
        finally:
            self._sending -= 1
            if self._sending == 0:
                os.close(self._lock_fd)

    def take(self, path: Path, now_ns: int, *, alone: bool = True) -> Held | None:
        """Move the message to ``active`` and read it; None when someone else moved it, or there is nothing to send.

        Unless ``alone``, a message that was in hand when its senders died is put back as it was: the answer has ``stored.deaths``.
        """
        try:
            path = self._move(path, State.ACTIVE)
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
        held = Held(path, stored, stored.journal_end)
        if not stored.open_recipients:
            self.settle(held, [], now_ns)
            return None
        if stored.deaths >= ALONE_AFTER and not alone:
            return held
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
                held.stored = stored_message.append(held.path, held.stored, events, durable=False)
            except OSError as error:
                log.warning("%s: the answer could not be written down: %s", held.path, error)
                held.stored = replace(held.stored, journal=(*held.stored.journal, *events))
        state = self._place(held, now_ns)
        try:
            held.path = self._move(held.path, state)
        except OSError as error:
            log.error("%s could not be moved to %s: %s", held.path, state.value, error)
            self._unsettled[held.path.name] = held
            return State.ACTIVE
        if state is not State.SENT:  # its place alone does not say who has it
            self._unsynced.append(held.path)
        return state

    def settle_leftovers(self, now_ns: int) -> None:
        """Try again to move what could not be moved; none of it is sent again by this process."""
        leftovers, self._unsettled = self._unsettled, {}
        for held in leftovers.values():
            self.settle(held, [], now_ns)

    def release(self, held: Held) -> None:
        """Back to ``queued``, as if it had not been taken: the sender stops before it has an answer, or its turn has not come."""
        with contextlib.suppress(OSError):
            if held.stored.journal_end != held.taken_at:
                os.truncate(held.path, held.taken_at)
            held.path = self._move(held.path, State.QUEUED)

    def sync(self) -> None:
        """Make durable all that the sender did since the last time: each folder once, and the journals that say more than their place."""
        unsynced = {self._unsynced.popleft() for _ in range(len(self._unsynced))}
        for path in sorted(unsynced):
            if path.suffix != ".msg":
                sync_folder(path)
                continue
            with contextlib.suppress(FileNotFoundError):  # it moved on
                fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    os.fdatasync(fd)
                finally:
                    os.close(fd)

    async def deliver_due(self, channel: Sender, now_ns: int | None = None) -> Round:
        """One round over everything that is due; see ``delivery.deliver_due``."""
        from gpualert_slurm.notify.delivery import deliver_due

        return await deliver_due(self, channel, now_ns)

    async def pump(self, channel: Sender, stop_event: asyncio.Event, poll_s: float = 1.0, pace: Pace | None = None) -> None:
        """Send until ``stop_event`` is set; see ``delivery.pump``."""
        from gpualert_slurm.notify.delivery import pump

        await pump(self, channel, stop_event, poll_s, pace)

    def _place(self, held: Held, now_ns: int) -> State:
        stored = held.stored
        if stored.open_recipients:
            wait = int(delay_s(stored.attempts) * 1e9)
            due = max(now_ns + 1, min(now_ns + wait, stored.expires_ns))  # the last try when the time runs out, not long after
            with contextlib.suppress(OSError):
                os.utime(held.path, ns=(due, due))
            held.due_ns = due
            return State.DEFERRED
        refused = any(o.kind is OutcomeKind.REFUSED for o in stored.last_outcomes.values())
        return State.REFUSED if refused else State.SENT

    def _recover(self) -> None:
        if any((self.folder / "tmp").iterdir()):
            with file_lock.locked(self.folder / "enqueue.lock"):  # whoever writes there holds it
                for draft in sorted((self.folder / "tmp").iterdir()):
                    draft.unlink(missing_ok=True)
        for path in self._paths(State.ACTIVE):
            if path.name in self._unsettled:
                continue
            log.warning("%s: its sender died; queued again", path.stem)
            with contextlib.suppress(DamagedError, OSError):
                stored = stored_message.read(path)
                stored_message.append(path, stored, [Event(event="recovered", time_ns=time.time_ns())], durable=False)
            try:
                self._move(path, State.QUEUED)
            except OSError as error:
                log.error("%s could not be queued again: %s", path, error)

    def _set_aside(self, path: Path, reason: str) -> None:
        log.error("%s is set aside in corrupt/: %s", path.name, reason)
        target = self.folder / State.CORRUPT.value / path.with_suffix(".reason").name
        with contextlib.suppress(OSError):
            write_whole(target, f"{reason}\n".encode())
        try:
            self._move(path, State.CORRUPT, durable=True)
        except OSError as error:
            log.error("%s could not be set aside: %s", path, error)

    def _paths(self, state: State) -> list[Path]:
        folder = self.folder / state.value
        return [folder / name for _, name in listed(folder)]

    def _move(self, path: Path, state: State, *, durable: bool = False) -> Path:
        target = self.folder / state.value / path.name
        path.rename(target)
        if durable:
            sync_folder(target.parent)
            sync_folder(path.parent)
        elif self._sending:
            self._unsynced += (target.parent, path.parent)
        return target

    def _draft(self, key: str) -> Path:
        return self.folder / "tmp" / f".{key[:80]}.{secrets.token_hex(6)}"


def _write_durably(paths: Sequence[Path], contents: Sequence[bytes]) -> None:
    """New files, synced; several side by side, for a disk does many syncs in little more time than one."""
    with contextlib.ExitStack() as closing:
        fds = []
        for path, content in zip(paths, contents, strict=True):
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            closing.callback(os.close, fd)
            view = memoryview(content)
            while view:
                view = view[os.write(fd, view) :]
            fds.append(fd)
        if len(fds) < 2:
            for fd in fds:
                os.fsync(fd)
        else:
            with ThreadPoolExecutor(min(len(fds), SYNCS_AT_ONCE)) as pool:
                list(pool.map(os.fsync, fds))  # the first failure is raised here
