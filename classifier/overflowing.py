"""A loss scaler that came down to nothing: every step overflowed and was left out, and what the run leaves was not trained.

A step or two left out at the beginning, or now and then, is how a scaler works; its scale then lies in the thousands. One that ends below 1, halved
from line to line, never found a gradient that was finite.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.evidence import Evidence

LEAST, GONE = 8, 1.0
"""Lines that tell it, and the scale below which no gradient is."""
MOST_TEXT, MOST_LINE = 128 * 1024, 300
_GRADIENTS = re.compile(r"overflow|grad|loss|\bstep\b|\bupdate", re.IGNORECASE)
_SCALE = re.compile(
    r"(?:overflow|skip|inf(?:inite)?\b|nan\b).{0,120}?\bscale\w{0,2}\b\D{0,40}"
    rf"(?:{NUMBER}\s?,?\s?(?:->|to|reducing to|-->|→)\s?)?(?P<scale>{NUMBER})(?![\w%])",
    re.IGNORECASE,
)


def overflowed(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, and what ended the run; None where its scale is one, or is not told so."""
    for one in (x for report in facts.job.reports for x in report.excerpts):
        lines = (line[:MOST_LINE] for line in one.text[:MOST_TEXT].splitlines() if "scal" in line and _GRADIENTS.search(line[:MOST_LINE]))
        told = [(number(found["scale"]) or 0.0) for line in lines if (found := _SCALE.search(line)) is not None]
        if len(told) >= LEAST and max(told[-LEAST:]) < max(told) and 0 <= told[-1] < GONE:
            return f"the loss scale came down to {told[-1]:.3g}: {len(told)} steps were left out for gradients that are not finite", facts.cite_end()
    return None
