"""Every pattern of every parser: its samples match, its near-misses do not, and no line makes it slow."""

from __future__ import annotations

import io
import re
import time

import pytest

from gpualert_slurm.classifier.engine import engine
from gpualert_slurm.classifier.lines import MAX_LINE_BYTES, Line, clean
from gpualert_slurm.classifier.scan import scan
from gpualert_slurm.classifier.vocabulary import WORDS
from gpualert_slurm.evidence import Where

RULES = engine()
PATTERNS = [pytest.param(name, pattern, compiled, id=name) for name, pattern, compiled in RULES.patterns]
STORIES = [pytest.param(name, story, id=name) for name, story, _ in RULES.stories]


def line(text: str) -> Line:
    return clean(text.encode(), 0, 1)


@pytest.mark.parametrize(("name", "pattern", "compiled"), PATTERNS)
def test_samples_match_and_near_misses_do_not(name, pattern, compiled):
    assert pattern.samples
    assert pattern.near_misses
    assert pattern.says in WORDS
    for sample in pattern.samples:
        match = pattern.match(line(sample), compiled, name)
        assert match is not None, sample
        assert match.says in WORDS
        assert any(literal in sample for literal in pattern.literals), f"no literal of {name} stands in {sample!r}: the prefilter would miss it"
    for near_miss in pattern.near_misses:
        assert pattern.match(line(near_miss), compiled, name) is None, near_miss


@pytest.mark.parametrize(("name", "story"), STORIES)
def test_stories_are_told_and_near_misses_open_none(name, story):
    assert story.samples
    assert story.near_misses
    for sample in story.samples:
        found = [e for e in scan(io.BytesIO(sample.encode()), "x", Where()).evidence if e.pattern == name]
        assert found, sample
    for near_miss in story.near_misses:
        assert not re.search(story.opens, near_miss), near_miss


LINES_OF_A_MIB = (1 << 20) // MAX_LINE_BYTES
MOST_S = 4.0
"""Of CPU for 1 MiB of lines as long as a line is read: four times what `make bench-scan` asks of a quiet machine."""


def cost_s(pattern, compiled, name, hostile: Line) -> float:
    began = time.process_time()
    pattern.match(hostile, compiled, name)
    return time.process_time() - began


@pytest.mark.parametrize(("name", "pattern", "compiled"), PATTERNS)
def test_a_mebibyte_of_hostile_lines_costs_little(name, pattern, compiled):
    """Lines of full length, made of a pattern's own words cut and repeated, are decided in well under a second a MiB."""
    for seed in (*pattern.samples, *pattern.literals):
        for stuff in (seed, seed[: len(seed) // 2], seed[:-1] + " ", seed + "0" * 40, " " * 8 + seed, seed[:12]):
            hostile = Line(((stuff or " ") * MAX_LINE_BYTES)[:MAX_LINE_BYTES], b"", 0, 1)
            assert any(cost_s(pattern, compiled, name, hostile) * LINES_OF_A_MIB < MOST_S for _ in range(3)), (name, stuff)

