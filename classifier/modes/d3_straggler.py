"""D3: one rank computed while the others waited for it."""

from __future__ import annotations

import re
import statistics

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.activity import SM, Card
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.own_times import HeldUpBy, held_up_by
from gpualert_slurm.classifier.rank_times import Slow, names_each, slow_rank
from gpualert_slurm.classifier.stand import process
from gpualert_slurm.classifier.standing_apart import standing_apart
from gpualert_slurm.classifier.untold import wrote_on
from gpualert_slurm.evidence import Evidence, Trust
from gpualert_slurm.verdict import Fault

RATIO = 1.3
"""Duty of a straggler to the median of its peers (nvidia-resiliency-ext calls a score below 0.75 one)."""
SEVERE_RATIO = 2.0
"""From here on it is a verdict, if it was SM activity that was read (seen: 0.55 against 0.16)."""
POWER_RATIO, ALIKE, BUSY_PERCENT = 1.5, 1.2, 90.0
"""The same by power where SM activity cannot be read: so much above the peers' median, these alike, every engine busy as on ranks that wait."""
SLOW_CLOCK = 0.8
"""An SM clock this far below the peers' median makes a straggler of its rank."""
WORKED_POINTS = 30
"""Readings of busy cards that stand in for progress: five minutes at ten seconds each."""
MIN_POINTS = 5
SUSTAINED = 0.8
_PIPELINE = re.compile(r"--(?:pipeline[-_]model[-_]parallel[-_]size|pipeline[-_]parallel[-_]size|pp[-_]size|pp)(?:=|$)")
_SPOKEN = re.compile(
    r"\bpipeline (?:is |was )?(?:drained|filled|full|flushed|warm)\b|\bpipeline[ _-](?:stages?|bubbles?|schedule|rank|depth)\b|\b1F1B\b|\bGPipe\b"
    r"|\bpipeline[ _-](?:model[ _-])?parallel\w*(?:[ _-](?:size|degree|world))?\W{1,12}(?:[2-9]|\d\d)\b"
    r"|\bpp(?:_size|_degree|-size)?\s?[:=]\s?(?:[2-9]|\d\d)\b",
    re.IGNORECASE,
)
"""A program's own word that its ranks are stages; of one stage alone it is none."""
_ONE_STAGE = re.compile(
    r"\bpipeline[ _-](?:stages|depth)\W{1,12}[01]\b|\bpipeline stage \d of 1\b|\b1 pipeline stage\b"
    r"|\bno pipeline|\bpipeline[^\n]{0,20}\b(?:off|disabled|false)\b",
    re.IGNORECASE,
)
MOST_TEXT = 16_384


class Straggler(FailureMode):
    """SM duty by rank decides, or a clock below the peers'; power where that is plain. Engine duty is 100 % on a waiting rank too."""

    code = "D3"
    title = "straggler"
    place = 86
    needs = "SM activity, else power, and clocks, of every rank's GPU over the run; else the ranks' own times of work and of waiting"
    positive = (
        "one rank's SM (else power) duty far above the median, sustained, or its clock below; counts equal; "
        "or by their own account it works while they wait"
    )
    excludes = "pipeline stages, work that is uneven by design"
    leaves_open = "the host's part; the loss without a baseline"

    def assess(self, facts: Facts) -> Assessment:
        """IN by SM duty or clock in a run that ended well; suspected (a warning) by power that is not plain, or below SEVERE_RATIO."""
        flip = f"one rank's SM duty at {RATIO} times the median or more, or its clock at {SLOW_CLOCK} of it, sustained"
        ranks = _ranks(facts)
        if ranks < 2:
            if not facts.ranks_known:
                return not_testable("how many ranks there were is not known", flip)
            return ruled_out("one rank alone has no peers", "two ranks or more")
        if not facts.advanced and not _worked(facts) and not wrote_on(facts) and not (facts.ended_well and standing_apart(facts.job) is not None):
            return not_testable("no progress: nothing to be slow at", flip)
        staged = next((p for p in facts.processes if _stages(p.command) > 1), None)
        if staged is not None:
            cite = process(staged, "command", words.headline(" ".join(staged.command)))
            return ruled_out("the model is split into pipeline stages: uneven by design", "ranks that do the same work", cite)
        if _speaks_of_stages(facts):
            return ruled_out("the program says that its ranks are stages of a pipeline: uneven by design", "ranks that do the same work")
        kinds = sorted({c.model for c in facts.activity.cards if c.model})
        if len(kinds) > 1:
            return ruled_out(f"the ranks have different kinds of GPU ({', '.join(kinds[:3])}): uneven by design", "GPUs of one kind")
        uneven = _uneven_counts(facts)
        if uneven:
            return ruled_out("the ranks made different numbers of collectives: their work is uneven", "equal counts", *uneven)
        told = held_up_by(facts.job) if facts.ended_well else None
        for name, what in (("gpu_sm_clock_mhz", "clock"), (SM, "SM activity"), ("gpu_power_mw", "power")):
            cards = [c for c in facts.activity.cards if c.mean(name, facts.activity.work, MIN_POINTS) is not None]
            if len(cards) < (2 if name == SM else 3):
                continue
            found = _slow_clock(facts, cards, flip) if what == "clock" else _busiest(facts, cards, name, what, flip)
            if found is not None and (told is None or found.account is not None):
                return found
        if told is not None:
            return ruled_in("by the ranks' own account one of them held up the others", "waits that are alike", _by_their_word(facts, told))
        slow = slow_rank(facts.job, facts.advance.step_s, ranks) if facts.ended_well else None
        if slow is not None and (slow.who or slow.rank < ranks):
            return ruled_in("by one rank's account of all of them one held up the others", "times that are alike", _by_word_of_one(facts, slow))
        return not_testable("no SM activity, and too little power of too few GPUs, to compare ranks by", flip)


def _ranks(facts: Facts) -> int:
    """As many as are known; where that is one, at least as many as the lines that tell of a slow rank tell of."""
    ranks = max(facts.ranks_total, facts.crew)
    if ranks > 1 or not facts.ended_well:
        return ranks
    if (held := held_up_by(facts.job)) is not None:
        return max(2, (held.where.rank or 0) + 1)
    slow = slow_rank(facts.job, facts.advance.step_s)
    return max(2, slow.rank + 1) if slow is not None and (slow.who or _RANK.search(slow.said) or names_each(slow.said)) else ranks


def _worked(facts: Facts) -> bool:
    """Whether every rank's card was busy for long in a run that ended well, whatever its lines are like."""
    cards = facts.activity.sampled
    engines = [c.engine(facts.activity.work, WORKED_POINTS) for c in cards]
    return facts.ended_well and len(cards) >= max(2, facts.ranks_total) and all(e is not None and e >= BUSY_PERCENT for e in engines)


def _busiest(facts: Facts, cards: list[Card], name: str, what: str, flip: str) -> Assessment | None:
    """The one that computes while its peers wait."""
    window = facts.activity.work
    means = {c.uuid: c.mean(name, window) or 0.0 for c in cards}
    hottest = max(cards, key=lambda c: means[c.uuid])
    others = [c for c in cards if c is not hottest]
    middle = statistics.median(means[c.uuid] for c in others)
    cites = tuple(e for c in (hottest, *others[:2]) if (e := c.cite(name)) is not None)
    ratio = means[hottest.uuid] / middle if middle > 0 else 0.0
    values = hottest.values(name, window)
    held = sum(v >= RATIO * middle for v in values) / len(values)
    if ratio < RATIO or held < SUSTAINED:
        return ruled_out(f"no GPU had {RATIO} times the median {what}, sustained (the highest: {ratio:.2f})", flip, *cites)
    second = max(means[c.uuid] for c in others)
    if len(others) > 1 and second > RATIO * min(means[c.uuid] for c in others) and second > middle * RATIO:
        return ruled_out("several ranks stand apart from the others: stages or uneven work, not one straggler", flip, *cites)
    numbers = f"{hottest.name}: {what} {_shown(means[hottest.uuid], name)}, the median of its peers {_shown(middle, name)}"
    engines = [c.engine(window) or 0.0 for c in cards]
    plain = name == "gpu_power_mw" and ratio >= POWER_RATIO and second <= ALIKE * middle and min(engines) >= BUSY_PERCENT
    if not (plain or (name == SM and ratio >= SEVERE_RATIO)) or not facts.ended_well:
        why = "by power: SM activity was not read" if name != SM else "mild" if facts.ended_well else "the run did not end well"
        return latent(f"suspected only, {why}", flip, Said(f"{numbers} ({ratio:.1f} times)", cites))
    least = SEVERE_RATIO if name == SM else POWER_RATIO
    return ruled_in(numbers, f"less than {least} times the median", _account(facts, hottest, numbers, cites, slow=False))


def _slow_clock(facts: Facts, cards: list[Card], flip: str) -> Assessment | None:
    window = facts.activity.work
    means = {c.uuid: c.mean("gpu_sm_clock_mhz", window) or 0.0 for c in cards}
    slowest = min(cards, key=lambda c: means[c.uuid])
    middle = statistics.median(means[c.uuid] for c in cards if c is not slowest)
    if middle <= 0 or means[slowest.uuid] > SLOW_CLOCK * middle:
        return None
    values = slowest.values("gpu_sm_clock_mhz", window)
    engine = slowest.engine(window)
    if sum(v <= SLOW_CLOCK * middle for v in values) / len(values) < SUSTAINED or (engine is not None and engine < 50.0):
        return None  # not held, or an idle card that clocks down by itself
    others = [c for c in cards if c is not slowest]
    cites = tuple(e for c in (slowest, *others[:2]) if (e := c.cite("gpu_sm_clock_mhz", "gpu_slowed")) is not None)
    numbers = f"{slowest.name}: SM clock {means[slowest.uuid]:.0f} MHz, the median of its peers {middle:.0f} MHz"
    if not facts.ended_well:
        return latent("its clock was below its peers'; the run did not end well", flip, Said(numbers, cites))
    return ruled_in(numbers, "clocks alike", _account(facts, slowest, numbers, cites, slow=True))


def _by_word_of_one(facts: Facts, slow: Slow) -> Account:
    """The account of a run in which one rank tells how long each of them worked, or waited."""
    numbers = f"{slow.called}: {slow.own:.3g}, its peers {slow.peers:.3g}"
    return Account(
        headline=words.headline(f"completed, held up by a straggler: {slow.called}"),
        shows=(
            Said(f"{numbers}, as one of them tells: {words.headline(slow.said)}", facts.advance.marks[-1:]),
            *((Said("the run ended well", facts.cite_end()),) if facts.cite_end() else ()),
        ),
        fault=Fault.UNKNOWN,
        implies=("that rank computed while the others waited for it: the whole run went at its pace",),
        cannot_decide=("whether its host, its share of the data or its code is the reason",),
        advice=(f"Look at what {slow.called} does that the others do not, and whether each rank's share of the data is equal.",),
        lost=False,
    )


def _by_their_word(facts: Facts, held: HeldUpBy) -> Account:
    """The account of ranks that tell themselves how long each worked, and how long it waited."""
    where = held.where
    who = f"rank {where.rank}" if where.rank is not None else f"local rank {where.local_rank}"
    at = f"{who} on {where.node}" if where.node else who
    numbers = f"{at} worked {held.own_s:.3g} s of a step, its peers {held.peers_s:.2g} s, and waited {held.peers_wait_s:.3g} s"
    shows = [Said(f"{numbers}, as they tell: {words.headline(held.said)}", facts.advance.marks[-1:])]
    shows += [Said("the run ended well", facts.cite_end())] if facts.cite_end() else []
    advice = [f"#SBATCH --exclude={where.node}   # and compare the time of a step"] if where.node and facts.job.under_slurm else []
    return Account(
        headline=words.headline(f"completed, held up by a straggler: {at}"),
        shows=tuple(shows),
        fault=Fault.UNKNOWN,
        implies=("that rank computed while the others waited for it: the whole run went at its pace",),
        cannot_decide=(
            "whether its host, its share of the data or its code is the reason",
            "what it cost: there is no run without it to compare with",
        ),
        advice=(*advice, f"Look at what {who} does that the others do not, and whether each rank's share of the data is equal."),
        lost=False,
    )


def _account(facts: Facts, card: Card, numbers: str, cites: tuple[Evidence, ...], *, slow: bool) -> Account:
    shows = [Said(f"{numbers}, over the training", cites)]
    shows.append(
        Said("the run advanced" + (f" to step {facts.advance.steps_done}" if facts.advance.steps_done is not None else ""), facts.advance.marks[-1:])
    )
    if facts.cite_end():
        shows.append(Said("the run ended well", facts.cite_end()))
    return Account(
        headline=words.headline(f"completed, held up by a straggler: {numbers}"),
        shows=tuple(shows),
        fault=Fault.NODE if slow else Fault.UNKNOWN,
        detail="slow_clock" if slow else None,
        implies=("that rank computed while the others waited for it: the whole run went at its pace",),
        cannot_decide=(
            "whether the card, its host or its share of the data is the reason",
            "what it cost: there is no run without it to compare with",
        )
        if not slow
        else ("why its clock is low: heat, power or a setting", "what it cost: there is no run without it to compare with"),
        advice=(
            f"#SBATCH --exclude={card.node}   # and compare the time of a step",
            f"For the operators: compare GPU {card.uuid} of {card.node} with its neighbours (nvidia-smi -q -d CLOCK,PERFORMANCE; dcgmi diag -r 2).",
            "Check that each rank's share of the data is equal.",
        )[0 if facts.job.under_slurm else 1 :],
        lost=False,
    )


def _shown(value: float, name: str) -> str:
    return f"{value / 1000:.0f} W" if name == "gpu_power_mw" else f"{value:.0f} %"


def _stages(command: tuple[str, ...]) -> int:
    """Pipeline stages that a command line asks for."""
    for place, word in enumerate(command):
        if _PIPELINE.match(word):
            value = word.split("=", 1)[1] if "=" in word else (command[place + 1] if place + 1 < len(command) else "")
            return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 0
    return 0


def _speaks_of_stages(facts: Facts) -> bool:
    texts = [*heads(facts.job, MOST_TEXT)]
    texts += [one.tail[-MOST_TEXT:] for report in facts.job.reports for one in report.excerpts if one.head and one.tail]
    said = [text for text in texts if _SPOKEN.search(text) is not None]
    return bool(said) and not any(_ONE_STAGE.search(text) for text in said)


def _uneven_counts(facts: Facts) -> tuple[Evidence, ...]:
    """Ranks whose numbers of collectives differ by more than a twentieth."""
    counted = [(sum(finite(s.values)), s) for s in facts.series if s.name == "collectives" and s.where.rank is not None]
    if len(counted) < 2:
        return ()
    low, high = min(counted, key=lambda c: c[0]), max(counted, key=lambda c: c[0])
    if low[0] >= 0.95 * high[0]:
        return ()
    return tuple(c for _, s in (low, high) if (c := citations.series(s, trust=Trust.SYSTEM)) is not None)


_RANK = re.compile(r"(?<![A-Za-z])ranks?(?![A-Za-z])", re.IGNORECASE)


MODE = Straggler()
