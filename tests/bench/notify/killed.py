"""10,000 messages, a relay that fails and hangs up, the daemon's sender killed -9 twenty times: what arrives, and how often."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from gpualert_slurm.config import Mail
from gpualert_slurm.notify.outbox import Outbox, State
from tests.bench.compare import Progress, Row
from tests.bench.notify.messages import notifications
from tests.bench.notify.relay import BenchRelay

KILLS = 20
CONNECTIONS = 4
SHARE_451, SHARE_DROPPED = 0.05, 0.01
LIMIT_S = 420.0
BATCH = 50


def run(folder: Path, messages: int, progress: Progress) -> list[Row]:
    """Queue all, then send with kills spread over the work; ends when every message is sent or visibly refused."""
    mail = Mail(sender="gpualert@hpc.example.org")
    box = Outbox(folder)
    waiting, queued = list(notifications(messages)), 0
    start = time.monotonic()
    while queued < messages:
        box.enqueue_all(waiting[queued : queued + BATCH], mail)
        queued += BATCH
    enqueue_s = time.monotonic() - start
    chance = random.Random(20)
    kills = 0
    with BenchRelay(SHARE_451, SHARE_DROPPED) as relay:
        start = time.monotonic()
        while time.monotonic() - start < LIMIT_S:
            child = subprocess.Popen([sys.executable, "-m", "tests.bench.notify.sender", "pump", str(folder), str(relay.port), str(CONNECTIONS)],
                                     stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            try:
                if kills < KILLS:
                    goal = min(messages * 9 // 10, (kills + 1) * messages * 9 // 10 // KILLS)
                    while _terminal(folder) < goal and child.poll() is None and time.monotonic() - start < LIMIT_S:
                        time.sleep(0.02)
                    time.sleep(chance.uniform(0.0, 0.05))
                    kills += 1
                else:
                    while _terminal(folder) < messages and child.poll() is None and time.monotonic() - start < LIMIT_S:
                        time.sleep(0.2)
                    break
            finally:
                child.kill()
                child.wait()
                progress(f"{_terminal(folder)}/{messages}, {kills} kills")
        took_s = time.monotonic() - start
        taken, hung_up = relay.taken()
    return _rows(box, messages, kills, enqueue_s=enqueue_s, took_s=took_s, taken=taken, hung_up=hung_up)


def _terminal(folder: Path) -> int:
    return sum(1 for name in ("sent", "refused") for _ in (folder / name).iterdir())


def _rows(box: Outbox, messages: int, kills: int, *, enqueue_s: float, took_s: float, taken: dict[str, int], hung_up: int) -> list[Row]:
    states = dict.fromkeys(State, 0)
    for state, _ in box.messages():
        states[state] += 1
    refused = states[State.REFUSED]
    lost = messages - states[State.SENT] - refused
    missing = sum(1 for n in range(messages) if f"<mendel.{n}.a1.0f3c9a7e@hpc.example.org>" not in taken) - refused
    foreign = sum(1 for message_id in taken if not message_id.startswith("<mendel."))
    again = sum(taken.values()) - len(taken)
    bound = kills * CONNECTIONS
    return [
        Row(f"{messages} messages, 5 % 4xx, 1 % dropped, sender killed -9 {kills} times: sent, refused, not accounted for",
            f"{states[State.SENT]}, {refused}, {lost}", "0 not accounted for", lost == 0 and kills == KILLS, f"{took_s:.0f} s from the first to the last"),
        Row("the same: never arrived though noted as sent; under another Message-ID", f"{missing}; {foreign}", "0; 0", missing == 0 and foreign == 0, ""),
        Row("the same: taken more than once, under the same Message-ID", f"{again}", f"≤ {bound} (1 per kill and connection) + {hung_up}",
            again <= bound + hung_up, f"{hung_up} times the relay took a message and hung up without a word: any client sends that again"),
        Row("enqueueing, one process, durable", f"{messages / enqueue_s:.0f}/s", "", None, f"{BATCH} to a batch; most of it is freezing the message"),
    ]  # fmt: skip
