"""The service's loop: one thread that never waits for anything but the next event. Whatever may hang is a child with a deadline."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

from gpualert_slurm.config import Config
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.programs.gpualert_node.arrivals import FolderWatch
from gpualert_slurm.programs.gpualert_node.child import Child
from gpualert_slurm.programs.gpualert_node.cleaner import DEADLINE_S, EVERY_S, clean
from gpualert_slurm.programs.gpualert_node.documents import note_for, stall_note
from gpualert_slurm.programs.gpualert_node.folders import Folders
from gpualert_slurm.programs.gpualert_node.log import ERROR, WARNING, say
from gpualert_slurm.programs.gpualert_node.outgoing import Outgoing
from gpualert_slurm.programs.gpualert_node.reports import Reports
from gpualert_slurm.programs.gpualert_node.sweep import Sweep, slurm_says_over
from gpualert_slurm.programs.gpualert_node.watched_job import WatchedJob, read_job
from gpualert_slurm.spank.watch import host as host_of
from gpualert_slurm.spank.watch import job_processes
from gpualert_slurm.spank.watch.dcgm_client import DcgmClient
from gpualert_slurm.spank.watch.kernel_evidence import KernelMatcher
from gpualert_slurm.spank.watch.kernel_log import KernelLog
from gpualert_slurm.spank.watch.nvml_client import NvmlClient
from gpualert_slurm.spank.watch.proc_events import ProcEvents
from gpualert_slurm.spool import move, write_whole

_LOOK_EVERY_S = 5.0
_LOOK_WITHOUT_INOTIFY_S = 0.25
_PROCESSES_AT_FIRST_S, _PROCESSES_EVERY_S, _TABLE_EVERY_S = 2.0, 10.0, 60.0
_SLOW_COUNTERS_EVERY_S = 60.0
_NVML_PAUSE_S = 5.0
"""After a job's end NVML is left alone this long, so that the site's epilog may reset a GPU."""
_RECENT_KERNEL = 500
_SAY_AGAIN_S = 60.0
P = ParamSpec("P")


class Service:
    """One node's service: ``run`` until no job is left, or until ``stopping`` is set by a signal."""

    def __init__(self, folders: Folders, config: Config, cluster: str) -> None:
        self._folders, self._config, self._cluster = folders, config, cluster
        self._boot_id = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        self.stopping = False
        self._jobs: dict[str, WatchedJob] = {}
        self._bad: set[str] = set()
        self._nvml = NvmlClient(config.node.nvml_timeout_s)
        self._nvml_not_before = 0.0
        self._dcgm = DcgmClient() if config.node.dcgm else None
        self._kernel = KernelLog(accept_root=config.node.kernel_log_from_root)
        self._matcher = KernelMatcher(folders.node, self._boot_id)
        self._recent: deque[Evidence] = deque(maxlen=_RECENT_KERNEL)
        self._kernel_lost = 0
        self._reports = Reports(folders, config, cluster)
        self._outgoing = Outgoing(folders.out, folders.bad, config, lambda: {p.name for p in folders.ended.iterdir()})
        self._sweep = Sweep(slurm_says_over)
        self._ends = ProcEvents()
        self._look_at = self._processes_at = self._table_at = self._slow_at = 0.0
        self._idle_since: float | None = None
        self._selector = selectors.DefaultSelector()
        self._selected: dict[str, tuple[int, int]] = {}
        self._folder_watch = FolderWatch([folders.jobs, folders.ended])
        self._kernel_woke = False
        self._said: dict[str, float] = {}
        self._off = False
        self._not_taken: set[str] = set()
        """Job files that could not be taken up, as on a full disk: tried again at each look."""
        self._asked_by_ended: set[str] = set()
        """Jobs that were over when the reading under way was asked for: for the others it is no ``after``."""
        self._cleaner: Child | None = None
        self._clean_at = 0.0

    def run(self) -> None:
        """Watch and report until there is nothing left to do."""
        wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(wake, selectors.EVENT_READ, "wake")
        try:
            while not self.stopping:
                self._step()
                if self._done():
                    return
                self._wait(wake)
        finally:
            self._end()

    def _stop(self, *_: object) -> None:
        self.stopping = True

    def _step(self) -> None:
        """One round: each part on its own, so that a failing one stops no other."""
        now = time.monotonic()
        self._off = self._config.site.off_file.exists()
        if self._off:
            self._let_gpus_go()
            for watched in self._jobs.values():
                self._safely(f"stalls of {watched.name}", watched.stalls.stop)
                self._safely(f"calls of {watched.name}", watched.calls.stop)
            self._look_at = now + _LOOK_EVERY_S
        else:
            seen_first = (self._process_ends, self._kernel_lines, self._look, self._hand_over)
            for part in (*seen_first, self._processes, self._gpus, self._stalls, self._ended_jobs):
                self._safely(part.__name__.strip("_"), part, now)
        self._safely("handing over", self._hand_over, now)
        self._safely("cleaning", self._clean, now)

    def _safely(self, what: str, do: Callable[P, None], *arguments: P.args, **named: P.kwargs) -> None:
        """Whatever goes wrong with one part or one job, the others go on; the same words once a minute."""
        try:
            do(*arguments, **named)
        except Exception as error:
            words = f"{what}: {type(error).__name__}: {error}"
            if time.monotonic() - self._said.get(words, -_SAY_AGAIN_S) >= _SAY_AGAIN_S:
                self._said = {**self._said, words: time.monotonic()} if len(self._said) < _RECENT_KERNEL else {words: time.monotonic()}
                say(words, ERROR)

    def _clean(self, now: float) -> None:
        """At the start and every few hours, in a child: a log folder may be large, and its owner's."""
        if self._cleaner is not None:
            self._cleaner = None if self._cleaner.poll() is not None else self._cleaner
        elif now >= self._clean_at:
            self._clean_at = now + EVERY_S
            bounds = self._config.node.keep_days, self._config.node.logs_max_mib
            self._cleaner = Child("cleaner", lambda: _say_cleaned(clean(self._folders, *bounds)), DEADLINE_S)

    def _look(self, now: float) -> None:
        """Which job files are there."""
        self._folder_watch.drain()
        if now >= self._look_at:
            self._look_at = now + (_LOOK_EVERY_S if self._folder_watch.fileno() is not None else _LOOK_WITHOUT_INOTIFY_S)
        present: set[str] = set()
        for folder in (self._folders.jobs, self._folders.ended):
            for path in sorted(folder.iterdir()):
                if path.name.startswith(".") or path.name in self._bad:
                    continue
                present.add(path.name)
                if path.name not in self._jobs:
                    self._safely(f"job file {path.name}", self._take_up, path)
                if path.name in self._jobs and folder == self._folders.ended:
                    self._jobs[path.name].ended = True
        for gone in set(self._jobs) - present:
            del self._jobs[gone]
        self._not_taken = present - set(self._jobs) - self._bad

    def _hand_over(self, now: float) -> None:  # noqa: ARG002  (a part of the round, as the others)
        """Also in the middle of a round: a job's note leaves before anything more is looked at, for its node may die."""
        self._outgoing.step()

    def _take_up(self, path: Path) -> None:
        try:
            job = read_job(path)
        except FileNotFoundError:
            return  # it is in ended/ now, and that is looked at next
        if isinstance(job, str):
            say(f"{path} is no job file and is put aside in bad/: {job}", ERROR)
            self._bad.add(path.name)
            with contextlib.suppress(OSError):
                move(path, self._folders.bad)
            return
        if self._reports.is_written(job.attempt):
            with contextlib.suppress(OSError):
                path.unlink()
            return
        watched = WatchedJob(job, self._config.node, self._boot_id)
        self._send_note(watched)
        self._jobs[path.name] = watched
        if job.boot_id == self._boot_id:
            watched.take_kernel(self._recent, self._kernel.position)
            watched.take_kernel_state(self._kernel, 0)
        self._processes_at = 0.0
        say(f"job {job.job_id}: watched as {job.attempt}")

    def _send_note(self, watched: WatchedJob) -> None:
        if watched.state.note_written:
            return
        note = note_for(watched.job, self._cluster)
        if note is not None:
            write_whole(self._folders.out / f"{watched.name}.note", note.json_bytes())
        watched.state = watched.state.model_copy(update={"note_written": True})
        watched.keep(time.monotonic(), at_once=True)

    def _kernel_lines(self, now: float) -> None:
        found = [e for e in map(self._matcher.match, self._kernel.read(woken=self._kernel_woke)) if e is not None]
        self._kernel_woke = False
        lost, self._kernel_lost = self._kernel.lost - self._kernel_lost, self._kernel.lost
        if found and any("pid" in e.data for e in found):
            self._processes_at = 0.0
            self._processes(now)  # a process that the kernel names may be gone in a moment
        self._recent.extend(found)
        for watched in self._jobs.values():
            if watched.job.boot_id != self._boot_id:
                continue
            self._safely(f"kernel lines of {watched.name}", watched.take_kernel, found, self._kernel.position)
            if lost or (self._kernel.problem and watched.state.kernel_problem is None):
                watched.take_kernel_state(self._kernel, lost)

    def _process_ends(self, now: float) -> None:  # noqa: ARG002  (a part of the round, as the others)
        """Who ended, with what status. The kernel says when, so nobody is woken for it: a build job ends thousands a second."""
        for end in self._ends.read():
            for watched in self._jobs.values():
                watched.take_end(end)

    def _processes(self, now: float) -> None:
        """Whose processes are whose; jobs that are over without an epilog. A table of the whole host only while jobs are young, and once a minute."""
        if now < self._processes_at or not self._jobs:
            return
        young = any(w.young for w in self._jobs.values())
        self._processes_at = now + (_PROCESSES_AT_FIRST_S if young else _PROCESSES_EVERY_S)
        of_node = host_of.read_node()
        running = [w for w in self._jobs.values() if not w.ended]
        if not young and now < self._table_at and all(w.take_family(of_node) for w in running):
            for watched in running:
                watched.keep(now, ends_problem=self._ends.problem, ends_lost=self._ends.lost)
            return
        self._table_at = now + _TABLE_EVERY_S
        table = job_processes.table()
        stepds = job_processes.stepds(table, self._folders.node)
        for watched in running:
            self._safely(f"processes of {watched.name}", watched.take_processes, table, stepds, of_node)
            watched.keep(now, ends_problem=self._ends.problem, ends_lost=self._ends.lost)
            why = self._sweep.over(watched.job, stepds, self._boot_id)
            if why is not None:
                say(f"job {watched.job.job_id}: taken for ended: {why}", WARNING)
                move(self._folders.jobs / watched.name, self._folders.ended)
                watched.ended = True

    def _gpus(self, now: float) -> None:
        reading, asked_by_ended = self._nvml.poll(), self._asked_by_ended
        wanting = [w for w in self._jobs.values() if w.wants(now)]
        urgent = any(w.ended or not w.has_before for w in wanting)
        if reading is None and wanting and not self._nvml.busy and (urgent or now >= self._nvml_not_before):
            if any(not w.ended for w in wanting):
                self._processes(now)
            self._asked_by_ended = asked_by_ended = {w.name for w in self._jobs.values() if w.ended}
            fast = not urgent and now < self._slow_at
            reading = self._nvml.request(fast=fast)
            self._slow_at = self._slow_at if fast else now + _SLOW_COUNTERS_EVERY_S
        if reading is not None:
            reading = reading if self._dcgm is None else self._dcgm.fill(reading)
            for watched in wanting:
                self._safely(f"GPUs of {watched.name}", watched.take_reading, reading, now, after=watched.name in asked_by_ended)

    def _let_gpus_go(self) -> None:
        self._nvml.let_go()
        if self._dcgm is not None:
            self._dcgm.let_go()

    def _stalls(self, now: float) -> None:
        """Who stands still; what is new goes to the daemon while the job runs."""
        for watched in self._jobs.values():
            if watched.ended or watched.job.boot_id != self._boot_id:
                watched.stalls.stop()
                watched.calls.stop()
                continue
            self._safely(f"stalls of {watched.name}", self._look_for_stall, watched, now)
            self._safely(f"calls of {watched.name}", watched.calls.step, now, len(watched.stalls.kept.stalls))

    def _look_for_stall(self, watched: WatchedJob, now: float) -> None:
        news = watched.stalls.step(now)
        if news is not None:
            number = len(watched.stalls.kept.stalls)
            note = stall_note(watched.job, self._cluster, news, number)
            write_whole(self._folders.out / f"{watched.name}.{number}-{note.kind}.stall", note.json_bytes())

    def _ended_jobs(self, now: float) -> None:
        """After the last reading: let NVML go, tell the epilog, make the report."""
        ended = [w for w in self._jobs.values() if w.ended and w.has_after]
        # Of a backlog the newest first: the owner of a job that ended just now waits for it, the others have waited already.
        for watched in sorted(ended, key=lambda w: -self._reports.ended_ns(w.name)) if len(ended) > 1 else ended:
            if not watched.acknowledged:
                if not self._nvml.busy:
                    self._let_gpus_go()
                    self._nvml_not_before = now + _NVML_PAUSE_S
                if not self._nvml.holds_nvml:
                    watched.acknowledge()
            if watched.name not in self._reports.at_work:
                watched.keep(now, at_once=True, ends_problem=self._ends.problem, ends_lost=self._ends.lost)
                self._reports.start(watched)
        for name in self._reports.step():
            self._jobs.pop(name, None)

    def _done(self) -> bool:
        if self._jobs or self._not_taken or self._outgoing.waiting() or self._reports.at_work or self._held_by_off():
            self._idle_since = None
            return False
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        return now - self._idle_since >= self._config.node.idle_exit_s

    def _held_by_off(self) -> bool:
        """Whether job files wait for the off switch to go: ending now would only have us started again."""
        return self._off and any(name not in self._bad for f in (self._folders.jobs, self._folders.ended) for name in _names(f))

    def _wait(self, wake: int) -> None:
        """Sleep until something happens or is due."""
        off = self._off
        self._watch("nvml", None if off else self._nvml.fileno(), self._nvml.starts)
        self._watch("folders", None if off else self._folder_watch.fileno())
        self._watch("kernel", None if off else self._kernel.fileno())
        now = time.monotonic()
        due = [self._look_at, *(d for d in (self._outgoing.due(),) if d is not None)]
        if not off:
            due += self._due(now)
        if self._idle_since is not None:
            due.append(self._idle_since + self._config.node.idle_exit_s)
        events = self._selector.select(max(0.0, min(due) - now))
        keys = {key.data for key, _ in events}
        self._kernel_woke = "kernel" in keys
        if "wake" in keys:
            with contextlib.suppress(BlockingIOError):
                while os.read(wake, 4096):
                    pass

    def _due(self, now: float) -> list[float]:
        """When the watched jobs need us."""
        due = [d for d in (self._nvml.due, *self._reports.due()) if d is not None]
        if not self._nvml.busy:
            due += [max(w.next_sample, self._nvml_not_before) for w in self._jobs.values() if not w.ended]
        if self._jobs:
            due.append(self._processes_at)
        due += [w.calls.due for w in self._jobs.values() if w.calls.due is not None and not w.ended]
        if any(w.ended and not w.acknowledged for w in self._jobs.values()):
            due.append(now + 0.02)
        return due

    def _watch(self, name: str, fd: int | None, start: int = 0) -> None:
        """Select on ``fd`` under ``name``. The kernel forgets a closed descriptor, so one that was opened anew (``start``) is registered anew."""
        old = self._selected.get(name)
        if old == (fd, start) or (old is None and fd is None):
            return
        if old is not None:
            del self._selected[name]
            with contextlib.suppress(KeyError, ValueError, OSError):
                self._selector.unregister(old[0])
        if fd is not None:
            self._selector.register(fd, selectors.EVENT_READ, name)
            self._selected[name] = fd, start

    def _end(self) -> None:
        """Leave everything so that the next start goes on from the files."""
        signal.set_wakeup_fd(-1)
        self._outgoing.stop()
        self._reports.stop()
        if self._cleaner is not None:
            self._cleaner.kill()
        self._let_gpus_go()
        now = time.monotonic()
        for watched in self._jobs.values():
            watched.keep(now, at_once=True, ends_problem=self._ends.problem, ends_lost=self._ends.lost)
        self._kernel.close()


def _say_cleaned(names: list[str]) -> None:
    if names:
        say(f"removed what was left of {len(names)} old jobs")


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]
