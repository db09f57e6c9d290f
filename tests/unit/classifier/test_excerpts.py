"""What a job's logs say, as far as the record keeps them."""

from __future__ import annotations

from gpualert_slurm.classifier.excerpts import heads, text_of
from tests.unit.classifier.records import Run


def test_each_log_begins_once_and_a_name_that_is_not_there_is_empty():
    job = Run().rank(0, "n1", "one two\n", end=9).rank(1, "n1", "three\n", end=9, local=1).record()
    paths = {x.where.rank: x.path for report in job.reports for x in report.excerpts}
    assert [*heads(job, 3)] == ["one", "thr"]
    assert [*heads(job)] == ["one two\n", "three\n"]
    assert text_of(job, paths[1]) == "three\n"
    assert text_of(job, paths[1] + "/other") == ""
