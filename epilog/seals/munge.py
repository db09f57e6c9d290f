"""MUNGE credentials, restricted to the daemon's uid: encrypted with the cluster's own key, signed as coming from a uid.

Sealed by the commands ``munge`` and ``unmunge``, not by libmunge: they come with the munged that every node of a MUNGE cluster runs, a
hung one is killed at its deadline, and no C code enters our processes. Who has opened many gets a process that calls libmunge, and is
killed at the same deadline (doc/adr/0008).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence

from gpualert_slurm.epilog.munge_opener import MOST_SEALED, Answer, LateError
from gpualert_slurm.epilog.munge_openers import Openers
from gpualert_slurm.epilog.seal import Opened, Seal, SealKeys, SealRefusedError, SealUnavailableError

_TIMEOUT_S = 10.0
_PREFIX = b"MUNGE:"
_STALE = {15: "expired", 16: "rewound", 17: "replayed"}  # munge_err_t in munge.h; payload and identity are sound in all three
_NOT_NOW = {0, 1, 2, 4, 5, 6, 7}
"""Snafu, bad argument, out of memory, socket and timeout troubles, as munge_err_t numbers them: nothing about the credential itself."""
_KEYS = "STATUS,ENCODE_HOST,ENCODE_TIME,UID,GID,LENGTH"


class Munge(Seal):
    """The default seal of a cluster that runs munged."""

    def __init__(self) -> None:
        self._openers = Openers()

    def close(self, content: bytes, keys: SealKeys) -> bytes:
        """A credential that ``keys.daemon_uid`` alone can open; the longest life munged gives, though an expired one still opens."""
        done = _run(["munge", f"--restrict-uid={keys.daemon_uid}", "--ttl=-1", "--zip=none", *_socket(keys)], content)
        if done.returncode != 0 or not done.stdout.startswith(_PREFIX):
            raise SealUnavailableError(f"munge cannot seal: {_said(done)}")
        return done.stdout

    def open(self, sealed: bytes, keys: SealKeys) -> Opened:
        """What the credential holds; broken, foreign and unauthorised ones are refused."""
        if len(sealed) > MOST_SEALED or not sealed.startswith(_PREFIX):
            raise SealRefusedError(f"{len(sealed)} bytes are no credential of munge's (at most {MOST_SEALED}, beginning with {_PREFIX.decode()})")
        try:
            answer = self._openers.open(sealed, keys.munge_socket, _TIMEOUT_S)
        except LateError as error:
            raise SealUnavailableError(str(error)) from error
        if answer is None:
            answer = _by_command(sealed, keys)
        if answer.status != 0 and answer.status not in _STALE:
            if answer.status in _NOT_NOW or answer.status < 0:
                raise SealUnavailableError(f"munged cannot open: {answer.said}")
            raise SealRefusedError(f"munge refuses it: {answer.said}")
        return Opened(
            content=answer.content, uid=answer.uid, gid=answer.gid, closed_ns=answer.closed_s * 1_000_000_000, host=answer.host or None,
            stale=_STALE.get(answer.status),
        )  # fmt: skip


def _by_command(sealed: bytes, keys: SealKeys) -> Answer:
    """What ``unmunge`` says. Raises SealUnavailableError: it cannot be run, is late, or is not understood."""
    done = _run(["unmunge", "--numeric", f"--keys={_KEYS}", *_socket(keys)], sealed)
    if done.returncode != 0 and done.returncode not in _STALE:
        return Answer(done.returncode, b"", 0, 0, 0, "", _said(done))
    head, blank, content = done.stdout.partition(b"\n\n")
    told = dict(re.findall(r"^([A-Z_]+): +(\S.*)$", head.decode("ascii", "replace"), re.MULTILINE))
    try:
        uid, gid, length, closed_s = (int(told[k]) for k in ("UID", "GID", "LENGTH", "ENCODE_TIME"))
    except (KeyError, ValueError) as error:
        raise SealUnavailableError("unmunge's words about the credential cannot be read; version 0.5.13 or later is needed") from error
    if not blank or len(content) != length:
        raise SealUnavailableError(f"unmunge gave {len(content)} of {length} bytes")
    return Answer(done.returncode, content, uid, gid, closed_s, told.get("ENCODE_HOST", ""), "")


def _socket(keys: SealKeys) -> list[str]:
    return [f"--socket={keys.munge_socket}"] if keys.munge_socket else []


def _run(argv: Sequence[str], content: bytes) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(argv, input=content, capture_output=True, timeout=_TIMEOUT_S, check=False, env={**os.environ, "LC_ALL": "C"})
    except subprocess.TimeoutExpired as error:
        raise SealUnavailableError(f"{argv[0]} did not answer within {_TIMEOUT_S:g} s") from error
    except OSError as error:
        raise SealUnavailableError(f"{argv[0]} cannot be run: {error.strerror or error}") from error


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    words = done.stderr.decode("utf-8", "replace").strip().replace("\n", "; ")
    return words[:300] or f"{done.args[0]} ended with {done.returncode}"


SEAL = Munge()
