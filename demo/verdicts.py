"""What the mails diagnosed, beside what a right diagnosis of each job is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.message import EmailMessage
from typing import Any

from .scenarios import ALL, Expected


def found(message: EmailMessage, expected: Expected) -> Expected:
    """The diagnosis in the mail's verdict.json. Its first rank counts where one is expected; a tie that holds the expected one is that one."""
    verdict = _verdict(message)
    ranks = (verdict.get("first_failure") or {}).get("ranks") or []
    rank = None
    if expected.rank is not None and ranks:
        rank = expected.rank if expected.rank in ranks else ranks[0]
    return Expected(str(verdict.get("mode")), verdict.get("cause"), str(verdict.get("fault")), rank)


def table(messages: Mapping[str, EmailMessage]) -> tuple[str, bool]:
    """Expected and found, by scenario, and whether they are the same."""
    lines = [f"{'job':4} {'a right diagnosis':50} {'the mail says':50}".rstrip()]
    same = True
    for scenario in ALL:
        expected = scenario.verdict
        said = found(messages[scenario.letter], expected)
        same = same and said == expected
        mark = "" if said == expected else "   <-- DIFFERENT"
        lines.append(f"({scenario.letter})  {expected.words():50} {said.words():50}{mark}".rstrip())
    return "\n".join(lines), same


def _verdict(message: EmailMessage) -> dict[str, Any]:
    for part in message.iter_attachments():
        if part.get_filename() == "verdict.json":
            payload = part.get_payload(decode=True)
            verdict: dict[str, Any] = json.loads(payload if isinstance(payload, bytes) else b"{}")
            return verdict
    return {}
