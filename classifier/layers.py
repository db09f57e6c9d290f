"""Losses that are each of a layer: quantising or pruning a model goes through it once, and deeper layers err by more."""

from __future__ import annotations

import re

from gpualert_slurm.job_record import JobRecord

LEAST = 4
"""Lines that name a layer which is worked at."""
_LAYER = re.compile(
    r"\b(?:quanti[sz]\w{0,5}|prun(?:e|ed|ing)|calibrat\w{1,4}|compress\w{0,4}|sparsif\w{1,6})\b.{0,80}\b(?:layers?|blocks?|modules?)\b"
    r"|\b(?:layers?|blocks?)\b.{0,40}\b(?:quanti[sz]\w{0,5}|prun(?:ed|ing)|calibrat\w{1,4})\b",
    re.IGNORECASE,
)


def layer_by_layer(job: JobRecord) -> str | None:
    """In words, where a log names layer after layer that is worked at; None where it does not."""
    for one in (x for report in job.reports for x in report.excerpts):
        if len(found := {line.strip() for line in one.text.splitlines() if _LAYER.search(line[:300])}) >= LEAST:
            return f"each loss is of a layer that was worked at once, {len(found)} of them"
    return None
