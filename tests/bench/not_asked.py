"""A job that did not ask: no file, no process, no thread, and no system call of the plugin's between its loading and the launch."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.bench.compare import Progress, Row
from tests.bench.steps import ASK, plugin_lines
from tests.testbed import Cluster

BUILD = Path(__file__).parents[2] / "spank" / "plugin" / "build"
LOOK = "ls /proc/$PPID/task | wc -l; cat /proc/$PPID/task/*/children | wc -w"


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Counts slurmstepd's threads and children from a task, the files of the state folder, and system calls under strace."""
    rows = []
    cluster.plugstack([])
    without = cluster.srun("-n1", "sh", "-c", LOOK, check=True).stdout.split()
    cluster.plugstack(plugin_lines(cluster))
    cluster.srun("-n1", *ASK, "true", check=True)
    cluster.wait_idle()
    before = _files(cluster.gpualert.state_dir)
    there = cluster.srun("-n1", "sh", "-c", LOOK, check=True).stdout.split()
    cluster.wait_idle()
    after = _files(cluster.gpualert.state_dir)
    progress("looked")
    rows.append(
        Row(
            "a job that did not ask: threads and children of its slurmstepd, and files made",
            f"{there[0]} and {there[1]} (without the plugin: {without[0]} and {without[1]}), {len(after - before)} files",
            "as without, 0",
            there == without and after == before,
            "counted by a task in /proc",
        )
    )
    calls = _calls()
    if calls is not None:
        rows.append(
            Row("the same: the plugin's system calls in slurmstepd, from its loading to the first task's fork", str(calls), "0", calls == 0, "strace")
        )
    return rows


def _files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


def _calls() -> int | None:
    """System calls between the loader's last one for gpualert.so and the fork of the task, in the stub that calls as slurmstepd does."""
    if not (shutil.which("strace") and (BUILD / "spank-stub").exists()):
        return None
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        stub = [str(BUILD / "spank-stub"), str(BUILD / "gpualert.so"), "remote", f"plug:state_dir={folder}", f"plug:off_file={folder}/off"]
        subprocess.run(["strace", "-o", str(trace), *stub, "--", "/bin/true"], check=True, capture_output=True)
        lines = trace.read_text(encoding="utf-8", errors="replace").splitlines()
        if any(Path(folder) / name for name in ("logs", "node") if (Path(folder) / name).exists()):
            return len(lines)
    start = next(i for i, line in enumerate(lines) if "gpualert.so" in line and line.startswith("openat"))
    end = next(i for i, line in enumerate(lines) if i > start and re.match(r"(clone3?|v?fork)\(", line))
    loaders = re.compile(r"(read|pread64|newfstatat|fstat|getcwd|mmap|mprotect|close|brk|munmap)\(")
    stubs = re.compile(r'openat\(AT_FDCWD, "/proc/self/(fd|task)"|getdents64\(')  # the stub counts descriptors and threads before and after
    own = sum(1 for line in lines[start + 1 : end] if not loaders.match(line) and not stubs.match(line))
    return own - any(line.startswith("pipe2(") for line in lines[start + 1 : end])  # one, for the stub's word to its tasks
