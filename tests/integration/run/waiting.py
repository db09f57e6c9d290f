"""Waiting for what must come true."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(condition: Callable[[], object], what: str, within_s: float = 60) -> None:
    """Wait for it, and say what did not come true."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, f"not within {within_s} s: {what}"
        time.sleep(0.01)
