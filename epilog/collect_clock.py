"""How far this node's clock may be off the others', as its kernel says."""

from __future__ import annotations

import ctypes

ASSUMED_NS = 50_000_000
"""Where the kernel cannot say: nodes of a cluster that run NTP are closer than this; the report says that it is an assumption."""
_STA_UNSYNC = 0x0040  # linux/timex.h
_MAXERROR_OFFSET, _STATUS_OFFSET = 24, 40
_TIMEX_BYTES = 256


def clock_uncertainty() -> tuple[int, bool]:
    """(nanoseconds, whether the kernel vouches for them): adjtimex(2)'s maxerror, which NTP keeps up to date."""
    timex = ctypes.create_string_buffer(_TIMEX_BYTES)  # modes 0: only read
    try:
        answer = ctypes.CDLL(None, use_errno=True).adjtimex(timex)
    except (OSError, AttributeError):
        return ASSUMED_NS, False
    if answer < 0:
        return ASSUMED_NS, False
    maxerror_us = ctypes.c_long.from_buffer(timex, _MAXERROR_OFFSET).value
    status = ctypes.c_int.from_buffer(timex, _STATUS_OFFSET).value
    if status & _STA_UNSYNC:
        return ASSUMED_NS, False
    return max(1_000_000, maxerror_us * 1000), True
