"""The real /dev/kmsg: lines are seen once, dated, told from what processes wrote; what is overwritten is said."""

from __future__ import annotations

import os
import secrets
import select
import time

import pytest

from gpualert_slurm.spank.watch.kernel_log import DEVICE, KernelLog


def write(text: str) -> None:
    """As root may; the kernel hands a line to readers when it ends. It lets through ten lines in five seconds."""
    fd = os.open(DEVICE, os.O_WRONLY)
    try:
        os.write(fd, f"<3>{text}\n".encode())
    finally:
        os.close(fd)


@pytest.fixture
def mark() -> str:
    """A word that only this test writes: the kernel log is everybody's."""
    return f"gpualert-test-{secrets.token_hex(6)}"


def test_line_is_read_once_and_dated(mark):
    """Converted from the kernel's clock: within its stated uncertainty of the moment it was written."""
    log = KernelLog(accept_root=True)
    assert log.problem is None
    log.read()
    begun = time.time_ns()
    write(mark)
    ended = time.time_ns()
    (line,) = [x for x in log.read() if mark in x.text]
    assert begun - line.uncertainty_ns <= line.time_ns <= ended + line.uncertainty_ns
    assert line.uncertainty_ns < 60e9
    assert [x for x in log.read() if mark in x.text] == []


def test_line_that_woke_the_reader_is_dated_closely(mark):
    """Waiting for the log, then reading: ± 50 ms instead of the drift since boot."""
    log = KernelLog(accept_root=True)
    log.read()
    fd = log.fileno()
    assert fd is not None
    begun = time.time_ns()
    write(mark)
    assert select.select([fd], [], [], 5)[0]
    (line,) = [x for x in log.read(woken=True) if mark in x.text]
    assert line.uncertainty_ns == 50_000_000
    assert abs(line.time_ns - begun) < 1_000_000_000


def test_lines_from_before_are_there_for_a_new_reader(mark):
    """A service that starts late, or again, reads the ring from its oldest line."""
    write(mark)
    log = KernelLog(accept_root=True)
    assert any(mark in x.text for x in log.read())
    assert log.oldest_ns is not None
    assert log.oldest_ns <= time.time_ns()


def test_line_that_a_process_wrote_is_told_from_the_kernels_own(mark):
    """Without ``kernel_log_from_root`` it counts for nothing; the kernel's own lines do."""
    write(mark)
    lines = KernelLog().read()
    assert [x.from_kernel for x in lines if mark in x.text] == [False]
    assert any(x.from_kernel for x in lines)


def test_missing_or_forbidden_device_is_a_problem(tmp_path):
    """A container without /dev/kmsg: a reason, no exception."""
    log = KernelLog(tmp_path / "kmsg")
    assert log.read() == []
    assert log.fileno() is None
    assert log.problem is not None
    assert log.problem.endswith("cannot be opened: No such file or directory")


def test_overwritten_lines_are_counted(tmp_path, mark):
    """A gap in the sequence numbers is what the kernel overwrote: here a FIFO plays the device, one record a read."""
    device = tmp_path / "kmsg"
    os.mkfifo(device)
    log = KernelLog(device)
    fd = os.open(device, os.O_WRONLY)
    os.write(fd, b"6,100,1000,-;first\n")
    assert [x.sequence for x in log.read()] == [100]
    os.write(fd, b"6,140,2000,-;second\n")
    assert [x.sequence for x in log.read()] == [140]
    assert log.lost == 39
    os.close(fd)
    log.close()
