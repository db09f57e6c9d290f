"""What the watcher keeps in a job's record folder, so that a restart loses nothing: format in ``doc/formats/node-files.md``."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from gpualert_slurm.evidence import Evidence
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.spank.watch.clock_step import ClockStep
from gpualert_slurm.spool import write_whole

GPUS, KERNEL, STATE, SAMPLES = "gpus.jsonl", "kernel.jsonl", "watch.json", "samples.jsonl"
_MOST_LINE = 1 << 20
_MOST_FILE = 64 << 20


class NvmlEvent(Record):
    """An event as NVML reported it: an XID, or another kind of ``nvml_events``. ``uuid`` is empty where it is none of one card."""

    time_ns: TimeNs
    uuid: str = ""
    kind: str
    number: int = 0
    gpu_instance: int | None = None
    slice: str | None = None
    """UUID of the MIG slice that ``gpu_instance`` is."""


class GpuLine(Record):
    """One line of ``gpus.jsonl``: ``before`` and ``after`` hold whole snapshots; ``sample`` what happened; numbers go to ``samples.jsonl``."""

    when: str
    time_ns: TimeNs
    gpus: tuple[GpuSnapshot, ...] = ()
    events: tuple[NvmlEvent, ...] = ()
    gaps: tuple[Gap, ...] = ()


class WatchState(Record):
    """``watch.json``: what was learned about the job while it ran."""

    format: str = "gpualert-watch/1"
    taken_ns: TimeNs
    pids: tuple[int, ...] = ()
    devices_list: str | None = None
    alone: bool | None = None
    note_written: bool = False
    kernel_lost: int = 0
    kernel_problem: str | None = None
    kernel_from_ns: TimeNs | None = None
    kernel_sequence: int | None = None
    kernel_undated: int = 0
    kernel_left_out: int = 0
    samples: int = 0
    clock_offset_ns: int | None = None
    """Wall clock less monotonic clock at the last look."""
    clock_steps: tuple[ClockStep, ...] = ()
    calls_problem: str | None = None
    """Why calls of CUDA and NCCL could not be counted, where they were to be."""


@dataclass
class WatchFiles:
    """A job's record folder as the watcher sees it."""

    folder: Path

    def add_gpus(self, line: GpuLine) -> None:
        """Append a line; ``before`` and ``after`` are fsynced. Raises OSError."""
        _append(self.folder / GPUS, line.json_bytes(), durable=line.when != "sample" or bool(line.events))

    def gpus(self) -> Iterator[GpuLine]:
        """The lines in the order written; a torn or strange line is left out."""
        for raw in _lines(self.folder / GPUS):
            with contextlib.suppress(ValidationError):
                yield GpuLine.model_validate_json(raw)

    def has(self, when: str) -> bool:
        """Whether a ``before`` or ``after`` was written."""
        start = json.dumps({"when": when})[:-1].replace(" ", "").encode()
        return any(raw.startswith(start) for raw in _lines(self.folder / GPUS))

    def add_kernel(self, lines: Sequence[Evidence]) -> None:
        """Append kernel lines that may be the job's, durably: the next may be the last. Raises OSError."""
        _append(self.folder / KERNEL, b"\n".join(line.json_bytes() for line in lines), durable=True)

    def kernel(self) -> list[Evidence]:
        """The kernel lines, each once."""
        found: dict[str, Evidence] = {}
        for raw in _lines(self.folder / KERNEL):
            with contextlib.suppress(ValidationError):
                evidence = Evidence.model_validate_json(raw)
                found.setdefault(evidence.id, evidence)
        return list(found.values())

    def state(self) -> WatchState | None:
        """``watch.json``, None where there is none yet or it makes no sense."""
        try:
            return WatchState.model_validate_json((self.folder / STATE).read_bytes())
        except (OSError, ValidationError):
            return None

    def keep(self, state: WatchState) -> None:
        """Write ``watch.json``. Raises OSError."""
        write_whole(self.folder / STATE, state.json_bytes())


def _append(path: Path, line: bytes, *, durable: bool) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, line + b"\n")
        if durable:
            os.fdatasync(fd)
    finally:
        os.close(fd)


def _lines(path: Path) -> Iterator[bytes]:
    """Whole lines, with bounds: a writer that died leaves a torn last one."""
    try:
        with path.open("rb") as file:
            left = _MOST_FILE
            while left > 0:
                line = file.readline(_MOST_LINE)
                if not line:
                    return
                left -= len(line)
                if line.endswith(b"\n"):
                    yield line[:-1]
    except OSError:
        return
