"""A framed log reads as the file it is, without the frame's text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.framed_log import arrivals, open_log
from gpualert_slurm.rank_log import MARK_BYTES, LogFrame
from gpualert_slurm.time_index import TimeIndex

GOLDENS = Path(__file__).parents[1] / "goldens"


@pytest.mark.parametrize("name", ["failed.err", "capped.out"])
def test_offsets_and_line_numbers_are_the_files_own(name: str) -> None:
    path = GOLDENS / "rank-log" / name
    whole, frame = path.read_bytes(), LogFrame.read(path)
    with open_log(path, frame) as log:
        read = log.read()
    assert len(read) == frame.tail_start + frame.tail
    assert b"#gpualert-" not in read
    assert read.count(b"\n") == whole[: len(read)].count(b"\n")
    assert read[512 : 512 + frame.head] == whole[512 : 512 + frame.head]
    if frame.hole:
        assert read[frame.tail_start :] == whole[frame.tail_start : frame.tail_start + frame.tail]
        assert read[frame.start + frame.head : frame.tail_start].strip(b"\0") in (b"\n\n", b"\n" + bytes(MARK_BYTES - 2) + b"\n")


@given(pieces=st.lists(st.integers(1, 700), max_size=40), at=st.integers(0, 2000))
def test_any_way_of_reading_gives_the_same_bytes(pieces: list[int], at: int) -> None:
    path = GOLDENS / "rank-log" / "capped.out"
    frame = LogFrame.read(path)
    with open_log(path, frame) as log:
        whole = log.read()
        log.seek(at)
        read = b"".join(log.read(n) for n in pieces)
    assert read == whole[at : at + sum(pieces)]


def test_a_plain_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "plain.log"
    path.write_bytes(b"one\ntwo\n")
    with open_log(path, LogFrame.read(path)) as log:
        assert list(log) == [b"one\n", b"two\n"]


def test_no_link_is_followed_and_no_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    frame = LogFrame(start=0, head=10)
    for path in (tmp_path / "link", tmp_path):
        with pytest.raises(OSError, match=r".+"):
            open_log(path, frame)


def test_a_time_is_asked_for_by_file_offset() -> None:
    index = TimeIndex.read(GOLDENS / "time-index" / "two-streams.idx")
    frame = LogFrame(start=512, head=10)
    arrival = arrivals(frame, index, "out")
    assert arrival(512) == index.arrival(0, "out")
    assert arrival(0) is None
