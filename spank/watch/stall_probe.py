"""A closer look at the ranks of a job that stands still. Bounded in time, and no process is stopped for it: py-spy reads from outside.

Runs in a child of the service: reading a process that hangs can hang.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpualert_slurm.gap import Gap
from gpualert_slurm.spank.watch.cgroups import as_lines
from gpualert_slurm.spank.watch.proc_events import TICKS_PER_S
from gpualert_slurm.spank.watch.process_identity import PROC, as_text, file_systems, read_bytes
from gpualert_slurm.spank.watch.stall_frames import judged
from gpualert_slurm.stall import RankStand

MOST_RANKS = 16
PY_SPY_S = 2.0
_CPU_WINDOW_S = 0.3
_MOST_FRAMES, _FRAME_CHARS, _DUMP_BYTES = 40, 200, 1 << 20
_PY_SPY_MEMORY = 1 << 30
RAS_ADDRESS = ("127.0.0.1", 28028)
"""NCCL's RAS service (NCCL_RAS_ADDR's default), NCCL 2.24 and later."""
_RAS_S, _RAS_BYTES = 1.0, 32 << 10


@dataclass(frozen=True)
class ProbedRank:
    """Whom to look at, with what is known of it."""

    pid: int
    start_ticks: int
    rank: int | None = None
    local_rank: int | None = None
    step: str | None = None
    gpu_uuids: tuple[str, ...] = ()


def probe(node: str, ranks: Sequence[ProbedRank], proc: Path = PROC) -> list[RankStand]:
    """Where each of at most 16 ranks stands."""
    chosen = list(ranks)[:MOST_RANKS]
    command = find_py_spy()
    dumps = {rank.pid: _start(command, rank.pid) for rank in chosen} if command else {}
    begun = time.monotonic()
    ticks = {rank.pid: _state(proc, rank)[1] for rank in chosen}
    time.sleep(_CPU_WINDOW_S)
    found = []
    for rank in chosen:
        state, now = _state(proc, rank)
        before, percent = ticks[rank.pid], None
        if now is not None and before is not None:
            percent = round(100.0 * (now - before) / TICKS_PER_S / (time.monotonic() - begun), 1)
        folder = proc / str(rank.pid)
        stack, gaps = _stack(dumps.get(rank.pid), begun, node, rank)
        if not command:
            gaps = [Gap(what="the Python stack", why="py-spy is not installed beside gpualert-node", node=node, rank=rank.rank)]
        wchan = as_text(read_bytes(folder / "wchan", 64)).strip() if state else ""
        found.append(
            judged(
                RankStand(
                    node=node,
                    pid=rank.pid,
                    rank=rank.rank,
                    local_rank=rank.local_rank,
                    step=rank.step,
                    state=state,
                    wchan=wchan if wchan not in ("", "0") else None,
                    kernel_stack=_kernel_stack(folder) if state else (),
                    cpu_percent=percent,
                    python_stack=stack,
                    file_systems=tuple(sorted(file_systems(rank.pid, proc))) if state == "D" else (),
                    gpu_uuids=rank.gpu_uuids,
                    gaps=tuple(gaps),
                )
            )
        )
    return found


def find_py_spy() -> str | None:
    """Beside the interpreter that runs the service, else on the path."""
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("py-spy")


def ask_ras(uid: int, address: tuple[str, int] = RAS_ADDRESS, proc: Path = PROC) -> str | None:
    """What NCCL's RAS service says of the job, None where none of this user listens there: another user's answer is another job's."""
    if uid not in _listeners(address[1], proc):
        return None
    said = b""
    deadline = time.monotonic() + _RAS_S
    with contextlib.suppress(OSError), socket.create_connection(address, timeout=_RAS_S) as made:
        made.sendall(b"verbose status\n")
        while len(said) < _RAS_BYTES and (left := deadline - time.monotonic()) > 0:
            made.settimeout(left)
            part = made.recv(4096)
            if not part:
                break
            said += part
    text = "\n".join(as_text(line) for line in said[:_RAS_BYTES].splitlines())
    return text or None


def _listeners(port: int, proc: Path) -> set[int]:
    """The uids that listen on a port of 127.0.0.1 or of any address (/proc/net/tcp: state 0A)."""
    found: set[int] = set()
    for line in read_bytes(proc / "net" / "tcp", 1 << 22).splitlines()[1:]:
        parts = line.split()
        if len(parts) > 7 and parts[3] == b"0A" and parts[1].endswith(b":%04X" % port) and parts[7].isdigit():
            found.add(int(parts[7]))
    return found


def _start(command: str, pid: int) -> subprocess.Popen[bytes] | None:
    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_PY_SPY_MEMORY, _PY_SPY_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        return subprocess.Popen(
            [command, "dump", "--nonblocking", "--json", "--pid", str(pid)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd="/", env={"PATH": "/usr/bin:/bin", "RUST_BACKTRACE": "0"}, preexec_fn=bounded,  # noqa: PLW1509
        )
    except OSError:
        return None


def _stack(dump: subprocess.Popen[bytes] | None, begun: float, node: str, rank: ProbedRank) -> tuple[tuple[str, ...], list[Gap]]:
    if dump is None:
        return (), []
    try:
        said, complained = dump.communicate(timeout=max(0.05, begun + PY_SPY_S - time.monotonic()))
    except subprocess.TimeoutExpired:
        dump.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            dump.communicate(timeout=0.2)
        return (), [Gap(what="the Python stack", why=f"py-spy did not answer within {PY_SPY_S:g} s", node=node, rank=rank.rank)]
    if dump.returncode != 0:
        words = as_text(complained.strip().splitlines()[-1] if complained.strip() else b"no words")[:200]
        return (), [Gap(what="the Python stack", why=f"py-spy: {words}", node=node, rank=rank.rank)]
    return frames_of(said), []


def frames_of(said: bytes) -> tuple[str, ...]:
    """py-spy's JSON as ``function (file:line)``, innermost first: of the main thread. Whatever the names hold becomes text."""
    try:
        threads = json.loads(said[:_DUMP_BYTES])
        main = next((t for t in threads if t.get("thread_name") == "MainThread"), None) or threads[0]
        return tuple(_frame(frame.get("name"), str(frame.get("filename")), frame.get("line")) for frame in main["frames"][:_MOST_FRAMES])
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        return ()


def _frame(name: object, path: str, line: object) -> str:
    return as_text(f"{name} ({_short(path)}:{line})".encode("utf-8", "replace"))[:_FRAME_CHARS]


def _short(path: str) -> str:
    """What stands behind site-packages or the library, else the last two parts."""
    match = re.search(r"(?:site-packages|dist-packages)/(.+)$", path) or re.search(r"/lib/python[\d.]+/(.+)$", path)
    return match.group(1) if match else "/".join(path.rsplit("/", 2)[-2:])


def _kernel_stack(folder: Path) -> tuple[str, ...]:
    lines = as_lines(read_bytes(folder / "stack", 4096))
    return tuple(re.sub(r"^\[<[^>]*>\]\s*", "", line)[:_FRAME_CHARS] for line in lines[:_MOST_FRAMES])


def _state(proc: Path, rank: ProbedRank) -> tuple[str | None, int | None]:
    """(state, CPU ticks) of the very process that is meant; None for one that ended, or whose pid is another's now."""
    fields = read_bytes(proc / str(rank.pid) / "stat", 2048).rpartition(b")")[2].split()
    try:
        if rank.start_ticks and int(fields[19]) != rank.start_ticks:
            return None, None
        return fields[0].decode("ascii"), int(fields[11]) + int(fields[12])
    except (IndexError, ValueError):
        return None, None
