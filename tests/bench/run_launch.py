"""``gpualert-run -- true`` against ``true``, and against a shell that keeps a log with tee."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.compare import Progress, Row, added, interleave, rounds, spread, timed
from tests.testbed import Cluster

ROUNDS = 60
BOUND_MS = 1.5


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Wall time of the command as a caller sees it; the detached diagnosis is not waited for, as no caller does.

    For ``as if alone`` the diagnosis, which is Python and would run beside the next measurement, is replaced by ``true``.
    """
    program = cluster.gpualert.program("gpualert-run")
    with tempfile.TemporaryDirectory(dir=cluster.root, ignore_cleanup_errors=True) as folder:
        env = {**os.environ, "XDG_STATE_HOME": folder, "HOME": folder, "GPUALERT_PYTHON": "/bin/true"}

        def command(*argv: str) -> Callable[[], float]:
            return lambda: timed(lambda: subprocess.run(argv, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True))

        values = interleave(
            {
                "true": command("/bin/true"),
                "gpualert-run": command(str(program), "--no-notify", "--", "/bin/true"),
                "tee": command("/bin/sh", "-c", f"/bin/true 2>&1 | tee {Path(folder) / 'f'}"),
            },
            rounds(ROUNDS),
            progress,
        )
    ours_ms, tee_ms = (added(values[name], values["true"]) * 1000 for name in ("gpualert-run", "tee"))
    return [
        Row(
            f"`gpualert-run -- true`: time added{words}",
            f"{ours_ms:+.2f} ms",
            f"≤ {bound_ms:.2f} ms",
            ours_ms <= bound_ms,
            f"{spread(values['gpualert-run'], 1000, 'ms')} against {spread(values[base], 1000, 'ms')}",
        )
        for words, bound_ms, base in ((" to `true`", BOUND_MS, "true"), (", against what `sh -c 'true 2>&1 | tee f'` adds", tee_ms, "tee"))
    ]
