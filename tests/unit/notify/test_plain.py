"""Text from a job is harmless to look at."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notify.headers import UNSAFE_CATEGORIES
from gpualert_slurm.notify.plain import COLUMNS, sentence, visible, visible_lines, wrap

HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from("\x1b[]0;m?H\x07\x9b\r\n\t\u202e\u200f")), max_size=300)


@given(HOSTILE)
def test_no_control_or_format_character_is_left(text):
    assert not [c for c in visible(text) if unicodedata.category(c) in UNSAFE_CATEGORIES]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;owned\x07title", "title"),
        ("\x1b]52;c;ZXZpbA==\x1b\\clipboard", "clipboard"),
        ("\x9b2Jclear", "clear"),
        ("a\x1bcreset", "areset"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("nul\x00bell\x07", "nul\\x00bell\\x07"),
        ("50%|█████     | 5/10\r100%|██████████| 10/10", "50%|█████     | 5/10\\x0d100%|██████████| 10/10"),
        ("größe ✖ 漢字", "größe ✖ 漢字"),
        ("a\tb", "a   b"),
    ],
)
def test_escape_sequences_go_and_the_rest_is_shown(raw, shown):
    assert visible(raw) == shown


def test_crlf_is_one_line_end():
    assert visible_lines("a\r\nb  \nc") == ["a", "b", "c"]


@given(st.text(st.one_of(st.characters(categories=("L", "N")), st.just(" ")), max_size=5000), st.integers(min_value=1, max_value=20))
def test_wrapped_rows_are_narrow_few_and_say_what_is_missing(text, max_rows):
    rows = wrap(text, max_rows)
    assert all(len(r) <= COLUMNS for r in rows)
    assert len(rows) <= max_rows + 1
    kept = rows[0] + "".join(r[4:] for r in rows[1:] if "more characters" not in r)
    cut = int(rows[-1].split()[1]) if "more characters" in rows[-1] else 0
    assert text.startswith(kept)
    assert len(kept) + cut == len(text)


def test_a_long_sentence_says_how_much_was_cut():
    assert sentence("x" * 700).endswith("… (100 more characters)")
