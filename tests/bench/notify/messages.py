"""Messages of the usual size, by the real composer, each under a key of its own."""

from __future__ import annotations

from collections.abc import Iterator

from gpualert_slurm.notification import Notification
from gpualert_slurm.notify.compose import compose
from tests.unit.notify.cases import CASES, MAIL, ZONE


def notifications(count: int) -> Iterator[Notification]:
    """``count`` times the mail about a startup crash, to ever new recipients."""
    first = compose(*CASES["startup_crash"](), MAIL, zone=ZONE).notification
    assert first is not None
    for number in range(count):
        yield first.model_copy(update={"key": f"mendel.{number}.a1.0f3c9a7e", "recipients": (f"user{number % 500}@example.org",)})
