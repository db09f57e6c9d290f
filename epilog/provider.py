"""Where Slurm's records come from: the interface that every file of ``slurm_records/`` fills."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState


class RecordsError(Exception):
    """Slurm did not answer, or not in time; the text says who and why."""


@dataclass(frozen=True)
class Asking:
    """How Slurm may be asked. ``stopping`` is looked at while waiting: a daemon that stops waits for nobody."""

    cluster: str | None = None
    timeout_s: float = 20.0
    stopping: Callable[[], bool] = field(default=lambda: False)


@dataclass(frozen=True)
class JobQuery:
    """One job whose records are wanted: its raw id, its label as sacct knows it (``12_3``), and a time it cannot be older than."""

    job_id: int
    not_before_ns: int
    label: str | None = None


class Provider(ABC):
    """Slurm's own words. Every method takes all jobs or nodes at once, asks once, and raises ``RecordsError``."""

    side_by_side = False
    """Whether ``describe()``, ``node_states()`` and ``node_events()`` may be called at the same time, each in a thread of its own."""

    @abstractmethod
    def accounting(self, jobs: Sequence[JobQuery]) -> list[AccountingRecord]:
        """Every attempt of every job in ``jobs``, by job id and start; nothing the owner chose is in them yet."""

    @abstractmethod
    def describe(self, jobs: Sequence[JobQuery], records: Sequence[AccountingRecord]) -> list[AccountingRecord]:
        """The same records, of jobs that the last ``accounting()`` was about, with what the owner chose: name, work dir,
        submit line, comment, paths. USER text.
        """

    @abstractmethod
    def unfinished(self, job_ids: Sequence[int]) -> dict[int, str]:
        """Those of ``job_ids`` that slurmctld still means to run or runs, with their state (``PENDING``, ``RUNNING`` …)."""

    @abstractmethod
    def node_states(self, nodes: Sequence[str]) -> list[NodeState]:
        """The nodes as slurmctld has them now; unknown names are left out."""

    @abstractmethod
    def node_events(self, nodes: Sequence[str], since_ns: int) -> list[NodeEvent]:
        """The nodes' times out of plain service since then, as slurmdbd keeps them."""

    @abstractmethod
    def cluster_name(self) -> str:
        """The cluster's name as sacct prints it."""


@dataclass(frozen=True)
class ProviderFile:
    """What a file of ``slurm_records/`` defines as ``PROVIDER``.

    ``why_not`` says why it cannot be used on this machine, or None; ``preference``: ``auto`` takes the highest that can.
    """

    preference: int
    why_not: Callable[[], str | None]
    open: Callable[[Asking], Provider]
