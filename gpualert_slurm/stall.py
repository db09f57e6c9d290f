"""A run that stands still while it runs: what was seen of its ranks, and the note by which the owner hears of it."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.gap import Gap
from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.wishes import Wishes


class Waits(str, Enum):
    """What a rank waits in."""

    STOPPED = "stopped"
    """By a signal (SIGSTOP, a debugger) or the freezer: the kernel says so."""
    STORAGE = "storage"
    """Uninterruptibly in a file system or block device: the kernel says so."""
    KERNEL = "kernel"
    """Uninterruptibly in something else: a driver."""
    COLLECTIVE = "collective"
    """In a collective or a barrier: it waits for a peer."""
    DATA_LOADER = "data_loader"
    RENDEZVOUS = "rendezvous"
    LOCK = "lock"
    """In a lock of the process's own."""
    COMPUTE = "compute"
    """It does not wait: it uses the CPU."""
    DEAD = "dead"
    """There is no such process any more, or a zombie."""
    UNKNOWN = "unknown"


class RankStand(Record):
    """Where one rank stands. ``state``, ``wchan``, ``kernel_stack``, ``cpu_percent`` are the kernel's (SYSTEM); ``python_stack`` and
    ``native_stack`` were read out of the process by py-spy, innermost frame first, and name what its owner called things (USER).

    ``waits_by`` says which of the two decided ``waits``: ``kernel`` or ``stack``.
    """

    node: str
    pid: int
    rank: int | None = None
    local_rank: int | None = None
    step: str | None = None
    state: str | None = None
    wchan: str | None = None
    kernel_stack: tuple[str, ...] = ()
    cpu_percent: float | None = None
    """Of one core, over the probe."""
    python_stack: tuple[str, ...] = ()
    waits: Waits = Waits.UNKNOWN
    waits_by: Literal["kernel", "stack"] | None = None
    waits_on: str | None = None
    """The frame, kernel function or file system that says so."""
    file_systems: tuple[str, ...] = ()
    gpu_uuids: tuple[str, ...] = ()
    last_write_ns: TimeNs | None = None
    gaps: tuple[Gap, ...] = ()


class Stall(Record):
    """One standstill on one node: nobody wrote from ``since_ns`` on, longer than ``factor`` times the run's own usual interval.

    ``why_probed``: ``silence``, or ``time_limit`` (always shortly before it, stalled or not; then ``silent`` says which).
    ``culprit`` is the rank that does not wait for a peer while the others do; absent where all of them look alike.
    """

    node: str
    found_ns: TimeNs
    since_ns: TimeNs | None = None
    usual_interval_s: float | None = None
    factor: float | None = None
    why_probed: Literal["silence", "time_limit"] = "silence"
    silent: bool = True
    ranks: tuple[RankStand, ...] = ()
    ranks_total: int = 0
    """Ranks of the job on this node; more than ``len(ranks)``: only some were looked at."""
    culprit_pid: int | None = None
    culprit_rank: int | None = None
    culprit_why: str | None = None
    gpu_idle: bool | None = None
    """Progress signals of the GPUs were flat and near zero; False: flat and busy (a collective spins); absent: not known."""
    nccl_ras: str | None = None
    """What NCCL's RAS service said on 127.0.0.1:28028, bounded. The job's own process answers there: USER."""
    probe_s: float | None = None
    resumed_ns: TimeNs | None = None
    """When somebody wrote again."""
    gaps: tuple[Gap, ...] = ()


class StallNote(Record):
    """Sealed from a node to the daemon while the job runs: a standstill, or (``resumed``) the end of one.

    ``number`` counts the job's stalls on this node from 1; a stall and its all-clear have the same.
    """

    format: Literal["gpualert-stall/1"] = "gpualert-stall/1"
    attempt: Attempt
    uid: int
    user: str | None = None
    node: str
    nodes: str
    wishes: Wishes
    number: int
    kind: Literal["stalled", "resumed"]
    stall: Stall
    written_ns: TimeNs
