"""E3: the run ended well after a handful of steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier import words
from gpualert_slurm.classifier.advance import saved_step
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.verdict import Fault

FEW_STEPS = 20
SMOKE = re.compile(r"smoke|debug|dry[-_]?run|sanity|\btest\b|quick", re.IGNORECASE)


class Undertrained(FailureMode):
    """Exit 0 after fewer than FEW_STEPS steps; a run that is named a smoke test gets softer words."""

    code = "E3"
    title = "undertrained"
    place = 70
    needs = "the number of steps"
    positive = "a handful of steps and exit 0"
    excludes = "named smoke tests keep the verdict and soften its words"
    leaves_open = "correctness"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a run that ended well with steps counted and fewer than FEW_STEPS."""
        flip = f"{FEW_STEPS} steps or more"
        if not facts.ended_well:
            return ruled_out("the run did not end well", "a run that ended well", *(facts.cite_failures(1) or facts.cite_end()))
        done, marks = facts.advance.steps_done, facts.advance.marks
        saved = _last_save(facts)
        if marks and saved is not None and (done is None or (saved < done and done == saved * _first_step(marks))):
            done = saved  # what its lines count are samples
        if done is not None and (any(m.data.get("coarse") for m in marks) or (done != saved and _anew(facts, marks))):
            return not_testable("what is counted may be whole passes, or begins anew with each", flip)
        if done is None or not marks:
            return not_testable("no steps of training were printed", flip)
        by_epochs = not _over_the_run(marks) and any(e.data.get("epoch") is not None and "step" not in e.data for e in marks)
        if done >= FEW_STEPS or (by_epochs and done != saved):
            return ruled_out(f"{done} steps were done", f"fewer than {FEW_STEPS} steps", *marks[-1:])
        smoke = bool(SMOKE.search(facts.job.name or (facts.row.name if facts.row is not None and facts.row.name else "")))
        of = f" of {facts.advance.steps_planned} planned" if facts.advance.steps_planned else ""
        plural = "" if done == 1 else "s"
        headline = f"completed after {done} step{plural}{of}" + (" (as its name says, a test)" if smoke else ": hardly trained")
        shows = [Said(f"{done} step{plural}{of} were done", marks[-1:])]
        if facts.cite_end():
            shows.append(Said("the run ended with exit 0", facts.cite_end()))
        told = Account(
            headline=words.headline(headline),
            shows=tuple(shows),
            fault=Fault.USER,
            cannot_decide=("whether so few steps were meant",),
            advice=("Check the number of steps or epochs, and the length of the data set the run saw.",),
            lost=not smoke,
        )
        return ruled_in(f"{done} step{plural} and exit 0", flip, told)


def _over_the_run(marks: Sequence[Evidence]) -> bool:
    """Whether steps of how many are told that never begin anew: then they are not an epoch's, whatever epochs other lines name."""
    steps = [step for e in marks if isinstance(step := e.data.get("step"), int) and "planned" in e.data and not e.data.get("per_epoch")]
    return bool(steps) and steps == sorted(steps)


def _first_step(marks: Sequence[Evidence]) -> int:
    return next((step for m in marks if isinstance(step := m.data.get("step"), int)), 0)


def _anew(facts: Facts, marks: Sequence[Evidence]) -> bool:
    """Whether steps begin anew with each epoch, of which nobody says how many there are."""
    epochs = {m.data["epoch"] for m in marks if "step" in m.data and isinstance(m.data.get("epoch"), (int, float))}
    return len(epochs) > 1 and any(s.name == "step" and any(b <= a for a, b in pairwise(s.values)) for s in facts.series)


def _last_save(facts: Facts) -> int | None:
    """The step that the last save is named by, where it came after all progress: so far the run got, whatever its lines count."""
    last = facts.advance.marks[-1:]
    saves = [e for e in facts.advance.saved if last and _behind(e, last[0])]
    return saved_step(saves[-1]) if saves else None


def _behind(save: Evidence, mark: Evidence) -> bool:
    here, there = save.source, mark.source
    return isinstance(here, Quote) and isinstance(there, Quote) and here.file == there.file and here.offset > there.offset


MODE = Undertrained()
