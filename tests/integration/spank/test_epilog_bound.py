"""gpualert-epilog ends by itself, with 0, whatever it was started with: anything else drains the node."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[3] / "spank" / "plugin"


@pytest.fixture(scope="module")
def epilog():
    """The program as it is installed."""
    subprocess.run(["make", "-s", "-C", str(PLUGIN), "epilog"], check=True, capture_output=True)
    return PLUGIN / "build" / "gpualert-epilog"


@pytest.mark.parametrize("blocked", [(), (signal.SIGALRM, signal.SIGTERM)], ids=["no signal blocked", "its alarm blocked"])
def test_a_log_that_takes_nothing_holds_it_three_seconds_at_most(epilog, tmp_path, blocked):
    """Its words go to a full pipe: it ends with 0, also when it was started with all signals blocked, as a thread's children may be."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b"x" * 4096)
    os.set_blocking(writing, True)
    begun = time.monotonic()
    done = subprocess.run(
        [str(epilog), "no-such-word"], stderr=writing, env={"SLURM_JOB_ID": "1"}, timeout=15, check=False,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, blocked),
    )
    os.close(reading)
    os.close(writing)
    assert done.returncode == 0
    assert time.monotonic() - begun < 5
