"""Running a command inside a suite's folder: chroot in mount, pid and cgroup namespaces of its own, bounded in time."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .cgroups import Group
from .namespace_ids import oldest_cpu

ENTER = Path(__file__).with_name("enter.sh")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LATE = 124  # as timeout(1) says it


_RUNNING: set[subprocess.Popen[bytes]] = set()
_ENDING = threading.Event()


class SpaceError(RuntimeError):
    """A command inside a folder failed; the text has the end of what it said."""


@dataclass(frozen=True)
class Space:
    """A root to change into, and ``work``, which is its /tmp and /var/tmp.

    The kernel ends every process of the pid namespace with its first one and drops every mount of the mount namespace with the last
    process, whatever way the command, this process or ``timeout_s`` ends it.
    """

    root: Path
    work: Path

    def run(
        self, argv: Sequence[str], *, timeout_s: float, env: Mapping[str, str] | None = None, readonly: bool = True,
        binds: Sequence[Path] = (), group: Group | None = None, log: Path, echo: Callable[[str], None] | None = None,
    ) -> int:
        """Run ``argv``; its output goes to ``log`` (appended), line by line also to ``echo``. Gives the exit status; 124 where it was late.

        ``binds`` are paths of the host that are shown inside, read-only, at the same place. ``readonly``: the root cannot be changed (its
        /run, /tmp and /var/tmp can). The command sees ``group`` as the root of every hierarchy.
        """
        if _ENDING.is_set():
            raise SpaceError("the matrix is being ended")
        self.root.mkdir(parents=True, exist_ok=True)
        self.work.mkdir(parents=True, exist_ok=True)
        namespaces = ["--mount", "--pid", "--ipc", *(["--cgroup"] if group else [])]
        cpu = oldest_cpu()
        made_on = ["taskset", "-c", str(cpu)] if cpu is not None else []
        used_on = ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))))] if cpu is not None else []
        inside = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": "/root", **(env or {})}
        command = [
            *(group.entering() if group else []), *made_on, "setpriv", "--pdeathsig=KILL", "unshare", *namespaces, "--fork", "--kill-child=KILL",
            *used_on, "bash", str(ENTER), str(self.root), str(self.work), "yes" if readonly else "no",
            " ".join(str(path) for path in binds if path.exists()), "--", "env", "-i", *(f"{key}={value}" for key, value in inside.items()), *argv,
        ]
        outer = {"PATH": PATH, "LC_ALL": "C", "GPUALERT_MATRIX_HIERARCHIES": group.hierarchies() if group else ""}
        with log.open("ab") as out:
            process = subprocess.Popen(command, env=outer, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       start_new_session=True)
            assert process.stdout is not None
            _RUNNING.add(process)
            late = threading.Event()
            bound = threading.Timer(timeout_s, _end, (process, late))
            bound.start()
            try:
                for line in process.stdout:
                    out.write(line)
                    out.flush()
                    if echo is not None:
                        echo(line.decode(errors="replace").rstrip("\n"))
                status = process.wait()
            finally:
                bound.cancel()
                _end(process, threading.Event())
                _RUNNING.discard(process)
        return LATE if late.is_set() else status

    def check(self, argv: Sequence[str], *, timeout_s: float, log: Path, env: Mapping[str, str] | None = None, readonly: bool = True,
              binds: Sequence[Path] = ()) -> str:
        """The output of ``argv``; raises ``SpaceError`` where it failed or was late."""
        lines: list[str] = []
        status = self.run(argv, timeout_s=timeout_s, env=env, readonly=readonly, binds=binds, log=log, echo=lines.append)
        if status != 0:
            what = f"was not done after {timeout_s:.0f} s" if status == LATE else f"ended with {status}"
            raise SpaceError(f"in {self.root}: {' '.join(argv)[:200]} {what}; the end of {log}:\n" + "\n".join(lines[-15:]))
        return "\n".join(lines)


def end_all() -> None:
    """End every command that runs inside a folder, and start none any more."""
    _ENDING.set()
    for process in list(_RUNNING):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    if process.poll() is None:
        late.set()
        os.kill(process.pid, signal.SIGKILL)  # unshare dies, its child with it, and with that first process all of the pid namespace
        process.wait(30)


def mounts_below(folder: Path) -> list[str]:
    """Mount points at or below ``folder`` that this process can see."""
    below = str(folder.resolve())
    points = [line.split()[4].replace("\\040", " ") for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return [point for point in points if point == below or point.startswith(f"{below}/")]


def remove(folder: Path) -> None:
    """Remove a folder tree; raises ``SpaceError`` where something is mounted below it: a bind mount would lead out of it."""
    if not folder.exists():
        return
    if mounts := mounts_below(folder):
        raise SpaceError(f"{folder} is not removed: {', '.join(mounts)} is mounted there; unmount it first")
    subprocess.run(["rm", "-rf", "--one-file-system", "--", str(folder)], check=True, timeout=600)


def free_gib(folder: Path) -> float:
    """GiB free where ``folder`` lies."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free / 2**30


def age_days(since_s: float) -> float:
    """Days since a moment in seconds since the epoch."""
    return max(0.0, time.time() - since_s) / 86400
