"""SM activity of cards before Hopper, from a DCGM host engine that the site runs: ``dcgmi dmon`` as a child, read without waiting.

Only where it is asked for (``node.dcgm``): on these cards profiling counters are exclusive, and a user's own profiler (Nsight Compute) is refused
while DCGM watches them. Nothing here blocks the service: the child's pipe is read when a reading of NVML came anyway.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gpualert_slurm.spank.watch import dcgm_text
from gpualert_slurm.spank.watch.nvml_client import GpuReading
from gpualert_slurm.spank.watch.process_identity import as_text

PROGRAM = "dcgmi"
SOURCE = "DCGM profiling fields (dcgmi dmon)"
DELAY_MS = 2000
_MOST_BYTES = 256 << 10
_AGAIN_S = 600.0
"""A host engine that is not there is asked for again so much later."""
_SILENT_S = 30.0
"""A child that says nothing for so long has lost its host engine."""


@dataclass
class DcgmClient:
    """``fill`` completes readings of cards that GPM does not serve; ``let_go`` ends the watch, so that a profiler may have the counters."""

    env: Mapping[str, str] | None = None
    program: str = PROGRAM
    _listing: subprocess.Popen[bytes] | None = None
    _stream: subprocess.Popen[bytes] | None = None
    _uuids: dict[int, str] = field(default_factory=dict)
    _buffer: bytearray = field(default_factory=bytearray)
    _problem: str | None = None
    _not_before: float = 0.0
    _heard: float = 0.0
    _ending: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def fill(self, reading: GpuReading) -> GpuReading:
        """The reading with what DCGM said since the last one. A card without GPM and without DCGM keeps its reason, with DCGM's beside it."""
        wanting = [row for row in reading.rows if str(row.get("sm_activity_source", "")).startswith("no GPM")]
        if not wanting:
            return reading
        said = self._said()
        rows = tuple(self._filled(row, said) if row in wanting else row for row in reading.rows)
        return replace(reading, rows=rows)

    def let_go(self) -> None:
        """End the children: nothing of ours holds profiling counters. They are reaped by later calls."""
        for child in (self._listing, self._stream):
            if child is not None:
                child.kill()
                self._ending.append(child)
                if child.stdout is not None:
                    child.stdout.close()
        self._listing = self._stream = None
        self._uuids, self._buffer, self._heard = {}, bytearray(), 0.0
        self._ending = [child for child in self._ending if child.poll() is None]

    def _filled(self, row: dict[str, object], said: Mapping[str, dict[str, float]]) -> dict[str, object]:
        found = said.get(str(row.get("uuid")))
        if found:
            return {**row, **found, "sm_activity_source": SOURCE}
        if self._problem is not None:
            return {**row, "sm_activity_source": f"{row['sm_activity_source']} (DCGM: {self._problem})"}
        return row

    def _said(self) -> dict[str, dict[str, float]]:
        """{UUID: percent by name} since the last call."""
        if self._stream is None and self._listing is None:
            self._begin()
        if self._listing is not None:
            self._learn()
        if self._stream is None:
            return {}
        fresh, ended = self._read(self._stream)
        *lines, rest = bytes(fresh).split(b"\n")
        self._buffer = bytearray(rest)
        rows = [row for line in lines if (row := dcgm_text.row(as_text(line))) is not None]
        now = time.monotonic()
        self._heard = now if rows else self._heard
        if ended or now - self._heard > _SILENT_S:
            self._fail("dcgmi dmon ended" if ended else f"dcgmi dmon said nothing for {_SILENT_S:g} s", lines)
        return {self._uuids[number]: values for number, values in dcgm_text.means(rows).items() if number in self._uuids}

    def _begin(self) -> None:
        if time.monotonic() < self._not_before:
            return
        self._listing = self._start("discovery", "--list")
        self._heard = time.monotonic()

    def _learn(self) -> None:
        """Which number is which card; then the stream begins."""
        if self._listing is None:
            return
        self._buffer, ended = self._read(self._listing)
        if not ended:
            if time.monotonic() - self._heard > _SILENT_S:
                self._fail(f"dcgmi discovery did not answer within {_SILENT_S:g} s", [])
            return
        self._uuids = dcgm_text.uuids(bytes(self._buffer).decode("utf-8", "replace"))
        if not self._uuids:
            self._fail("dcgmi discovery names no GPU", bytes(self._buffer).split(b"\n"))
            return
        self._ending.append(self._listing)
        self._listing, self._buffer, self._problem = None, bytearray(), None
        self._stream = self._start("dmon", "-e", ",".join(map(str, dcgm_text.FIELDS)), "-d", str(DELAY_MS))
        self._heard = time.monotonic()

    def _start(self, *arguments: str) -> subprocess.Popen[bytes] | None:
        environment = dict(os.environ if self.env is None else self.env)
        path = shutil.which(self.program, path=environment.get("PATH"))
        if path is None:
            self._fail("dcgmi is not installed", [])
            return None
        try:
            child = subprocess.Popen(
                [path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd="/"
            )
        except OSError as error:
            self._fail(f"{path} cannot be run: {error.strerror}", [])
            return None
        if child.stdout is not None:
            os.set_blocking(child.stdout.fileno(), False)
        return child

    def _read(self, child: subprocess.Popen[bytes]) -> tuple[bytearray, bool]:
        """What is there, behind what was left over; whether it ended."""
        found = self._buffer
        with contextlib.suppress(BlockingIOError):
            while child.stdout is not None and len(found) < _MOST_BYTES:
                part = os.read(child.stdout.fileno(), 65536)
                if not part:
                    return found, True
                found += part
        return found[-_MOST_BYTES:], False

    def _fail(self, why: str, lines: list[bytes]) -> None:
        words = next((as_text(line).strip() for line in reversed(lines) if line.strip()), "")
        self._problem = f"{why}: {words[:200]}" if words else why
        self._not_before = time.monotonic() + _AGAIN_S
        self.let_go()
