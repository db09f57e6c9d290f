"""E2: a run that should have resumed did not, or its checkpoint did not load."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, crash, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.verdict import Fault

CRASHES = {"size_mismatch": "size_mismatch", "no_valid_checkpoint": "no_valid_checkpoint", "corrupt_checkpoint": "corrupt"}
NEAR_HEAD = 0.15
"""Head loss within this of the parent's head, and far above its tail."""


class Resume(FailureMode):
    """Crash variants from the error; from_scratch only where a parent with its losses is known."""

    code = "E2"
    title = "resume failed"
    place = 55
    needs = "the terminal error; for from_scratch a parent run and the head and tail of both losses"
    positive = "a checkpoint that does not fit, is not valid or is corrupt; a parent is known and the loss starts at the parent's head"
    excludes = "a warm start by design, a new stage"
    leaves_open = "nothing of its own"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a load error, or a start from scratch beside a known parent."""
        flip = "an error while a checkpoint is loaded, or a parent whose head loss this run starts at"
        error = facts.error
        if error is not None and error.detail in CRASHES and not facts.advance.seen and not facts.ended_well:
            return ruled_in(words.headline(words.told(error)), "a checkpoint that loads", _crashed(facts, error))
        parents = [p for p in facts.job.past if p.relation in {"parent", "earlier_attempt"}]
        if not parents:
            return (
                not_testable("no parent run is known, and no load error was printed", flip)
                if facts.ended_well
                else ruled_out("no error while a checkpoint was loaded", flip)
            )
        loss = facts.advance.loss
        parent = parents[-1]
        if facts.advance.loaded:
            return ruled_out("the output says that a checkpoint was loaded", "no such line where one would print", *facts.advance.loaded[:1])
        if loss is None or parent.head_loss is None or parent.tail_loss is None or len(loss.values) < 2:
            return not_testable("the losses of the parent or of this run are not known", flip)
        head = loss.values[0]
        span = parent.head_loss - parent.tail_loss
        from_scratch = span > 0 and abs(head - parent.head_loss) <= NEAR_HEAD * abs(parent.head_loss) and head - parent.tail_loss > 0.5 * span
        first_step = next((s for s in loss.steps if s is not None), 0)
        cite = citations.series(loss)
        if from_scratch and first_step <= 10 and cite is not None and facts.ended_well:
            return ruled_in(
                f"the loss starts at {head:.4g}, the parent's own start was {parent.head_loss:.4g}",
                f"a start near {parent.tail_loss:.4g}",
                _scratch(facts, parent, cite),
            )
        return ruled_out(f"the loss starts at {head:.4g}, the parent ended at {parent.tail_loss:.4g}", flip, *((cite,) if cite else ()))


def _crashed(facts: Facts, error: Evidence) -> Account:
    return Account(
        headline=words.subject(words.who(facts.first, error), words.told(error)),
        shows=crash.shows_crash(facts, error),
        fault=Fault.USER,
        variant=CRASHES.get(error.detail or ""),
        cause=error.cause,
        detail=error.detail,
        implies=("the error came while a checkpoint or model was loaded",),
        advice=crash.advice_for(error, error.cause, error.detail),
    )


def _scratch(facts: Facts, parent: PastVerdict, cite: Evidence) -> Account:
    before = citations.field("past", f"verdict of job {parent.job}", "history", "losses", f"{parent.head_loss} to {parent.tail_loss}")
    shows = [Said(f"this run's loss began at {facts.advance.loss.values[0]:.4g}" if facts.advance.loss else "this run's loss", (cite,))]
    shows.append(Said(f"its parent, job {parent.job}, went from {parent.head_loss:.4g} to {parent.tail_loss:.4g}", (before,)))
    shows += [Said("the program said that it starts from scratch", (e,)) for e in facts.advance.not_loaded[:1]]
    return Account(
        headline=words.headline(f"completed, but started from scratch instead of job {parent.job}'s checkpoint"),
        shows=tuple(shows),
        fault=Fault.USER,
        variant="from_scratch",
        cannot_decide=("whether a warm start was wanted",),
        advice=("Pass the checkpoint explicitly (for example --resume_from_checkpoint PATH) and check that its line is printed.",),
    )


MODE = Resume()
