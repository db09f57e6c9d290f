"""Which jobs are over although no epilog said so; never one that may still run."""

from __future__ import annotations

import pytest

from gpualert_slurm.job_file import JobFile
from gpualert_slurm.programs.gpualert_node import sweep
from gpualert_slurm.programs.gpualert_node.sweep import Sweep

BOOT = "41278a59-c2da-46cb-b7f2-87d683b3e2d0"


def job(first_step: str = "batch", boot_id: str = BOOT) -> JobFile:
    return JobFile.model_validate(
        {"format": "gpualert-job/1", "attempt": "42.5f0c8a3b9d2e4f61", "job_id": 42, "uid": 1000, "node": "n1", "first_step": first_step, "log_folder": "/l",
         "record_folder": "/r", "boot_id": boot_id, "started_ns": 1, "started_monotonic_ns": 1, "capture": "on", "wishes": {"addresses": []}}
    )


class Clock:
    """Monotonic seconds under the test's hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(sweep, "time", made)
    return made


def test_job_of_another_boot_is_over_at_once(clock):
    """No process of it can be left."""
    assert Sweep(lambda _: None).over(job(boot_id="other"), {7: 42}, BOOT)


def test_batch_step_that_is_gone_for_a_minute_is_the_end(clock):
    """The epilog comes within that time where there is one; a step that is there again starts the count anew."""
    watch = Sweep(lambda _: pytest.fail("nobody needs to ask"))
    for seconds, stepds, over in ((0, {7: 42}, False), (5, {}, False), (59, {}, False), (1, {7: 42}, False), (5, {}, False), (59, {}, False), (1, {}, True)):
        clock.now += seconds
        assert bool(watch.over(job(), stepds, BOOT)) is over, clock.now


def test_job_between_two_steps_is_asked_about_and_rarely(clock):
    """A first step that was no batch step says nothing when it ends: Slurm is asked after ten minutes, then ever less often."""
    asked: list[float] = []

    def ask(_job_id: int) -> bool:
        asked.append(clock.now - 1000)
        return len(asked) > 3

    watch = Sweep(ask, lambda: 0.0)
    ends = []
    for _ in range(24 * 60):
        ends.append(watch.over(job("0"), {9: 41}, BOOT))
        clock.now += 60
        if ends[-1]:
            break
    assert asked == [600, 1800, 4200, 7800]
    assert ends[-1] is not None


def test_slurm_that_does_not_answer_is_not_an_end(clock):
    """Slurmctld away for a night: the job stays."""
    watch = Sweep(lambda _: None)
    for _ in range(600):
        assert watch.over(job("0"), {}, BOOT) is None
        clock.now += 60


def test_ten_thousand_nodes_do_not_ask_in_the_same_minute(clock):
    """A job's step ends on all of its nodes at once; slurmctld must not hear of it from all of them at once ten minutes later."""
    asked: list[float] = []
    nodes = [Sweep(lambda _: asked.append(clock.now)) for _ in range(1000)]
    for _ in range(120):
        for node in nodes:
            node.over(job("0"), {}, BOOT)
        clock.now += 60
    assert len(asked) >= 1000
    assert max(asked.count(minute) for minute in set(asked)) < 80


def test_slurm_that_does_not_answer_is_not_asked_for_the_next_job_at_once(clock):
    """Each question may take five seconds of the service's: of many idle jobs one asks, the others wait a minute."""
    asked: list[int] = []
    watch = Sweep(asked.append, lambda: 0.0)
    jobs = [job("0").model_copy(update={"job_id": n, "attempt": f"{n}.5f0c8a3b9d2e4f61"}) for n in range(10)]
    for one in jobs:
        watch.over(one, {}, BOOT)
    clock.now += 600
    for one in jobs:
        watch.over(one, {}, BOOT)
    assert asked == [0]
    clock.now += 60
    for one in jobs:
        watch.over(one, {}, BOOT)
    assert asked == [0, 1]
