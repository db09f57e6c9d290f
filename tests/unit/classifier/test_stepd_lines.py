"""Which lines slurmstepd says on a job's output, in both of its ways."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.stepd_lines import of_slurmstepd


@pytest.mark.parametrize("line", [
    "slurmstepd: error: *** STEP 41.0 ON n2 CANCELLED AT 2026-11-22T09:00:00 DUE TO TIME LIMIT ***",
    "slurmstepd-n1: error: *** STEP 42.0 ON n1 CANCELLED AT 2026-11-20T16:00:00 DUE TO TASK FAILURE ***",
    "[2026-11-22T09:00:00.031] error: *** STEP 41.0 ON n2 CANCELLED AT 2026-11-22T09:00:00 DUE TO TIME LIMIT ***",
    "[2026-11-22T09:00:00.253] error: execve(): bad interpreter(/nonexistent/interpreter): No such file or directory",
    "[2026-11-22T09:00:00.253] error: Detected 1 oom_kill event in StepId=42.0. Some of the step tasks have been OOM Killed.",
])
def test_by_its_name_or_by_time_and_words(line: str) -> None:
    """22.05 and 24.11 name it, 26.05 gives the time to the millisecond instead."""
    assert of_slurmstepd(line)


@pytest.mark.parametrize("line", [
    "[2026-11-22T09:00:00.253] error: the tokenizer's file is gone", "error: execve of x", "my slurmstepd: error",
])
def test_a_time_alone_is_anybodys(line: str) -> None:
    """Programs print times in front of errors as well."""
    assert not of_slurmstepd(line)
