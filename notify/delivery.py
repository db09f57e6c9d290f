"""From the outbox to the channel: rounds over what is due, a bounded number of messages at a time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.notify.channel import Sender
from gpualert_slurm.notify.due import Due
from gpualert_slurm.notify.outbox import ALONE_AFTER, Held, Outbox, OutboxBusyError, State
from gpualert_slurm.notify.pace import Pace

log = logging.getLogger(__name__)

CONCURRENCY = 4
"""Messages in hand at once, each on a connection of its own; Postfix's default for one destination is 20, a submission client needs less."""
BLOCKED_LIMIT = 3
"""After so many messages in a row to which the relay said nothing the round ends: the others stay queued, uncharged."""
FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0
SENT_KEPT_S = 30 * 86400.0
SYNC_EVERY_S = 0.2
"""What was done since is made durable together: a power failure sends at most that much again, under the same Message-IDs."""


class Round:
    """One pass over what is due. ``states`` counts where messages went, ``blocked`` says that the relay was away.

    A connection takes its next message only when the last one lies where it belongs: a killed sender repeats at most one
    message for each connection. Renames and journal lines are made in the event loop, syncs in a thread beside it.
    """

    def __init__(self, outbox: Outbox, channel: Sender, now_ns: int | None, due: Due | None = None, pace: Pace | None = None) -> None:
        self.outbox = outbox
        self.channel = channel
        self.now_ns = now_ns
        self.due = due or due_of(outbox)
        self.pace = pace or Pace(CONCURRENCY)
        self.states: Counter[State] = Counter()
        self.blocked_in_a_row = 0
        self._alone: list[Path] = []

    @property
    def blocked(self) -> bool:
        """The relay was away, or hung up on us, for several messages in a row."""
        return self.blocked_in_a_row >= BLOCKED_LIMIT

    async def run(self, stop: asyncio.Event | None = None) -> Round:
        """Try everything that is due, ``pace.connections`` at a time; then, one by one, what its senders died with."""
        await asyncio.to_thread(self.outbox.settle_leftovers, self._now())
        waiting = await asyncio.to_thread(self.due.ready, self._now())
        if not waiting:
            return self
        over = asyncio.Event()
        syncing = asyncio.create_task(self._sync_until(over))
        try:
            await self._work_off(waiting, self.pace.connections, stop, alone=False)
            await self._work_off(self._alone, 1, stop, alone=True)
        finally:
            over.set()
            await syncing
        return self

    async def _work_off(self, paths: Sequence[Path], connections: int, stop: asyncio.Event | None, *, alone: bool) -> None:
        waiting: Iterator[Path] = iter(paths)

        async def work() -> None:
            for path in waiting:
                if self.blocked or (stop is not None and stop.is_set()):
                    self._not_now(path)
                    return
                await self._one(path, alone=alone)

        async with contextlib.AsyncExitStack() as stack:
            workers = [asyncio.create_task(work()) for _ in range(min(connections, len(paths)))]
            stack.push_async_callback(_cancel, workers)
            await asyncio.gather(*workers)
        for path in waiting:
            self._not_now(path)

    def _not_now(self, path: Path) -> None:
        """The round ends before this message had its turn: it must be found again."""
        if path.parent.name == State.DEFERRED.value:
            self.due.defer(path.name, self._now())
        else:
            self.due.again()

    async def _one(self, path: Path, *, alone: bool) -> None:
        held = self.outbox.take(path, self._now(), alone=alone)
        if held is None:
            self.due.done(path.name)
            return
        if held.stored.deaths >= ALONE_AFTER and not alone:
            self.outbox.release(held)
            self._alone.append(held.path)
            return
        if self._too_fast(held):
            return
        try:
            outcomes = await self._send(held)
        except asyncio.CancelledError:
            self.outbox.release(held)
            raise
        silent = all(o.kind is OutcomeKind.RETRY and o.code is None for o in outcomes)
        self.blocked_in_a_row = self.blocked_in_a_row + 1 if silent else 0
        state = self.outbox.settle(held, outcomes, self._now())
        if state is State.DEFERRED:
            self.due.defer(held.path.name, held.due_ns)
        else:
            self.due.done(held.path.name)
        self.states[state] += 1
        for outcome in outcomes:
            level = logging.INFO if outcome.kind is OutcomeKind.SENT else logging.WARNING
            log.log(level, "%s to %s: %s: %s", held.path.stem, outcome.recipient, outcome.kind.value, outcome.reason)

    def _too_fast(self, held: Held) -> bool:
        """Whether the domain's limit has the message wait; then it is back in ``queued`` and held until its place comes."""
        if self.due.had_its_turn(held.path.name):
            return False
        at_ns = self.pace.reserve(held.stored.open_recipients, self._now())
        if at_ns <= self._now():
            return False
        self.outbox.release(held)
        self.due.hold(held.path.name, at_ns)
        return True

    async def _send(self, held: Held) -> list[Outcome]:
        envelope, recipients = held.stored.envelope, held.stored.open_recipients
        try:
            outcomes = await self.channel.send(held.stored.message, envelope.sender, recipients)
        except Exception as error:  # a channel's defect must not end the sender: the message waits, and the log has it
            log.exception("the channel failed on %s", held.path.stem)
            return _all(recipients, f"defect in the channel: {error!r}")
        answered = {o.recipient: o for o in outcomes}
        return [answered.get(r) or _all([r], "the channel gave no answer for this recipient")[0] for r in recipients]

    async def _sync_until(self, over: asyncio.Event) -> None:
        while not over.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(over.wait(), SYNC_EVERY_S)
            try:
                await asyncio.to_thread(self.outbox.sync)
            except OSError as error:
                log.error("the outbox %s could not be synced: %s", self.outbox.folder, error)

    def _now(self) -> int:
        return time.time_ns() if self.now_ns is None else self.now_ns


def due_of(outbox: Outbox) -> Due:
    """What waits in that outbox."""
    return Due(outbox.folder / State.QUEUED.value, outbox.folder / State.DEFERRED.value)


async def deliver_due(outbox: Outbox, channel: Sender, now_ns: int | None = None, stop: asyncio.Event | None = None) -> Round:
    """One round over everything that is due at ``now_ns`` (the clock's where absent).

    Raises:
        OutboxBusyError: another process is sending from this outbox.
    """
    with outbox.sending():
        return await Round(outbox, channel, now_ns).run(stop)


async def pump(outbox: Outbox, channel: Sender, stop: asyncio.Event, poll_s: float = 1.0, pace: Pace | None = None) -> None:
    """Send until ``stop`` is set; what is in hand then is finished first, for as long as the channel's timeout lets it.

    While the relay is away, rounds come at growing intervals of at most a minute.

    Raises:
        OutboxBusyError: another process is sending from this outbox.
    """
    pause_s = 0.0
    cleaned = 0.0
    pace = pace or Pace(CONCURRENCY)
    with outbox.sending():
        due = due_of(outbox)
        while not stop.is_set():
            try:
                done = await Round(outbox, channel, None, due, pace).run(stop)
                blocked = done.blocked
                if time.monotonic() - cleaned > 3600:
                    cleaned = time.monotonic()
                    await asyncio.to_thread(outbox.remove_sent, SENT_KEPT_S)
            except OSError as error:
                log.error("the outbox %s cannot be used now: %s", outbox.folder, error)
                blocked = True
                due = due_of(outbox)
            pause_s = min(LONGEST_PAUSE_S, max(FIRST_PAUSE_S, 2 * pause_s)) if blocked else 0.0
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stop.wait(), max(poll_s, pause_s))
    await channel.close()


async def _cancel(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _all(recipients: Sequence[str], reason: str) -> list[Outcome]:
    return [Outcome(kind=OutcomeKind.RETRY, recipient=r, reason=reason) for r in recipients]


__all__ = ["OutboxBusyError", "Round", "deliver_due", "pump"]
