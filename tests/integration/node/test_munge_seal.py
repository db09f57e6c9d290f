"""The MUNGE seal with a real munged: who can open, what an old or repeated seal is worth, and a munged that is away or hangs."""

from __future__ import annotations

import os
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from gpualert_slurm.epilog.pieces import PIECE_BYTES, cut, join, open_sealed
from gpualert_slurm.epilog.seal import SealKeys, SealRefusedError, SealUnavailableError
from gpualert_slurm.epilog.seals import munge
from gpualert_slurm.epilog.seals.munge import SEAL
from tests.integration.node.a_job import NOBODY
from tests.integration.node.as_user import as_uid
from tests.unit.epilog.test_pieces import ATTEMPT, NOTE

DAEMON_UID = 64995
"""Needs no account: MUNGE knows numbers."""


@pytest.fixture
def keys(munge_socket: Path) -> SealKeys:
    """Sealed for DAEMON_UID."""
    return SealKeys(DAEMON_UID, munge_socket)


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
