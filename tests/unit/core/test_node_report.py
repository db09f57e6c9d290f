"""Reports of a node: their head, without what is heavy."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from gpualert_slurm import node_report
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.node_report import BULK, NodeReport, read_head
from gpualert_slurm.process import Process
from gpualert_slurm.rank import RankLog
from gpualert_slurm.wishes import Wishes

SAID = Evidence(
    id="e1", says="exception", role=Role.ROOT, trust=Trust.USER, source=FieldValue(record="r", query="q", name="n", value='{"evidence":[{"processes":[')
)
REPORT = NodeReport(
    attempt=Attempt(cluster="hpc", job_id=7, start_time_ns=5), uid=1000, user="älice", node="n1", nodes="n[1-2]", boot_id="b", wishes=Wishes(addresses=("a@b.c",)),
    written_ns=9, epilog_env={"SLURM_JOB_EXIT_CODE": "256"}, logs=(RankLog(node="n1", stream="out", path="/s/0.0.out", step="0"),),
    processes=(Process(node="n1", pid=4, command=("python", '"evidence":[', "\\")),), evidence=(SAID,) * 40,
    excerpts=(Excerpt(path="/s/0.0.out", where=Where(), stream="out", head="x" * 900, tail="", bytes_total=900, bytes_left_out=0),), archive_path="/home/alice/.gpualert/7",
)  # fmt: skip
HEAD = REPORT.model_copy(update={name: NodeReport.model_fields[name].default for name in BULK})


def test_the_head_is_the_same_however_much_of_a_report_is_looked_at(monkeypatch: pytest.MonkeyPatch):
    """Wherever the first look ends, in a word or a number of the head or of what is heavy, nothing of the head is missing."""
    text, early = REPORT.json_bytes(), 0
    for end in range(1, len(text) + 2):
        monkeypatch.setattr(node_report, "_FRONT_BYTES", end)
        early += node_report._front(text) is not None
        assert read_head(text) == HEAD, text[max(0, end - 40) : end]
    assert early > len(text) // 2, "most of it was not looked at"


def test_what_is_no_head_is_refused_however_long_its_report_is(monkeypatch: pytest.MonkeyPatch):
    """A first look that finds nothing good decides nothing."""
    monkeypatch.setattr(node_report, "_FRONT_BYTES", 300)
    for wrong in (b"[" * 500, b'{"evidence":[' + b"1," * 300, REPORT.json_bytes().replace(b'"uid":1000', b'"uid":"me"'), b"\xff" * 400):
        with pytest.raises(ValidationError):
            read_head(wrong)


def test_all_of_the_head_is_written_before_what_is_heavy():
    """A field of the head declared behind it would be missed in long reports: it belongs above ``evidence``, or among the bulk."""
    names = list(NodeReport.model_fields)
    first = min(names.index(name) for name in node_report._BEHIND)
    assert set(names[first:]) <= BULK
