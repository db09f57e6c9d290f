"""Trainings whose losses say nothing of learning, and what does: the reward that an agent had come to, two networks of which one has won."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence

from gpualert_slurm.classifier.measures import Measured
from gpualert_slurm.classifier.numbers import NUMBER, finite, number
from gpualert_slurm.classifier.returns import LEAST, LEAST_TAIL, lost_again
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord

WON, BEATEN, TIMES = 0.01, 8.0, 3.0
"""A discriminator whose loss is as low, over a generator's as high and so many times its first."""
MOST_LINE = 300
_REWARD = re.compile(
    r"(?<![A-Za-z])(?:ep_rew_mean|(?:(?:mean|avg|average|episode|episodic|ep)[ _])?(?:reward|return)s?(?:[ _]mean)?)['\"]?(?: [a-z]\w{0,7})?"
    rf"\s{{0,8}}[:=|]?\s{{0,8}}(?P<value>{NUMBER})(?![\w%])",
    re.IGNORECASE,
)
_AGENT = re.compile(
    r"(?<![A-Za-z])(?:td[-_ ]?(?:loss|err(?:or)?)|q[-_ ]?(?:loss|values?)|epsilon|explor(?:ation|e)\w{0,6}|bellman"
    r"|env[-_ ]?(?:steps|frames))(?![A-Za-z])"
    r"|(?<![A-Za-z])frames?['\"]?\s?[:=]?\s?\d.{0,120}(?<![A-Za-z])eps['\"]?\s?[:=]?\s?[01]?\.\d",
    re.IGNORECASE,
)
_PAIR = re.compile(
    rf"\b(?:loss[_ ]?d|d[_ ]?loss|disc\w{{0,10}}[_ ]loss)\W{{1,4}}(?P<d>{NUMBER}).{{0,40}}?"
    rf"\b(?:loss[_ ]?g|g[_ ]?loss|gen\w{{0,6}}[_ ]loss)\W{{1,4}}(?P<g>{NUMBER})",
    re.IGNORECASE,
)

_DISCRIMINATES = re.compile(r"(?:(?:loss|err)[ _]?)?(?:d|dis|disc\w{0,12})(?:[ _]?(?:loss|err))?", re.IGNORECASE)
_GENERATES = re.compile(r"(?:(?:loss|err)[ _]?)?(?:g|gen\w{0,8})(?:[ _]?(?:loss|err))?", re.IGNORECASE)


def rewarded(mark: Evidence) -> bool:
    """Whether a line of progress tells a reward, or what only an agent has: frames, an exploration rate, an error of temporal differences."""
    text = mark.source.text[:MOST_LINE] if isinstance(mark.source, Quote) else ""
    return _REWARD.search(text) is not None or _AGENT.search(text) is not None


def lost(job: JobRecord) -> str | None:
    """In words, where an agent lost what it had learned, or one of two networks the game; None where nothing shows it."""
    rewards: list[float] = []
    pairs: list[tuple[float, float]] = []
    for line in _lines(job):
        if (told := _REWARD.search(line)) is not None and (value := number(told["value"])) is not None:
            rewards.append(value)
        if (pair := _PAIR.search(line)) is not None:
            pairs.append((number(pair["d"]) or 0.0, number(pair["g"]) or 0.0))
    return _unlearned(finite(rewards)) or _won(pairs)


def _unlearned(rewards: Sequence[float]) -> str | None:
    best = lost_again(rewards)
    return None if best is None else f"the reward had come up to {best:.4g} and is back at {rewards[-1]:.4g}"


def won(found: Measured | None) -> str | None:
    """The same of two networks by names that are letters alone: ``D: 0.0000 G: 58.2``."""
    measures = found.measures if found is not None else ()
    whole = [m for m in measures if len(m.finite) == len(m.values)]
    d, g = (next((m.values for m in whole if one.fullmatch(m.name)), ()) for one in (_DISCRIMINATES, _GENERATES))
    return _won(list(zip(d, g, strict=True))) if len(d) == len(g) else None


def _won(pairs: Sequence[tuple[float, float]]) -> str | None:
    if len(pairs) < LEAST:
        return None
    tail, first = pairs[-max(LEAST_TAIL, len(pairs) // 4) :], statistics.median(g for _, g in pairs[:3])
    if all(0 <= d <= WON and g >= max(BEATEN, TIMES * first) for d, g in tail):
        return f"the discriminator has won: its loss is {tail[-1][0]:.4g}, the generator's {tail[-1][1]:.4g}"
    return None


def _lines(job: JobRecord) -> Iterator[str]:
    """The longest log's lines, of its head and its tail: others may tell the same once more."""
    logs = [one for report in job.reports for one in report.excerpts]
    texts = [one.head if len(one.head) >= one.bytes_total else f"{one.head}\n{one.tail}" for one in logs]
    for line in max(texts, key=len, default="").splitlines():
        yield line[:MOST_LINE]
