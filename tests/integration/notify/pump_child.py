"""A daemon's sending half, to be killed: ``python pump_child.py FOLDER PORT``; retries come fast, or a test would take an hour."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from gpualert_slurm.config import Mail
from gpualert_slurm.notify import schedule
from gpualert_slurm.notify.channel import open_channel
from gpualert_slurm.notify.outbox import Outbox

schedule.FIRST_DELAY_S = 0.05
schedule.LONGEST_DELAY_S = 0.2

if __name__ == "__main__":
    mail = Mail(host="127.0.0.1", port=int(sys.argv[2]), sender="gpualert@hpc.example.org", timeout_s=5.0)
    asyncio.run(Outbox(Path(sys.argv[1])).pump(open_channel(mail), asyncio.Event(), poll_s=0.05))
