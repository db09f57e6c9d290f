"""Why the few that a run's lines count are not all its steps, or were enough.

It wrote many times more; each took long, by the clock or by what the run tells of its time; each tells of the same thousands of things, and so is a
pass over them; or it says that it converged.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.accounts import account
from gpualert_slurm.classifier.advance import FEW_STEPS
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.storm import saves_counted
from gpualert_slurm.classifier.time_kinds import LOAD, SAVE, WAIT
from gpualert_slurm.evidence import Quote

LONG_S, LOADS, SAVES = 10.0, 0.4, 0.2
"""Seconds in all, and the shares of them in loading or in saving that are worth a word."""
_STEPS = re.compile(
    r"(?<![A-Za-z])(?:global_?)?(?:steps?|batch(?:es)?|it(?:er(?:ation)?s?)?|updates?|pas|pasos?|Schritte?|krok\w?)(?![A-Za-z])", re.IGNORECASE
)
"""What is counted are steps, by its word."""
_CONVERGED = re.compile(
    r"(?<!not )(?<!n't )(?<!nicht )\b(?:converged|convergence (?:was )?(?:reached|achieved)|konvergiert|converg[ée]"
    r"|convergi[óou]|konvergenz erreicht)"
    r" (?:after|in|at|to|nach|en|apr[èe]s|tras|em|dopo)\b",
    re.IGNORECASE,
)
"""Of an EM, a Newton's method, a Lloyd's: few are what it takes."""
_PROFILED = re.compile(
    r"\bSelf C(?:PU|UDA) time total\b|\btrace (?:was )?(?:written|saved|exported) to\b.{0,80}trace\.json|\bGenerated:?\s.{0,80}"
    r"\.(?:nsys-rep|ncu-rep)\b"
)
"""torch.profiler's last lines, and Nsight's."""
_INSIDE = re.compile(r"\b(?:iters?|iterations?|batch(?:es)?)['\"]?\W{1,3}(\d{3,9})\b", re.IGNORECASE)
MANY_INSIDE = 1000
_OF_ALL = re.compile(r"(?<![\d.])(\d{3,9}) ?/ ?(\d{4,9})(?![\d.])")
LEAST_PART = 0.3
"""What a pass gets right of all things is more; a step's count stands at the beginning of its whole."""
LEAST_LINES, LEAST_THINGS, LONG_STEP_S = 3, 1000, 600.0
"""A step that takes ten minutes is a pass over much."""


def beyond_count(facts: Facts) -> str | None:
    """In words, why a count of a few says nothing of how much was trained; None where nothing speaks against it."""
    if (facts.advance.steps_done or 0) >= FEW_STEPS:
        return None
    texts = [m.source.text for m in facts.advance.marks if isinstance(m.source, Quote)]
    if (why := _enough(facts, texts)) is not None:
        return why
    saved = account(facts, frozenset({SAVE}))
    held = max((int(e.data["count"]) for e in facts.said("held_up")), default=0)
    many = max(saves_counted(facts.advance), held, saved.count if saved is not None else 0)
    if many >= FEW_STEPS:
        return f"it wrote {many} times: it did more steps than it counts"
    if any(_STEPS.search(text) for text in texts):
        return None
    loads = account(facts, frozenset({LOAD, WAIT}) if facts.ranks_total < 2 else frozenset({LOAD}))
    for own, least in ((saved, SAVES), (loads, LOADS)):
        if own is not None and own.share >= least and (own.whole_s or 0.0) >= LONG_S:
            return f"what it counts took long: {own.share:.0%} of {own.whole_s:.0f} s went into its input or its saves"
    return None


def _enough(facts: Facts, texts: Sequence[str]) -> str | None:
    """Why few of what is counted may be all that is needed."""
    said = [one.text for report in facts.job.reports for one in report.excerpts]
    if any(_CONVERGED.search(text) for text in said):
        return "it says that it converged"
    if any(_PROFILED.search(text) for text in said):
        return "it ran under a profiler, whose table it prints: a few steps are what is profiled"
    parts = [found for text in texts if (found := _OF_ALL.search(text)) is not None]
    same = len(parts) >= LEAST_LINES and len(parts) == len(texts) and len({found[2] for found in parts}) == 1 and int(parts[0][2]) >= LEAST_THINGS
    if same and min(int(found[1]) / int(found[2]) for found in parts) >= LEAST_PART:
        return f"each line tells of {parts[0][2]} things: what is counted are passes over them"
    inside = [int(found[1]) for text in texts for found in _INSIDE.finditer(text)]
    if len(inside) >= LEAST_LINES and max(inside) >= MANY_INSIDE:
        return "each of what is counted has hundreds of steps, which its lines tell"
    times = sorted({m.time_ns for m in facts.advance.marks if m.time_ns is not None})
    if len(times) >= LEAST_LINES and statistics.median(b - a for a, b in pairwise(times)) >= LONG_STEP_S * 1e9:
        return "what is counted took ten minutes and more each"
    return None
