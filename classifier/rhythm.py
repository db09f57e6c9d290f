"""How a log that tells of no progress was written: how often, and with what pauses, by when its lines arrived, whatever words they have.

Work that is no training (batch generation, conversion, preparation) prints as it goes on, too. That it then printed nothing for many of its
longest pauses says as much as it says of a training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.classifier.stepd_lines import of_slurmstepd
from gpualert_slurm.evidence import Role

PATTERN = "rhythm.lines"
LEAST_WRITES = 2
_STORY = "Traceback (most recent call last)"


def rhythm(lines: Sequence[Line], when: Callable[[int], tuple[int, int] | None]) -> list[Match]:
    """The last line of the program's own, with the ``writes`` before it and the ``longest_s`` pause between two of them.

    Args:
        lines: the last lines of a log; what stands behind the last traceback, and what Slurm says, is left aside.
        when: the time of arrival of a byte, as (ns since the epoch, ± ns); None: not known.

    Returns:
        One match, none where fewer than LEAST_WRITES times are known.
    """
    own = [line for line in lines if line.text.strip() and not of_slurmstepd(line.text) and not line.text.startswith("srun: ")]
    cut = next((i for i in range(len(own) - 1, -1, -1) if _STORY in own[i].text), len(own))
    behind_a_bar = cut < len(own) and not own[cut].text.startswith(_STORY)
    told: list[tuple[Line, int]] = []
    for line in own[: cut + behind_a_bar]:
        if (time := when(line.offset)) is not None:
            if told and time[0] - told[-1][1] <= 2 * time[1]:
                told[-1] = (line, told[-1][1])  # what came at once is one write
            else:
                told.append((line, time[0]))
    if len(told) < LEAST_WRITES:
        return []
    pauses = [b - a for (_, a), (_, b) in pairwise(told)]
    return [Match("rhythm", Role.MARKER, told[-1][0], PATTERN, data={"writes": len(told), "longest_s": round(max(pauses) / 1e9, 3)})]
