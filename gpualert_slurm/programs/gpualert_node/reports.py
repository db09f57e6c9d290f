"""Reports being made: a forked child for each ended job, a few tries, and in the end a report without the logs."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from gpualert_slurm.config import Config
from gpualert_slurm.programs.gpualert_node.child import Child
from gpualert_slurm.programs.gpualert_node.documents import write_report
from gpualert_slurm.programs.gpualert_node.folders import Folders
from gpualert_slurm.programs.gpualert_node.log import ERROR, WARNING, say
from gpualert_slurm.programs.gpualert_node.watched_job import WatchedJob
from gpualert_slurm.spool import move, sync_folder

_AT_ONCE = 2
_DELAYS_S = (1.0, 10.0, 60.0, 300.0)
"""Between tries: a full disk or a node short of memory may be better in a while."""
_MOST_TRIES = len(_DELAYS_S) + 1
_TRIES_WITH_LOGS = 3
_SLACK_S = 20.0
"""Beside the time for the user's files: reading records, looking up the account, writing the report."""


class Reports:
    """The collectors at work, by attempt."""

    def __init__(self, folders: Folders, config: Config, cluster: str) -> None:
        self._folders, self._config, self._cluster = folders, config, cluster
        self._children: dict[str, tuple[Child, WatchedJob]] = {}
        self._next: dict[str, float] = {}

    @property
    def at_work(self) -> set[str]:
        """The attempts whose report is being made."""
        return set(self._children)

    def is_written(self, attempt: str) -> bool:
        """Whether the report lies in ``out/`` already: then the job file has only to be removed."""
        return self._path(attempt).exists()

    def ended_ns(self, attempt: str) -> int:
        """When its job file was moved to ``ended/``; 0 where it is gone."""
        try:
            return (self._folders.ended / attempt).lstat().st_ctime_ns  # a rename sets it
        except OSError:
            return 0

    def start(self, watched: WatchedJob) -> None:
        """Begin, unless enough are at work or its next try is later. The last tries leave the logs unread."""
        if len(self._children) >= _AT_ONCE or self._next.get(watched.name, 0.0) > time.monotonic():
            return
        watched.collections += 1
        job, target, read_logs = watched.job, self._path(watched.name), watched.collections <= _TRIES_WITH_LOGS

        def work() -> None:
            write_report(job, self._cluster, self._config, target, read_logs=read_logs)

        try:
            child = Child(watched.name, work, self._config.node.collect_timeout_s + _SLACK_S)
        except OSError as error:
            watched.collections -= 1
            self._next[watched.name] = time.monotonic() + 5
            say(f"job {job.job_id}: no process could be made to collect it: {error.strerror}", ERROR)
            return
        self._children[watched.name] = child, watched

    def step(self) -> list[str]:
        """Reap; the attempts that are done with, in one way or the other."""
        done = []
        for name, (child, watched) in list(self._children.items()):
            code = child.poll()
            if code is None:
                continue
            del self._children[name]
            if code == 0:
                ended_ns = self.ended_ns(name)
                with contextlib.suppress(OSError):  # its place among those that wait to be handed over
                    os.utime(self._path(name), ns=(ended_ns, ended_ns))
                self._remove(name)
                done.append(name)
            elif watched.collections < _MOST_TRIES:
                delay = _DELAYS_S[watched.collections - 1]
                self._next[name] = time.monotonic() + delay
                how = "late" if child.late else f"status {code}"
                say(f"job {watched.job.job_id}: collecting it failed ({how}); it is tried again in {delay:g} s", WARNING)
            else:
                say(f"job {watched.job.job_id}: collecting it failed {_MOST_TRIES} times; its job file is put aside in bad/", ERROR)
                with contextlib.suppress(OSError):
                    move(self._folders.ended / name, self._folders.bad)
                done.append(name)
        return done

    def due(self) -> list[float]:
        """Deadlines and next tries, monotonic."""
        now = time.monotonic()
        return [child.deadline + (2 if child.late else 0) for child, _ in self._children.values()] + [t for t in self._next.values() if t > now]

    def stop(self) -> None:
        """Kill the collectors; their jobs are collected by the next start."""
        for child, _ in self._children.values():
            child.kill()

    def _remove(self, name: str) -> None:
        self._next.pop(name, None)
        with contextlib.suppress(OSError):
            (self._folders.ended / name).unlink(missing_ok=True)
            sync_folder(self._folders.ended)

    def _path(self, attempt: str) -> Path:
        return self._folders.out / f"{attempt}.report"
