"""The service's side of NVML: a child process that may hang, and is then killed and left behind.

Nothing here waits: ``request`` asks, ``poll`` says what came. NVML calls block for ever on a GPU that fell off the bus, and a
process stuck in the driver does not even die of SIGKILL: it is not waited for, only reaped when it ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

_MOST_BYTES = 4 << 20
_MOST_HANGS = 3
_MOST_EVENTS = 300
_FORGET_HANGS_S = 3600.0
_RETRY_MISSING_S = 60.0
_GOODBYE_S = 0.3
_COMMAND = (sys.executable, "-I", "-m", "gpualert_slurm.spank.watch.nvml_child")


@dataclass(frozen=True)
class GpuProblem:
    """What NVML could not say of one GPU, and why; ``uuid`` is absent where even that was not to be had."""

    index: int
    uuid: str | None
    words: str


@dataclass(frozen=True)
class GpuReading:
    """All GPUs of the node at one instant: ``rows`` hold fields of GpuSnapshot. ``missing`` says why there is none."""

    time_ns: int
    rows: tuple[dict[str, object], ...] = ()
    problems: tuple[GpuProblem, ...] = ()
    missing: str | None = None
    events: tuple[dict[str, object], ...] = ()
    """What NVML reported since the last reading, XIDs above all: ``nvml_events``."""
    slow: bool = True
    """Whether the counters that hardly move were read too."""


@dataclass
class NvmlClient:
    """One child at a time, one request at a time. ``fileno`` is what to select on; ``due`` when to call ``poll`` at the latest."""

    timeout_s: float
    env: Mapping[str, str] | None = None
    command: tuple[str, ...] = _COMMAND
    due: float | None = None
    """Monotonic seconds of the answer's deadline; None while nothing is asked."""
    starts: int = 0
    """How many children were started: a new one may get the descriptor number of the last."""
    _child: subprocess.Popen[bytes] | None = None
    _buffer: bytearray = field(default_factory=bytearray)
    _abandoned: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _fast: bool = False
    _hangs: int = 0
    _hung_at: float = 0.0
    _missing: str | None = None
    _retry_at: float = 0.0

    @property
    def busy(self) -> bool:
        """Whether a request waits for its answer."""
        return self.due is not None

    @property
    def holds_nvml(self) -> bool:
        """Whether a process of ours may have the GPUs open (one given up as hung counts)."""
        self._reap()
        return self._child is not None or bool(self._abandoned)

    def fileno(self) -> int | None:
        """The descriptor that becomes readable with the answer."""
        return self._child.stdout.fileno() if self._child and self._child.stdout else None

    def request(self, *, fast: bool = False) -> GpuReading | None:
        """Ask for a reading, ``fast`` for the counters that move. An answer that is known at once (NVML is missing or given up) is returned,
        else None: ``poll`` has it.
        """
        now = time.monotonic()
        if self.busy:
            return None
        if self._hangs >= _MOST_HANGS and now - self._hung_at < _FORGET_HANGS_S:
            return _none(f"NVML hung {self._hangs} times and is not asked again for an hour")
        if self._missing is not None and now < self._retry_at:
            return _none(self._missing)
        try:
            if self._child is None:
                self._start()
            if self._child is None or self._child.stdin is None:
                return _none("NVML's process did not start")
            self._child.stdin.write(b"sample\n" if fast else b"read\n")
            self._child.stdin.flush()
        except OSError as error:
            self._give_up()
            return _none(f"NVML's process cannot be reached: {error}")
        self.due, self._fast = now + self.timeout_s, fast
        return None

    def poll(self) -> GpuReading | None:
        """The answer if it is there, a reading with ``missing`` if its deadline has passed or the child died, else None. Never blocks."""
        self._reap()
        if not self.busy or self._child is None or self._child.stdout is None:
            return None
        ended = False
        with contextlib.suppress(BlockingIOError):
            while len(self._buffer) <= _MOST_BYTES:
                part = os.read(self._child.stdout.fileno(), 65536)
                if not part:
                    ended = True
                    break
                self._buffer += part
        line, newline, rest = bytes(self._buffer).partition(b"\n")
        if newline:
            self._buffer = bytearray(rest)
            self.due = None
            return self._understand(line)
        if ended or len(self._buffer) > _MOST_BYTES:
            self._give_up()
            return self._later("NVML's process ended without an answer")
        if self.due is not None and time.monotonic() >= self.due:
            self._give_up()
            self._hangs += 1
            self._hung_at = time.monotonic()
            return _none(f"NVML did not answer within {self.timeout_s:g} s")
        return None

    def let_go(self) -> None:
        """End the child, so that nothing of ours holds the GPUs open. Waits 0.3 s for an orderly end, then kills."""
        child, self.due = self._child, None
        if child is None:
            return
        with contextlib.suppress(OSError):
            if child.stdin:
                child.stdin.close()
        try:
            child.wait(_GOODBYE_S)
        except subprocess.TimeoutExpired:
            self._give_up()
            return
        self._forget()

    def _start(self) -> None:
        environment = dict(os.environ if self.env is None else self.env)
        child = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True, cwd="/"
        )
        if child.stdout is not None:
            os.set_blocking(child.stdout.fileno(), False)
        self._child, self._buffer, self._missing = child, bytearray(), None
        self.starts += 1

    def _understand(self, line: bytes) -> GpuReading:
        try:
            answer = json.loads(line)
            if "error" in answer:
                self._give_up()
                return self._later(str(answer["error"])[:500])
            return GpuReading(
                time_ns=int(answer["time_ns"]),
                rows=tuple(dict(row) for row in answer["gpus"]),
                problems=tuple(GpuProblem(int(p["index"]), p.get("uuid"), str(p["words"])[:300]) for p in answer["problems"][:64]),
                events=tuple(dict(event) for event in answer.get("events", ())[:_MOST_EVENTS]),
                slow=not self._fast,
            )
        except (ValueError, KeyError, TypeError):
            self._give_up()
            return self._later("NVML's process gave an answer that cannot be read")

    def _later(self, why: str) -> GpuReading:
        self._missing, self._retry_at = why, time.monotonic() + _RETRY_MISSING_S
        return _none(why)

    def _give_up(self) -> None:
        """Kill the child and forget it; a process stuck in the driver stays behind, at most one for each start."""
        if self._child is not None:
            with contextlib.suppress(OSError):
                self._child.kill()
            self._abandoned.append(self._child)
            for pipe in (self._child.stdin, self._child.stdout):
                with contextlib.suppress(OSError):
                    if pipe:
                        pipe.close()
        self._forget()

    def _forget(self) -> None:
        if self._child is not None and self._child.stdout is not None:
            self._child.stdout.close()
        self._child, self.due, self._buffer = None, None, bytearray()

    def _reap(self) -> None:
        self._abandoned = [child for child in self._abandoned if child.poll() is None]


def _none(why: str) -> GpuReading:
    return GpuReading(time_ns=time.time_ns(), missing=why)
