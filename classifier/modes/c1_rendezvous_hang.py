"""C1: the ranks never found each other."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import crash, standstill, words
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.expected import all_wait, expected
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.failure import Failure
from gpualert_slurm.classifier.idlers import begun_unevenly, idling_since
from gpualert_slurm.classifier.lone_node import lone_node
from gpualert_slurm.classifier.meeting import at_service, begging, calling, last_lines, past_meeting, speaks_of_meeting
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.roll_call import roll_call
from gpualert_slurm.classifier.silence import SCANT_S
from gpualert_slurm.classifier.stand import process
from gpualert_slurm.classifier.trigger import trigger_of
from gpualert_slurm.classifier.untold import was_at_work
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.stall import Waits
from gpualert_slurm.verdict import Fault

BUSY_CPU = 0.8
"""A rank that used the CPU for this share of the run was working, not waiting."""
IDLE_CPU = 0.05
"""Below this share of the run a rank's process slept (DLRover calls one below 5 % hung)."""
SILENT_SHARE = 0.5
QUIET_SHARE = 0.7
"""Of silence alone: without a word of meeting and without readings it has to last for more of the time."""
REST_S, REST_SHARE = 20.0, 0.25
"""… where all ranks were read to sleep, and something else tells that they wait for each other: a slow start took the rest."""
HASTY_S, OVERNIGHT_S, OVERNIGHT = 15.0, 1800.0, 0.9
"""Silence after which nobody calls off a meeting yet; and after so much, and nearly all of its time, who calls it off found it standing."""
UNEVEN_S = 60.0
"""Of silence behind an uneven start, at least."""
AWAKE_CPU = 0.5
"""A rank that used the CPU for half of the time did not only wait."""
_NODES = re.compile(r"--nnodes[= ](?:\d{1,5}:)?(\d{1,5})\b")
"""torchrun's option: a number, or least and most."""
MEETING_NAMES = {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "NODE_RANK", "GROUP_RANK"}
_PLACE = re.compile(
    r"torchrun|torch[./]distributed|\baccelerate\b|deepspeed|horovod|\b(?:tcp|grpc|zmq|file)://|\b[\w.-]{1,120}:\d{4,5}\b"
    r"|-{1,2}(?:master|coordinator|rdzv|dist|init|scheduler|chief|head|leader|nnodes|world|peers?|hosts?|(?:num|n)[_-]?(?:nodes|processes|procs|workers|machines)"
    r"|(?:process|node|machine|worker)?[_-]?(?:rank|id))\b",
    re.IGNORECASE,
)
_NCCL = re.compile(r"setting up NCCL communicator|ncclUniqueId")
"""Of a store's exception: what the ranks were at."""
LIMITS = {"TIMEOUT", "DEADLINE"}
CONTEXT_SHARE = 0.02
"""What a CUDA context alone takes of a card's memory, roughly."""


class RendezvousHang(FailureMode):
    """Several ranks, no progress, and the text of a rendezvous that did not happen, or idle GPUs to the end."""

    code = "C1"
    title = "rendezvous hang"
    place = 40
    needs = "the ranks' output with times; GPU samples"
    positive = "several ranks, no progress, rendezvous text or silence with idle GPUs"
    excludes = "a task already dead (it is then the crash), data copy, image pull, suspension by Slurm"
    leaves_open = "coordinator, firewall or DNS, unless probed"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a run of several ranks that stood still before any progress."""
        flip = "several ranks, no progress, rendezvous text or silence with idle GPUs until the end"
        text = facts.said("rendezvous") or facts.waiting.gave_up
        if facts.ended_well:
            return ruled_out("the run ended well", flip, *facts.cite_end())
        if facts.crew < 2 and not text:
            if (waited := _for_other_nodes(facts)) is not None:
                return waited
            if not facts.ranks_known:
                return not_testable("how many ranks there were is not known", flip)
            return ruled_out("one rank alone meets nobody", "two ranks or more")
        if facts.advance.seen or (was_at_work(facts) and not speaks_of_meeting(facts.job)):
            return ruled_out("the run had made progress", "no progress", *facts.advance.marks[-1:])
        left = standstill.left(facts)
        dead = [
            f
            for f in facts.failures
            if not f.follows
            and not f.victim
            and f not in left
            and not (f.rank in facts.waiting.who and f.root is not None and f.root.says == "native_crash")  # its watchdog's own abort
            and (f.root is None or f.root.says != "rendezvous")
            and (facts.error is None or facts.error.detail != "rendezvous_timeout")
        ]
        if dead:
            if _left_behind(facts, dead[0]):
                said = f"{dead[0].name} had ended with {dead[0].words}, and the others waited for it until they were stopped"
                return ruled_in(said, "others that were taken down at once, or that worked", _account(facts, standstill.asleep(facts)))
            said = f"{dead[0].name} had already ended with {dead[0].words}"
            return ruled_out(said, "ranks that waited for the others to the end", dead[0].evidence)
        if standstill.suspended(facts):
            return ruled_out("Slurm had suspended the job", "no suspension", *standstill.suspended(facts))
        met = facts.said("communicator_ready")
        if met and len({e.where.rank for e in met}) >= facts.ranks_total:
            return ruled_out("every rank's communicator was complete: they had met", "a rank without a communicator", *met[:2])
        if text:
            return ruled_in("the output says that ranks did not meet", "progress, or a task that died first", _account(facts))
        if left:
            said = f"{left[0].name} left by itself after it had waited: its last words are of others that did not come"
            return ruled_in(said, "progress, or other last words", _account(facts))
        if not standstill.stopped(facts):
            return ruled_out("the run ended by itself, not after waiting", flip, *facts.cite_end())
        return _by_silence(facts, flip)


def _by_silence(facts: Facts, flip: str) -> Assessment:
    """Nobody says what they wait for: the probes, the silence and the GPUs do."""
    if facts.stand.stopped:
        return ruled_out("a rank had been stopped by a signal", "all ranks free to run", facts.stand.stopped[0][1])
    if facts.stand.stalls and any(rank.waits is Waits.RENDEZVOUS for rank, _ in facts.stand.stacks):
        return ruled_in("ranks stood in their rendezvous, seen while the job ran", "progress, or a rank past its rendezvous", _account(facts))
    if facts.silence is None or not facts.has_logs:
        return not_testable("no times of the output are known", flip)
    waited = _awaited(facts)
    if waited is not None:
        return ruled_in(waited[0], "progress, or other last words", _account(facts, waited[1]))
    at_rest = _at_rest(facts)
    if not _lasted(facts) and not (at_rest and speaks_of_meeting(facts.job)):
        return ruled_out(f"the last output came {words.duration(facts.silence.seconds)} before the end", flip, *facts.silence.cites)
    if standstill.gpu_working(facts):
        return ruled_out("GPUs were at work until the end", "idle GPUs", *standstill.gpu_working(facts))
    busy = [
        p
        for p in facts.processes
        if p.rank is not None and p.cpu_s is not None and facts.ending.elapsed_s and p.cpu_s > BUSY_CPU * facts.ending.elapsed_s
    ]
    if busy:
        cite = process(busy[0], "cpu_s", f"{busy[0].cpu_s:.0f} s of CPU")
        return ruled_out("a rank used the CPU all the time: preparing data, not waiting", "a rank that waits", cite)
    if _filled(facts):
        return ruled_out("GPU memory was filled: past the rendezvous", f"at most {CONTEXT_SHARE:.0%} of a card, a context's share")
    asleep, busy_words = standstill.asleep(facts), past_meeting(facts.job) or at_service(facts.job)
    hasty = facts.ending.state == "CANCELLED" and facts.silence.seconds < HASTY_S
    if speaks_of_meeting(facts.job) and (asleep or _waited(facts)) and not hasty:
        said = "the ranks' last words are of meeting each other, and nothing came after them"
        return ruled_in(said, "progress, or other last words", _account(facts, asleep))
    by_limit = facts.ending.state in LIMITS or bool(facts.stopping.own_limit)
    if standstill.gpu_idle(facts) and (facts.silence.long or by_limit or asleep):
        return ruled_in("silence and idle GPUs before any progress", "GPU work, or progress", _account(facts, asleep))
    if asleep and not busy_words and (facts.silence.long or _told_to_meet(facts)):
        return ruled_in("every rank knew where to meet, and slept to the end", "progress, or ranks at work", _account(facts, asleep))
    overnight = facts.ending.state == "CANCELLED" and facts.silence.seconds >= max(OVERNIGHT_S, OVERNIGHT * (facts.ending.elapsed_s or 0.0))
    if (by_limit or overnight) and not busy_words and _waited(facts) and _all_quiet(facts, SILENT_SHARE if asleep else QUIET_SHARE):
        said = "every rank fell silent before any progress, and wrote nothing more up to the time limit"
        return ruled_in(said, "progress, or words of work that takes long", _account(facts, asleep))
    return not_testable("silence before any progress, but nothing tells waiting from working", flip)


def _awaited(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """What tells by itself, however short the silence, that ranks waited for others; and that they slept, where that was asked."""
    if facts.silence is not None and calling(facts.job, facts.silence.talking):
        return "the ranks said again and again that they wait for each other, to the end", ()
    if _idled(facts):
        return "all that was said to the end is one line that repeats itself and tells of no progress", ()
    begged = _begged(facts)
    if begged:
        return "a rank said again and again what it still waits for, and the others' last words are of meeting it", begged
    crew = max(facts.crew, facts.ranks_total)
    if facts.silence is not None and standstill.stopped(facts) and facts.silence.seconds >= REST_S:
        if (more := expected(facts.job, crew)) is not None:
            return f"the ranks say that there are {more} of them, {crew} were there, and none got on", ()
        if all_wait(facts.job, crew):
            return f"the last word of each of the {crew} ranks is that it waits for {crew}", ()
        long = facts.silence.seconds >= max(UNEVEN_S, SILENT_SHARE * (facts.ending.elapsed_s or 0.0))
        if long and _waited(facts) and not standstill.gpu_working(facts) and begun_unevenly(facts.job, last_lines(facts.job)):
            return "most ranks stood at one line, and the others at one that those had left behind: they waited for these", ()
    if facts.stand.missing and _at_rest(facts):
        return "processes were told of more ranks than ever came, and slept to the end", standstill.asleep(facts, late=True)
    return None


def _idled(facts: Facts) -> bool:
    """Whether ranks repeated themselves for most of the time while the others were silent, until they were stopped."""
    since, end, elapsed = idling_since(facts.job), facts.ending.ended_ns, facts.ending.elapsed_s
    if since is None or end is None or not elapsed or not standstill.stopped(facts) or standstill.gpu_working(facts) or not _waited(facts):
        return False
    return (end - since) / 1e9 >= max(REST_S, SILENT_SHARE * elapsed)


def _lasted(facts: Facts) -> bool:
    """Silent for long, or for most of a shorter time until the run was stopped."""
    silence, elapsed = facts.silence, facts.ending.elapsed_s
    if silence is None or silence.of != "output":
        return False
    return silence.long or (standstill.stopped(facts) and bool(elapsed) and silence.seconds >= max(SCANT_S, SILENT_SHARE * (elapsed or 0.0)))


def _at_rest(facts: Facts) -> bool:
    """Whether all ranks slept, and nobody wrote, for a good while until the run was stopped."""
    silence, elapsed = facts.silence, facts.ending.elapsed_s
    if silence is None or silence.of != "output" or not elapsed or not standstill.stopped(facts):
        return False
    return silence.seconds >= max(REST_S, REST_SHARE * elapsed) and bool(standstill.asleep(facts, late=True))


def _begged(facts: Facts) -> tuple[Evidence, ...]:
    """That all slept while one rank repeated what it lacks and the others waited for it."""
    since, end, elapsed = begging(facts.job), facts.ending.ended_ns, facts.ending.elapsed_s
    if since is None or end is None or not elapsed or (end - since) / 1e9 < max(REST_S, REST_SHARE * elapsed) or standstill.gpu_working(facts):
        return ()
    return standstill.asleep(facts, since_ns=since)


def _all_quiet(facts: Facts, share: float) -> bool:
    """Whether nobody wrote for most of the time up to the limit, and all ranks lived on until then."""
    silence, elapsed = facts.silence, facts.ending.elapsed_s
    if silence is None or not elapsed or silence.talking or silence.seconds < share * elapsed:
        return False
    taken_down = {e.data.get("pid") for e in facts.said("teardown") if e.data.get("pid")}  # by torchrun, at the end: they had lived on below it
    return len(standstill.alive(facts)) > 1 or facts.crew > facts.ranks_total or len(taken_down) > 1


def _left_behind(facts: Facts, dead: Failure) -> bool:
    """Whether the others were left waiting for a rank that died: silent ever since, for most of the time, until somebody or a limit ended them."""
    end, elapsed = facts.ending.ended_ns, facts.ending.elapsed_s
    if dead.time_ns is None or end is None or not elapsed or not standstill.alive(facts):
        return False
    if standstill.stopped(facts) and (end - dead.time_ns) / 1e9 >= max(SCANT_S, SILENT_SHARE * elapsed) and _says_it_waits(facts):
        return True
    at_rest = _at_rest(facts) and not past_meeting(facts.job)
    enough = max(REST_S, REST_SHARE * elapsed) if at_rest else max(SCANT_S, SILENT_SHARE * elapsed)
    if not standstill.stopped(facts) or not (at_rest or _lasted(facts)) or (end - dead.time_ns) / 1e9 < enough or standstill.gpu_working(facts):
        return False
    return bool(at_rest or standstill.asleep(facts) or standstill.gpu_idle(facts) or facts.stand.stalls) or speaks_of_meeting(facts.job)


def _says_it_waits(facts: Facts) -> bool:
    """Whether somebody said to the end that the others are waited for, and nobody said anything else."""
    return _idled(facts) or (facts.silence is not None and bool(calling(facts.job, facts.silence.talking)))


def _told_to_meet(facts: Facts) -> bool:
    """Whether every rank's process was given a place or a number to meet by."""
    ours = [p for p in facts.processes if p.rank is not None and p.step not in SCRIPT]
    told = {p.rank for p in ours if MEETING_NAMES & p.environment.keys() or _PLACE.search(" ".join(p.command))}
    return bool(told) and told >= {p.rank for p in ours if p.rank in standstill.alive(facts)}


def _waited(facts: Facts) -> bool:
    """Whether no rank is known to have used the CPU for much of the time."""
    elapsed = facts.ending.elapsed_s
    return not (elapsed and any(p.rank is not None and (p.cpu_s or 0.0) > AWAKE_CPU * elapsed for p in facts.processes))


def _for_other_nodes(facts: Facts) -> Assessment | None:
    """The answer where one task is all that is known, and it is a node's launcher that waits for those of other nodes."""
    if facts.advance.seen or standstill.suspended(facts):
        return None
    agents = _agents(facts)
    if agents:
        return ruled_in("a launcher of several nodes waited for the others up to the time limit", "a launcher on every node", _account(facts, agents))
    few, alone = roll_call(facts.job), lone_node(facts)
    if (alone is None and few is None) or not _lasted(facts) or standstill.gpu_working(facts) or not _waited(facts):
        return None
    if few is not None:
        return ruled_in(few, "all of them, or anything else said behind it", _account(facts))
    said = f"by its own word {alone}, no other was there, and it was silent until it was stopped"
    return ruled_in(said, "the other nodes, or work on this one", _account(facts))


def _agents(facts: Facts) -> tuple[Evidence, ...]:
    """Launchers told of several nodes that slept up to the time limit without a word, and started no rank."""
    silence, elapsed = facts.silence, facts.ending.elapsed_s
    if not elapsed or facts.ending.state not in {"TIMEOUT", "DEADLINE"} or (silence is not None and silence.seconds < SILENT_SHARE * elapsed):
        return ()
    told = [(p, found[1]) for p in facts.processes if p.cpu_s is not None and (found := _NODES.search(" ".join(p.command))) and int(found[1]) > 1]
    ranks = [p for p in facts.processes if "LOCAL_RANK" in p.environment or (p.rank is not None and p.step not in SCRIPT)]
    if not told or ranks or any((p.cpu_s or 0.0) > IDLE_CPU * elapsed for p, _ in told):
        return ()
    return tuple(process(p, "command", f"launched for {nodes} nodes; {p.cpu_s:.1f} s of CPU") for p, nodes in told[:4])


def _filled(facts: Facts) -> bool:
    """Whether more than a context lay in a card's memory: some rank had begun to work."""
    total = {g.uuid: g.memory_total_bytes for g in facts.hardware.gpus if g.memory_total_bytes}
    shares = [max(values) / (total[c.uuid] or 1) for c in facts.activity.cards if c.uuid in total and (values := c.values("gpu_memory_used_bytes"))]
    return bool(shares) and max(shares) > CONTEXT_SHARE


def _never_joined(facts: Facts) -> tuple[str, ...]:
    """Who did not come, as far as anything says it: the store's count, the process map, silent logs."""
    said = []
    stand = facts.stand
    if stand.joined is not None:
        came, of, _ = stand.joined
        said.append(f"{came} of {of} clients joined: {of - came} never did")
    if stand.missing:
        said.append(f"no process of rank{'s' if len(stand.missing) > 1 else ''} {_list(stand.missing)} was ever seen: they never started")
    logs = [log for r in facts.job.reports for log in r.logs if log.rank is not None and log.step not in SCRIPT]
    silent = sorted({log.rank for log in logs if log.rank is not None} - {log.rank for log in logs if log.bytes_seen and log.rank is not None})
    if silent and len(silent) < facts.ranks_total:
        said.append(f"ranks that never wrote anything: {_list(tuple(silent))}")
    telling = {e.where.rank for e in facts.said("rendezvous") if e.where.rank is not None}
    said += [f"{one.who}: {one.why}" for one in stand.culprits[:4]]
    quiet = sorted({e.rank for e in facts.exits if e.rank is not None and e.step not in SCRIPT} - telling)
    if telling and quiet and len(quiet) <= len(telling):
        said.append(f"rank{'s' if len(quiet) > 1 else ''} {_list(tuple(quiet))} did not report the timeout that the others did: look there first")
    hosts = {str(e.data["address"]) for e in facts.said("rendezvous") if e.data.get("address")}
    if len(hosts) > 1:
        said.append(f"the ranks looked for different coordinators: {', '.join(sorted(hosts)[:4])}")
    addresses = {p.environment["MASTER_ADDR"] for p in facts.processes if p.environment.get("MASTER_ADDR")}
    if len(addresses) > 1:
        said.append(f"MASTER_ADDR differs between ranks: {', '.join(sorted(addresses)[:4])}")
    return tuple(said)


def _list(ranks: tuple[int, ...]) -> str:
    return ", ".join(map(str, ranks[:16])) + (" …" if len(ranks) > 16 else "")


def _own_words(facts: Facts) -> Cause | None:
    """What the exception counts as in which a program itself gave up waiting; a library's words of it have no cause."""
    if facts.said("rendezvous"):
        return None
    return next((e.cause for e in facts.waiting.gave_up if e.id in facts.patience), None)


def _of_the_dead(facts: Facts) -> tuple[str, ...]:
    """What to do about the end of the rank that the others waited for."""
    error = facts.error
    return crash.advice_for(facts, error, error.cause, error.detail) if error is not None else ()


def _account(facts: Facts, asleep: tuple[Evidence, ...] = ()) -> Account:
    shows = [Said(f"rendezvous: {words.headline(words.told(e))}", (e,)) for e in facts.said("rendezvous")[:2]]
    if not shows:
        shows = [Said("a rank waited for the others until a time-out, before any progress", (e,)) for e in facts.waiting.gave_up[:1]]
    shows += [Said("the ranks' processes knew where to meet, and slept all the time", asleep)] if asleep else []
    shows += standstill.shows_standstill(facts)
    left = standstill.left(facts)
    died = any(not f.follows and not f.victim and f not in left for f in facts.failures)
    trigger = trigger_of(facts) if died and not facts.said("rendezvous") else None
    if trigger is not None and trigger.evidence:
        shows.insert(0, Said(trigger.text, trigger.evidence))
    absent = _never_joined(facts)
    named = f": {trigger.text}, the others waited" if trigger is not None else f"; {absent[0]}" if absent else ""
    in_use = next((e for e in facts.said("exception", "rendezvous") if e.detail == "port_in_use" or "ddress already in use" in words.told(e)), None)
    advice = (
        (
            "Check that all ranks use one coordinator: export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST "
            "| head -1) MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))"
        ),
        "Name the interface where several exist: export NCCL_SOCKET_IFNAME=… GLOO_SOCKET_IFNAME=…",
        "Test the way to it from every node: srun --ntasks-per-node=1 bash -c 'getent hosts $MASTER_ADDR || echo unknown here'",
        *standstill.WATCHDOG[1:],
    )
    told = (*facts.said("nccl_error", "exception", "rendezvous"), *facts.waiting.gave_up)
    nccl = Cause.NCCL if any(e.cause is Cause.NCCL or _NCCL.search(words.told(e)) for e in told) else None
    if in_use is not None:
        shows.insert(0, Said("the coordinator's port was in use", (in_use,)))
    return Account(
        headline=words.headline(f"the {f'{facts.ranks_total} ' if facts.ranks_total > 1 else ''}ranks never met: hung before any progress{named}"),
        shows=tuple(shows),
        fault=Fault.USER if trigger is not None and trigger.cause is not None else Fault.UNKNOWN,
        cause=trigger.cause if trigger is not None else nccl or _own_words(facts),
        detail="rendezvous_timeout" if facts.said("rendezvous") else None,
        trigger=trigger,
        implies=absent,
        cannot_decide=(
            *(() if trigger is not None else ("whether the coordinator, a firewall or name resolution is in the way",)),
            *standstill.uncounted(facts),
        ),
        advice=(*_of_the_dead(facts), crash.END_THE_STEP, *advice[3:4]) if trigger is not None else advice,
        against=standstill.against(facts),
    )


MODE = RendezvousHang()
