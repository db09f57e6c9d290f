"""One record of /dev/kmsg. Format: Documentation/ABI/testing/dev-kmsg in Linux's sources."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEAD = re.compile(rb"(\d{1,10}),(\d{1,20}),(\d{1,20}),([^,;]*)(?:,[^;]*)?;")
_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")
MOST_TEXT = 2000


@dataclass(frozen=True)
class KernelRecord:
    """A line of the kernel log: ``time_us`` is the kernel's own clock since boot. Facility 0 is the kernel itself."""

    sequence: int
    facility: int
    level: int
    time_us: int
    text: str


def parse(raw: bytes) -> KernelRecord | None:
    """The record in ``raw``, as one read of /dev/kmsg gives it; None for what is not of that form."""
    match = _HEAD.match(raw)
    if match is None:
        return None
    priority = int(match.group(1))
    body = raw[match.end() :].split(b"\n", 1)[0]
    unescaped = _ESCAPE.sub(lambda m: bytes([int(m.group(1), 16)]), body)
    # A name chosen by a user may hold a line break: what stands behind it must not begin a line of its own.
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in unescaped.decode("utf-8", "replace"))
    return KernelRecord(
        sequence=int(match.group(2)), facility=priority >> 3, level=priority & 7, time_us=int(match.group(3)), text=text[:MOST_TEXT]
    )
