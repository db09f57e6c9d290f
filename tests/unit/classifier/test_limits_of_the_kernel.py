"""Deaths by limits of the kernel's own: nobody outside sends SIGXCPU or SIGXFSZ, and a pool's worker may be the one that the kernel killed."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from tests.unit.classifier.records import Run, steps, trace


@pytest.mark.parametrize(("number", "name"), [(24, "SIGXCPU"), (25, "SIGXFSZ")])
def test_a_limit_of_the_kernel_ends_a_rank(number: int, name: str):
    verdict = Run().rank(0, "n1", steps(1, 40), signal=number, end=60, times=[50.0]).accounting(code=number, end=60.2).verdict()
    assert verdict.mode == "A2"
    assert name in verdict.headline


def test_a_broken_pool_beside_slurmstepds_word_is_the_oom_killers_doing():
    """The parent tells of its worker in an exception; slurmstepd says what happened to it."""
    broken = trace("concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly.")
    told = "slurmstepd-n1: error: Detected 1 oom-kill event(s) in StepId=33823.0. Some of your processes may have been killed.\n"
    run = Run().rank(0, "n1", steps(1, 40) + broken, code=1, end=60, times=[50.0])
    assert run.accounting(end=61).verdict().mode == "A3"
    run = Run().rank(0, "n1", steps(1, 40) + broken, code=1, end=60, times=[50.0]).batch(told, code=1, end=60.5)
    verdict = run.accounting(end=61).verdict()
    assert (verdict.mode, verdict.cause) == ("A2", Cause.OOM_KILLER)
