"""Sending from the outbox against a bare loop over aiosmtplib: the same messages, relay and number of connections."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from gpualert_slurm.config import Mail
from gpualert_slurm.notify.outbox import Outbox
from tests.bench.compare import Progress, Row, interleave, median, rounds, spread
from tests.bench.notify.messages import notifications
from tests.bench.notify.relay import BenchRelay

CONNECTIONS = 4
BOUND = 1.3


def run(folder: Path, messages: int, progress: Progress) -> list[Row]:
    """Rounds of both, in turns."""
    box = Outbox(folder / "kept")
    box.enqueue_all(notifications(messages), Mail(sender="gpualert@hpc.example.org"))
    with BenchRelay() as relay:

        def send(what: str) -> float:
            copy = folder / what
            shutil.copytree(box.folder, copy)
            argv = [sys.executable, "-m", "tests.bench.notify.sender", what, str(copy), str(relay.port), str(CONNECTIONS)]
            out = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
            shutil.rmtree(copy)
            return float(out.split()[0])

        took = interleave({"bare": lambda: send("bare"), "outbox": lambda: send("outbox")}, rounds(7), progress)
    ratio = median([a / b for a, b in zip(took["outbox"], took["bare"], strict=True)])
    runs = f"{messages} messages: {spread(took['outbox'])} against {spread(took['bare'])}; {messages / median(took['outbox']):.0f}/s"
    return [Row(f"sending from the outbox against a bare aiosmtplib loop, {CONNECTIONS} connections", f"{ratio:.2f} ×", f"≤ {BOUND:g} ×", ratio <= BOUND, runs)]
