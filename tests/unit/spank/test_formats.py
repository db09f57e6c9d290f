"""The plugin's formats: what the Python readers make of golden bytes, of damage, and of hostile files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.job_file import EpilogFacts, JobFile
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.time_index import TimeIndex
from gpualert_slurm.wishes import When

GOLDENS = Path(__file__).parent.parent / "goldens"
T0 = 1795192200000000000
S = 1_000_000_000


def two_streams() -> bytes:
    return (GOLDENS / "time-index/two-streams.idx").read_bytes()


def test_job_file_of_the_format_page():
    """Every key of the worked example arrives where it belongs; what the user said stays apart."""
    job = JobFile.read(GOLDENS / "job-file/batch.json")
    assert (job.attempt, job.job_id, job.uid, job.node, job.first_step) == ("4711.5f0c8a3b9d2e4f61", 4711, 1000, "n1", "batch")
    assert job.wishes.addresses == ("alice@example.org",)
    assert job.wishes.when is When.ALWAYS
    assert job.claims.nodes == "n[1-2]"
    assert job.record_folder == Path("/var/spool/gpualert/node/n1/4711.5f0c8a3b9d2e4f61")


@pytest.mark.parametrize("change", [('"gpualert-job/1"', '"gpualert-job/2"'), ('"4711.5f0c8a3b9d2e4f61"', '"../../etc"'), ('"uid":1000,', "")])
def test_job_file_refuses(tmp_path, change):
    """An unknown version, a name that could leave the folder, a missing required key."""
    path = tmp_path / "job"
    path.write_text((GOLDENS / "job-file/batch.json").read_text().replace(*change, 1))
    with pytest.raises(ValueError, match="validation error"):
        JobFile.read(path)


def test_epilog_facts_of_the_format_page():
    """The Epilog's variables arrive by name."""
    facts = EpilogFacts.read(GOLDENS / "job-file")
    assert facts.env["SLURM_JOB_EXIT_CODE2"] == "1:0"


def test_exit_record_of_the_format_page():
    """A record becomes the project's RankExit and RankLogs."""
    record = ExitRecord.read(GOLDENS / "exit-record/failed.json")
    ended = record.rank_exit()
    assert (ended.rank, ended.local_rank, ended.exit_code, ended.signal, ended.end_time_ns) == (3, 1, 1, None, T0 + 7 * S)
    assert ended.memory is not None
    assert ended.memory.peak_bytes == 104857600
    logs = record.rank_logs(Path("/l"), Path("/nowhere"))
    assert [(log.path, log.stream, log.bytes_seen) for log in logs] == [("/l/0.3.out", "out", 2048), ("/l/0.3.err", "err", 103)]


def test_exit_record_with_one_file_for_both_streams_gives_one_log(tmp_path):
    """Both streams in one file are one log, called both."""
    text = (GOLDENS / "exit-record/failed.json").read_text().replace('"log":"0.3.err",', '"log":"0.3.err","merged":"out",')
    (tmp_path / "0.3.exit.json").write_text(text)
    (tmp_path / "0.4.exit.json").write_text("{")
    records, problems = ExitRecord.read_folder(tmp_path)
    assert [log.stream for log in records[0].rank_logs(Path("/l"), tmp_path)] == ["both"]
    assert len(problems) == 1
    assert problems[0].startswith("0.4.exit.json: ")


def test_exit_record_naming_a_log_elsewhere_gives_no_log():
    """A log name with a folder in it is not followed."""
    text = (GOLDENS / "exit-record/failed.json").read_text().replace('"0.3.err"', '"../../../etc/shadow"')
    logs = ExitRecord.model_validate_json(text).rank_logs(Path("/l"), Path("/nowhere"))
    assert [log.path for log in logs] == ["/l/0.3.out"]


def test_rank_log_frame_of_a_whole_log():
    """Offsets in stream and file map to each other; header and footer are outside of the stream."""
    frame = LogFrame.read(GOLDENS / "rank-log/failed.err")
    assert frame.problem is None
    assert (frame.start, frame.head, frame.hole) == (512, 103, 0)
    assert frame.header is not None
    assert frame.header.task == 3
    assert frame.stream_offset(512) == 0
    assert frame.stream_offset(511) is None
    assert frame.stream_offset(512 + 103) is None
    assert frame.file_offset(102) == 614


def test_rank_log_frame_with_a_hole():
    """Bytes past the cap have no place in the file; the tail's have."""
    path = GOLDENS / "rank-log/capped.out"
    frame = LogFrame.read(path)
    assert (frame.head, frame.hole, frame.tail, frame.problem) == (8, 1000, 6, None)
    at = frame.file_offset(1008)
    assert at is not None
    assert path.read_bytes()[at : at + 5] == b"tail."
    assert frame.file_offset(500) is None
    assert frame.stream_offset(at) == 1008


def test_rank_log_cut_by_its_owner_says_so(tmp_path):
    """A log whose size does not fit its footer is reported, not repaired."""
    whole = (GOLDENS / "rank-log/failed.err").read_bytes()
    path = tmp_path / "log"
    path.write_bytes(whole[:512] + whole[530:])
    assert "changed" in (LogFrame.read(path).problem or "")
    path.write_bytes(whole[:540])
    assert "no footer" in (LogFrame.read(path).problem or "")
    path.write_text("plain\n")
    assert LogFrame.read(path) == LogFrame(start=0, head=6)


def test_rank_log_that_is_a_link_or_fifo_is_refused(tmp_path):
    """The owner may replace the file; a reader follows nothing and hangs on nothing."""
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "fifo")
    for name in ("link", "fifo"):
        with pytest.raises(OSError, match=r".+"):
            LogFrame.read(tmp_path / name)


@given(st.binary(max_size=2000), st.integers(0, 2000), st.integers(0, 2000))
def test_rank_log_footers_never_break_the_reader(tmp_path_factory, noise, head, tail):
    """Whatever a footer claims, what the frame says lies inside the file."""
    path = tmp_path_factory.mktemp("log") / "log"
    footer = b'\n#gpualert-end {"bytes":1,"head":%d,"hole":1,"tail":%d}\n' % (head, tail)
    path.write_bytes((GOLDENS / "rank-log/failed.err").read_bytes()[:512] + noise + footer)
    frame = LogFrame.read(path)
    assert 0 <= frame.start + frame.head <= path.stat().st_size
    assert frame.tail_start + frame.tail <= path.stat().st_size + 128


def test_time_index_of_the_format_page():
    """The golden file gives its header's and its records' times."""
    index = TimeIndex.read(GOLDENS / "time-index/two-streams.idx")
    assert index.problem is None
    assert index.boot_id == "41278a59-c2da-46cb-b7f2-87d683b3e2d0"
    assert index.clock_error_ns is None
    assert index.arrival(0) == (T0 + S, 0)
    assert index.arrival(9) == (T0 + S + 50_000_000, 50_000_000)
    assert index.arrival(10) is None
    assert index.arrival(0, "err") == (T0 + 2 * S, 0)
    assert (index.length("out"), index.length("err"), index.last_arrival("err")) == (10, 5, T0 + 2 * S)


def test_time_index_missing():
    """No file is an empty index with the reason."""
    index = TimeIndex.read(Path("/nonexistent/x.idx"))
    assert index.arrival(0) is None
    assert "No such file" in (index.problem or "")


@pytest.mark.parametrize(("cut", "sound"), [(10, 0), (64, 0), (95, 0), (96, 1), (150, 2)])
def test_time_index_cut_short(cut, sound):
    """What comes before the cut is sound; the cut is named, unless it falls between two records."""
    index = TimeIndex(two_streams()[:cut])
    assert len(index.points("out")) + len(index.points("err")) == sound
    assert (index.problem is None) == ((cut - 64) % 32 == 0 and cut >= 64)


@given(st.integers(64, 191), st.integers(1, 255))
def test_time_index_with_a_flipped_byte_stops_there(at, change):
    """No record at or after the damage is believed."""
    content = bytearray(two_streams())
    content[at] ^= change
    index = TimeIndex(bytes(content))
    assert "garbage" in (index.problem or "")
    assert len(index.points("out")) + len(index.points("err")) <= (at - 64) // 32


@given(st.binary(max_size=400))
def test_time_index_of_garbage_never_raises(content):
    """Any bytes give an index, with a problem unless they are empty of records."""
    index = TimeIndex(content)
    assert index.problem
    assert index.arrival(0) is None
