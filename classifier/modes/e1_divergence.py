"""E1: the loss diverged, or the run did not learn."""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import replace
from itertools import pairwise

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import citations, crash, players, words
from gpualert_slurm.classifier.advance import learned
from gpualert_slurm.classifier.brief import only_judges
from gpualert_slurm.classifier.chance import at_chance, of_the_mean, rose
from gpualert_slurm.classifier.columns import unlearned
from gpualert_slurm.classifier.crept import crept
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.fallen_away import fell_away, flew_off
from gpualert_slurm.classifier.fallen_beside import fell_beside
from gpualert_slurm.classifier.gone import FEW_ROWS, gone, left_at_it
from gpualert_slurm.classifier.hover import hovers, stuck
from gpualert_slurm.classifier.known_before import judges, known_before, one_pass
from gpualert_slurm.classifier.layers import layer_by_layer
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.nought import hidden, norms_of, of_no_target
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.on_purpose import was_to_rise
from gpualert_slurm.classifier.overflowing import overflowed
from gpualert_slurm.classifier.range_test import range_test
from gpualert_slurm.classifier.recount import from_the_first
from gpualert_slurm.classifier.rest import came_to_rest, grain
from gpualert_slurm.classifier.returns import lost_return
from gpualert_slurm.classifier.scores import scores
from gpualert_slurm.classifier.settings_each import each_its_setting, gave_up
from gpualert_slurm.classifier.shapes import WARMING, of_odd_lines, settled_best, shape_of
from gpualert_slurm.classifier.stages import another_kept, last_came_down, of_another_name
from gpualert_slurm.classifier.stood import held_in_the_midst
from gpualert_slurm.classifier.trials import behind, each_a_trial, trial_left_out, trials_began_well
from gpualert_slurm.classifier.unlearned import lost_again, never_moved, no_rate, noughts, plays, unmoved
from gpualert_slurm.classifier.unrewarded import never_paid, unrewarded
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.series import Series
from gpualert_slurm.verdict import Fault

MIN_POINTS = 12
SPIKE = 3.0
NEVER_BACK = 2.0
"""So many times its first value is all that a loss ever was behind it: it flew off at once."""
"""The last losses at three times the best, sustained (Axolotl's and others' watchdogs use 2 to 5)."""
MOST_IN_ALL = 10
"""Of fewer steps nothing is learned: that they lie at a guess's height is no news (E3)."""
FLOWN = 50.0
"""Of its first value, what a loss is by its second when it has flown off at once."""
UNMOVED = 0.9
"""A loss that ends above this share of what it began with, and an accuracy that rose by no more than the rest of it, moved by chance."""
FROZEN_POINTS = 10
CUT_SHORT_POINTS = 30
FLAT_POINTS = 50
FLAT_FROM, FLAT_BAND = 0.6, 0.02
"""Below the loss of a coin's toss (ln 2) a flat curve may be a model that has learned what there is. Every value within this of the mean,
and no trend over thirds beyond a quarter of it: it never learned anything."""
DEAD_NORM = 1e-6
LOW = 0.01
"""A loss that is no higher has learned what there is."""
COARSE = 0.05
"""Identical values say nothing where what is printed leaves out a larger share of them than this."""
STUCK = 1.2
"""A frozen loss at so many times its best, with a gradient of zero, is not where learning ended."""
FLIP = "a loss that is non-finite, far above its best, or frozen at the end"
ADVICE = {
    "non_finite": (
        "Lower the learning rate, clip gradients, use bf16 instead of fp16.",
        "torch.autograd.set_detect_anomaly(True) names the first operation that gave NaN.",
    ),
    "spike": ("Start again from the checkpoint before the spike, with a lower learning rate or gradient clipping.",),
    "flat": (
        "Check that parameters are trained (requires_grad), that the optimiser has them, and that the learning rate is not zero.",
        "Over-fit one small batch first: a model that cannot is wired wrongly, or its labels are.",
    ),
    "plateau": ("Check that parameters are trained (requires_grad, optimiser's parameter groups), the learning rate's schedule, and the labels.",),
}


class Divergence(FailureMode):
    """Non-finite, spike or dead plateau, from the loss the run printed."""

    code = "E1"
    title = "loss divergence or not learning"
    place = 54
    variants = ("non_finite", "spike", "plateau", "flat")
    needs = "a loss series, better with gradient norm and learning rate"
    positive = (
        "a loss that becomes non-finite and stays so (printed as 0, too); "
        "ends far above its best; or is frozen with gradient norm or learning rate at zero"
    )
    excludes = "early overflow of the loss scale, losses of reinforcement learning, a loss that still falls though a target was missed"
    leaves_open = "learning rate, precision or data"

    def assess(self, facts: Facts) -> Assessment:
        """IN by the program's own word, else by the shape of its loss in a run that came to its end; OUT where its last stage went well."""
        found = self._by_words_or_numbers(facts)
        if found.account is None or not facts.ended_well or facts.error is not None:
            return found
        marks = facts.advance.marks
        trials = trials_began_well(marks) or each_its_setting(marks) or gave_up(marks)
        why = another_kept(facts.job) or ("what each of several trials came to" if trials else None)
        if why is None and found.account.variant != "non_finite":
            why = last_came_down(facts.job) or range_test(facts) or judges(facts) or one_pass(facts)
        if why is None and found.account.variant == "spike":
            why = of_another_name(facts.job) or layer_by_layer(facts.job) or was_to_rise(facts)
        if why is None and found.account.variant == "flat" and not no_rate(facts.job):
            why = known_before(facts)
        if why is None and found.account.variant == "flat":
            loss = facts.advance.loss
            beside = fell_beside(facts.job, but=loss.values if loss is not None else ())
            why = f"what is called {beside} came down beside it" if beside is not None else None
        return found if why is None else ruled_out(why, FLIP, *facts.cite_end())

    def _by_words_or_numbers(self, facts: Facts) -> Assessment:
        error = facts.error
        if error is not None and error.cause is Cause.NAN_LOSS:
            return ruled_in("the program stopped because its loss was not finite", "a finite loss", _stopped(facts))
        loss = facts.advance.loss
        if (guard := _guarded(facts)) is not None:
            return ruled_in("the program stopped training because its loss was not finite", "a finite loss", _ended_by(facts, guard))
        if loss is None and (lost := gone(facts)):
            words_ = "a number of its lines of progress became nan and stayed so"
            return ruled_in(words_, "numbers", _shaped(facts, "non_finite", words_, lost))
        finite_yet = loss is None or not loss.values or math.isfinite(loss.values[-1])
        if facts.ended_well and finite_yet and (told := _of_players(facts)) is not None:
            cited = facts.advance.marks[-3:] or facts.cite_end()
            return ruled_in(told, "a reward that is kept, a game that goes on", _shaped(facts, "plateau", told, cited))
        if (aside := _of_nothing(facts, loss)) is not None:
            return aside
        if (left := left_at_it(facts, loss)) is not None:
            return ruled_in(left, "a finite loss", _stopped(facts))
        if loss is None:
            why = "no loss was printed" if facts.has_logs else "no output was captured"
            return _of_columns(facts) or _of_shapes(facts) or not_testable(why, FLIP)
        if not facts.ended_well and facts.ending.state not in {"TIMEOUT", "CANCELLED"}:
            bad = loss.values and (not math.isfinite(loss.values[-1]) or hidden(facts, loss) is not None)
            cite = citations.series(loss)
            warn = (Said("the loss was not finite when the run ended", (cite,)),) if bad and cite else ()
            return ruled_out("what ended the run comes first", "a run that came to its end", *facts.cite_end(), warnings=warn)
        few = loss.points_seen < MIN_POINTS and math.isfinite(loss.values[-1]) and hidden(facts, loss) is None
        if few and (not facts.ended_well or (_wobbling(facts, finite(loss.values)) or _risen(facts, finite(loss.values))) is None):
            return _of_columns(facts) or _of_shapes(facts) or not_testable(f"{loss.points_seen} values of the loss are too few", FLIP)
        variant, words_ = _shape(facts, loss)
        if variant not in {None, "non_finite"} and _reinforced(facts) and not flew_off(finite(loss.values)):
            return not_testable("a loss of reinforcement learning: its height says nothing of learning", FLIP)
        if variant == "flat" and _warm(facts):
            return ruled_out("the loss was flat from the start, where an earlier run had left it", "a start from nothing", *facts.advance.loaded[:1])
        cite = citations.series(loss)
        if variant is None or cite is None:
            return _of_columns(facts) or _of_shapes(facts) or ruled_out(words_, FLIP, *((cite,) if cite else ()))
        return ruled_in(words_, "a finite, falling loss", _shaped(facts, variant, words_))


def _of_players(facts: Facts) -> str | None:
    """In words, where an agent lost or never came to what it is paid, or one of two networks has won."""
    found = facts.measured
    counted = bool(facts.advance.marks)
    told = (players.lost(facts.job) if counted else None) or lost_return(facts, found) or players.won(found)
    return told or ((unrewarded(facts) or never_paid(facts)) if counted else None)


def _of_nothing(facts: Facts, loss: Series | None) -> Assessment | None:
    """Where the last losses are of nothing that the run made: of steps left out, of a trial that it did without, or of no batch at all."""
    if facts.ended_well and (scaled := overflowed(facts)) is not None:
        return ruled_in(scaled[0], "gradients that are finite", _shaped(facts, "non_finite", scaled[0], scaled[1]))
    if facts.ended_well and (trial := trial_left_out(facts.advance.marks, facts.said("exception"))) is not None:
        words_ = "the last of several trials ended with an error, and the run came to its end without it"
        return ruled_out(words_, "a trial that the run kept", trial)
    if loss is not None and (each_a_trial(facts.advance.marks) or of_odd_lines(facts, loss.values)):
        return _of_columns(facts) or _of_shapes(facts) or not_testable("the losses that are known are of a few odd lines, or each of a trial", FLIP)
    if loss is not None and not finite(loss.values) and facts.said("no_training"):
        why = "the program says that it trained nothing: what it prints as a loss is of no batch"
        return not_testable(why, FLIP)
    return None


def _of_columns(facts: Facts) -> Assessment | None:
    """What other numbers than a loss show, in the lines of a run that ended well."""
    if not facts.ended_well or not facts.advance.marks or (facts.advance.loss is not None and learned(facts.advance.loss) == "learned"):
        return None
    found = unlearned(facts)
    if found is None or (found[0] == "spike" and _reinforced(facts)):
        return None
    variant, told, marks = found
    return ruled_in(told, "a number that gets better", _shaped(facts, variant, told, marks))


def _of_shapes(facts: Facts) -> Assessment | None:
    """What the numbers of a run that ended well did, whatever they are called."""
    loss = facts.advance.loss
    if not facts.ended_well or (loss is not None and learned(loss) == "learned"):
        return None
    if (found := shape_of(facts) if not _reinforced(facts) else fell_away(facts)) is None:
        return None
    variant, told = found
    cited = facts.advance.marks[-3:] or facts.said("progress")[-3:] or facts.cite_end()
    return ruled_in(told, "numbers that change for the better", _shaped(facts, variant, told, cited))


def _guarded(facts: Facts) -> Evidence | None:
    """The word of a guard that ended the training at a loss that is not finite, where the run then ended well and told of no finite loss any more."""
    if not facts.ended_well:
        return None
    loss, marks = facts.advance.loss, facts.advance.marks
    gone = loss is not None and not math.isfinite(loss.values[-1])
    said = [e for e in facts.said("nan_loss") if isinstance(e.source, Quote) and not (_SUPPOSED.search(e.source.text) or _CODE.match(e.source.text))]
    said = [e for e in said if gone or not marks or behind(e, marks[-1])]
    return said[-1] if said else None


_CODE = re.compile(r"\s*(?:raise\s+\w|print\s?\(|assert\s|(?:log|logger|logging)\.\w+\()")
"""A statement of a program that prints itself, and no word of a run."""
_SUPPOSED = re.compile(r"\b(?:if|when(?:ever)?|unless|would|will|should|may)\b", re.IGNORECASE)


def _shape(facts: Facts, loss: Series) -> tuple[str | None, str]:
    values = loss.values
    tail = values[-3:] if len(values) > FEW_ROWS else values[-1:]
    if all(not math.isfinite(v) for v in tail):
        first = next(i for i, v in enumerate(values) if not math.isfinite(v))
        step = loss.steps[first] if first < len(loss.steps) and loss.steps[first] is not None else None
        return "non_finite", "the loss became non-finite" + (f" at step {step}" if step is not None else "") + " and stayed so"
    if (odd := hidden(facts, loss)) is not None:
        return "non_finite", odd
    norms = norms_of(facts)
    numbers = finite(values)
    if (empty := of_no_target(facts, values, norms)) is not None:
        return "flat", empty
    if len(numbers) < MIN_POINTS or min(numbers) < 0:
        return _wobbling(facts, numbers) or _risen(facts, numbers) or (None, "the loss was finite to the end")
    best, last = min(numbers), statistics.median(numbers[-3:])
    flew = statistics.median(numbers[1:3]) > FLOWN * numbers[0] or min(numbers[1:]) > NEVER_BACK * numbers[0]
    start = numbers[0] if flew else statistics.median(numbers[:3])
    if not facts.ended_well and not facts.advance.reached_end and len(numbers) < CUT_SHORT_POINTS:
        return None, "too few values of a run that was cut short"
    settled = min(settled_best(numbers), start)
    if last > SPIKE * settled and last > 1.2 * start and last - settled > 0.5:
        return "spike", f"the loss ended at {last:.4g}, far above its best of {settled:.4g} and its start of {start:.4g}"
    distance = any(m.data.get("distance") for m in facts.advance.marks[-3:])
    if distance and lost_again(numbers) is None:  # a booster's may stand still where nothing is left to learn
        words_ = f"from {numbers[0]:.6g} to {numbers[-1]:.6g}"
        still = never_moved(numbers) or (facts.ended_well and (unmoved(facts.job, numbers) is not None or _never_fell(facts, numbers)))
        return ("flat", f"the error never moved: {words_}") if still else (None, f"the error went {words_}")
    frozen = len(set(numbers[-FROZEN_POINTS:])) == 1 and grain(numbers) <= COARSE * abs(last) and not came_to_rest(numbers)
    rates = next((s for s in facts.series if s.name == "learning_rate" and s.values), None)
    dead = norms is not None and len(norms.values) >= 3 and all(abs(v) <= DEAD_NORM for v in norms.values[-3:])
    off = rates is not None and len(rates.values) >= MIN_POINTS and all(v == 0 for v in rates.values[-FROZEN_POINTS:]) and max(rates.values) == 0
    flat = max(numbers[-FROZEN_POINTS:]) - min(numbers[-FROZEN_POINTS:]) <= 0.01 * max(abs(last), 1e-9)
    held = frozen and last > LOW and ((dead and last > STUCK * best) or held_in_the_midst(numbers))  # no gradient takes it back
    if held or (frozen and last > LOW and numbers[-1] > 0.5 * start) or (flat and (dead or off) and last > 0.5 * start):
        if frozen and max(numbers) - min(numbers) <= 1e-9 * max(abs(last), 1e-9):
            return "flat", f"the loss was {last:.4g} from the start to the end"
        why = "the gradient norm is zero" if dead else "the learning rate is zero" if off else "identical values"
        return "plateau", f"the loss stood at {last:.4g} ({why})"
    long = facts.ended_well or len(numbers) >= CUT_SHORT_POINTS
    if long and (lost := lost_again(numbers)) is not None and not plays(facts.job):
        return "plateau", lost
    if _is_flat(numbers, facts.advance.loss) and stuck(scores(facts)) is not False and not only_judges(facts):
        return "flat", f"the loss was flat from the start: {start:.4g} to {last:.4g} over {loss.points_seen} values"
    finish = f"the loss was finite to the end ({numbers[0]:.4g} to {numbers[-1]:.4g})"
    return _wobbling(facts, numbers) or _risen(facts, numbers) or (None, finish)


def _wobbling(facts: Facts, numbers: list[float]) -> tuple[str, str] | None:
    """A loss that lies where it began, where something shows that the weights did not change."""
    if not numbers or min(numbers) < 0 or statistics.fmean(numbers) <= LOW or not facts.ended_well:
        return None
    accuracies = scores(facts)
    done = facts.advance.steps_done
    steps = [m.data.get("step") for m in facts.advance.marks if not m.data.get("coarse")]
    once = [step for step in steps if isinstance(step, int)]
    counted = len(once) == len(facts.advance.marks) and all(a < b for a, b in pairwise(once))  # not those of each epoch
    handful, warming = (done is not None and done < most and counted for most in (MOST_IN_ALL, WARMING))
    if (why := unmoved(facts.job, numbers)) is None and stuck(accuracies) is False:
        return None  # a score beside it got better
    why = why or noughts(facts.job, numbers) or (None if handful else at_chance(facts.job, numbers, accuracies))
    why = why or _no_gradient(facts, numbers, accuracies)
    why = why or of_the_mean([m.source.text for m in facts.advance.marks if isinstance(m.source, Quote)], numbers)
    if why is None and from_the_first(facts) and not only_judges(facts):
        why = hovers(facts.job, numbers, accuracies) or (None if warming else crept(facts.job, numbers, accuracies))
    if why is None:
        return None
    return "flat", f"the loss wobbled about {statistics.fmean(numbers):.4g} from the start to the end, and {why}"


def _never_fell(facts: Facts, numbers: list[float]) -> bool:
    """Whether an error lies, from the first steps on, where nothing had been learned, but for its noise."""
    if not from_the_first(facts) or only_judges(facts):
        return False
    return (hovers(facts.job, numbers) or crept(facts.job, numbers)) is not None


def _no_gradient(facts: Facts, numbers: list[float], accuracies: list[float]) -> str | None:
    """Whether the gradient norm was told as nought from the first line to the last, while nothing got better to speak of."""
    norms = norms_of(facts)
    if norms is None or len(norms.values) < FROZEN_POINTS or any(norms.values) or len(numbers) < FROZEN_POINTS:
        return None
    third = len(numbers) // 3
    last = statistics.median(numbers[-third:])
    fell = last <= LOW or last < UNMOVED * statistics.median(numbers[:third])
    share = [a / 100 if max(accuracies) > 1 else a for a in accuracies]
    third = max(1, len(share) // 3)
    rose_too = bool(share) and statistics.fmean(share[-third:]) - statistics.fmean(share[:third]) > 1 - UNMOVED
    return None if fell or rose_too else "the gradient norm was zero all the way"


def _risen(facts: Facts, numbers: list[float]) -> tuple[str, str] | None:
    """A loss of training that is higher at the end of the run than it ever was at its beginning."""
    loss = facts.advance.loss
    if not facts.ended_well or loss is None or loss.name != "loss" or (how := rose(facts.job, numbers)) is None:
        return None
    return "spike", how


def _is_flat(numbers: list[float], loss: Series | None) -> bool:
    """All values in a narrow band and no trend in it. A thinned series keeps its extremes: the band is the whole run's."""
    if len(numbers) < FLAT_POINTS or loss is None:
        return False
    mean = statistics.fmean(numbers)
    third = len(numbers) // 3
    drift = abs(statistics.median(numbers[-third:]) - statistics.median(numbers[:third]))
    return FLAT_FROM <= mean < 1e9 and max(abs(v - mean) for v in numbers) <= FLAT_BAND * mean and drift <= FLAT_BAND * mean / 4


def _warm(facts: Facts) -> bool:
    """A run that went on from a checkpoint may be flat because it had learned before."""
    return bool(facts.advance.loaded) or any(p.relation in {"parent", "earlier_attempt"} and p.tail_loss is not None for p in facts.job.past)


def _reinforced(facts: Facts) -> bool:
    """Rewards or a divergence from a reference model are printed, or a library tells that does nothing else: PPO, GRPO, DQN and their like."""
    if any((mark.pattern or "").startswith("stable_baselines.") or players.rewarded(mark) for mark in facts.advance.marks):
        return True
    return any(s.name.startswith(("reward", "rewards", "kl", "objective/")) for s in facts.series) or any(
        key.startswith(("reward", "rewards/", "kl", "objective/")) for mark in facts.advance.marks[-3:] for key in mark.data
    )


def _stopped(facts: Facts) -> Account:
    error = facts.error
    shows = list(crash.shows_crash(facts, error))
    if facts.advance.loss is not None:
        cite = citations.series(facts.advance.loss)
        if cite is not None:
            shows.append(Said("the loss it had printed", (cite,)))
    said = words.told(error) if error is not None else "the loss is not finite"
    return Account(
        headline=words.subject(words.who(facts.first, error), said),
        shows=tuple(shows),
        fault=Fault.USER,
        variant="non_finite",
        cause=Cause.NAN_LOSS,
        detail=error.detail if error is not None else None,
        cannot_decide=("whether learning rate, precision or data is the reason",),
        advice=ADVICE["non_finite"],
    )


def _ended_by(facts: Facts, guard: Evidence) -> Account:
    told = _shaped(facts, "non_finite", "the program stopped training because its loss was not finite", (guard,))
    return replace(told, headline=words.headline(f"completed, but stopped training: {words.told(guard)}"))


def _shaped(facts: Facts, variant: str, words_: str, marks: tuple[Evidence, ...] = ()) -> Account:
    loss = facts.advance.loss
    cites = [
        c
        for s in facts.series
        if s.name in {"loss", "grad_norm", "learning_rate"} and (s is loss or s.name != "loss") and (c := citations.series(s)) is not None
    ][:3]
    shows = [Said(words_, marks or tuple(cites))]
    if facts.cite_end():
        shows.append(Said(f"the run ended as {facts.ending.state}", facts.cite_end()))
    return Account(
        headline=words.headline(words_),
        shows=tuple(shows),
        fault=Fault.USER,
        variant=variant,
        cause=Cause.NAN_LOSS if variant == "non_finite" else None,
        cannot_decide=("whether learning rate, precision or data is the reason",),
        advice=ADVICE[variant],
    )


MODE = Divergence()
