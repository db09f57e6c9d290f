"""Records that are handed on as they came, and what becomes of one that cannot be read."""

from __future__ import annotations

import zlib

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.packed import Packed, PackedJob, read_report
from gpualert_slurm.wishes import Wishes

ATTEMPT = Attempt(cluster="c", job_id=7)
RECORD = JobRecord(attempt=ATTEMPT, wishes=Wishes(), started_ns=1, gaps=(Gap(what="the kernel log", why="not readable"),))
REPORT = NodeReport(attempt=ATTEMPT, uid=1000, node="n1", nodes="n1", boot_id="b", wishes=Wishes(), written_ns=2)


def test_a_job_is_read_with_its_reports():
    job = PackedJob(JobRecord, Packed.of(RECORD).content, (Packed.of(REPORT).content,))
    assert job.read() == RECORD.model_copy(update={"reports": (REPORT,)})


def test_a_report_that_cannot_be_read_is_a_gap_and_costs_no_other():
    """Of a version that nobody knows, torn, or no JSON: the others count, and the record says what is missing and why."""
    other = zlib.compress(REPORT.json_bytes().replace(b"gpualert-report/1", b"gpualert-report/9"))
    broken = (other, b"nothing of zlib's", zlib.compress(b"{"), Packed.of(REPORT).content[:-20])
    read = PackedJob(JobRecord, Packed.of(RECORD).content, (*broken, Packed.of(REPORT).content)).read()
    assert read.reports == (REPORT,)
    assert [g.what for g in read.gaps] == ["the kernel log", *["a node's report"] * 4]
    assert read.gaps[1].why.startswith("it came, and cannot be read: format: ")


def test_a_reader_may_remember():
    """What reads the reports is the caller's: a child reads once what it judges and composes."""
    asked: list[bytes] = []

    def reader(content: bytes) -> NodeReport:
        asked.append(content)
        return read_report(content)

    content = Packed.of(REPORT).content
    assert PackedJob(JobRecord, Packed.of(RECORD).content, (content,)).read(reader).reports == (REPORT,)
    assert asked == [content]
