"""Logs are on the disk before a task gets its word: by one commit of a journal that commits in order, else each by its own fsync."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.rank_log import LogFrame
from tests.bench.own_disk import OwnDisk

TASKS = 9
LOGS = 2 * TASKS


@pytest.fixture(scope="module")
def disk() -> Iterator[OwnDisk]:
    """A new ext4 with a journal, mounted."""
    with OwnDisk() as disk:
        if disk.path is None:
            pytest.skip(disk.why)
        yield disk


def run(build: Path, state: Path, task: str, *, stub: str = "spank-stub", prefix: tuple[str, ...] = (), **env: str) -> subprocess.CompletedProcess[bytes]:
    """All callbacks of a step of nine tasks, whose logs lie in ``state``."""
    state.mkdir()
    state.chmod(0o711)
    return subprocess.run(
        [*prefix, str(build / stub), str(build / "gpualert.so"), "remote", f"plug:state_dir={state}", "plug:off_file=/none", "plug:min_free_mib=1",
         "opt:gpualert-mail=alice@example.org", f"tasks={TASKS}", "--", "sh", "-c", task],
        env={"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1", **env}, check=False, capture_output=True, timeout=60,
    )  # fmt: skip


def fsyncs(build: Path, state: Path, traces: Path) -> int:
    """How many a step asks for in all its own threads until its first task gets its word, and later ones of logs."""
    if not shutil.which("strace"):
        pytest.skip("strace is missing")
    traces.mkdir()
    done = run(build, state, "true", prefix=("strace", "-ff", "-e", "trace=fsync", "-o", str(traces / "t")))
    assert done.returncode == 0, done.stderr
    return sum(len(re.findall(r"^fsync\(", trace.read_text(), re.MULTILINE)) for trace in traces.iterdir())


def test_one_fsync_serves_all_logs_of_a_step(build, disk, tmp_path):
    """On ext4 with a journal, however many tasks there are."""
    assert fsyncs(build, disk.path / "one", tmp_path / "traces") == 1


def test_nothing_is_flushed_before_all_tasks_are_forked(build, disk, tmp_path):
    """Until then slurmstepd changes its user ids, and glibc has each thread answer to that: one that waits for a disk would hold the step up."""
    if not shutil.which("strace"):
        pytest.skip("strace is missing")
    trace = tmp_path / "trace"
    done = run(build, disk.path / "order", "true", prefix=("strace", "-f", "-e", "trace=fsync,clone", "-o", str(trace)))
    assert done.returncode == 0, done.stderr
    calls = re.findall(r"^\d+ +(fsync|clone)\(", trace.read_text(), re.MULTILINE)
    assert calls == ["clone"] * TASKS + ["fsync"]


def test_without_a_journal_each_log_is_fsynced(build, tmp_path):
    """ext4 without one writes nothing but what is asked for: every log, its folder, the job file and its folder."""
    with OwnDisk(journal=False) as plain:
        if plain.path is None:
            pytest.skip(plain.why)
        assert fsyncs(build, plain.path / "state", tmp_path / "traces") >= LOGS + 3


def test_the_logs_outlive_the_machine_from_the_first_word_on(build, disk, tmp_path):
    """A copy of the device, taken by the first task that runs, is what a power cut would leave: recovered, it has every log and the job file."""
    copy, mount = disk.image.parent / "copy", tmp_path / "recovered"
    mount.mkdir()
    take = f"mkdir {tmp_path}/first 2>/dev/null || exit 0; cp --sparse=always {disk.image} {copy}"
    done = run(build, disk.path / "cut", take)
    assert done.returncode == 0, done.stderr
    assert copy.stat().st_size == disk.image.stat().st_size
    subprocess.run(["mount", "-o", "loop", str(copy), str(mount)], check=True, capture_output=True, timeout=60)
    try:
        logs = sorted((mount / "cut").glob("logs/*/*.out")) + sorted((mount / "cut").glob("logs/*/*.err"))
        assert len(logs) == LOGS
        assert {LogFrame.read(log).header.task for log in logs} == set(range(TASKS))
        (job,) = (mount / "cut").glob("node/n1/jobs/*")
        assert job.read_text().startswith("{")
    finally:
        subprocess.run(["umount", str(mount)], check=True, capture_output=True, timeout=60)
        copy.unlink()


@pytest.mark.parametrize("call", [f"fstatfs:2+:{errno.EIO}", f"readlink:1:{errno.ENOENT}", f"futimens:1:{errno.EPERM}", f"sync_file_range:1+:{errno.EIO}",
                                  f"sync_file_range:20:{errno.EIO}", f"fsync:1+:{errno.EIO}", f"fstat:3+:{errno.EIO}"])
def test_whatever_the_disk_refuses_the_tasks_run(build, disk, call):
    """Exit status and output are the job's own."""
    done = run(build, disk.path / re.sub(r"\W", "-", call), "echo said; exit 7", stub="spank-stub-failing", FAIL=call)
    assert done.returncode == 7
    assert done.stdout.count(b"said\n") == TASKS
