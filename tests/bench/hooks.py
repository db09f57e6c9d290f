"""The plugin's callbacks of a one-task step in an ordinary process: CPU time and system calls, which a loaded machine does not move much."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.compare import Progress, Row, added, interleave, rounds, spread, timed
from tests.bench.not_asked import BUILD
from tests.testbed import Cluster

ROUNDS = 100
ASK = "opt:gpualert-mail=alice@example.org"


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """The stub calls as slurmstepd does, forks the task and waits for it; asked against not asked."""
    with tempfile.TemporaryDirectory(dir=cluster.root) as folder:
        stub = [str(BUILD / "spank-stub"), str(BUILD / "gpualert.so"), "remote", f"plug:state_dir={folder}", "plug:off_file=/nonexistent"]
        number = iter(range(1, 1_000_000))

        def step(*words: str) -> list[str]:
            return [*stub, *words, f"job={next(number)}", "--", "/bin/true"]

        def wall(*words: str) -> Callable[[], float]:
            return lambda: timed(lambda: subprocess.run(step(*words), check=True, capture_output=True))

        def cpu(*words: str) -> Callable[[], float]:
            def once() -> float:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(step(*words), check=True, capture_output=True)
                now = resource.getrusage(resource.RUSAGE_CHILDREN)
                return now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime

            return once

        variants = {"wall": wall(), "wall, asked": wall(ASK), "cpu": cpu(), "cpu, asked": cpu(ASK)}
        values = interleave(variants, rounds(ROUNDS), progress)
        calls = _syncs(step(ASK)), _syncs(step(ASK, "tasks=9"))
    rows = [
        Row(
            f"all callbacks of a step of one task that asked, in an ordinary process: {words} added",
            f"{added(values[f'{name}, asked'], values[name]) * 1000:+.2f} ms",
            "",
            None,
            f"{spread(values[f'{name}, asked'], 1000, 'ms')} against {spread(values[name], 1000, 'ms')}",
        )
        for name, words in (("wall", "time"), ("cpu", "CPU time"))
    ]
    if calls[0] is not None and calls[1] is not None:
        more = (calls[1][0] - calls[0][0]) / 16, (calls[1][1] - calls[0][1]) / 16
        rows.append(
            Row(
                "the same: system calls and fsyncs in slurmstepd's place, and for each further log file",
                f"{calls[0][0]} and {calls[0][1]}; {more[0]:.0f} and {more[1]:.1f}",
                "≤ 1 fsync a further log",
                more[1] <= 1,
                "strace",
            )
        )
    return rows


def _syncs(argv: list[str]) -> tuple[int, int] | None:
    """System calls of the step's own process and threads after the plugin was loaded, and how many of them are fsync."""
    if not shutil.which("strace"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["strace", "-ff", "-o", f"{folder}/trace", *argv], check=True, capture_output=True)
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in Path(folder).iterdir()]
    own = [text for text in texts if "execve(" not in text or "gpualert.so" in text]
    lines = [line for text in own for line in text.partition("gpualert.so")[2 if "gpualert.so" in text else 0].splitlines()]
    return sum(1 for line in lines if re.match(r"[a-z_0-9]+\(", line)), sum(1 for line in lines if line.startswith("fsync("))
