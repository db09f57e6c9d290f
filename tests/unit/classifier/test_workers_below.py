"""Deaths of workers and of commands below a program that lives on and tells of them in words of its own."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from tests.unit.classifier.records import Run, steps, trace


def verdict(text: str, code: int = 1):
    return Run().rank(0, "n1", text, code=code, end=60, times=[5.0 + i / 10 for i in range(text.count("\n"))]).accounting("FAILED", code=code, end=61).verdict()


LOKY = "joblib.externals.loky.process_executor.TerminatedWorkerError: A worker process managed by the executor was unexpectedly terminated.\n\nThe exit codes of the workers are {{{how}}}\n"
DEATHS = {
    "joblib's pool": (trace("X").replace("X\n", LOKY.format(how="SIGSEGV(-11), SIGSEGV(-11)")), 1),
    "a pool that tells the exit code": (trace("RuntimeError: worker 3 (pid 4711) died with exit code -11"), 1),
    "a worker by the signal's name": (trace("loader.WorkerDied: one of the workers was terminated by SIGSEGV"), 1),
    "make": ("make: *** [Makefile:14: fit] Segmentation fault (core dumped)\n", 2),
    "make within make": ("make[1]: *** [rules.mk:3: model.bin] Segmentation fault\nmake: *** [Makefile:9: all] Error 2\n", 2),
}


@pytest.mark.parametrize("name", DEATHS)
def test_a_segmentation_fault_below(name: str):
    text, code = DEATHS[name]
    for found in (verdict(steps(1, 30) + text, code), verdict(text, code)):
        assert (found.mode, found.cause) == ("A2", Cause.SEGFAULT)


def test_a_worker_that_was_killed():
    """As of a loader's worker: most often the kernel's doing, and who it was stays open."""
    found = verdict(steps(1, 30) + trace("X").replace("X\n", LOKY.format(how="SIGKILL(-9)")))
    assert (found.mode, found.cause) == ("A2", Cause.OOM_KILLER)
    assert found.cannot_decide


def test_what_is_no_death_by_a_signal():
    assert verdict(steps(1, 30) + trace("X").replace("X\n", LOKY.format(how="EXIT(1)"))).mode == "A3"
    assert verdict(steps(1, 30) + trace("RuntimeError: worker 3 (pid 4711) died with exit code 1")).mode == "A3"
    assert verdict("make: *** [Makefile:14: fit] Error 1\n", 2).mode != "A2"
    assert verdict(steps(1, 30) + trace("ValueError: signal 11 of the sensor is missing in workers.csv")).mode == "A3"


SPAWNED = "torch.multiprocessing.spawn."


@pytest.mark.parametrize(
    "said",
    [
        trace("X").replace("X\n", SPAWNED + "ProcessRaisedException: \n\n-- Process 2 terminated with the following error:\n" + trace("ZeroDivisionError: division by zero")),
        trace(SPAWNED + "ProcessExitedException: process 2 terminated with exit code 3"),
        trace(SPAWNED + "ProcessExitedException: process 2 terminated with signal SIGSEGV"),
    ],
    ids=["an error", "an exit code", "a signal"],
)
def test_the_number_that_spawn_gave_a_process_is_the_rank_that_failed_first(said: str):
    """``torch.multiprocessing.spawn`` calls its function with the process's number, which programs take for their rank."""
    first = verdict(steps(1, 30) + said).first_failure
    assert first is not None
    assert first.ranks == (2,)


def test_rows_behind_their_writers_name_are_progress():
    """Three writers in one table: a crash behind it is one of a run that was under way."""
    rows = "".join(f"st{w:02d}\t{p}\t{t}\t{0.3 / (p + t / 40):.4f}\t{40 + w}\n" for p in range(1, 6) for t in (20, 40) for w in range(3))
    head = "".join(f"st{w:02d}\tpass\ttrace\tbce\tms\n" for w in range(3))
    assert verdict(head + rows + trace("ZeroDivisionError: float division by zero")).mode == "A3"
    assert verdict(head + trace("ZeroDivisionError: float division by zero")).mode == "A1"
