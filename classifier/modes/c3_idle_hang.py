"""C3: one process on one GPU stood still."""

from __future__ import annotations

from gpualert_slurm.classifier import standstill, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, not_testable, ruled_in, ruled_out
from gpualert_slurm.verdict import Fault


class IdleHang(FailureMode):
    """A single rank that made progress and then none, or whose GPU idled to the end."""

    code = "C3"
    title = "idle-GPU hang"
    place = 44
    needs = "the rank's output with times, or GPU samples"
    positive = "GPU idle and output silent, sustained, until the run was ended from outside; or progress that stopped"
    excludes = "a busy CPU phase, suspension by Slurm"
    leaves_open = "which lock, unless a stack was taken"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a single rank that stood still until it was ended."""
        flip = "one rank, silent with an idle GPU until it was ended"
        if facts.ended_well:
            return ruled_out("the run ended well", flip, *facts.cite_end())
        if facts.ranks_total > 1:
            return ruled_out("several ranks: C1 or C2", "one rank")
        if standstill.suspended(facts):
            return ruled_out("Slurm had suspended the job", "no suspension", *standstill.suspended(facts))
        if not standstill.stopped(facts):
            return ruled_out("the run ended by itself", flip, *(facts.cite_failures(1) or facts.cite_end()))
        dead = [f for f in facts.failures if not f.follows]
        if dead:
            return ruled_out(f"the task had already ended with {dead[0].words}", "a living task", dead[0].evidence)
        idle = standstill.gpu_idle(facts)
        if facts.silence is None:
            return not_testable("no times of the output are known", flip)
        if not facts.silence.long:
            return ruled_out(f"the last {facts.silence.of} came {words.duration(facts.silence.seconds)} before the end", flip, *facts.silence.cites)
        if standstill.gpu_working(facts):
            return ruled_out("the GPU was at work until the end", "an idle GPU")
        if not idle and not facts.advance.seen:
            return not_testable("silence, but neither progress before it nor GPU samples to tell waiting from working", flip)
        return ruled_in("the run stood still until it was ended", "progress, or GPU work, until the end", _account(facts))


def _account(facts: Facts) -> Account:
    silence = facts.silence
    how_long = f" for the last {words.duration(silence.seconds)}" if silence is not None else ""
    return Account(
        headline=words.headline(f"stood still{how_long}, until it was ended ({facts.ending.state})"),
        shows=tuple(standstill.shows_standstill(facts)),
        fault=Fault.UNKNOWN,
        cannot_decide=("what it waited for: no stack of the process was taken",)
        + (() if standstill.gpu_idle(facts) else ("whether the GPU was idle: no samples",)),
        advice=(
            "Cancel such a run early and start it again with a time limit near its usual run time: #SBATCH --time=…",
            "To see where it stands while it runs: srun --jobid JOBID --overlap py-spy dump --pid PID",
        ),
    )


MODE = IdleHang()
