"""What set a hang off: the rank, or the loader's worker, that died while the others went on waiting."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.failure import SIGKILL, SIGSEGV, SIGTERM, Failure
from gpualert_slurm.classifier.mode import TriggerAccount
from gpualert_slurm.classifier.silence import SCANT_S
from gpualert_slurm.classifier.stand import lost_children
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.process import Process
from gpualert_slurm.rank import RankExit


def _ended_with_the_run(facts: Facts, child: Process) -> bool:
    """Whether a process was ended when the run was: after the first had given up, or after the stopping began."""
    gave_up = [e.time_ns for e in facts.waiting.gave_up if e.time_ns is not None]
    if child.ended_ns is None:
        return not facts.oom_kills and (facts.stopping.at is not None or bool(gave_up))
    return facts.after_stop(child.ended_ns, child.node) or (bool(gave_up) and child.ended_ns > min(gave_up))


def _loader(root: Evidence) -> bool:
    return root.says == "worker_killed" or root.detail == "loader_worker_killed"


def _killed_for_memory(facts: Facts, dead: Failure) -> tuple[Evidence, ...]:
    """The records of the oom killer that are of this rank's process: its own group's count, or the kernel's line with its number or its node."""
    if dead.signal != SIGKILL:
        return ()
    end = dead.end
    if end is not None and end.memory is not None and end.memory.oom_kill_events:
        return facts.oom_kills
    pid = end.pid if end is not None else None
    kernel = tuple(e for e in facts.oom_kills if e.says == "kernel_oom" and e.where.node in {None, dead.node})
    return tuple(e for e in kernel if pid is not None and e.data.get("pid") in {None, pid})


def _below(dead: Failure) -> bool:
    """Whether it was a process below the task that said so: the task itself lived on, and was stopped by a signal."""
    ended_ns, said_ns = dead.end.end_time_ns if dead.end is not None else None, dead.root.time_ns if dead.root is not None else None
    return dead.signal in {SIGTERM, SIGKILL} and ended_ns is not None and said_ns is not None and (ended_ns - said_ns) / 1e9 >= SCANT_S


def trigger_of(facts: Facts) -> TriggerAccount | None:
    """The rank that died while the others went on waiting; or a loader that was killed."""
    waited = facts.waiting.who
    dead: Failure | None = next(
        (f for f in facts.failures if not f.follows and not f.victim and f.rank not in waited and (f.root is None or f.root.cause is not Cause.NCCL)),
        None,
    )
    if dead is not None and dead.root is not None and _loader(dead.root):
        return TriggerAccount(
            "A2" if dead.signal or "Killed" in words.told(dead.root) else "A3",
            f"{dead.name}: its data loader's worker was killed",
            dead.root.cause,
            (dead.root, dead.evidence),
        )
    if dead is not None:
        root = dead.root or (facts.error if facts.error is not None and facts.error.where.rank in {None, dead.rank} else None)  # a tool's last words
        said = f" ({words.headline(words.told(root))})" if root is not None else ""
        below = _below(dead)
        mode = "A2" if dead.signal and not below else "A3" if facts.advance.seen else "A1"
        return TriggerAccount(
            mode,
            f"a process of {dead.name} ended{said}" if below else f"{dead.name} ended with {dead.words}{said}",
            root.cause if root else Cause.SEGFAULT if dead.signal == SIGSEGV else Cause.OOM_KILLER if _killed_for_memory(facts, dead) else None,
            (dead.evidence, *((root,) if root else _killed_for_memory(facts, dead)[:1])),
        )
    lost = [(child, cite) for child, cite in lost_children(facts.job) if not _ended_with_the_run(facts, child)]
    if lost:
        child, cite = lost[0]
        whose = f"a child process of rank {child.rank}" if child.rank is not None else "a child process"
        name = f" ({words.headline(child.name)})" if child.name else ""
        killed = child.exit_signal == SIGKILL and facts.oom_kills
        cause = Cause.OOM_KILLER if killed else Cause.SEGFAULT if child.exit_signal == SIGSEGV else None
        text = f"{whose} on {child.node}{name} was ended by {RankExit(node='', step='', local_rank=0, signal=child.exit_signal).words}"
        return TriggerAccount("A2", text, cause, (cite, *(facts.oom_kills[:1] if killed else ())))
    loader = facts.said("worker_killed")
    if loader:
        return TriggerAccount("A2", words.subject(words.who(None, loader[0]), "a data loader's worker was killed"), loader[0].cause, loader[:1])
    kills = facts.oom_kills
    return TriggerAccount("A2", "the kernel's oom killer acted", Cause.OOM_KILLER, kills[:2]) if kills else None
