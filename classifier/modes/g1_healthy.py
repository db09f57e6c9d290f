"""G1: the run did what it was meant to do, on positive evidence."""

from __future__ import annotations

from dataclasses import replace

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.activity import SM
from gpualert_slurm.classifier.advance import learned
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.verdict import Fault

SLOW_PERCENT = 15.0
"""Mean engine duty below which a good run is called slow (jobstats' red)."""
LEAST = 10


class Healthy(FailureMode):
    """Exit 0, planned end, loss down, the GPU did work: absence of errors alone is not health."""

    code = "G1"
    title = "healthy"
    place = 90
    variants = ("healthy", "slow")
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


def _duty(facts: Facts) -> float | None:
    """Mean engine duty of the busiest GPU over the training, with readings enough to say it."""
    found = [v for c in facts.activity.sampled if (v := c.engine(facts.activity.work, LEAST)) is not None or (v := c.engine(least=LEAST)) is not None]
    return max(found, default=None)


def _worked(facts: Facts) -> list[Said]:
    """NVML's word that the GPUs did something: SMs above their floor, else engines."""
    for name, what, floor in ((SM, "SMs", 1.0), ("gpu_duty_percent", "GPUs", 5.0), ("gpu_utilization_percent", "GPUs", 5.0)):
        busy = [c for c in facts.activity.cards if (values := c.values(name)) and max(values) >= floor]
        cite = busy[0].cite(name) if busy else None
        if cite is not None:
            return [Said(f"{what} worked (up to {max(busy[0].values(name)):.0f} % busy)", (cite,))]
    return []


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
    shows += _worked(facts)
    ill = facts.set_aside[:4]
    shows += [Said(f"rank {e.rank} ended badly, when the work was done or by the script's own doing", (citations.rank_exit(e),)) for e in ill]
    mean = _duty(facts)
    slow = mean is not None and mean < SLOW_PERCENT and go.seen
    if said != "learned":
        undecided.append(
            "whether the run learned: " + ("no progress of a training loop was recognised" if not go.seen else "the loss does not show it")
        )
    if not facts.has_logs:
        undecided.append("what the run did: no output was captured")
    if not facts.activity.sampled:
        undecided.append("whether the GPUs did the work: no samples of them")
    done = f": {go.steps_done} steps" if go.steps_done is not None else ""
    loss = f", loss {go.metrics['loss']:.4g}" if "loss" in go.metrics else ""
    told = Account(
        headline=words.headline(f"completed{done}{loss}"),
        shows=tuple(shows),
        fault=Fault.NONE,
        variant="healthy",
        cannot_decide=tuple(undecided),
        lost=False,
    )
    if not slow:
        return told
    headline = words.headline(f"completed{done}{loss}; slow: the GPUs were busy {mean:.0f} % of the time")
    return replace(told, variant="slow", title="healthy, but slow", headline=headline)


MODE = Healthy()
