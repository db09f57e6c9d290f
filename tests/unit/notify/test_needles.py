"""What lets a pattern be left out: a string that none of its matches is without."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpualert_slurm.notify.needles import digit_blind, needles
from gpualert_slurm.notify.redact import ONE_DIGIT, PIECE_CHARS, Patterns, Redactor, patterns, piece_patterns, whole_text_patterns

ASCII = "".join(chr(n) for n in range(128))


def everywhere(text: str) -> str:
    """The text redacted by every pattern, none left out."""
    slow = Redactor()
    text = slow._apply(all_of(whole_text_patterns()), slow._key_ends(text))
    return slow._apply(all_of(piece_patterns()), text)


def all_of(patterns: Patterns) -> Patterns:
    """The same, each of them tried everywhere."""
    return Patterns(patterns.all, needles_of=lambda _: ())


@pytest.mark.parametrize(("kind", "pattern"), patterns(), ids=lambda value: value if isinstance(value, str) else "")
def test_no_match_of_a_pattern_is_without_its_needles(kind: str, pattern: re.Pattern[str]) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(pattern, alphabet=st.characters(max_codepoint=127)))
    def holds(text: str) -> None:
        wanted = needles(pattern)
        assert not wanted or any(needle in text.lower() for needle in wanted)
        assert Redactor()._apply(piece_patterns(), text) == Redactor()._apply(all_of(piece_patterns()), text)

    holds()


@given(st.lists(st.sampled_from(["token=", "password: ", "hf_", "a1B2" * 8, "://u:", "@h", "aws", "sk-", "key", " ", "\n", "AKIA", "0" * 20, "ſecret=", "K", "İ"]), max_size=12))
def test_nothing_is_left_in_that_all_patterns_would_take_out(parts: list[str]) -> None:
    """Letters beyond ASCII too, whose lower case is another letter's."""
    text = "".join(parts)
    assert Redactor().text(text) == everywhere(text)


def test_a_long_text_is_redacted_as_its_pieces_would_be() -> None:
    """What stands nowhere in the whole is not looked for in its pieces; what stands in one of them is found, also over a border of two."""
    filler = "step 17 loss 0.4821 lr 1e-4\n" * (PIECE_CHARS // 10)
    for before in (0, PIECE_CHARS - 12, PIECE_CHARS // 2 - 5):
        text = f"{filler[:before]}\npassword=Hunter2Hunter2\n{filler}hf_{'aB3' * 9}\n"
        clean = Redactor().text(text)
        assert "Hunter2" not in clean
        assert "hf_aB3" not in clean
        assert len(clean) > len(filler)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [(r"abc\d+def", {"abc"}), (r"(?:ab|cd)x?", {"ab", "cd"}), (r"(?:ab|c?)x", set()), (r"(?i)KEY=(\w+)", {"key="}), (r"[a-z]+", set()), (r"(?:hello)?\d", set()),
     (r"(?=secret)\w+", set()), (r"a\bb", {"ab"}), (r"(?:pass){2,}", {"pass"})],
)  # fmt: skip
def test_what_is_sure(pattern: str, found: set[str]) -> None:
    """What may be absent, and what is only looked ahead at, is no needle."""
    assert set(needles(re.compile(pattern))) == found


def test_most_patterns_have_some() -> None:
    """Else the time is not saved: one Discord format has nothing but character classes."""
    assert sum(1 for _, pattern in patterns() if not needles(pattern)) <= 2
    assert all(set(needle) <= set(ASCII) - set(string.ascii_uppercase) for _, pattern in patterns() for needle in needles(pattern))


@pytest.mark.parametrize(
    ("pattern", "blind"),
    [
        (r"[MNO][a-zA-Z\d_-]{23,25}\.[a-z0-9]{6}", True), (r"(?:ab|c\w+)=", True), (r"a1", False), (r"[1-8]x", False), (r"[^a]b", False),
        (r"a\sb", False), (r"a.b", False), (r"a(?=b)", False), ("[\n-z]", False), ("[a-ÿ]", False),
    ],
)  # fmt: skip
def test_digit_blind_is_said_only_where_it_is_sure(pattern: str, blind: bool) -> None:
    """A digit, a line's end, what must not be, a look around or a letter beyond ASCII: then it is not."""
    assert digit_blind(re.compile(pattern)) is blind


@pytest.mark.parametrize(("kind", "pattern"), [one for one in patterns() if digit_blind(one[1])], ids=lambda value: value if isinstance(value, str) else "")
def test_a_digit_blind_pattern_finds_a_line_by_its_digits_made_the_same(kind: str, pattern: re.Pattern[str]) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(pattern, alphabet=st.characters(max_codepoint=127)))
    def holds(text: str) -> None:
        blind = re.compile(pattern.pattern, pattern.flags | re.IGNORECASE)
        assert any(blind.search(line) for line in text.lower().translate(ONE_DIGIT).split("\n"))

    holds()


def test_a_token_without_a_needle_is_found_in_a_long_log() -> None:
    """Of a pattern that no string stands for, the log's different lines are asked first."""
    token = "MTIzNDU2Nzg5MDEyMzQ1Njc4.Xa1b2C.abcdefghij0123456789_klmnop"
    filler = "step 17 loss 0.4821 lr 1e-4\n" * (PIECE_CHARS // 10)
    clean = Redactor().text(f"{filler}{token}\n{filler}")
    assert token not in clean
    assert "[redacted: Discord Bot Token]" in clean
    assert Redactor().text(f"{filler}{token}"[-500:]).endswith("[redacted: Discord Bot Token]")
