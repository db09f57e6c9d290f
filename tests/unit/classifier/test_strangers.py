"""Somebody else's process on the job's GPU is said where the job's memory or time was short of it, and nowhere else."""

from __future__ import annotations

import pytest

from gpualert_slurm.verdict import Fault, Verdict
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import GIB, busy, done, gpu, series, trained

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.19 GiB is free."
WORDS = "not this job's"


def short_of_memory(**node) -> Verdict:
    return Run().rank(0, "n1", steps(1, 20) + trace(OOM), code=1, end=30).node("n1", **node).accounting(code=1, end=31).verdict()


def says_so(verdict: Verdict) -> bool:
    return any(WORDS in claim.text for claim in verdict.shows)


THERE = {
    "held before the job": {"gpus_before": (gpu("n1", foreign_processes=1, foreign_memory_bytes=40 * GIB),)},
    "held after the job": {"gpus_after": (gpu("n1", when=40, foreign_processes=2, foreign_memory_bytes=30 * GIB),)},
    "seen all the time": {"series": [series("gpu_foreign_processes", "n1", [1.0] * 9, every=3)]},
}


@pytest.mark.parametrize("name", sorted(THERE))
def test_a_stranger_on_a_full_gpu_is_told_with_its_reading(name: str):
    verdict = short_of_memory(**THERE[name])
    assert verdict.mode == "B1"
    assert says_so(verdict)
    assert any("--exclusive" in line for line in verdict.advice)


def test_who_holds_more_than_was_asked_for_makes_it_the_cluster_s_matter():
    assert short_of_memory(**THERE["held before the job"]).fault is Fault.CLUSTER
    assert short_of_memory(gpus_before=(gpu("n1", foreign_processes=1, foreign_memory_bytes=GIB // 2),)).fault is Fault.USER


NOT_THERE = {
    "nobody": {"gpus_before": (gpu("n1", foreign_processes=0, foreign_memory_bytes=0),)},
    "a monitor's handle": {"gpus_before": (gpu("n1", foreign_processes=1, foreign_memory_bytes=8 << 20),)},
    "seen once": {"series": [series("gpu_foreign_processes", "n1", [1.0] + [0.0] * 9, every=3)]},
    "not known": {"gpus_before": (gpu("n1"),)},
}


@pytest.mark.parametrize("name", sorted(NOT_THERE))
def test_no_stranger_is_made_up(name: str):
    verdict = short_of_memory(**NOT_THERE[name])
    assert verdict.mode == "B1"
    assert not says_so(verdict)
    assert verdict.fault is Fault.USER


@pytest.mark.parametrize("stranger", [True, False])
def test_an_idle_gpu_that_is_shared_says_so(stranger: bool):
    run = trained(200)
    more = [series("gpu_foreign_processes", "n1", [1.0] * 20, every=10)] if stranger else []
    held = series("gpu_memory_used_bytes", "n1", [60 * GIB] * 20, every=10)
    duty = series("gpu_duty_percent", "n1", ([0.0] * 8 + [90.0]) * 12, every=2)
    verdict = done(run.node("n1", gpus_after=(gpu("n1", when=205),), series=[duty, held, *more]))
    assert verdict.mode == "D1"
    assert says_so(verdict) is stranger


def test_a_busy_gpu_that_is_shared_is_healthy():
    run = trained(200).node("n1", series=[busy("n1", [95.0] * 100, every=2), series("gpu_foreign_processes", "n1", [1.0] * 20, every=10)])
    assert done(run).mode == "G1"
