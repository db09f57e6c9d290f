"""Whether a job that trains nothing was in the middle of its work when it failed: line after line alike, counting on, right before the error.

Files that are converted, tiles that are fetched, documents that are read are what such a job is for; of a training they would be its preparation.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord

LEAST, NEAR, MOST_LINE, MOST_TEXT = 8, 6, 300, 64 * 1024
"""Lines alike; and how far before the error the last of them stands."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_HEAD = re.compile(r"\A\W{0,4}[.,]\d{1,9}")
"""What is left of a clock: its thousandths."""
_BAR = re.compile(r"\|[^|\w]{0,200}\|")
_TRAINS = re.compile(
    r"\btrain|\bepoch|\bloss\b|optimi[sz]er|\blr\b|learning[ _]rate|fine-?tun|gradient|\bfit(?:ting)?\b|\bmodel\b|check-?point"
    r"|entra[iî]n|lern",
    re.IGNORECASE,
)
_STORY = "Traceback (most recent call last)"


def worked_before(job: JobRecord, error: Evidence) -> int | None:
    """How many such lines there were before ``error``; None where it was at no such work, or may only have prepared it."""
    if not isinstance(error.source, Quote) or error.attempt is not None:
        return None
    own = error.source.file
    text = next((x.text for report in job.reports for x in report.excerpts if x.path == own), "")[-MOST_TEXT:]
    before = text.partition(_STORY)[0]
    lines = [line[:MOST_LINE] for line in before.splitlines() if line.strip() and not line.startswith("#gpualert")]
    if len(lines) < LEAST or any(_TRAINS.search(line) for line in lines):
        return None
    shapes = [_NUMBER.sub("#", _BAR.sub("|", CLOCK.sub("", line))) for line in lines]
    near = next((shape for shape in reversed(shapes[-NEAR:]) if shapes.count(shape) >= LEAST and "#" in shape), None)
    if near is None:
        return None
    texts = [_HEAD.sub("", CLOCK.sub("", line)) for line, shape in zip(lines, shapes, strict=True) if shape == near]
    return len(texts) if len(set(texts)) == len(texts) else None
