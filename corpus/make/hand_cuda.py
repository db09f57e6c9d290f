"""The CUDA runtime refuses or fails, and no hardware is at fault: by hand, from the runtime's own strings of two major versions."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.hand import Hand
from corpus.running.handlogs import through, trace, training
from corpus.running.job import HandJob, Recipe

ADVICE = "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
ASSERTS = "\n".join(f"../aten/src/ATen/native/cuda/Indexing.cu:1284: indexSelectLargeIndex: block: [{b},0,0], thread: [{t},0,0] Assertion `srcIndex < srcSelectDimSize` failed." for b, t in ((112, 0), (112, 1), (113, 31)))
KINDS = (
    ("device-side assert triggered", True, ASSERTS), ("an illegal memory access was encountered", True, ""), ("invalid device ordinal", False, ""),
    ("no kernel image is available for execution on the device", False, ""), ("invalid configuration argument", True, ""), ("misaligned address", True, ""),
    ("unspecified launch failure", True, ""), ("CUDA driver version is insufficient for CUDA runtime version", False, ""), ("initialization error", False, ""),
    ("an illegal instruction was encountered", True, ""), ("too many resources requested for launch", True, ""),
)  # fmt: skip


def jobs() -> Iterator[HandJob]:
    """As RuntimeError, and since 2.8 as AcceleratorError; before progress and after; with clean counters."""
    for number in range(22):
        words, late, before = KINDS[number % 11]
        new = number >= 11
        ranks = (1, 2, 4)[number % 3]
        rank = number % ranks
        hand = Hand(("g03",), job_id=184400 + number, name=("moe-7b", "det-r50", "whisper-ft")[number % 3])
        end = 30 + 120 * 2.0 + 3 if late else 25.0
        error = ("torch.AcceleratorError" if new else "RuntimeError") + f": CUDA error: {words}" + ADVICE
        call = "loss.backward()" if late else "model = model.to(device)"
        text = (before + "\n" if before else "") + trace(through("transformers/models/gpt2/modeling_gpt2.py" if late else "", call=call), error)
        for r in range(ranks):
            bad = r == rank
            lines = [*(training(120, planned=600, form=number) if r == 0 and late else []), *([(end, text)] if bad else [])]
            hand.rank(r, "g03", lines, code=1 if bad else None, signal=None if bad else 15, end=end + (0.4 if bad else 7), local=r)
            if number % 2 and late:
                hand.gpu("g03", r, {}, {}, utilization_percent=[0, 80, 92, 91, 20], sm_activity_percent=[0, 40, 52, 51, 8])
                if words.startswith("an illegal memory") and bad:
                    hand.kernel("g03", end - 0.2, "xid", f"NVRM: Xid (PCI:0000:1B:00): 31, pid=4711, name=python, Ch 00000018, MMU Fault", gpu=r, xid=31, pci="0000:1B:00")  # noqa: F541
        hand.ended("FAILED", code=1, end=end + 9, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
        variant = None if late else "config" if "ordinal" in words else "env"
        label = Label(mode="A3" if late else "A1", variant=variant, cause="cuda_runtime", fault="user", failed_ranks=(rank,), first_ranks=(rank,), software={"torch": "2.8" if new else "2.3"})
        yield HandJob(label, hand)


RECIPE = Recipe("hand_cuda", "development", jobs)
