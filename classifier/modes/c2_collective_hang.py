"""C2: ranks waited for each other in mid-training until something ended them."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import standstill, words
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.failure import SIGKILL, Failure
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, TriggerAccount, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.stand import lost_children
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.rank import RankExit
from gpualert_slurm.stall import Waits
from gpualert_slurm.verdict import Fault


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
        watchdog = facts.said("collective_timeout")
        if facts.ended_well:
            return ruled_out("the run ended well", flip, *facts.cite_end())
        if facts.ranks_total < 2 and not watchdog:
            return ruled_out("one rank alone waits for nobody", "two ranks or more")
        met = facts.said("communicator_ready")
        if not facts.advance.seen and not met:
            return ruled_out("no progress: a hang before it is C1", "progress") if facts.has_logs else not_testable("no output was captured", flip)
        if standstill.suspended(facts) and not watchdog:
            return ruled_out("Slurm had suspended the job", "no suspension", *standstill.suspended(facts))
        if not standstill.stopped(facts):
            return ruled_out("the run ended by itself, not after waiting", flip, *(facts.cite_failures(1) or facts.cite_end()))
        if not watchdog:
            lasting = facts.silence is None or not facts.silence.short
            if facts.stand.stalls and facts.stand.culprits and lasting:
                return ruled_in("one rank held up the others, seen while the job ran", "progress until the end", _account(facts))
            if facts.silence is None:
                return not_testable("no times of the output are known", flip)
            if not facts.silence.long:
                return ruled_out(
                    f"the last {facts.silence.of} came {words.duration(facts.silence.seconds)} before the end", flip, *facts.silence.cites
                )
            working = standstill.gpu_working(facts)
            if working and not facts.stand.stalls:
                return ruled_out("the GPUs were at work until the end", "GPUs idle, or all at 100 % without progress", *working)
            zero, counts = standstill.counted_still(facts)
            if zero is False:
                return ruled_out("kernels or collectives went on until the end", "no kernels and no collectives in the recent window", *counts)
        return ruled_in("progress, then a standstill", "progress until the end", _account(facts))


def _account(facts: Facts) -> Account:
    shows = [Said("a rank's watchdog gave up a collective: who says so was waiting", (e,)) for e in facts.said("collective_timeout")[:1]]
    shows += standstill.shows_standstill(facts)
    done = facts.advance.steps_done
    if facts.advance.marks:
        shows.append(Said(f"until then it advanced (step {done})" if done is not None else "until then it advanced", facts.advance.marks[-1:]))
    trigger = _trigger(facts)
    if trigger is not None and trigger.evidence:
        shows.insert(0, Said(trigger.text, trigger.evidence))
    culprits = facts.stand.culprits
    undecided = [] if trigger or culprits else ["which rank stood still first, and why: no stack of it was taken"]
    if culprits and trigger is None and culprits[0].waits is Waits.UNKNOWN:
        undecided.append(f"why {culprits[0].who} stood still: no stack of it was taken")
    dead = f": {trigger.text}, the others waited" if trigger else f": {culprits[0].who} held up the others" if culprits else ""
    mine = trigger is not None and trigger.cause is not Cause.NCCL
    stuck = {c.waits for c in culprits}
    return Account(
        headline=words.headline(f"hung in mid-training{dead}" + (f" after step {done}" if done is not None and not dead else "")),
        shows=tuple(shows),
        fault=Fault.USER if mine or stuck & {Waits.DATA_LOADER, Waits.LOCK, Waits.STOPPED} else Fault.UNKNOWN,
        cause=Cause.NCCL if facts.said("collective_timeout") else None,
        detail="collective_timeout" if facts.said("collective_timeout") else "storage" if Waits.STORAGE in stuck else None,
        trigger=trigger,
        implies=(*(f"{c.who}: {c.why}" for c in culprits[:4]), *_absent(facts), *_desync(facts)),
        cannot_decide=tuple(undecided),
        advice=(*_freeing(stuck), *standstill.WATCHDOG),
        against=standstill.against(facts),
    )


def _freeing(stuck: set[Waits]) -> tuple[str, ...]:
    """What to do about the place where the culprit stood."""
    found = []
    if Waits.STORAGE in stuck:
        found.append("Storage did not answer: tell the operators which file system; copy the data to node-local disk first ($SLURM_TMPDIR or /tmp).")
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


def _who_waited(facts: Facts) -> set[int]:
    """Ranks whose watchdog gave up: they had entered the collective, and are victims whatever signal their abort then is."""
    said = [e for e in facts.evidence if e.says == "collective_timeout" or e.detail == "collective_timeout"]
    return {e.where.rank for e in said if e.where.rank is not None}


def _absent(facts: Facts) -> tuple[str, ...]:
    """Ranks that did not give up the collective while others did: look there."""
    waited = _who_waited(facts)
    others = sorted({e.rank for e in facts.exits if e.rank is not None and e.step not in SCRIPT} - waited)
    if not waited or not others or len(others) > len(waited):
        return ()
    return (
        f"rank{'s' if len(others) > 1 else ''} {', '.join(map(str, others[:16]))} did not report the timeout that the others did: look there first",
    )


def _loader(root: Evidence) -> bool:
    return root.says == "worker_killed" or root.detail == "loader_worker_killed"


def _trigger(facts: Facts) -> TriggerAccount | None:
    """The rank that died while the others went on waiting; or a loader that was killed."""
    waited = _who_waited(facts)
    dead: Failure | None = next(
        (f for f in facts.failures if not f.follows and f.rank not in waited and (f.root is None or f.root.cause is not Cause.NCCL)), None
    )
    if dead is not None and dead.root is not None and _loader(dead.root):
        return TriggerAccount(
            "A2" if dead.signal or "Killed" in words.told(dead.root) else "A3",
            f"{dead.name}: its data loader's worker was killed",
            dead.root.cause,
            (dead.root, dead.evidence),
        )
    if dead is not None:
        said = f" ({words.headline(words.told(dead.root))})" if dead.root is not None else ""
        mode = "A2" if dead.signal else "A3"
        return TriggerAccount(
            mode,
            f"{dead.name} ended with {dead.words}{said}",
            dead.root.cause if dead.root else None,
            (dead.evidence, *((dead.root,) if dead.root else ())),
        )
    lost = lost_children(facts.job)
    if lost:
        child, cite = lost[0]
        whose = f"a child process of rank {child.rank}" if child.rank is not None else "a child process"
        name = f" ({words.headline(child.name)})" if child.name else ""
        killed = child.exit_signal == SIGKILL and facts.oom_kills
        cause = Cause.OOM_KILLER if killed else Cause.SEGFAULT if child.exit_signal == 11 else None
        text = f"{whose} on {child.node}{name} was ended by {RankExit(node='', step='', local_rank=0, signal=child.exit_signal).words}"
        return TriggerAccount("A2", text, cause, (cite, *(facts.oom_kills[:1] if killed else ())))
    loader = facts.said("worker_killed")
    if loader:
        return TriggerAccount("A2", words.subject(words.who(None, loader[0]), "a data loader's worker was killed"), loader[0].cause, loader[:1])
    kills = facts.oom_kills
    return TriggerAccount("A2", "the kernel's oom killer acted", Cause.OOM_KILLER, kills[:2]) if kills else None


MODE = CollectiveHang()
