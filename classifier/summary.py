"""How many steps a run did, where it tells so in one sentence behind them: ``trained for 5 steps``, ``optimizer steps: 3``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.numbers import count
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.evidence import Role

PATTERN = "summary.steps"
MOST_TEXT = 300
_KIND = r"(?:(?:optimi[sz]er|optimi[sz]ation|training|train|gradient|parameter|weight|sgd|adam)[ _-]){0,2}"
_UNITS = r"(?:steps?|updates?|iterations?|iters?|mini-?batch(?:es)?|batch(?:es)?)\b"
_DID = (
    r"(?:train(?:ed|ing)|fit(?:ted|ting)?|optimi[sz]ed|ran|did|done|finished|complete[d]?|performed|stopp(?:ed|ing)|ended|total|took|taken|made"
    r"|executed|after|perform(?:ed|ing)|runn?ing|doing|taking)"
)
_TOLD = re.compile(
    rf"\b{_DID}\b.{{0,60}}?(?<![\d.,/-])(?P<a>\d{{1,9}}) {_KIND}{_UNITS}"
    rf"|(?<![\d.,/-])(?P<b>\d{{1,9}}) {_KIND}{_UNITS} (?:were |have been )?(?:{_DID})\b"
    rf"|\b(?:total|optimi[sz]er|gradient|global|training)[ _](?:{_KIND}){_UNITS}(?: done| taken| performed)?\s?[:=]\s?(?P<c>\d{{1,9}})\b(?!\.\d)"
    rf"|\((?P<d>\d{{1,9}}) {_KIND}{_UNITS}\)|(?<![\d.,/-])(?P<e>\d{{1,9}}) (?:gradient|optimi[sz]er|parameter|training) (?:steps?|updates?)\b",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"['\"](?:n_|num_|total_|optimi[sz]er_|global_)?(?:steps?|updates|iterations|batches)(?:_done)?['\"]\s?:\s?(?P<n>\d{1,9})(?![\d.])", re.IGNORECASE
)
_AT_THE_END = re.compile(r"['\"](?:\w{1,20}[ _.-])?(?:done|end|finish(?:ed)?|completed?|summary|final)['\"]", re.IGNORECASE)
"""A record of the end, and in it how many steps there were."""
_OTHER = re.compile(
    r"eval|valid|\btest|predict|infer|sampl(?:ed|ing)|converg|toleranc|early|patience|download|\bwill|plan|simulat|retr(?:y|ies)|attempt"
    r"|expected|estimat|resum",
    re.IGNORECASE,
)
_OF_TRAINING = re.compile(r"train|\bloss\b|optimi[sz](?:er|ation)|gradient (?:steps?|updates?)|\b(?:sgd|adam)\b|\btotal updates\b", re.IGNORECASE)
"""Solvers, workflows and evaluations do few steps, too, and are well."""
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_RATE = re.compile(r"\s{0,2}(?:per\b|/|each\b|an? |of\b)", re.IGNORECASE)
_BOUND = re.compile(r"\b(?:every|each|max\w{0,20}|warm-?up|up to|last|first|log\w{0,20})[ _:=]{1,3}\Z", re.IGNORECASE)


def summed(lines: Iterable[Line]) -> list[Match]:
    """The last such sentence among a log's ``lines``, as one line of progress."""
    failed, told = False, list(lines)
    for line in told[::-1]:
        text = line.text[:MOST_TEXT]
        failed = failed or text.startswith("Traceback (most recent call last)")
        found = _TOLD.search(text)
        if failed and found is not None and found["c"]:
            continue  # before a traceback it may be a setting
        field = _FIELD.search(text) if found is None and _AT_THE_END.search(text) else None
        if (found is None and field is None) or not _OF_TRAINING.search(text) or _OTHER.search(text):
            continue
        if found is not None and (_RATE.match(text, found.end()) or _BOUND.search(text[: found.start()])):
            continue
        if _several(text, told):
            continue
        if steps := count(field["n"] if field is not None else next((n for n in found.groups() if n), "") if found is not None else ""):
            return [Match("progress", Role.MARKER, line, PATTERN, data={"step": steps, "summed": True})]
    return []


def _several(text: str, lines: Iterable[Line]) -> bool:
    """Whether the like is said in other lines, too: what is told again and again is no sum of the run (``loss (for 1 batch) at step 40: 0.9``)."""
    kind = _DIGITS.sub("#", text)
    return sum(_DIGITS.sub("#", line.text[:MOST_TEXT]) == kind for line in lines) > 1
