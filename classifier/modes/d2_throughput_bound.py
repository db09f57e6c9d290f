"""D2: the run advanced, bound by saving, by the interconnect or by launch blocking."""

from __future__ import annotations

import itertools
import statistics

from gpualert_slurm.classifier import words
from gpualert_slurm.classifier.accounts import Told, account
from gpualert_slurm.classifier.activity import BUSY_PERCENT, SM, STARVED_SM_PERCENT, Card
from gpualert_slurm.classifier.alike import is_clock
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.line_times import parts_of
from gpualert_slurm.classifier.low_power import LOW_SHARE, low_power
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.own_times import held_up_by
from gpualert_slurm.classifier.printed_environment import printed
from gpualert_slurm.classifier.spent import Spent, spent
from gpualert_slurm.classifier.stand import process
from gpualert_slurm.classifier.storm import (
    STORM_TIME,
    each_batch,
    one_by_one,
    saves_counted,
    share_between,
    share_said,
    share_seen,
    step_of,
    whole_passes,
)
from gpualert_slurm.classifier.talk import measures_the_fabric, mostly_talk, of_several, on_fabric, talks, uneven, worth_it
from gpualert_slurm.classifier.time_kinds import SAVE, WHOLE
from gpualert_slurm.classifier.timed_saves import counts, timed_saves, trains
from gpualert_slurm.classifier.within_epochs import within_epochs
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.verdict import Fault

STORM_SHARE = 0.5
"""A save at half of the steps or more is a storm."""
CHEAP = 0.02
"""Saves that take less of the time by their own word hold nobody up, however many they are."""
HELD_UP, MORE = 0.3, 1.5
"""So is more of it before lines that tell of a write, by when they came; and of the time before the lines of the work itself."""
MOMENT_S = 1.0
"""Saves that cost less in all, and less than a storm, are worth no word."""
CHEAP_SEEN = 0.05
"""The same by when their lines came."""
SLOW_S = 0.1
"""Counts of a small program that take as long, with a write in each, take it for the write."""
MIN_STEPS = 20
LONG_S = 10.0
"""Of so many seconds in all, by its own account, a run need not have counted its steps."""
LEAST_SAVES = 3
"""Fewer, however long they took, are no habit."""
SAMPLES = 4
"""A count so many times the step that the last save is named by counts samples."""
MIN_READINGS = 5
TALKS = 0.5
"""Of the time by the run's own account: more of it went into what the ranks exchange."""
TALKING_BUSY_PERCENT = 70.0
"""Of engines on average, where the run itself says that most of its time went into the exchange: the mean has its start and its end in it."""
UNEVEN = 1.3
"""Above this ratio of one rank's SM activity to the median it is no uniform bound (D3)."""
COMPUTING_SM_PERCENT = 50.0
BLOCKING = ("CUDA_LAUNCH_BLOCKING", "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL")
SMALL = "whether they waited for each other, or ran kernels too small to draw power: SM activity was not read"
FLIP = "a save at half of the steps, or engine ~1.0 with SM ~0.1 on all ranks, or launch blocking in the environment"


class ThroughputBound(FailureMode):
    """Save storm by the log's own count and times; interconnect by engine and SMs of all ranks; launch blocking by the processes' environment."""

    code = "D2"
    title = "throughput-bound"
    place = 80
    variants = ("save_storm", "interconnect", "launch_blocking")
    needs = "saves and steps; SM activity of every rank's GPU, and the processes' environment"
    positive = (
        "a save at half of the steps or a fifth of the time; engine ~1.0 with SM ~0.1 on all ranks while advancing; launch blocking in the "
        "environment of the ranks"
    )
    excludes = "a straggler, a hang; CUDA's advice line proves nothing"
    leaves_open = "the fabric's cause"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a run that ended well and was bound by one of the three."""
        if not facts.ended_well:
            return ruled_out("the run did not end well: what ended it comes first", "a run that ended well", *facts.cite_end())
        done = facts.advance.steps_done
        if held_up_by(facts.job) is None and (told := _told_each_time(facts) or _by_parts(facts)) is not None:
            return told
        if not facts.advance.seen or (done is not None and max(done, within_epochs(facts), _measured(facts)) < MIN_STEPS):
            talk = mostly_talk(facts)
            if talk is not None:
                return _exchanging(facts, talk, facts.said("slow_transport")[:1])
            return not_testable("too few steps of progress to call a rate", FLIP)
        for asked in (_saving, _blocking) if measures_the_fabric(facts) else (_saving, _interconnect, _blocking):
            answer = asked(facts)
            if answer is not None:
                return answer
        cards = _read(facts)
        if len(cards) < 2:
            slow = facts.said("slow_transport")
            own = talks(facts)
            if slow and own is not None and own.share >= TALKS:
                return _exchanging(facts, own, slow[:1])
            several = own is not None and of_several(facts, own.said)
            if own is not None and own.share >= TALKS and several and not on_fabric(facts) and not uneven(facts) and worth_it(facts, own):
                return _exchanging(facts, own, ())
            if slow:
                return not_testable("sockets are used between nodes, but no SM activity was read to tell whether that bound the run", FLIP)
            if facts.ranks_total < 2 and any(p.environment for p in facts.processes):
                return ruled_out("few saves, one rank, and no launch blocking in its environment", FLIP)
            return not_testable("no SM activity of the ranks' GPUs was read", FLIP)
        lowest = min(cards, key=lambda c: c.mean(SM, facts.activity.work) or 0.0)
        cites = [e for n in ("gpu_utilization_percent", SM) if (e := lowest.cite(n)) is not None]
        return ruled_out("few saves, and the SMs worked when the engines were busy", FLIP, *cites)


def _saving(facts: Facts) -> Assessment | None:
    """A save at nearly every step, or a fifth of the time in saves."""
    go = facts.advance
    saves = saves_counted(go)
    done = _done(facts, go.steps_done or 0)
    said = share_said(go, saves, _trained_s(facts))
    own = spent(facts, "save")
    seen = (share_between(go) or share_seen(go, saves)) if said is None else None  # what the saves say themselves is nearer
    share = max((s for s in (seen, said, own.share if own is not None else None) if s is not None), default=None)
    often = done >= MIN_STEPS and saves >= STORM_SHARE * done and not whole_passes(go) and _cost(said, facts) and not _cheap(facts)
    long = (share or 0.0) >= STORM_TIME and saves >= LEAST_SAVES and (done == 0 or done >= MIN_STEPS)
    if own is not None and own.share >= STORM_TIME and saves == 0 and (trains(facts) or counts(facts)):
        return _by_its_word(facts, own)
    if not saves or not (often or long):
        return None
    took = f", about {share:.0%} of the time" if share is not None and share >= CHEAP else ""
    in_steps = f" in {done} steps" if done else ""
    shows = [Said(f"{saves} saves{in_steps}{took}", (*go.saved[-1:], *go.marks[-1:]))]
    if facts.cite_end():
        shows.append(Said("the run ended well", facts.cite_end()))
    told = Account(
        headline=f"completed, but saved {saves} times{in_steps}{took}",
        shows=tuple(shows),
        fault=Fault.USER,
        variant="save_storm",
        implies=("much of the time went into saving",),
        cannot_decide=() if share is not None else ("how much time the saves took: their lines have no times",),
        advice=(
            f"Save less often: every {max(50, done // 10)} steps, say (Trainer: --save_strategy steps --save_steps {max(50, done // 10)}).",
            "Save to node-local storage and copy at the end, or save asynchronously (torch.distributed.checkpoint.async_save).",
        ),
        lost=False,
    )
    return ruled_in(f"{saves} saves{in_steps}{took}", f"fewer than {STORM_SHARE:.0%} of the steps and {STORM_TIME:.0%} of the time", told)


def _by_its_word(facts: Facts, own: Spent, how_often: str = "") -> Assessment:
    """The run's own account of its time, where its saves themselves are told nowhere."""
    words_ = f"by its own account {own.share:.0%} of the time went into saving{how_often}"
    return _told_so(facts, words_, Said(f"{words_}: {words.headline(own.said)}", own.cites))


def _told_so(facts: Facts, words_: str, said: Said) -> Assessment:
    told = Account(
        headline=words.headline(f"completed, but {words_}"),
        shows=(said, *_ended(facts)),
        fault=Fault.USER,
        variant="save_storm",
        implies=("much of the time went into saving",),
        advice=("Save less often, to node-local storage, or asynchronously (torch.distributed.checkpoint.async_save).",),
        lost=False,
    )
    return ruled_in(words_, f"less than {STORM_TIME:.0%} of the time", told)


def _told_each_time(facts: Facts) -> Assessment | None:
    """A fifth of the time in what many lines alike say that they wrote, whatever it was."""
    timed = timed_saves(facts)
    if timed is None or timed.share < STORM_TIME:
        return _held_up(facts)
    return _by_its_word(facts, Spent(timed.share, timed.said, timed.cites), f", {timed.count} times")


def _held_up(facts: Facts) -> Assessment | None:
    """Much of the time before lines that tell of what was written, and more than before those of the work, by when they came."""
    held = max(facts.said("held_up"), key=lambda e: float(e.data["share"]), default=None)
    if held is None or (facts.measured is None and (facts.advance.steps_done or 0) < MIN_STEPS):
        return None
    count, share, each_s = int(held.data["count"]), float(held.data["share"]), float(held.data.get("each_s", 0.0))
    counted = facts.measured.counter if facts.measured is not None else None
    steps = max(counted.counts[-1], counted.planned or 0) if counted is not None else facts.advance.steps_done or 0
    if held.data.get("alone"):  # the work itself lies between them
        if count < MIN_STEPS or count < STORM_SHARE * steps or count > steps or each_s < SLOW_S:
            return None
        words_ = f"it wrote {count} times in {steps} counts, each {each_s:.2g} s"
    elif share < HELD_UP or share < MORE * float(held.data["work"]):
        return None
    else:
        words_ = f"{share:.0%} of the time passed before {count} lines that tell of what it wrote"
    return _told_so(facts, words_, Said(words_, (held, *facts.advance.marks[-1:])))


def _by_parts(facts: Facts) -> Assessment | None:
    """A fifth of the time by the parts of it that the run's lines tell, in a run of many steps, or a long one."""
    own = account(facts, frozenset({SAVE})) if trains(facts) or counts(facts) else None
    if own is not None and own.share < STORM_TIME and _each_time(facts, own):
        steps = max(facts.advance.steps_done or 0, _measured(facts))
        told = Spent(own.share, own.said, facts.advance.marks[-1:] or facts.cite_end()[:1], own.whole_s)
        return _by_its_word(facts, told, f", {own.count} times in {steps} steps")
    if own is None or own.share < STORM_TIME or not facts.advanced or _few_saves(facts, own):
        return None
    if (own.whole_s or 0.0) < LONG_S and (facts.advance.steps_done or MIN_STEPS) < MIN_STEPS > saves_counted(facts.advance):
        return None
    return _by_its_word(facts, Spent(own.share, own.said, facts.advance.marks[-1:] or facts.cite_end()[:1], own.whole_s))


def _few_saves(facts: Facts, own: Told) -> bool:
    """Whether the run saved once or twice; the line that sums up may itself look like a save."""
    others = [e for e in facts.advance.saved if isinstance(e.source, Quote) and e.source.text.strip() != own.said]
    return bool(others) and saves_counted(facts.advance) < LEAST_SAVES


def _each_time(facts: Facts, own: Told) -> bool:
    """Whether what was written was told with a time of its own at half of the steps, and took more than a moment."""
    steps = max(facts.advance.steps_done or 0, _measured(facts))
    often = own.count >= MIN_STEPS and STORM_SHARE * steps <= own.count <= 1.1 * steps and not whole_passes(facts.advance)
    return often and own.share >= CHEAP_SEEN and own.share * (own.whole_s or 0.0) >= MOMENT_S


def _cost(said: float | None, facts: Facts) -> bool:
    """Whether what the saves say that they took is worth a word; where they say nothing, it may be."""
    return said is None or (said >= CHEAP and (said >= STORM_TIME or said * (_trained_s(facts) or 0.0) >= MOMENT_S))


def _cheap(facts: Facts) -> bool:
    """Whether next to no time passed before the lines that tell of a save."""
    held = facts.said("held_up")
    if _unaccounted(facts) >= STORM_TIME:
        return False
    return bool(held) and all(float(e.data["since"]) < CHEAP_SEEN and not e.data.get("alone") for e in held)


def _unaccounted(facts: Facts) -> float:
    """The share of a step's time, by when its lines came, that the time which they say that it took leaves open."""
    texts = [m.source.text for m in facts.advance.marks if isinstance(m.source, Quote)]
    timed = ([one.seconds for one in parts_of(text) if one.kind == WHOLE and not one.bare and not one.share] for text in texts)
    told = [wholes[0] for wholes in timed if len(wholes) == 1]
    step_s = facts.advance.step_s or 0.0
    if step_s < MOMENT_S or len(told) < MIN_STEPS // 2 or is_clock(told):
        return 0.0
    return max(0.0, 1 - statistics.median(told) / step_s)


def _trained_s(facts: Facts) -> float | None:
    """Seconds from the first line of progress or save to the last; where their times are not known, of the whole run."""
    times = [e.time_ns for e in (*facts.advance.marks, *facts.advance.saved) if e.time_ns is not None]
    return (max(times) - min(times)) / 1e9 if len(times) > 1 else facts.ending.elapsed_s


def _done(facts: Facts, counted: int) -> int:
    """Steps done, as progress counts them; as the saves themselves do, where progress counts samples or epochs."""
    named = [n for e in facts.advance.saved if (n := step_of(e)) is not None]
    if counted == 0 and (one_by_one(facts.advance) or each_batch(facts.advance)):
        return saves_counted(facts.advance)
    if counted == 0 and (made := _rated(facts)):
        return made
    counted = max(counted, within_epochs(facts))
    apart = [b - a for a, b in itertools.pairwise(named) if b > a]
    turns = 3 * len(set(named)) <= len(named)  # a few names that take turns count nothing
    if turns or len(apart) < MIN_STEPS // 2 or not (counted == 0 or counted > SAMPLES * max(named)):
        return counted
    return max(named)


def _rated(facts: Facts) -> int:
    """Steps as the run's last line makes them, by its time and its rate; 0: it tells none."""
    for end in facts.advance.end_marks:
        took, rate = end.data.get("train_runtime"), end.data.get("train_steps_per_second")
        if isinstance(took, (int, float)) and isinstance(rate, (int, float)) and took * rate >= 1:
            return round(took * rate)
    return 0


def _measured(facts: Facts) -> int:
    """How far its lines count by how their numbers behave; 0: they do not."""
    return facts.measured.counter.counts[-1] if facts.measured is not None else 0


def _read(facts: Facts) -> list[Card]:
    """GPUs with engine and SM readings over the training."""
    window = facts.activity.work
    return [c for c in facts.activity.with_sm if c.mean(SM, window, MIN_READINGS) is not None and c.engine(window, MIN_READINGS) is not None]


def _interconnect(facts: Facts) -> Assessment | None:
    """Engines busy and SMs nearly idle on all ranks, evenly, while the run advances: the ranks wait for each other's data."""
    cards, window = _read(facts), facts.activity.work
    if len(cards) < 2 or facts.ranks_total < 2:
        drawn = low_power(facts) if len(cards) < 2 else None
        return _waited(facts, *drawn, f"power above {LOW_SHARE:.0%} of the limit on some card", SMALL) if drawn is not None else None
    engines = [c.engine(window) or 0.0 for c in cards]
    sms = [c.mean(SM, window) or 0.0 for c in cards]
    middle = statistics.median(sms)
    own = talks(facts)
    busy = BUSY_PERCENT if own is None or own.share < TALKS else TALKING_BUSY_PERCENT
    if min(engines) < busy or max(sms) > STARVED_SM_PERCENT or (max(sms) > UNEVEN * middle and max(sms) - middle > 2.0):
        return None
    cites = tuple(e for c in cards[:4] for n in ("gpu_utilization_percent", SM) if (e := c.cite(n, "interconnect_bound")) is not None)
    numbers = f"engines {statistics.fmean(engines):.0f} % busy with SMs at {statistics.fmean(sms):.0f} % on all {len(cards)} GPUs"
    return _waited(facts, numbers, cites, f"SMs above {STARVED_SM_PERCENT:.0f} % on some rank, or engines below {BUSY_PERCENT:.0f} %")


def _waited(facts: Facts, numbers: str, cites: tuple[Evidence, ...], flip: str, *unsure: str) -> Assessment:
    """All ranks' GPUs waited for each other's data; ``numbers`` say how it shows."""
    sockets = facts.said("slow_transport")[:1]
    shows = [Said(f"{numbers}, over the training", cites)]
    shows += [Said("NCCL says that it uses sockets between the nodes", sockets)] if sockets else []
    shows.append(
        Said("it advanced" + (f" ({facts.advance.steps_done} steps)" if facts.advance.steps_done is not None else ""), facts.advance.marks[-1:])
    )
    if facts.cite_end():
        shows.append(Said("the run ended well", facts.cite_end()))
    told = Account(
        headline=f"completed, bound by the interconnect: {numbers}",
        shows=tuple(shows),
        fault=Fault.CLUSTER,
        variant="interconnect",
        detail="sockets" if sockets else None,
        implies=("the GPUs waited for each other's data most of the time",),
        cannot_decide=(
            "what is wrong with the fabric: a slow transport, a bad link or congestion" if not sockets else "why the fast fabric was not used",
            *unsure,
        ),
        advice=(
            "See which transport NCCL takes: export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET   # NET/IB is fast, NET/Socket is not",
            "For the operators: ibstat and nccl-tests (all_reduce_perf) on these nodes: " + ",".join(facts.job.nodes[:16]),
            "Until then: larger batches or gradient accumulation, so that ranks exchange less often.",
        ),
        lost=False,
    )
    return ruled_in(numbers, flip, told)


def _exchanging(facts: Facts, own: Spent, sockets: tuple[Evidence, ...]) -> Assessment:
    """Without SM activity: by the run's own account most of the time in what the ranks exchange; ``sockets``: NCCL's word of them, if any."""
    words_ = f"by its own account {own.share:.0%} of the time went into what the ranks exchange"
    told = Account(
        headline=words.headline(f"completed, bound by the interconnect: {words_}"),
        shows=(
            Said(f"{words_}: {words.headline(own.said)}", own.cites),
            *((Said("NCCL says that it uses sockets between the nodes", sockets),) if sockets else ()),
            *_ended(facts),
        ),
        fault=Fault.UNKNOWN,
        variant="interconnect",
        detail="sockets" if sockets else None,
        implies=("the GPUs waited for each other's data most of the time",),
        cannot_decide=("why the fast fabric was not used", "what the GPUs did meanwhile: no SM activity was read"),
        advice=(
            "See which transport NCCL takes: export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET   # NET/IB is fast, NET/Socket is not",
            "For the operators: ibstat and nccl-tests (all_reduce_perf) on these nodes: " + ",".join(facts.job.nodes[:16]),
        ),
        lost=False,
    )
    return ruled_in(words_, f"less than {TALKS:.0%} of the time, or no sockets", told)


def _blocking(facts: Facts) -> Assessment | None:
    """Launch blocking as the processes' own environment has it."""
    for name in BLOCKING:
        flagged = [p for p in facts.processes if p.environment.get(name, "0") not in {"", "0"} and p.step not in SCRIPT - {"batch"}]
        ranks = [p for p in flagged if p.rank is not None] or flagged
        if not ranks and (any(p.environment for p in facts.processes) or (shown := printed(facts.job, name)) is None):
            continue
        cites: tuple[Evidence, ...] = tuple(process(p, name, p.environment[name]) for p in ranks[:4]) or facts.advance.marks[-1:]
        value = f"{name}={ranks[0].environment[name] if ranks else shown}"
        sms = [v for c in facts.activity.with_sm if (v := c.mean(SM, facts.activity.work, MIN_READINGS)) is not None]
        if sms and min(sms) >= COMPUTING_SM_PERCENT:
            words_ = f"{value} is set, and the SMs were at work all the same"
            return latent(words_, FLIP, Said(f"{value} is set: every launch waits for its kernel", cites))
        whose = f"{len(ranks)} process{'es' if len(ranks) > 1 else ''}" if ranks else "the job, as it prints it"
        told = Account(
            headline=f"completed, slowed by {value}",
            shows=(Said(f"{value} in the environment of {whose}", cites), *_ended(facts)),
            fault=Fault.USER,
            variant="launch_blocking",
            implies=("every kernel launch waited for the kernel: the CPU and the GPU take turns",),
            cannot_decide=("how much it cost: there is no run without it to compare with",),
            advice=(f"unset {name}   # it is for finding an error, not for training",),
            lost=False,
        )
        return ruled_in(f"{value} in the processes' environment", f"{name} unset", told)
    return None


def _ended(facts: Facts) -> tuple[Said, ...]:
    return (Said("the run ended well", facts.cite_end()),) if facts.cite_end() else ()


MODE = ThroughputBound()
