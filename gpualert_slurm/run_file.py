"""A bundle's own two files, as ``gpualert-run`` leaves them: format in ``doc/formats/bundle.md``. USER trust."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from gpualert_slurm.exit_record import Instant
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.spool import read_bounded
from gpualert_slurm.wishes import Wishes

_MAX_BYTES = 1 << 20

RUN_NAME = "run.json"
END_NAME = "end.json"


class RunFile(Record):
    """``run.json``: what the user asked ``gpualert-run`` for, and where. ``claims`` are environment variables by name."""

    format: Literal["gpualert-run/1"]
    bundle: str
    command: tuple[str, ...]
    command_cut: bool = False
    work_dir: str | None = None
    host: str
    boot_id: str | None = None
    uid: int
    gid: int | None = None
    pid: int | None = None
    created: Instant
    wishes: Wishes = Wishes()
    attach: tuple[str, ...] = ()
    notify: bool = True
    dry_run: bool = False
    timeout_ms: int | None = None
    program_version: str | None = None
    claims: dict[str, str] = {}

    @classmethod
    def read(cls, bundle: Path) -> RunFile:
        """The run file of ``bundle``.

        Raises:
            OSError: it is not there, no regular file, or larger than 1 MiB.
            ValueError: it is no run file of a known version.
        """
        return cls.model_validate_json(read_bounded(bundle / RUN_NAME, _MAX_BYTES))


class SentSignal(Record):
    """A signal that somebody sent to ``gpualert-run``; ``forwarded`` is false where the command had got it as well."""

    signal: int
    at_ns: TimeNs
    sender_pid: int | None = None
    sender_uid: int | None = None
    forwarded: bool = True


_Counted = Annotated[int, Field(ge=0, lt=1 << 63)]


class RunCpu(Record):
    """What the command and all below it had used at each look: ``looks`` are (time in ns, CPU in ms); ``names`` (comm) are of the last one."""

    processes: int = 0
    names: tuple[str, ...] = ()
    looks: tuple[tuple[_Counted, _Counted], ...] = ()


class RunEnd(Record):
    """``end.json``: how ``gpualert-run``, or its guardian, saw the command end."""

    format: Literal["gpualert-run-end/1"]
    by: Literal["gpualert-run", "guardian"]
    ended: Instant
    wait_status: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    core_dumped: bool = False
    exec_error: str | None = None
    timed_out: bool = False
    signals: tuple[SentSignal, ...] = ()
    output_open: bool = False
    memory: CgroupMemory | None = None
    """``gpualert-run``'s own control group: events count from its start to the command's end, the peak from the group's making."""
    cpu: RunCpu | None = None
    """Absent: the command was over before the first look, or gpualert-run was killed."""

    @classmethod
    def read(cls, bundle: Path) -> RunEnd:
        """The end file of ``bundle``. Raises OSError and ValueError as ``RunFile.read`` does."""
        return cls.model_validate_json(read_bounded(bundle / END_NAME, _MAX_BYTES))
