"""B2: the hardware's own words: counters, XIDs, the bus. SYSTEM evidence only."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import busy, done, gpu, kernel, ticks, trained, xid


def _run(error: str = "torch.AcceleratorError: CUDA error: unspecified launch failure", **node):
    return lambda: (
        Run().rank(0, "n1", steps(1, 40) + trace(error), code=1, end=50, times=[*ticks(40), 49.5]).node("n1", **node).accounting().verdict()
    )


CLEAN = {"gpus_before": (gpu("n1", ecc_volatile_uncorrected=0),), "gpus_after": (gpu("n1", when=52, ecc_volatile_uncorrected=0),)}
EXAMPLES = {
    "XID 79: off the bus": _run(evidence=[xid(79, 49, words="pid=1, GPU has fallen off the bus.")]),
    "XID 94 and 95": _run(evidence=[xid(94, 48.9), xid(95, 49)]),
    "off the bus without an XID": _run(
        evidence=[kernel("gpu_off_bus", 49, value="NVRM: The NVIDIA GPU 0000:44:00.0 has fallen off the bus and is not responding")]
    ),
    "a row remap in the run": _run(
        gpus_before=(gpu("n1", remapped_rows_uncorrectable=0),), gpus_after=(gpu("n1", when=52, remapped_rows_uncorrectable=1),)
    ),
    "one of two GPUs cannot be read any more": _run(gpus_before=(gpu("n1", "GPU-1"), gpu("n1", "GPU-2")), gpus_after=(gpu("n1", "GPU-2", 52),)),
}
NEAR_MISSES = {
    "a counter that moved as the job did not find its file": _run(
        "FileNotFoundError: [Errno 2] No such file or directory: 'criteo/day_8.parquet'",
        gpus_before=(gpu("n1", ecc_aggregate_uncorrected=0),),
        gpus_after=(gpu("n1", when=52, ecc_aggregate_uncorrected=5),),
        series=[],
    ),
    "a counter that moved as a key was missing": _run(
        "KeyError: 'heelL'",
        gpus_before=(gpu("n1", ecc_aggregate_uncorrected=0),),
        gpus_after=(gpu("n1", when=52, ecc_aggregate_uncorrected=4),),
        series=[],
    ),
    "XID 13 alone is the application's first": _run(
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered", evidence=[xid(13, 49)], **CLEAN
    ),
    "XID 45 is a cascade": _run(evidence=[xid(45, 49)], **CLEAN),
    "a clean end": lambda: done(trained(200).node("n1", evidence=[xid(63, 100)])),
    "the job's own text": _run("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered", **CLEAN),
    "an error hours before, and progress after it": lambda: (
        Run()
        .rank(0, "n1", steps(1, 40), signal=9, end=40_000, times=ticks(40, 1000))
        .node("n1", evidence=[xid(94, 3600)], series=[busy("n1", [90.0] * 10, every=4000)])
        .accounting(end=40_001)
        .verdict()
    ),
}
