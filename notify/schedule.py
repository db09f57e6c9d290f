"""When a message that was not taken is tried again."""

from __future__ import annotations

import random

FIRST_DELAY_S = 10.0
LONGEST_DELAY_S = 3600.0
JITTER = 0.2


def delay_s(attempts: int, jitter: float | None = None) -> float:
    """Seconds to wait after ``attempts`` attempts (from 1): 10, 20, 40 … one hour, each ± 20 %.

    The first steps are short because a relay that restarts is back within a minute; the later ones are those of an
    MTA. ``jitter`` is in [-1, 1]; random where absent, so that what was deferred together does not return together.
    """
    plain = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** min(max(attempts, 1) - 1, 20))
    share = random.uniform(-1.0, 1.0) if jitter is None else jitter  # noqa: S311 - spreads load, keeps no secret
    return plain * (1.0 + JITTER * share)
