"""A relay for each test, and messages to send through it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Notification
from tests.integration.notify.relay import Relay


@pytest.fixture
def relay() -> Iterator[Relay]:
    with Relay() as running:
        yield running


def mail_through(relay: Relay, **changes: object) -> Mail:
    fields = {"host": "127.0.0.1", "port": relay.port, "sender": "gpualert@hpc.example.org", "allowed_domains": ("*",), "timeout_s": 5.0}
    return Mail.model_validate({**fields, **changes})


def notification(key: str = "k1", *recipients: str) -> Notification:
    return Notification(key=key, recipients=recipients or ("a@example.org",), subject=f"subject of {key}", text="größe\n.\n..dots\n", html="<p>größe</p>")
