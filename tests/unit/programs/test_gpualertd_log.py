from __future__ import annotations

import logging
import shlex

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.programs.gpualertd.log import Journal, line, one_line, value


def test_a_line() -> None:
    assert line("judged", job="42_7", why="no report of n1", gaps=0, late=None) == 'judged job=42_7 why="no report of n1" gaps=0'


def test_severity_stands_in_front() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 0, "a\nb", (), None)
    assert Journal().format(record) == "<4>a\\nb"


@given(st.text(max_size=80))
def test_no_value_breaks_its_line_or_its_field(words: str) -> None:
    """A value read back by the shell's rules is the value, if it was printable; nothing else appears on the line."""
    said = value(words)
    assert len(one_line(said).splitlines()) <= 1
    assert len(shlex.split(f"k={said}")) == 1
    if all(c.isprintable() for c in words):
        assert shlex.split(f"k={said}")[0] == f"k={words}"
