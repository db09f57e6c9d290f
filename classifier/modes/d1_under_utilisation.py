"""D1: the GPU waited for its input."""

from __future__ import annotations

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Assessment, FailureMode, Said, latent, not_testable, ruled_out
from gpualert_slurm.evidence import Trust

LOW_PERCENT = 15.0
"""Mean utilisation that jobstats shows in red; below it is worth a warning."""
MIN_POINTS = 10
FEW_STEPS = 20


class UnderUtilisation(FailureMode):
    """A low duty cycle alone is a warning, never a verdict."""

    code = "D1"
    title = "under-utilised GPU"
    place = 82
    needs = "GPU utilisation over the run at step scale; progress"
    positive = (
        "advancing, loss falling, engine duty low with gaps at step scale; confirmed by near-zero engine while launching, or multi-second stalls"
    )
    excludes = "a small model, B3, D2"
    leaves_open = "starvation or a small model; the magnitude"

    def assess(self, facts: Facts) -> Assessment:
        """Suspected (a warning) below LOW_PERCENT; confirmation needs kernel launches or loader activity, which no signal feeds."""
        flip = "engine near zero at step scale while the run advances"
        seen = [s for s in facts.series if s.name == "gpu_utilization_percent" and len(s.values) >= MIN_POINTS]
        if not seen:
            return not_testable("no GPU utilisation over the run", flip)
        if not facts.advance.seen or (facts.advance.steps_done or FEW_STEPS) < FEW_STEPS:
            return not_testable("too few steps of progress to set the utilisation against", flip)
        low = [s for s in seen if sum(s.values) / len(s.values) < LOW_PERCENT]
        cites = [c for s in (low or seen)[:2] if (c := citations.series(s, trust=Trust.SYSTEM)) is not None]
        if low:
            mean = sum(low[0].values) / len(low[0].values)
            return latent(
                "suspected only: low utilisation while it advanced", flip, Said(f"a GPU was busy {mean:.0f} % of the time on average", tuple(cites))
            )
        return ruled_out("the GPUs were busy while the run advanced", flip, *cites)


MODE = UnderUtilisation()
