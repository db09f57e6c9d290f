"""Times that lines print: read, dated as far as it is known, and used for order where there is no time index."""

from __future__ import annotations

import io
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.classifier import judge, scan
from gpualert_slurm.classifier.printed import ZONE_NS, dated, read
from gpualert_slurm.evidence import TimeSource, Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.rank import RankLog
from gpualert_slurm.wishes import Wishes
from tests.unit.classifier.records import trace

S = 10**9
HOUR = 3600 * S


def ns(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp() * 1000) * 10**6


NOW = ns("2026-11-21T12:00:00")


@pytest.mark.parametrize(
    ("line", "printed", "at", "step_ns"),
    [
        ("2026-11-20T16:30:00.123Z KeyError: 'x'", "2026-11-20T16:30:00.123Z", "2026-11-20T16:30:00.123", 10**6),
        ("2026-11-20T16:30:00+05:30 KeyError: 'x'", "2026-11-20T16:30:00+05:30", "2026-11-20T11:00:00", S),
        ("2026-11-20 16:30:00,123 KeyError: 'x'", "2026-11-20 16:30:00,123", "2026-11-20T16:30:00.123", 10**6),
        ("[2026-11-20 16:30:00] KeyError: 'x'", "2026-11-20 16:30:00", "2026-11-20T16:30:00", S),
        ("Nov 20 16:30:00 KeyError: 'x'", "Nov 20 16:30:00", "2026-11-20T16:30:00", S),
        ("Dec 31 23:30:00 KeyError: 'x'", "Dec 31 23:30:00", "2025-12-31T23:30:00", S),
        ("[rank0]:[E1120 16:30:00.123000000 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5)", "1120 16:30:00.123000000", "2026-11-20T16:30:00.123", 1),
        ("E1120 16:30:00.123000 42 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 0 (pid: 43) of binary: p", "1120 16:30:00.123000", "2026-11-20T16:30:00.123", 1000),
        ("slurmstepd: error: *** JOB 42 ON n1 CANCELLED AT 2026-11-20T16:30:00 DUE TO TIME LIMIT ***", "2026-11-20T16:30:00", "2026-11-20T16:30:00", S),
    ],
)  # fmt: skip
def test_every_form_is_read(line, printed, at, step_ns):
    parsed = scan(io.BytesIO(line.encode() + b"\n"), "x", Where())
    assert {e.printed for e in parsed.evidence if e.printed} == {printed}
    found = read(printed, NOW)
    assert found is not None
    assert (found.ns, found.step_ns) == (ns(at), step_ns)


@pytest.mark.parametrize("line", ["KeyError: 'x'", "[16:30:00] KeyError: 'x'", "2026-99-20 16:30:00 KeyError: 'x'", "E9940 99:30:00.123000 42 a.cc:1] CUDA out of memory. Tried"])
def test_what_is_no_date_is_no_time(line):
    parsed = scan(io.BytesIO(line.encode() + b"\n"), "x", Where())
    assert all(e.printed is None or read(e.printed, NOW) is None for e in parsed.evidence)
    assert all(e.time_ns is None for e in parsed.evidence)


@given(st.text("0123456789-:.,+Z T_NovDec", max_size=40))
def test_any_text_is_read_or_is_none(text):
    read(text, NOW)
    read(text)


def test_a_record_of_logging_dates_the_traceback_below_it_and_a_line_of_progress_does_not():
    headed = "2026-11-20 16:30:00,123 ERROR train: failed\n" + trace("KeyError: 'x'")
    alone = "2026-11-20 16:30:00,123 INFO train: step 5\n" + trace("KeyError: 'x'")
    for text, printed in ((headed, "2026-11-20 16:30:00,123"), (alone, None)):
        assert [e.printed for e in scan(io.BytesIO(text.encode()), "x", Where()).evidence if e.says == "exception"] == [printed]


def record(*texts: str, arrival=None, **job) -> JobRecord:
    """Logs of ranks 0, 1, …, each on a node of its own, read without anything beside them."""
    reports = []
    for rank, text in enumerate(texts):
        where = Where(node=f"n{rank}", rank=rank)
        parsed = scan(io.BytesIO(text.encode()), f"rank{rank}.log", where, arrival if rank == 0 else None)
        log = RankLog(path=f"rank{rank}.log", node=f"n{rank}", step="", stream="both", rank=rank, bytes_seen=len(text), bytes_kept=len(text))
        reports.append(
            NodeReport(attempt=Attempt(cluster="", job_id=0), uid=0, node=f"n{rank}", nodes=f"n{rank}", boot_id="", wishes=Wishes(), written_ns=NOW, logs=(log,), evidence=parsed.evidence)
        )  # fmt: skip
    return JobRecord(attempt=Attempt(cluster="", job_id=0), nodes=tuple(f"n{r}" for r in range(len(texts))), reports=tuple(reports), **job)


def errors(job: JobRecord):
    return [e for r in dated(job).reports for e in r.evidence if e.says == "exception"]


def crash(stamp: str, error: str) -> str:
    return f"{stamp} ERROR train: failed\n" + trace(error)


def test_without_any_other_clock_the_order_counts_and_the_zone_is_said_to_be_unknown():
    job = record(crash("2026-11-20 16:30:09,000", "ValueError: late"), crash("2026-11-20 16:30:01,000", "KeyError: 'early'"))
    assert {(e.time_source, e.uncertainty_ns) for e in errors(job)} == {(TimeSource.PRINTED_ZONE_UNKNOWN, ZONE_NS + 500_000)}
    verdict = judge(job)
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (1,)
    assert verdict.first_failure.uncertainty_s is not None
    assert verdict.first_failure.uncertainty_s > 14 * 3600
    assert "KeyError" in verdict.headline
    assert any("unknown zone" in gap.why for gap in verdict.gaps)


def test_times_to_the_second_that_are_equal_are_a_tie():
    verdict = judge(record(crash("2026-11-20 16:30:01", "ValueError: a"), crash("2026-11-20 16:30:01", "KeyError: 'b'")))
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (0, 1)


def test_a_printed_zone_is_taken_at_its_word():
    (error,) = errors(record(crash("2026-11-20T16:30:01.5+01:00", "KeyError: 'b'"), started_ns=1, ended_ns=2))
    assert (error.time_source, error.time_ns, error.uncertainty_ns) == (TimeSource.PRINTED, ns("2026-11-20T15:30:01.5") + 5 * 10**7, 5 * 10**7)


def test_one_logs_time_index_tells_the_zone_of_the_others():
    job = record(crash("2026-11-20 16:30:01,000", "ValueError: a"), crash("2026-11-20 16:30:09,000", "KeyError: 'b'"), arrival=lambda _: (ns("2026-11-20T15:30:02"), 10**6))
    first, second = errors(job)
    assert (first.time_source, first.time_ns) == (TimeSource.ARRIVAL, ns("2026-11-20T15:30:02"))
    assert (second.time_source, second.time_ns) == (TimeSource.PRINTED_ZONE_BY_INDEX, ns("2026-11-20T15:30:09") + 500_000)


def test_a_start_and_an_end_that_leave_one_zone_tell_it():
    job = record(crash("2026-11-20 16:30:01,000", "ValueError: a"), started_ns=ns("2026-11-20T14:29:30"), ended_ns=ns("2026-11-20T14:30:10"))
    (error,) = errors(job)
    assert (error.time_source, error.time_ns) == (TimeSource.PRINTED_ZONE_BY_JOB, ns("2026-11-20T14:30:01") + 500_000)


@pytest.mark.parametrize(
    "job",
    [
        pytest.param({"started_ns": ns("2026-11-20T10:00:00"), "ended_ns": ns("2026-11-20T20:00:00")}, id="several zones fit"),
        pytest.param({"started_ns": ns("2026-11-18T10:00:00"), "ended_ns": ns("2026-11-18T10:05:00")}, id="no zone fits"),
        pytest.param({"ended_ns": ns("2026-11-20T16:31:00")}, id="the start is not known"),
    ],
)
def test_a_zone_that_cannot_be_told_beside_another_clock_leaves_the_times_out(job):
    (error,) = errors(record(crash("2026-11-20 16:30:01,000", "ValueError: a"), **job))
    assert (error.time_ns, error.time_source, error.printed) == (None, None, "2026-11-20 16:30:01,000")


def test_torchruns_summary_is_dated_by_its_time():
    text = "train.py FAILED\n-----------------------------\nFailures:\n[0]:\n  time      : 2026-11-20_16:30:00\n  host      : n2\n  rank      : 3 (local_rank: 1)\n  exitcode  : -9 (pid: 4711)\n  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID 4711\n============================================================\n"
    parsed = scan(io.BytesIO(text.encode()), "x", Where())
    assert {e.printed for e in parsed.evidence if e.says == "failure_summary"} == {"2026-11-20_16:30:00"}
