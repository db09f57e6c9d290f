"""E2: a run that should have resumed did not, or its checkpoint did not load."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import citations, crash, words
from gpualert_slurm.classifier.afresh import LEAST_LOSSES, begun_again, claimed, learned_all, never_read, passed_by
from gpualert_slurm.classifier.bidden import bidden
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.far_behind import far_behind
from gpualert_slurm.classifier.first_kept import first_kept
from gpualert_slurm.classifier.first_start import first_start
from gpualert_slurm.classifier.lapse import learned_again
from gpualert_slurm.classifier.left_empty import left_empty
from gpualert_slurm.classifier.lineage import came_from_nothing, known_before
from gpualert_slurm.classifier.missed import AT, LEFT_RANDOM, SCRATCH, missed
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.named_files import files, names
from gpualert_slurm.classifier.only_judged import only_judged
from gpualert_slurm.classifier.others_weights import others_weights
from gpualert_slurm.classifier.own_state import own_state_failed
from gpualert_slurm.classifier.parents import Parent, left_nothing, new_stage, said_first, told_paths
from gpualert_slurm.classifier.recount import FIRST_STEPS, begins_within, counted_steps
from gpualert_slurm.classifier.relearned import relearned
from gpualert_slurm.classifier.repeated import told_twice
from gpualert_slurm.classifier.resuming import failed_load, of_a_setting, reads_data
from gpualert_slurm.classifier.second_start import behind_progress
from gpualert_slurm.classifier.sought import began_with, turned_away
from gpualert_slurm.classifier.taken_up import takes_up
from gpualert_slurm.classifier.unmet import unmet
from gpualert_slurm.classifier.unrestored import PATTERN as ANY_WORDS
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.verdict import Fault

CRASHES = {"size_mismatch": "size_mismatch", "no_valid_checkpoint": "no_valid_checkpoint", "corrupt_checkpoint": "corrupt"}
LOADS = {"size_mismatch", "no_valid_checkpoint"}
"""What says itself that a checkpoint was being loaded: also after progress, as where a second stage begins from the first one's."""
NEAR_HEAD = 0.15
"""Head loss within this of the parent's head, and far above its tail."""
CUT = {"EOFError", "UnpicklingError", "BadZipFile", "JSONDecodeError"}
FAR_ABOVE = 0.6
"""Of the way that the parent's loss came down, how far above its tail a run that was told to go on begins at least."""
LEARNED_SHARE = 0.1
"""A parent whose loss fell by less than this has no tail to tell from its head."""
LEARNED_ANEW = 0.5
"""Where the earlier attempt's losses are not known: a loss that ends below this share of what it began with was not a trained model's."""
FELL = 0.8
"""Of its first losses, what it ends at, at most, where it counts long before what it was to go on from."""
NO_KEY_FITS = "state_dict.no_key_fits"
_JUDGES = re.compile(r"(?:run_)?(?:eval|infer|predict|serve|generat|sampl|demo|export|convert)\w{0,20}\.py", re.IGNORECASE)
_COUNTED = "step|epoch|iteration|iter|update|round|batch|pass|pas|Schritt|Epoche|paso|[ée]poque|itération|tour"
FLIP = "an error while a checkpoint is loaded, or a parent whose head loss this run starts at"


class Resume(FailureMode):
    """Crash variants from the error; from_scratch only where a parent is known, by its losses or by the program's own word."""

    code = "E2"
    title = "resume failed"
    place = 55
    variants = ("from_scratch", "size_mismatch", "no_valid_checkpoint", "corrupt")
    needs = "the terminal error; for from_scratch a parent (dependency, resume argument, earlier attempt) and the head and tail of both losses"
    positive = "a checkpoint that does not fit, is not valid or is corrupt; a parent is known and the loss starts at the parent's head, from step 0"
    excludes = "a warm start by design, a new stage, a line that says a checkpoint was loaded"
    leaves_open = "nothing of its own"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a load error, or a start from scratch beside a known parent."""
        if (plain := _plain(facts)) is not None:
            return plain
        parent = facts.parent
        twice = claimed(facts) or told_twice(facts) or learned_again(facts) or passed_by(facts) or relearned(facts) if facts.ended_well else None
        if twice is not None:
            return ruled_in(twice[0], FLIP, _scratch(facts, parent or Parent(None, None, "its own word", ()), *twice))
        loaded = facts.advance.loaded if not _came_to_nothing(facts) else ()
        if (lost := _lost(facts, parent, loaded)) is not None:
            return lost
        if parent is None:
            if not facts.ended_well:
                return ruled_out("no error while a checkpoint was loaded", FLIP)
            why = "no parent run is known (no dependency, no resume argument, no earlier attempt), and no load error was printed"
            return not_testable(why, FLIP)
        if left_nothing(parent, facts.advance.saved, facts.job.accounting) is not None and not _had_kept(facts, parent):
            nothing = "the earlier attempt of this job saved nothing that this one could have gone on from"
            return ruled_out(nothing, "a checkpoint of the earlier attempt")
        if loaded:
            return ruled_out("the output says that a checkpoint was loaded", "no such line where one would print", *loaded[:1])
        if (staged := new_stage(facts.job, facts.row)) is not None:
            return ruled_out("its command line asks for a new stage or a warm start", "a command line that only resumes", staged)
        scratch, datum, cites = _from_scratch(facts, parent)
        if scratch is None:
            return not_testable(datum, FLIP)
        if not scratch:
            return ruled_out(datum, FLIP, *cites)
        if not facts.ended_well:
            return latent(
                f"{datum}; what ended the run comes first", "a run that ended well", Said(f"it seems to have started from scratch: {datum}", cites)
            )
        return ruled_in(datum, "a start near where the parent ended", _scratch(facts, parent, datum, cites))


def _lost(facts: Facts, parent: Parent | None, loaded: tuple[Evidence, ...]) -> Assessment | None:
    """The answer where the program's own lines tell what it was to go on from and did not; ``loaded`` is what it took over."""
    gone = missed(facts, _said(facts)) if parent is None and not loaded else None
    gone = gone or (never_read(facts) if parent is None or parent.past is None else None)
    if facts.ended_well and gone is not None:
        return ruled_in(f"{gone[0]} is what it was to go on from, and {gone[1]}", FLIP, _without(facts, *gone))
    if (past := _went_past(facts, parent)) is not None:
        return past
    if facts.ended_well and (away := turned_away(facts, parent) or unmet(facts) or far_behind(facts)) is not None:
        return ruled_in(away[0], FLIP, _scratch(facts, parent or Parent(None, None, "its own word", ()), *away))
    return None


def _plain(facts: Facts) -> Assessment | None:
    """The answer where no other run has to be known for it: the error of a load, or a run that is not to train."""
    if not facts.ended_well:
        return _while_loading(facts, facts.error) if facts.error is not None else None
    told = only_judged(facts)
    return None if told is None else ruled_out("it was told to evaluate, and not to train", "a run that trains", told)


def _went_past(facts: Facts, parent: Parent | None) -> Assessment | None:
    """The answer where a run that ended well counted from the first one past a state that it knew of."""
    if not facts.ended_well or left_empty(facts.job) or (parent is not None and parent.past is not None) or (state := known_before(facts)) is None:
        return None
    come = f", which had come to {state.count}" if state.count else ""
    had = f"it knew of {state.path}{come}, and counts and learns from the beginning"
    whose = parent or Parent(None, None, "its own word", ())
    return ruled_in(had, FLIP, _scratch(facts, whose, had, (*state.evidence, *facts.advance.marks[:1])))


def _came_to_nothing(facts: Facts) -> bool:
    """Whether nothing of what was loaded was taken over, by a word behind the one that it was loaded."""
    said = [(e.data.get("none") is True or e.pattern == NO_KEY_FITS, e.source) for e in facts.advance.not_loaded if isinstance(e.source, Quote)]
    nothing = [source for none, source in said if none or LEFT_RANDOM.search(source.text)]
    last = [e.source for e in facts.advance.loaded if isinstance(e.source, Quote)]
    if any(none for none, _ in said) and came_from_nothing(facts, by_half=True):
        return True  # whatever is said of the count behind it
    return any(all(said.file != one.file or said.offset >= one.offset for one in last) for said in nothing)


def _while_loading(facts: Facts, error: Evidence) -> Assessment | None:
    """The answer where the run ended by an error of its load."""
    said, flip = words.headline(words.told(error)), "a checkpoint that loads"
    if _JUDGES.match(str(error.data.get("file", "")).rpartition("/")[2]):
        return None  # what it loads it is to judge, or to use
    if error.detail in LOADS:
        return ruled_in(said, flip, _crashed(facts, error))
    if facts.advance.seen:
        anew = behind_progress(facts, error) and (error.detail in CRASHES or _cut_off(facts, error)) and not reads_data(facts.job, error)
        return ruled_in(said, flip, _crashed(facts, error, CRASHES.get(error.detail or "", "corrupt"))) if anew else None
    if left_empty(facts.job) and takes_up(error) is None:
        return None
    if of_a_setting(str(error.data.get("message", "")), str(error.data.get("type", ""))) or others_weights(facts, error):
        return None
    if error.detail in CRASHES and not reads_data(facts.job, error):
        return ruled_in(said, flip, _crashed(facts, error))
    if _cut_off(facts, error):
        return ruled_in(said, flip, _crashed(facts, error, "corrupt"))
    own = own_state_failed(facts, error)
    if (named := _of_its_own_file(facts, error)) is not None:
        account = _crashed(facts, error, "no_valid_checkpoint" if error.cause is Cause.FILE_NOT_FOUND else own[0] if own is not None else "corrupt")
        return ruled_in(said, flip, replace(account, shows=(*account.shows, Said("that is the file it was to go on from", (named,)))))
    variant = takes_up(error) or (None if own is not None else failed_load(facts.job, error, bidden=bidden(facts.job, facts.row) is not None))
    if variant is None and own is not None:
        return ruled_in(f"{said}, and it was to go on from {own[1]}", flip, _crashed(facts, error, own[0]))
    return ruled_in(f"{said}, while it went on from what was saved", flip, _crashed(facts, error, variant)) if variant is not None else None


def _from_scratch(facts: Facts, parent: Parent) -> tuple[bool | None, str, tuple[Evidence, ...]]:
    """Whether it began anew; None with the reason where that cannot be told."""
    said = _said(facts)[:1] or _passed_over(facts, parent)
    if said and parent.past is None and said_first(facts.job, facts.row):
        return False, "the program says that this is its first run, and what it was to go on from lies in its own output folder", said
    if said and parent.past is None and first_start(facts, said):
        return False, "what it was to go on from is where it saves, and nothing was there: a first start", said[:1]
    if said and parent.past is not None and began_with(facts, parent.past):
        return False, "the program says that it begins with what its parent saved", said[:1]
    if said and (parent.evidence or (parent.past is not None and (said[0].pattern != ANY_WORDS or _trained(parent.past)))):
        return True, f"{SCRATCH}, and a run to go on from is known", (*said, *parent.evidence[:1])
    loss, past = facts.advance.loss, parent.past
    if past is None or past.head_loss is None or past.tail_loss is None:
        if past is not None and past.relation == "earlier_attempt" and _anew(facts):
            cite = citations.series(loss) if loss is not None else None
            return True, "the earlier attempt had run past the first save, and this one counts and learns from the beginning", (cite,) if cite else ()
        counted = _counted_anew(facts, parent) if loss is None else _against_its_name(facts, parent) or _against_its_bid(facts, parent)
        return counted or (None, f"a parent is known by {parent.how}, its losses are not", ())
    if loss is None or len(loss.values) < 2:
        return _counted_anew(facts, parent) or (None, "this run printed no losses to set against its parent's", ())
    span = past.head_loss - past.tail_loss
    if span <= LEARNED_SHARE * abs(past.head_loss):
        again = abs(loss.values[0] - past.head_loss) <= LEARNED_SHARE * abs(past.head_loss)
        return (_counted_anew(facts, parent) if again else None) or (None, "the parent's loss fell too little to tell its end from its start", ())
    head = loss.values[0]
    first_step = next((s for s in loss.steps if s is not None), 0)
    early = first_step <= begins_within(loss.steps)
    cite = citations.series(loss)
    cites = (cite,) if cite is not None else ()
    if not early and (past.steps_done is None or first_step > 0.5 * past.steps_done):
        return False, f"its steps count on from {first_step}", cites
    again = past.relation == "earlier_attempt" and bool(past.checkpoints) and (past.steps_done or 0) > FIRST_STEPS and bool(loss.steps)
    near = abs(head - past.head_loss) <= NEAR_HEAD * abs(past.head_loss) or again  # the same job counts again what it had counted, and saved
    bid = bool(parent.evidence) or bidden(facts.job, facts.row) is not None
    high = bid and head - past.tail_loss > FAR_ABOVE * span and came_from_nothing(facts)  # its first line may come some steps later
    if (near or high) and head - past.tail_loss > 0.5 * span and early:
        return True, f"the loss starts at {head:.4g}, the parent's own start was {past.head_loss:.4g}", cites
    return False, f"the loss starts at {head:.4g}, the parent ended at {past.tail_loss:.4g}", cites


def _said(facts: Facts) -> tuple[Evidence, ...]:
    """The words that nothing was loaded; in words of the program's own, and in the middle of its log, where its steps then begin again."""
    return tuple(e for e in facts.advance.not_loaded if e.pattern != ANY_WORDS or begun_again(facts, e))


def _passed_over(facts: Facts, parent: Parent) -> tuple[Evidence, ...]:
    """The bare word that what was saved was not there or not usable, of a run that learns all over again, or counts anew behind one that counted."""
    steps, past = counted_steps(facts), parent.past
    behind = past is not None and (past.steps_done or 0) > FIRST_STEPS and bool(steps) and steps[0] <= begins_within(steps)
    return facts.advance.passed_over[:1] if behind or learned_all(facts) else ()


def _trained(past: PastVerdict) -> bool:
    """Whether a run that this one only depends on had trained: it may have made its data."""
    return past.relation != "parent" or bool(past.checkpoints) or past.head_loss is not None or (past.steps_done or 0) > FIRST_STEPS


def _had_kept(facts: Facts, parent: Parent) -> bool:
    """Whether the earlier attempt had come to where this one first put a state away, in words that no pattern knows."""
    past = parent.past
    first = first_kept(facts) if past is not None and past.relation == "earlier_attempt" and past.steps_done is not None else None
    return first is not None and past is not None and (past.steps_done or 0) >= first


def _anew(facts: Facts) -> bool:
    """Whether a requeued run began at the first steps again, with a loss from which it then learned most of what it learned."""
    loss = facts.advance.loss
    first = next((s for s in loss.steps if s is not None), None) if loss is not None else None
    if loss is None or first is None or first > begins_within(loss.steps) or len(loss.values) < LEAST_LOSSES or not facts.advance.saved:
        return False
    return 0 < loss.values[-1] < LEARNED_ANEW * max(loss.values[:3])


def _counted_anew(facts: Facts, parent: Parent) -> tuple[bool, str, tuple[Evidence, ...]] | None:
    """A requeued run that counts its steps from the first to the last, where the earlier attempt had saved on its way; None: not to be told."""
    past = parent.past
    if past is None or past.relation != "earlier_attempt" or not (facts.advance.saved or _had_kept(facts, parent)):
        return None
    steps = counted_steps(facts)
    had_ended = past.steps_done is not None and bool(steps) and past.steps_done >= steps[-1]
    if had_ended or len(steps) < LEAST_LOSSES or steps[0] > begins_within(steps):
        return None
    if not (facts.advance.reached_end or _came_as_far(facts, past, steps[-1])):
        return None
    return True, f"the earlier attempt had run past the first save, and this one counts from {steps[0]} on to its end", facts.advance.marks[:1]


def _against_its_name(facts: Facts, parent: Parent) -> tuple[bool, str, tuple[Evidence, ...]] | None:
    """A run told to resume from the checkpoint of a certain step or epoch, which counts from the first one and learns nearly all of it again."""
    named = [(path, cite) for path, cite in told_paths(facts.job, facts.row, resumed=True) if AT.search(path.rpartition("/")[2])]
    if parent.past is not None or not named:
        return None
    path, cite = named[0]
    if not (learned_all(facts) or _far_short_of(facts, path)):
        return None
    if any(_came_from(one.text, path) for report in facts.job.reports for one in report.excerpts):
        return None
    return True, f"it was to resume from {path}, and counts and learns from the beginning", (cite, *facts.advance.marks[:1])


def _far_short_of(facts: Facts, path: str) -> bool:
    """Whether a run counts from the first step to one long before that which the path names, and its loss comes down as from nothing."""
    steps, found, loss = counted_steps(facts), AT.search(path.rpartition("/")[2]), facts.advance.loss
    at = int("".join(char for char in found[0] if char.isdigit()) or 0) if found is not None else 0
    if loss is None or len(loss.values) < LEAST_LOSSES or not steps or steps[0] > begins_within(steps) or steps[-1] * 2 > at:
        return False
    epochs = [float(e) for m in facts.advance.marks if isinstance(e := m.data.get("epoch"), (int, float))]
    early = not epochs or min(epochs) < 1 or (min(epochs) == 1 and all(epoch.is_integer() for epoch in epochs))
    return early and 0 < loss.values[-1] < FELL * max(loss.values[:3])


def _came_from(text: str, path: str) -> bool:
    """Whether a line tells of the path how far it had come: ``resume: run/500.pkl, step 500``."""
    return re.search(rf"{re.escape(path)}['\"]?[,;:)]? {{0,3}}\(?(?:at |with |of )?(?:{_COUNTED}) ?[:=#]? ?[1-9]", text, re.IGNORECASE) is not None


def _against_its_bid(facts: Facts, parent: Parent) -> tuple[bool, str, tuple[Evidence, ...]] | None:
    """The same of a run bidden to resume without a path: by a word that allows no other start, or behind a run as long that it depends on."""
    bid, past = bidden(facts.job, facts.row), parent.past
    if bid is None or not learned_all(facts):
        return None
    if past is None and not bid.firm:
        return None
    if past is not None and (past.relation != "parent" or not FIRST_STEPS < (past.steps_done or 0) <= counted_steps(facts)[-1]):
        return None
    behind = f", job {past.job} had done {past.steps_done} steps" if past is not None else ""
    return True, f"it was told {bid.said}{behind}, and counts and learns from the beginning", (bid.evidence, *facts.advance.marks[:1])


def _came_as_far(facts: Facts, past: PastVerdict, last: int) -> bool:
    """Whether this attempt came as far as the earlier one, by its steps; where those are not known, by how long they ran."""
    if past.steps_done is not None:
        return last >= past.steps_done
    rows = facts.job.accounting
    spans = [row.end_ns - row.start_ns for row in rows[-2:] if row.end_ns is not None and row.start_ns is not None]
    return len(spans) == 2 and spans[1] >= spans[0]


def _cut_off(facts: Facts, error: Evidence) -> bool:
    """Whether a file came to its end too early (pickle's EOFError) for a rank whose own word before was that it goes on from a checkpoint."""
    if str(error.data.get("type", "")).rsplit(".", 1)[-1] not in CUT or error.where.rank is None:
        return False
    return any(e.where.rank == error.where.rank and e.where.node == error.where.node for e in facts.advance.loaded)


def _of_its_own_file(facts: Facts, error: Evidence) -> Evidence | None:
    """What names the file that the error is about as the one to go on from: a command line, or the rank's own word just before."""
    if error.cause not in {None, Cause.FILE_NOT_FOUND, Cause.TRACEBACK, Cause.RUNTIME_ERROR, Cause.ASSERTION}:
        return None  # a right that is missing, say, or memory: the checkpoint may be sound
    message = str(error.data.get("message", ""))
    for path, cite in told_paths(facts.job, facts.row):
        if names(message, path):
            return cite
    mine = [e for e in facts.advance.loaded if (e.where.rank, e.where.node) == (error.where.rank, error.where.node) and isinstance(e.source, Quote)]
    return next((e for e in mine if isinstance(e.source, Quote) and any(names(e.source.text, path) for path in files(message))), None)


def _crashed(facts: Facts, error: Evidence, variant: str | None = None) -> Account:
    parent = facts.parent
    base = parent.past.checkpoints[-1] if parent is not None and parent.past is not None and parent.past.checkpoints else None
    advice = list(crash.advice_for(facts, error, error.cause, error.detail))
    if base is not None:
        advice.append(f"Job {parent.job if parent else ''} said that it saved to {base}: resume from that, with its configuration.")
    return Account(
        headline=words.subject(words.who(facts.first, error), words.told(error)),
        shows=crash.shows_crash(facts, error),
        fault=Fault.USER,
        variant=variant or CRASHES.get(error.detail or ""),
        cause=error.cause,
        detail=error.detail,
        implies=("the error came while a checkpoint or model was loaded",),
        advice=tuple(advice),
    )


def _without(facts: Facts, path: str, why: str, said: Evidence) -> Account:
    shows = [Said(f"{path} is what it was to go on from, and {why}", (said,))]
    shows += [Said("the run ended well", facts.cite_end())] if facts.cite_end() else []
    look = f"Look whether it is there, from the job's working directory and node: ls -l {shlex.quote(path)}"
    strip = "Take the prefix off before loading (torch.nn.modules.utils.consume_prefix_in_state_dict_if_present), and load with strict=True."
    return Account(
        headline=words.headline(f"completed, but started from scratch instead of {path}"),
        shows=tuple(shows),
        fault=Fault.USER,
        variant="from_scratch",
        implies=(f"what was saved at {path} was not used",),
        cannot_decide=("whether a first start was wanted",),
        advice=(look if why == SCRATCH else strip,),
    )


def _scratch(facts: Facts, parent: Parent, datum: str, cites: tuple[Evidence, ...]) -> Account:
    past = parent.past
    who = f"job {parent.job}" if parent.job else "the run it was to go on from"
    instead = f"{who}'s checkpoint" if parent.job else "what it was to go on from"
    shows = [Said(datum, cites)]
    if past is not None and past.head_loss is not None and past.tail_loss is not None:
        losses = f"{past.head_loss:.4g} to {past.tail_loss:.4g}"
        shows.append(Said(f"its parent, {who}, went from {losses}", (citations.field("past", f"verdict of {who}", "history", "losses", losses),)))
    shows += [Said(f"{who} is its parent: {parent.how}", parent.evidence)] if parent.evidence else []
    shows += [Said(SCRATCH, (e,)) for e in facts.advance.not_loaded[:1]]
    shows += [Said("the run ended well", facts.cite_end())] if facts.cite_end() else []
    saved = f", for example {past.checkpoints[-1]}" if past is not None and past.checkpoints else ""
    return Account(
        headline=words.headline(f"completed, but started from scratch instead of {instead}"),
        shows=tuple(shows),
        fault=Fault.USER,
        variant="from_scratch",
        implies=(f"what {who} had learned was not used",),
        cannot_decide=("whether a warm start was wanted",),
        advice=(
            f"Pass the checkpoint explicitly{saved}, and look for the line that says it was loaded.",
            "Trainer: trainer.train(resume_from_checkpoint=PATH); Megatron-LM: --load PATH; Lightning: trainer.fit(…, ckpt_path=PATH)",
            "Check that the folder is the one the earlier job wrote to: ls -t PATH | head",
        ),
        parent_gpu_hours=past.gpu_hours if past is not None else None,
    )


MODE = Resume()
