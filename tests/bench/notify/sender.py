"""One sending process: ``python -m tests.bench.notify.sender (outbox|bare|pump) FOLDER PORT CONNECTIONS``.

``outbox`` sends what is queued in FOLDER, ``bare`` sends as many of the same messages from memory by a plain loop over
aiosmtplib; both print the seconds that took. ``pump`` is the daemon's sender, until it is killed.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import aiosmtplib

from gpualert_slurm.config import Mail
from gpualert_slurm.notify import stored_message
from gpualert_slurm.notify.channel import open_channel
from gpualert_slurm.notify.delivery import Round
from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.notify.pace import Pace


async def outbox(folder: Path, mail: Mail) -> float:
    """Seconds to send all of it, durably noted."""
    box, channel = Outbox(folder), open_channel(mail)
    with box.sending():
        start = time.perf_counter()
        done = await Round(box, channel, None, pace=Pace(mail.connections)).run()
        took = time.perf_counter() - start
    await channel.close()
    assert done.states.keys() == {State.SENT}, done.states
    return took


async def bare(folder: Path, mail: Mail) -> float:
    """Seconds for the same messages by ``mail.connections`` plain loops, each keeping its connection."""
    stored = [stored_message.read(path) for path in sorted((folder / "queued").iterdir())]
    waiting: Iterator[stored_message.Stored] = iter(stored)

    async def loop() -> None:
        client = aiosmtplib.SMTP(hostname=mail.host, port=mail.port, use_tls=False, start_tls=False, timeout=mail.timeout_s)
        await client.connect()
        for one in waiting:
            await client.sendmail(one.envelope.sender, list(one.envelope.recipients), one.message)
        await client.quit()

    start = time.perf_counter()
    await asyncio.gather(*(loop() for _ in range(mail.connections)))
    return time.perf_counter() - start


async def pump(folder: Path, mail: Mail) -> float:
    """As gpualertd does."""
    await Outbox(folder).pump(open_channel(mail), asyncio.Event(), 0.25, Pace(mail.connections))
    return 0.0


def main() -> None:
    """Run what the command line says."""
    what, folder, port, connections = sys.argv[1:5]
    mail = Mail(host="127.0.0.1", port=int(port), sender="gpualert@hpc.example.org", timeout_s=30.0, connections=int(connections))
    cpu = time.process_time()
    took = asyncio.run({"outbox": outbox, "bare": bare, "pump": pump}[what](Path(folder), mail))
    print(f"{took:.6f} {time.process_time() - cpu:.6f}", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
