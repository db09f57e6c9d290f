"""A node so slow that a task starts without its word: what comes late must not touch it any more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpualert_slurm.exit_record import ExitRecord

PLUGIN = Path(__file__).resolve().parents[3] / "spank" / "plugin"
SLOW = """
#define _GNU_SOURCE
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct timespec pause = {3, 0};
    nanosleep(&pause, 0);
    return syscall(SYS_recvmsg, fd, message, flags);
}
"""
TASK = """
import fcntl, os, sys, time
time.sleep(2.5)
print("non-blocking" if fcntl.fcntl(1, fcntl.F_GETFL) & os.O_NONBLOCK else "as it was", flush=True)
"""


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A library under which the drain thread takes three seconds to look at what a task sent it."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "slow.c").write_text(SLOW)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(folder / "slow.so"), str(folder / "slow.c")], check=True)
    subprocess.run(["make", "-s", "-C", str(PLUGIN), "driver"], check=True, capture_output=True)
    return folder / "slow.so"


def test_a_task_that_went_without_its_word_keeps_its_output_as_it_was(slow, tmp_path):
    """Its pipe does not become non-blocking under it (a program would meet EAGAIN), and the record says that it is not captured."""
    driver = PLUGIN / "build" / "capture-driver"
    done = subprocess.run(
        [str(driver), str(tmp_path), "--", sys.executable, "-c", TASK],
        capture_output=True, env={**os.environ, "LD_PRELOAD": str(slow)}, timeout=60, check=False,
    )
    assert done.stdout == b"as it was\n", done.stderr
    assert done.returncode == 0
    out = ExitRecord.read(tmp_path / "0.0.exit.json").streams.out
    assert out is not None
    assert not out.captured
