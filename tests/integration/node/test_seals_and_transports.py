"""Every seal over every transport: what a node sends arrives, and what is forged, replayed, foreign, cut off or too large is refused with a reason.

The daemon's side is the real intake with a real history; munged is real.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from gpualert_slurm.config import ConfigError, Site
from gpualert_slurm.discovery import discover
from gpualert_slurm.epilog import seals, transports
from gpualert_slurm.epilog.history.run import RunState
from gpualert_slurm.epilog.pieces import close_document, cut
from gpualert_slurm.epilog.seal import Seal, SealKeys, SealUnavailableError, seal_of
from gpualert_slurm.epilog.seals import key_file
from gpualert_slurm.epilog.transport import Transport, transport_of
from tests.integration.node.a_job import NOBODY
from tests.integration.node.a_way import KEY, Way, a_way, in_memory, key
from tests.integration.node.as_user import as_uid
from tests.unit.epilog.test_pieces import ATTEMPT, NOTE

SEALS = sorted(discover(seals, "SEAL", Seal))  # type: ignore[type-abstract]
TRANSPORTS = sorted(discover(transports, "TRANSPORT", Transport))  # type: ignore[type-abstract]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with in_memory() as folder:
        yield folder


@pytest.fixture(params=SEALS)
def seal(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def way(seal: str, transport: str, munge_socket: Path, open_folder: Path) -> Iterator[Way]:
    with a_way(seal, transport, munge_socket, open_folder) as made:
        yield made


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
