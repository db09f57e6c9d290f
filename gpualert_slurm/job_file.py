"""The job file that the SPANK plugin leaves on a node, and what the Epilog adds: format in ``doc/formats/job-file.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.spool import read_bounded
from gpualert_slurm.wishes import Wishes

_MAX_BYTES = 65536
_ATTEMPT = r"^[0-9]{1,10}\.[0-9a-f]{16}$"


class JobClaims(Record):
    """What the job's own environment said when its first step started on the node. USER trust, unchecked."""

    nodes: str | None = None
    node_count: int | None = None
    user: str | None = None
    work_dir: str | None = None
    cluster: str | None = None
    het_job_id: int | None = None
    het_offset: int | None = None


class JobFile(Record):
    """One job on one node, as its first step there wrote it. ``wishes`` and ``claims`` are the user's, the rest is SYSTEM."""

    format: Literal["gpualert-job/1"]
    attempt: str = Field(pattern=_ATTEMPT)
    """Name of the log folder and the record folder: job id and random digits."""
    job_id: int
    uid: int
    gid: int | None = None
    array_job_id: int | None = None
    array_task_id: int | None = None
    node: str
    first_step: str
    step_node_index: int | None = None
    step_node_count: int | None = None
    log_folder: Path
    record_folder: Path
    boot_id: str
    started_ns: TimeNs
    started_monotonic_ns: int
    stepd_pid: int | None = None
    memory_limit_mib: int | None = None
    capture: str
    """``on``, or ``off: `` and why."""
    storage: str | None = None
    plugin_version: str | None = None
    slurm_version: str | None = None
    wishes: Wishes
    claims: JobClaims = JobClaims()

    @classmethod
    def read(cls, path: Path) -> JobFile:
        """The job file at ``path``.

        Raises:
            OSError: it is not there, no regular file, or larger than 64 KiB.
            ValueError: it is no job file of a known version.
        """
        return cls.model_validate_json(read_bounded(path, _MAX_BYTES))


class EpilogFacts(Record):
    """``epilog.json``: when the node's Epilog ran for the job, and Slurm's variables there by name."""

    format: Literal["gpualert-epilog/1"]
    attempt: str = Field(pattern=_ATTEMPT)
    node: str | None = None
    boot_id: str | None = None
    ended_ns: TimeNs
    ended_monotonic_ns: int
    env: dict[str, str] = {}

    @classmethod
    def read(cls, record_folder: Path) -> EpilogFacts:
        """The Epilog's facts in a record folder. Raises OSError and ValueError as ``JobFile.read`` does."""
        return cls.model_validate_json(read_bounded(record_folder / "epilog.json", 2 * _MAX_BYTES))
