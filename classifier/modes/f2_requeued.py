"""F2: the run was preempted or requeued."""

from __future__ import annotations

from dataclasses import replace

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.verdict import Fault

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
        restarts = row.restarts or 0
        if not earlier and not restarts:
            return ruled_out("one attempt, not restarted", flip, *facts.cite_end())
        before = tuple(citations.state(r) for r in earlier[-4:]) or (citations.accounting(row, "Restarts", restarts),)
        words_ = f"{max(len(earlier), restarts)} earlier attempt{'s' if max(len(earlier), restarts) != 1 else ''}"
        if facts.ended_well:
            kind = "preempted" if any(r.state == "PREEMPTED" for r in earlier) else "requeued"
            shows = (Said(f"{words_} of this job", before), Said("the last attempt ended well", facts.cite_end()))
            done = f" ({facts.advance.steps_done} steps)" if facts.advance.steps_done is not None else ""
            told = Account(
                headline=words.headline(f"completed{done} after {words_} ({kind}): recovered"),
                shows=shows,
                fault=Fault.NONE,
                variant=f"{kind}_recovered",
                lost=False,
            )
            return replace(ruled_in(f"{words_}, and a good end", "a bad end of the last attempt", told), place=RECOVERED_PLACE)
        return latent(
            f"{words_}; the last one ended for its own reason", "a last attempt that was itself preempted", Said(f"{words_} of this job", before)
        )


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
        advice=("#SBATCH --requeue --open-mode=append", "Save checkpoints, and on SIGTERM once more: #SBATCH --signal=B:TERM@120"),
    )


MODE = Requeued()
