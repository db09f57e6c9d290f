"""Rows of a name and a percent that together make the whole of a run's time: what a profile, or a solver's own timers, print near a log's end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpualert_slurm.classifier.time_kinds import kind_of

LAST_LINES, LEAST_ROWS, MOST_LINE = 60, 3, 200
COMPLETE, TOO_MUCH = 90.0, 103.0
_ROW = re.compile(
    r"\s{0,12}(?P<name>[A-Za-z][^|│%]{1,48}?)(?:\s{0,40}[|│:]\s{0,20}|\s{2,40}|\s?\.{2,60}\s?)(?P<times>[\d.][\d.\s|│,a-z]{0,80}?[\s|│(])??"
    r"(?<![\d.])(?P<share>\d{1,3}\.\d{1,2}|\d{1,3}(?=\s?%))\s?(?P<sign>%)?\)?[\s|│]{0,8}\Z"
)
_KERNEL = re.compile(r"\s{0,12}(?P<share>\d{1,3}\.\d{1,2})\s{1,20}(?P<times>\d[\d.\s]{8,160}?)\s{1,8}(?P<name>[A-Za-z_][^\d][^\n]{2,120})\Z")
"""A row of Nsight Systems' summary of kernels."""
_PARTLY = re.compile(r"%\s?(?:of )?(?:the )?(?:wall|total time|run ?time)|<%wall>", re.IGNORECASE)
"""A heading of shares of the whole run, of which the rows need not be all."""
_OF_TIME = re.compile(r"time|T I M E|timing|second|profil|breakdown|wall|spent|\((?:ms|s)\)|zeit|temps|tiempo", re.IGNORECASE)
_TOTAL = re.compile(r"(?:total|sum|all)\b", re.IGNORECASE)
_PERCENT = re.compile(r"%|percent|share", re.IGNORECASE)
_A_TIME = re.compile(r"\d\s?(?:ms|s|sec|min)\b|\d\.\d")


def broken_down(lines: Sequence[str], kinds: frozenset[str]) -> Iterator[tuple[float, str]]:
    """The share of ``kinds`` in each such block, with its largest row of them."""
    last = lines[-LAST_LINES:]
    block: list[tuple[str, float, str]] = []
    timed: list[bool] = []
    begin = 0
    for at, line in enumerate([*last, ""]):
        found = (_ROW.match(line.lstrip("# ")) or _KERNEL.match(line)) if len(line) <= MOST_LINE else None
        found = None if found is not None and _TOTAL.match(found["name"]) else found
        if found is not None:
            begin = begin if block else at
            block.append((found["name"], float(found["share"]), line.strip()))
            timed.append(_A_TIME.search(found["times"] or "") is not None)
        elif block and ((any(char.isalnum() for char in line) and _TOTAL.match(line.strip("# |")) is None) or at == len(last)):
            yield from _of(block, last[max(0, begin - 4) : begin], kinds, timed=all(timed))
            block, timed = [], []


def _of(block: Sequence[tuple[str, float, str]], head: Sequence[str], kinds: frozenset[str], *, timed: bool) -> Iterator[tuple[float, str]]:
    whole = sum(share for _, share, _ in block)
    titled = timed or any(_OF_TIME.search(line) for line in head)
    signed = any("%" in row for _, _, row in block) or any(_PERCENT.search(line) for line in head)
    complete = COMPLETE <= whole <= TOO_MUCH or (any(_PARTLY.search(line) for line in head) and whole <= TOO_MUCH)
    if len(block) < LEAST_ROWS or not complete or not titled or not signed:
        return
    ours = [(share, row) for name, share, row in block if kind_of(name) in kinds]
    if ours:
        yield sum(share for share, _ in ours) / 100, max(ours)[1]
