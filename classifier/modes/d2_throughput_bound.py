"""D2: the run advanced, bound by saving, by the interconnect or by launch blocking."""

from __future__ import annotations

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.verdict import Fault

STORM_SHARE = 0.5
"""A save at half of the steps or more is a storm."""
MIN_STEPS = 20


class ThroughputBound(FailureMode):
    """Save storm from the log's own count; interconnect and launch blocking need signals of the running job."""

    code = "D2"
    title = "throughput-bound"
    place = 80
    needs = "saves and steps; SM activity and the process environment while it ran"
    positive = "a save at nearly every step; engine ~1.0 with SM ~0.1 on all ranks; launch blocking in the process environment"
    excludes = "a straggler, a hang; CUDA's advice line proves nothing"
    leaves_open = "the fabric's cause"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a save storm of a run that ended well."""
        flip = "a save at half of the steps, or engine ~1.0 with SM ~0.1 on all ranks, or launch blocking in the environment"
        if not facts.ended_well:
            return ruled_out("the run did not end well: what ended it comes first", "a run that ended well", *facts.cite_end())
        done = facts.advance.steps_done or 0
        saves = sum(int(e.data.get("seen", 1)) for e in facts.advance.saved[:1]) if facts.advance.saved else 0
        saves = max(saves, len(facts.advance.saved))
        if done >= MIN_STEPS and saves >= STORM_SHARE * done:
            shows = (
                Said(f"{saves} saves in {done} steps", (*facts.advance.saved[-1:], *facts.advance.marks[-1:])),
                Said("the run ended well", facts.cite_end()),
            )
            told = Account(
                headline=f"completed, but saved {saves} times in {done} steps",
                shows=tuple(s for s in shows if s.evidence),
                fault=Fault.USER,
                variant="save_storm",
                implies=("much of the time went into saving",),
                cannot_decide=("how much time the saves took: their ends are not printed",),
                advice=(f"Save less often: every {max(50, done // 10)} steps, say; write to node-local storage and copy at the end.",),
                lost=False,
            )
            return ruled_in(f"{saves} saves in {done} steps", f"fewer than {STORM_SHARE:.0%} of the steps with a save", told)
        slow = facts.said("slow_transport")
        if slow:
            return not_testable("sockets are used between nodes, but no SM activity was read to tell whether that bound the run", flip)
        return not_testable("no SM activity and no process environment were read", flip)


MODE = ThroughputBound()
