"""A log's ends are the same in whatever pieces it was read."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpualert_slurm.classifier.log_ends import TAIL_BYTES, Ends

LAST = 8 * 1024


def ends(lines: list[bytes], sizes: list[int]) -> tuple[Ends, int]:
    """The ends of ``lines``, taken in pieces of so many lines, over and over."""
    found, at, offset, taken = Ends(), 0, 0, 0
    while at < len(lines):
        many = sizes[taken % len(sizes)]
        data = b"".join(lines[at : at + many])
        found.take(offset, at + 1, data)
        at, offset, taken = at + many, offset + len(data), taken + 1
    return found, offset


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3000), st.integers(1, 120), st.lists(st.integers(1, 500), min_size=1, max_size=5))
def test_pieces_make_no_difference(count, width, sizes):
    """Offset, number and text of each of the last lines."""
    lines = [b"%d " % i + b"x" * width + b"\n" for i in range(count)]
    whole, size = ends(lines, [count])
    several, _ = ends(lines, sizes)
    told = [(line.offset, line.number, line.text) for line in several.last(size, LAST)]
    assert told == [(line.offset, line.number, line.text) for line in whole.last(size, LAST)]
    assert told[-1] == (size - len(lines[-1]), count, lines[-1].decode().rstrip("\n"))


def test_a_last_piece_of_one_line_hides_nothing():
    """A reader's last block may hold a few bytes: what stands before it is last as well."""
    lines = [b"line %d\n" % i for i in range(400_000)]
    found, size = ends(lines, [300_000, 99_999, 1])
    assert [line.number for line in found.last(size, 40)] == [399_998, 399_999, 400_000]
    assert sum(len(line.raw) + 1 for line in found.lines(size) if line.offset > size // 2) >= TAIL_BYTES - 20
