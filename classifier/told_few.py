"""A handful of steps by the program's own word: ``trained on 3 batches``, ``optimizer.step() called 1 time(s)``, ``two updates in all``.

The word counts where nothing that the log counts goes further, and where the run began with nothing; steps of an optimiser may stand beside many more
small batches, of which each has a few.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.brief import only_judges
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lineage import goes_on_from
from gpualert_slurm.evidence import Evidence

MOST, MOST_TEXT, MOST_LINE = 10, 128 * 1024, 300
MOST_S = 900.0
"""Seconds of the job: of one that ran on, the few may have been large ones."""
_WORDS = {
    "a single": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "zwei": 2, "drei": 3, "vier": 4, "deux": 2, "trois": 3, "quatre": 4, "dos": 2, "tres": 3, "due": 2, "tre": 3, "duas": 2, "dois": 2, "três": 3,
    "einen einzigen": 1, "un seul": 1, "una sola": 1, "un solo": 1,
}  # fmt: skip
_N = rf"(?P<n>(?<![\d.,:/=-])\d{{1,2}}|\b(?:{'|'.join(_WORDS)}))"
_OPTIMISER = r"(?:optimi[sz]er|optimi[sz]ation|gradient|weight|parameter)[ _-]"
_UNIT = (
    rf"(?P<unit>(?:(?:training|train|sgd|full|whole)[ _-])?(?:{_OPTIMISER})?(?:steps?|updates?|(?:mini-?)?batch(?:es)?|iterations?|iters?)"
    r"|schritte?n?|stapeln?|pas|lots?|it[ée]rations?|pasos?|lotes?|iteraci(?:[óo]n|ones)|passi|passos?|iterazioni)\b"
)
_NOT_BEHIND = r"(?! (?:of|per|each|every|an?|later|ago|behind|without|left|remain\w*|skipped|dropped|failed|lost|more|ahead)\b|/)"
_DID = (
    r"(?:trained|train(?:ing)?|ran|did|made|took|performed|done|completed?|executed|finished|ended|applied|processed"
    r"|saw|consumed|fit(?:ted)?|fini"
    r"|termin\w{1,4}|beendet|fertig|trainiert|gelernt|entra[îi]n\w{1,3}|apr[èe]s|nach|tras|dopo|ap[óo]s|only|just|nur|seulement|solo|s[óo])"
)
_DONE = (
    r"(?:done|in total|in all|total|altogether|processed|completed?|performed|made|applied|taken|executed|run|ran|gemacht|insgesamt"
    r"|ausgef[üu]hrt|verarbeitet"
    r"|au total|en tout|effectu\w{1,4}|trait[ée]\w{0,2}|en total|realizad\w{1,2}|procesad\w{1,2}|in tutto|no total)"
)
_SAID = (
    re.compile(rf"\b{_DID}\b[^.\d\n]{{0,16}}?{_N} (?:(?:out )?of|/) (?:the |a planned )?(?=\d[\d,._]{{1,14}} )[\d,._]{{2,15}} "
               rf"{_UNIT}(?! (?:per|skipped|dropped|failed|lost))", re.IGNORECASE),
    re.compile(rf"\b{_DID}\b[^.\d\n]{{0,30}}?{_N} {_UNIT}{_NOT_BEHIND}", re.IGNORECASE),
    re.compile(rf"{_N} {_UNIT}{_NOT_BEHIND}[^.\d\n]{{0,12}}\b{_DONE}\b", re.IGNORECASE),
    re.compile(
        rf"(?P<unit>\b{_OPTIMISER}(?:steps?|updates?)|\boptimi[sz]er\.step\(\)"
        r"|\b(?:total|number of) (?:training )?(?:steps?|updates?|iterations?|batches))"
        r"(?: (?:done|taken|performed|applied|called|made|in total|total))?\s?[:=]?\s?(?:was |were |is )?(?P<n>\d{1,2})(?![\d.,/%]|\s?of\b)",
        re.IGNORECASE,
    ),
)
_BY_OPTIMISER = re.compile(_OPTIMISER.removesuffix("[ _-]") + r"|optim", re.IGNORECASE)
_OF_ELSE = re.compile(
    r"\b(?:val\w*|test\w*|eval\w*|dev|held|warm\w*|log\w*|sav(?:e|es|ed|ing)|every|each|per|skip\w*|workers?"
    r"|predict\w*|infer\w*|benchmark\w*|profil\w*|patience|retr\w*"
    r"|pro|par|por|je|chaque|cada|dry|lookahead|unroll\w*|inner|rollout|diffusion|sampling|denois\w*|trial|fold|episodes?|stages?|phases?|freez\w*|pipeline|workflow|recipe|installation|migration)\b",
    re.IGNORECASE,
)
_AT_REST = re.compile(
    r"converg|konverg|toleran|\btol\b|k-?means|newton|bfgs|\birls\b|\bem\b|\bals\b|optimum|\boptimal\b|early[ _-]?stop|patience|\bscf\b"
    r"|active learning|pseudo-?label|distillation round|federat",
    re.IGNORECASE,
)
"""Whose rounds are few by nature, or ended where nothing more was to be had."""
_ROUNDS = re.compile(r"it[ée]r|pass", re.IGNORECASE)
"""Units that may be whole passes: then their number says nothing."""
_TRAINS = re.compile(
    r"\btrain|\bloss\b|\bepoch|optimi[sz]er|learning[ _]rate|\blr\b|\bfit\b|\bmodel|\bentren|\bentra[îi]n|\btrein|\baddestr"
    r"|\blern(?:en|t|rate)|\bverlust"
    r"|\bperte|\bp[ée]rdida|\bcoste?\b|\bco[ûu]t", re.IGNORECASE,
)  # fmt: skip


def told_few(facts: Facts) -> tuple[int, Evidence] | None:
    """How many there were by the program's word, and what ended the run; None where it does not say, or counts further."""
    cited = (*facts.cite_end()[:1], *facts.said("progress"))[-1:]
    if not cited or facts.advance.loaded or only_judges(facts) or goes_on_from(facts) is not None:
        return None
    texts = [one.text[:MOST_TEXT] for report in facts.job.reports for one in report.excerpts]
    if not any(_TRAINS.search(text) for text in texts):
        return None
    said = [(found, line) for text in texts for line in text.splitlines() if len(line) <= MOST_LINE for one in _SAID if (found := one.search(line))]
    if not said or any(_OF_ELSE.search(line) for _, line in said) or any(_AT_REST.search(text) for text in texts):
        return None
    elapsed_s = facts.ending.elapsed_s
    if elapsed_s is None or elapsed_s > MOST_S or any(_ROUNDS.match(found["unit"]) for found, _ in said):
        return None
    most = max(_number(found["n"]) for found, _ in said)
    by_optimiser = all(_BY_OPTIMISER.search(found["unit"]) for found, _ in said)
    return (most, cited[0]) if 0 < most < MOST and (by_optimiser or not _counts_further(facts, most)) else None


def _counts_further(facts: Facts, most: int) -> bool:
    """Whether something in the log is counted beyond so many, or several times over."""
    found, marks = facts.measured, facts.advance.marks
    if (facts.advance.steps_done or 0) > most or (found is not None and found.counter.counts[-1] > most):
        return True
    epochs = {m.data["epoch"] for m in marks if "epoch" in m.data}
    return len(epochs) * most >= MOST and len(epochs) > 1


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _WORDS.get(text.lower(), 0)
