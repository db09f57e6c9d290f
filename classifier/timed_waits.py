"""Lines that tell, each by itself, how long was waited for data: ``input pipeline blocked the step for 1.68 s``, ``dont 1.61 s d'attente``.

Alike but for their numbers, many of them, and together a large part of the time in which they came: then the run was starved, in whichever words
it says so. A wait for other ranks, for a lock, before another try, or up to a limit, is none for data; nor is one that loads once.
"""

from __future__ import annotations

import re
import statistics
from itertools import pairwise

from gpualert_slurm.classifier.alike import alike, is_clock
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.spent import Spent
from gpualert_slurm.classifier.told_shares import seconds
from gpualert_slurm.evidence import Quote

LEAST = 6
MOST_SHARE = 1.1
"""Of the time between its lines: more is what several workers waited together, or a clock."""
_TIME = r"(?:ms|milliseconds|secs?|seconds?|secondes?|segundos?|Sekunden|s|min(?:utes)?)"
_N = r"(?P<value>\d{1,6}(?:\.\d{1,6})?)"
_WAIT = (
    r"(?:wait(?:ed|ing|s)?|blocked|blocking|starved|starving|starvation|idle|idled|idling|stalled|stall|hungry|attente|attendu|gewartet|warten|wartete"
    r"|wartezeit|esper(?:a|ó|ando|ado|ou)|espera|attesa|atteso)"
)
_FEED = (
    r"(?:data|input|loader|dataloader|batch(?:es)?|samples?|shards?|records?|disk|storage|reader|reading|read|fetch(?:ing)?|decod\w{2,4}|queue"
    r"|pipeline|feeder|feed|archive|tiles?|clips?|images?|frames?|windows?|files?|daten|platte|stapel|données|donnees|fichiers|lots?|disque|datos|lotes?"
    r"|archivos|disco|dados|arquivos|dati|file)"
)
_AHEAD = re.compile(rf"(?<![^\W\d]){_WAIT}(?![^\W\d])[^\d.;|]{{0,60}}?(?<![\w.,]){_N}\s?(?P<unit>{_TIME})(?![\w/%])", re.IGNORECASE)
"""``waited for the shard reader 1.6 s``."""
_BEHIND = re.compile(rf"(?<![\w.,]){_N}\s?(?P<unit>{_TIME})(?![\w/%])[^\d.;|,]{{0,24}}?(?<![^\W\d]){_WAIT}(?![^\W\d])", re.IGNORECASE)
"""``1.61 s d'attente des fichiers``."""
_OF_DATA = re.compile(rf"(?<![^\W\d]){_FEED}(?![^\W\d])", re.IGNORECASE)
_NOT_SO = re.compile(
    r"(?<![^\W\d])(?:ranks?|peers?|others?|barrier|all-?reduce|sync\w*|nccl|gloo|lock\w*|retr\w+|attempts?|again|backoff|time-?out|limit"
    r"|max\w*|budget|up to|deadline|checkpoints?|sav(?:e|ed|ing)|upload\w*|connect\w*|server"
    r"|socket|download\w*|start(?:ed|ing|-?up)?|first|warm\w*|compil\w*|eval\w*|valid\w*"
    r"|total|so far|since|overall|avg|average|mean|autres|anderen?|otros|neighbou?rs?|workers? wait)(?![^\W\d])",
    re.IGNORECASE,
)
_OF_IT = re.compile(r"\d\s?[A-Za-z]{1,12} (?:of|out of|de|von|sur|di) \Z", re.IGNORECASE)
_COMMA = re.compile(r"(?<![\d.,])(\d{1,6}),(\d{1,3})(?=\s?(?:ms|s|secs?|Sekunden|secondes|segundos)\b)")


def timed_waits(facts: Facts) -> Spent | None:
    """The kind of such lines that tell of most time, as its share of the time in which the run advanced; None where there is none."""
    whole_s = _advanced_s(facts)
    if whole_s is None:
        return None
    best: Spent | None = None
    for lines, left_out in alike(facts.job, waited_s):
        waits = [waited for waited, _ in lines]
        if len(waits) < LEAST or is_clock(waits):
            continue
        share = statistics.fmean(waits) * len(waits) * left_out / whole_s
        if share <= MOST_SHARE and (best is None or share > best.share):
            best = Spent(min(1.0, share), lines[-1][1].strip(), facts.advance.marks[-1:], whole_s)
    return best


def waited_s(line: str) -> float | None:
    """How long was waited for data, by a line's own word; None for every other line."""
    line = _COMMA.sub(r"\1.\2", line)
    if _OF_DATA.search(line) is None or _NOT_SO.search(line.replace("_", " ")):
        return None
    found = _BEHIND.search(line) or _AHEAD.search(line)
    if found is not None and _OF_IT.search(line[: found.start("value")]) is not None:
        return None  # the whole, of which a part was told before it
    return float(found["value"]) * seconds(found["unit"]) if found is not None else None


def _advanced_s(facts: Facts) -> float | None:
    """From the first line of progress to the last, and the time of one step before the first."""
    times = sorted({m.time_ns for m in facts.advance.marks if m.time_ns is not None and isinstance(m.source, Quote)})
    if len(times) < LEAST:
        return None
    apart = [b - a for a, b in pairwise(times)]
    return (times[-1] - times[0] + statistics.median(apart)) / 1e9
