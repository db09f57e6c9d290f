"""Counts of CUDA and NCCL calls of one watched job: short windows now and then, in a child, where a site asked for them."""

from __future__ import annotations

import contextlib
import json
import resource
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gpualert_slurm.config import Node
from gpualert_slurm.job_file import JobFile
from gpualert_slurm.programs.gpualert_node.child import Child
from gpualert_slurm.programs.gpualert_node.job_look import JobLook
from gpualert_slurm.spank.watch.process_map import Known
from gpualert_slurm.spank.watch.sample_file import SampleWriter, place
from gpualert_slurm.spool import read_bounded, write_whole

CALLS = "calls.json"
WINDOW_S = 2.0
_DEADLINE_S = 20.0
_MOST_BYTES = 1 << 20
_MOST_RANKS = 64


@dataclass
class JobCalls:
    """``step`` now and then; ``due`` says when at the latest (monotonic seconds), None where nothing is counted.

    Windows begin at whole multiples of the interval by the wall clock, on every node at once: ranks of different nodes are compared.
    """

    job: JobFile
    bounds: Node
    looked: JobLook
    writer: SampleWriter
    problem: str | None = None
    """Why the last window counted nothing."""
    due: float | None = field(init=False)
    _child: Child | None = None
    _whom: dict[int, Known] = field(default_factory=dict)
    _hurried: int = 0

    def __post_init__(self) -> None:
        """The first window is the next whole one."""
        self.due = self._next() if self.bounds.cuda_counts else None

    def step(self, now: float, stalls: int) -> None:
        """Begin a window, or take what one gave; a standstill that is new (their number grew) is counted at once. Raises OSError."""
        if self.due is None:
            return
        if self._child is not None:
            if self._child.poll() is not None:
                self._child = None
                self._take()
            return
        if now >= self.due or stalls > self._hurried:
            self.due, self._hurried = self._next(), stalls
            self._begin()

    def stop(self) -> None:
        """Leave off: called until the child is gone."""
        if self._child is not None:
            self._child.kill()
            if self._child.poll() is not None:
                self._child = None

    def _next(self) -> float:
        every = self.bounds.cuda_counts_every_s
        return time.monotonic() + every - time.time() % every

    def _begin(self) -> None:
        self._whom = {known.pid: known for known in self.looked.whom()[:_MOST_RANKS]}
        path = self.job.record_folder / CALLS
        with contextlib.suppress(OSError):
            path.unlink()
        if self._whom:
            self._child = Child(f"calls of {self.job.attempt}", partial(_count_into, path, list(self._whom)), WINDOW_S + _DEADLINE_S)

    def _take(self) -> None:
        try:
            said = json.loads(read_bounded(self.job.record_folder / CALLS, _MOST_BYTES))
            self.problem = said.get("problem")
            counts = {int(pid): {str(name): float(calls) for name, calls in numbers.items()} for pid, numbers in said.get("counts", {}).items()}
            time_ns = int(said["time_ns"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.problem = "the window broke off"
            return
        ranks = [(known, counts[pid]) for pid, known in self._whom.items() if pid in counts]
        self.writer.add(time_ns, [(place(kind="calls", pid=known.pid, ticks=known.start_ticks), numbers) for known, numbers in ranks])


def _count_into(path: Path, pids: list[int]) -> None:
    """What runs in the child."""
    from gpualert_slurm.spank.watch import cuda_calls
    from gpualert_slurm.spank.watch.call_counter import CannotCountError

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    try:
        counts, _seconds = cuda_calls.count(pids, WINDOW_S)
        said: dict[str, object] = {"counts": counts, "time_ns": time.time_ns()}
    except CannotCountError as error:
        said = {"problem": str(error), "time_ns": time.time_ns()}
    write_whole(path, json.dumps(said).encode())
