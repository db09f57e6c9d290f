"""The confidence of a verdict: a simple model, said in doc/formats/verdict.md, so that a reader can recompute it.

Start from the independent stores whose evidence the verdict cites: one alone is capped, agreeing ones raise it. The job's own
text, which it can make up, counts less alone. Each contradiction and each missing store takes away.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpualert_slurm.evidence import Evidence, FieldValue, Quote, Trust

BY_STORES = {0: 0.2, 1: 0.87, 2: 0.97, 3: 0.97}
"""Fitted by hand to the development part of the corpus, where 98 to 100 of a hundred are right, and to what such answers were worth at a
first meeting (99 of a hundred in the fourteenth to sixteenth test parts, with and without gaps)."""
MOST = 0.98
FIRST_MEETINGS = {"A1": 0.94, "C1": 0.92, "D2": 0.95, "E1": 0.95, "E2": 0.94, "E3": 0.92, "F2": 0.96, "F3": 0.86, "F4": 0.94, "G1": 0.91}
"""The most that is said for modes that rules tell less well of jobs that they have not seen: what their answers were worth when they first met
the corpus's twenty-first to twenty-fourth test parts (of a hundred F3 76, C1 86, E3 87 and G1 90 right, to E2's 96), and a little for what was
mended since."""
ALONE, TWO = 0.03, 2
"""Less is said at the most where no second store agrees."""
TEXT_ALONE = 0.88
PER_CONTRADICTION = 0.2
PER_GAP = 0.01
MOST_FOR_GAPS = 0.04
UNKNOWN = 0.2


def store_of(evidence: Evidence) -> str:
    """Which independent store said it: ``text``, ``slurm``, ``exits``, ``cgroup``, ``kernel``, ``nvml``."""
    source = evidence.source
    if isinstance(source, Quote):
        return "text" if evidence.trust is Trust.USER else "kernel"
    if isinstance(source, FieldValue):
        words = {
            "slurm_state": "slurm",
            "slurm_field": "slurm",
            "node_state": "slurm",
            "node_lost": "slurm",
            "rank_exit": "exits",
            "own_exit": "exits",
            "log_activity": "exits",
            "cgroup_memory": "cgroup",
            "gap": "",
            "gpu_vanished": "nvml",
            "gpu_activity": "nvml",
            "gpu_shared": "nvml",
            "past": "history",
        }
        return words.get(evidence.says, "kernel" if evidence.trust is Trust.SYSTEM else "text")
    return "text" if evidence.trust is Trust.USER else "nvml"


def confidence(mode: str, cited: Iterable[Evidence], contradictions: int, gaps: int) -> float:
    """Between 0.05 and 0.98.

    Args:
        mode: ``unknown`` is capped low: it says that nothing was found.
        cited: the evidence of what the verdict shows.
        contradictions: readings that speak against it.
        gaps: stores that should be there and are not.
    """
    stores = {store_of(e) for e in cited} - {""}
    value = BY_STORES.get(len(stores), MOST)
    if stores == {"text"}:
        value = TEXT_ALONE
    if mode == "unknown":
        value = min(value, UNKNOWN)
    value = min(value, FIRST_MEETINGS.get(mode, MOST) - (ALONE if len(stores) < TWO else 0.0))
    value -= contradictions * PER_CONTRADICTION + min(MOST_FOR_GAPS, gaps * PER_GAP)
    return round(max(0.05, min(MOST, value)), 2)
