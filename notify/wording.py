"""What a verdict is called in a mail: severity in a word, a symbol and a colour, who must act, how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gpualert_slurm.cause import Cause
from gpualert_slurm.evidence import Trust
from gpualert_slurm.finding import Standing
from gpualert_slurm.notify import words
from gpualert_slurm.notify.plain import capital, visible
from gpualert_slurm.verdict import Fault, Verdict


class Severity(str, Enum):
    """Chooses symbol and colour; the word is always there beside them."""

    FAILED = "failed"
    NODE = "node"
    WARNING = "warning"
    NEUTRAL = "neutral"
    GOOD = "good"


SYMBOLS = {Severity.FAILED: "✖", Severity.NODE: "✖", Severity.WARNING: "▲", Severity.NEUTRAL: "■", Severity.GOOD: "✔"}

COLOURS = {Severity.FAILED: "#b3261e", Severity.NODE: "#7b2d8b", Severity.WARNING: "#9a5b00", Severity.NEUTRAL: "#52606d", Severity.GOOD: "#1f7a3d"}
"""On a light page; ``templates/mail.css`` has those for a dark one."""

DONE_BUT_BAD = frozenset({"B3", "D1", "D2", "D3", "E1", "E2", "E3"})

@dataclass(frozen=True)
class Tone:
    """``heading`` says what happened in one line, ``word`` is the subject's (FAILED, COMPLETED BUT …)."""

    severity: Severity
    word: str
    heading: str

    @property
    def symbol(self) -> str:
        """One character that survives without colour."""
        return SYMBOLS[self.severity]


BY_MODE = {
    "G1": (Severity.GOOD, "COMPLETED", "completed and looks healthy"),
    "F1": (Severity.NODE, "NODE_FAIL", "lost a node"),
    "F2": (Severity.NEUTRAL, "REQUEUED", "was requeued"),
    "F3": (Severity.WARNING, "TIMEOUT", "ran out of time"),
    "F4": (Severity.NEUTRAL, "CANCELLED", "was cancelled"),
    "B2": (Severity.NODE, "FAILED", "was stopped by faulty hardware"),
    "C1": (Severity.FAILED, "HUNG", "hung before it began"),
    "C2": (Severity.FAILED, "HUNG", "hung in mid-training"),
    "C3": (Severity.FAILED, "HUNG", "hung with an idle GPU"),
    "unknown": (Severity.FAILED, "ENDED", "ended badly, and the cause was not found"),
}
"""Severity, the subject's word where Slurm has none, and the heading's; other modes failed."""

COMPLETED_BUT = "COMPLETED BUT"
ENDS_OF_THEIR_OWN = frozenset({"G1", "F2", "F3", "F4"})
"""Modes whose words hold whether or not Slurm says COMPLETED."""


def tone(verdict: Verdict, what: str) -> Tone:
    """How the run ended, told from the verdict, not from Slurm's word alone; ``what`` is "Job 4242 train-7b"."""
    state = visible(verdict.state or "").upper()
    ended_well = state == "COMPLETED" or (not state and verdict.exit_code == 0 and not verdict.exit_signal)
    if ended_well and verdict.mode not in ENDS_OF_THEIR_OWN:
        inside = "but it needs a look" if verdict.mode in DONE_BUT_BAD else "with failures inside"
        return Tone(Severity.WARNING, COMPLETED_BUT, f"{what} completed, {inside}")
    severity, word, happened = BY_MODE.get(verdict.mode, (Severity.FAILED, "FAILED", "failed"))
    if verdict.mode == "G1" and verdict.variant == "slow":
        happened = "completed and looks healthy, but slow"
    if verdict.mode == "F2" and "preempt" in (verdict.variant or ""):
        happened = "was preempted"
    return Tone(severity, state or word, f"{what} {happened}")


def who_acts(verdict: Verdict, support: str | None) -> tuple[str, str]:
    """Who must act, and on what ground, in a few words each."""
    desk = f"the help desk. {visible(support)}" if support else "your cluster's help desk"
    if verdict.fault is Fault.USER:
        return "You", "the job's own code, data, settings or environment"
    if verdict.fault is Fault.NODE:
        return "The cluster's staff", f"{_blamed_nodes(verdict)}: not your code. Forward this mail to {desk}"
    if verdict.fault is Fault.CLUSTER:
        return "The cluster's staff", f"the cluster as a whole: not your code. Forward this mail to {desk}"
    if verdict.fault is Fault.NONE:
        return "Nobody", "nothing is wrong that the data shows"
    return "Not decided", "the data does not say whose fault it is; what is missing is listed below"


def how_sure(confidence: float) -> str:
    """``93 %: very sure``. The figure is the classifier's calibrated confidence."""
    bands = ((0.9, "very sure"), (0.75, "fairly sure"), (0.5, "more likely than not"), (0.0, "a guess from little evidence"))
    word = next(text for least, text in bands if confidence >= least or least == 0.0)
    return f"{100 * confidence:.0f} % ({word})"


CAUSES = {
    Cause.CUDA_OOM: "the GPU's memory ran out",
    Cause.NCCL: "communication between GPUs failed",
    Cause.CUDA_RUNTIME: "a CUDA call failed",
    Cause.RAM_OOM: "the host's memory ran out",
    Cause.SEGFAULT: "a segmentation fault",
    Cause.FILE_NOT_FOUND: "a file is not there",
    Cause.PERMISSION: "a permission is missing",
    Cause.MISSING_MODULE: "a Python module is missing",
    Cause.DIV_ZERO: "a division by zero",
    Cause.DEVICE_MISMATCH: "tensors on different devices",
    Cause.NAN_LOSS: "the loss is no number",
    Cause.OOM_KILLER: "killed for the memory it took",
    Cause.TRACEBACK: "an exception",
    Cause.ASSERTION: "an assertion failed",
    Cause.RUNTIME_ERROR: "a runtime error",
}
VARIANTS = {"env": "software environment", "config": "configuration", "asset": "model or checkpoint"}
STANDINGS = {Standing.IN: "found", Standing.OUT: "ruled out", Standing.NOT_TESTABLE: "could not be tested"}
SAID_BY_TITLE = {("B1", Cause.CUDA_OOM)}
"""Where the title has the cause's words already."""


def mode_line(verdict: Verdict) -> str:
    """``Startup crash (data): a file is not there``: the diagnosis for who never heard of a failure mode; its codes are ``codes``."""
    name = capital(verdict.title)
    variant = VARIANTS.get(verdict.variant or "", (verdict.variant or "").replace("_", " "))
    if variant and variant.lower() not in name.lower():
        name += f" ({variant})"
    said = verdict.cause is None or (verdict.mode, verdict.cause) in SAID_BY_TITLE
    return visible(name if said or verdict.cause is None else f"{name}: {CAUSES[verdict.cause]}")


def codes(verdict: Verdict) -> str:
    """``A1 data, cause file_not_found``: what a help desk searches for, and ``gpualert explain`` explains."""
    parts = [" ".join(p for p in (verdict.mode, verdict.variant) if p)]
    if verdict.cause:
        parts.append(f"cause {verdict.cause.value}")
    if verdict.detail:
        parts.append(f"detail {verdict.detail}")
    return visible(", ".join(parts))


def trust_words(trust: Trust) -> str:
    """Who could have made it up."""
    return "said by the system (kernel, NVML or Slurm)" if trust is Trust.SYSTEM else "printed by the job"


def _blamed_nodes(verdict: Verdict) -> str:
    by_id = {e.id: e for e in verdict.evidence}
    for claim in verdict.shows:  # what the first claim with system evidence says of which node is what the blame rests on
        said = [by_id[i].where.node for i in claim.evidence if i in by_id and by_id[i].trust is Trust.SYSTEM]
        blamed = tuple(node for node in said if node)
        if blamed:
            break
    else:
        blamed = verdict.first_failure.nodes if verdict.first_failure else ()
    return f"node {words.nodes(blamed)}" if len(set(blamed)) == 1 else f"nodes {words.nodes(blamed)}" if blamed else "a node"
