from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Generic, TypeVar

from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.record import Record

T = TypeVar("T", bound=Record)

MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Packed(Generic[T]):
    """A record as its JSON, compressed by zlib: kept and handed on as it is, read only where somebody needs what is in it."""

    kind: type[T]
    content: bytes

    @classmethod
    def of(cls, record: T, level: int = 1) -> Packed[T]:
        """The record packed; level 1 is quick, 6 is small."""
        return cls(type(record), zlib.compress(record.json_bytes(), level))

    def read(self) -> T:
        """The record. Raises zlib.error, ValueError: the content is none of that kind."""
        return self.kind.model_validate_json(zlib.decompressobj().decompress(self.content, MAX_BYTES))


@dataclass(frozen=True)
class PackedJob(Packed[JobRecord]):
    """A job's record whose reports are packed each by itself, as they came; ``content`` is the record without them."""

    reports: tuple[bytes, ...] = ()

    def read(self) -> JobRecord:
        """The record with its reports."""
        return super().read().model_copy(update={"reports": tuple(Packed(NodeReport, content).read() for content in self.reports)})
