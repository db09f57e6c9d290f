"""A command inside a folder leaves no process, no mount and no file outside of where it may write."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.matrix.cgroups import CgroupError, Group
from tests.matrix.space import LATE, Space, SpaceError, mounts_below, remove

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="mount namespaces and chroot need root"),
    pytest.mark.timeout(120),
]


@pytest.fixture
def space(tmp_path: Path) -> Space:
    """The host's own root, seen through a folder of ours."""
    return Space(tmp_path / "root", tmp_path / "work")


def test_what_runs_inside_sees_its_own_processes_and_its_own_var_tmp_and_cannot_change_the_root(space: Space, tmp_path: Path) -> None:
    lines: list[str] = []
    script = "ls /proc | grep -cE '^[0-9]+$'; echo x > /var/tmp/kept; echo x > /etc/gpualert-matrix-test || echo refused"
    assert space.run(["bash", "-c", script], timeout_s=30, log=tmp_path / "log", echo=lines.append) == 0
    assert int(lines[0]) < 10
    assert lines[-1] == "refused"
    assert (space.work / "var/tmp/kept").read_text() == "x\n"
    assert not Path("/var/tmp/kept").exists()
    assert not Path("/etc/gpualert-matrix-test").exists()


def test_a_command_that_is_late_ends_with_all_it_started_and_no_mount_stays(space: Space, tmp_path: Path) -> None:
    mark = f"gpualert-matrix-{time.time_ns()}"
    script = f"(exec -a {mark} setsid sleep 100) & exec -a {mark} sleep 100"
    started = time.monotonic()
    assert space.run(["bash", "-c", script], timeout_s=1, log=tmp_path / "log") == LATE
    assert time.monotonic() - started < 20
    until = time.monotonic() + 5
    while (left := _named(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
    assert not mounts_below(tmp_path)


def test_an_exit_status_comes_through_and_check_quotes_the_output(space: Space, tmp_path: Path) -> None:
    assert space.run(["sh", "-c", "exit 42"], timeout_s=30, log=tmp_path / "log") == 42
    with pytest.raises(SpaceError, match=r"(?s)ended with 3.*the reason"):
        space.check(["sh", "-c", "echo the reason; exit 3"], timeout_s=30, log=tmp_path / "log")


def test_a_folder_with_something_mounted_in_it_is_not_removed(tmp_path: Path) -> None:
    """A bind mount would lead the removal to what is bound there."""
    precious, inside = tmp_path / "precious", tmp_path / "folder" / "inside"
    precious.mkdir()
    inside.mkdir(parents=True)
    (precious / "file").write_text("kept")
    subprocess.run(["mount", "--bind", str(precious), str(inside)], check=True)
    try:
        with pytest.raises(SpaceError, match=str(inside)):
            remove(tmp_path / "folder")
    finally:
        subprocess.run(["umount", str(inside)], check=True)
    assert (precious / "file").read_text() == "kept"
    remove(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
    assert (precious / "file").exists()


def test_the_groups_made_for_a_run_are_its_roots_and_are_removed(space: Space, tmp_path: Path) -> None:
    try:
        group = Group("test")
    except CgroupError as error:
        pytest.skip(f"no control groups version 1 here: {error}")
    lines: list[str] = []
    try:
        script = "grep -c ':/$' /proc/self/cgroup; wc -l < /proc/self/cgroup; mkdir -p /sys/fs/cgroup/memory/slurm_n1/uid_0"
        assert space.run(["bash", "-c", script], timeout_s=30, log=tmp_path / "log", group=group, echo=lines.append) == 0
        assert lines[0] == lines[1]
    finally:
        left = group.remove()
    assert left == []
    assert not list(Path("/sys/fs/cgroup/memory").glob("slurm_n1/uid_0"))


def _named(mark: str) -> list[str]:
    """Processes whose argv[0] is ``mark``."""
    done = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if line.split()[1:2] == [mark]]
