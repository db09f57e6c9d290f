"""One failed rank."""

from __future__ import annotations

from dataclasses import dataclass

from gpualert_slurm.evidence import Evidence, Role
from gpualert_slurm.rank import RankExit

SIGINT, SIGKILL, SIGSEGV, SIGTERM = 2, 9, 11, 15
OWN_SIGNALS = frozenset({4, 6, 7, 8, SIGSEGV, 24, 25, 31})
"""Of a program's own doing: no launcher and no Slurm sends SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV or SIGSYS to end a rank, nor the kernel's
SIGXCPU and SIGXFSZ for its limits."""


@dataclass(frozen=True)
class Failure:
    """One failed rank: how it ended, what it said, and whether it only followed."""

    end: RankExit | None
    node: str | None
    step: str | None
    rank: int | None
    local_rank: int | None
    code: int | None
    signal: int | None
    time_ns: int | None
    uncertainty_ns: int
    evidence: Evidence
    root: Evidence | None = None
    follows: bool = False
    place: int | None = None
    """Where its line stands in a launcher's log: the order of ends where no times are known."""
    victim: bool = False
    """All that it said is that a peer was lost, or did not come to a collective."""
    lost_connection: bool = False
    """Of a victim: its peer's connection broke, so the peer went first."""
    taken_down: bool = False
    """Its launcher says that it sent it a signal."""

    @property
    def name(self) -> str:
        """``rank 3 on n2``, as far as it is known."""
        if self.step == "run":
            return "the command"
        who = f"rank {self.rank}" if self.rank is not None else ("the batch script" if self.step == "batch" else "a rank")
        return f"{who} on {self.node}" if self.node else who

    @property
    def words(self) -> str:
        """``exit code 1`` or ``SIGSEGV``."""
        return RankExit(node="", step="", local_rank=0, exit_code=self.code, signal=self.signal).words


def order(failure: Failure) -> tuple[bool, bool, int, int, int]:
    """Who failed by themselves, in order of time (or of the launcher's lines); then who followed."""
    place = failure.place if failure.place is not None and failure.time_ns is None else 0
    return (failure.follows, failure.time_ns is None, failure.time_ns or 0, place, failure.rank if failure.rank is not None else 1 << 30)


def is_root(evidence: Evidence) -> bool:
    """Whether evidence can carry the end of a rank: a root, or the shell's and the runtime's word of a death."""
    if evidence.role is Role.ROOT:
        return evidence.says in ROOTS
    return evidence.role is Role.CONFIRMATION and evidence.says in {"native_crash", "checkpoint_broken"}


ROOTS = frozenset(
    [
        "exception",
        "gpu_oom",
        "cuda_error",
        "nccl_error",
        "rendezvous",
        "host_memory_refused",
        "worker_killed",
        "native_crash",
        "nan_loss",
        "command_not_found",
        "launch_refused",
        "asset_refused",
        "data_refused",
        "checkpoint_broken",
        "usage",
        "hardware_text",
    ]
)
