"""Exit records: how one task ended and what became of its streams. Format in ``doc/formats/exit-record.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from gpualert_slurm.rank import CgroupMemory, Hole, RankExit, RankLog
from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.spool import read_bounded
from gpualert_slurm.time_index import StreamName, TimeIndex

_MAX_BYTES = 16384
_WAIT_UNCERTAINTY_NS = 50_000_000
_PIDFD_UNCERTAINTY_NS = 1_000_000


class Instant(Record):
    """One moment on both clocks, nanoseconds."""

    ns: TimeNs
    monotonic_ns: int


class StreamRecord(Record):
    """What became of one stream of the task. ``head`` + ``hole`` + ``tail`` = ``bytes``."""

    log: str | None = None
    captured: bool
    why_not: str | None = None
    merged: StreamName | None = None
    bytes: int | None = None
    head: int | None = None
    hole: int = 0
    tail: int = 0
    reason: str | None = None
    undelivered: int = 0
    output_error: str | None = None
    output_error_at: int | None = None
    log_error: str | None = None
    log_lost: int = 0
    ended: str | None = None


class StreamRecords(Record):
    """The task's two streams."""

    out: StreamRecord | None = None
    err: StreamRecord | None = None


class ExitRecord(Record):
    """One task's exit record, as the plugin wrote it. SYSTEM trust."""

    format: Literal["gpualert-exit/1"]
    attempt: str
    job_id: int
    node: str
    boot_id: str
    step: str = Field(pattern=r"^(batch|interactive|run|[0-9]{1,10})$")
    task: int
    local: int
    local_tasks: int | None = None
    step_tasks: int | None = None
    step_node_index: int | None = None
    step_node_count: int | None = None
    stepd_pid: int | None = None
    state: Literal["prepared", "exited", "closed"]
    rank: int | None = None
    pid: int | None = None
    wait_status: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    core_dumped: bool = False
    prepared: Instant
    started: Instant | None = None
    exited: Instant | None = None
    exited_by: Literal["pidfd", "wait"] | None = None
    closed: Instant | None = None
    memory: CgroupMemory | None = None
    capture: str
    streams: StreamRecords = StreamRecords()

    @classmethod
    def read(cls, path: Path) -> ExitRecord:
        """The record at ``path``.

        Raises:
            OSError: it is not there, no regular file, or larger than 16 KiB.
            ValueError: it is no exit record of a known version.
        """
        return cls.model_validate_json(read_bounded(path, _MAX_BYTES))

    @classmethod
    def read_folder(cls, record_folder: Path) -> tuple[list[ExitRecord], list[str]]:
        """All exit records of a record folder, ordered by step and task, and a sentence for each that could not be read."""
        records: list[ExitRecord] = []
        problems: list[str] = []
        try:
            paths = sorted(record_folder.glob("*.exit.json"))
        except OSError as error:
            return [], [f"cannot list {record_folder}: {error.strerror or error}"]
        for path in paths:
            record = cls._read_or_say(path)
            if isinstance(record, str):
                problems.append(record)
            else:
                records.append(record)
        records.sort(key=lambda r: (r.prepared.monotonic_ns, r.step, r.task))
        return records, problems

    @classmethod
    def _read_or_say(cls, path: Path) -> ExitRecord | str:
        try:
            return cls.read(path)
        except (OSError, ValueError) as error:
            return f"{path.name}: {str(error).splitlines()[0]}"

    def rank_exit(self) -> RankExit:
        """The task's end in the project's words; a task that never ended has no ``wait_status``."""
        return RankExit(
            node=self.node,
            step=self.step,
            local_rank=self.local,
            rank=self.rank,
            pid=self.pid,
            wait_status=self.wait_status,
            exit_code=self.exit_code,
            signal=self.signal,
            core_dumped=self.core_dumped,
            start_time_ns=self.started.ns if self.started else None,
            end_time_ns=self.exited.ns if self.exited else None,
            end_monotonic_ns=self.exited.monotonic_ns if self.exited else None,
            uncertainty_ns=_PIDFD_UNCERTAINTY_NS if self.exited_by == "pidfd" else _WAIT_UNCERTAINTY_NS,
            memory=self.memory,
        )

    def rank_logs(self, log_folder: Path, record_folder: Path) -> tuple[RankLog, ...]:
        """The logs that hold bytes of this task: none, one (also when both streams were one file) or two.

        Reads the time index for ``last_write_ns``; a log of a task that was never forked is listed too, it holds the footer that says so.
        """
        index_path = record_folder / f"{self.step}.{self.task}.idx"
        index = TimeIndex.read(index_path)
        both = self.streams.err is not None and self.streams.err.merged == "out"
        names: tuple[StreamName, ...] = ("out",) if both else ("out", "err")
        found = []
        for name in names:
            stream = self.streams.out if name == "out" else self.streams.err
            if stream is None or stream.log is None or not is_log_name(stream.log):
                continue
            kept = None if stream.head is None else stream.head + stream.tail
            found.append(
                RankLog(
                    path=str(log_folder / stream.log),
                    node=self.node,
                    step=self.step,
                    stream="both" if both else name,
                    rank=self.rank,
                    local_rank=self.local,
                    index_path=None if index.problem and not index.created_ns else str(index_path),
                    bytes_seen=stream.bytes,
                    bytes_kept=kept,
                    holes=(Hole(offset=stream.head or 0, length=stream.hole),) if stream.hole else (),
                    output_error=stream.output_error,
                    log_error=stream.log_error,
                    last_write_ns=index.last_arrival(name),
                )
            )
        return tuple(found)


def is_log_name(name: str) -> bool:
    """True for a plain file name: no folder, no leading dot."""
    return "/" not in name and "\0" not in name and not name.startswith(".") and 0 < len(name) < 256
