"""Whether one process fell silent long before its time was over: by its own rhythm, and by what its last words were of.

A run that is cut off by its limit while it goes on was silent for no longer than one of its own pauses. How much longer a silence must be depends on
its last words: a program that waits (for a lock, a queue, an upload, somebody's answer) has nothing to do; one that evaluates or exports may
be at it, so that the silence must be most of its life.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier import standstill
from gpualert_slurm.classifier.advance import Advance
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.idlers import idles, idling_since
from gpualert_slurm.classifier.meeting import LACK_WORDS, WAIT_WORDS, last_words, tails_by_path
from gpualert_slurm.classifier.tongues import AWAITS
from gpualert_slurm.classifier.untold import only_repeats, stopped_talking, waits_where_stopped

LEAST_MARKS = 4
LEAST_S, WORKING_S, NEVER_S = 20.0, 45.0, 30.0
"""Seconds at least: of any silence, of one behind words of work, of one of a run that had made no progress at all."""
WAITING, PLAIN, WORKING = 5.0, 8.0, 12.0
"""So many of the longest pause that the run had made, by what its last words were of."""
SHARES = {WAITING: 0.25, PLAIN: 0.3, WORKING: 0.55}
"""Of the time since its first progress."""
CANCELLED = 20.0
"""… where somebody cancelled it, and its card was idle and its processes slept: who cancels has his own reasons."""
CALLED_OFF, CALLED_OFF_S, CALLED_OFF_SHARE = 100.0, 40.0, 0.6
"""… and where no card was read."""
PEERS_S, PEERS, PEERS_SHARE = 60.0, 60.0, 0.25
"""… of several ranks, that were called off in silence: so many of their own intervals."""
STOPPED_S, STOPPED, STOPPED_SHARE = 10.0, 3.0, 0.2
"""Where its processes had worked and then used no CPU at all, by the node's own readings."""
STOPPED_READINGS, STOPPED_CPU = 2, 0.15
STEADY_S, STEADY, STEADY_SHARE, STEADY_MARKS = 30.0, 4.0, 0.4, 8
"""Of a run that had told of so much progress that its longest pause says what a pause of it is."""
VAST_S, VAST, VAST_SHARE = 40.0, 60.0, 0.8
"""Whatever the last words were of: so many pauses of a steady run, and nearly all of its time, is no work between two of its lines."""
_WAITS = re.compile(
    r"\bwait(?:s|ing|ed)?\b|\b\w{0,12}lock(?:s|ed|file|ing)?\b|\bacquir|\battach\b|\bblock(?:s|ed|ing)\b|\bqueue[sd]?\b|\bhand(?:ed"
    r"|ing)?[ _-]?(?:off|over)\b"
    r"|\bjoin(?:ing|s)?\b|\bdebug\w{0,3}\b|\bsync\w{0,6}\b|\bflush\w{0,3}\b|\bupload\w{0,4}|\bpush(?:ing|es)\b|\bdownload\w{0,4}|\bfetch\w{0,3}\b"
    r"|\bpull(?:ing|s)\b|\bprefetch\w{0,3}\b|\bconnect(?:ing|s)?\b|\brequest(?:s|ed|ing)?\b|\bthread\b|\bbarrier\b|\bsemaphore\b"
    rf"|\bmutex\b|\brelease\b|{AWAITS}",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\[[yY]/[nN]\]|\([yY](?:es)?/[nN]o?\)|\bpass(?:word|phrase)\b.{0,40}[:?]\s*$|^\s*(?:\((?:Pdb|gdb|ipdb)\)|ipdb>|>>>|In \[\d{1,4}\]:)\s*$"
    r"|\bpress (?:enter|any key|return)\b"
    r"|\b(?:enter|type|choose|select|confirm|continue|overwrite|proceed)\b[^.]{0,60}[?:>]\s*$|\bfor (?:a |the )?(?:client"
    r"|debugger|user|answer|input)\b",
    re.IGNORECASE,
)
_WAITS_ALONE = re.compile(
    rf"as PyTorch extensions root|\bwait(?:s|ing)?\b|\b\w{{0,12}}lock(?:ed|file)?\b|\bacquiring\b|\bblocked\b|{AWAITS}", re.IGNORECASE
)
"""Of a run that had made no progress: what it waited for was not work of its own."""
_DRY = re.compile(
    r"\b(?:queue|buffer|inbox|topic|stream)\b.{0,24}\b(?:empty|dry|drained)\b|\b(?:empty|no) (?:queue|messages?|jobs?|work|tasks?)\b", re.IGNORECASE
)
"""Nothing to do has come."""
_WORKS = re.compile(
    r"evaluat|validat|\bscor(?:e|ing)|\btest(?:ing|s)?\b|infer|predict|sav(?:e|ing)\b|writ(?:e|ing)|checkpoint|compil|\bload(?:ing|s)?\b"
    r"|\bread(?:ing|s)?\b|prepar"
    r"|generat|sampling|export|comput|index|merg|quanti[sz]|convert|pack(?:ing)?\b|sort|build|token|render|simulat|gather",
    re.IGNORECASE,
)
_OF_THE_LOOP = re.compile(r"\bloss\b|\d ?%", re.IGNORECASE)


def fell_silent(facts: Facts, *, idle: bool) -> bool:
    """Whether a single process did; ``idle``: its card was read to be."""
    silence, life, go = facts.silence, facts.ending.elapsed_s, facts.advance
    if silence is None or not life or (facts.activity.cards and not idle):
        return False
    limit = facts.ending.state == "TIMEOUT" or bool(facts.stopping.own_limit)
    last = last_words(facts.job)
    if not go.seen:
        return (limit and _never_began(facts, last, life)) or stopped_talking(facts, limit=limit)
    times, end = [m.time_ns for m in go.marks if m.time_ns is not None], facts.ending.ended_ns
    if silence.of != "progress" or len(go.marks) < LEAST_MARKS or not times or end is None:
        return limit and _ran_dry(facts, last)
    since, pause = (end - min(times)) / 1e9, _longest_s(facts) or go.longest_s or life
    if not limit:
        return _called_off(facts, last, since, pause, idle=idle)
    asks = any(_asks(line) or _WAITS.search(line) for line in last)
    times_of_it = WAITING if asks else WORKING if any(_of_work(line) for line in last) else PLAIN
    least = WORKING_S if times_of_it == WORKING else LEAST_S
    enough = [max(least, times_of_it * pause, SHARES[times_of_it] * since)]
    if _steady(go) and times_of_it != WORKING:
        enough.append(max(STEADY_S, STEADY * pause, STEADY_SHARE * since))
    if _steady(go):
        enough.append(max(VAST_S, VAST * pause, VAST_SHARE * since))
    dry = _ran_dry(facts, last)
    at_rest = silence.seconds >= max(STOPPED_S, STOPPED * pause, STOPPED_SHARE * since) and _stopped_working(facts, max(times))
    return silence.seconds >= min(enough) or at_rest or dry


def _called_off(facts: Facts, last: Sequence[str], since: float, pause: float, *, idle: bool) -> bool:
    """Whether a run that somebody cancelled had stood still before; its last words, seconds since its first progress, its longest pause."""
    silent_s = facts.silence.seconds if facts.silence is not None else 0.0
    if only_repeats(facts):
        return True
    if waits_where_stopped(facts.job) and silent_s >= max(LEAST_S, PLAIN * pause, SHARES[WAITING] * since):
        return True
    if idle:
        return silent_s >= max(LEAST_S, CANCELLED * pause) and bool(standstill.asleep(facts))
    return silent_s >= max(CALLED_OFF_S, CALLED_OFF * pause, CALLED_OFF_SHARE * since) and not any(_of_work(line) for line in last)


def _never_began(facts: Facts, last: Sequence[str], life: float) -> bool:
    """Whether a run that made no progress only waited: it said so again and again, or its last word asks for something."""
    idled = _idled(facts, life) and any(_asks(line) or any(kind.search(line) for kind in (WAIT_WORDS, LACK_WORDS, _DRY)) for line in last)
    silent_s = facts.silence.seconds if facts.silence is not None else 0.0
    return idled or (silent_s >= max(NEVER_S, SHARES[WAITING] * life) and any(_asks(line) for line in last))


def _ran_dry(facts: Facts, last: Sequence[str]) -> bool:
    """Whether a run that had got on only says that nothing to do comes, from then to its end."""
    silence, life = facts.silence, facts.ending.elapsed_s or 0.0
    if silence is None or silence.of != "progress" or silence.seconds < max(NEVER_S, PEERS_SHARE * life):
        return False
    return any(_DRY.search(line) for line in last) and all(idles(lines, alone=True) for _, lines in tails_by_path(facts.job))


def _longest_s(facts: Facts) -> float | None:
    """The longest pause before the run began to be stopped, where a bar was drawn once more behind gpualert-run's own limit; None: none was."""
    timed, kept_ns = [m.time_ns for m in facts.advance.marks if m.time_ns is not None], facts.stopping.kept_ns
    before = sorted(at for at in timed if kept_ns is None or at < kept_ns)
    if len(before) == len(timed) or len(before) < LEAST_MARKS:
        return None
    return max(b - a for a, b in pairwise(before)) / 1e9


def called_off(facts: Facts) -> bool:
    """Whether several ranks had told of nothing for many of their intervals when somebody cancelled them, and their last words were of no work."""
    silence, end = facts.silence, facts.ending.ended_ns
    times = [m.time_ns for m in facts.advance.marks if m.time_ns is not None]
    if silence is None or silence.of != "progress" or not silence.interval_s or len(times) < LEAST_MARKS or end is None or silence.talking:
        return False
    if facts.ending.state != "CANCELLED" or any(_of_work(line) for line in last_words(facts.job)):
        return False
    enough = max(PEERS_S, PEERS * silence.interval_s, STEADY * (facts.advance.longest_s or 0.0), PEERS_SHARE * (end - min(times)) / 1e9)
    return silence.seconds >= enough


def _idled(facts: Facts, life: float) -> bool:
    """Whether the run repeated one line that tells of nothing for most of its time."""
    since, end = idling_since(facts.job, alone=True), facts.ending.ended_ns
    return since is not None and end is not None and (end - since) / 1e9 >= max(NEVER_S, SHARES[WORKING] * life)


def _steady(go: Advance) -> bool:
    """Whether a run had told of its progress often enough for its longest pause to be known."""
    return len({m.time_ns for m in go.marks}) >= STEADY_MARKS


def _stopped_working(facts: Facts, last_ns: int) -> bool:
    """Whether every process that had worked on the CPU while there was progress used none of it from then on, by the node's readings."""
    first = min((m.time_ns for m in facts.advance.marks if m.time_ns is not None), default=last_ns)
    told = facts.stopping.at[0] if facts.stopping.at is not None else None
    until = told if told is not None and told > last_ns else facts.ending.ended_ns  # a limit may be long over when the kill comes
    stopped = 0
    for cpu in (s for s in facts.series if s.name == "cpu_percent" and s.where.step not in SCRIPT):
        timed = [(t, v) for t, v in zip(cpu.times_ns, cpu.values, strict=False) if t is not None]
        then = [v for t, v in timed if first <= t <= last_ns]
        now = [v for (a, _), (b, v) in pairwise(timed) if a >= last_ns and (until is None or b <= until)]  # each is of the time since the one before
        usual = statistics.median(then) if len(then) >= STOPPED_READINGS else 0.0
        if len(now) < STOPPED_READINGS and usual > 0:
            return False  # nobody looked, or it was gone
        if usual > 0:
            if max(now) > STOPPED_CPU * usual:
                return False
            stopped += 1
        elif any(v > 1.0 for v in now):
            return False
    return stopped > 0


def _asks(line: str) -> bool:
    return _ASKS.search(line) is not None or _WAITS_ALONE.search(line) is not None


def _of_work(line: str) -> bool:
    return _WORKS.search(line) is not None and _OF_THE_LOOP.search(line) is None
