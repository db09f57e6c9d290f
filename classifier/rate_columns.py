"""A learning rate that came to nought in a table's column, or under any name of one: the rest of the run changed nothing."""

from __future__ import annotations

import re
from itertools import pairwise

from gpualert_slurm.classifier.measures import MOST_LINES, MOST_TEXT, Series, series_of
from gpualert_slurm.classifier.unlearned import LAST_RATES, LEAST_AT_CHANCE, VANISHED
from gpualert_slurm.job_record import JobRecord

_RATE = re.compile(
    r"(?:(?:current|train|base)[ _])?(?:lr|learning[ _-]?rate|step[ _-]?size|lernrate|schrittweite|tasa|taux|taxa|tasso|leersnelheid"
    r"|inl[äa]rningstakt|szybko[śs][ćc]"
    r"|скорость|学习率|学習率|학습률)(?: de aprendizaje| d'apprentissage| de aprendizado| di apprendimento)?",
    re.IGNORECASE,
)
FADED = 1e-25
"""Below it no number of a working training lies."""
HIGHEST = 10.0
"""No rate is higher."""
_BLURRED = re.compile(r"[-+]?0?\.0{1,7}\Z")
"""A number that is nought to so few digits only."""


def _fades(place: Series) -> bool:
    """Whether a column without a name falls from line to line to where nothing but a decay comes: no residual does."""
    if any("n" in text.lower() for text in place.texts) or not all("e" in text.lower() for text in place.texts[-2:]):
        return False
    values = place.values()
    return 0 < values[-1] < FADED and all(0 <= b <= a for a, b in pairwise(values))


def rate_column_gone(job: JobRecord) -> tuple[int, int] | None:
    """How many of the last rates are as good as nought, and of how many; None where none is told, or they are less than half."""
    for one in (x for report in job.reports for x in report.excerpts):
        for group in series_of(one.text[:MOST_TEXT].splitlines()[:MOST_LINES], LEAST_AT_CHANCE).values():
            for place in (p for p in group if _RATE.fullmatch(p.name.strip()) or (not p.name and _fades(p))):
                rates = [abs(v) for v in place.values()]
                least = VANISHED * max(rates)
                still = (n for n, rate in enumerate(reversed(rates)) if not rate <= least or _BLURRED.match(place.texts[len(rates) - 1 - n]))
                gone = next(still, len(rates))
                if 0 < max(rates) <= HIGHEST and LEAST_AT_CHANCE <= gone < len(rates) and gone >= LAST_RATES * len(rates):
                    return gone, len(rates)
    return None
