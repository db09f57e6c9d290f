"""What each library's exceptions mean: every rule of every parser, with its samples and near-misses."""

from __future__ import annotations

import re
import time

import pytest

from gpualert_slurm.classifier import parsers
from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.classifier.pattern import Parser
from gpualert_slurm.discovery import discover

EXCEPTIONS = [
    pytest.param(rule, id=f"{module}.{rule.detail}.{number}")
    for module, parser in discover(parsers, "PARSER", Parser).items()
    for number, rule in enumerate(parser.exceptions)
]


@pytest.mark.parametrize("rule", EXCEPTIONS)
def test_an_exception_of_a_library_means_what_its_rule_says(rule):
    """Each sample gets the rule's finer name, its cause and what it is about; no near-miss does."""
    assert len(rule.samples) >= 2
    assert rule.near_misses
    for kind, message in rule.samples:
        meaning = meaning_of(kind, message)
        assert meaning.detail == rule.detail, (kind, message)
        assert rule.cause is None or meaning.cause is rule.cause, (kind, message)
        assert rule.about is None or meaning.about == rule.about, (kind, message)
    for kind, message in rule.near_misses:
        assert meaning_of(kind, message).detail != rule.detail, (kind, message)


@pytest.mark.parametrize("rule", EXCEPTIONS)
def test_a_hostile_message_costs_little(rule):
    """A message of the rule's own words, repeated to the longest that is read, is decided in well under a second."""
    words = re.compile(rule.words, re.IGNORECASE)
    for _, message in rule.samples:
        for stuff in (message, message[: len(message) // 2], message[:-1] + " ", message + "0" * 40, message[:12]):
            text = ((stuff or " ") * 4000)[:4000]
            began = time.perf_counter()
            words.search(text)
            assert time.perf_counter() - began < 0.3, stuff
