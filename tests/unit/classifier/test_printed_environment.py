"""What a job prints of its environment."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.printed_environment import printed
from tests.unit.classifier.records import Run


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("CUDA_LAUNCH_BLOCKING=1", "1"),
        ("+ export CUDA_LAUNCH_BLOCKING=1", "1"),
        ('declare -x CUDA_LAUNCH_BLOCKING="1"', "1"),
        ("CUDA_LAUNCH_BLOCKING=0", None),
        ("CUDA_LAUNCH_BLOCKING=", None),
        ("For debugging consider passing CUDA_LAUNCH_BLOCKING=1", None),
        ("NOT_CUDA_LAUNCH_BLOCKING=1", None),
    ],
)
def test_a_line_that_is_no_more_than_a_variable_gives_its_value(line: str, value: str | None):
    """An advice of a library's error is none."""
    run = Run().rank(0, "n1", f"+ env\n{line}\nstep 1 loss 2.0\n", code=0, end=9, times=[1.0, 1.0, 2.0]).accounting("COMPLETED", code=0, end=10)
    assert printed(run.record(), "CUDA_LAUNCH_BLOCKING") == value
