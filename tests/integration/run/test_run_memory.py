"""A command that the kernel kills for memory: its control group counts it, where the kernel log is closed to the user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpualert_slurm.classifier import judge
from gpualert_slurm.programs.bundle import job_of
from tests.integration.run.waiting import until

V1, V2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
LIMIT = 160 << 20
EAT = (sys.executable, "-c", "kept = [b'x' * (1 << 20) for _ in range(1000)]")
ENTER = 'echo $$ > "$0/cgroup.procs" && exec "$@"'


@dataclass
class Group:
    """A real memory control group with a limit of ``LIMIT`` bytes."""

    folder: Path
    v2: bool

    @property
    def path(self) -> str:
        """As /proc/self/cgroup names it."""
        return "/" + str(self.folder.relative_to(V2 if self.v2 else V1))

    def holding(self, *words: object) -> list[str]:
        """The command line that runs ``words`` in this group."""
        return ["sh", "-c", ENTER, str(self.folder), *map(str, words)]

    def kills(self) -> int:
        """How many it has counted so far."""
        text = (self.folder / ("memory.events" if self.v2 else "memory.oom_control")).read_text()
        return int(dict(line.split() for line in text.splitlines())["oom_kill"])


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    v2 = not V1.is_dir()
    folder = (V2 if v2 else V1) / f"gpualert-test-{os.getpid()}-{tmp_path.name[-24:]}"
    names = ("memory.max", "memory.swap.max") if v2 else ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        (folder / names[0]).write_text(str(LIMIT))
        if (folder / names[1]).exists():
            (folder / names[1]).write_text("0" if v2 else str(LIMIT))
        made = Group(folder, v2)
        if made.kills() != 0:
            pytest.skip("a new control group has counted kills already")
    except (OSError, KeyError) as error:
        folder.rmdir()
        pytest.skip(f"no memory control group can be made here: {error!r}")
    yield made
    until(lambda: _is_removed(folder), f"{folder} is empty")


def _is_removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:  # its last process is still being taken down
        return False
    return True


def run_in(group: Group, gpualert_run, *command: str) -> int:
    """The status of ``gpualert-run -- command`` in the group."""
    words = group.holding(gpualert_run.program, "--", *command)
    return subprocess.run(words, env=gpualert_run.environment, capture_output=True, timeout=120, check=False).returncode


def test_the_groups_counters_name_the_kernels_killer(gpualert_run, group: Group) -> None:
    """The command itself is killed: one kill, the limit, and the verdict that a kernel log would have given."""
    assert run_in(group, gpualert_run, *EAT) == -signal.SIGKILL
    memory = gpualert_run.read("end.json")["memory"]
    assert (memory["cgroup"], memory["limit_bytes"], memory["oom_kill_events"]) == (group.path, LIMIT, 1)
    assert LIMIT // 2 < memory.get("peak_bytes", LIMIT) <= LIMIT
    verdict = judge(job_of(gpualert_run.bundle))
    assert (verdict.mode, verdict.cause, verdict.detail, verdict.fault) == ("A2", "oom_killer", "cgroup_limit", "user")


def test_a_shell_that_tells_of_its_killed_child_is_enough(gpualert_run, group: Group) -> None:
    """137 is a shell's word for it; kills of the runs before are not counted again."""
    for _ in range(2):
        assert run_in(group, gpualert_run, "sh", "-c", '"$@"; exit $?', "sh", *EAT) == 137
        assert gpualert_run.read("end.json")["memory"]["oom_kill_events"] == 1
        verdict = judge(job_of(gpualert_run.bundle))
        assert (verdict.mode, verdict.cause) == ("A2", "oom_killer")
    assert group.kills() == 2


def test_killed_from_outside_where_kills_were_counted_before_is_not_the_kernels_doing(gpualert_run, group: Group) -> None:
    """Near miss: the group's counter is above 0, but it stood while the command ran."""
    assert subprocess.run(group.holding(*EAT), check=False, capture_output=True, timeout=120).returncode == -signal.SIGKILL
    assert group.kills() == 1
    process = subprocess.Popen(
        group.holding(gpualert_run.program, "--", "sh", "-c", "echo $$; exec sleep 600"), env=gpualert_run.environment, stdout=subprocess.PIPE
    )
    gpualert_run.started.append(process)
    assert process.stdout is not None
    os.kill(int(process.stdout.readline()), signal.SIGKILL)
    assert process.wait(60) == -signal.SIGKILL
    assert gpualert_run.read("end.json")["memory"]["oom_kill_events"] == 0
    verdict = judge(job_of(gpualert_run.bundle))
    assert (verdict.mode, verdict.cause) == ("A2", None)
    assert "the memory cgroup counted no oom kill: it was not the memory limit" in str(verdict)


def test_a_killed_child_that_the_command_survived_is_no_failure(gpualert_run, group: Group) -> None:
    """It is written down, and the run ended well all the same."""
    assert run_in(group, gpualert_run, "sh", "-c", '"$@"; echo went on; exit 0', "sh", *EAT) == 0
    assert gpualert_run.read("end.json")["memory"] == {"cgroup": group.path, "oom_kill_events": 1, **({"oom_events": 1} if group.v2 else {})}
    verdict = judge(job_of(gpualert_run.bundle))
    assert (verdict.is_problem, verdict.cause) == (False, None)


def test_the_guardian_reads_them_where_gpualert_run_was_killed(gpualert_run, group: Group) -> None:
    process = subprocess.Popen(
        group.holding(gpualert_run.program, "--", "sh", "-c", '"$@"; echo over; exec sleep 600', "sh", *EAT),
        env=gpualert_run.environment,
        stdout=subprocess.PIPE,
    )
    gpualert_run.started.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"over\n"
    process.kill()
    end = gpualert_run.read("end.json", within_s=60)
    assert (end["by"], end["memory"]["oom_kill_events"]) == ("guardian", 1)


CONTAINERS = {
    "the namespace is the host's": (["--mount"], 'mount --bind "$GROUP" "$AT"'),
    "a namespace of its own": (["--mount", "--cgroup"], 'umount "$AT" && mount -t "$TYPE" -o "$HOW" none "$AT"'),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_in_a_container_the_groups_own_root_is_what_is_mounted(gpualert_run, group: Group, kind: str) -> None:
    """Seen from within, the group is / or lies elsewhere than its name says; its counters are found all the same."""
    options, mount = CONTAINERS[kind]
    at = V2 if group.v2 else V1
    how = {"GROUP": str(group.folder), "AT": str(at), "TYPE": "cgroup2" if group.v2 else "cgroup", "HOW": "rw" if group.v2 else "memory"}
    inside = ["unshare", *options, "sh", "-c", f'{mount} && exec "$@"', "sh"]
    tried = subprocess.run(group.holding(*inside, "true"), env={**os.environ, **how}, capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"no such container can be made here: {tried.stderr.decode().strip()}")
    words = group.holding(*inside, gpualert_run.program, "--", *EAT)
    assert subprocess.run(words, env={**gpualert_run.environment, **how}, capture_output=True, timeout=120, check=False).returncode == -signal.SIGKILL
    memory = gpualert_run.read("end.json")["memory"]
    assert (memory["limit_bytes"], memory["oom_kill_events"]) == (LIMIT, 1)
    assert memory["cgroup"] == ("/" if "own" in kind else group.path)


def test_the_root_of_all_groups_is_nobodys_own(gpualert_run) -> None:
    """There the kernel would count the kills of all users: nothing is written, and the run goes on as without counters."""
    root = V1 if V1.is_dir() else V2
    try:
        (root / "cgroup.procs").open("a").close()
    except OSError as error:
        pytest.skip(f"processes cannot be moved between control groups here: {error}")
    if Path("/proc/self/ns/cgroup").stat().st_ino != 0xEFFFFFFB:
        pytest.skip("in a container the root is the container's own group")
    done = subprocess.run(
        ["sh", "-c", ENTER, str(root), str(gpualert_run.program), "--", "sh", "-c", "kill -9 $$"],
        env=gpualert_run.environment,
        check=False,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL
    assert "memory" not in gpualert_run.read("end.json")


def test_a_limit_of_a_group_above_is_the_one_that_was_exceeded(gpualert_run, group: Group) -> None:
    """As in a user's slice: the command's group has none, and the kill counts in it all the same."""
    if group.v2:
        pytest.skip("version 2 would need memory handed down by the group above: the C unit test has the files")
    below = Group(group.folder / "below", group.v2)
    below.folder.mkdir()
    try:
        assert run_in(below, gpualert_run, *EAT) == -signal.SIGKILL
        memory = gpualert_run.read("end.json")["memory"]
        assert (memory["cgroup"], memory["limit_bytes"], memory["oom_kill_events"]) == (below.path, LIMIT, 1)
        assert group.kills() == 0
        assert judge(job_of(gpualert_run.bundle)).detail == "cgroup_limit"
    finally:
        until(lambda: _is_removed(below.folder), f"{below.folder} is empty")
