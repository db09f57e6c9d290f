"""The shortest and the longest time of the ranks, told together again and again: ``forward-compute: (1203.90, 2724.93)``, ``gen_min_worker 46.4``.

Where the longest is far above the shortest at the same work each time, somebody holds up the others; who it is, the line may not say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.time_kinds import WORK, kind_of

LEAST_LINES, APART, SAME = 4, 1.8, 0.8
_N = r"\d{1,9}(?:\.\d{1,6})?"
_TIMER = re.compile(rf"\s{{0,8}}(?P<name>[A-Za-z][\w-]{{1,40}}) ?\.{{3,80}}: \((?P<least>{_N}), (?P<most>{_N})\)\s{{0,4}}\Z")
"""Megatron-LM's, of the fastest rank and of the slowest."""
_OUTER = re.compile(r"forward-backward|iteration|interval", re.IGNORECASE)
"""What holds the waits, too."""
_LEAST = re.compile(
    rf"(?P<stem>[A-Za-z_][\w/]{{1,40}}?)_(?:min|fastest)_(?P<who>worker|rank|gpu|node|proc)['\"]?\s?[:=]\s?(?P<value>{_N})", re.IGNORECASE
)


def spread(lines: Sequence[str]) -> tuple[float, float, str] | None:
    """The longest and the shortest time of the last such line, and the line; None where they do not stand apart each time."""
    told: dict[str, list[tuple[float, float, str]]] = {}
    for line in lines:
        if (timer := _TIMER.match(line)) is not None and kind_of(timer["name"]) == WORK and _OUTER.search(timer["name"]) is None:
            told.setdefault(timer["name"], []).append((float(timer["most"]), float(timer["least"]), line.strip()))
        elif (least := _LEAST.search(line)) is not None:
            stem, who = re.escape(least["stem"]), re.escape(least["who"])
            most = re.search(rf"{stem}_(?:max|slowest)_{who}['\"]?\s?[:=]\s?(?P<value>{_N})", line)
            if most is not None:
                told.setdefault(least["stem"], []).append((float(most["value"]), float(least["value"]), line.strip()))
    for rows in told.values():
        apart = sum(most >= APART * least > 0 for most, least, _ in rows)
        if len(rows) >= LEAST_LINES and apart >= SAME * len(rows):
            return rows[-1]
    return None
