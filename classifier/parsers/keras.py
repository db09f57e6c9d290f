"""Keras 2 and 3: bars of = or ━, redrawn with backspaces or carriage returns."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_METRIC = re.compile(r" - (?P<key>[a-z]\w{0,40}): (?P<value>" + NUMBER + ")")


def _bar(found: re.Match[str], match: Match) -> Match | None:
    data: Data = {"step": int(found["step"]), "planned": int(found["planned"]), "per_epoch": True}
    for metric in _METRIC.finditer(match.line.text):
        value = number(metric["value"])
        if value is not None:
            data[metric["key"]] = value
    return Match(match.says, match.role, match.line, match.pattern, data=data) if "loss" in data else None


PARSER = Parser(
    program="Keras",
    patterns=(
        Pattern(
            name="bar",
            says="progress",
            role=Role.MARKER,
            regex=r"^\s{0,6}(?P<step>\d{1,9})/(?P<planned>\d{1,9}) (?:\[[=>.]{2,60}\]|━{2,60})\s{1,3}.{0,60}(?:step|ETA|\ds)",
            literals=("━━", "==", "[>", ".."),
            samples=(
                "10/100 ━━━━━━━━━━━━━━━━━━━━ 5s 50ms/step - accuracy: 0.5120 - loss: 1.2041",
                "100/100 [==============================] - 5s 50ms/step - loss: 1.2041 - accuracy: 0.5120",
            ),
            near_misses=("3/3 ━━━━━━━━━━━━━━━━━━━━ 0s 2ms/step", "==== 10/100 ===="),
            read=_bar,
        ),
    ),
)
