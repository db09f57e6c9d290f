"""Who may be written to. What the owner asked for is user input: split, checked and held against the site's list here again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.utils import getaddresses
from functools import lru_cache

from email_validator import EmailNotValidError, validate_email

from gpualert_slurm.config import Mail
from gpualert_slurm.notify.headers import header_text

HOST_NAME = re.compile(r"(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9][A-Za-z0-9-]{0,62})*")
MAX_RECIPIENTS = 20
"""For one message; a cluster is no mailing-list server."""


@dataclass(frozen=True)
class Recipients:
    """``allowed`` are bare ASCII addresses in the order asked for, each once; ``refused`` is (what was asked, why not)."""

    allowed: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


def choose(asked: Iterable[str], mail: Mail) -> Recipients:
    """The addresses of ``asked`` (each may hold several, comma-separated) that are valid and that the site allows."""
    allowed: list[str] = []
    refused: list[tuple[str, str]] = []
    for text in asked:
        for shown, address in _split(text):
            try:
                plain = _validated(address, mail.allowed_domains)
            except EmailNotValidError as error:
                refused.append((shown, f"not a valid address: {error}"))
                continue
            domain = plain.rpartition("@")[2]
            if not plain.isascii() or plain.startswith("-"):
                refused.append((shown, "an address must be ASCII and must not begin with '-'"))
            elif not domain_allowed(domain, mail.allowed_domains):
                refused.append((shown, _why_not(domain, mail)))
            elif plain.lower() not in (a.lower() for a in allowed):
                if len(allowed) < MAX_RECIPIENTS:
                    allowed.append(plain)
                else:
                    refused.append((shown, f"more than {MAX_RECIPIENTS} addresses for one message"))
    return Recipients(tuple(allowed), tuple(refused))


def domain_allowed(domain: str, allowed: Sequence[str]) -> bool:
    """Whether ``domain`` (ASCII) is on the list: ``*`` is every domain, ``.site`` the domains below ``site``, else the very name."""
    name = domain.lower().rstrip(".")
    for entry in (a.lower().rstrip(".") for a in allowed):
        below = entry.startswith(".") and name.endswith(entry) and len(name) > len(entry)
        if below or entry in ("*", name):
            return True
    return False


@lru_cache(4096)
def _validated(address: str, allowed_domains: tuple[str, ...]) -> str:
    """The address as it is used.

    A site may name a domain that the world does not know (``cluster.local``, ``localhost``); the validator refuses those
    wholesale, so that under a domain that is named, not only meant by ``*``, only the local part is its business.

    Raises:
        EmailNotValidError: it is none.
    """
    local, _, domain = address.rpartition("@")
    named = HOST_NAME.fullmatch(domain) and domain_allowed(domain, [d for d in allowed_domains if d != "*"])
    looked_at = f"{local}@example.org" if named else address
    valid = validate_email(looked_at, check_deliverability=False, allow_smtputf8=False, allow_quoted_local=False)
    return f"{valid.local_part}@{domain}" if named else valid.ascii_email or valid.normalized


def _split(text: str) -> list[tuple[str, str]]:
    """(as shown, bare address) pairs; text that is no address list comes back whole, to be refused by name."""
    if any(ord(c) < 32 or ord(c) == 127 for c in text):
        return [(header_text(text, 120), "")]
    # The parser drops blanks inside an address: what is not written so is not what was asked for.
    pairs = [(header_text(a or n, 120), a if a in text else "") for n, a in getaddresses([text]) if a or n]
    return pairs or ([(header_text(text, 120), "")] if text.strip() else [])


def _why_not(domain: str, mail: Mail) -> str:
    if not mail.allowed_domains:
        return "mail.allowed_domains is empty, so nobody may be written to; an administrator must list this site's domains"
    return f"{domain} is not in mail.allowed_domains"
