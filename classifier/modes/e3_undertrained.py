"""E3: the run ended well after a handful of steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier import words
from gpualert_slurm.classifier.advance import FEW_STEPS, saved_step
from gpualert_slurm.classifier.beyond_count import beyond_count
from gpualert_slurm.classifier.brief import brief, keras_epochs, set_to
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.few_lines import few_lines
from gpualert_slurm.classifier.handful import asked_for_few, handful
from gpualert_slurm.classifier.known_before import judges, says_it_goes_on
from gpualert_slurm.classifier.left_out import left_out
from gpualert_slurm.classifier.lineage import goes_on_from
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.other_work import went_on
from gpualert_slurm.classifier.rest import converged
from gpualert_slurm.classifier.rounds import few_rounds
from gpualert_slurm.classifier.settings_each import gave_up
from gpualert_slurm.classifier.short_of import short_of
from gpualert_slurm.classifier.taken_by import taken_by
from gpualert_slurm.classifier.told_few import told_few
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.verdict import Fault

MOST_IN_ALL = 10
"""Of fewer steps that are told as a product (epochs and batches, time and rate), nothing is learned."""
FEW_TIMESTEPS = 512
"""Steps of an environment, of which an update takes many."""
PATIENCE = 4
"""Lines behind the lowest of what is lowered, after which a run may stop."""
CHANGING = {"loss", "accuracy", "grad_norm"}
SMOKE = re.compile(r"smoke|debug|dry[-_]?run|sanity|\btest\b|quick", re.IGNORECASE)
_BY_ITSELF = re.compile(r"\bdid not improve more than tol=\S{1,20} for \d{1,6} consecutive epochs\. Stopping")
"""scikit-learn's word of its own early stop."""
FAST_BATCHES = re.compile(r"`fast_dev_run` mode: will run the requested loop using (?P<n>\d{1,6}) batch")
FAST_DEV_RUN = re.compile(r"Running in `fast_dev_run` mode|\bfast_dev_run\W{0,3}[=:]\s?(?:True\b|[1-9])")


_JUDGING = re.compile(r"\b(?:eval\w*|valid\w*|test\w*|infer\w*|predict\w*|scor(?:ed|ing))\b", re.IGNORECASE)
_ONE_LINE = re.compile(r"\d{1,9}/\d{1,9} - \d")
"""Keras' line of an epoch, and of an evaluation; only the first has validation's loss, where it names no epoch."""
_STAGE = re.compile(r"\W{0,8}\d{1,4}\s?/\s?\d{1,4}\W{1,4}[A-Za-z]")
"""``[2/3] Fitting ...``: a number of how many, and no word for what."""
_WHO = re.compile(r"\[?[A-Za-z]{1,12}\d{1,6}\]?:")
_PASSES = re.compile(r"\bmax_iter\b|\bsweeps?\b|\bpass(?:es)? \d", re.IGNORECASE)
"""Words of those who go over all data each time; ``max_iter`` is scikit-learn's."""
FEW_LONG, ENOUGH_LONG, LONG_STEP_S = 4, 6, 30.0
"""Steps that each took so long, as many as were planned; and where that is not told."""
LEAST_BEHIND = 2
"""Lines of progress that show that it had trained."""


class Undertrained(FailureMode):
    """Exit 0 after fewer than FEW_STEPS steps; a run that is named a smoke test gets softer words."""

    code = "E3"
    title = "undertrained"
    place = 70
    needs = "the number of steps"
    positive = "a handful of steps and exit 0"
    excludes = "named smoke tests keep the verdict and soften its words"
    leaves_open = "correctness"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a run that ended well with steps counted and fewer than FEW_STEPS, of which nothing says that they were not all."""
        flip = f"{FEW_STEPS} steps or more"
        found = self._by_count(facts, flip)
        if found.account is None or _none_at_all(facts) is not None:
            return found
        more = beyond_count(facts) or taken_by(facts) or _long_steps(facts, facts.advance.steps_done or 0)
        return found if more is None else not_testable(more, flip)

    def _by_count(self, facts: Facts, flip: str) -> Assessment:
        if not facts.ended_well:
            return ruled_out("the run did not end well", "a run that ended well", *(facts.cite_failures(1) or facts.cite_end()))
        if (none := _none_at_all(facts)) is not None:
            return ruled_in("the program says that it trained nothing", flip, _of_nothing(facts, none))
        trained = tuple(m for m in facts.advance.marks if "eval_loss" not in m.data or "loss" in m.data)
        done, marks = facts.advance.steps_done, trained or facts.advance.marks or facts.advance.end_marks[-1:]
        if (told := _in_all(facts)) is not None and (done is None or done < MOST_IN_ALL or done == told[0] or _of_an_evaluation(facts, told)):
            return ruled_in(f"{told[0]} steps and exit 0", flip, _few(facts, told[0], (told[1],)))
        if (passes := brief(facts)) is not None or (passes := few_rounds(facts)) is not None:
            count = f"{passes[0]} pass" + ("" if passes[0] == 1 else "es")
            return ruled_in(f"{count} that took next to no time, and exit 0", flip, _few(facts, passes[0], (passes[1],), "pass"))
        if (asked := _as_asked(facts, flip)) is not None:
            return asked
        saved = _last_save(facts)
        if marks and saved is not None and (done is None or (saved < done and done == saved * _first_step(marks))):
            done = saved  # what its lines count are samples
        summed = [step for m in marks if m.data.get("summed") and isinstance(step := m.data.get("step"), int)]
        if summed and max((step for m in marks if isinstance(step := m.data.get("step"), int)), default=0) > summed[-1]:
            summed = []  # its lines count further than the sum: it is of something else
        done = summed[-1] if summed else done
        if done is not None and not summed and (any(m.data.get("coarse") for m in marks) or (done != saved and _anew(facts, marks))):
            return not_testable("what is counted may be whole passes, or begins anew with each", flip)
        if done is None or not marks:
            return not_testable("no steps of training were printed", flip)
        trials = "what is counted are trials" if gave_up(facts.advance.marks) else None
        trials = trials or _at_rest(facts) or _solves(facts, done)
        if (other := trials or _no_training(marks, done) or _more_than_steps(marks, done) or _no_better(facts, done)) is not None:
            return not_testable(other, flip)
        by_epochs = not _over_the_run(marks) and any(e.data.get("epoch") is not None and "step" not in e.data for e in marks)
        if done >= facts.advance.enough_steps or (by_epochs and not summed and done != saved):
            return ruled_out(f"{done} steps were done", f"fewer than {FEW_STEPS} steps", *marks[-1:])
        if not summed and (judges(facts) or goes_on_from(facts) is not None or says_it_goes_on(facts)):
            return not_testable("what is counted may be the batches of an evaluation, or further steps of a state that had many", flip)
        return ruled_in(f"{done} step{'' if done == 1 else 's'} and exit 0", flip, _few(facts, done, marks[-1:]))


def _as_asked(facts: Facts, flip: str) -> Assessment | None:
    """The answer where few steps were asked for, or far fewer were done than were asked for."""
    if (batches := _fast(facts)) is not None:
        return ruled_in(f"Lightning's fast_dev_run of {batches} batches, and exit 0", flip, _few(facts, batches, facts.advance.marks[-1:], "batch"))
    if (cut := short_of(facts)) is not None:
        return ruled_in(f"{cut[0]} of the {cut[1]} that were asked for, and exit 0", flip, _few(facts, cut[0], (cut[2],), of=cut[1]))
    if (all_told := handful(facts) or asked_for_few(facts) or few_lines(facts) or told_few(facts)) is not None:
        return ruled_in(f"{all_told[0]} in all, of a moment each, and exit 0", flip, _few(facts, all_told[0], (all_told[1],)))
    if (gone := left_out(facts.job)) is not None and facts.advance.marks:
        left = gone[1] - gone[0]
        return ruled_in(f"{gone[0]} of {gone[1]} steps were left out, and exit 0", flip, _few(facts, left, facts.advance.marks[-1:], of=gone[1]))
    if (meant := set_to(facts)) is None:
        return None
    cites = (meant[1],) if meant[1] is not None else facts.cite_end()
    return ruled_in(f"set to {meant[0]} steps in all, and exit 0", flip, _few(facts, meant[0], cites))


def _few(facts: Facts, done: int, marks: tuple[Evidence, ...], unit: str = "step", of: int | None = None) -> Account:
    smoke = _smoke(facts)
    planned = of or (facts.advance.steps_planned if unit == "step" else None)
    of_them = f" of {planned} planned" if planned else ""
    told = unit if done == 1 else f"{unit}es" if unit in {"pass", "batch"} else f"{unit}s"
    headline = f"completed after {done} {told}{of_them}" + (" (a test, as it says)" if smoke else ": hardly trained")
    shows = [Said(f"{done} {told}{of_them} were done", marks)]
    if facts.cite_end():
        shows.append(Said("the run ended with exit 0", facts.cite_end()))
    return Account(
        headline=words.headline(headline),
        shows=tuple(shows),
        fault=Fault.USER,
        cannot_decide=("whether so few steps were meant",),
        advice=("Check the number of steps or epochs, and the length of the data set the run saw.",),
        lost=not smoke,
    )


def _in_all(facts: Facts) -> tuple[int, Evidence] | None:
    """Steps of the whole run, fewer than MOST_IN_ALL, where its lines tell them as a product; and what tells it."""
    for end in facts.advance.end_marks:
        took, rate = end.data.get("train_runtime"), end.data.get("train_steps_per_second")
        if isinstance(took, (int, float)) and isinstance(rate, (int, float)) and 0.5 <= took * rate < MOST_IN_ALL:
            return round(took * rate), end  # transformers' Trainer
        if isinstance(steps := end.data.get("train_steps"), (int, float)) and 1 <= steps < MOST_IN_ALL:
            return int(steps), end
    planned = facts.advance.steps_planned or 0
    if facts.advance.steps_done is None and 0 < planned < MOST_IN_ALL and (ends := [e for e in facts.advance.end_marks if "train_runtime" in e.data]):
        return planned, ends[-1]  # its last line may come without a rate
    if (shown := _one_by_one(facts.advance.marks) or _cut_in_the_first(facts.advance.marks)) is not None:
        return shown
    counts = [m for m in facts.advance.marks if m.pattern == "stable_baselines.count" and isinstance(m.source, Quote)]
    timesteps = [int(m.data["step"]) for m in counts if isinstance(m.source, Quote) and "total_timesteps" in m.source.text]
    if timesteps and max(timesteps) < FEW_TIMESTEPS and len(counts) == len(facts.advance.marks):
        return max(timesteps), facts.advance.marks[-1]
    each = [m for m in facts.advance.marks if m.data.get("per_epoch") and isinstance(m.data.get("planned"), int)]
    headers = keras_epochs(facts.job) if each else 0
    each = [m for m in each if m.data.get("epoch") is not None or "val_loss" in m.data or headers]  # else an evaluation's, it may be
    if not each or any(isinstance(step := m.data.get("step"), int) and step >= MOST_IN_ALL for m in facts.advance.marks):
        return None
    named = [int(e) for m in each if isinstance(e := m.data.get("epoch"), (int, float))]
    epochs = [int(e) for m in each if isinstance(e := m.data.get("epochs"), int)]
    epochs = epochs or [headers or (max(named) - min(named) + 1 if len(named) == len(each) else len(each))]  # a bar is drawn more than once
    total = max(int(m.data["planned"]) for m in each) * max(*epochs, len({m.data.get("epoch") for m in each}))
    return (total, each[-1]) if 0 < total < MOST_IN_ALL else None


def _of_an_evaluation(facts: Facts, told: tuple[int, Evidence]) -> bool:
    """Whether what is counted further than a Trainer's own last word are the batches of its evaluation."""
    ends, loss = [e for e in facts.advance.end_marks if "train_runtime" in e.data], facts.advance.loss
    judged = any("eval_runtime" in one.text for report in facts.job.reports for one in report.excerpts)
    return len(ends) == 1 and ends[0] is told[1] and judged and (loss is None or loss.points_seen <= told[0] + 1)


def _cut_in_the_first(marks: Sequence[Evidence]) -> tuple[int, Evidence] | None:
    """Steps of the first pass, where no other was begun, it was left long before its end, and they are fewer than MOST_IN_ALL."""
    steps, plans = [m.data.get("step") for m in marks], [m.data.get("planned") for m in marks]
    done, planned = [n for n in steps if isinstance(n, int)], {n for n in plans if isinstance(n, int)}
    if len(done) < len(marks) or len(planned) != 1 or not done or not all(m.data.get("per_epoch") for m in marks):
        return None
    first = {m.data.get("epoch") for m in marks} <= {None, 0.0, 1.0} and done == sorted(done) and len({m.data.get("epoch") for m in marks}) == 1
    return (max(done), marks[-1]) if first and 0 < max(done) < min(MOST_IN_ALL, max(planned) / 2) else None


def _one_by_one(marks: Sequence[Evidence]) -> tuple[int, Evidence] | None:
    """Steps that begin anew with each pass, where every one of them is printed and they are fewer than MOST_IN_ALL in all."""
    files: dict[tuple[str | None, str], list[tuple[int, Evidence]]] = {}
    for m in marks:
        if isinstance(step := m.data.get("step"), int):
            file = m.source.file if isinstance(m.source, Quote) else ""
            files.setdefault((m.where.node, file), []).append((step, m))
    told = max(files.values(), key=len, default=[])
    steps, first = [step for step, _ in told], told[0][0] if told else -1
    epochs = [m.data.get("epoch") for _, m in told]
    if told and None not in epochs and len(set(epochs)) == len(told) < MOST_IN_ALL and all(m.data.get("planned") == step == 1 for step, m in told):
        return len(told), told[-1][1]  # each pass has one step
    if first not in {0, 1} or len(told) >= MOST_IN_ALL or any(m.data.get("coarse") or int(m.data.get("seen", 1)) > 1 for _, m in told[1:]):
        return None
    anew = sum(b == first < a for a, b in pairwise(steps))
    whole = anew > 0 and all(b == a + 1 or b == first < a for a, b in pairwise(steps))
    return (len(told), told[-1][1]) if whole else None


_SOLVER = re.compile(
    r"\bals\b|alternating least|\bk-?means\b|\bexpectation[- ]maximi|\bem (?:iter|round|step)|\bl-?bfgs\b|\bnewton\b"
    r"|conjugate gradient|\bbaum-?welch\b|\bsinkhorn\b|\birls\b",
    re.IGNORECASE,
)


def _long_steps(facts: Facts, done: int) -> str | None:
    """Why a few steps are no handful: each took long, as many as were planned, or more than a few where nobody tells how many."""
    between_s, planned = facts.advance.interval_s or facts.advance.step_s or 0.0, facts.advance.steps_planned
    whole = done == planned if planned is not None else done >= ENOUGH_LONG
    return f"each of its {done} steps took {between_s:.0f} s" if between_s >= LONG_STEP_S and done >= FEW_LONG and whole else None


def _solves(facts: Facts, done: int) -> str | None:
    """Why a few rounds are a whole run: a solver passes over all data in each of them, and did as many as were planned."""
    named = any(_SOLVER.search(head) for head in heads(facts.job))
    return "a solver's rounds are few by nature" if named and done == facts.advance.steps_planned and done > 1 else None


def _behind_training(facts: Facts, said: Evidence) -> bool:
    """Whether the log counts on, behind what it took up, before the word that nothing is left: it had trained what was left."""
    if not isinstance(said.source, Quote):
        return False
    file, at = said.source.file, said.source.offset
    taken = max((e.source.offset for e in facts.advance.loaded if isinstance(e.source, Quote) and e.source.file == file), default=0)
    trained = [m for m in facts.advance.marks if isinstance(m.source, Quote) and m.source.file == file and "eval_loss" not in m.data]
    own = [m for m in trained if isinstance(m.source, Quote) and taken < m.source.offset < at]
    return len(own) >= LEAST_BEHIND and len({m.data.get("epoch", m.data.get("step")) for m in own}) > 1


_ONLY_JUDGES = re.compile(
    r"\b(?:evaluation|eval(?:uating)?|validation|testing) only\b|\bonly (?:run(?:ning)? )?(?:the )?(?:final )?(?:evaluat|validat)", re.IGNORECASE
)
"""What it does instead, by its own word."""


def _none_at_all(facts: Facts) -> Evidence | None:
    """The program's own word that it trained nothing, where nothing that changed from line to line speaks against it."""
    said = tuple(e for e in facts.said("no_training") if not _behind_training(facts, e) and not went_on(facts, e))
    if any(_ONLY_JUDGES.search(one.text) for report in facts.job.reports for one in report.excerpts):
        return None
    if not said or any(len(set(finite(s.values))) > 1 for s in facts.series if s.name in CHANGING) or (facts.advance.steps_done or 0) >= FEW_STEPS:
        return None
    return said[0]


def _of_nothing(facts: Facts, said: Evidence) -> Account:
    smoke = _smoke(facts)
    shows = [Said(f"the program says that it trained nothing: {words.headline(words.told(said))}", (said,))]
    if facts.cite_end():
        shows.append(Said("the run ended with exit 0", facts.cite_end()))
    return Account(
        headline=words.headline("completed without a step of training" + (" (a test, as it says)" if smoke else "")),
        shows=tuple(shows),
        fault=Fault.USER,
        cannot_decide=("whether nothing to do was meant",),
        advice=("Check what the loader gives (length of the data set, filters, drop_last), and the step or epoch that the run began at.",),
        lost=not smoke,
    )


def _fast(facts: Facts) -> int | None:
    """Batches of a training that Lightning was told to do as a trial of its code; None where it did none, or judged alone."""
    texts = [one.text for report in facts.job.reports for one in report.excerpts]
    batches = [int(found["n"]) for text in texts for found in FAST_BATCHES.finditer(text)]
    trained = any("Trainer.fit` stopped" in text for text in texts)
    return batches[0] if batches and trained and len(set(batches)) == 1 and batches[0] < FEW_STEPS else None


def _smoke(facts: Facts) -> bool:
    """Whether the job's name says that it is a test, or its log that Lightning ran a batch of each (``fast_dev_run``)."""
    name = facts.job.name or (facts.row.name if facts.row is not None and facts.row.name else "") or ""
    texts = (one.text for report in facts.job.reports for one in report.excerpts)
    return SMOKE.search(name) is not None or any(FAST_DEV_RUN.search(text) for text in texts)


def _no_training(marks: Sequence[Evidence], done: int) -> str | None:
    """Why what is counted are no steps of training one by one, where it is so."""
    texts = [e.source.text for e in marks if isinstance(e.source, Quote)]
    if texts and all(_ONE_LINE.match(text) and "val_loss" not in e.data and "epoch" not in e.data for e, text in zip(marks, texts, strict=False)):
        return "what is counted may be the batches of an evaluation"
    if texts and all(_JUDGING.search(text) for text in texts):
        return "what is counted are batches of an evaluation"
    if texts and re.search(rf"(?<![\d.]){done}(?:\.\d{{1,3}})?[kKM]\b", texts[-1]):
        return "what is counted are thousands"
    if texts and all(_PASSES.search(text) for text in texts):
        return "what is counted are whole passes over the data"
    bare = [text for text in texts if _STAGE.match(text)]
    if len(marks) == 1 and bare:
        return "what is counted may be stages"
    return None


def _more_than_steps(marks: Sequence[Evidence], done: int) -> str | None:
    """Why what is counted are no steps, where one log has more lines of progress than that."""
    told: dict[tuple[str | None, str, str], set[str]] = {}
    for e in marks:
        if isinstance(e.source, Quote):
            who = _WHO.match(e.source.text)  # torchrun's output holds all its ranks'
            told.setdefault((e.where.node, e.source.file, who[0] if who else ""), set()).add(e.source.text)
    lines = max((len(texts) for texts in told.values()), default=0)
    return f"{lines} lines of progress are more than what they count" if lines >= FEW_STEPS and lines > done + 1 else None


def _no_better(facts: Facts, done: int) -> str | None:
    """Why a run may have stopped on purpose: it was to count further, and something that it lowers had its lowest some lines before."""
    found = facts.measured
    if found is None or found.counter.counts[-1] != done or (found.counter.planned or 0) <= done:
        return None
    stopped = any(len(m.values) >= 2 * PATIENCE and m.values[0] > min(m.values) and _since_lowest(m.values) >= PATIENCE for m in found.measures)
    return "what is lowered had its lowest some lines before the end: it may have stopped on purpose" if stopped else None


def _at_rest(facts: Facts) -> str | None:
    """Why a run of few steps was done: what it lowers came to rest, or it says itself that nothing got better any more."""
    if any(_BY_ITSELF.search(one.text) for report in facts.job.reports for one in report.excerpts):
        return "it stopped by itself, for nothing got better any more"
    first = facts.measured.measures[0].values if facts.measured is not None else facts.advance.loss.values if facts.advance.loss is not None else ()
    return "what is lowered came to rest by ever smaller steps" if len(finite(first)) == len(first) and converged(first) else None


def _since_lowest(values: Sequence[float]) -> int:
    return len(values) - 1 - min(range(len(values)), key=lambda at: values[at])


def _over_the_run(marks: Sequence[Evidence]) -> bool:
    """Whether steps of how many are told that never begin anew: then they are not an epoch's, whatever epochs other lines name."""
    told: dict[tuple[str | None, str], list[int]] = {}
    for e in marks:  # the script's log tells what a step's log had told once more
        step, file = e.data.get("step"), e.source.file if isinstance(e.source, Quote) else ""
        if isinstance(step, int) and "planned" in e.data and not e.data.get("per_epoch"):
            told.setdefault((e.where.node, file), []).append(step)
    return bool(told) and all(steps == sorted(steps) for steps in told.values())


def _first_step(marks: Sequence[Evidence]) -> int:
    return next((step for m in marks if isinstance(step := m.data.get("step"), int)), 0)


def _anew(facts: Facts, marks: Sequence[Evidence]) -> bool:
    """Whether steps begin anew with each epoch, of which nobody says how many there are."""
    epochs = {m.data["epoch"] for m in marks if "step" in m.data and isinstance(m.data.get("epoch"), (int, float))}
    file = next((m.source.file for m in marks if isinstance(m.source, Quote)), None)  # each rank prints its own
    told = [step for m in marks if isinstance(step := m.data.get("step"), int) and (not isinstance(m.source, Quote) or m.source.file == file)]
    return len(epochs) > 1 and (
        any(b <= a for a, b in pairwise(told))
        or any(s.name == "step" and any(b < a for a, b in pairwise(s.values)) for s in facts.series)
    )


def _last_save(facts: Facts) -> int | None:
    """The step that the last save is named by, where it came after all progress: so far the run got, whatever its lines count."""
    last = ([m for m in facts.advance.marks if "step" in m.data] or facts.advance.marks)[-1:]
    saves = [e for e in facts.advance.saved if last and _behind(e, last[0])]
    return saved_step(saves[-1]) if saves else None


def _behind(save: Evidence, mark: Evidence) -> bool:
    here, there = save.source, mark.source
    return isinstance(here, Quote) and isinstance(there, Quote) and here.file == there.file and here.offset > there.offset


MODE = Undertrained()
