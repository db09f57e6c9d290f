"""The outbox's pump in a thread of its own: mail goes out while jobs are being looked at."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable

from gpualert_slurm.config import Mail
from gpualert_slurm.notify.channel import ChannelError, Sender
from gpualert_slurm.notify.delivery import OutboxBusyError, pump
from gpualert_slurm.notify.outbox import Outbox
from gpualert_slurm.notify.pace import Pace
from gpualert_slurm.programs.gpualertd.log import line

log = logging.getLogger(__name__)

POLL_S = 0.25
AGAIN_S = 5.0


class Sending:
    """Sends what is due until ``stop()``. An unforeseen end of the pump is logged, and it starts again."""

    def __init__(self, outbox: Outbox, mail: Mail, open_channel: Callable[[Mail], Sender]) -> None:
        self._outbox = outbox
        self._mail = mail
        self._open_channel = open_channel
        self._said = ""
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="sending", daemon=True)

    def start(self) -> None:
        """Begin; returns when the pump runs."""
        self._thread.start()
        self._ready.wait(10)

    def stop(self, patience_s: float = 5.0) -> None:
        """End: what is being sent may finish for ``patience_s``, then it is left in ``active`` and sent again at the next start."""
        if self._loop is None or self._stop is None:
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(patience_s)
        if self._thread.is_alive() and self._task is not None:
            self._loop.call_soon_threadsafe(self._task.cancel)
            self._thread.join(1.0)

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._task = asyncio.current_task()
        self._ready.set()
        while not self._stop.is_set():
            try:
                pace = Pace(self._mail.connections, self._mail.domain_per_minute)
                await pump(self._outbox, self._open_channel(self._mail), self._stop, POLL_S, pace)
            except asyncio.CancelledError:
                return
            except (OutboxBusyError, ChannelError, OSError) as error:  # an administrator's matter, in one line
                self._say(f"{error}")
            except Exception:
                log.exception(line("sending_failed", again_in_s=AGAIN_S))
            if not self._stop.is_set():
                await asyncio.wait({asyncio.create_task(self._stop.wait())}, timeout=AGAIN_S)

    def _say(self, why: str) -> None:
        """The same reason again is said once: it is tried every few seconds, for days where nobody looks."""
        if why != self._said:
            self._said = why
            log.warning(line("sending_waits", why=why, again_in_s=AGAIN_S))
