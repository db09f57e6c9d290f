"""kill -9 at random moments, a relay that fails and hangs up: everything arrives, duplicates carry the same Message-ID."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from gpualert_slurm.notification import Notification
from gpualert_slurm.notify.delivery import CONCURRENCY
from gpualert_slurm.notify.outbox import Outbox, State
from tests.integration.notify.conftest import mail_through
from tests.integration.notify.relay import Behaviour, Relay

MESSAGES = 300
KILLS = 12
CHILD = Path(__file__).with_name("pump_child.py")


def test_nothing_is_lost_when_the_sender_is_killed_again_and_again(relay: Relay, tmp_path: Path):
    relay.behaviour = Behaviour(share_451=0.05, share_dropped=0.01, delay_s=0.002)
    box = Outbox(tmp_path / "box")
    keys = [f"k{i}" for i in range(MESSAGES)]
    for key in keys:
        box.enqueue(Notification(key=key, recipients=("a@example.org",), subject="s", text="t", html="h"), mail_through(relay))
    chance = random.Random(7)
    kills_in_work = 0
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        child = subprocess.Popen([sys.executable, str(CHILD), str(box.folder), str(relay.port)], stderr=subprocess.DEVNULL)
        try:
            before = len(relay.messages)
            if kills_in_work < KILLS:
                while len(relay.messages) == before and child.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.005)
                time.sleep(chance.uniform(0.0, 0.05))
                kills_in_work += 1
            else:
                while any(box.state_of(k) is not State.SENT for k in keys) and child.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.05)
                break
        finally:
            child.kill()
            child.wait()
    assert kills_in_work == KILLS
    assert {box.state_of(k) for k in keys} == {State.SENT}
    assert set(relay.ids) == {f"<{k}@hpc.example.org>" for k in keys}, "every message arrived, under its own Message-ID"
    dropped_after_taking = MESSAGES * 0.05
    duplicates = sum(relay.ids.values()) - MESSAGES
    assert duplicates <= KILLS * CONCURRENCY + dropped_after_taking
