"""The shared folder: what senders without rights can do, and what the daemon makes of what strangers put there."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest

from gpualert_slurm.config import Site
from gpualert_slurm.epilog.transport import Arrival
from gpualert_slurm.epilog.transports import spool
from gpualert_slurm.epilog.transports.spool import TRANSPORT
from tests.integration.node.a_job import NOBODY
from tests.integration.node.as_user import as_uid

DAEMON_UID = 64995


@pytest.fixture
def site(open_folder: Path) -> Site:
    """A spool folder as an admin makes it."""
    folder = open_folder / "reports"
    folder.mkdir()
    os.chown(folder, DAEMON_UID, DAEMON_UID)
    folder.chmod(0o1733)
    return Site(spool_dir=folder)


def arrived(site: Site) -> list[Arrival]:
    return as_uid(DAEMON_UID, lambda: list(TRANSPORT.arrivals(site)))


@pytest.mark.parametrize("sender", [0, NOBODY])
@pytest.mark.parametrize("prepared", [True, False])
def test_pieces_arrive_from_root_and_from_a_squashed_root(site, sender, prepared):
    """Also before the daemon's first start, when the sub-folders are not there yet; and the daemon can remove them."""
    if prepared:
        as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    as_uid(sender, partial(TRANSPORT.send, [b"one", b"two"], site))
    found = arrived(site)
    assert sorted(a.sealed for a in found) == [b"one", b"two"]
    as_uid(DAEMON_UID, lambda: [TRANSPORT.remove(a, site) for a in found])
    assert arrived(site) == []
    as_uid(DAEMON_UID, lambda: [TRANSPORT.remove(a, site) for a in found])


def test_strangers_can_put_in_and_nothing_else(site):
    """No list of names, no reading, no removing: not even in the folder a file lies in."""
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    TRANSPORT.send([b"sealed"], site)
    (arrival,) = arrived(site)
    for attempt in (
        lambda: list(site.spool_dir.iterdir()),
        lambda: list((site.spool_dir / arrival.name[:2]).iterdir()),
        (site.spool_dir / arrival.name).unlink,
        lambda: (site.spool_dir / arrival.name).write_bytes(b"x"),
        lambda: (site.spool_dir / arrival.name).rename(site.spool_dir / "x"),
        lambda: (site.spool_dir / "00").rename(site.spool_dir / "x"),
    ):
        with pytest.raises(PermissionError):
            as_uid(NOBODY, attempt)


def test_half_written_piece_is_not_seen_and_its_litter_goes(site, monkeypatch):
    """A private name is not finished; a day later it is litter."""
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    half = site.spool_dir / "aa" / (".aa" + "0" * 30)
    half.write_bytes(b"half")
    assert arrived(site) == []
    assert half.exists()
    monkeypatch.setattr(spool, "_LITTER_S", -1.0)
    assert arrived(site) == []
    assert not half.exists()


def test_failed_write_leaves_nothing(site):
    """A folder that takes no file: an error for the caller, who keeps the document."""
    site.spool_dir.chmod(0o500)
    with pytest.raises(PermissionError):
        as_uid(NOBODY, partial(TRANSPORT.send, [b"x"], site))
    site.spool_dir.chmod(0o1733)
    assert list(site.spool_dir.iterdir()) == []


def test_what_is_no_piece_is_put_aside_with_a_reason(site):
    """Links, pipes, folders, odd names, giants, second names: none is opened for long, none comes back, the good one arrives."""
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    name = "ab" + "0" * 29
    secret = site.spool_dir.parent / "secret"
    secret.write_text("root's own")
    secret.chmod(0o600)

    def litter() -> None:
        folder = site.spool_dir / "ab"
        (folder / f"{name}1").symlink_to(secret)
        os.mkfifo(folder / f"{name}2")
        (folder / f"{name}3").mkdir()
        (folder / "not a name").write_bytes(b"x")
        with (folder / f"{name}4").open("wb") as file:
            file.truncate(1 << 40)
        (folder / f"{name}5").write_bytes(b"x")
        (folder / f"{name}6").hardlink_to(folder / f"{name}5")
        (folder / f"{name}7").write_bytes(b"unreadable")
        (folder / f"{name}7").chmod(0)
        (site.spool_dir / "zz").mkdir()

    as_uid(NOBODY, litter)
    TRANSPORT.send([b"good"], site)
    assert [a.sealed for a in arrived(site)] == [b"good"]
    reasons = sorted(p.read_text() for p in (site.spool_dir / ".refused").glob("*.reason"))
    assert len(reasons) == 9
    assert sum("no regular file" in r for r in reasons) == 4
    assert sum("another name" in r for r in reasons) == 2
    assert any("may not read" in r for r in reasons)
    assert [a.sealed for a in arrived(site)] == [b"good"]
    assert len(list((site.spool_dir / ".refused").glob("*.reason"))) == 9


def test_refused_piece_goes_aside_and_not_for_ever(site, monkeypatch):
    """A seal's refusal is kept with its reason, up to a number; then removed."""
    monkeypatch.setattr(spool, "_MOST_ASIDE", 2)
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    for _ in range(4):
        TRANSPORT.send([b"bad"], site)
        (arrival,) = arrived(site)
        as_uid(DAEMON_UID, partial(TRANSPORT.refuse, arrival, "sealed by uid 7", site))
    aside = list((site.spool_dir / ".refused").glob("*.reason"))
    assert len(aside) == 2
    assert aside[0].read_text().endswith(": sealed by uid 7\n")
    assert arrived(site) == []


def test_sub_folder_of_a_stranger_is_an_error_with_a_name(site):
    """A user who made ``00`` first could empty it: the daemon says so instead of using it."""
    as_uid(NOBODY, (site.spool_dir / "00").mkdir)
    with pytest.raises(OSError, match=r"/00 is in the way"):
        as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))


def test_no_more_than_asked_for_at_once(site):
    """A flood is taken in portions."""
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    TRANSPORT.send([b"x"] * 10, site)
    assert len(as_uid(DAEMON_UID, lambda: list(TRANSPORT.arrivals(site, 4)))) == 4


def test_the_oldest_come_first_whatever_their_names_and_without_those_that_are_known(site):
    """Whose job ended first is told first; a piece that waits for its others takes nobody's place."""
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    for number in range(12):
        TRANSPORT.send([b"%d" % number], site)
        time.sleep(0.02)  # a file system's clock may tick a hundred times a second
    came = as_uid(DAEMON_UID, lambda: list(TRANSPORT.arrivals(site, 5)))
    assert [arrival.sealed for arrival in came] == [b"0", b"1", b"2", b"3", b"4"]
    known = {arrival.name for arrival in came[1:]}
    more = as_uid(DAEMON_UID, lambda: list(TRANSPORT.arrivals(site, 3, known)))
    assert [arrival.sealed for arrival in more] == [b"0", b"5", b"6"]


def test_more_names_than_are_listed_at_once_are_listed_in_turn(site, monkeypatch):
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    monkeypatch.setattr(spool, "_MOST_LISTED", 8)
    ours = spool.Spool()
    ours.send([b"x"] * 40, site)
    seen = 0
    for _ in range(12):
        for arrival in list(ours.arrivals(site, 4)):
            ours.remove(arrival, site)
            seen += 1
    assert seen == 40


def test_every_piece_has_its_turn_though_more_come_than_are_taken(site, monkeypatch):
    """What lies in the last sub-folder is taken while the first ones are filled up again and again, also with pieces that stay."""
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))
    names = iter([f"{folder}{number:030x}" for number in range(40) for folder in ("00", "01", "02", "fe", "ff")])
    monkeypatch.setattr(spool.secrets, "token_hex", lambda _: next(names))
    ours, seen, stays = spool.Spool(), set(), set()
    for _ in range(12):
        ours.send([b"x"] * 5, site)  # one for each of the five sub-folders
        for arrival in list(ours.arrivals(site, 4)):
            seen.add(arrival.name[:2])
            if len(stays) < 3:
                stays.add(arrival.name)
            elif arrival.name not in stays:
                ours.remove(arrival, site)
    assert seen == {"00", "01", "02", "fe", "ff"}


def test_a_flood_of_rubbish_keeps_no_piece_waiting(site):
    """Strangers' names are put aside a few hundred at a look, folders that cannot be moved as well: the look ends, with the piece found."""
    as_uid(DAEMON_UID, partial(TRANSPORT.prepare, site))

    def flood() -> None:
        for number in range(1200):
            (site.spool_dir / "aa" / f"rubbish{number}").touch()
        for number in range(300):
            folder = site.spool_dir / "bb" / f"{number:032x}"
            folder.mkdir()
            (folder / "x").touch()

    as_uid(NOBODY, flood)
    TRANSPORT.send([b"sealed"], site)
    assert [a.sealed for a in arrived(site)] == [b"sealed"]
    assert len(list((site.spool_dir / ".refused").iterdir())) <= 2 * spool._MOST_MOVED
    assert len(list((site.spool_dir / "aa").iterdir())) >= 1200 - spool._MOST_MOVED


def test_a_strangers_sub_folder_or_link_gets_no_piece(site, open_folder):
    """Before the daemon's first start anybody can make the sub-folders' names: root's pieces do not follow them to where their owner removes them."""
    trap = open_folder / "trap"
    trap.mkdir()
    os.chown(trap, NOBODY, NOBODY)

    def lay() -> None:
        for number in range(256):
            name = site.spool_dir / f"{number:02x}"
            name.symlink_to(trap) if number % 2 else name.mkdir()

    as_uid(NOBODY, lay)
    TRANSPORT.send([b"one", b"two", b"three", b"four"], site)
    assert list(trap.iterdir()) == []
    assert sum(1 for p in site.spool_dir.iterdir() if p.is_file()) == 4
