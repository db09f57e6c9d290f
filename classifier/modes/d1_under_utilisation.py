"""D1: the GPU waited for its input."""

from __future__ import annotations

import re
import statistics
from bisect import bisect_left
from itertools import groupby, pairwise

from gpualert_slurm.classifier import citations, strangers, words
from gpualert_slurm.classifier.accounts import account, trained_s
from gpualert_slurm.classifier.activity import ENGINE, IDLE_PERCENT, Card, within
from gpualert_slurm.classifier.advance import FEW_STEPS
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.own_times import held_up_by
from gpualert_slurm.classifier.rank_times import slow_rank
from gpualert_slurm.classifier.spent import Spent, spent
from gpualert_slurm.classifier.time_kinds import LOAD, WAIT
from gpualert_slurm.classifier.timed_waits import timed_waits
from gpualert_slurm.classifier.untold import wrote_on
from gpualert_slurm.classifier.within_epochs import within_epochs
from gpualert_slurm.evidence import Evidence, Quote, Trust
from gpualert_slurm.verdict import Fault

LOW_PERCENT = 15.0
"""Mean utilisation that jobstats shows in red; below it is worth a warning."""
MIN_POINTS = 10
STALL_SHARE = 0.5
"""Confirmed: in half of the readings or more the engine stood still for the whole time since the reading before."""
STALL_S = 2.0
MIN_STALLS = 3
HALF_PERCENT = 50.0
"""Below it an engine that stands still for seconds, again and again, is under-used; above it a stall now and then is a save or an evaluation."""
BURST_PERCENT = 60.0
"""The driver's own samples of one interval lie this far apart: the engine worked in bursts and stood still between them."""
IDLE_WITHOUT_STEPS_PERCENT = 8.0
"""Mean duty at most, where steps are not counted."""
SAMPLE_S = 0.1
"""The driver's own samples are this long and longer: steps that are shorter than one spread none of them."""
IN_TURN = 0.8
"""Of the readings at which a card stood still, in so many another one worked: they take turns by design."""
WAITS = 0.5
"""Of the time by the run's own account: more of it went into waiting for data."""
LONG_S, LEAST_WAITED_S = 10.0, 8.0
"""Of so many seconds in all, by its own account, it need not have counted its steps; and what a run must have waited, for it to be worth a word."""
STEADY = 0.8
"""Of the time that it trained, what its steps come to, at least, where those that were not told are taken to be like the others."""
PAUSE = 5
"""Times the middle time between two lines: what is longer is no time of work."""
SMALL_SHARE = 0.2
SMALL_BYTES = 12 << 30
"""A model that never fills a fifth of the card, nor so much of a large one, is small: in short steps its low duty need not be starvation."""
PRESSED_PERCENT = 30.0
_INTERACTIVE = re.compile(
    r"\bJupyter ?(?:Server|Lab|Notebook)[\w .]{0,20} is running at|\[[IWC] [\d: .-]{8,30}(?:ServerApp|LabApp|NotebookApp)\]"
)
"""Jupyter's own lines."""
_PLAYS = re.compile(r"(?<![A-Za-z])(?:envs?|environments?|rollouts?|episodes?|returns?|rewards?|actors?|ep_rew\w*)(?![A-Za-z])", re.IGNORECASE)
"""Who learns from what it plays waits for its environment by design."""
FLIP = "engine near zero at step scale while the run advances"


class UnderUtilisation(FailureMode):
    """A low duty cycle alone is a warning; stalls of seconds while it advanced, or launches at an idle engine, confirm it."""

    code = "D1"
    title = "under-utilised GPU"
    place = 82
    needs = "GPU engine duty over the run at step scale, or the run's own account of its waits; progress; kernel launches where counted"
    positive = (
        "advancing, loss falling, engine duty low with gaps at step scale; confirmed by near-zero engine while launching, or multi-second stalls"
    )
    excludes = "a small model, B3, D2"
    leaves_open = "starvation or a small model; the magnitude"

    def assess(self, facts: Facts) -> Assessment:
        """Suspected (a warning) below LOW_PERCENT; confirmed by stalls or by launches at an idle engine."""
        window = facts.activity.work
        seen = [c for c in facts.activity.sampled if c.engine(window, MIN_POINTS) is not None] or [
            c for c in facts.activity.sampled if c.engine(least=MIN_POINTS) is not None
        ]
        busiest = max((c.engine(window) or 0.0 for c in seen), default=0.0)
        own = _own_word(facts, known=bool(seen)) if facts.ended_well and busiest < HALF_PERCENT else None
        own = _of_all_steps(facts, own)
        enough = (facts.advance.steps_done or FEW_STEPS) >= facts.advance.enough_steps
        long = own is not None and (enough or (own.whole_s or trained_s(facts) or 0.0) >= LONG_S)
        if own is not None and own.share >= WAITS and _long(facts, own) and (facts.advanced or wrote_on(facts)) and long:
            return ruled_in("by its own account it waited for data", "less waiting than work", _by_its_word(facts, own))
        if not seen:
            return not_testable("no GPU utilisation over the run", FLIP)
        if any(_INTERACTIVE.search(one.text) for report in facts.job.reports for one in report.excerpts):
            return ruled_out("a notebook's server ran: its card waits for a person", "a run without one")
        counted = facts.measured.counter.counts[-1] if facts.measured is not None and not facts.advance.seen else None
        done = max(facts.advance.steps_done or counted or 0, within_epochs(facts))
        if not facts.advanced or (done and done < facts.advance.enough_steps):
            return not_testable("too few steps of progress to set the utilisation against", FLIP)
        means = {c.uuid: _mean(c, facts) for c in seen}
        low = [c for c in seen if means[c.uuid] < LOW_PERCENT]
        confirmed, card = _confirmed(facts, low, [c for c in seen if means[c.uuid] < HALF_PERCENT])
        at = card or next(iter(low), None)
        if at is None:
            cites = tuple(e for c in seen[:2] if (e := c.cite("gpu_utilization_percent", "gpu_activity")) is not None)
            return ruled_out(f"the GPUs were busy {min(means.values()):.0f} % of the time and more while the run advanced", FLIP, *cites)
        cited = at.cite("gpu_utilization_percent", "gpu_activity")
        busy = Said(f"a GPU was busy {means[at.uuid]:.0f} % of the time on average", (cited,) if cited else ())
        unmeasured = (facts.advance.step_s or 0.0) < SAMPLE_S
        small = unmeasured and confirmed is not None and confirmed.evidence[0].says == "gpu_bursts" and _small(facts, [at])
        if confirmed is None or not facts.ended_well or small:
            why = "a small model: its memory was low too" if small else "low utilisation while it advanced"
            return latent(f"suspected only: {why}", FLIP, busy)
        return ruled_in(confirmed.text, "an engine that works at step scale", _account(facts, busy, confirmed))


def _own_word(facts: Facts, *, known: bool) -> Spent | None:
    """What the run tells of its waits for data; what ranks wait for the slowest of them is no such thing.

    Waits for nothing that is named are the loader's where a rank has no peers, or its card is ``known`` to have stood still.
    """
    told = [one for one in (spent(facts, "load"), timed_waits(facts)) if one is not None]
    by_parts = account(facts, frozenset({LOAD, WAIT}) if known or facts.ranks_total < 2 else frozenset({LOAD}))
    if by_parts is not None:
        told.append(Spent(by_parts.share, by_parts.said, facts.advance.marks[-1:] or facts.cite_end()[:1], by_parts.whole_s))
    told = [one for one in told if _PLAYS.search(one.said) is None]
    most = max(told, key=lambda one: (one.share >= WAITS, one.whole_s or 0.0, one.share), default=None)
    ranks = max(facts.ranks_total, facts.crew)
    held = most is not None and held_up_by(facts.job) is not None
    alone = held or (most is not None and slow_rank(facts.job, facts.advance.step_s, ranks) is not None)
    return None if alone else most


def _of_all_steps(facts: Facts, own: Spent | None) -> Spent | None:
    """The same with the time of the steps that were not told, where each line tells one of several: they make up the time that it trained."""
    steps = [m.data.get("step") for m in facts.advance.marks]
    apart = [b - a for a, b in pairwise(s for s in steps if isinstance(s, int)) if b > a]
    stride, whole_s = statistics.median(apart) if apart else 1, own.whole_s if own is not None else None
    trained = trained_s(facts)
    if own is None or whole_s is None or not trained or stride <= 1 or not STEADY <= stride * whole_s / trained <= 1 / STEADY:
        return own
    return Spent(own.share, own.said, own.cites, stride * whole_s)


def _long(facts: Facts, own: Spent) -> bool:
    """Whether what it waited adds up to more than a moment, as far as times tell."""
    if own.whole_s is not None:
        return own.share * own.whole_s >= LEAST_WAITED_S
    logs: dict[str, set[int]] = {}
    for m in facts.advance.marks:
        if m.time_ns is not None and isinstance(m.source, Quote):
            logs.setdefault(m.source.file, set()).add(m.time_ns)
    most_told: set[int] = max(logs.values(), key=len, default=set())
    apart = [b - a for a, b in pairwise(sorted(most_told))]
    if not apart:
        return True
    most = PAUSE * statistics.median(apart)  # a log may hold an earlier attempt, too
    return own.share * sum(min(ns, most) for ns in apart) / 1e9 >= LEAST_WAITED_S


def _mean(card: Card, facts: Facts) -> float:
    value = card.engine(facts.activity.work, MIN_POINTS)
    return value if value is not None else card.engine() or 0.0


def _confirmed(facts: Facts, low: list[Card], half: list[Card]) -> tuple[Said | None, Card | None]:
    """Launches at an idle engine, or stalls of seconds between stretches of work; with the card that shows it."""
    launches = [s for s in facts.series if s.name == "kernel_launches" and sum(finite(s.values)) > 0]
    idle = [c for c in low if _mean(c, facts) <= IDLE_PERCENT]
    if launches and idle:
        cites = (citations.series(launches[0], trust=Trust.SYSTEM), idle[0].cite("gpu_utilization_percent", "gpu_activity"))
        return Said("kernels were launched all the time at an engine near zero", tuple(c for c in cites if c is not None)), idle[0]
    for card in half:
        if _in_turn(facts, card):
            continue
        said = _stalls(facts, card) or (_bursts(facts, card) if card in low else None)
        if said is not None:
            return said, card
    return None, None


def _in_turn(facts: Facts, card: Card) -> bool:
    """Whether the job's other cards worked when this one stood still: one part of the run trains while another plays, and the other way round."""
    own = _readings(facts, card)
    if len(own) < MIN_POINTS:
        return False
    others = [readings for c in facts.activity.sampled if c is not card and (readings := _readings(facts, c))]
    still = [t for t, v in own if v <= IDLE_PERCENT]
    return bool(still) and sum(any(_at(readings, t) >= 2 * LOW_PERCENT for readings in others) for t in still) >= IN_TURN * len(still)


def _at(readings: list[tuple[int, float]], time_ns: int) -> float:
    """The one that is nearest in time."""
    behind = bisect_left(readings, (time_ns, 0.0))
    return min(readings[max(0, behind - 1) : behind + 1], key=lambda reading: abs(reading[0] - time_ns))[1]


def _readings(facts: Facts, card: Card) -> list[tuple[int, float]]:
    """The engine's, with their times, while the run advanced."""
    one = next((card.series[n] for n in ENGINE if n in card.series), None)
    begin, end = facts.activity.work
    found = zip(one.times_ns, one.values, strict=False) if one is not None else ()
    return sorted((t, v) for t, v in found if t is not None and (begin is None or t >= begin) and (end is None or t <= end))


def _stalls(facts: Facts, card: Card) -> Said | None:
    """Stretches of STALL_S and more without work in half of the readings, by readings that leave no room between them."""
    one = next((card.series[n] for n in ENGINE if n in card.series), None)
    values = within(one, facts.activity.work) if one is not None else ()
    if one is None or not values:
        return None
    times = [t for t in one.times_ns if t is not None]
    every = (times[-1] - times[0]) / 1e9 / max(1, one.points_seen - 1, len(times) - 1) if len(times) > 1 else 0.0
    if one.name != "gpu_duty_percent" and not 0.0 < every <= STALL_S:  # a reading of an instant says nothing of the seconds between
        return _often_still(facts, card, one.name, values)
    still = sum(v <= IDLE_PERCENT for v in values)
    at_work = sum(v >= 2 * LOW_PERCENT for v in values)
    stretches = [n * every for idle, run in groupby(v <= IDLE_PERCENT for v in values) if idle and (n := len(list(run)))]
    if still < STALL_SHARE * len(values) or at_work < 2 or sum(s >= STALL_S * 0.95 for s in stretches) < MIN_STALLS:
        return None
    cite = card.cite(one.name, "gpu_activity")
    return Said(
        f"its engine stood still for {max(STALL_S, every):.0f} s and more at a time, in {still / len(values):.0%} of the readings",
        (cite,) if cite else (),
    )


def _often_still(facts: Facts, card: Card, name: str, values: tuple[float, ...]) -> Said | None:
    """Readings of instants, half of them and more at rest: of steps that are long, each then has seconds without work."""
    step_s, still = facts.advance.step_s, sum(v <= IDLE_PERCENT for v in values) / len(values)
    if step_s is None or len(values) < FEW_STEPS or still < STALL_SHARE or sum(v >= 2 * LOW_PERCENT for v in values) < MIN_STALLS:
        return None
    if step_s * still < STALL_S:
        return None
    cite = card.cite(name, "gpu_bursts")
    seconds = f"some {step_s * still:.0f} s of each step's {step_s:.1f} s"
    return Said(f"its engine stood still in {still:.0%} of the readings: {seconds}", (cite,) if cite else ())


def _bursts(facts: Facts, card: Card) -> Said | None:
    """Work in bursts, by the spread of the driver's samples, at steps so long that each of them has seconds without work."""
    spread, step_s = card.values("gpu_duty_spread_percent", facts.activity.work), facts.advance.step_s
    if len(spread) < MIN_POINTS or sum(v >= BURST_PERCENT for v in spread) < STALL_SHARE * len(spread):
        return None
    mean = _mean(card, facts)
    if step_s is None or step_s < SAMPLE_S:
        return _idle_lines(facts, card, mean)
    still_s = step_s * (1 - mean / 100)
    if still_s < STALL_S:
        return None
    cite = card.cite("gpu_duty_spread_percent", "gpu_bursts")
    return Said(f"its engine worked in bursts and stood still for some {still_s:.0f} s of each step's {step_s:.1f} s", (cite,) if cite else ())


def _idle_lines(facts: Facts, card: Card, mean: float) -> Said | None:
    """Bursts of a run whose lines count epochs or samples: how long a step is, nothing says, so the engine must have stood nearly always."""
    between_s = facts.advance.interval_s
    if between_s is None or between_s < STALL_S or mean > IDLE_WITHOUT_STEPS_PERCENT:
        return None
    cite = card.cite("gpu_duty_spread_percent", "gpu_bursts")
    still = f"its engine worked in bursts and stood still for {100 - mean:.0f} % of the time between two lines of progress"
    return Said(still, (cite,) if cite else ())


def _small(facts: Facts, low: list[Card]) -> bool:
    """Whether the card's memory was hardly used: a small model may be all there is to do."""
    total = {g.uuid: g.memory_total_bytes for g in facts.hardware.gpus if g.memory_total_bytes}
    held = [(max(values), total[c.uuid] or 1) for c in low if c.uuid in total and (values := c.values("gpu_memory_used_bytes"))]
    return bool(held) and all(peak < SMALL_SHARE * of and peak < SMALL_BYTES for peak, of in held)


def _starved_by(facts: Facts) -> tuple[tuple[str, Evidence], ...]:
    """What the host says of the input: waits for storage, or processes at a whole core."""
    found: list[tuple[str, Evidence]] = []
    for one in facts.series:
        values = within(one, facts.activity.work)
        if not values:
            continue
        mean = sum(values) / len(values)
        cite = citations.series(one, trust=Trust.SYSTEM)
        if cite is None:
            continue
        if one.name in {"host_psi_io_percent", "step_psi_io_percent"} and mean >= PRESSED_PERCENT:
            found.append((f"processes waited for storage {mean:.0f} % of the time", cite))
        elif one.name == "cpu_percent" and mean >= 90.0:
            found.append((f"the rank's process used a whole core ({mean:.0f} %)", cite))
    return tuple(found[:3])


def _by_its_word(facts: Facts, own: Spent) -> Account:
    """The account of a run that says itself how long it waited for its data."""
    told = Said(f"{own.share:.0%} of its time went into loading: {words.headline(own.said)}", own.cites)
    return _account(facts, Said(f"{'a GPU' if facts.gpu_count else 'the training'} waited for its input", own.cites), told)


def _account(facts: Facts, busy: Said, confirmed: Said) -> Account:
    starved = _starved_by(facts)
    shows = [busy, confirmed, *(Said(text, (cite,)) for text, cite in starved)]
    shows.append(Said("all the while the run advanced", facts.advance.marks[-1:]))
    others = [Said(s.words, s.evidence) for s in facts.strangers[:2]]
    shows += others
    hints = facts.said("loader_hint")[:1]
    shows += [Said("the framework warned of too few loader workers", hints)] if hints else []
    if facts.cite_end():
        shows.append(Said("the run ended well", facts.cite_end()))
    return Account(
        headline=words.headline(f"completed, but {busy.text}" + ("" if "waited" in busy.text else ": it waited for its input")),
        shows=tuple(shows),
        fault=Fault.USER,
        variant=None,
        implies=(*(text for text, _ in starved), *(("the duty that NVML shows is partly somebody else's work",) if others else ())),
        cannot_decide=() if starved else ("what starved it: loading, preparing on the CPU, or storage",),
        advice=(
            *(strangers.ADVICE if others else ()),
            "Load ahead: DataLoader(num_workers=$SLURM_CPUS_PER_TASK, prefetch_factor=4, pin_memory=True, persistent_workers=True)",
            "Ask for the CPUs that the loaders need: #SBATCH --cpus-per-task=8",
            "Copy the data set to node-local disk before training, or pack many small files into few large ones.",
        ),
        lost=False,
    )


MODE = UnderUtilisation()
