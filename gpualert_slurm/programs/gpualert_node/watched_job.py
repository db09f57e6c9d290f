"""One job that is being watched: its files, what was learned about it, and what it waits for."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gpualert_slurm.config import Node
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.job_file import JobFile
from gpualert_slurm.programs.gpualert_node.job_calls import JobCalls
from gpualert_slurm.programs.gpualert_node.job_gpus import JobGpus
from gpualert_slurm.programs.gpualert_node.job_look import JobLook
from gpualert_slurm.programs.gpualert_node.job_stalls import JobStalls
from gpualert_slurm.programs.gpualert_node.log import WARNING, say
from gpualert_slurm.spank.watch import job_processes
from gpualert_slurm.spank.watch.clock_step import LEAST_NS, MOST_STEPS, step_between
from gpualert_slurm.spank.watch.host_signal import Value
from gpualert_slurm.spank.watch.job_processes import Process
from gpualert_slurm.spank.watch.kernel_log import KernelLog
from gpualert_slurm.spank.watch.nvml_client import GpuReading
from gpualert_slurm.spank.watch.proc_events import ProcessEnd
from gpualert_slurm.spank.watch.sample_file import SampleWriter
from gpualert_slurm.spank.watch.watch_files import SAMPLES, WatchFiles, WatchState

_FIRST_S = 60.0
_DOUBLE_EVERY = 4096
"""After so many samples the interval doubles: a week of a job on eight GPUs stays below 8 MiB."""
_MOST_PIDS = 20_000
_MOST_KERNEL = 2000
_KEEP_EVERY_S = 10.0
_PASSING = frozenset({errno.ENOENT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EAGAIN, errno.EINTR})
"""The file was moved this moment, or the node is short of something; every other error is about what lies there."""


@dataclass
class WatchedJob:
    """A job file that was taken up. ``ended`` when its epilog moved it (or the sweep did)."""

    job: JobFile
    bounds: Node
    boot_id: str = ""
    """This boot's: a job of an earlier one is only collected, for no reading of now is about it."""
    ended: bool = False
    acknowledged: bool = False
    collections: int = 0
    next_sample: float = 0.0
    files: WatchFiles = field(init=False)
    state: WatchState = field(init=False)
    gpus: JobGpus = field(init=False)
    looked: JobLook = field(init=False)
    stalls: JobStalls = field(init=False)
    calls: JobCalls = field(init=False)
    after_asked: float | None = None
    _pids: set[int] = field(default_factory=set)
    _stepds: set[int] = field(default_factory=set)
    _records_read: set[str] = field(default_factory=set)
    _said: set[str] = field(default_factory=set)
    _kernel: set[str] = field(default_factory=set)
    _kept_at: float = 0.0

    def __post_init__(self) -> None:
        """Take up what an earlier service left. Raises OSError where the record folder cannot be written."""
        folder = self.job.record_folder
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "watching").touch(mode=0o600)
        self.files = WatchFiles(folder)
        self.state = self.files.state() or WatchState(taken_ns=time.time_ns())
        self._pids = set(self.state.pids)
        self._kernel = {e.id for e in self.files.kernel()}
        writer = SampleWriter(folder / SAMPLES)
        self.gpus = JobGpus(self.files, self.job.node, writer)
        self.looked = JobLook(self.files, self.job.node, self.job.job_id, writer)
        self.stalls = JobStalls(self.job, self.bounds, self.looked)
        self.calls = JobCalls(self.job, self.bounds, self.looked, writer, self.state.calls_problem)
        self.acknowledged = (folder / "after").exists()
        if self.job.boot_id != self.boot_id:
            self.gpus.has_before = self.gpus.has_after = self.acknowledged = True

    @property
    def has_before(self) -> bool:
        """Whether the GPUs were read for it."""
        return self.gpus.has_before

    @property
    def has_after(self) -> bool:
        """Whether they were read after its end."""
        return self.gpus.has_after

    @property
    def name(self) -> str:
        """The attempt: name of its files."""
        return self.job.attempt

    @property
    def young(self) -> bool:
        """Whether it is in its first minute."""
        return time.monotonic_ns() - self.job.started_monotonic_ns < _FIRST_S * 1e9

    def interval_s(self) -> float:
        """Seconds to the next sample."""
        return (self.bounds.sample_first_s if self.young else self.bounds.sample_interval_s) * (1 << (self.state.samples // _DOUBLE_EVERY))

    def wants(self, now: float) -> bool:
        """Whether a reading of the GPUs is due for it."""
        if self.ended:
            return not self.has_after
        return not self.has_before or now >= self.next_sample

    def take_reading(self, reading: GpuReading, now: float, *, after: bool) -> None:
        """Write a reading down as what it is for this job: ``after`` when it was asked for after the end, else before or a sample."""
        self.looked.read_gpus(reading)
        self.next_sample = now + self.interval_s()
        self.state = self.state.model_copy(update={"samples": self.state.samples + 1})
        self._try(lambda: self.gpus.take(reading, self._pids, self.looked.map.foreign, after=after))
        self.stalls.flatness.add(self.gpus.latest)

    def take_kernel(self, lines: Iterable[Evidence], position: int) -> None:
        """Keep kernel lines of the job's time; whose they are is decided when the job is collected.

        A line is of the job's time when it came after we had read up to ``kernel_sequence`` with the job there, or when its time,
        uncertainty taken off, is after the job's start. What may be from before is counted: it would blame this job's card or node for another's.
        """
        seen = self.state.kernel_sequence
        new = [x for x in lines if x.id not in self._kernel]
        fresh = [x for x in new if (seen is not None and int(x.data["sequence"]) > seen) or _earliest(x) >= self.job.started_ns]
        known = {x.id for x in fresh}
        undated = sum(1 for x in new if x.id not in known and _latest(x) >= self.job.started_ns) if seen is None else 0
        self.state = self.state.model_copy(update={"kernel_sequence": position, "kernel_undated": self.state.kernel_undated + undated})
        kept = fresh[: max(0, _MOST_KERNEL - len(self._kernel))]
        self._kernel |= {line.id for line in kept}
        if kept:
            self._try(partial(self.files.add_kernel, kept))
        if len(kept) < len(fresh):
            self.state = self.state.model_copy(update={"kernel_left_out": self.state.kernel_left_out + len(fresh) - len(kept)})

    def take_kernel_state(self, log: KernelLog, lost: int) -> None:
        """Note what the kernel log could not say."""
        changes: dict[str, object] = {"kernel_lost": self.state.kernel_lost + lost}
        if log.problem:
            changes["kernel_problem"] = log.problem
        if self.state.kernel_from_ns is None:
            changes["kernel_from_ns"] = log.oldest_ns
        self.state = self.state.model_copy(update=changes)

    def take_processes(self, processes: Mapping[int, Process], stepds: Mapping[int, int], of_node: dict[str, Value]) -> None:
        """From a table of the whole host: which processes are the job's, whether others are on the node, which devices its cgroup lets it open."""
        table = dict(processes)
        own = self._ours({pid for pid, job_id in stepds.items() if job_id == self.job.job_id})
        pids = job_processes.descendants(table, own)
        pids |= job_processes.cgroup_members(table, self.job.uid, self.job.job_id)
        others = {job_id for job_id in stepds.values() if job_id != self.job.job_id}
        changes: dict[str, object] = {"alone": (self.state.alone is not False) and not others}
        if self.state.devices_list is None and pids:
            changes["devices_list"] = job_processes.allowed_nvidia_minors(pids)
        self.state = self.state.model_copy(update=changes)
        self._take_pids(pids, of_node)

    def take_family(self, of_node: dict[str, Value]) -> bool:
        """The same from the job's own processes only, for a small part of the cost; whether that could be done."""
        stepds = {pid for pid in self._named_stepds() if (step := job_processes.step_of(pid)) is not None and step[0] == self.job.job_id}
        pids = job_processes.family(stepds) if stepds else None
        if pids is None:
            return False
        self._take_pids(pids, of_node)
        return True

    def _take_pids(self, pids: set[int], of_node: dict[str, Value]) -> None:
        self._pids |= pids
        if len(self._pids) > _MOST_PIDS:
            self._pids = set(pids)
        self._try(lambda: self.looked.look(pids, of_node))
        self._pids |= set(self.looked.map.living)

    def take_end(self, end: ProcessEnd) -> None:
        """A process of the node ended."""
        if self.looked.ended(end):
            self._pids.add(end.pid)

    def running(self, stepds: Mapping[int, int]) -> bool:
        """Whether a slurmstepd of the job lives on this host."""
        return self.job.job_id in stepds.values()

    def keep(self, now: float, *, at_once: bool = False, ends_problem: str | None = None, ends_lost: int = 0) -> None:
        """Write ``watch.json`` and ``looks.json`` from time to time; ``ends_…`` is what the proc connector could not say."""
        self._compare_clocks()
        self._try(lambda: self.looked.keep(now, ends_problem, ends_lost, at_once=at_once))
        if at_once or now - self._kept_at >= _KEEP_EVERY_S:
            self._kept_at = now
            self.state = self.state.model_copy(update={"pids": tuple(sorted(self._pids)), "calls_problem": self.calls.problem})
            self._try(lambda: self.files.keep(self.state))

    def _compare_clocks(self) -> None:
        begun_ns, wall_ns, monotonic_ns = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if self.job.boot_id != self.boot_id or monotonic_ns - begun_ns > LEAST_NS // 4:  # held up in between: the two are not of one moment
            return
        step = step_between(self.state.clock_offset_ns, wall_ns, monotonic_ns)
        if step is None and self.state.clock_offset_ns is not None:
            return
        steps = (*self.state.clock_steps, step)[:MOST_STEPS] if step is not None else self.state.clock_steps
        self.state = self.state.model_copy(update={"clock_offset_ns": wall_ns - monotonic_ns, "clock_steps": steps})

    def acknowledge(self) -> None:
        """Tell ``gpualert-epilog`` that ``after`` is read and NVML let go of."""
        self.acknowledged = True
        self._try(lambda: (self.job.record_folder / "after").touch(mode=0o600))

    def _ours(self, stepds: set[int]) -> set[int]:
        """Several nodes may share a host: a stepd counts when this node's files name it; where none does, every one of the job counts."""
        return stepds & named if stepds and (named := self._named_stepds()) else stepds

    def _named_stepds(self) -> set[int]:
        """Each exit record is read once: a job of many short steps has tens of thousands, and a task's slurmstepd stays the same."""
        if self.job.stepd_pid is not None:
            self._stepds.add(self.job.stepd_pid)
        with contextlib.suppress(OSError), os.scandir(self.job.record_folder) as entries:
            new = [e.name for e in entries if e.name.endswith(".exit.json") and e.name not in self._records_read]
            for name in new:
                with contextlib.suppress(OSError, ValueError):
                    stepd = ExitRecord.read(self.job.record_folder / name).stepd_pid
                    self._records_read.add(name)
                    self._stepds |= {stepd} if stepd is not None else set()
        return self._stepds

    def _try(self, write: Callable[[], None]) -> None:
        """A full disk costs what was not written, and the job's report says what is missing."""
        with contextlib.suppress(OSError):
            write()
            return
        if "disk" not in self._said:
            self._said.add("disk")
            say(f"{self.job.record_folder} cannot be written: samples of job {self.job.job_id} are lost", WARNING)


def _earliest(line: Evidence) -> int:
    return (line.time_ns or 0) - (line.uncertainty_ns or 0)


def _latest(line: Evidence) -> int:
    return (line.time_ns or 0) + (line.uncertainty_ns or 0)


def read_job(path: Path) -> JobFile | str:
    """The job file, or in words why it is none.

    Raises:
        FileNotFoundError: its epilog moved it this moment.
        OSError: it cannot be read just now (no descriptor, no memory, a disk that stumbles).
    """
    try:
        job = JobFile.read(path)
    except OSError as error:
        if error.errno in _PASSING:
            raise
        return str(error).splitlines()[0]
    except ValueError as error:
        return str(error).splitlines()[0]
    if job.attempt != path.name:
        return f"it speaks of attempt {job.attempt}"
    return job
