"""F2: the run was preempted or requeued."""

from __future__ import annotations

from dataclasses import replace

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.parents import left_nothing
from gpualert_slurm.classifier.recount import begins_within
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.verdict import Fault

KEEP = ("Save checkpoints, and on SIGTERM once more: #SBATCH --signal=B:TERM@120",)
RECOVERED_PLACE = 88
"""A good end after a requeue is F2 only where the good end hides nothing worse (E1, E3, D2)."""


class Requeued(FailureMode):
    """Slurm stopped the run for another's sake, or started it again; recovered where the last attempt ended well."""

    code = "F2"
    title = "preempted or requeued"
    place = 34
    variants = ("preempted", "requeued", "preempted_recovered", "requeued_recovered")
    needs = "accounting with all attempts (sacct -D)"
    positive = "PREEMPTED, REQUEUED, restarts, several accounting rows"
    excludes = "nothing"
    leaves_open = "nothing"

    def assess(self, facts: Facts) -> Assessment:
        """IN for PREEMPTED or REQUEUED now; beside a later attempt's own end it is a warning, or recovered when that ended well."""
        flip = "PREEMPTED, REQUEUED or an earlier attempt of the job"
        row = facts.row
        if row is None:
            return not_testable("no accounting is known", flip)
        earlier = facts.job.accounting[:-1]
        if facts.ending.state in {"PREEMPTED", "REQUEUED"}:
            kind = "preempted" if facts.ending.state == "PREEMPTED" else "requeued"
            return ruled_in(f"the run ended as {facts.ending.state}", "any other end", _stopped(facts, kind))
        counted = facts.job.attempt.restart_count or 0
        restarts = max(row.restarts or 0, counted)
        if not earlier and not restarts:
            return ruled_out("one attempt, not restarted", flip, *facts.cite_end())
        before = tuple(citations.state(r) for r in earlier[-4:]) or (_restarted(facts, restarts),)
        words_ = f"{max(len(earlier), restarts)} earlier attempt{'s' if max(len(earlier), restarts) != 1 else ''}"
        if facts.ended_well:
            kind = "preempted" if any(r.state == "PREEMPTED" for r in earlier) else "requeued"
            shows = (Said(f"{words_} of this job", before), Said("the last attempt ended well", facts.cite_end()))
            done = f" ({facts.advance.steps_done} steps)" if facts.advance.steps_done is not None else ""
            anew, lost, cites = _anew(facts)
            told = Account(
                headline=words.headline(f"completed{done} after {words_} ({kind}): recovered" + (", from the beginning" if anew else "")),
                shows=(*shows, Said("it began anew", cites)) if anew and cites else shows,
                fault=Fault.NONE,
                variant=f"{kind}_recovered",
                implies=(f"the earlier attempt had saved nothing: its work ({lost}) was done twice",) if anew else (),
                advice=KEEP if anew else (),
                parent_gpu_hours=anew.gpu_hours if anew else None,
                lost=False,
            )
            return replace(ruled_in(f"{words_}, and a good end", "a bad end of the last attempt", told), place=RECOVERED_PLACE)
        return latent(
            f"{words_}; the last one ended for its own reason", "a last attempt that was itself preempted", Said(f"{words_} of this job", before)
        )


def _restarted(facts: Facts, restarts: int) -> Evidence:
    """How often it was started again: by accounting, else by the count that the Epilog was given (SLURM_JOB_RESTART_COUNT)."""
    if facts.row is not None and facts.row.restarts:
        return citations.accounting(facts.row, "Restarts", restarts)
    return citations.field("accounting", f"job {facts.job.attempt.label}", "the environment of the Epilog", "SLURM_JOB_RESTART_COUNT", str(restarts))


def _anew(facts: Facts) -> tuple[PastVerdict | None, str, tuple[Evidence, ...]]:
    """The earlier attempt whose work was lost, what that was, and this one's losses; None where it saved something or this one went on."""
    past = left_nothing(facts.parent, facts.advance.saved, facts.job.accounting) if facts.parent is not None else None
    loss = facts.advance.loss
    if past is None or facts.advance.loaded or loss is None:
        return None, "", ()
    first = next((s for s in loss.steps if s is not None), None)
    if first is None or first > begins_within(loss.steps):
        return None, "", ()
    lost = [f"{past.steps_done} steps"] if past.steps_done else []
    lost += [f"{past.gpu_hours:.2g} GPU-hours"] if past.gpu_hours else []
    cite = citations.series(loss)
    return past, ", ".join(lost) or "how much is not known", (cite,) if cite is not None else ()


def _stopped(facts: Facts, kind: str) -> Account:
    shows = [Said(f"the run was {kind}", facts.cite_end())]
    if facts.advance.seen:
        done = facts.advance.steps_done
        shows.append(Said(f"until then it advanced (step {done})" if done is not None else "until then it advanced", facts.advance.marks[-1:]))
    return Account(
        headline=words.headline(f"{kind} by Slurm" + (f" at step {facts.advance.steps_done}" if facts.advance.steps_done is not None else "")),
        shows=tuple(shows),
        fault=Fault.NONE,
        variant=kind,
        implies=("the job itself did nothing wrong",),
        cannot_decide=("whether Slurm starts it again",) if kind == "preempted" else (),
        advice=("#SBATCH --requeue --open-mode=append", *KEEP),
    )


MODE = Requeued()
