"""What lines alike have in common: their words, without their numbers, the clock before them and the bar within them."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.growing import CLOCK

MOST_LINE = 300
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_BAR = re.compile(r"\|[^|\w]{0,200}\|")


def line_shape(line: str) -> str:
    """The first MOST_LINE characters of ``line`` with ``#`` for each number; a line without a number has no ``#``."""
    return _NUMBER.sub("#", _BAR.sub("|", CLOCK.sub("", line[:MOST_LINE]))).strip()
