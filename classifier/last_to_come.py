"""One rank that the others wait for, as a program says it in a sentence: last to the exchange, missing from it, on the critical path.

``last to enter allreduce: rank 40 (node r3-11) 2887 ms after the median, 50/50 steps``; ``late to allreduce: rank 6 in 99/100 sampled steps``;
Horovod's ``Missing ranks:`` and the number on the next line; ``9 workers finished after 24s and sat idle, last: tcp://10.4.1.37:41881 (190s)``.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

LEAST, SAME, MOSTLY, LONGER, ALIKE = 3, 0.8, 0.8, 2.0, 1.5
"""Such lines, those that name the same one; of the steps that a line counts; and how much longer the last one took than the others."""
_WHO = r"(?:rank|worker|proc(?:ess)?(?:or)?|task|node|host|gpu|client|stage)[ _#:]?(?P<who>\d{1,5}|[\w.-]{1,40}\d)"
_LATE = re.compile(rf"\b(?:late|last|slowest|straggl\w{{1,4}})\b[^\d\n]{{0,60}}?{_WHO}(?![\w.]*%)", re.IGNORECASE)
_CRITICAL = re.compile(rf"\b{_WHO}\b[^\n]{{0,40}}?\b(?:on the critical path|last to arrive|arrived last|was (?:the )?last)\b", re.IGNORECASE)
_OF = re.compile(
    r"(?<![\d./])(?P<n>\d{1,7}) ?(?:/|of|out of) ?(?P<all>\d{1,7}) (?:\w+[- ]){0,2}(?:steps|iterations|batches|rounds|updates|times)\b", re.IGNORECASE
)
_MISSING = re.compile(r"Missing ranks:\s{0,4}(?:\[1,\d{1,4}\]<std\w{3}>:)?\s{0,4}(?P<who>\d{1,5}):")
_IDLED = re.compile(
    r"\b\d{1,4} (?:of \d{1,4} )?(?:workers|ranks|clients|tasks|results)\b[^\n]{0,40}? (?:after|in|by) (?P<others>\d{1,6}(?:\.\d{1,3})?) ?s\b"
    r"[^\n]{0,60}?\b(?:idle|waiting|waited)\b[^\n]{0,40}?\blast:? (?P<who>\S{1,60}) \((?P<own>\d{1,6}(?:\.\d{1,3})?) ?s\)",
    re.IGNORECASE,
)
_WAITED_FOR = re.compile(r"\((?P<n>\d{1,4}) of (?P<all>\d{1,4}) \w{2,12} (?:were |are )?waiting for (?:it|this one|him|her)\)", re.IGNORECASE)
_BACK = re.compile(
    rf"\b(?P<n>\d{{1,4}}) of (?P<all>\d{{1,4}}) \w{{2,12}} (?:within|after|in) (?P<others>\d{{1,6}}(?:\.\d{{1,3}})?) ?s\b[^\n]{{0,40}}?{_WHO}\b"
    r"[^\n]{0,40}?\bafter (?P<own>\d{1,6}(?:\.\d{1,3})?) ?s\b",
    re.IGNORECASE,
)
_BESIDE_MEDIAN = re.compile(
    rf"\bmedian (?P<others>\d{{1,6}}(?:\.\d{{1,3}})?) ?s,? {_WHO}:? (?P<own>\d{{1,6}}(?:\.\d{{1,3}})?) ?s\b", re.IGNORECASE
)
_MADE_WAIT = re.compile(
    rf"\b{_WHO}\b[^\n]{{0,30}}? \d{{1,6}}(?:\.\d{{1,3}})? ?s\b[^\n]{{0,20}}\bwaited (?P<own>\d{{1,6}}(?:\.\d{{1,3}})?) ?s for it\b", re.IGNORECASE
)
_TOOK = re.compile(
    r"(?<![\w])(?P<who>(?:site|client|worker|rank|node|host|actor|shard|trainer)[ _#-]?[A-Za-z0-9]{1,6})"
    r" (?:replied |finished |came |done )?(?:after|in|took|needed)"
    r" (?P<value>\d{1,6}(?:\.\d{1,3})?) ?s\b",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\b(?:client|worker|rank|node|site|task)[ _#]?(?P<who>[A-Za-z0-9]{1,16})\b", re.IGNORECASE)


def last_to_come(lines: Sequence[str]) -> tuple[str, str] | None:
    """Whom the others wait for, and the last line that says so; None where none does again and again."""
    return _named(_late(lines)) or _counted(lines) or _named(_idled(lines)) or _named(_missing(lines)) or _each_took(lines)


def _named(said: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    names = [who for who, _ in said]
    usual = max(set(names), key=names.count, default="")
    return (usual, said[-1][1]) if len(said) >= LEAST and names.count(usual) >= SAME * len(said) else None


def _late(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Lines that say in how many steps it was the last, nearly all of them."""
    found = []
    for line in lines:
        of, late = _OF.search(line), _LATE.search(line) or _CRITICAL.search(line)
        if of is not None and late is not None and int(of["n"]) >= MOSTLY * int(of["all"]) > 0:
            found.append((late["who"], line.strip()))
    return found


def _counted(lines: Sequence[str]) -> tuple[str, str] | None:
    """One line that counts over the whole run."""
    told = [one for one in _late(lines) if (of := _OF.search(one[1])) is not None and int(of["all"]) >= 10 * LEAST]
    return told[-1] if told and len({who for who, _ in told}) == 1 else None


def _idled(lines: Sequence[str]) -> list[tuple[str, str]]:
    found = []
    for line in lines:
        if (back := _BACK.search(line) or _BESIDE_MEDIAN.search(line)) is not None and float(back["own"]) >= LONGER * float(back["others"]):
            found.append((back["who"], line.strip()))
        elif (made := _MADE_WAIT.search(line)) is not None:
            found.append((made["who"], line.strip()))
        elif (one := _IDLED.search(line)) is not None and float(one["own"]) >= LONGER * float(one["others"]):
            found.append((one["who"], line.strip()))
        elif (of := _WAITED_FOR.search(line)) is not None and int(of["n"]) >= MOSTLY * int(of["all"]) and (who := _CALLED.search(line)) is not None:
            found.append((who["who"], line.strip()))
    return found


def _each_took(lines: Sequence[str]) -> tuple[str, str] | None:
    """Of those that are named with what they took again and again, the one that took far longer than any other."""
    told: dict[str, list[float]] = {}
    last: dict[str, str] = {}
    for line in lines:
        for one in _TOOK.finditer(line):
            told.setdefault(one["who"].lower(), []).append(float(one["value"]))
            last[one["who"].lower()] = line.strip()
    if len(told) < LEAST or min(len(values) for values in told.values()) < LEAST:
        return None
    middles = {who: statistics.median(values) for who, values in told.items()}
    slow = max(middles, key=lambda who: middles[who])
    peers = [value for who, value in middles.items() if who != slow]
    return (slow, last[slow]) if middles[slow] >= LONGER * max(peers) and max(peers) <= ALIKE * min(peers) else None


def _missing(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Horovod's, over two lines."""
    pairs = (f"{a.strip()} {b.strip()}" for a, b in pairwise(lines) if a.rstrip().endswith("Missing ranks:"))
    return [(found["who"], pair) for pair in pairs if (found := _MISSING.search(pair)) is not None]
