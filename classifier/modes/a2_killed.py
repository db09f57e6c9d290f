"""A2: processes were ended by a signal, without a traceback of their own."""

from __future__ import annotations

import re
import signal

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import citations, crash, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.failure import OWN_SIGNALS, Failure
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.remedies import by_detail
from gpualert_slurm.evidence import Evidence, Quote, Role
from gpualert_slurm.verdict import Fault

OOM_CODE = 125
"""What Slurm puts behind the colon of ExitCode when the oom killer acted in the step."""
FIRST_SLURM_CODE = 35
"""Above the classic signals: what stands there is Slurm's own word (53: output refused, 125: oom)."""
BY_CODE = {132: 4, 134: 6, 135: 7, 136: 8, 137: 9, 139: 11, 141: 13, 143: 15, 152: 24, 153: 25, 159: 31}
_POOLS = re.compile(r"(?:BrokenProcessPool|TerminatedWorkerError|WorkerCrashedError|ProcessExitedException|WorkerLostError)\Z")
_CHILD = re.compile(r"died with <Signals\.\w{1,20}: (\d{1,2})>")
"""subprocess.CalledProcessError, of a child that a signal ended."""
"""What a shell (and torchrun's caller) makes of a signal: 128 + n."""
CAUSES = {11: (Cause.SEGFAULT, None), 7: (None, "bus_error"), 8: (Cause.DIV_ZERO, "sigfpe"), 6: (None, "aborted"), 4: (None, "sigill")}
WORKERS = {
    "loader_worker_killed": "SIGKILL",
    "loader_worker_segfault": "SIGSEGV",
    "pool_worker_killed": "SIGKILL",
    "pool_worker_segfault": "SIGSEGV",
}
"""Ends of a loader's or a pool's worker that its parent tells of in an exception: the death is the story, not the exception."""
TOLD_BY = re.compile(r"\bmake(?:\[\d{1,3}\])?: \*\*\* |TERMINATED WITH THE EXIT STRING|\(signal 11\)")
"""Words of those who start programs (make, MPICH): a sanitiser that names the fault lets the program leave by itself."""
ADVICE = {
    2: ("SIGINT is what scancel -s INT and an interrupted srun (Ctrl-C) send: was it meant? See: sacct -j JOBID --format=JobID,State,ExitCode",),
    15: ("SIGTERM is what scancel and time limits send first: sacct -j JOBID --format=JobID,State,ExitCode,End tells whether Slurm sent it.",),
    11: (
        "Run again with PYTHONFAULTHANDLER=1 for the Python line that was running.",
        "For a core: ulimit -c unlimited in the script, then gdb python core",
    ),
    6: ("Look above the abort for the library that called it; run again with PYTHONFAULTHANDLER=1.",),
    4: ("A library was built for another processor: srun lscpu; install its generic build, or constrain the nodes (sbatch -C).",),
    8: ("An integer was divided by zero in native code: run again with PYTHONFAULTHANDLER=1 for the Python line.",),
    24: ("The limit of CPU seconds was reached (ulimit -t): raise it, or do without it.",),
    25: ("The limit of a file's size was reached (ulimit -f): raise it, or write smaller files.",),
    7: ("A bus error is most often a full /dev/shm or a file cut while it was mapped: df -h /dev/shm; use fewer loader workers.",),
}


class Killed(FailureMode):
    """Ended by a signal; the killer is named only by a record that knows it."""

    code = "A2"
    title = "killed by a signal"
    place = 52
    needs = "exit records or a launcher's summary; cgroup counters and the kernel log for the killer"
    positive = "a task's wait status says signal; Slurm says OUT_OF_MEMORY; the cgroup or the kernel counted an oom kill"
    excludes = "SIGTERM or SIGKILL by launcher or srun after another rank failed, scancel, the time limit, CUDA out of memory"
    leaves_open = "the killer, where no such record exists"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a death by signal that is nobody else's doing."""
        flip = "a task ended by a signal that no launcher sent"
        if facts.ended_well:
            return ruled_out(f"the run ended well ({facts.ending.state or 'planned end'})", flip, *facts.cite_end())
        stopped = () if facts.oom_kills else facts.stopping.own_limit or facts.stopping.cancelled_step
        if stopped:
            said = "the script's own timeout, or who cancelled its step, ended all tasks at once"
            return ruled_out(said, flip, *(citations.rank_exit(e) for e in stopped[:4]))
        error = facts.error
        if error is not None and error.cause is Cause.CUDA_OOM:
            return ruled_out("the GPU's memory did not suffice, and the program said so", flip, error)
        if error is not None and error.cause is Cause.NAN_LOSS:
            return ruled_out("the program aborted itself, for its loss was not finite", flip, error)
        number, dead, cites = _death(facts)
        if number is None and not _oom(facts):
            if not facts.exits and not facts.has_logs and facts.row is None:
                return not_testable("no exit records, no accounting and no output", flip)
            seen = facts.cite_failures(2) or facts.cite_end()
            if error is not None and error.detail in WORKERS:
                return ruled_in(f"a worker was ended by {WORKERS[error.detail]}", "a worker that ended by itself", _worker(facts, error))
            if error is not None and error.cause is Cause.SEGFAULT and isinstance(error.source, Quote) and TOLD_BY.search(error.source.text):
                return ruled_in("who had started the program tells of a segmentation fault", "a command that ended by itself", _told(facts, error))
            return ruled_out("no task was ended by a signal of its own", flip, *seen)
        if error is not None and error.says == "exception" and error.role is not Role.WRAPPER and number in {None, 6, 15} and not _oom(facts):
            return ruled_out("the rank raised an exception before it was ended", "no traceback", error)
        return ruled_in(
            f"{_whom(facts, dead)} by {_name(number)}" if number else "Slurm or the cgroup counted an oom kill",
            "exit codes instead of signals",
            _account(facts, number, dead, cites),
        )


def _death(facts: Facts) -> tuple[int | None, tuple[Failure, ...], tuple[Evidence, ...]]:
    """The signal of the first failing rank, all ranks that died so, and what shows it."""
    own = tuple(f for f in facts.failures if not f.follows)
    for failure in own:
        number = failure.signal or (BY_CODE.get(failure.code or 0) if failure.root is None or failure.root.says == "native_crash" else None)
        if number:
            dead = tuple(f for f in own if (f.signal or BY_CODE.get(f.code or 0)) == number)
            return number, dead, tuple(f.evidence for f in dead[:8])
    summaries = [e for e in facts.said("failure_summary") if isinstance(e.data.get("exitcode"), int) and int(e.data["exitcode"]) < 0]
    real = [e for e in summaries if int(e.data["exitcode"]) != -15]
    if real and (facts.error is None or facts.error.says != "exception" or facts.error.role is Role.CASCADE):
        return -int(real[0].data["exitcode"]), (), tuple(real[:8])
    texts = [
        e
        for e in facts.said("native_crash", "killed", "task_exited")
        if e.data.get("signal") and e.data.get("signal") != 15 and e.data.get("pid") is None
    ]
    if texts and facts.error is None and facts.ending.state not in {"CANCELLED", "TIMEOUT", "PREEMPTED"}:
        return int(texts[0].data["signal"]), (), tuple(texts[:2])
    child = _CHILD.search(words.told(facts.error)) if facts.error is not None and facts.error.role is Role.WRAPPER else None
    if child is not None and facts.error is not None:
        return int(child[1]), (), (facts.error,)
    number = facts.ending.exit_signal
    told = facts.row is not None or (facts.ending.known_by == "own" and facts.error is None)  # where logs are all there is, a traceback says more
    if told and not facts.exits and facts.ending.state == "FAILED" and number and number < FIRST_SLURM_CODE:
        return number, (), facts.cite_end()
    return None, (), ()


def _oom(facts: Facts) -> bool:
    if facts.ending.state == "OUT_OF_MEMORY" or (facts.ending.known_by == "accounting" and facts.ending.exit_signal == OOM_CODE):
        return True
    died = any(f.signal == 9 or f.code == 137 for f in facts.failures)
    worker = facts.error is not None and facts.error.cause is Cause.OOM_KILLER
    if facts.error is not None and _POOLS.search(str(facts.error.data.get("type", ""))) and facts.said("oom_kill_text"):
        return True  # a worker died, and slurmstepd says of what
    if facts.ending.state in {"TIMEOUT", "DEADLINE"} and facts.silence is not None and facts.silence.short:
        return False  # a child was killed, and the run went on to its limit
    return bool(facts.oom_kills) and (died or worker or facts.error is None)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _whom(facts: Facts, dead: tuple[Failure, ...]) -> str:
    ranks = sorted(f.rank for f in dead if f.rank is not None)
    if not ranks:
        named = sorted(
            {int(e.data["rank"]) for e in facts.said("failure_summary") if isinstance(e.data.get("rank"), int) and int(e.data.get("exitcode", 0)) < 0}
        )
        ranks = named
    if len(ranks) > 1:
        return f"ranks {', '.join(map(str, ranks[:8]))}{' …' if len(ranks) > 8 else ''} ended"
    if dead and dead[0].step == "run":
        return "the command ended"
    if ranks:
        node = dead[0].node if dead else None
        return f"rank {ranks[0]}" + (f" on {node}" if node else "") + " ended"
    return "a process ended"


def _account(facts: Facts, number: int | None, dead: tuple[Failure, ...], cites: tuple[Evidence, ...]) -> Account:
    shows: list[Said] = []
    if number is not None and cites:
        shows.append(Said(f"{_whom(facts, dead)} by {_name(number)}", cites))
    shows += crash.shows_followers(facts)
    for native in facts.said("native_crash")[:1]:
        place = words.place_of(native)
        shows.append(Said("the process died in native code" + (f", called from {place}" if place else ""), (native,)))
    if facts.advance.seen:
        done = facts.advance.steps_done
        shows.append(Said(f"it had come to step {done}" if done is not None else "it had made progress", facts.advance.marks[-1:]))
    if facts.ending.evidence:
        shows.append(Said(f"the run ended as {facts.ending.state or 'unknown'}", facts.ending.evidence))
    shows += crash.shows_gpu_memory(facts, only_empty=False)
    if _oom(facts):
        return _oom_account(facts, number, dead, shows)
    cause, detail, last = _cause(facts, number, dead)
    shows += [Said(f"its last words: {words.headline(words.told(e))}", (e,)) for e in last]
    undecided: list[str] = []
    kept = [c for f in dead if f.end is not None and (c := citations.cgroup(f.end)) is not None]
    if number == signal.SIGKILL:
        texts = facts.said("oom_kill_text")
        if texts:
            cause, detail = Cause.OOM_KILLER, "said_by_slurmstepd"
            shows.append(Said("slurmstepd's line in the output says that the oom killer acted", texts[:1]))
        elif kept:
            shows.append(Said("the memory cgroup counted no oom kill: it was not the memory limit", tuple(kept[:2])))
            undecided.append("who sent SIGKILL: not the memory limit; the sender was not recorded")
        else:
            undecided.append("who sent SIGKILL: no memory counters and no kernel message of this run are known")
    elif number in {11, 7, 6, 4}:
        undecided.append("which library: no core and no native stack was kept")
    who = f"{_whom(facts, dead)} by {_name(number or 0)}".replace(" ended by", " killed by" if number == 9 else " ended by")
    return Account(
        headline=words.headline(who),
        shows=tuple(shows),
        fault=Fault.USER if cause is not None or number in OWN_SIGNALS else Fault.UNKNOWN,
        cause=cause,
        detail=detail,
        implies=(
            *(("the process had no chance to say why: there is no traceback",) if facts.has_logs else ()),
            *((waited,) if (waited := crash.waited_on(facts)) is not None else ()),
        ),
        cannot_decide=tuple(undecided),
        advice=by_detail()[detail]
        if detail == "said_by_slurmstepd"
        else ADVICE.get(
            number or 0, ("Run again with: sacct -j JOBID --format=JobID,State,ExitCode,MaxRSS,ReqMem and watch the memory.",) if number == 9 else ()
        ),
    )


def _cause(facts: Facts, number: int | None, dead: tuple[Failure, ...]) -> tuple[Cause | None, str | None, tuple[Evidence, ...]]:
    """What killed it, as far as the signal, a runtime's message or parting words say; and those words."""
    crashed = next((e for e in facts.said("native_crash") if e.cause is not None), None)
    cause, detail = CAUSES.get(number or 0, (None, None))
    if crashed is not None and cause is None:
        cause, detail = crashed.cause, crashed.detail
        device = next((e for e in facts.said("cuda_error", "nccl_error") if e.cause is not None and e.where.rank == crashed.where.rank), None)
        if device is not None and cause in {Cause.RUNTIME_ERROR, Cause.TRACEBACK}:  # what() says more than the class that was thrown
            cause, detail = device.cause, device.detail
    last = _last_words(facts, dead) if number == signal.SIGABRT and cause in {None, Cause.RUNTIME_ERROR} else ()
    return (last[0].cause, last[0].detail, last) if last else (cause, detail, ())


def _last_words(facts: Facts, dead: tuple[Failure, ...]) -> tuple[Evidence, ...]:
    """The parting words, with a cause, of one that died: at most one."""
    said = (e for e in facts.said("error_line") if e.data.get("parting") and e.cause is not None)
    return tuple(e for e in said if not dead or any(e.where.rank in {None, f.rank} or f.rank is None for f in dead))[:1]


def _oom_account(facts: Facts, number: int | None, dead: tuple[Failure, ...], shows: list[Said]) -> Account:
    limit = peak = 0
    for end in facts.exits:
        if end.memory is not None:
            limit, peak = max(limit, end.memory.limit_bytes or 0), max(peak, end.memory.peak_bytes or 0)
    node_wide = any(e.data.get("scope") == "node" for e in facts.oom_kills) or _without_limit(facts)
    if facts.oom_kills:
        words_ = f"limit {words.size(limit)}, peak {words.size(peak)}" if limit and peak else "as the cgroup or the kernel counted it"
        shows.insert(1 if shows else 0, Said(f"the kernel's oom killer acted ({words_})", facts.oom_kills[:4]))
    texts = facts.said("oom_kill_text")
    if texts:
        shows.append(Said("slurmstepd said so in the output", texts[:1]))
    advice = ["Use less host memory: fewer loader workers, smaller buffers; or ask for more memory."]
    if peak or limit:
        need = -(-int(max(peak, limit) * 1.3) // (1 << 30))
        advice.insert(0, f"#SBATCH --mem={max(1, need)}G")
    rss = max((s.max_rss_bytes or 0 for s in facts.row.steps), default=0) if facts.row is not None else 0
    if not peak and rss:
        advice.insert(0, f"#SBATCH --mem={max(1, -(-int(rss * 1.5) // (1 << 30)))}G   # sacct saw at most {words.size(rss)} in one task")
    who = _whom(facts, dead).removesuffix(" ended")
    against = () if facts.oom_kills or facts.ending.state == "OUT_OF_MEMORY" else ("no cgroup counter and no kernel message says so",)
    return Account(
        headline=words.headline(
            f"{who + ': ' if number and dead else ''}killed by the kernel's oom killer"
            + (f" at {words.size(peak)} of {words.size(limit)}" if limit and peak else "")
        ),
        shows=tuple(shows),
        fault=Fault.USER,
        cause=Cause.OOM_KILLER,
        detail="node_memory" if node_wide else "cgroup_limit",
        implies=("the job needed more host memory than " + ("the node had" if node_wide else "its limit"),),
        advice=tuple(advice),
        against=against,
    )


def _without_limit(facts: Facts) -> bool:
    """Whether gpualert-run's group counted the kill, and neither it nor a group above had a limit: the machine's memory had run out."""
    counted = [(e.step, e.memory.limit_bytes) for e in facts.exits if e.memory is not None and e.memory.oom_kill_events]
    return bool(counted) and all(step == "run" and limit is None for step, limit in counted)


def _told(facts: Facts, error: Evidence) -> Account:
    return Account(
        headline=words.subject(words.who(facts.first, error), words.told(error)),
        shows=crash.shows_crash(facts, error),
        fault=Fault.USER,
        cause=Cause.SEGFAULT,
        detail=error.detail,
        cannot_decide=("which library the program was in: no native stack was kept",),
        advice=ADVICE[11],
    )


def _worker(facts: Facts, error: Evidence) -> Account:
    whose = "a data loader's worker" if (error.detail or "").startswith("loader") else "a worker of its pool"
    if error.detail in {"loader_worker_segfault", "pool_worker_segfault"}:
        return Account(
            headline=words.subject(words.who(facts.first, error), f"{whose} died of a segmentation fault"),
            shows=crash.shows_crash(facts, error),
            fault=Fault.USER,
            cause=Cause.SEGFAULT,
            detail=error.detail,
            cannot_decide=("which library the worker was in: no native stack was kept",),
            advice=("Run once with num_workers=0 and PYTHONFAULTHANDLER=1: the same sample then names the Python line.",),
        )
    return Account(
        headline=words.subject(words.who(facts.first, error), f"{whose} was killed (SIGKILL)"),
        shows=crash.shows_crash(facts, error),
        fault=Fault.USER,
        cause=Cause.OOM_KILLER,
        detail=error.detail,
        implies=("SIGKILL to a worker is most often the kernel's oom killer",),
        cannot_decide=("who sent SIGKILL: no cgroup counter or kernel message of this run says it",),
        advice=("Use fewer workers (num_workers, n_jobs), or ask for more memory: #SBATCH --mem=…",),
    )


MODE = Killed()
