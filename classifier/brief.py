"""Whether a run that counts passes, rounds or epochs, and no steps within them, was over before anything could be learned.

Few passes prove nothing: three epochs over a large set are a whole fine-tuning. They are a handful of steps where the program tells how many
batches (or samples, and how many in a batch) a pass has; else where each took next to no time and the loss has hardly come down; of a single one,
where the whole job was short.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.advance import FEW_STEPS
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.numbers import count, finite
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord

MOST_PASSES = 4
MOST_TOLD = 10
"""So many steps, told as a product of batches and passes, are a handful."""
BRIEF_S = 0.5
"""A pass that takes no longer is of a few batches."""
BRIEF_JOB_S = 60.0
"""Where the lines came all at once, or there is one alone, the job is as long."""
HARDLY = 0.6
"""A loss that ends above this share of its first has hardly come down …"""
LOW = 0.1
"""… unless it is that low: then there was nothing to learn."""
LEARNED = 0.75
MOST_TEXT = 16_384
MOST_LINE = 300
_OTHER = re.compile(r"\b(?:trial|fold|generation|episode|game|stage|phase|task|chain|k-?fold|cv)\b", re.IGNORECASE)
_OF_A_TEST = re.compile(r"\b(?:test|eval\w*|score|metric\w*)\b", re.IGNORECASE)
_OF_TRAINING = re.compile(r"\b(?:train|trn|tr|fit|learn)", re.IGNORECASE)
"""A pass is told with its training and its test on one line: then it is a pass of training."""
_WITHIN = re.compile(r"\b(?:batch(?:es)?|steps?|iters?|iterations?|updates?)\b", re.IGNORECASE)
"""Words of what a pass consists of: then it is counted, or was left out."""
_TOOK = re.compile(
    r"(?:\b(?:in|took|time|elapsed|after|secs?|seconds)\b\s?[:=]?\s?|[\[(]\s?)(?P<s>\d{1,6}\.\d{1,6}) ?s(?:ec(?:onds?)?)?\b",
    re.IGNORECASE,
)
"""How long a pass took, by its own line."""
_ROW = re.compile(r"[\s│┃|]{0,4}\d{1,6}\s{0,8}[│┃|]")
"""The row of a table that tells a pass once more."""
_N = r"(?P<n>\d{1,3}(?:[,_]\d{3}){1,3}|\d{1,9})(?![\d.])"
_UNITS = r"(?:mini-?batch(?:es)?|batch(?:es)?|steps?|iterations?|iters|updates?)"
_ITEMS = (
    r"(?:samples|examples|images|pictures|sentences|sequences|pairs|documents|docs|rows|records|utterances|houses|clips|items|points|texts|windows"
    r"|graphs|molecules|reviews|tiles)"
)
_BATCHES = re.compile(
    rf"(?<![\w.,/-]){_N} (?:train(?:ing)? |optimi[sz]er |full |whole )?{_UNITS}(?! (?:size|of warm|warm))\b"
    rf"|\b(?:steps|batches|iters|iterations|updates)(?:_| )per(?:_| )epoch\W{{1,4}}{_N.replace('<n>', '<per>')}"
    rf"|\blen\((?:train_?)?(?:data_?)?(?:loader|dl)\)\W{{1,4}}{_N.replace('<n>', '<len>')}"
    rf"|(?<![A-Za-z_.-])(?:max_|num_|n_|train_)?(?:steps|batches|iters|iterations|updates)['\"]?\s?[:=]\s?{_N.replace('<n>', '<set>')}",
    re.IGNORECASE,
)
_SAMPLES = re.compile(
    rf"(?<![\w.,/-]){_N} (?:train(?:ing)? |labell?ed )?{_ITEMS}\b"
    rf"|(?<![A-Za-z])(?:n_?train|num_?train\w{{0,9}}|train_?size|n_?samples|num_?samples|num_?examples|samples|examples|images"
    rf"|train(?:ing)?(?: ?set| ?data| samples| examples| images)?)(?: size)?['\"]?\s?[:=]\s?{_N.replace('<n>', '<named>')}",
    re.IGNORECASE,
)
_BATCH = re.compile(
    rf"(?<![A-Za-z])(?:(?:train_)?batch(?:[_ -]?size)?|bs|bsz)['\"]?\s?[:=]?\s?{_N}|\bbatches of {_N.replace('<n>', '<of>')}", re.IGNORECASE
)
_JUDGED = re.compile(r"\b(?:val\w*|test\w*|eval\w*|dev|held|warm\w*|log\w*|sav(?:e|es|ed|ing)|every|accum\w*|skip\w*|worker)\b", re.IGNORECASE)
_SET = re.compile(
    r"(?<![A-Za-z_.-])(?:max_(?:train_)?(?:steps|iters?|iterations|updates?)|(?:num_|total_)(?:train(?:ing)?_)?(?:steps|iters|iterations|updates)"
    r"|(?:train_)(?:steps|iters|iterations|updates)|num_boost_round)['\"]?\s?[:=]\s?(?P<n>\d{1,9})(?![\d.])"
    r"|\bmax_duration['\"]?\s?[:=]\s?['\"]?(?P<batches>\d{1,9})ba\b",  # Composer's
    re.IGNORECASE,
)
"""Settings of how many steps there are to be in all."""
_SET_PLAINLY = re.compile(
    r"(?<![A-Za-z_.-])(?:n_?)?(?:steps|iters|iterations|updates|niter|n_?iter)['\"]?\s?[:=]\s?['\"]?(?P<n>\d{1,9})(?![\d.])", re.IGNORECASE
)
_DONE = re.compile(
    r"\b(?:after|finished|done|completed?|trained(?: for)?|ran|did|end(?:ed)?|stop(?:ped)?(?: at| after)?|made|took)\b\W{1,3}(?P<n>\d{1,9}) "
    r"(?:train(?:ing)? |optimi[sz]er |gradient )?(?:steps?|iterations?|iters|updates?)\b"
    r"|\b(?P<m>\d{1,9}) (?:train(?:ing)? |optimi[sz]er |gradient )?(?:steps?|iterations?|iters|updates?) (?:done|finished|completed?|in \d)",
    re.IGNORECASE,
)
_TRAINS = re.compile(r"\btrain|\bloss\b|\bepoch|optimi[sz]er|learning_rate|\blr\b|boost|\bfit\b", re.IGNORECASE)
_NO_TRAINER = re.compile(
    r"\b(?:evaluat(?:e|ed|ing|ion)|inference|inferring|predict(?:s|ed|ing|ion|ions)?|benchmark\w*|generat(?:e|ed|ing)|sampling|testing"
    r"|exact match|answered|scoring|prompts|inferencia|auswertung|[ée]valuation|evaluaci[óo]n|evaluando|avalia[çc][ãa]o"
    r"|inférence|loglikelihood requests)\b",
    re.IGNORECASE,
)
_TRAINING = re.compile(
    r"\btrain(?!ed\b)|\bepoch|optimi[sz]|\bupdates?\b|learning[ _]rate|\blr\b|\bsav(?:e|ed|ing)\b|\bfit(?:ting)?\b|\bgrad"
    r"|\bentren|\bentra[îi]n|\btrein|\blern|\bgelernt|[ée]poque|[ée]poca|\bepoche",
    re.IGNORECASE,
)
_NO_GRADIENT = re.compile(
    r"\b(?:no|without|ohne|sans|sin)[ _-](?:gradients?\b|grad\b|training\b|optimi[sz]er\b|updates?\b|entrenamiento|entra[îi]nement|Optimierung)"
    r"|\bmodel (?:is )?frozen\b",
    re.IGNORECASE,
)
"""Words of training by which a program says that it does none."""
_HEADER = re.compile(r"^Epoch (\d{1,6})/(\d{1,6})\s{0,4}$", re.MULTILINE)


def brief(facts: Facts) -> tuple[int, Evidence] | None:
    """How many passes were done, and the last line that tells of one."""
    go = facts.advance
    marks = [m for m in go.marks if "epoch" in m.data or "step" in m.data]
    if not marks or go.loaded or any((m.pattern or "").startswith("transformers") for m in marks) or only_judges(facts):
        return None
    texts = [m.source.text for m in marks if isinstance(m.source, Quote)]
    if any("step" in m.data and not m.data.get("coarse") for m in marks) or any(_of_other(text) for text in texts):
        return None
    counts = _counts(marks)
    if not counts or counts[0] not in {0, 1} or any(b != a + 1 for a, b in pairwise(counts)) or len(counts) > MOST_PASSES:
        return None
    each = _told(facts.job)
    if each is not None and (each * len(counts) >= FEW_STEPS or each * len(counts) < MOST_TOLD):
        return (len(counts), marks[-1]) if each * len(counts) < MOST_TOLD else None
    losses, share = finite(go.loss.values) if go.loss is not None else [], go.metrics.get("accuracy", 0.0)
    if not losses or losses[-1] < max(LOW, HARDLY * losses[0]) or (share / 100 if share > 1 else share) >= LEARNED:
        return None
    return (len(counts), marks[-1]) if _quick(facts, marks, len(counts), texts) else None


def _of_other(text: str) -> bool:
    """Whether a line counts something else than passes over what is learned from."""
    return _OTHER.search(text) is not None or (_OF_A_TEST.search(text) is not None and _OF_TRAINING.search(text) is None)


def set_to(facts: Facts) -> tuple[int, Evidence | None] | None:
    """How many steps the whole run was set to do, where the program tells so, they are a handful, and nothing shows that it did more."""
    go = facts.advance
    if go.loaded or len(go.marks) >= MOST_TOLD or (go.steps_done or 0) >= MOST_TOLD or (go.loss is not None and go.loss.points_seen >= MOST_TOLD):
        return None
    texts = list(heads(facts.job, MOST_TEXT))
    told = {int(found["n"] or found["batches"]) for text in texts for found in _SET.finditer(text)} or _set_and_done(texts)
    if len(told) != 1 or any(_NO_TRAINER.search(text) for text in texts) or not any(_TRAINS.search(text) for text in texts):
        return None
    most = told.pop()
    epochs = len({m.data["epoch"] for m in go.marks if "epoch" in m.data})
    return (most, go.marks[-1] if go.marks else None) if 0 < most < MOST_TOLD and epochs < 2 else None


def _set_and_done(texts: list[str]) -> set[int]:
    """Steps by a plain word among the settings (it may be those of a pass), where the last word of the log is that so many were done."""
    sets = {int(found["n"]) for text in texts for found in _SET_PLAINLY.finditer(text)}
    last = [lines[-1][-MOST_LINE:] for text in texts if (lines := [line for line in text.splitlines() if line.strip()])]
    done = {int(found["n"] or found["m"]) for line in last if (found := _DONE.search(line)) is not None and not _OF_A_TEST.search(line)}
    return sets & done if len(sets) == 1 else set()


def only_judges(facts: Facts) -> bool:
    """Whether all that the program tells of is judging or using a model: it names no training, and no save."""
    texts = [_NO_GRADIENT.sub("inference", text) for text in heads(facts.job, MOST_TEXT)]
    return any(_NO_TRAINER.search(text) for text in texts) and not any(_TRAINING.search(text) for text in texts)


def keras_epochs(job: JobRecord) -> int:
    """How many epochs the headers of a Keras' ``fit`` tell; 0: there is none, and what is counted may be an evaluation."""
    return max((int(found[2]) for text in heads(job, MOST_TEXT) for found in _HEADER.finditer(text)), default=0)


def _counts(marks: Sequence[Evidence]) -> list[int]:
    """The passes that were told, each once, in order; empty where what is counted are no whole numbers."""
    found = [m.data["epoch"] if "epoch" in m.data else m.data.get("step") for m in marks]
    whole = [int(n) for n in found if isinstance(n, (int, float)) and float(n).is_integer()]
    return sorted(set(whole)) if len(whole) == len(marks) else []


def _quick(facts: Facts, marks: Sequence[Evidence], passes: int, texts: Sequence[str]) -> bool:
    """Whether each pass took next to no time, as far as times tell."""
    took = [float(found["s"]) for text in texts if (found := _TOOK.search(text)) is not None]
    if took and len(took) == len(texts):
        return sum(took) <= BRIEF_S * passes
    times = sorted({m.time_ns for m in marks if m.time_ns is not None})
    apart = [(b - a) / 1e9 for a, b in pairwise(times) if b - a > 1_000_000]
    if passes > 1 and len(apart) >= passes - 1:
        return statistics.median(apart) <= BRIEF_S
    own = {text for text in texts if not _ROW.match(text)}
    if passes == 1 and (len(own) > 1 or any(_WITHIN.search(text) for text in own)):
        return False
    elapsed = facts.ending.elapsed_s
    return bool(times) and elapsed is not None and elapsed <= BRIEF_JOB_S


def _told(job: JobRecord) -> int | None:
    """Batches of a pass, as the program tells them, or as its samples and their number in a batch make them; the most that is told."""
    batches: set[int] = set()
    samples: set[int] = set()
    sizes: set[int] = set()
    for line in (line[:MOST_LINE] for text in heads(job, MOST_TEXT) for line in text.splitlines()):
        judged = _JUDGED.search(line) is not None and "train" not in line.lower()
        batches |= {_number(found) for found in _BATCHES.finditer(line) if not judged}
        samples |= {_number(found) for found in _SAMPLES.finditer(line) if not judged}
        sizes |= {_number(found) for found in _BATCH.finditer(line)}
    product = math.ceil(max(samples) / min(sizes)) if samples and sizes and min(sizes) > 0 else 0
    most = max([*batches, product], default=0)
    return most or None


def _number(found: re.Match[str]) -> int:
    return next((value for text in found.groupdict().values() if text and (value := count(text)) is not None), 0)
