"""Which process of a job is which: task, rank, GPU, container; how it ended; where it was found waiting.

From /proc, NVML's list of processes and the proc connector. A pid comes again; pid and start time together do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from gpualert_slurm.process import Process
from gpualert_slurm.spank.watch import process_family
from gpualert_slurm.spank.watch.job_processes import PROC, cgroup_job
from gpualert_slurm.spank.watch.proc_events import TICKS_PER_S, ProcessEnd, boot_ns, split_status, wall_ns
from gpualert_slurm.spank.watch.process_identity import IdentityReader, as_text, file_systems, read_bytes

MOST_KNOWN = 4096
MOST_REPORTED = 512
_WAIT_KINDS, _FILE_SYSTEMS = 16, 8
_TWICE = 2


@dataclass(slots=True)
class Known:
    """What is known of one process."""

    pid: int
    start_ticks: int
    parent: int
    name: str = ""
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    gpu_uuids: set[str] = field(default_factory=set)
    gpu_slices: set[str] = field(default_factory=set)
    gpu_attached_ns: int | None = None
    gpu_memory_peak: int | None = None
    container: str | None = None
    namespace_pid: int | None = None
    state: str = "?"
    wchan: str | None = None
    cpu_ticks: int = 0
    looks: int = 0
    identified: int = 0
    waits: dict[str, int] = field(default_factory=dict)
    file_systems: set[str] = field(default_factory=set)
    seen_last_ns: int = 0
    end: ProcessEnd | None = None
    previous: tuple[int, int] | None = None
    """(ns, cpu ticks) of the look before the last."""
    last: tuple[int, int] | None = None

    @property
    def rank(self) -> int | None:
        """What its environment says; where only Slurm's is there, that task's."""
        return self.number("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")

    @property
    def local_rank(self) -> int | None:
        """The same on its node."""
        return self.number("LOCAL_RANK", "SLURM_LOCALID")

    @property
    def is_rank(self) -> bool:
        """Whether it was started as one rank of several, or has a GPU: such processes are looked at more closely."""
        return bool(self.gpu_uuids) or ("RANK" in self.environment and "LOCAL_RANK" in self.environment)

    @property
    def cpu_percent(self) -> float | None:
        """Of one core, between the last two looks."""
        if self.last is None or self.previous is None or self.last[0] <= self.previous[0]:
            return None
        return 100.0 * (self.last[1] - self.previous[1]) / TICKS_PER_S / ((self.last[0] - self.previous[0]) / 1e9)

    def number(self, *names: str, most: int = 9) -> int | None:
        """The first of these variables that is a number of at most so many digits."""
        for name in names:
            value = self.environment.get(name, "")
            if value.isascii() and value.isdigit() and len(value) <= most:
                return int(value)
        return None


class ProcessMap:
    """All processes of one job on one node, living and dead."""

    def __init__(self, node: str, job_id: int, proc: Path = PROC) -> None:
        self._node, self._job_id, self._proc = node, job_id, proc
        self._known: dict[tuple[int, int], Known] = {}
        self._living: dict[int, Known] = {}
        self._foreign: dict[tuple[int, int], bool] = {}
        self._identities = IdentityReader(proc)
        self.left_out = 0

    @property
    def living(self) -> Mapping[int, Known]:
        """By pid, those that were there at the last look."""
        return self._living

    @property
    def pids(self) -> set[int]:
        """Every pid the job ever had, as far as it was seen."""
        return {pid for pid, _ in self._known}

    @property
    def identity_stuck(self) -> bool:
        """Reading who a process is did not come back: it hangs in a file system, with its memory locked."""
        return self._identities.stuck

    def ranks(self) -> list[Known]:
        """The living processes that are ranks: below a launcher those it started, else the tasks themselves; where none says so, one of each task."""
        return process_family.ranks(self._living) or process_family.tasks(self._living)

    def look(self, pids: Iterable[int], now_ns: int, monotonic_ns: int) -> None:
        """Take in what the job's processes are doing now."""
        living: dict[int, Known] = {}
        for pid in pids:
            stat = _stat(self._proc, pid)
            if stat is None:
                continue
            state, parent, ticks, start, name = stat
            known = self._known.get((pid, start))
            if known is None:
                if len(self._known) >= MOST_KNOWN:
                    self._forget_one()
                known = self._known[pid, start] = Known(pid=pid, start_ticks=start, parent=parent)
            renamed = name != known.name
            known.parent, known.name, known.state, known.cpu_ticks, known.seen_last_ns = parent, name, state, ticks, now_ns
            known.previous, known.last = known.last, (monotonic_ns, ticks)
            known.looks += 1
            if renamed:
                known.identified = 0
            if known.identified < _TWICE and state not in "DZX":  # a process is its parent's copy until it has called exec
                self._read_identity(known)
            if state in "DTt" or known.is_rank:
                self._read_waiting(known)
            living[pid] = known
        self._living = living

    def on_gpu(self, uuid: str, pids: Iterable[int], held: Iterable[int], time_ns: int, slices: Iterable[str] = ()) -> None:
        """NVML lists these pids on a GPU, how much memory each holds (0: not said), and which MIG slice it is on (empty: none)."""
        for pid, memory, part in zip_longest(pids, held, slices):
            known = self._living.get(pid) if pid is not None else None
            if known is None:
                continue
            known.gpu_uuids.add(uuid)
            known.gpu_slices |= {part} if part else set()
            known.gpu_attached_ns = known.gpu_attached_ns or time_ns
            if memory:
                known.gpu_memory_peak = max(known.gpu_memory_peak or 0, memory)

    def ended(self, end: ProcessEnd) -> Known | None:
        """The kernel says that a process ended; which of ours it was, if it was one."""
        known = self._living.get(end.pid)
        if known is None and end.parent in self._living and len(self._known) < MOST_KNOWN:
            # It lived less than a look: that it was the job's is known by its parent, and nothing else of it.
            known = self._known[end.pid, 0] = Known(pid=end.pid, start_ticks=0, parent=end.parent or 0, seen_last_ns=wall_ns(end.monotonic_ns))
        if known is None or known.end is not None:
            return None
        known.end = end
        self._living.pop(end.pid, None)
        return known

    def foreign(self, pid: int) -> bool | None:
        """Whether ``pid`` is certainly of no process of the job: another job's, or of no job; None for one that is gone or cannot be told."""
        if pid in self._living:
            return False
        stat = _stat(self._proc, pid)
        if stat is None:
            return None
        key = pid, stat[3]
        if key in self._known:
            return False
        if key not in self._foreign:
            if len(self._foreign) > MOST_KNOWN:
                self._foreign.clear()
            job = cgroup_job(pid, self._proc)
            ours = job == self._job_id or self._descends(stat[1])
            if ours:
                return False  # the next look takes it in
            self._foreign[key] = True
        return self._foreign[key]

    def at(self, pid: int, time_ns: int | None) -> bool:
        """Whether ``pid`` was the job's at a time: a pid that another process got since is not."""
        for known in self._known.values():
            if known.pid != pid:
                continue
            ended = wall_ns(known.end.monotonic_ns) if known.end else None
            if time_ns is None or ended is None or time_ns <= ended + 5_000_000_000:
                return True
        return False

    def records(self) -> list[Process]:
        """What travels: ranks and GPU holders, then those that failed, then the oldest; at most 512."""
        ordered = sorted(self._known.values(), key=lambda k: (not k.is_rank, not (k.end and k.end.status), k.start_ticks))
        boot = boot_ns()
        self.left_out = max(0, len(ordered) - MOST_REPORTED)
        return [self._record(known, boot) for known in ordered[:MOST_REPORTED]]

    def _record(self, known: Known, boot: int) -> Process:
        code, number, dumped = split_status(known.end.status) if known.end else (None, None, False)
        started = boot + known.start_ticks * (1_000_000_000 // TICKS_PER_S) if known.start_ticks else None
        looked = known.looks > 0
        return Process(
            node=self._node,
            pid=known.pid,
            rank=known.rank,
            local_rank=known.local_rank,
            command=known.command,
            environment=known.environment,
            gpu_uuids=tuple(sorted(known.gpu_uuids)),
            gpu_slices=tuple(sorted(known.gpu_slices)),
            started_ns=started,
            ended_ns=wall_ns(known.end.monotonic_ns) if known.end else None,
            exit_code=code,
            exit_signal=number,
            core_dumped=dumped,
            end_uncertainty_ns=1_000_000 if known.end else None,
            start_ticks=known.start_ticks or None,
            parent_pid=known.parent or None,
            name=known.name or None,
            gpu_attached_ns=known.gpu_attached_ns,
            gpu_memory_peak_bytes=known.gpu_memory_peak,
            container=known.container,
            namespace_pid=known.namespace_pid,
            state=known.state if looked else None,
            wchan=known.wchan,
            cpu_s=known.cpu_ticks / TICKS_PER_S if looked else None,
            seen_last_ns=known.seen_last_ns,
            looks=known.looks,
            waits=known.waits,
            file_systems=tuple(sorted(known.file_systems)),
        )

    def _read_identity(self, known: Known) -> None:
        found = self._identities.read(known.pid)
        if found is not None:
            known.identified += 1
            known.command, known.environment = found.command, found.environment
            known.namespace_pid, known.container = found.namespace_pid, found.container

    def _read_waiting(self, known: Known) -> None:
        folder = self._proc / str(known.pid)
        wchan = as_text(read_bytes(folder / "wchan", 64)).strip()
        known.wchan = wchan if wchan not in ("", "0") else None
        if known.state not in "DTt":
            return
        kind = f"{known.state.upper()} {known.wchan}" if known.wchan and known.state == "D" else known.state.upper()
        if kind in known.waits or len(known.waits) < _WAIT_KINDS:
            known.waits[kind] = known.waits.get(kind, 0) + 1
        if known.state == "D" and len(known.file_systems) < _FILE_SYSTEMS:
            known.file_systems |= file_systems(known.pid, self._proc)

    def _descends(self, parent: int) -> bool:
        for _ in range(64):
            if parent in self._living:
                return True
            stat = _stat(self._proc, parent) if parent > 1 else None
            if stat is None:
                return False
            parent = stat[1]
        return False

    def _forget_one(self) -> None:
        """The oldest of no interest: a job may start millions of processes."""
        for key, known in self._known.items():
            if known.pid not in self._living and not known.is_rank and not (known.end and known.end.status):
                del self._known[key]
                return
        del self._known[next(iter(self._known))]


def _stat(proc: Path, pid: int) -> tuple[str, int, int, int, str] | None:
    """(state, parent, CPU ticks of all threads, start in ticks since boot, name); None where there is no such process."""
    raw = read_bytes(proc / str(pid) / "stat", 2048)
    # The name is the user's choice and may hold ")": what follows the last one is the kernel's.
    name, _, rest = raw.partition(b"(")[2].rpartition(b")")
    fields = rest.split()
    try:
        return fields[0].decode("ascii"), int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[19]), as_text(name)
    except (IndexError, ValueError):
        return None
