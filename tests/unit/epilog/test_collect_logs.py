"""What a reader of a user's log may say, and how excerpts are cut."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpualert_slurm.classifier.harvest import SERIES
from gpualert_slurm.epilog.collect_log_work import cut_excerpt, within
from gpualert_slurm.epilog.collect_logs import LogFindings, _take_parsed, in_order, stamp
from gpualert_slurm.evidence import Evidence, FieldValue, Quote, Role, Trust, Where
from gpualert_slurm.parsed_log import ParsedLog
from gpualert_slurm.rank import RankExit, RankLog
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.series import FROM_LOGS, Series

LOG = RankLog(path="/l/0.3.err", node="n2", step="0", stream="err", rank=3, local_rank=1)
SAID = Evidence(
    id="q0123456789abcde", says="xid", role=Role.ROOT, trust=Trust.SYSTEM, where=Where(node="n9", rank=7, gpu_uuid="GPU-x", step="9"),
    source=Quote(file="/l/0.3.err", line=1, offset=512, length=3, text="abc", sha256="0" * 64),
)


def test_evidence_of_a_reader_is_users_whatever_it_claims():
    """SYSTEM, another node, a GPU: none of it is the reader's to say. The rank may stand on the line."""
    found = stamp(SAID, LOG)
    assert found is not None
    assert found.trust is Trust.USER
    assert found.where == Where(node="n2", rank=7, step="0")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "kernel-n2-41278a59-7"},
        {"id": ""},
        {"source": SAID.source.model_copy(update={"file": "/var/log/messages"})},
        {"source": SAID.source.model_copy(update={"text": "x" * 5000})},
        {"source": FieldValue(record="sacct", query="sacct", name="State", value="NODE_FAIL")},
        {"data": {str(i): i for i in range(50)}},
        {"data": {"k": "v" * 5000}},
    ],
)
def test_evidence_that_no_log_can_give_is_refused(change):
    """The id of a kernel line, another file, a record of Slurm's, too much."""
    assert stamp(SAID.model_copy(update=change), LOG) is None


def test_refused_evidence_is_counted_and_gpu_series_are_not_a_logs():
    """A gap says how much was refused; a series named like the watcher's is dropped."""
    found = LogFindings()
    loss = Series(name="loss", values=(1.0,), where=Where(node="n9"))
    forged = tuple(Series(name=name, values=(1.0,)) for name in ("gpu_power_mw", "ecc_volatile_uncorrected", "collectives", "cpu_percent", "step_frozen"))
    parsed = ParsedLog(path=LOG.path, bytes_read=1, evidence=(SAID, SAID, SAID.model_copy(update={"id": "x"})), series=(loss, *forged))
    _take_parsed(found, LOG, parsed)
    assert len(found.evidence) == 1
    assert [g.what for g in found.gaps] == ["2 findings in /l/0.3.err"]
    assert [(s.name, s.where.node) for s in found.series] == [("loss", "n2")]


def test_logs_of_failed_tasks_come_first_the_earliest_failure_leading():
    """The time for reading and the excerpts go to them."""
    logs = [LOG.model_copy(update={"local_rank": i, "rank": i, "stream": s, "path": f"{i}.{s}"}) for i in range(4) for s in ("out", "err")]
    exits = [RankExit(node="n2", step="0", local_rank=i, exit_code=code, end_time_ns=end) for i, code, end in ((0, 0, 5), (1, 1, 9), (2, 1, 7), (3, 0, 1))]
    assert [log.path for log in in_order(logs, exits)] == ["2.err", "2.out", "1.err", "1.out", "0.err", "0.out", "3.err", "3.out"]


def written(tmp_path: Path, stream: bytes, hole: tuple[int, int] | None = None) -> tuple[int, LogFrame]:
    """A file framed as capture does: header, head, mark, tail; and its frame."""
    at, length = hole or (len(stream), 0)
    head, tail = stream[:at], stream[at + length :]
    mark = (b"\n#gpualert-hole {}".ljust(127) + b"\n") if length else b""
    path = tmp_path / "log"
    path.write_bytes(b"#gpualert-log/1 {}".ljust(511) + b"\n" + head + mark + tail)
    return os.open(path, os.O_RDONLY), LogFrame(start=512, head=len(head), hole=length, tail=len(tail) if length else 0)


def test_short_log_is_all_tail(tmp_path):
    """What fits into the tail has no head: nothing is shown twice."""
    fd, frame = written(tmp_path, b"one\ntwo\n")
    excerpt = cut_excerpt(fd, frame, LOG, (10, 100))
    assert (excerpt.head, excerpt.tail, excerpt.bytes_left_out) == ("", "one\ntwo\n", 0)


def test_long_log_is_cut_at_line_ends(tmp_path):
    """Head and tail are whole lines, and what is between is counted."""
    stream = b"".join(b"line %04d\n" % i for i in range(1000))
    fd, frame = written(tmp_path, stream)
    excerpt = cut_excerpt(fd, frame, LOG, (25, 25))
    assert excerpt.head == "line 0000\nline 0001\n"
    assert excerpt.tail == "line 0998\nline 0999\n"
    assert excerpt.bytes_left_out == len(stream) - 40


def test_mark_of_a_hole_is_not_in_the_excerpt(tmp_path):
    """The bytes around a hole, none of gpualert's own; the hole counts as left out."""
    fd, frame = written(tmp_path, b"A" * 50 + b"\n" + b"x" * 1000 + b"B" * 50 + b"\n", hole=(51, 1000))
    excerpt = cut_excerpt(fd, frame, LOG, (1000, 1000))
    assert "gpualert" not in excerpt.head + excerpt.tail
    assert excerpt.bytes_total == 1102
    assert excerpt.bytes_left_out == 1000


@settings(max_examples=60)
@given(st.binary(max_size=400), st.integers(0, 60), st.integers(0, 60))
def test_excerpt_accounts_for_every_byte(tmp_path_factory, stream, head, tail):
    """Head, tail and what was left out are the whole, in the order of the log."""
    fd, frame = written(tmp_path_factory.mktemp("x"), stream)
    try:
        excerpt = cut_excerpt(fd, frame, LOG, (head, tail))
    finally:
        os.close(fd)
    text = stream.decode("utf-8", "backslashreplace")
    assert excerpt.bytes_total == len(stream)
    assert 0 <= excerpt.bytes_left_out <= len(stream)
    if stream.isascii():
        assert text.startswith(excerpt.head)
        assert text.endswith(excerpt.tail)
        assert len(excerpt.head) + len(excerpt.tail) + excerpt.bytes_left_out == len(stream)


def test_file_that_was_blown_up_is_read_to_what_capture_wrote():
    """A sparse terabyte put in place of the log is not read."""
    frame = within(LogFrame(start=512, head=1 << 40), 5000)
    assert frame.start + frame.head == 5000


def test_all_that_a_log_is_read_for_may_come_from_one():
    assert FROM_LOGS == SERIES
