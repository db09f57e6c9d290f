"""Whose a pid, a GPU or a log of a job is: exit records, process map and NVML put together when the job is over. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpualert_slurm.evidence import Where
from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.process import Process

_LONG_AFTER_NS = 5_000_000_000
"""The kernel's last words about a process come within this."""
_MOST_ANCESTORS = 64


@dataclass
class Whose:
    """Tasks by pid, and every process with the step and task it belongs to."""

    node: str
    records: Sequence[ExitRecord]
    processes: list[Process] = field(default_factory=list)
    _tasks: dict[int, ExitRecord] = field(init=False)
    _parents: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        """Fill in what exit records say of the processes."""
        self._tasks = {r.pid: r for r in self.records if r.pid is not None}
        self._parents = {p.pid: p.parent_pid for p in self.processes if p.parent_pid is not None}
        self.processes = [self._placed(p) for p in self.processes]

    def _placed(self, process: Process) -> Process:
        task = self._task_of(process.pid)
        if task is None:
            return process
        changes: dict[str, object] = {"step": task.step, "task_local": task.local}
        if task.pid == process.pid and "LOCAL_RANK" not in process.environment and task.rank is not None:
            changes |= {"rank": task.rank, "local_rank": task.local}  # Slurm's word before the environment's
        return process.model_copy(update=changes)

    def _task_of(self, pid: int) -> ExitRecord | None:
        for _ in range(_MOST_ANCESTORS):
            if pid in self._tasks:
                return self._tasks[pid]
            parent = self._parents.get(pid)
            if parent is None:
                return None
            pid = parent
        return None

    def gone(self, pid: int, time_ns: int | None) -> bool:
        """Whether every process of the job that had this pid ended well before that time."""
        ends = [p.ended_ns for p in self.processes if p.pid == pid]
        return time_ns is not None and bool(ends) and all(end is not None and end + _LONG_AFTER_NS < time_ns for end in ends)

    def of_pid(self, pid: int) -> Where | None:
        """The rank behind a pid: of a task, or below a launcher."""
        process = next((p for p in reversed(self.processes) if p.pid == pid), None)
        if process is not None:
            return Where(node=self.node, rank=process.rank, local_rank=process.local_rank, pid=pid, step=process.step)
        task = self._tasks.get(pid)
        return Where(node=self.node, rank=task.rank, local_rank=task.local, pid=pid, step=task.step) if task is not None else None

    def of_gpu(self, uuid: str) -> Where:
        """The card, with its rank where one rank alone was on it."""
        ranks = {(p.rank, p.local_rank) for p in self.processes if uuid in p.gpu_uuids and p.rank is not None}
        rank, local = next(iter(ranks)) if len(ranks) == 1 else (None, None)
        return Where(node=self.node, gpu_uuid=uuid, rank=rank, local_rank=local)

    def of_log(self, step: str, task: int) -> Where:
        """The rank whose log ``<step>.<task>`` is."""
        record = next((r for r in self.records if (r.step, r.task) == (step, task)), None)
        return Where(node=self.node, step=step, rank=record.rank if record else None, local_rank=record.local if record else None)
