"""A run in which nothing that its lines tell moved, whatever it is called: the first of it hovers, and nothing beside it has a trend.

A simulation, or whoever draws samples, may tell of nothing else for hours: only a program that says that it trains can be idle.
"""

from __future__ import annotations

import re
import statistics

from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.hover import hovers, stuck, trend
from gpualert_slurm.classifier.measures import Measured
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.classifier.scores import SCORE

LEAST_BESIDE, LEAST_DIGITS = 1, 3
STEADY = 2.5
"""Slope by its own error: above it a number has a trend."""
MOST_TEXT = 16_384
_TRAINS = re.compile(
    r"train|learn|epoch|\bloss|optimi[sz]er|\blr\b|\bsgd\b|\badamw?\b|\bfit(?:ting)?\b|gradient|\bbatch|classes\b|\blernen|[ée]poque|[ée]poca|\bmodel",
    re.IGNORECASE,
)
_SIMULATES = re.compile(
    r"\b(?:ising|lattice|metropolis|n[vp][eth]\b|navier|turbulen\w{0,3}|ab[ _-]initio|hartree"
    r"|lammps|namd|gromacs|gmx|mdrun|openmm|charmm|quantum[ _-]?espresso|verlet|etitle|toteng|e_pair|thermostat|barostat|trajectory|ns/day"
    r"|monte[ _-]?carlo|mcmc|sampl(?:er|ing)|simulat\w{1,6}|molecular|langevin|gibbs|equilibrat\w{1,5}|temperature)\b", re.IGNORECASE
)


def idle(facts: Facts, found: Measured) -> tuple[str, str] | None:
    """Variant and words, where the first thing that is measured hovers, and a score beside it is stuck, or nothing beside it has a trend either."""
    first, beside = found.measures[0], found.measures[1:]
    if len(beside) < LEAST_BESIDE or first.digits < LEAST_DIGITS or SCORE.search(first.name) or first.percent or first.straight:
        return None
    scores = next((m.values for m in beside if SCORE.search(m.name) or m.percent), ())
    moves = [m for m in beside if len(set(m.values)) > 1 and abs(trend(m.values)) > STEADY]
    if any(len(m.finite) < len(m.values) for m in found.measures) or (moves and not stuck(scores)):
        return None
    if hovers(facts.job, first.values, scores) is None or not trains(facts):
        return None
    told = f"{first.called} lay about {statistics.fmean(first.values):.4g} from the first line to the last"
    return "flat", f"{told}, and nothing beside it got better"


def trains(facts: Facts) -> bool:
    """Whether a program says, in its first lines or its command, that it trains, and nowhere that it simulates."""
    texts = [*heads(facts.job, MOST_TEXT), *(line for line, _ in command_lines(facts.job, facts.row))]
    return any(_TRAINS.search(text) for text in texts) and not any(_SIMULATES.search(text) for text in texts)
