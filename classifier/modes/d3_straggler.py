"""D3: one rank computed while the others waited for it."""

from __future__ import annotations

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Assessment, FailureMode, not_testable, ruled_out


class Straggler(FailureMode):
    """Needs SM (or power) duty by rank; utilisation alone shows 100 % on waiting ranks too."""

    code = "D3"
    title = "straggler"
    place = 86
    needs = "SM activity or power, and clocks, of every rank's GPU over the run"
    positive = "one rank's SM duty far above the median, sustained, or its clock below; counts equal"
    excludes = "pipeline stages, work that is uneven by design"
    leaves_open = "the host's part; the loss without a baseline"

    def assess(self, facts: Facts) -> Assessment:
        """OUT for a single rank; not testable without SM activity by GPU."""
        flip = "one rank's SM duty at 1.3 times the median or more, sustained"
        if facts.ranks_total < 2:
            return ruled_out("one rank alone has no peers", "two ranks or more")
        return not_testable("no SM activity by rank was read: utilisation is 100 % on a waiting rank too", flip)


MODE = Straggler()
