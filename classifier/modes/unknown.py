"""unknown: nothing explains the end. The last lines, a fingerprint, and what was missing."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, ruled_in
from gpualert_slurm.gap import Gap
from gpualert_slurm.verdict import Fault


class Unknown(FailureMode):
    """The last step of the ladder: never a guess."""

    code = "unknown"
    title = "not explained by the data"
    place = 1000
    needs = "nothing"
    positive = "no other mode is ruled in"
    excludes = "every other mode"
    leaves_open = "the cause"

    def assess(self, facts: Facts) -> Assessment:
        """Always IN; every other mode comes before it."""
        return ruled_in("stands where no other mode does", "any other mode ruled in", _account(facts))


def _account(facts: Facts) -> Account:
    ending, first = facts.ending, facts.first
    code = (
        f" with {first.words}"
        if first is not None
        else f", exit {ending.exit_code or 0}:{ending.exit_signal or 0}"
        if ending.exit_code is not None
        else ""
    )
    shows = []
    if facts.cite_end():
        shows.append(Said(f"the run ended as {ending.state}{code}" if ending.state else "how the run ended is not known", facts.cite_end()))
    if first is not None and first.evidence not in facts.cite_end():
        shows.append(Said(f"{first.name} ended with {first.words}", (first.evidence,)))
    if not shows:
        missing = facts.job.gaps[0] if facts.job.gaps else Gap(what="how the run ended", why="no record of it")
        shows.append(Said(f"not known: {missing}", (citations.gap(missing),)))
    undecided = ["why the run ended" if ending.state else "how the run ended"]
    if not facts.has_logs:
        undecided.append("what the run printed: no output was captured")
    what = f"ended as {ending.state}{code}" if ending.state else "its end is not known"
    victims = tuple(f for f in facts.failures if f.victim)
    silent = bool(victims) and first is not None and not first.victim
    if silent and first is not None:  # the others' words are of its end, it had none itself
        others = "the rank that waited for it" if len(victims) == 1 else f"the {len(victims)} ranks that waited for it"
        shows.append(Said(f"{others} lost {first.name} and said so", facts.waits[:2] or tuple(v.evidence for v in victims[:2])))
        what = f"{first.name} ended with {first.words} and said nothing; the others lost it"
    advice: tuple[str, ...] = ("Look at the last lines below.",)
    if not facts.has_logs:
        advice = ("Look at the job's own output file (scontrol show job, StdOut).",)
    elif not facts.wrote:
        undecided.append("more than the exit says: the job wrote nothing")
        advice = ("Let the program say on stderr why it ends with that code; for a shell script: set -x",)
    return Account(
        headline=words.headline(what if silent else f"{what}; nothing in the data explains it"),
        shows=tuple(shows),
        fault=Fault.UNKNOWN,
        cannot_decide=tuple(undecided),
        advice=advice,
    )


MODE = Unknown()
