"""From the outbox to the channel: rounds over what is due, a bounded number of messages at a time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.notify.channel import Sender
from gpualert_slurm.notify.outbox import Held, Outbox, OutboxBusyError, State

log = logging.getLogger(__name__)

CONCURRENCY = 4
"""Messages in hand at once, each on a connection of its own; Postfix's default for one destination is 20, a submission client needs less."""
BLOCKED_LIMIT = 3
"""After so many messages in a row to which the relay said nothing the round ends: the others stay queued, uncharged."""
FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0
SENT_KEPT_S = 30 * 86400.0


class Round:
    """One pass over what is due. ``states`` counts where messages went, ``blocked`` says that the relay was away."""

    def __init__(self, outbox: Outbox, channel: Sender, now_ns: int | None) -> None:
        self.outbox = outbox
        self.channel = channel
        self.now_ns = now_ns
        self.states: Counter[State] = Counter()
        self.blocked_in_a_row = 0

    @property
    def blocked(self) -> bool:
        """The relay was away, or hung up on us, for several messages in a row."""
        return self.blocked_in_a_row >= BLOCKED_LIMIT

    async def run(self, stop: asyncio.Event | None = None) -> Round:
        """Try everything that is due, ``CONCURRENCY`` at a time."""
        await asyncio.to_thread(self.outbox.settle_leftovers, self._now())
        waiting = iter(await asyncio.to_thread(self.outbox.due, self._now()))

        async def work() -> None:
            for path in waiting:
                if self.blocked or (stop is not None and stop.is_set()):
                    return
                await self._one(path)

        async with contextlib.AsyncExitStack() as stack:
            workers = [asyncio.create_task(work()) for _ in range(CONCURRENCY)]
            stack.push_async_callback(_cancel, workers)
            await asyncio.gather(*workers)
        return self

    async def _one(self, path: Path) -> None:
        held = await asyncio.to_thread(self.outbox.take, path, self._now())
        if held is None:
            return
        try:
            outcomes = await self._send(held)
        except asyncio.CancelledError:
            self.outbox.release(held)
            raise
        silent = all(o.kind is OutcomeKind.RETRY and o.code is None for o in outcomes)
        self.blocked_in_a_row = self.blocked_in_a_row + 1 if silent else 0
        state = await asyncio.to_thread(self.outbox.settle, held, outcomes, self._now())
        self.states[state] += 1
        for outcome in outcomes:
            level = logging.INFO if outcome.kind is OutcomeKind.SENT else logging.WARNING
            log.log(level, "%s to %s: %s: %s", held.path.stem, outcome.recipient, outcome.kind.value, outcome.reason)

    async def _send(self, held: Held) -> list[Outcome]:
        envelope, recipients = held.stored.envelope, held.stored.open_recipients
        try:
            outcomes = await self.channel.send(held.stored.message, envelope.sender, recipients)
        except Exception as error:  # a channel's defect must not end the sender: the message waits, and the log has it
            log.exception("the channel failed on %s", held.path.stem)
            return _all(recipients, f"defect in the channel: {error!r}")
        answered = {o.recipient: o for o in outcomes}
        return [answered.get(r) or _all([r], "the channel gave no answer for this recipient")[0] for r in recipients]

    def _now(self) -> int:
        return time.time_ns() if self.now_ns is None else self.now_ns


async def deliver_due(outbox: Outbox, channel: Sender, now_ns: int | None = None, stop: asyncio.Event | None = None) -> Round:
    """One round over everything that is due at ``now_ns`` (the clock's where absent).

    Raises:
        OutboxBusyError: another process is sending from this outbox.
    """
    with outbox.sending():
        return await Round(outbox, channel, now_ns).run(stop)


async def pump(outbox: Outbox, channel: Sender, stop: asyncio.Event, poll_s: float = 1.0) -> None:
    """Send until ``stop`` is set; what is in hand then is finished first, for as long as the channel's timeout lets it.

    While the relay is away, rounds come at growing intervals of at most a minute.

    Raises:
        OutboxBusyError: another process is sending from this outbox.
    """
    pause_s = 0.0
    cleaned = 0.0
    with outbox.sending():
        while not stop.is_set():
            try:
                done = await Round(outbox, channel, None).run(stop)
                blocked = done.blocked
                if time.monotonic() - cleaned > 3600:
                    cleaned = time.monotonic()
                    await asyncio.to_thread(outbox.remove_sent, SENT_KEPT_S)
            except OSError as error:
                log.error("the outbox %s cannot be used now: %s", outbox.folder, error)
                blocked = True
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
