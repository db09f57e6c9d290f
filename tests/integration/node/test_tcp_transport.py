"""The transport over TCP: what is no protocol, who may say that a report arrived and when, and how long anybody waits."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from gpualert_slurm.config import Site
from gpualert_slurm.epilog import tcp_listener, tcp_protocol
from gpualert_slurm.epilog.history.run import RunState
from gpualert_slurm.epilog.pieces import close_document
from gpualert_slurm.epilog.seal import SealKeys, seal_of
from gpualert_slurm.epilog.transports import spool, tcp
from gpualert_slurm.job_note import JobNote
from tests.integration.node.a_job import NOBODY
from tests.integration.node.a_way import Way, a_way, in_memory, key
from tests.integration.node.as_user import as_uid
from tests.unit.epilog.test_pieces import NOTE


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with in_memory() as folder:
        yield folder


@pytest.fixture(params=["key_file", "munge"])
def either_way(request: pytest.FixtureRequest, munge_socket: Path, open_folder: Path) -> Iterator[Way]:
    """TCP with either seal."""
    with a_way(str(request.param), "tcp", munge_socket, open_folder) as made:
        yield made


@pytest.fixture
def tcp_way(munge_socket: Path, open_folder: Path) -> Iterator[Way]:
    """With the key file and TCP."""
    with a_way("key_file", "tcp", munge_socket, open_folder) as made:
        yield made


def talk(site: Site, words: bytes, *, end: bool = True, timeout_s: float = 20) -> bytes:
    """What the daemon says to these bytes."""
    with socket.create_connection(("127.0.0.1", site.daemon_port), timeout=timeout_s) as connection:
        connection.sendall(words)
        if end:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(4096):
                answer += part
        return answer


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"refused this is gpualertd"),
        (b"gpualert-tcp/1\n" + struct.pack(">I", 1 << 31), b"refused a piece of 2147483648 bytes"),
        (b"gpualert-tcp/1\n" + struct.pack(">I", 100) + b"x" * 50, b"refused cut off: 50 of 100 bytes"),
        (b"gpualert-tcp/1\n\0\0", b"refused cut off: 2 of 4 bytes"),
        (b"gpualert-tcp", b"refused cut off: 12 of 15 bytes"),
        (b"gpualert-tcp/1\n" + struct.pack(">I", 5) + b"hello\0\0\0\0", b"refused 5 bytes are nothing sealed"),
        (b"", b"refused cut off"),
    ],
)
def test_what_is_no_protocol_gets_a_reason_and_costs_nothing(tcp_way, words, answer):
    assert talk(tcp_way.site, words).startswith(answer)
    assert tcp_way.taken() == []
    assert tcp_way.refused(tcp_way.sealed()) == ""


def test_connections_that_say_nothing_are_ended_and_keep_no_node_waiting(tcp_way, monkeypatch):
    """One address holds a few places at most, all of them together no more than there are; the others are told to come later."""
    monkeypatch.setattr(tcp_listener, "SILENCE_S", 3.0)
    monkeypatch.setattr(tcp_listener, "MOST_OF_ONE_ADDRESS", 2)
    silent = [socket.create_connection(("127.0.0.1", tcp_way.site.daemon_port)) for _ in range(2)]
    try:
        time.sleep(0.3)
        assert talk(tcp_way.site, b"", end=False).startswith(b"later too many")
        assert silent[0].recv(200).startswith(b"later nothing came for 3 s")
    finally:
        for one in silent:
            one.close()
    deadline = time.monotonic() + 30
    while (said := tcp_way.refused(tcp_way.sealed())) and time.monotonic() < deadline:
        assert "too many" in said
    assert said == ""


def test_a_connection_that_drips_is_ended(tcp_way, monkeypatch):
    monkeypatch.setattr(tcp_listener, "CONNECTION_S", 1.0)
    with socket.create_connection(("127.0.0.1", tcp_way.site.daemon_port), timeout=20) as connection:
        with contextlib.suppress(OSError):
            for byte in tcp_protocol.HELLO + struct.pack(">I", 1 << 20) + b"x" * 60:
                connection.sendall(bytes([byte]))
                time.sleep(0.05)
        assert connection.recv(200).startswith(b"later nothing came")


def has_ipv6() -> bool:
    """Whether this machine's loopback speaks it."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 on the loopback here")
@pytest.mark.parametrize(("host", "listen"), [("::1", ("::1",)), ("::1", ("127.0.0.1", "::1")), ("127.0.0.1", ("127.0.0.1", "::1"))])
def test_reports_come_over_ipv6_as_well(host: str, listen: tuple[str, ...], munge_socket: Path, open_folder: Path) -> None:
    """Alone, and beside IPv4 on the same port; refusals come back the same way, and a stranger's address is told in the log."""
    with a_way("key_file", "tcp", munge_socket, open_folder, host=host, listen=listen) as way:
        tcp.TRANSPORT.probe(way.site)
        assert way.refused(way.sealed()) == ""
        assert "cluster 'other'" in way.refused(close_document(NOTE.model_copy(update={"attempt": NOTE.attempt.model_copy(update={"cluster": "other"})}),
                                                               "4711.5f0c8a3b9d2e4f61", seal_of(way.site), SealKeys.of(way.site, 0)))  # fmt: skip


@pytest.mark.parametrize("fails", ["fsync", "write", "rename"])
def test_no_receipt_before_the_piece_is_durable(tcp_way, monkeypatch, fails):
    """When any step of keeping it fails, the node is told to come later, and keeps the document."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    target = spool.Path if fails == "rename" else spool.os
    monkeypatch.setattr(target, fails, fail)
    with pytest.raises(OSError, match="takes it later: the daemon cannot keep it: No space left"):
        tcp.TRANSPORT.send(tcp_way.sealed(), tcp_way.site)
    monkeypatch.undo()
    assert tcp_way.taken() == []
    assert tcp_way.refused(tcp_way.sealed()) == ""


def test_the_receipt_waits_for_the_disk(tcp_way, monkeypatch):
    """While the daemon's fsync has not returned, the node has no answer."""
    reached, go_on, done = threading.Event(), threading.Event(), threading.Event()
    real = os.fsync

    def slow(fd: int) -> None:
        reached.set()
        assert go_on.wait(60)
        real(fd)

    monkeypatch.setattr(tcp, "BUDGET_S", 120.0)
    sealed = tcp_way.sealed()
    monkeypatch.setattr(spool.os, "fsync", slow)
    thread = threading.Thread(target=lambda: (tcp.TRANSPORT.send(sealed, tcp_way.site), done.set()))
    thread.start()
    assert reached.wait(60)
    assert not done.wait(0.5)
    go_on.set()
    assert done.wait(60)
    thread.join()


@contextlib.contextmanager
def somebody(port: int, answer: bytes | None, linger_s: float = 0.0) -> Iterator[None]:
    """A program that took the daemon's port: it reads what comes and says this; nothing where it is None."""
    listening = socket.create_server(("127.0.0.1", port))
    stop = threading.Event()

    def serve() -> None:
        with contextlib.suppress(OSError):
            while not stop.is_set():
                connection, _ = listening.accept()
                connection.recv(1 << 20)
                if answer is None:
                    stop.wait(60)
                else:
                    connection.sendall(answer)
                connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


def test_nobody_but_the_daemon_can_say_that_a_report_arrived(either_way, open_folder):
    """While it is away any user of its host can take its port: no word of his, no other's seal and no old receipt makes a node let go."""
    way = either_way
    sealed = way.sealed()
    request = tcp_protocol.request(sealed)
    real = talk(way.site, request)
    assert real.startswith(b"taken ")
    tcp.TRANSPORT.close()
    users = way.site.model_copy(update={"seal_key_file": key(open_folder / "users.key", uid=NOBODY)})
    theirs = as_uid(NOBODY, partial(seal_of(users).close, tcp_protocol.receipt(tcp_protocol.digest(sealed)), SealKeys.of(users, 0)))
    for answer, words in (
        (b"taken 5\nhello", "cannot be believed"), (b"taken 0\n", "cannot be believed"), (b"taken 99999\n", "not gpualertd"), (b"SSH-2.0-OpenSSH\r\n", "not gpualertd"),
        (b"x" * 5000, "not gpualertd"), (b"taken 500\nhel", "cut off"), (b"", "without an answer"), (tcp_protocol.taken(theirs), f"sealed by uid {NOBODY}"),
        (real, "for something else"), (tcp_protocol.taken(sealed[0]), "for something else"),
    ):
        with somebody(way.site.daemon_port, answer), pytest.raises(OSError, match=words):
            tcp.TRANSPORT.send(way.sealed(), way.site)


def test_a_node_waits_two_seconds_and_no_more(tcp_way):
    """For a port that nobody has, one that says nothing, and a daemon that is not configured."""
    tcp.TRANSPORT.close()
    sealed = tcp_way.sealed()
    for site, taken in ((tcp_way.site, False), (tcp_way.site, True), (tcp_way.site.model_copy(update={"daemon_host": None}), False)):
        with somebody(site.daemon_port, None) if taken else contextlib.nullcontext():
            begun = time.monotonic()
            with pytest.raises(OSError, match=r"did not take it within 2 s|efused|is not set"):
                tcp.TRANSPORT.send(sealed, site)
            assert time.monotonic() - begun < tcp.BUDGET_S + tcp.JITTER_S + 5


def test_a_probe_proves_the_daemon(tcp_way):
    tcp.TRANSPORT.probe(tcp_way.site)
    tcp.TRANSPORT.close()
    with pytest.raises(OSError, match="efused"):
        tcp.TRANSPORT.probe(tcp_way.site)


def test_a_port_that_is_taken_is_said(tcp_way):
    second = tcp.Tcp()
    with pytest.raises(OSError, match=rf"port {tcp_way.site.daemon_port} \(site.daemon_port\) of 127.0.0.1: Address already in use"):
        second.prepare(tcp_way.site)


def test_many_nodes_at_once_all_get_through(tcp_way):
    """Forty nodes with eight places: who is told to come later comes later, and each note is there once."""
    notes = [NOTE.model_copy(update={"attempt": NOTE.attempt.model_copy(update={"job_id": 5000 + n})}) for n in range(40)]

    def send(note: JobNote) -> None:
        for _ in range(200):
            sealed = close_document(note, f"{note.attempt.job_id}.5f0c8a3b9d2e4f61", seal_of(tcp_way.site), SealKeys.of(tcp_way.site, 0))
            with contextlib.suppress(OSError):
                tcp.TRANSPORT.send(sealed, tcp_way.site)
                return
            time.sleep(0.2)

    threads = [threading.Thread(target=send, args=(note,)) for note in notes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tcp_way.taken()
    assert {run.job_id for run in tcp_way.history.runs(RunState.COLLECTING)} == {note.attempt.job_id for note in notes}
