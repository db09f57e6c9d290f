"""Jobs that train nothing, and failed in the middle of their work; and those that only prepared a training."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

ERROR = 'Traceback (most recent call last):\n  File "clean.py", line 77, in <module>\n    tbl = read(p)\nValueError: no footer in part-0042'


@pytest.mark.parametrize(
    ("line", "head", "mode"),
    [
        ("done part-{i:05d} kept={i}7 dropped={i}", "Found 2048 files", "A3"),
        ("dumps:  {i}%|#    | {i}/310 [00:57<4:53:33, 57.00s/file]", "working", "A3"),
        ("loaded shard {i}/310", "training set", "A1"),
        ("same line", "Found 2048 files", "A1"),
    ],
)
def test_lines_of_work_before_the_error(line: str, head: str, mode: str):
    rows = [head, *(line.format(i=i) for i in range(1, 20)), ERROR]
    text = "\n".join(rows) + "\n"
    run = Run(command=("python", "clean.py")).rank(0, "n1", text, code=1, end=200, times=[2.0 * i for i in range(len(rows))], local=0)
    assert run.accounting("FAILED", code=1, end=201).verdict().mode == mode
