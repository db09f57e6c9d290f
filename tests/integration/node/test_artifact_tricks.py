"""What an owner can lay into his work directory to have another's file sent: links, hard links, pipes, devices, /proc, swaps, a dead file system."""

from __future__ import annotations

import base64
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.config import Node
from gpualert_slurm.epilog import collect_beneath
from gpualert_slurm.epilog.collect_account import Account
from gpualert_slurm.epilog.collect_artifacts import Artifacts, take_artifacts
from gpualert_slurm.epilog.collect_beneath import file_beneath, folder_beneath
from tests.integration.node.a_job import NOBODY

USER = Account(uid=NOBODY, gid=NOBODY, name="nobody", home="/nonexistent", groups=(NOBODY,))
SECRET = "another user's"
RENAME_EXCHANGE, AT_FDCWD = 2, -100


@pytest.fixture(params=["openat2", "step by step"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """By the kernel's call, and as on a kernel without it."""
    if request.param == "step by step":
        monkeypatch.setattr(collect_beneath, "OPENAT2_NUMBERS", {})
    return str(request.param)


@pytest.fixture
def outside(open_folder: Path) -> Path:
    """A folder beside the work directory, whose file everybody may read: what arrives of it came by a trick."""
    folder = open_folder / "outside"
    folder.mkdir()
    (folder / "data.txt").write_text(SECRET)
    return folder


@pytest.fixture
def work(open_folder: Path) -> Path:
    """The work directory, the user's own."""
    folder = open_folder / "work"
    (folder / "runs").mkdir(parents=True)
    (folder / "runs" / "data.txt").write_text("mine")
    for path in (folder, folder / "runs", folder / "runs" / "data.txt"):
        os.chown(path, NOBODY, NOBODY)
    return folder


def take(work: Path | str, *globs: str, deadline_s: float = 10) -> Artifacts:
    return take_artifacts(globs, str(work), USER, Node(artifact_max_bytes=10_000, artifacts_max_total_bytes=100_000), deadline_s)


def contents(found: Artifacts) -> dict[str, str | None]:
    return {a.path: None if a.content is None else base64.b64decode(a.content).decode() for a in found.files}


def reasons(found: Artifacts) -> dict[str, str | None]:
    return {a.path: a.left_out for a in found.files if a.content is None}


def test_this_kernel_is_asked_by_openat2(work):
    """Else the other tests of this file would try the same way twice."""
    root = os.open(work, os.O_RDONLY)
    number = collect_beneath.OPENAT2_NUMBERS.get(os.uname().machine)
    if number is None or tuple(map(int, os.uname().release.split(".")[:2])) < (5, 6):
        pytest.skip("no openat2 here")
    fd = collect_beneath.openat2(number, root, "runs/data.txt", os.O_RDONLY)
    assert os.read(fd, 10) == b"mine"
    os.close(fd)
    os.close(root)


def test_links_lead_nowhere(way, work, outside):
    """As the file, as a folder on the way, as a link that stays inside, and as the last of several."""
    (work / "file.txt").symlink_to(outside / "data.txt")
    (work / "folder").symlink_to(outside)
    (work / "inside.txt").symlink_to("runs/data.txt")
    (work / "runs" / "chain.txt").symlink_to("../file.txt")
    found = take(work, "*.txt", "folder/*", "*/*.txt", "**/data.txt")
    assert contents(found) == {"runs/data.txt": "mine", "file.txt": None, "inside.txt": None, "runs/chain.txt": None}
    assert set(reasons(found).values()) <= {
        "it is no regular file (a link, a pipe, a device or a folder)", "a part of its path is a link, or leads out of the work directory",
    }


def test_a_hard_link_gives_no_more_than_the_user_may_read(way, work, outside):
    """Root's file of mode 0600 under a name in the work directory stays closed; his own second name is his file."""
    (outside / "closed").write_text(SECRET)
    (outside / "closed").chmod(0o600)
    os.link(outside / "closed", work / "closed.log")
    os.link(work / "runs" / "data.txt", work / "second.log")
    found = take(work, "*.log")
    assert contents(found) == {"closed.log": None, "second.log": "mine"}
    assert reasons(found) == {"closed.log": "Permission denied"}


def test_pipes_sockets_and_devices_are_not_even_opened(way, work):
    """A FIFO gets no reader (a writer that was waiting for one still waits), a terminal's master allocates nothing, and nobody waits."""
    os.mkfifo(work / "pipe.log")
    os.mknod(work / "ptmx.log", 0o666 | 0o020000, os.makedev(5, 2))
    os.mknod(work / "zero.log", 0o666 | 0o020000, os.makedev(1, 5))
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(work / "socket.log"))
    for name in ("pipe.log", "ptmx.log", "zero.log", "socket.log"):
        os.chown(work / name, NOBODY, NOBODY)
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(work / 'pipe.log')!r}, 'wb'); print('a reader came')"], stdout=subprocess.PIPE)
    try:
        begun = time.monotonic()
        found = take(work, "*.log")
        assert time.monotonic() - begun < 5
        assert contents(found) == dict.fromkeys(("pipe.log", "ptmx.log", "zero.log", "socket.log"))
        assert {why and "no regular file" in why for why in reasons(found).values()} == {True}
        assert writer.poll() is None
    finally:
        writer.kill()
        assert writer.communicate()[0] == b""
        listening.close()


def test_proc_gives_nothing(way, work, outside):
    """Links into /proc, its magic links to this process's root, folder and descriptors, and /proc or /sys themselves as the work directory."""
    held = os.open(outside, os.O_RDONLY)
    try:
        (work / "environ.txt").symlink_to("/proc/self/environ")
        (work / "maps.txt").symlink_to(f"/proc/{os.getpid()}/maps")
        (work / "root").symlink_to("/proc/self/root")
        (work / "cwd").symlink_to(f"/proc/{os.getpid()}/cwd")
        (work / "fd").symlink_to(f"/proc/{os.getpid()}/fd/{held}")
        found = take(work, "*.txt", "root/etc/passwd", "cwd/*", "fd/*", "fd/data.txt")
        assert contents(found) == {"environ.txt": None, "maps.txt": None}
        for folder in ("/proc/self", "/proc", "/sys/kernel", f"/proc/{os.getpid()}/task"):
            found = take(folder, "*", "self/status")
            assert found.files == []
            assert [g.why for g in found.gaps] == ["it lies in a file system of the kernel's own"]
    finally:
        os.close(held)


def exchange(one: Path, two: Path) -> None:
    """Swap two names at one stroke."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(two), RENAME_EXCHANGE) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def swapped(one: Path, two: Path, stop: threading.Event) -> threading.Thread:
    """The two names are swapped again and again until ``stop``."""

    def work() -> None:
        while not stop.is_set():
            exchange(one, two)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.mark.parametrize("what", ["the folder and a link out", "the file and a link out", "the file and a pipe", "the file and a folder"])
def test_no_swap_between_two_looks_brings_what_lies_outside(way, work, outside, what):
    """Thousands of openings while a name changes under them: his own file or a refusal, never the other, and nobody waits."""
    root = os.open(work, os.O_RDONLY)
    mine, other = (work / "runs", work / "other") if what.startswith("the folder") else (work / "runs" / "data.txt", work / "runs" / "other")
    if what.endswith("link out"):
        other.symlink_to(outside if mine.is_dir() else outside / "data.txt")
    elif what.endswith("pipe"):
        os.mkfifo(other)
    else:
        other.mkdir()
    stop = threading.Event()
    thread = swapped(mine, other, stop)
    seen: dict[str, int] = {}
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and (sum(seen.values()) < 3000 or len(seen) < 2):
            try:
                fd, _ = file_beneath(root, "runs/data.txt")
            except OSError:
                seen["refused"] = seen.get("refused", 0) + 1
                continue
            text = os.read(fd, 100).decode()
            os.close(fd)
            seen[text] = seen.get(text, 0) + 1
    finally:
        stop.set()
        thread.join()
        os.close(root)
    assert set(seen) == {"mine", "refused"}, seen


@pytest.mark.parametrize("path", ["../outside", "..", "runs/../../outside/data.txt", "/etc/passwd", "runs/../../../etc/passwd"])
def test_nothing_above_the_folder_is_reached(way, work, outside, path):
    root = os.open(work, os.O_RDONLY)
    try:
        for opening in (file_beneath, folder_beneath):
            with pytest.raises(OSError, match=r"link|ross-device"):
                opening(root, path)
    finally:
        os.close(root)


def test_names_with_line_breaks_and_escapes_are_one_name_each(way, work):
    """The child's answer is framed by length: what stands in a name adds no artifact and no gap."""
    names = ["a\nG{}.txt", "b\x1b[2J\r\nBcc: x@y.txt", "c\u202egpj.txt", "*[x].txt"]
    for name in names:
        (work / name).write_text(name)
    found = take(work, "*.txt", "*/data.txt")
    assert contents(found) == {**{name: name for name in names}, "runs/data.txt": "mine"}
    assert found.gaps == []


@pytest.fixture
def dead(work: Path) -> Iterator[Path]:
    """A file system below the work directory that keeps every question for ever."""
    if not Path("/dev/fuse").exists():
        pytest.skip("no /dev/fuse")
    folder = work / "dead"
    folder.mkdir()
    server = Path(__file__).parents[2] / "system/exit_matrix/hung_mount.py"
    process = subprocess.Popen([sys.executable, str(server), str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if process.stdout.readline() != "mounted\n":
            pytest.skip("no file system can be mounted here")
        yield folder
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        subprocess.run([shutil.which("umount") or "umount", "-l", str(folder)], check=False)


def test_a_file_system_that_never_answers_costs_the_deadline_and_no_more(way, work, dead):
    """What had been asked for there is a gap that says so; the collector goes on."""
    begun = time.monotonic()
    found = take(work, "dead/*.txt", deadline_s=1.0)
    assert time.monotonic() - begun < 20
    assert found.files == []
    assert any("not done within 1 s" in g.why or "stuck in the kernel" in g.why for g in found.gaps)
