"""Where one rank's output lies, and how the rank ended."""

from __future__ import annotations

import signal
from typing import Literal

from gpualert_slurm.record import Record, TimeNs

Stream = Literal["out", "err", "both"]
"""``both`` when the task's stdout and stderr are one file, so that one log keeps their order."""


class Hole(Record):
    """A cut in a log: ``length`` bytes of the stream, from stream offset ``offset`` on, were not kept."""

    offset: int
    length: int


class RankLog(Record):
    """One log file of one task, made before launch. USER trust: its owner may cut or replace it.

    ``step`` is ``batch``, ``interactive`` or the step's number; ``rank`` the job-wide rank (SLURM_PROCID), absent
    where the task never got far enough to say it; ``local_rank`` the task's number on its node.
    ``bytes_seen`` counts what the task wrote, ``bytes_kept`` what the log holds.
    """

    path: str
    node: str
    step: str
    stream: Stream
    rank: int | None = None
    local_rank: int | None = None
    index_path: str | None = None
    bytes_seen: int | None = None
    bytes_kept: int | None = None
    holes: tuple[Hole, ...] = ()
    output_error: str | None = None
    """The job's own output failed (``ENOSPC``): capture went on, the job did not see it."""
    log_error: str | None = None
    """Our log failed: from then on output was forwarded only."""
    last_write_ns: TimeNs | None = None


class CgroupMemory(Record):
    """The step's memory as its cgroup counted it, bytes and events; absent where there is no such counter."""

    limit_bytes: int | None = None
    peak_bytes: int | None = None
    oom_events: int | None = None
    oom_kill_events: int | None = None


class RankExit(Record):
    """How one task ended, as its parent waited for it. SYSTEM trust.

    ``wait_status`` is wait(2)'s word; ``exit_code`` and ``signal`` are decoded from it, one of them absent.
    """

    node: str
    step: str
    local_rank: int
    rank: int | None = None
    pid: int | None = None
    wait_status: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    core_dumped: bool = False
    start_time_ns: TimeNs | None = None
    end_time_ns: TimeNs | None = None
    end_monotonic_ns: int | None = None
    uncertainty_ns: int = 0
    memory: CgroupMemory | None = None

    @property
    def failed(self) -> bool:
        """True for a signal or a non-zero code; an unknown ending is not a failure."""
        return bool(self.signal) or bool(self.exit_code)

    @property
    def words(self) -> str:
        """``exit code 1`` or ``SIGSEGV``, for people."""
        if self.signal:
            try:
                return signal.Signals(self.signal).name
            except ValueError:
                return f"signal {self.signal}"
        return f"exit code {self.exit_code}" if self.exit_code is not None else "unknown ending"
