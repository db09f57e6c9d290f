"""The MUNGE seal with a real munged: who can open, what an old or repeated seal is worth, and a munged that is away or hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from gpualert_slurm.epilog import munge_opener, munge_openers
from gpualert_slurm.epilog.munge_openers import MOST_DEATHS, Openers
from gpualert_slurm.epilog.pieces import PIECE_BYTES, cut, join, open_sealed
from gpualert_slurm.epilog.seal import SealKeys, SealRefusedError, SealUnavailableError
from gpualert_slurm.epilog.seals import munge
from gpualert_slurm.epilog.seals.munge import SEAL
from tests.integration.node.a_job import NOBODY
from tests.integration.node.as_user import as_uid
from tests.unit.epilog.test_pieces import ATTEMPT, NOTE

DAEMON_UID = 64995
"""Needs no account: MUNGE knows numbers."""


@pytest.fixture(params=["commands", "libmunge"])
def keys(request, munge_socket: Path, monkeypatch) -> Iterator[SealKeys]:
    """Sealed for DAEMON_UID; opened by ``unmunge``, and by the process that calls libmunge."""
    monkeypatch.setattr(munge_openers, "WORTH_IT", 0 if request.param == "libmunge" else 1 << 30)
    made = Openers()
    monkeypatch.setattr(SEAL, "_openers", made)
    yield SealKeys(DAEMON_UID, munge_socket)
    for opener in made._idle:
        opener.close()


def test_only_the_daemon_opens_what_root_sealed(keys):
    """The daemon's uid gets content and sealer; another user, and root itself, get nothing."""
    sealed = SEAL.close(b"content", keys)
    opened = as_uid(DAEMON_UID, partial(SEAL.open, sealed, keys))
    assert (opened.content, opened.uid, opened.gid, opened.stale) == (b"content", 0, 0, None)
    assert opened.closed_ns is not None
    assert abs(opened.closed_ns - time.time_ns()) < 5e9
    for other in (NOBODY, 0):
        with pytest.raises(SealRefusedError, match="Unauthorized"):
            as_uid(other, partial(SEAL.open, sealed, keys))


def test_largest_piece_survives_byte_for_byte(keys):
    """512 KiB of anything, line breaks and NULs included."""
    content = os.urandom(PIECE_BYTES) + b"\n\nUID: 7\n\0" + b"x" * 4000
    sealed = SEAL.close(content, keys)
    assert as_uid(DAEMON_UID, partial(SEAL.open, sealed, keys)).content == content
    assert len(sealed) < 1 << 20


def test_replayed_and_expired_seals_still_say_what_they_held(keys):
    """The second opening, and one after its time: intact, and marked."""
    sealed = SEAL.close(b"again", keys)
    as_uid(DAEMON_UID, partial(SEAL.open, sealed, keys))
    again = as_uid(DAEMON_UID, partial(SEAL.open, sealed, keys))
    assert (again.content, again.uid, again.stale) == (b"again", 0, "replayed")
    argv = ["munge", f"--socket={keys.munge_socket}", f"--restrict-uid={DAEMON_UID}", "--ttl=1"]
    old = subprocess.run(argv, input=b"old", capture_output=True, check=True).stdout
    time.sleep(2.2)
    late = as_uid(DAEMON_UID, partial(SEAL.open, old, keys))
    assert (late.content, late.uid, late.stale) == (b"old", 0, "expired")


def test_note_sealed_by_a_user_is_refused(keys):
    """Any user of the node can call munge; their uid is in the seal."""
    (framed,) = cut(NOTE, "note", ATTEMPT)
    mine, theirs = SEAL.close(framed, keys), as_uid(NOBODY, partial(SEAL.close, framed, keys))
    piece = as_uid(DAEMON_UID, partial(open_sealed, mine, SEAL, keys, "hpc"))
    assert join([piece], 1 << 20) == NOTE
    with pytest.raises(SealRefusedError, match=f"uid {NOBODY}"):
        as_uid(DAEMON_UID, partial(open_sealed, theirs, SEAL, keys, "hpc"))


@pytest.mark.parametrize("garbage", [b"", b"hello", b"MUNGE:AAAA:", b"MUNGE:" + b"A" * 2000 + b":", b"x" * (2 << 20)])
def test_garbage_is_refused_for_good(keys, garbage):
    """It will be no credential tomorrow either."""
    with pytest.raises(SealRefusedError):
        SEAL.open(garbage, keys)


def test_munged_that_is_away_is_not_the_pieces_fault(keys, open_folder):
    """Nothing is refused while munged is down: sealing and opening are tried again later."""
    sealed = SEAL.close(b"x", keys)
    gone = SealKeys(DAEMON_UID, open_folder / "no-socket")
    with pytest.raises(SealUnavailableError):
        SEAL.close(b"x", gone)
    with pytest.raises(SealUnavailableError):
        SEAL.open(sealed, gone)


def test_munged_that_hangs_is_given_up_at_the_deadline(keys, munge_daemon, monkeypatch):
    """A stopped munged answers nobody; the call ends in time and says so."""
    monkeypatch.setattr(munge, "_TIMEOUT_S", 0.5)
    munge_daemon[0].pause()
    try:
        begun = time.monotonic()
        with pytest.raises(SealUnavailableError, match=r"did not answer within 0\.5 s"):
            SEAL.close(b"x", keys)
        assert time.monotonic() - begun < 3
    finally:
        munge_daemon[0].resume()


@pytest.fixture
def openers(keys) -> Openers:
    """Those of ``SEAL`` in this test."""
    return SEAL._openers


def own(keys: SealKeys) -> SealKeys:
    """The same for what this process may open."""
    return SealKeys(os.geteuid(), keys.munge_socket)


@pytest.mark.parametrize("keys", ["libmunge"], indirect=True)
def test_many_are_opened_by_one_process_which_is_used_again(keys, openers):
    """One interpreter for all of them; which says what ``unmunge`` does, and where it was sealed."""
    mine = own(keys)
    found = [SEAL.open(SEAL.close(b"%d" % number, mine), mine) for number in range(5)]
    assert [one.content for one in found] == [b"0", b"1", b"2", b"3", b"4"]
    assert all(one.host and one.host[0].isdigit() for one in found)
    assert len(openers._idle) == 1


@pytest.mark.parametrize("keys", ["libmunge"], indirect=True)
def test_opener_that_is_killed_costs_no_credential(keys, openers):
    """``unmunge`` opens what was asked then; the next gets a process of its own, until too many have died."""
    mine = own(keys)
    for number in range(MOST_DEATHS + 1):
        if number < MOST_DEATHS:
            SEAL.open(SEAL.close(b"before", mine), mine)
            os.kill(openers._idle[0]._process.pid, signal.SIGKILL)
            openers._idle[0]._process.wait(5)
        assert SEAL.open(SEAL.close(b"after", mine), mine).content == b"after"
    assert openers._idle == []


@pytest.mark.parametrize("keys", ["libmunge"], indirect=True)
def test_opener_ends_when_munged_hangs(keys, openers, munge_daemon, monkeypatch):
    """Libmunge cannot be interrupted; its process can."""
    mine = own(keys)
    SEAL.open(SEAL.close(b"x", mine), mine)
    process, sealed = openers._idle[0]._process, SEAL.close(b"y", mine)
    monkeypatch.setattr(munge, "_TIMEOUT_S", 0.5)
    munge_daemon[0].pause()
    try:
        with pytest.raises(SealUnavailableError, match=r"did not answer within 0\.5 s"):
            SEAL.open(sealed, mine)
        assert process.poll() is not None
        assert openers._idle == []
    finally:
        munge_daemon[0].resume()
    monkeypatch.setattr(munge, "_TIMEOUT_S", 10.0)
    assert SEAL.open(sealed, mine).content == b"y"


@pytest.mark.parametrize("keys", ["libmunge"], indirect=True)
def test_where_there_is_no_libmunge_the_commands_open(keys, tmp_path, monkeypatch):
    """Its package comes with munge's, but nobody relies on that."""
    lacking = tmp_path / "opener.py"
    lacking.write_text(Path(munge_opener.__file__).read_text().replace("libmunge.so.2", "libmunge.so.none"))
    monkeypatch.setattr(munge_opener, "__file__", str(lacking))
    mine = own(keys)
    assert [SEAL.open(SEAL.close(b"z", mine), mine).content for _ in range(MOST_DEATHS + 2)] == [b"z"] * (MOST_DEATHS + 2)


def test_first_credentials_of_a_process_need_no_interpreter(munge_socket, monkeypatch):
    """A command that opens one has no use for it."""
    monkeypatch.setattr(SEAL, "_openers", made := Openers())
    mine = SealKeys(os.geteuid(), munge_socket)
    SEAL.open(SEAL.close(b"one", mine), mine)
    assert made._idle == []
