"""C2: ranks waited for each other in mid-training until something ended them."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import standstill, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.fell_silent import called_off
from gpualert_slurm.classifier.idlers import all_idle
from gpualert_slurm.classifier.meeting import at_business
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.remedies import by_detail
from gpualert_slurm.classifier.silence import SAFETY_FACTOR, SCANT_S
from gpualert_slurm.classifier.stand import Culprit
from gpualert_slurm.classifier.trigger import trigger_of
from gpualert_slurm.classifier.untold import all_stopped_talking, broken_off, was_at_work
from gpualert_slurm.stall import Waits
from gpualert_slurm.verdict import Fault, FirstFailure

LIMITS = {"TIMEOUT", "DEADLINE"}


class CollectiveHang(FailureMode):
    """The hang is the mode, what set it off the trigger: both are reported."""

    code = "C2"
    title = "collective hang in mid-training"
    place = 42
    needs = "several ranks; the ranks' output with times; GPU samples; exit records for the trigger"
    positive = "progress, then a standstill of several ranks until the watchdog, the time limit or a person ended it"
    excludes = "uniformly slow, evaluation, checkpoint, compilation, suspension by Slurm; a crash whose peers were taken down at once"
    leaves_open = "why the culprit stalled, if no stack was taken"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a run of several ranks that stood still after progress."""
        flip = "several ranks, progress, then a standstill until the end"
        watchdog = facts.waiting.gave_up
        if facts.ended_well:
            return ruled_out("the run ended well", flip, *facts.cite_end())
        if facts.crew < 2 and not watchdog:
            if not facts.ranks_known:
                return not_testable("how many ranks there were is not known", flip)
            return ruled_out("one rank alone waits for nobody", "two ranks or more")
        met = facts.said("communicator_ready")
        if not facts.advance.seen and not met and not was_at_work(facts):
            return ruled_out("no progress: a hang before it is C1", "progress") if facts.has_logs else not_testable("no output was captured", flip)
        if standstill.suspended(facts) and not watchdog:
            return ruled_out("Slurm had suspended the job", "no suspension", *standstill.suspended(facts))
        if not standstill.stopped(facts):
            return ruled_out("the run ended by itself, not after waiting", flip, *(facts.cite_failures(1) or facts.cite_end()))
        moved = _went_on(facts, flip) if not watchdog and not standstill.left(facts) else None
        return moved if moved is not None else ruled_in("progress, then a standstill", "progress until the end", _account(facts))


def _went_on(facts: Facts, flip: str) -> Assessment | None:
    """The answer where no watchdog speaks: what shows that the run did not stand still, or cannot be told; None where nothing does."""
    silence, seen = facts.silence, facts.stand.stalls
    if seen and facts.stand.culprits and (silence is None or not silence.short):
        return ruled_in("one rank held up the others, seen while the job ran", "progress until the end", _account(facts))
    if silence is None:
        return not_testable("no times of the output are known", flip)
    limit = facts.ending.state in LIMITS or bool(facts.stopping.own_limit)
    early = silence.scant and not limit and not _left_behind(facts)  # who stops a run early may have his reasons
    fell_silent = called_off(facts) or all_stopped_talking(facts, limit=limit)
    early = early or not (facts.advance.seen or facts.said("communicator_ready") or broken_off(facts))
    if not fell_silent and not (silence.at_rest if standstill.asleep(facts) else silence.long and not early):
        return ruled_out(f"the last {silence.of} came {words.duration(silence.seconds)} before the end", flip, *silence.cites)
    still = seen or standstill.gpu_idle(facts) or facts.activity.spinning_at_end()
    if silence.talking and not still and at_business(facts.job, silence.talking) and not all_idle(facts.job, silence.talking):
        return ruled_out("the output went on to the end, and not of waiting", "silence, or words of waiting", *silence.cites)
    working = standstill.gpu_working(facts)
    if working and not seen:
        return ruled_out("the GPUs were at work until the end", "GPUs idle, or all at 100 % without progress", *working)
    zero, counts = standstill.counted_still(facts)
    if zero is False:
        return ruled_out("kernels or collectives went on until the end", "no kernels and no collectives in the recent window", *counts)
    return None


def _left_behind(facts: Facts) -> bool:
    """Whether a rank died, and nobody got on after it."""
    dead = next((f for f in facts.failures if not f.follows and not f.victim and f.time_ns is not None), None)
    last, silence = facts.advance.last_ns, facts.silence
    if dead is None or dead.time_ns is None or last is None or silence is None:
        return False
    return dead.time_ns <= last + max(SCANT_S, SAFETY_FACTOR * silence.interval_s) * 1e9


def _account(facts: Facts) -> Account:
    shows = [Said("a rank gave up a collective after its time-out: who says so was waiting for the others", (e,)) for e in facts.waiting.gave_up[:1]]
    shows += standstill.shows_standstill(facts)
    done = facts.advance.steps_done
    if facts.advance.marks:
        shows.append(Said(f"until then it advanced (step {done})" if done is not None else "until then it advanced", facts.advance.marks[-1:]))
    trigger = trigger_of(facts) if not standstill.left(facts) else None
    if trigger is not None and trigger.evidence:
        shows.insert(0, Said(trigger.text, trigger.evidence))
    culprits = facts.stand.culprits
    undecided = [] if trigger or culprits else ["which rank stood still first, and why: no stack of it was taken"]
    if culprits and trigger is None and culprits[0].waits is Waits.UNKNOWN:
        undecided.append(f"why {culprits[0].who} stood still: no stack of it was taken")
    held = ", ".join(c.who for c in culprits[:3]) + (" …" if len(culprits) > 3 else "")
    dead = f": {trigger.text}, the others waited" if trigger else f": {held} held up the others" if culprits else ""
    mine = trigger is not None and trigger.cause is not Cause.NCCL  # who waited tells of NCCL; why it waited is the cause
    stuck = {c.waits for c in culprits}
    return Account(
        headline=words.headline(f"hung in mid-training{dead}" + (f" after step {done}" if done is not None and not dead else "")),
        shows=tuple(shows),
        fault=Fault.USER if mine or stuck & {Waits.DATA_LOADER, Waits.LOCK, Waits.STOPPED} else Fault.UNKNOWN,
        cause=trigger.cause if mine and trigger is not None and trigger.cause is not None else _cause(facts),
        detail="collective_timeout" if facts.waiting.gave_up else "storage" if Waits.STORAGE in stuck else None,
        trigger=trigger,
        first=_first(culprits) if trigger is None else None,
        implies=(*(f"{c.who}: {c.why}" for c in culprits[:4]), *_unnamed(facts), *_desync(facts)),
        cannot_decide=(*undecided, *standstill.uncounted(facts)),
        advice=(*_freeing(stuck), *standstill.WATCHDOG),
        against=standstill.against(facts),
    )


def _freeing(stuck: set[Waits]) -> tuple[str, ...]:
    """What to do about the place where the culprit stood."""
    found: list[str] = []
    if Waits.STORAGE in stuck:
        found += by_detail()["storage"]
    if Waits.DATA_LOADER in stuck:
        found.append("Give the data loader a timeout, so that it fails by itself: DataLoader(…, timeout=300), and fewer workers.")
    return tuple(found)


def _desync(facts: Facts) -> tuple[str, ...]:
    """Different operations at one sequence number of one group: the ranks do not do the same, which is the program's own fault."""
    seen: dict[tuple[str, int], set[str]] = {}
    for said in facts.said("collective_timeout"):
        number, kind = said.data.get("seqnum"), said.data.get("optype")
        if isinstance(number, int) and isinstance(kind, str):
            seen.setdefault((str(said.data.get("group", "")), number), set()).add(kind)
    odd = next(((key[1], kinds) for key, kinds in seen.items() if len(kinds) > 1), None)
    if odd is None:
        return ()
    return (f"at collective {odd[0]} the ranks asked for different things ({', '.join(sorted(odd[1]))}): the program lets its ranks run apart",)


def _cause(facts: Facts) -> Cause | None:
    """NCCL's where its watchdog says so, else what the exception of the wait counts as (gloo's is a RuntimeError)."""
    if facts.said("collective_timeout"):
        return Cause.NCCL
    return next((e.cause for e in facts.waiting.gave_up), None)


def _first(culprits: tuple[Culprit, ...]) -> FirstFailure | None:
    """Who stood still first, where it is one rank or few: when is not known, and those that gave up waiting are its victims."""
    ranks = tuple(sorted({c.rank for c in culprits if c.rank is not None}))
    nodes = tuple(sorted({e.where.node for c in culprits for e in c.evidence if e.where.node is not None and e.where.rank == c.rank}))
    return FirstFailure(ranks=ranks, nodes=nodes) if ranks else None


def _unnamed(facts: Facts) -> tuple[str, ...]:
    """Where ranks have no names: the processes that the launcher took down had not given up the collective."""
    if not facts.waiting.gave_up or facts.stand.culprits:
        return ()
    pids = sorted({pid for e in facts.said("teardown") if isinstance(pid := e.data.get("pid"), int)})
    if not pids:
        return ()
    many = f"processes {', '.join(map(str, pids[:8]))} were" if len(pids) > 1 else f"process {pids[0]} was"
    return (f"{many} taken down by the launcher and had not reported the time-out: look there first",)


MODE = CollectiveHang()
