"""The host side of one watched job: its processes, cgroups and logs at each look, and what of it outlives a restart."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from pydantic import ValidationError

from gpualert_slurm.host import HostSnapshot
from gpualert_slurm.process import Process
from gpualert_slurm.record import Record
from gpualert_slurm.spank.watch import host as host_of
from gpualert_slurm.spank.watch.cgroups import Cgroups, job_cgroups
from gpualert_slurm.spank.watch.host_signal import Value
from gpualert_slurm.spank.watch.log_activity import LogActivity
from gpualert_slurm.spank.watch.nvml_client import GpuReading
from gpualert_slurm.spank.watch.proc_events import ProcessEnd
from gpualert_slurm.spank.watch.process_map import Known, ProcessMap
from gpualert_slurm.spank.watch.sample_file import Numbers, Place, SampleWriter, place
from gpualert_slurm.spank.watch.watch_files import WatchFiles
from gpualert_slurm.spool import read_bounded, write_whole

LOOKS = "looks.json"
_MOST_BYTES = 8 << 20
_KEEP_EVERY_S = 60.0
_MOST_RANKS = 256
"""Of one job on one node, in samples."""


class Looks(Record):
    """``looks.json``: who the job's processes are and were, and the node at the first and the last look."""

    format: Literal["gpualert-looks/1"] = "gpualert-looks/1"
    processes: tuple[Process, ...] = ()
    left_out: int = 0
    host_first: HostSnapshot | None = None
    host_last: HostSnapshot | None = None
    ends_problem: str | None = None
    ends_lost: int = 0
    identity_stuck: bool = False


def read_looks(files: WatchFiles) -> Looks | None:
    """What a service left; None where there is nothing that makes sense."""
    try:
        return Looks.model_validate_json(read_bounded(files.folder / LOOKS, _MOST_BYTES))
    except (OSError, ValidationError, ValueError):
        return None


@dataclass
class JobLook:
    """Looks at one job. Nothing here waits: a file of a cgroup that is gone is simply absent."""

    files: WatchFiles
    node: str
    job_id: int
    writer: SampleWriter
    map: ProcessMap = field(init=False)
    logs: LogActivity = field(init=False)
    looks: Looks = field(init=False)
    _earlier: dict[tuple[int, int | None], Process] = field(default_factory=dict)
    _numbers: host_of.HostNumbers = field(default_factory=host_of.HostNumbers)
    _cgroups: Cgroups | None = None
    _blocked: dict[int, tuple[int, int]] = field(default_factory=dict)
    _kept_at: float = 0.0

    def __post_init__(self) -> None:
        """Take up what an earlier service left."""
        self.map = ProcessMap(self.node, self.job_id)
        self.logs = LogActivity(self.files.folder)
        self.looks = read_looks(self.files) or Looks()
        self._earlier = {(p.pid, p.start_ticks): p for p in self.looks.processes}

    @property
    def cgroups(self) -> Cgroups | None:
        """The job's, once a process of it was seen there."""
        return self._cgroups

    def look(self, pids: Iterable[int], of_node: dict[str, Value]) -> None:
        """Take everything in, and write the numbers down. Raises OSError where they cannot be written."""
        now_ns, monotonic_ns = time.time_ns(), time.monotonic_ns()
        found = set(pids)
        if self._cgroups is None:
            self._cgroups = next((c for pid in sorted(found) if (c := job_cgroups(pid, self.job_id)) is not None), None)
        elif self._cgroups is not None:
            found |= self._cgroups.pids()
        self.map.look(found, now_ns, monotonic_ns)
        self.logs.look()
        taken = host_of.snapshot(self.node, now_ns, of_node, self._cgroups)
        self.looks = self.looks.model_copy(update={"host_first": self.looks.host_first or taken, "host_last": taken})
        rows: list[tuple[Place, Numbers]] = self._numbers.rows(taken)
        rows += [row for known in self._sampled() if (row := self._of_rank(known))[1]]
        rows += [
            (place(kind="log", step=log.step, local_rank=log.task), {"log_bytes": log.bytes}) for log in list(self.logs.tasks.values())[:_MOST_RANKS]
        ]
        self.writer.add(now_ns, rows)

    def read_gpus(self, reading: GpuReading) -> None:
        """Who is on which GPU."""
        for row in reading.rows:
            uuid, pids, held, slices = (row.get(name) for name in ("uuid", "process_pids", "process_memory_bytes", "process_slices"))
            if isinstance(uuid, str) and isinstance(pids, list) and isinstance(held, list):
                self.map.on_gpu(uuid, pids, held, reading.time_ns, slices if isinstance(slices, list) else ())

    def ended(self, end: ProcessEnd) -> bool:
        """A process of the node ended; whether it was the job's."""
        return self.map.ended(end) is not None

    def keep(self, now: float, problem: str | None, lost: int, *, at_once: bool = False) -> None:
        """Write ``looks.json`` from time to time. Raises OSError."""
        if not at_once and now - self._kept_at < _KEEP_EVERY_S:
            return
        self._kept_at = now
        processes = {(p.pid, p.start_ticks): p for p in self.map.records()}
        both = {**self._earlier, **{key: _joined(self._earlier.get(key), p) for key, p in processes.items()}}
        changes = {
            "processes": tuple(both.values()), "left_out": self.map.left_out, "ends_problem": problem, "ends_lost": lost,
            "identity_stuck": self.map.identity_stuck,
        }  # fmt: skip
        self.looks = self.looks.model_copy(update=changes)
        write_whole(self.files.folder / LOOKS, self.looks.json_bytes())

    @property
    def frozen(self) -> bool:
        """Whether Slurm suspended the job, as far as its cgroups or processes show it."""
        steps = self.looks.host_last.steps if self.looks.host_last else ()
        living = self.map.living.values()
        return any(step.frozen for step in steps) or (bool(living) and all(known.state in "Tt" for known in living if known.cpu_ticks))

    def whom(self) -> list[Known]:
        """Whose stacks tell most: the ranks, lowest first; where there are none by name, the tasks."""
        return sorted(self._sampled(), key=lambda known: (known.rank is None, known.rank or 0, known.pid))

    def _sampled(self) -> list[Known]:
        """Ranks; where there are none by name, one of each task."""
        return self.map.ranks()[:_MOST_RANKS]

    def _of_rank(self, known: Known) -> tuple[Place, Numbers]:
        blocked = sum(count for kind, count in known.waits.items() if kind.startswith("D"))
        before = self._blocked.get(known.pid, (0, 0))
        self._blocked[known.pid] = blocked, known.looks
        numbers: dict[str, float] = {}
        if known.cpu_percent is not None:
            numbers["cpu_percent"] = round(known.cpu_percent, 1)
        if known.looks > before[1] and known.looks > 1:
            numbers["blocked_percent"] = 100.0 * (blocked - before[0]) / (known.looks - before[1])
        return place(kind="rank", pid=known.pid, ticks=known.start_ticks), numbers


def _joined(old: Process | None, new: Process) -> Process:
    """What a service before a restart had seen of the same process is not forgotten."""
    if old is None:
        return new
    with contextlib.suppress(ValueError, TypeError):
        return new.model_copy(
            update={
                "gpu_uuids": tuple(sorted({*old.gpu_uuids, *new.gpu_uuids})),
                "gpu_slices": tuple(sorted({*old.gpu_slices, *new.gpu_slices})),
                "gpu_attached_ns": old.gpu_attached_ns or new.gpu_attached_ns,
                "gpu_memory_peak_bytes": max(old.gpu_memory_peak_bytes or 0, new.gpu_memory_peak_bytes or 0) or None,
                "waits": {kind: old.waits.get(kind, 0) + new.waits.get(kind, 0) for kind in {*old.waits, *new.waits}},
                "looks": old.looks + new.looks,
                "file_systems": tuple(sorted({*old.file_systems, *new.file_systems})),
            }
        )
    return new
