"""The child that reads a user's files: what it is, what it can not do, and that no misdeed of it costs more than its answer."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

import pytest

from gpualert_slurm.epilog.collect_account import Account, look_up
from gpualert_slurm.epilog.collect_user import Limits, run_as
from tests.integration.node.a_job import NOBODY

USER = Account(uid=NOBODY, gid=NOBODY, groups=(NOBODY,))
QUICK = Limits(deadline_s=10)


def test_child_is_the_user_for_good():
    """All three uids and gids, no groups of root's, no capability, no new privileges, a session of its own, and no way back."""

    def work(send):
        status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
        try:
            os.setresuid(0, 0, 0)
            back = True
        except PermissionError:
            back = False
        send(json.dumps([os.getresuid(), os.getresgid(), os.getgroups(), status["CapEff"].strip(), status["CapPrm"].strip(),
                         status["NoNewPrivs"].strip(), os.getsid(0) == os.getpid(), back]).encode())

    answer = run_as(USER, work, QUICK)
    assert answer.cut_short is None
    ids = [NOBODY] * 3
    assert json.loads(answer.frames[0]) == [ids, ids, [NOBODY], "0" * 16, "0" * 16, "1", True, False]


def test_child_cannot_read_what_is_roots(tmp_path):
    """Neither a root-only file, nor a descriptor that the parent has open, nor its memory through /proc."""
    secret = tmp_path / "key"
    secret.write_text("secret")
    secret.chmod(0o600)
    held = os.open(secret, os.O_RDONLY)
    parent = os.getpid()

    def work(send):
        for what in (secret, Path(f"/proc/{parent}/mem"), Path(f"/proc/self/fd/{held}"), Path(f"/proc/{parent}/fd/{held}")):
            with contextlib.suppress(OSError):
                what.read_bytes()
                send(b"read")
            send(b"tried")

    try:
        answer = run_as(USER, work, QUICK)
    finally:
        os.close(held)
    assert answer.frames == (b"tried",) * 4


def test_child_cannot_make_processes_or_files(open_folder):
    """A parser that was taken over has nothing to work with."""
    open_folder.chmod(0o777)

    def work(send):
        try:
            os.fork()
            send(b"forked")
        except OSError as error:
            send(type(error).__name__.encode())
        try:
            (open_folder / "made").write_bytes(b"content")
            send(b"wrote")
        except OSError as error:
            send(str(error.strerror).encode())

    assert run_as(USER, work, QUICK).frames == (b"BlockingIOError", b"File too large")


def test_child_that_hangs_is_killed_and_what_it_said_before_counts():
    """The deadline is ours; frames that arrived whole are kept."""

    def work(send):
        send(b"first")
        time.sleep(60)

    begun = time.monotonic()
    answer = run_as(USER, work, Limits(deadline_s=0.5))
    assert time.monotonic() - begun < 3
    assert answer.frames == (b"first",)
    assert answer.cut_short == "not done within 0.5 s"


def test_child_that_eats_memory_dies_alone():
    """The address space is bounded; we hear why."""

    def work(send):
        send(b"first")
        hoard = [bytearray(1 << 20) for _ in range(4000)]
        send(b"%d" % len(hoard))

    answer = run_as(USER, work, Limits(deadline_s=20, memory_mib=512))
    assert answer.frames == (b"first",)
    assert answer.cut_short is not None
    assert "memory" in answer.cut_short


def test_child_that_says_too_much_is_cut():
    """No answer fills our memory."""

    def work(send):
        while True:
            send(b"x" * 100_000)

    answer = run_as(USER, work, Limits(deadline_s=10, answer_bytes=1 << 20))
    assert answer.cut_short == "the answer is larger than 1048576 bytes"
    assert sum(map(len, answer.frames)) <= 1 << 21


def test_child_that_fails_says_what_happened():
    """An exception is a reason, not a silence."""

    def work(send):
        raise ValueError("odd input")

    assert run_as(USER, work, QUICK).cut_short == "ValueError: odd input"


@pytest.mark.parametrize("torn", [b"\xff\xff\xff\x7f", b"\x05\x00\x00\x00ab", b"\x01"])
def test_torn_frames_are_cut_off_not_believed(torn):
    """A child may write anything on its pipe."""

    def work(send):
        send(b"whole")
        for fd in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(fd, torn)

    answer = run_as(USER, work, QUICK)
    assert answer.frames == (b"whole",)
    assert answer.cut_short == "the answer is cut off"


def test_nothing_is_left_behind():
    """No zombie, no descriptor."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = len(list(Path("/proc/self/fd").iterdir())), children.read_text()
    for _ in range(5):
        run_as(USER, lambda send: send(b"x"), QUICK)
    assert (len(list(Path("/proc/self/fd").iterdir())), children.read_text()) == before


def test_account_of_a_user_and_of_nobody_known():
    """Name, home and groups as the name service has them; a uid without a name is said, and has no groups."""
    daemon = look_up(1, None)
    assert (daemon.uid, daemon.name, daemon.problem) == (1, "daemon", None)
    assert daemon.gid in daemon.groups
    unknown = look_up(59_999, 59_998)
    assert (unknown.gid, unknown.name, unknown.groups) == (59_998, None, ())
    assert unknown.problem is not None
