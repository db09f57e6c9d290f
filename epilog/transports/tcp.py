"""Straight from the node to the daemon, for clusters without a folder that all share. Protocol: ``doc/formats/tcp.md``.

The node's side has two seconds, and leaves the document in ``out/`` when they do not do; the daemon's side keeps each piece in ``spool_dir``, then a
folder of its own host, fsynced before it says so. From there on it is as with the transport ``spool``.
"""

from __future__ import annotations

import os
import pwd
import random
import socket
import time
from collections.abc import Container, Iterator, Sequence

from gpualert_slurm.config import Site
from gpualert_slurm.epilog import tcp_protocol as protocol
from gpualert_slurm.epilog.seal import SealKeys, SealRefusedError, seal_of
from gpualert_slurm.epilog.tcp_listener import Listener
from gpualert_slurm.epilog.transport import Arrival, Transport
from gpualert_slurm.epilog.transports.spool import TRANSPORT as SPOOL

BUDGET_S = 2.0
"""For connecting, sending and the daemon's answer."""
EACH_PIECE_S = 0.25
"""Added for each piece after the first, half a MiB: a slow network, and munged's time at the daemon."""
JITTER_S = 0.5
"""A job of 10,000 nodes ends on all of them at once."""


class Tcp(Transport):
    """A connection for each document."""

    def __init__(self) -> None:
        self._listener: Listener | None = None

    def send(self, sealed: Sequence[bytes], site: Site) -> None:
        """Hand over all pieces and wait for the daemon's sealed receipt. Raises OSError with the daemon's reason; each try is sealed anew."""
        request = protocol.request(sealed)
        time.sleep(random.uniform(0, JITTER_S))  # noqa: S311 - a jitter, no secret
        answer = _exchange(site, request, BUDGET_S + EACH_PIECE_S * max(0, len(sealed) - 1))
        _check(answer, protocol.receipt(protocol.digest(sealed)), site)

    def probe(self, site: Site) -> None:
        """Whether the daemon answers and proves that it is the daemon: a document of no pieces. Raises OSError."""
        _check(_exchange(site, protocol.request([]), BUDGET_S), protocol.receipt(protocol.digest([])), site)

    def prepare(self, site: Site) -> None:
        """The folder, and the port. Raises OSError, ConfigError."""
        SPOOL.prepare(site)
        self.close()
        keys = SealKeys.of(site, os.geteuid())
        listener = Listener(site, seal_of(site), keys, lambda piece: SPOOL.send([piece], site))
        listener.start()
        self._listener = listener

    def close(self) -> None:
        """Let go of the port."""
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    def arrivals(self, site: Site, max_files: int = 1000, without: Container[str] = ()) -> Iterator[Arrival]:
        """What was taken and is not read yet."""
        return SPOOL.arrivals(site, max_files, without)

    def remove(self, arrival: Arrival, site: Site) -> None:
        """Its content is safe."""
        SPOOL.remove(arrival, site)

    def refuse(self, arrival: Arrival, reason: str, site: Site) -> None:
        """Put aside with the reason."""
        SPOOL.refuse(arrival, reason, site)


def _exchange(site: Site, request: bytes, budget_s: float) -> bytes:
    """The daemon's receipt for ``request``. Raises OSError."""
    if site.daemon_host is None:
        raise OSError("site.transport is tcp, and site.daemon_host is not set")
    until = time.monotonic() + budget_s
    where = f"gpualertd at {site.daemon_host}:{site.daemon_port}"
    try:
        with socket.create_connection((site.daemon_host, site.daemon_port), timeout=budget_s) as connection:
            return _talk(connection, request, until)
    except protocol.ProtocolError as error:
        raise OSError(f"{where}: {error}") from error
    except TimeoutError as error:
        raise OSError(f"{where} did not take it within {budget_s:g} s") from error
    except OSError as error:
        raise OSError(f"{where}: {error.strerror or error}") from error


def _talk(connection: socket.socket, request: bytes, until: float) -> bytes:
    view = memoryview(request)
    try:
        while view:
            connection.settimeout(_left(until))
            view = view[connection.send(view[: 1 << 16]) :]
    except (BrokenPipeError, ConnectionResetError):
        pass  # a daemon that refuses says so before it has read all; its answer lies there
    answer = bytearray()
    while b"\n" not in answer[: protocol.MOST_LINE]:
        answer += _some(connection, until, "the daemon ended the connection without an answer")
        if len(answer) > protocol.MOST_LINE and b"\n" not in answer[: protocol.MOST_LINE]:
            raise protocol.ProtocolError("what answers there is not gpualertd")
    line, _, rest = bytes(answer).partition(b"\n")
    length = protocol.receipt_length(line + b"\n")
    receipt = bytearray(rest)
    while len(receipt) < length:
        receipt += _some(connection, until, "the daemon's receipt is cut off")
    return bytes(receipt[:length])


def _some(connection: socket.socket, until: float, if_none: str) -> bytes:
    connection.settimeout(_left(until))
    part = connection.recv(1 << 14)
    if not part:
        raise protocol.ProtocolError(if_none)
    return part


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _check(sealed_receipt: bytes, content: bytes, site: Site) -> None:
    """Raises OSError: whoever answered is not the daemon, or speaks of something else. SealUnavailableError: it cannot be told now."""
    daemon_uid = pwd.getpwnam(site.daemon_user).pw_uid
    try:
        opened = seal_of(site).open(sealed_receipt, SealKeys.of(site, os.geteuid()))
    except SealRefusedError as error:
        raise OSError(f"the daemon's receipt cannot be believed: {error}") from error
    if opened.uid not in (daemon_uid, 0):
        raise OSError(f"the receipt was sealed by uid {opened.uid}, not by {site.daemon_user} (uid {daemon_uid}): another program answers there")
    if opened.content != content:
        raise OSError("the receipt is for something else")


TRANSPORT = Tcp()
