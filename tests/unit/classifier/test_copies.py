"""A script's log repeats what its tasks print, and a bar only once it ends: that is no late progress."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

BARS = [f" {i}%|          | {i}/4000 [00:{i:02}<82:00,  1.02it/s]" for i in range(1, 41)]


@pytest.mark.parametrize(("until", "mode"), [(41.0, "C3"), (None, "F3")])
def test_a_bar_that_came_late_to_the_scripts_log_is_no_sign_of_life(until: float | None, mode: str):
    """Its own log has it 560 s before the end; where it goes on to the end there, the run advanced."""
    pace = 1.0 if until else 14.9
    times = [1 + pace * i for i in range(len(BARS))]
    run = Run().rank(0, "n1", "\n".join(BARS), signal=15, end=600, times=times)
    late = [*BARS[:-1], f"{BARS[-1]}slurmstepd-n1: error: *** STEP 4711.0 ON n1 CANCELLED AT 2026-11-20T16:30:00 DUE TO TIME LIMIT ***"]
    run = run.batch("\n".join(late) + "\n", signal=15, end=601, times=[*times[:-1], 600.0])
    assert run.accounting("TIMEOUT", code=0, end=601, time_limit_s=600).verdict().mode == mode
