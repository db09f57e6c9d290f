"""What owners read, word for word: one text and one HTML for each kind of verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpualert_slurm.notify.compose import compose
from tests.unit.notify.cases import CASES, MAIL, ZONE

GOLDENS = Path(__file__).parent / "goldens"


@pytest.mark.parametrize("name", CASES)
def test_the_mail_is_the_one_we_looked_at(name, golden):
    """Subject, text and HTML; after a wanted change: --update-goldens, then read the diff and look at the HTML."""
    notification = compose(*CASES[name](), MAIL, zone=ZONE).notification
    assert notification is not None
    golden(GOLDENS / f"{name}.txt", f"Subject: {notification.subject}\n\n{notification.text}")
    golden(GOLDENS / f"{name}.html", notification.html)
