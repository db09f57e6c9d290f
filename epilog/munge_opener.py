"""A process of its own that opens MUNGE credentials by libmunge, one after the other, and can be killed when munged hangs.

For who opens thousands: starting ``unmunge`` for each costs ten times what munged's answer does (doc/adr/0008). The process is this
file, run by an interpreter that loads nothing else. It ends when nobody holds the other end of its socket.

A request is a length and a credential; an answer is ``_ANSWER``, what libmunge says of an error or the address of the sealer, and the
payload. Both ends are on one host: numbers are in network order all the same.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass

_LENGTH = struct.Struct("!I")
_ANSWER = struct.Struct("!iIIqII")
"""munge_err_t; uid; gid; when it was sealed, seconds since the epoch; bytes of text; bytes of payload."""
MOST_SEALED = 1 << 20
_LIBRARY = "libmunge.so.2"
_ADDRESS, _SEALED_AT, _SOCKET = 5, 6, 8
"""``munge_opt_t`` in munge.h (0.5 and later): MUNGE_OPT_ADDR4, MUNGE_OPT_ENCODE_TIME, MUNGE_OPT_SOCKET."""


class OpenerError(Exception):
    """The process died, or never lived; another way may open the same credential."""


class LateError(Exception):
    """munged did not answer in time; the process was ended."""


@dataclass(frozen=True)
class Answer:
    """What libmunge gave: ``status`` is its munge_err_t, ``said`` its words for that, ``host`` the sealer's IPv4 address."""

    status: int
    content: bytes
    uid: int
    gid: int
    closed_s: int
    host: str
    said: str


class Opener:
    """The process, as the one who asks sees it. For one thread at a time."""

    def __init__(self, munge_socket: str | None) -> None:
        """Start it. Raises OSError."""
        self._ours, theirs = socket.socketpair()
        with theirs:
            try:
                argv = [sys.executable, "-I", "-S", __file__, munge_socket or ""]
                none = subprocess.DEVNULL
                self._process = subprocess.Popen(argv, stdin=theirs.fileno(), stdout=none, stderr=none, env={"LC_ALL": "C"})
            except BaseException:
                self._ours.close()
                raise

    def open(self, sealed: bytes, timeout_s: float) -> Answer:
        """What libmunge says of the credential. Raises OpenerError, LateError; then this opener is closed."""
        until = time.monotonic() + timeout_s
        try:
            self._ours.settimeout(timeout_s)
            self._ours.sendall(_LENGTH.pack(len(sealed)) + sealed)
            status, uid, gid, closed_s, words, size = _ANSWER.unpack(_exactly(self._ours, _ANSWER.size, until))
            text = _exactly(self._ours, words, until).decode("utf-8", "replace")
            content = _exactly(self._ours, size, until)
        except TimeoutError as error:
            self.close()
            raise LateError(f"munged did not answer within {timeout_s:g} s") from error
        except (OSError, EOFError, struct.error) as error:
            self.close()
            raise OpenerError(f"the process that opens credentials ended ({self._process.returncode})") from error
        return Answer(status, content, uid, gid, closed_s, host="" if status else text, said=text if status else "")

    def close(self) -> None:
        """End it."""
        self._ours.close()
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)


def _exactly(source: socket.socket, size: int, until: float | None = None) -> bytes:
    """So many bytes. Raises EOFError, OSError; TimeoutError when ``until`` (monotonic) has passed."""
    found = bytearray()
    while len(found) < size:
        if until is not None:
            source.settimeout(max(0.001, until - time.monotonic()))
        more = source.recv(min(1 << 16, size - len(found)))
        if not more:
            raise EOFError
        found += more
    return bytes(found)


class _Libmunge:
    """The calls of libmunge that are made here (munge.h)."""

    def __init__(self, munge_socket: str) -> None:
        """Raises OSError: the library is not there."""
        self._lib, self._libc, self._socket = ctypes.CDLL(_LIBRARY), ctypes.CDLL(None), munge_socket.encode()
        self._lib.munge_ctx_create.restype = ctypes.c_void_p
        self._lib.munge_ctx_strerror.restype = self._lib.munge_strerror.restype = ctypes.c_char_p
        self._libc.free.argtypes, self._libc.free.restype = [ctypes.c_void_p], None

    def decode(self, sealed: bytes) -> tuple[bytes, bytes, bytes]:
        """The answer's three parts."""
        context = ctypes.c_void_p(self._lib.munge_ctx_create())
        payload, size, uid, gid = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_uint32(), ctypes.c_uint32()
        found = ctypes.byref(payload), ctypes.byref(size), ctypes.byref(uid), ctypes.byref(gid)
        closed_s, address = ctypes.c_long(), (ctypes.c_ubyte * 4)()
        try:
            if self._socket:
                self._lib.munge_ctx_set(context, _SOCKET, ctypes.c_char_p(self._socket))
            status = self._lib.munge_decode(ctypes.c_char_p(sealed), context, *found)
            content = ctypes.string_at(payload, size.value) if payload.value and size.value > 0 else b""
            self._lib.munge_ctx_get(context, _SEALED_AT, ctypes.byref(closed_s))
            self._lib.munge_ctx_get(context, _ADDRESS, ctypes.byref(address))
            said = b"" if not status else self._lib.munge_ctx_strerror(context) or self._lib.munge_strerror(status) or b""
        finally:
            self._libc.free(payload)
            self._lib.munge_ctx_destroy(context)
        text = said if status else socket.inet_ntoa(bytes(address)).encode()
        return _ANSWER.pack(status, uid.value, gid.value, closed_s.value, len(text), len(content)), text, content


def serve(munge_socket: str) -> None:
    """What the process does: one credential after the other from its standard input, until nobody is there any more."""
    library = _Libmunge(munge_socket)
    with socket.socket(fileno=os.dup(0)) as asked, contextlib.suppress(EOFError, OSError):
        while True:
            (size,) = _LENGTH.unpack(_exactly(asked, _LENGTH.size))
            if size > MOST_SEALED:
                return
            asked.sendall(b"".join(library.decode(_exactly(asked, size))))


if __name__ == "__main__":
    serve(sys.argv[1])
