"""Case 4: an uncorrectable ECC error in the episode; flat remaps; an error long before the end."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import gpu, row, series, standing, ticks, xid

ECC = "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered"
MISSING = "FileNotFoundError: [Errno 2] No such file or directory: 'data/shard-40'"
BEFORE, AFTER = {"ecc_volatile_uncorrected": 0}, {"ecc_volatile_uncorrected": 1}


def test_it_is_the_hardware_and_the_node_is_to_be_drained():
    run = Run().rank(0, "n1", steps(1, 40) + trace(ECC), code=1, end=50, times=[*ticks(40), 49.5])
    run.node("n1", gpus_before=(gpu("n1", **BEFORE),), gpus_after=(gpu("n1", when=52, **AFTER),), evidence=[xid(48, 49.4)])
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("B2", "fault", Fault.NODE)
    assert any("State=DRAIN" in line and "n1" in line for line in verdict.advice)
    assert "GPU-1" in verdict.headline


def test_the_counter_alone_suffices_and_no_line_of_the_job_is_needed():
    run = Run().rank(0, "n1", steps(1, 40), signal=6, end=50, times=ticks(40))
    run.node("n1", gpus_before=(gpu("n1", **BEFORE),), gpus_after=(gpu("n1", when=52, **AFTER),))
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.fault) == ("B2", Fault.NODE)


def test_a_job_that_only_prints_it_blames_no_node():
    run = Run().rank(0, "n1", steps(1, 40) + "NVRM: Xid (PCI:0000:44:00): 48\n" + trace(ECC), code=1, end=50, times=[*ticks(40), 49.5])
    verdict = run.accounting().verdict()
    assert verdict.mode == "A3"
    assert verdict.fault is Fault.UNKNOWN


def test_twin_flat_remaps_and_a_missing_file():
    run = Run().rank(0, "n1", trace("FileNotFoundError: [Errno 2] No such file or directory: 'data/x'"), code=1)
    flat = {"remapped_rows_correctable": 3}
    run.node("n1", gpus_before=(gpu("n1", **flat),), gpus_after=(gpu("n1", when=12, **flat),))
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("A1", "data", Fault.USER)
    assert any("GPU-1" in claim.text and "1652" in claim.text for claim in verdict.warnings)
    assert row(verdict, "B2").incidental


@pytest.mark.parametrize("by", ["xid", "samples"])
def test_second_twin_an_error_at_hour_1_and_a_missing_file_at_hour_40(by):
    """When the counter moved is known by the kernel's line, or by the samples."""
    run = Run().rank(0, "n1", steps(1, 40) + trace(MISSING), code=1, end=144_000, times=[*ticks(40, 3600), 143_999])
    run.node("n1", gpus_before=(gpu("n1", **BEFORE),), gpus_after=(gpu("n1", when=144_010, **AFTER),))
    if by == "xid":
        run.node("n1", evidence=[xid(48, 3600)])
    else:
        run.node("n1", series=[series("ecc_volatile_uncorrected", "n1", [0, 0, 1, 1], every=1800, start=0)])
    verdict = run.accounting(end=144_005).verdict()
    assert (verdict.mode, verdict.cause, verdict.fault) == ("A3", Cause.FILE_NOT_FOUND, Fault.USER)
    assert row(verdict, "B2").incidental
    assert any("GPU-1" in claim.text for claim in verdict.warnings)


def test_third_twin_the_same_error_and_then_another_kind_of_end_forty_hours_later():
    """An end that does not explain itself is still not that of an error which the run outlived by hours."""
    run = Run().rank(0, "n1", steps(1, 40), signal=9, end=144_000, times=ticks(40, 3600))
    run.node("n1", gpus_before=(gpu("n1", **BEFORE),), gpus_after=(gpu("n1", when=144_010, **AFTER),), evidence=[xid(48, 3600)])
    verdict = run.accounting(end=144_005).verdict()
    assert verdict.mode == "A2"
    assert verdict.fault is not Fault.NODE


def test_fourth_twin_a_recovery_action_over_clean_counters_is_no_evidence():
    run = Run().rank(0, "n1", trace("KeyError: 'x'"), code=1)
    run.node("n1", gpus_before=(gpu("n1", **BEFORE),), gpus_after=(gpu("n1", when=12, recovery_action="reset", **BEFORE),))
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.fault) == ("A1", Fault.USER)
    assert standing(verdict, "B2") is Standing.OUT
    assert any("reset" in claim.text for claim in verdict.warnings)


def test_a_gpu_that_fell_off_the_bus_before_survivors_hung_to_the_limit():
    """The error comes at the last progress, the end an hour later: the episode begins where progress ends."""
    run = Run(("n1", "n2"))
    for rank in range(2):
        run.rank(rank, f"n{rank + 1}", steps(1, 40) if rank == 0 else "", signal=9, end=3601, times=ticks(40))
    run.node("n2", gpus_before=(gpu("n2"),), evidence=[xid(79, 41, node="n2", words="GPU has fallen off the bus.")])
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert (verdict.mode, verdict.fault) == ("B2", Fault.NODE)
    assert any("n2" in line for line in verdict.advice)
