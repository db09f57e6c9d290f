"""The daemon's side of ``tcp``: nodes' connections, bounded in number, size and time; a piece is kept only when its seal holds.

A thread with an event loop takes what comes, a few others open seals and write. Nothing of a connection outlives it but pieces that are durable.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import logging
import socket
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from gpualert_slurm.config import Site
from gpualert_slurm.epilog import tcp_protocol as protocol
from gpualert_slurm.epilog.seal import Seal, SealKeys, SealRefusedError, SealUnavailableError

log = logging.getLogger(__name__)

CONNECTION_S = 30.0
"""For all of a connection: a node gives up earlier."""
SILENCE_S = 5.0
"""Between two parts of it."""
MOST_OF_ONE_ADDRESS = 8
"""Connections: a node hands over one document at a time; this leaves room for several nodes behind one address."""
MOST_REMEMBERED = 100_000
LINGER_S = 1.0
_WORKERS = 8
_BACKLOG = 512
_SAY_EVERY_S = 10.0


class _RefusedError(Exception):
    """It will not be taken, now or later."""


class _LaterError(Exception):
    """Not now: the daemon's own trouble."""


class Listener:
    """Answers on ``site.listen`` from ``start`` to ``stop``; ``store`` makes a piece durable before it returns."""

    def __init__(self, site: Site, seal: Seal, keys: SealKeys, store: Callable[[bytes], None]) -> None:
        self._addresses, self._port, self._most = site.listen, site.daemon_port, site.listen_connections
        self._seal, self._keys, self._store = seal, keys, store
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="tcp")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tcp", daemon=True)
        self._open: Counter[str] = Counter()
        self._seen: OrderedDict[bytes, None] = OrderedDict()
        self._said_at, self._unsaid = -_SAY_EVERY_S, 0
        self._servers: list[asyncio.Server] = []

    def start(self) -> None:
        """Take the port. Raises OSError: none of the addresses can be had; the text names them."""
        sockets = _bound(self._addresses, self._port)
        self._thread.start()
        for each in sockets:
            serving = asyncio.start_server(self._connected, sock=each, backlog=_BACKLOG)
            self._servers.append(asyncio.run_coroutine_threadsafe(serving, self._loop).result(10))

    def stop(self) -> None:
        """Let go of the port; what is being sent is not answered, and comes again."""
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
        self._workers.shutdown(wait=False, cancel_futures=True)

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        mine = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not mine]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = str((writer.get_extra_info("peername") or ("?",))[0])
        self._open[peer] += 1
        try:
            if self._open.total() > self._most or self._open[peer] > MOST_OF_ONE_ADDRESS:
                writer.write(protocol.not_taken(protocol.LATER, "too many nodes at once"))
                return
            answer = await self._bounded_answer(reader, peer)
            writer.write(answer)
            await asyncio.wait_for(writer.drain(), SILENCE_S)
            if not answer.startswith(protocol.TAKEN):
                await _let_it_read(reader, writer)
        except (OSError, asyncio.TimeoutError):
            pass  # it is gone, and will come again
        except asyncio.CancelledError:
            return
        finally:
            self._open[peer] -= 1
            if not self._open[peer]:
                del self._open[peer]
            writer.close()

    async def _bounded_answer(self, reader: asyncio.StreamReader, peer: str) -> bytes:
        """The answer, whatever was wrong with what came."""
        word = protocol.REFUSED
        try:
            return await asyncio.wait_for(self._answer(reader), CONNECTION_S)
        except (_RefusedError, SealRefusedError) as error:
            why = str(error)
        except asyncio.IncompleteReadError as error:
            why = f"cut off: {len(error.partial)} of {error.expected} bytes"
        except (SealUnavailableError, _LaterError) as error:
            word, why = protocol.LATER, str(error)
        except (OSError, asyncio.TimeoutError) as error:
            word, why = protocol.LATER, str(error) or f"nothing came for {SILENCE_S:g} s, or not all within {CONNECTION_S:g} s"
        self._say(peer, f"{word.decode()}: {why}")
        return protocol.not_taken(word, why)

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        whole, loop = hashlib.sha256(), asyncio.get_running_loop()
        async for piece in _pieces(reader):
            whole.update(protocol.LENGTH.pack(len(piece)) + piece)
            await loop.run_in_executor(self._workers, self._take, piece)
        keys = replace(self._keys, daemon_uid=0)
        return protocol.taken(await loop.run_in_executor(self._workers, self._seal.close, protocol.receipt(whole.digest()), keys))

    def _take(self, piece: bytes) -> None:
        """In a worker. A piece is sealed anew for each try: one that is late or was here before was recorded on its way."""
        opened = self._seal.open(piece, self._keys)
        if opened.uid != 0:
            raise _RefusedError(f"sealed by uid {opened.uid}, which may not report")
        name = hashlib.sha256(piece).digest()
        if opened.stale == "replayed" or name in self._seen:
            raise _RefusedError("replayed: this sealed piece was here before")
        if opened.stale is not None:
            age_s = time.time() - (opened.closed_ns or 0) / 1e9
            raise _RefusedError(f"{opened.stale}: sealed {age_s:.0f} s ago by this clock; is the node's clock off?")
        try:
            self._store(piece)
        except OSError as error:
            raise _LaterError(f"the daemon cannot keep it: {error.strerror or error}") from error
        self._seen[name] = None
        while len(self._seen) > MOST_REMEMBERED:
            self._seen.popitem(last=False)

    def _say(self, peer: str, what: str) -> None:
        """One line in a while: strangers can make as many refusals as they like."""
        now = time.monotonic()
        if now - self._said_at < _SAY_EVERY_S:
            self._unsaid += 1
            return
        others = f" others={self._unsaid}" if self._unsaid else ""
        log.warning("tcp_not_taken peer=%s%s why=%s", peer, others, ascii(what[:300]))
        self._said_at, self._unsaid = now, 0


async def _let_it_read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Take what is still on its way for a moment: the kernel answers unread bytes with a reset, which would swallow the reason."""
    writer.write_eof()
    left = protocol.MOST_BYTES
    with contextlib.suppress(asyncio.TimeoutError, OSError):
        until = time.monotonic() + LINGER_S
        while left > 0 and (part := await asyncio.wait_for(reader.read(1 << 16), max(0.01, until - time.monotonic()))):
            left -= len(part)


async def _pieces(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The pieces of one connection, up to its end mark. Raises _RefusedError, IncompleteReadError, TimeoutError."""
    if await asyncio.wait_for(reader.readexactly(len(protocol.HELLO)), SILENCE_S) != protocol.HELLO:
        raise _RefusedError("this is gpualertd, version 1 of its protocol; something else was said")
    total = count = 0
    while True:
        (length,) = protocol.LENGTH.unpack(await asyncio.wait_for(reader.readexactly(protocol.LENGTH.size), SILENCE_S))
        if length == 0:
            return
        count, total = count + 1, total + length
        if length > protocol.MOST_PIECE_BYTES:
            raise _RefusedError(f"a piece of {length} bytes; {protocol.MOST_PIECE_BYTES} are the most")
        if count > protocol.MOST_PIECES or total > protocol.MOST_BYTES:
            raise _RefusedError(f"more than {protocol.MOST_PIECES} pieces or {protocol.MOST_BYTES} bytes")
        yield await asyncio.wait_for(reader.readexactly(length), SILENCE_S)


def _bound(addresses: Sequence[str], port: int) -> list[socket.socket]:
    found: list[socket.socket] = []
    trouble: list[str] = []
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            made = socket.socket(family, socket.SOCK_STREAM)
        except OSError as error:
            trouble.append(f"{address}: {error.strerror}")
            continue
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            made.bind((address, port))
            made.listen(_BACKLOG)
        except OSError as error:
            made.close()
            trouble.append(f"{address}: {error.strerror}")
            if error.errno in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL} and len(addresses) > 1:
                continue  # a kernel without IPv6 is no reason to answer on nothing
            for other in found:
                other.close()
            raise OSError(error.errno, f"port {port} (site.daemon_port) of {', '.join(trouble)}") from error
        found.append(made)
    if not found:
        raise OSError(errno.EADDRNOTAVAIL, f"port {port} (site.daemon_port) of {', '.join(trouble) or 'no address (site.listen)'}")
    return found
