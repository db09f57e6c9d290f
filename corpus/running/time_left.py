"""How long jobs may still run, where a machine is there for minutes: CORPUS_UNTIL_S (seconds since the epoch) says until when."""

from __future__ import annotations

import os
import time

UNTIL_S = float(os.environ.get("CORPUS_UNTIL_S", "inf"))


def left_s() -> float:
    """Seconds, never negative; infinite where nobody set an end."""
    return max(0.0, UNTIL_S - time.time())
