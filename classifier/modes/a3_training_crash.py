"""A3: the run ended by an exception after it had made progress."""

from __future__ import annotations

from dataclasses import replace

from gpualert_slurm.classifier import words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.modes.a1_startup_crash import account, waited_in_vain
from gpualert_slurm.classifier.underway import begun


class TrainingCrash(FailureMode):
    """After progress: an error nobody survived."""

    code = "A3"
    title = "crash in mid-training"
    place = 58
    needs = "the ranks' output with its order or times"
    positive = "a terminal exception after progress"
    excludes = "an error the run survived, or one after its planned end"
    leaves_open = "nothing of its own"

    def assess(self, facts: Facts) -> Assessment:
        """IN for an error nobody survived, after progress."""
        flip = "a terminal exception after progress"
        if facts.ended_well:
            return ruled_out(f"the run ended well ({facts.ending.state or 'planned end'})", flip, *facts.cite_end())
        error = facts.error
        if error is None:
            if not facts.has_logs:
                return not_testable("no output of the job was captured", flip)
            return ruled_out("no exception that the run did not survive", flip)
        behind = None if facts.advance.seen else begun(facts, error)
        if not (facts.advance.seen or behind) or facts.others_went_on(error):
            return ruled_out("no progress before the error", "progress before the error", error)
        if waited_in_vain(error):
            return ruled_out("who failed had waited for another rank until a time-out", flip, error)
        first = facts.first
        if first is not None and first.signal is not None and error.says not in {"exception", "nccl_error", "cuda_error"}:
            return ruled_out(f"{first.name} was ended by {first.words}", "an exit by itself", first.evidence)
        step = f"step {facts.advance.steps_done}" if facts.advance.steps_done is not None else "some progress"
        told = account(facts, error)
        late = " (its planned end had been reached)" if facts.advance.end_marks else ""
        marks = facts.advance.marks[-1:]
        got = Said(behind, (error,)) if behind else Said(f"it had come to {step}{late}", (*marks, *facts.advance.end_marks[-1:]))
        told = replace(told, variant=None, shows=(*told.shows, got))
        return ruled_in(f"{words.headline(words.told(error))}, after {step}", "progress after the error", told)


MODE = TrainingCrash()
