"""The verdict: what the data shows, what it implies, what it cannot decide."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from pydantic import model_validator

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.cause import Cause
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.finding import Finding
from gpualert_slurm.gap import Gap
from gpualert_slurm.record import Record, TimeNs


class Fault(str, Enum):
    """Who must act. ``node`` and ``cluster`` rest on SYSTEM evidence, always."""

    USER = "user"
    NODE = "node"
    CLUSTER = "cluster"
    NONE = "none"
    UNKNOWN = "unknown"


class Phase(str, Enum):
    """How far the run had got when it ended."""

    BEFORE_LAUNCH = "before launch"
    STARTUP = "startup"
    TRAINING = "training"
    AFTER_END = "after the planned end"
    UNKNOWN = "unknown"


class Claim(Record):
    """A sentence and the evidence it stands on, by id: no claim without evidence."""

    text: str
    evidence: tuple[str, ...]

    @model_validator(mode="after")
    def _stands_on_something(self) -> Claim:
        if not self.evidence:
            raise ValueError(f"a claim without evidence: {self.text!r}")
        return self


class RankState(Record):
    """How one rank ended, for the table of ranks. ``words`` is ``exit code 1``, ``SIGSEGV``, ``still running`` …"""

    node: str
    step: str
    local_rank: int | None = None
    rank: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    end_time_ns: TimeNs | None = None
    words: str


class FirstFailure(Record):
    """The rank that failed first; more than one is an honest tie within ``uncertainty_s`` seconds."""

    ranks: tuple[int, ...]
    nodes: tuple[str, ...]
    local_ranks: tuple[int, ...] = ()
    gpu_uuids: tuple[str, ...] = ()
    time_ns: TimeNs | None = None
    time: str | None = None
    """ISO 8601 with zone, the same instant as ``time_ns``."""
    uncertainty_s: float | None = None


class Trigger(Record):
    """What set a systemic failure off (a hang's dead rank): a finding of its own, reported beside the mode."""

    mode: str
    cause: Cause | None = None
    text: str
    evidence: tuple[str, ...] = ()


class Waste(Record):
    """GPU-hours the run held and did not turn into a result; ``of_parent`` where an earlier run was lost with it."""

    gpu_hours: float | None = None
    of_parent_gpu_hours: float | None = None


class Verdict(Record):
    """One run's diagnosis. ``mode`` is a code (A1 … G1) or ``unknown``; keys as in doc/formats/verdict.md."""

    format: Literal["gpualert-verdict/1"] = "gpualert-verdict/1"
    attempt: Attempt
    job_name: str | None = None
    user: str | None = None
    state: str | None = None
    """Slurm's word for the end of the job, as sacct prints it; absent outside Slurm."""
    exit_code: int | None = None
    exit_signal: int | None = None
    nodes: tuple[str, ...] = ()
    started_ns: TimeNs | None = None
    ended_ns: TimeNs | None = None
    time_limit_s: int | None = None
    mode: str
    variant: str | None = None
    title: str
    """The mode in words ("startup crash")."""
    headline: str
    """The one line that matters ("rank 3 on n2: FileNotFoundError: data/train.bin"), safe for a subject."""
    cause: Cause | None = None
    detail: str | None = None
    trigger: Trigger | None = None
    fault: Fault
    confidence: float
    phase: Phase
    ranks: tuple[RankState, ...] = ()
    failed_ranks: tuple[RankState, ...] = ()
    first_failure: FirstFailure | None = None
    blast_radius: str | None = None
    shows: tuple[Claim, ...] = ()
    implies: tuple[str, ...] = ()
    cannot_decide: tuple[str, ...] = ()
    ledger: tuple[Finding, ...] = ()
    warnings: tuple[Claim, ...] = ()
    training_correctness: str = "unverifiable"
    final_metrics: dict[str, float] = {}
    steps_done: int | None = None
    steps_planned: int | None = None
    checkpoints: tuple[str, ...] = ()
    """Where the run said that it saved to, the last place last; at most a few."""
    waste: Waste = Waste()
    advice: tuple[str, ...] = ()
    """Paste-ready where it can be: the first is the next thing to do."""
    fingerprint: str | None = None
    """Equal for failures that look equal, whatever their job, rank, node and time."""
    last_lines: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """All evidence the verdict cites, so that it can be read and verified by itself."""
    gaps: tuple[Gap, ...] = ()

    @property
    def is_problem(self) -> bool:
        """Whether ``--gpualert-when=problem`` mails it: all but G1, F4 by the owner, and F2 that recovered."""
        if self.mode == "G1":
            return False
        if self.mode == "F4":
            return self.variant != "by_owner"
        return not (self.mode == "F2" and self.variant is not None and "recovered" in self.variant)

    @model_validator(mode="after")
    def _cites_what_it_has(self) -> Verdict:
        have = {e.id for e in self.evidence}
        for claim in (*self.shows, *self.warnings):
            missing = [i for i in claim.evidence if i not in have]
            if missing:
                raise ValueError(f"claim {claim.text!r} cites evidence that the verdict does not carry: {missing}")
        return self
