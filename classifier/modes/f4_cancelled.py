"""F4: a person cancelled the job."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.verdict import Fault


class Cancelled(FailureMode):
    """CANCELLED with a uid and no earlier fault."""

    code = "F4"
    title = "cancelled by a person"
    place = 62
    variants = ("by_owner", "by_other")
    needs = "accounting"
    positive = "CANCELLED, by whom"
    excludes = "an earlier fault"
    leaves_open = "why"

    def assess(self, facts: Facts) -> Assessment:
        """IN for CANCELLED; a fault before it is lower on the ladder and wins."""
        flip = "CANCELLED"
        if facts.ending.state == "CANCELLED":
            return ruled_in("the run ended as CANCELLED", "an earlier fault", _account(facts))
        if facts.stopping.cancelled_step and not facts.oom_kills:
            cites = tuple(citations.rank_exit(e) for e in facts.stopping.cancelled_step[:4])
            return ruled_in("its step was cancelled, all tasks at once, and the script ran on", "a task that died first", _account(facts, cites))
        if not facts.ending.state:
            return not_testable("how the run ended is not known", flip)
        return ruled_out(f"the run ended as {facts.ending.state}", flip, *facts.cite_end())


def _account(facts: Facts, step: tuple[Evidence, ...] = ()) -> Account:
    by = facts.ending.by_uid
    owner = facts.job.uid if facts.job.uid is not None else (facts.row.uid if facts.row is not None else None)
    shows = [Said("the run was cancelled", facts.cite_end())]
    if step:
        told = facts.said("step_cancelled")[:1]
        shows = [Said("all tasks of its step were ended at once, by one signal", step), Said("the step was cancelled", told)]
    undecided = ["why it was cancelled"]
    if by is not None and owner is not None and by == owner:
        variant, title, fault = "by_owner", "cancelled by its owner", Fault.NONE
    elif by is not None:
        variant, title, fault = "by_other", f"cancelled by uid {by}" + (" (root or Slurm itself)" if by == 0 else ""), Fault.UNKNOWN
    else:
        variant, title, fault = None, "a step of it was cancelled" if step else "cancelled", Fault.UNKNOWN
        undecided.append("by whom: Slurm's record names no uid")
    if facts.advance.seen:
        shows.append(
            Said(
                "it was advancing" + (f" (step {facts.advance.steps_done})" if facts.advance.steps_done is not None else ""), facts.advance.marks[-1:]
            )
        )
    silence = facts.silence
    if silence is not None and silence.long:
        shows.append(Said(f"the last {silence.of} came {words.duration(silence.seconds)} before the end", silence.cites))
    never = facts.row is not None and facts.row.start_ns is None
    return Account(
        headline=words.headline(title + (" before it started" if never else "")),
        shows=tuple(shows),
        fault=fault,
        variant=variant,
        cannot_decide=tuple(undecided),
        advice=_advice(variant),
        lost=variant != "by_owner",
    )


def _advice(variant: str | None) -> tuple[str, ...]:
    if variant == "by_owner":
        return ()
    if variant == "by_other":
        return ("Ask who cancelled it: scontrol and the site's operators know the uid named above.",)
    return ("Who it was: sacct -j JOBID -X -o State%40   # newer versions of Slurm name the uid; else slurmctld's log does",)


MODE = Cancelled()
