"""The daemon's sender, when it cannot send."""

from __future__ import annotations

import logging
import time

from gpualert_slurm.config import Mail
from gpualert_slurm.notify.channel import ChannelError, Sender
from gpualert_slurm.notify.outbox import Outbox
from gpualert_slurm.programs.gpualertd import sending


def test_a_channel_that_cannot_be_opened_is_said_once_in_one_line(tmp_path, monkeypatch, caplog):
    """The password file went away: no traceback every few seconds, and the sender goes on when it is back."""
    monkeypatch.setattr(sending, "AGAIN_S", 0.05)
    tries: list[int] = []

    def refuse(mail: Mail) -> Sender:
        tries.append(1)
        raise ChannelError("mail.password_file: /nowhere cannot be read")

    with caplog.at_level(logging.INFO):
        one = sending.Sending(Outbox(tmp_path / "box"), Mail(), refuse)
        one.start()
        until = time.monotonic() + 10
        while len(tries) < 5 and time.monotonic() < until:
            time.sleep(0.02)
        one.stop()
    assert len(tries) >= 5
    said = [r for r in caplog.records if "password_file" in r.getMessage()]
    assert len(said) == 1
    assert said[0].exc_info is None
