"""Every seal over every transport: what a node sends arrives, and what is forged, replayed, foreign, cut off or too large is refused with a reason.

The daemon's side is the real intake with a real history; munged is real. Root plays gpualertd here (``daemon_user = "root"``).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from gpualert_slurm.config import Config, ConfigError, Site
from gpualert_slurm.discovery import discover
from gpualert_slurm.epilog import seals, tcp_listener, tcp_protocol, transports
from gpualert_slurm.epilog.history.run import RunState
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.pieces import close_document, cut
from gpualert_slurm.epilog.seal import Seal, SealKeys, SealUnavailableError, seal_of
from gpualert_slurm.epilog.seals import key_file
from gpualert_slurm.epilog.transport import Transport, transport_of
from gpualert_slurm.epilog.transports import spool, tcp
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.programs.gpualertd.intake import Intake
from tests.integration.node.a_job import NOBODY
from tests.integration.node.as_user import as_uid
from tests.testbed.ports import Ports
from tests.unit.epilog.test_pieces import ATTEMPT, NOTE

SEALS = sorted(discover(seals, "SEAL", Seal))  # type: ignore[type-abstract]
TRANSPORTS = sorted(discover(transports, "TRANSPORT", Transport))  # type: ignore[type-abstract]
KEY = "2026-11 " + "ab" * 32 + "\n"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, in memory where that is to be had: each test makes the spool's 256 folders."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="gpualert-test-", dir=memory if os.access(memory, os.W_OK) else "/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=SEALS)
def seal(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def key(path: Path, content: str = KEY, uid: int = 0) -> Path:
    """A key file that its owner alone can read."""
    path.touch(mode=0o600)
    path.write_text(content)
    os.chown(path, uid, uid)
    return path


@dataclass
class Way:
    """Both ends of the way from a node to the history."""

    site: Site
    intake: Intake
    history: History

    def send(self, sealed: list[bytes]) -> None:
        """As a node does. Raises OSError."""
        transport_of(self.site).send(sealed, self.site)

    def sealed(self, site: Site | None = None, document: JobNote = NOTE) -> list[bytes]:
        """The note's pieces, as ``site`` seals them; this one unless another is given."""
        site = site or self.site
        return close_document(document, ATTEMPT, seal_of(site), SealKeys.of(site, 0))

    def refused(self, sealed: list[bytes]) -> str:
        """The reason for which it is not taken, wherever on the way that is said; "" where it is taken as something new."""
        before = set((self.site.spool_dir / ".refused").glob("*.reason"))
        try:
            self.send(sealed)
        except OSError as error:
            assert self.taken() == []
            return str(error)
        taken = self.taken()
        reasons = set((self.site.spool_dir / ".refused").glob("*.reason")) - before
        if not taken:
            return "".join(path.read_text() for path in reasons) or "nothing came"
        return "" if any(added.new for _, added in taken) else "it is known already"

    def taken(self) -> list[tuple[object, object]]:
        return list(self.intake.take_in())


@pytest.fixture
def way(seal: str, transport: str, munge_socket: Path, open_folder: Path, tmp_path: Path) -> Iterator[Way]:
    ports = Ports()
    (open_folder / "spool").mkdir(mode=0o1733)
    site = Site(
        spool_dir=open_folder / "spool", daemon_user="root", munge_socket=munge_socket, seal=seal, transport=transport,
        seal_key_file=key(open_folder / "seal.key"), daemon_host="127.0.0.1", daemon_port=ports.take(), listen=("127.0.0.1",),
    )
    history = History(tmp_path / "history.db")
    chosen = transport_of(site)
    intake = Intake(Config(site=site), "hpc", transport=chosen, seal=seal_of(site), history=history)
    intake.prepare()
    yield Way(site, intake, history)
    chosen.close()
    history.close()
    ports.release()


def test_what_a_node_sends_arrives_once(way):
    """Sent again after an answer that was lost, it is sealed anew, taken, and known."""
    assert way.refused(way.sealed()) == ""
    assert way.refused(way.sealed()) == "it is known already"


def test_forged_is_refused(way):
    """A bit turned over anywhere in what is protected, and bytes that were never sealed."""
    (sealed,) = way.sealed()
    for at in (len(sealed) // 2, len(sealed) - 20):
        forged = sealed[:at] + bytes([sealed[at] ^ (1 if way.site.seal == "key_file" else 2)]) + sealed[at + 1 :]
        assert way.refused([forged]) not in {"", "it is known already"}
    assert "bytes are no" in way.refused([b"hello, I am a report"])


def test_forged_header_is_refused(way):
    """Who sealed it, when and for whom cannot be changed afterwards."""
    if way.site.seal != "key_file":
        pytest.skip("MUNGE's header is encrypted")
    (sealed,) = way.sealed()
    for old, new in ((b'"uid":0', b'"uid":7'), (b'"host":"', b'"host":"x'), (b'"for_uid":0', b'"for_uid":1')):
        assert old in sealed
        assert "forged or damaged" in way.refused([sealed.replace(old, new, 1)])


def test_replayed_adds_nothing(way):
    """The very bytes again, as somebody who listens can send them: over the network they are refused, in the folder they are the same document."""
    sealed = way.sealed()
    assert way.refused(sealed) == ""
    said = way.refused(sealed)
    assert ("replayed" in said) if way.site.transport == "tcp" else (said == "it is known already")
    assert len(way.history.runs(RunState.COLLECTING)) == 1


def test_foreign_sealers_and_clusters_are_refused(way, open_folder):
    """A user with the seal's means, somebody with other keys of the same name, another cluster's root, and a piece sealed for another uid."""
    (framed,) = cut(NOTE, "note", ATTEMPT)
    users = way.site.model_copy(update={"seal_key_file": key(open_folder / "users.key", uid=NOBODY)})
    theirs = as_uid(NOBODY, partial(seal_of(users).close, framed, SealKeys.of(users, 0)))
    assert f"sealed by uid {NOBODY}" in way.refused([theirs])
    other = NOTE.model_copy(update={"attempt": NOTE.attempt.model_copy(update={"cluster": "other"})})
    assert "sealed for cluster 'other'" in way.refused(way.sealed(document=other))
    if way.site.seal == "key_file":
        wrong = way.site.model_copy(update={"seal_key_file": key(open_folder / "wrong.key", KEY.replace("ab", "cd"))})
        assert "forged or damaged" in way.refused(way.sealed(wrong))
        unknown = way.site.model_copy(update={"seal_key_file": key(open_folder / "new.key", KEY.replace("2026-11", "2027-01"))})
        assert "sealed with key '2027-01'" in way.refused(way.sealed(unknown))
    (elsewhere,) = close_document(NOTE, ATTEMPT, seal_of(way.site), SealKeys.of(way.site, NOBODY))
    said = way.refused([elsewhere])
    assert "not for 0" in said or "nauthorized" in said


def test_cut_off_is_refused(way):
    """Everywhere: in the magic, the header, the content, the end."""
    (sealed,) = way.sealed()
    for length in (3, 20, len(sealed) // 2, len(sealed) - 6):
        assert way.refused([sealed[:length]]) not in {"", "it is known already", "nothing came"}


def test_too_large_is_refused(way):
    """A piece beyond the bound, however well it is sealed."""
    said = way.refused([b"MUNGE:" + b"x" * (2 << 20) if way.site.seal == "munge" else key_file.MAGIC + b"x" * (2 << 20)])
    assert "larger than" in said or "too large" in said


def test_a_seal_that_cannot_work_now_is_not_the_documents_fault(seal, munge_socket, open_folder):
    """Munged away, no key file, one that others can read, one with a slip: tried again later, with the reason."""
    site = Site(seal=seal, munge_socket=open_folder / "nothing", seal_key_file=open_folder / "nothing")
    keys = SealKeys.of(site, 0)
    for call in (lambda: seal_of(site).close(b"x", keys), lambda: seal_of(site).open(b"MUNGE:x:" if seal == "munge" else key_file.MAGIC + b"{}\n", keys)):
        with pytest.raises(SealUnavailableError):
            call()


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        (KEY, 0o644, "others can read it"), (KEY, 0o440, "others can read it"), ("", 0o400, "has 0 keys"), ("2026 abcd", 0o400, "line 1"),
        (KEY + KEY, 0o400, "line 2 .* has the id of an earlier one"), ("x" * 5000, 0o400, "larger than"), (KEY * 1 + "".join(f"k{i} {'ab' * 32}\n" for i in range(9)), 0o400, "10 keys"),
    ],
)
def test_a_key_file_that_is_not_safe_or_not_one_is_not_used(open_folder, content, mode, words):
    """And no error says what stands in it."""
    path = key(open_folder / "k", content)
    path.chmod(mode)
    with pytest.raises(SealUnavailableError, match=words) as raised:
        key_file.SEAL.close(b"x", SealKeys(0, key_file=path))
    assert "abab" not in str(raised.value)


def test_a_key_file_of_a_strangers_or_behind_a_link_is_not_used(open_folder):
    path = key(open_folder / "k", uid=NOBODY)
    with pytest.raises(SealUnavailableError, match=f"belongs to uid {NOBODY}"):
        key_file.SEAL.close(b"x", SealKeys(0, key_file=path))
    (open_folder / "link").symlink_to(key(open_folder / "mine"))
    with pytest.raises(SealUnavailableError, match="cannot be opened"):
        key_file.SEAL.close(b"x", SealKeys(0, key_file=open_folder / "link"))
    with pytest.raises(SealUnavailableError, match="cannot be opened"):
        as_uid(NOBODY, partial(key_file.SEAL.close, b"x", SealKeys(0, key_file=open_folder / "mine")))


def test_keys_are_changed_without_losing_a_report(open_folder):
    """New key second everywhere, then first, then the old one out: at each step, whichever side is ahead, what is sealed opens."""
    old, new = KEY, "2027-01 " + "cd" * 32 + "\n"
    steps = [old, old + new, new + old, new]
    for number in range(3):
        for mine, theirs in ((number, number + 1), (number + 1, number)):
            node, daemon = key(open_folder / f"n{number}{mine}", steps[mine]), key(open_folder / f"d{number}{mine}", steps[theirs])
            sealed = key_file.SEAL.close(b"report", SealKeys(0, key_file=node))
            assert key_file.SEAL.open(sealed, SealKeys(0, key_file=daemon)).content == b"report"


def test_what_a_key_file_seals_cannot_be_read_and_is_never_the_same(open_folder):
    """The folder of the transport may be read by whoever serves it: neither content nor equality shows."""
    keys = SealKeys(0, key_file=key(open_folder / "k"))
    one, two = key_file.SEAL.close(b"another user's path" * 50, keys), key_file.SEAL.close(b"another user's path" * 50, keys)
    assert b"another" not in one
    assert one[-500:] != two[-500:]


def test_an_old_seal_still_opens_and_says_that_it_is_old(open_folder, monkeypatch):
    """In the spool a report may lie for days while the daemon is away."""
    keys = SealKeys(0, key_file=key(open_folder / "k"))
    now = time.time_ns()
    monkeypatch.setattr(key_file.time, "time_ns", lambda: now - 7200 * 10**9)
    sealed = key_file.SEAL.close(b"x", keys)
    monkeypatch.undo()
    assert key_file.SEAL.open(sealed, keys).stale == "expired"


def test_names_that_there_are_not_are_errors_that_name_those_there_are():
    with pytest.raises(ConfigError, match=r"site\.seal = 'wax': there are key_file, munge"):
        seal_of(Site(seal="wax"))
    with pytest.raises(ConfigError, match=r"site\.transport = 'pigeon': there are spool, tcp"):
        transport_of(Site(transport="pigeon"))


@pytest.fixture
def tcp_way(munge_socket: Path, open_folder: Path, tmp_path: Path) -> Iterator[Way]:
    """With the key file and TCP."""
    yield from way.__wrapped__("key_file", "tcp", munge_socket, open_folder, tmp_path)  # type: ignore[attr-defined]


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


def test_nobody_but_the_daemon_can_say_that_a_report_arrived(way, open_folder):
    """While it is away any user of its host can take its port: no word of his, no other's seal and no old receipt makes a node let go."""
    if way.site.transport != "tcp":
        pytest.skip("the folder gives no receipt")
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


def test_the_package_that_encrypts_may_be_absent(open_folder):
    """Then the seal says what to install, and the rest of gpualert works."""
    path = key(open_folder / "k")
    script = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from pathlib import Path\n"
        "from gpualert_slurm.epilog.seal import SealKeys\n"
        "from gpualert_slurm.epilog.seals.key_file import SEAL\n"
        f"SEAL.close(b'x', SealKeys(0, key_file=Path({str(path)!r})))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "SealUnavailableError: the seal key_file needs the package cryptography: pip install" in done.stderr


def test_a_key_drawn_as_the_page_says_is_one(open_folder):
    """The command of doc/formats/sealed.md, run by the shell."""
    page = (Path(__file__).parents[3] / "doc/formats/sealed.md").read_text()
    (command,) = [line.strip() for line in page.splitlines() if "openssl rand" in line]
    subprocess.run(["sh", "-c", command.replace("/etc/gpualert/seal.key", str(open_folder / "drawn"))], check=True)
    assert key_file.SEAL.close(b"x", SealKeys(0, key_file=open_folder / "drawn"))
