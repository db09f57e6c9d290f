"""One task a node, many ranks below it: torchrun's pipe carries them all, and the task's own end says nothing of them."""

from __future__ import annotations

import io

import pytest

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.classifier import judge, scan
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.rank import RankExit, RankLog
from gpualert_slurm.verdict import Verdict
from gpualert_slurm.wishes import Wishes

START = 1_795_192_200_000_000_000
TRACE = """Traceback (most recent call last):
  File "/home/u/train.py", line 12, in <module>
    open("data/x.bin")
FileNotFoundError: [Errno 2] No such file or directory: 'data/x.bin'
"""
SUMMARY = """E1120 10:00:01.500000 123 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {code}) local_rank: 3 (pid: 127) of binary: /usr/bin/python
Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
    sys.exit(main())
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-20_10:00:01
  host      : w7
  rank      : 3 (local_rank: 3)
  exitcode  : {code} (pid: 127)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""


def prefixed(text: str, rank: int) -> str:
    return "".join(f"[rank{rank}]: {line}\n" for line in text.splitlines())


def verdict(text: str, step: str = "run", rank: int | None = 0, code: int = 1) -> Verdict:
    path = f"/logs/{step}.0.err"
    attempt = Attempt(cluster="w7", job_id=0, start_time_ns=START)
    content = text.encode()
    parsed = scan(io.BytesIO(content), path, Where(node="w7", rank=rank, local_rank=0, step=step), lambda at: (START + at, 0))
    report = NodeReport(
        attempt=attempt, uid=1, node="w7", nodes="w7", boot_id="b", wishes=Wishes(), written_ns=START, evidence=parsed.evidence, series=parsed.series,
        logs=(RankLog(path=path, node="w7", step=step, stream="err", rank=rank, local_rank=0, bytes_seen=len(content), bytes_kept=len(content)),),
        exits=(RankExit(node="w7", step=step, local_rank=0, rank=rank, wait_status=code << 8, exit_code=code, end_time_ns=START + 10**9),),
    )  # fmt: skip
    return judge(JobRecord(attempt=attempt, under_slurm=False, nodes=("w7",), reports=(report,), exit_code=code))


@pytest.mark.parametrize(("step", "rank"), [("run", 0), ("batch", None), ("0", 0)])
@pytest.mark.parametrize("text", [prefixed(TRACE, 3) + SUMMARY.format(code=1), TRACE + SUMMARY.format(code=1), prefixed(TRACE, 3)])
def test_the_rank_below_is_named_with_what_it_said(text: str, step: str, rank: int | None) -> None:
    """By the prefix on its lines or by the launcher's summary; under gpualert-run, in a batch script and in a step."""
    said = verdict(text, step, rank)
    assert (said.mode, said.cause and said.cause.value) == ("A1", "file_not_found")
    assert said.first_failure is not None
    assert said.first_failure.ranks == (3,)


def test_a_rank_below_that_was_killed_is_named_by_the_summary() -> None:
    said = verdict(SUMMARY.format(code=-11))
    assert (said.mode, said.cause and said.cause.value) == ("A2", "segfault")
    assert said.first_failure is not None
    assert said.first_failure.ranks == (3,)


def test_a_task_that_is_a_rank_itself_stays_one() -> None:
    said = verdict(TRACE)
    assert said.first_failure is not None
    assert (said.first_failure.ranks, said.cause and said.cause.value) == ((0,), "file_not_found")
