"""C2: ranks waited for each other in mid-training until something ended them."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import standstill, words
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.failure import Failure
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, TriggerAccount, not_testable, ruled_in, ruled_out
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
        if not facts.advance.seen:
            return ruled_out("no progress: a hang before it is C1", "progress") if facts.has_logs else not_testable("no output was captured", flip)
        if standstill.suspended(facts) and not watchdog:
            return ruled_out("Slurm had suspended the job", "no suspension", *standstill.suspended(facts))
        if not standstill.stopped(facts):
            return ruled_out("the run ended by itself, not after waiting", flip, *(facts.cite_failures(1) or facts.cite_end()))
        if not watchdog:
            if facts.silence is None:
                return not_testable("no times of the output are known", flip)
            if not facts.silence.long:
                return ruled_out(
                    f"the last {facts.silence.of} came {words.duration(facts.silence.seconds)} before the end", flip, *facts.silence.cites
                )
            if standstill.gpu_working(facts):
                return ruled_out("the GPUs were at work until the end", "GPUs idle, or all at 100 % without progress")
        return ruled_in("progress, then a standstill", "progress until the end", _account(facts))


def _account(facts: Facts) -> Account:
    shows = [Said("a rank's watchdog gave up a collective: who says so was waiting", (e,)) for e in facts.said("collective_timeout")[:1]]
    shows += standstill.shows_standstill(facts)
    done = facts.advance.steps_done
    shows.append(Said(f"until then it advanced (step {done})" if done is not None else "until then it advanced", facts.advance.marks[-1:]))
    trigger = _trigger(facts)
    undecided = [] if trigger else ["which rank stood still first, and why: no stack of it was taken"]
    dead = f": {trigger.text}, the others waited" if trigger else ""
    return Account(
        headline=words.headline(f"hung in mid-training{dead}" + (f" after step {done}" if done is not None and not trigger else "")),
        shows=tuple(shows),
        fault=Fault.USER if trigger is not None and trigger.cause is not Cause.NCCL else Fault.UNKNOWN,
        cause=Cause.NCCL if facts.said("collective_timeout") else None,
        detail="collective_timeout" if facts.said("collective_timeout") else None,
        trigger=trigger,
        implies=_absent(facts),
        cannot_decide=tuple(undecided),
        advice=standstill.WATCHDOG,
    )


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


def _trigger(facts: Facts) -> TriggerAccount | None:
    """The rank that died while the others went on waiting; or a loader that was killed."""
    waited = _who_waited(facts)
    dead: Failure | None = next(
        (f for f in facts.failures if not f.follows and f.rank not in waited and (f.root is None or f.root.cause is not Cause.NCCL)), None
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
    loader = facts.said("worker_killed")
    if loader:
        return TriggerAccount("A2", words.subject(words.who(None, loader[0]), "a data loader's worker was killed"), loader[0].cause, loader[:1])
    kills = facts.oom_kills
    return TriggerAccount("A2", "the kernel's oom killer acted", Cause.OOM_KILLER, kills[:2]) if kills else None


MODE = CollectiveHang()
