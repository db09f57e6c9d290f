"""Output through ``gpualert-run``: speed to /dev/null with the log's cap reached, and memory whatever the volume."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.bench.compare import Progress, Row, interleave, median, rounds, spread
from tests.testbed import Cluster

ROUNDS = 9
GIB = 1 << 30
BOUND_BYTES_S = 1e9
BOUND_MIB = 20.0


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """``dd`` alone, and below ``gpualert-run``: 4 GiB to /dev/null, of which the log keeps the first 64 MiB and the last 256 KiB."""
    program = str(cluster.gpualert.program("gpualert-run"))
    memory: list[float] = []
    with tempfile.TemporaryDirectory(dir=cluster.root, ignore_cleanup_errors=True) as folder:
        env = {**os.environ, "XDG_STATE_HOME": folder, "HOME": folder, "GPUALERT_PYTHON": "/bin/true"}

        def once(gib: int) -> Callable[[], float]:
            def measure() -> float:
                argv = [program, "--no-notify", "--", "dd", "if=/dev/zero", "bs=128K", f"count={gib * 8192}", "status=none"]
                start = time.perf_counter()
                with subprocess.Popen(argv, env=env, cwd=folder, stdout=subprocess.DEVNULL) as running:
                    most = 0.0
                    while running.poll() is None:
                        most = max(most, _peak_mib(running.pid))
                        time.sleep(0.02)
                if running.returncode:
                    raise RuntimeError(f"gpualert-run ended with {running.returncode}")
                memory.append(most)
                return time.perf_counter() - start

            return measure

        values = interleave({"1": once(1), "4": once(4)}, rounds(ROUNDS), progress)
    speeds = [4 * GIB / took for took in values["4"]]
    steady = [3 * GIB / (long - short) for long, short in zip(values["4"], values["1"], strict=True)]
    return [
        Row("output through `gpualert-run` to /dev/null with the cap reached (4 GiB, its start and end included)",
            f"{median(speeds) / 1e9:.2f} GB/s", "≥ 1 GB/s", median(speeds) >= BOUND_BYTES_S,
            f"{spread(values['4'])}; behind the cap (4 GiB less 1 GiB): {median(steady) / 1e9:.2f} GB/s"),
        Row("memory of `gpualert-run` at its peak (VmHWM), 1 GiB and 4 GiB", f"{max(memory):.1f} MiB", f"≤ {BOUND_MIB:g} MiB",
            max(memory) <= BOUND_MIB, spread(memory, unit="MiB", digits=1)),
    ]  # fmt: skip


def _peak_mib(pid: int) -> float:
    """The process's own peak. A parent's wait4(2) would say the peak of whoever forked it."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0
