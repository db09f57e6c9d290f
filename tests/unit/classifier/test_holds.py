from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.classifier import holds as room
from gpualert_slurm.classifier.holds import holds

BYTES = st.binary(max_size=40) | st.lists(st.sampled_from([b"ab", b"a", b"\0", b"ba"]), max_size=20).map(b"".join)


@given(BYTES, BYTES)
def test_it_is_what_in_says(data: bytes, word: bytes) -> None:
    assert holds(data, word) == (word in data)


@given(BYTES, BYTES, BYTES)
def test_a_word_is_found_wherever_it_stands_behind_zero_bytes_too(before: bytes, word: bytes, after: bytes) -> None:
    assert holds(before + word + after, word)


def test_without_the_c_librarys_function_it_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_FUNCTION", None)
    assert holds(b"x\0needle", b"needle")
    assert not holds(b"x\0needl", b"needle")
