"""Whether a job that trains nothing was in the middle of its work when it failed: line after line alike, counting on, right before the error.

Files that are converted, tiles that are fetched, documents that are read are what such a job is for; of a training they would be its preparation.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.excerpts import text_of
from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.line_shape import MOST_LINE, line_shape
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord

LEAST, NEAR, MOST_TEXT = 8, 6, 64 * 1024
"""Lines alike; and how far before the error the last of them stands."""
LONG_S = 120.0
_NAMED = re.compile(
    r"(?<![A-Za-z])(?:prep\w*|token\w*|convert\w*|clean\w*|embed\w*|fetch\w*|download\w*|extract\w*|process\w*|index\w*|render\w*|solve\w*|simul\w*"
    r"|infer\w*|generat\w*|predict\w*|transcri\w*|filter\w*|dedup\w*|crawl\w*|pack\w*|resize\w*|encode\w*|annotat\w*)",
    re.IGNORECASE,
)
"""What such jobs and their programs are called."""
_HEAD = re.compile(r"\A\W{0,4}[.,]\d{1,9}")
"""What is left of a clock: its thousandths."""
_TRAINS = re.compile(
    r"\btrain|\bepoch|\bloss\b|optimi[sz]er|\blr\b|learning[ _]rate|fine-?tun|gradient|\bfit(?:ting)?\b|\bmodel\b|check-?point"
    r"|entra[iî]n|lern",
    re.IGNORECASE,
)
_STORY = "Traceback (most recent call last)"


def worked_before(job: JobRecord, error: Evidence, started_ns: int | None) -> int | None:
    """How many such lines there were before ``error``; None where it was at no such work, or may only have prepared it.

    ``started_ns``: when the run began; one that is not named for such work must have been at it for LONG_S.
    """
    if not isinstance(error.source, Quote) or error.attempt is not None:
        return None
    named = _NAMED.search(f"{job.name or ''} {' '.join(job.command)[:MOST_LINE]}") is not None
    if not named and (error.time_ns is None or started_ns is None or error.time_ns - started_ns < LONG_S * 1e9):
        return None
    text = text_of(job, error.source.file)[-MOST_TEXT:]
    before = text.partition(_STORY)[0]
    lines = [line[:MOST_LINE] for line in before.splitlines() if line.strip() and not line.startswith("#gpualert")]
    if len(lines) < LEAST or any(_TRAINS.search(line) for line in lines):
        return None
    shapes = [line_shape(line) for line in lines]
    near = next((shape for shape in reversed(shapes[-NEAR:]) if shapes.count(shape) >= LEAST and "#" in shape), None)
    if near is None:
        return None
    texts = [_HEAD.sub("", CLOCK.sub("", line)) for line, shape in zip(lines, shapes, strict=True) if shape == near]
    return len(texts) if len(set(texts)) == len(texts) else None
