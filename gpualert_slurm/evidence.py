"""Evidence: a quote, a reading or a field, with the place it can be looked up again."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from gpualert_slurm.cause import Cause
from gpualert_slurm.record import Record, TimeNs


class Trust(str, Enum):
    """Who could have made this up. Fault is put on a node or the cluster by SYSTEM evidence only."""

    SYSTEM = "system"
    """The kernel, NVML, Slurm or the cgroup said it, and it lay where the user cannot write."""
    USER = "user"
    """Anything a job can print or touch."""


class Role(str, Enum):
    """What a statement does in the story. Only ROOT and CONFIRMATION can carry a verdict."""

    ROOT = "root"
    CONFIRMATION = "confirmation"
    CASCADE = "cascade"
    WRAPPER = "wrapper"
    ADVICE = "advice"
    RECOVERED = "recovered"
    AFTER_SUCCESS = "after_success"
    MARKER = "marker"
    """A statement about the run that is no failure: progress, a checkpoint, the planned end."""


class TimeSource(str, Enum):
    """How the time of a quote is known; absent in older records: by its arrival."""

    ARRIVAL = "arrival"
    """By the time index that capture wrote."""
    PRINTED = "printed"
    """The line says it, with its zone. By whose clock is the job's affair."""
    PRINTED_ZONE_BY_INDEX = "printed, zone by the time index"
    PRINTED_ZONE_BY_JOB = "printed, zone by the job's start and end"
    PRINTED_ZONE_UNKNOWN = "printed, zone unknown"


class Where(Record):
    """Whose the evidence is. Absent parts are unknown, not "all"."""

    node: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    pid: int | None = None
    gpu_uuid: str | None = None
    step: str | None = None


class Quote(Record):
    r"""Verbatim bytes of a file: ``length`` bytes at ``offset``, on line ``line`` (first line is 1).

    ``text`` is those bytes as UTF-8 with broken bytes as ``\\xNN``; ``sha256`` is the hash of the bytes. ``file_sha256`` is the
    hash of the file's first ``file_bytes`` bytes, which is all that was read of it; in a rank log the frame (header and hole
    mark) counts as the NULs and newlines that ``framed_log.open_log`` reads it as.
    """

    kind: Literal["quote"] = "quote"
    file: str
    line: int
    offset: int
    length: int
    text: str
    sha256: str
    file_bytes: int | None = None
    file_sha256: str | None = None


class Reading(Record):
    """Numbers read from a counter or a series between two instants, in ``unit``."""

    kind: Literal["reading"] = "reading"
    source: str
    unit: str = ""
    time_from_ns: TimeNs
    time_to_ns: TimeNs
    values: tuple[float, ...]


class FieldValue(Record):
    """One field of a record: ``query`` is the command or file that shows it again."""

    kind: Literal["field"] = "field"
    record: str
    query: str
    name: str
    value: str


Datum = Annotated[StrictStr | StrictBool | StrictInt | StrictFloat, Field(union_mode="left_to_right")]
"""What a word, a yes or no, or a number is in JSON is what it stays: no second look at which of them fits best."""
Locator = Annotated[Quote | Reading | FieldValue, Field(discriminator="kind")]


class Evidence(Record):
    """One thing somebody said, when, whose it is, and how far it can be trusted.

    ``says`` is a word of the vocabulary in ``classifier/vocabulary.py`` ("exception", "gpu_oom", "progress",
    "killed", …): modes ask for it, never for a parser. ``pattern`` names the one pattern that matched, as
    ``<parser>.<name>``. ``data`` holds what was parsed out of it (numbers in the unit their key ends with).
    ``time_ns`` is the arrival of the first quoted byte, give or take ``uncertainty_ns``.
    """

    id: str
    says: str
    role: Role
    trust: Trust
    source: Locator
    where: Where = Where()
    pattern: str | None = None
    cause: Cause | None = None
    detail: str | None = None
    time_ns: TimeNs | None = None
    uncertainty_ns: int | None = None
    data: dict[str, Datum] = {}
    printed: Annotated[str, Field(max_length=64)] | None = None
    """The time that the line prints of itself, verbatim."""
    time_source: TimeSource | None = None
    attempt: int | None = None
    """Which of the attempts that its log holds one after the other, the first is 1; absent where the log holds one, or it cannot be told."""
