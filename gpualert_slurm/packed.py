from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.record import Record, first_problem

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


def read_report(content: bytes) -> NodeReport:
    """A packed report. Raises zlib.error, ValueError: it is none."""
    return Packed(NodeReport, content).read()


@dataclass(frozen=True)
class PackedJob(Packed[JobRecord]):
    """A job's record whose reports are packed each by itself, as they came; ``content`` is the record without them."""

    reports: tuple[bytes, ...] = ()

    def read(self, reader: Callable[[bytes], NodeReport] = read_report) -> JobRecord:
        """The record with its reports; for one that cannot be read a gap. ``reader`` may remember reports that it has read."""
        reports: list[NodeReport] = []
        gaps: list[Gap] = []
        for content in self.reports:
            found = _read_or_gap(content, reader)
            if isinstance(found, Gap):
                gaps.append(found)
            else:
                reports.append(found)
        record = super().read()
        return record.model_copy(update={"reports": tuple(reports), "gaps": (*record.gaps, *gaps)})


def _read_or_gap(content: bytes, reader: Callable[[bytes], NodeReport]) -> NodeReport | Gap:
    try:
        return reader(content)
    except (zlib.error, ValueError) as error:
        why = first_problem(error) if isinstance(error, ValidationError) else str(error)
        return Gap(what="a node's report", why=f"it came, and cannot be read: {why}")
