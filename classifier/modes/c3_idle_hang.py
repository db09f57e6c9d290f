"""C3: one process on one GPU stood still."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, standstill, words
from gpualert_slurm.classifier.activity import within
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.fell_silent import fell_silent
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.untold import broken_off
from gpualert_slurm.evidence import Trust
from gpualert_slurm.verdict import Fault

BUSY_CPU_PERCENT = 50.0
"""Of one core: a process above it all the time computes (DLRover calls one below 5 % hung)."""


LEAST_SILENT_S, MOST_OF_LIFE = 60.0, 0.6


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
        alone = fell_silent(facts, idle=bool(idle))
        at_rest = _at_rest(facts) and bool(idle or not facts.activity.cards)
        if not facts.silence.long and not alone and not at_rest:
            return ruled_out(f"the last {facts.silence.of} came {words.duration(facts.silence.seconds)} before the end", flip, *facts.silence.cites)
        if facts.silence.scant and not (facts.stand.stalls or idle or alone or standstill.asleep(facts)):
            return not_testable("the silence is long for this run, but short, and no GPU samples tell waiting from working", flip)
        if standstill.gpu_working(facts):
            return ruled_out("the GPU was at work until the end", "an idle GPU", *standstill.gpu_working(facts))
        begin = facts.activity.recent[0]
        busy = [
            s
            for s in facts.series
            if s.name == "cpu_percent" and begin is not None and len(v := within(s, (begin, None))) >= 3 and min(v) >= BUSY_CPU_PERCENT
        ]
        if busy and not facts.stand.stalls:
            cite = citations.series(busy[0], trust=Trust.SYSTEM)
            return ruled_out("the process computed on the CPU until the end", "an idle process", *((cite,) if cite else ()))
        if not (idle or facts.advance.seen or facts.stand.stalls or alone or at_rest or broken_off(facts)):
            return not_testable("silence, but neither progress before it nor GPU samples to tell waiting from working", flip)
        return ruled_in("the run stood still until it was ended", "progress, or GPU work, until the end", _account(facts))


def _at_rest(facts: Facts) -> bool:
    """Whether the processes slept through a silence of most of the run's life, which need not be long then."""
    silence, life = facts.silence, facts.ending.elapsed_s
    if silence is None or not life:
        return False
    return silence.seconds >= max(LEAST_SILENT_S, MOST_OF_LIFE * life) and bool(standstill.asleep(facts))


def _account(facts: Facts) -> Account:
    silence = facts.silence
    how_long = f" for the last {words.duration(silence.seconds)}" if silence is not None else ""
    stacks = facts.stand.stacks
    shows = standstill.shows_standstill(facts)
    if silence is not None and not silence.long:
        shows.insert(0, Said(f"the last {silence.of} came {words.duration(silence.seconds)} before the end", silence.cites))
    where = next(
        (f"it waited in {rank.waits.value.replace('_', ' ')}" + (f" ({rank.waits_on})" if rank.waits_on else "") for rank, _ in stacks[:1]), None
    )
    if where is not None:
        shows.insert(0, Said(where, (stacks[0][1],)))
    never = _never_attached(facts)
    undecided = [] if stacks else ["what it waited for: no stack of the process was taken"]
    if not standstill.gpu_idle(facts):
        undecided.append("whether the GPU was idle: no samples")
    return Account(
        headline=words.headline(f"stood still{how_long}, until it was ended ({facts.ending.state})" + (f": {where}" if where else "")),
        shows=(*shows, *never),
        fault=Fault.UNKNOWN if facts.hardware.struck or facts.hardware.latent or facts.hardware.node_notes else Fault.USER,
        implies=("no process of the job ever opened the GPU: it hung before its first use, or does not use it",) if never else (),
        cannot_decide=(*undecided, *standstill.uncounted(facts)),
        advice=(
            "Cancel such a run early and start it again with a time limit near its usual run time: #SBATCH --time=…",
            "To see where it stands while it runs: srun --jobid JOBID --overlap py-spy dump --pid PID",
        ),
        against=standstill.against(facts),
    )


def _never_attached(facts: Facts) -> tuple[Said, ...]:
    """NVML's word that no process of the job was ever on the GPU."""
    gpus = [g for r in facts.job.reports for g in r.gpus_after]
    if not gpus or any(g.job_attached is not False for g in gpus) or any(p.gpu_attached_ns or p.gpu_uuids for p in facts.processes):
        return ()
    cite = citations.field(
        "gpu_activity", f"GPU {gpus[0].uuid} on {gpus[0].node}", "NVML after the job", "job_attached", "false", time_ns=gpus[0].time_ns
    )
    return (Said("no process of the job was seen on the GPU", (cite,)),)


MODE = IdleHang()
