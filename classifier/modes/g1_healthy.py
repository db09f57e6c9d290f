"""G1: the run did what it was meant to do, on positive evidence."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.advance import learned
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.evidence import Trust
from gpualert_slurm.verdict import Fault


class Healthy(FailureMode):
    """Exit 0, planned end, loss down, the GPU did work: absence of errors alone is not health."""

    code = "G1"
    title = "healthy"
    place = 90
    needs = "the run's end; its output for progress; GPU samples for work done"
    positive = "exit 0, planned end reached, loss down, GPU above its floor"
    excludes = "absence of errors is not health: what has no positive evidence is said"
    leaves_open = "whether it learned, where no metric is printed (unverifiable)"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a run that ended well."""
        flip = "exit 0 of the run and its ranks"
        if not facts.ended_well:
            if not facts.ending.state:
                return not_testable("how the run ended is not known", flip)
            return ruled_out(
                f"the run ended as {facts.ending.state}" if not facts.ending.well else "a rank failed",
                flip,
                *(facts.cite_failures(1) or facts.cite_end()),
            )
        return ruled_in("the run ended well", "a non-zero exit", _account(facts))


def _account(facts: Facts) -> Account:
    go = facts.advance
    shows: list[Said] = []
    undecided: list[str] = []
    if facts.cite_end():
        shows.append(Said("the run ended with exit 0", facts.cite_end()))
    if go.end_marks:
        shows.append(Said("the program said that it reached its planned end", go.end_marks[-1:]))
    elif go.reached_end and go.marks:
        shows.append(Said(f"all {go.steps_planned} planned steps were done", go.marks[-1:]))
    said = learned(go.loss)
    if go.loss is not None:
        cite = citations.series(go.loss)
        if cite is not None:
            trend = {"learned": "the loss fell", "failed": "the loss ended non-finite"}.get(said, "the loss went")
            shows.append(Said(f"{trend}: {go.loss.values[0]:.4g} to {go.loss.values[-1]:.4g}", (cite,)))
    busy = [s for s in facts.series if s.name == "gpu_utilization_percent" and s.values and max(s.values) >= 5]
    cite_busy = citations.series(busy[0], trust=Trust.SYSTEM) if busy else None
    if cite_busy is not None:
        shows.append(Said(f"GPUs worked (up to {max(busy[0].values):.0f} % busy)", (cite_busy,)))
    if said != "learned":
        undecided.append(
            "whether the run learned: " + ("no progress of a training loop was recognised" if not go.seen else "the loss does not show it")
        )
    if not facts.has_logs:
        undecided.append("what the run did: no output was captured")
    done = f": {go.steps_done} steps" if go.steps_done is not None else ""
    loss = f", loss {go.metrics['loss']:.4g}" if "loss" in go.metrics else ""
    return Account(
        headline=words.headline(f"completed{done}{loss}"),
        shows=tuple(shows),
        fault=Fault.NONE,
        variant="healthy",
        cannot_decide=tuple(undecided),
        lost=False,
    )


MODE = Healthy()
