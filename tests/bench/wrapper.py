"""``gpualert-run -- true`` against ``true``, and against a shell that keeps a log with tee."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.compare import Row, interleave, median, spread, timed
from tests.testbed import Cluster

ROUNDS = 60


def run(cluster: Cluster, progress: Callable[[str], None]) -> list[Row]:
    """Wall time of the command as a caller sees it; the detached diagnosis is not waited for, as no caller does."""
    program = cluster.gpualert.program("gpualert-run")
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "XDG_STATE_HOME": folder, "HOME": folder}

        def command(*argv: str) -> Callable[[], float]:
            return lambda: timed(lambda: subprocess.run(argv, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True))

        values = interleave(
            {
                "true": command("true"),
                "gpualert-run": command(str(program), "--no-notify", "--", "true"),
                "tee": command("sh", "-c", f"true 2>&1 | tee {Path(folder) / 'f'}"),
            },
            ROUNDS,
            progress,
        )
    added_ms = (median(values["gpualert-run"]) - median(values["true"])) * 1000
    tee_ms = (median(values["tee"]) - median(values["true"])) * 1000
    return [
        Row(
            "`gpualert-run --no-notify -- true`: time added",
            f"{added_ms:+.2f} ms (`true 2>&1 | tee f`: {tee_ms:+.2f} ms)",
            "",
            None,
            f"{spread(values['gpualert-run'], 1000, 'ms')} against {spread(values['true'], 1000, 'ms')}",
        )
    ]
