"""The GPU side of one watched job: readings as before, samples and after; what moved; what NVML reported."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from gpualert_slurm.gap import Gap
from gpualert_slurm.spank.watch.nvml_client import GpuReading
from gpualert_slurm.spank.watch.sample_file import Moves, Numbers, Place, SampleWriter, place
from gpualert_slurm.spank.watch.snapshots import moving, neighbours, numbers, sampled, snapshots
from gpualert_slurm.spank.watch.watch_files import GpuLine, NvmlEvent, WatchFiles

_MOST_EVENTS = 1000
_WHAT = {"before": "GPU counters before the job", "sample": "GPU samples", "after": "GPU counters after the job"}


@dataclass
class JobGpus:
    """Writes a job's readings down. All GPUs of the node: which are the job's is decided when it is collected."""

    files: WatchFiles
    node: str
    writer: SampleWriter
    """The job's only one: rows name their columns by numbers that a writer gives out."""
    has_before: bool = False
    has_after: bool = False
    latest: dict[str, dict[str, float]] = field(default_factory=dict)
    """By UUID: the last sample's numbers by series' name, for the stall detector."""
    _moves: Moves = field(default_factory=Moves)
    _said: set[str] = field(default_factory=set)
    _events: int = 0

    def __post_init__(self) -> None:
        """Take up what an earlier service left."""
        self.has_before, self.has_after = self.files.has("before"), self.files.has("after")

    def take(self, reading: GpuReading, job_pids: Collection[int], foreign: Callable[[int], bool | None], *, after: bool) -> None:
        """Write a reading down as what it is for this job: ``after`` when it was asked for after the end, else before or a sample. Raises OSError."""
        when = "after" if after else "sample" if self.has_before else "before"
        gaps = [Gap(what=f"GPU {p.uuid or p.index}", why=p.words, node=self.node, time_ns=reading.time_ns) for p in reading.problems]
        if reading.missing is not None:
            gaps.insert(0, Gap(what=_WHAT[when], why=reading.missing, node=self.node, time_ns=reading.time_ns))
        events = self._understood(reading)
        # An earlier failure to write must not cost the acknowledgement: what was read is over with, written or not.
        self.has_before, self.has_after = self.has_before or when == "before", self.has_after or when == "after"
        if when == "sample":
            fresh = tuple(self._news(gaps))
            if fresh or events:
                self.files.add_gpus(GpuLine(when=when, time_ns=reading.time_ns, gaps=fresh, events=events))
        else:
            rows, odd = snapshots(reading.rows, self.node, job_pids, foreign)
            self.files.add_gpus(GpuLine(when=when, time_ns=reading.time_ns, gpus=tuple(rows), gaps=(*gaps, *odd), events=events))
        self._write_numbers(reading, when, job_pids, foreign)

    def _write_numbers(self, reading: GpuReading, when: str, job_pids: Collection[int], foreign: Callable[[int], bool | None]) -> None:
        kept: list[tuple[int, Place, Numbers]] = []
        for row in reading.rows:
            uuid = row.get("uuid")
            if not isinstance(uuid, str):
                continue
            for slow in (False, True) if reading.slow else (False,):
                counters = numbers(row, moving(slow=slow))
                kept += self._moves.rows(reading.time_ns, place(gpu_uuid=uuid, kind="slow" if slow else "moves"), counters, always=when == "after")
            if when == "sample":
                values = numbers(row, sampled(), sampled())
                strangers = neighbours(row, job_pids, foreign)
                if strangers is not None:
                    values["gpu_foreign_processes"] = len(strangers)
                self.latest[uuid] = values
                kept.append((reading.time_ns, place(gpu_uuid=uuid), values))
        for time_ns in sorted({time_ns for time_ns, _, _ in kept}):
            self.writer.add(time_ns, [(where, values) for at, where, values in kept if at == time_ns])

    def _understood(self, reading: GpuReading) -> tuple[NvmlEvent, ...]:
        found = []
        for event in reading.events:
            self._events += 1
            if self._events <= _MOST_EVENTS:
                try:
                    found.append(NvmlEvent.model_validate(event))
                except ValueError:
                    continue
        return tuple(found)

    def _news(self, gaps: Iterable[Gap]) -> list[Gap]:
        """Gaps that were not said yet: a missing NVML is one gap, not one a second."""
        fresh = [gap for gap in gaps if f"{gap.what}|{gap.why}" not in self._said]
        self._said |= {f"{gap.what}|{gap.why}" for gap in fresh}
        return fresh
