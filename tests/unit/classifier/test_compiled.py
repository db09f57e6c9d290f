"""The cache of compiled databases: used when it is this user's alone, left alone otherwise, and never needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpualert_slurm.classifier.compiled import Cache, default_folder, name
from gpualert_slurm.classifier.hyper import Hyper, expressions, hyperscan
from gpualert_slurm.classifier.nominate import Plain

BINDING = hyperscan()
REGEXES = ["Killed", r"^[a-z]+: refused"]
LOG = b"x\nKilled\nsshd: refused\n"
FOUND = [(2, 8, 1), (9, 22, 2)]
pytestmark = pytest.mark.skipif(BINDING is None, reason="no Hyperscan wheel on this platform")


def made(cache: Cache) -> Hyper:
    return Hyper(BINDING, REGEXES, Plain(REGEXES, [("Killed",), (": refused",)]), cache)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    cache = Cache(tmp_path / "gpualert")
    made(cache)
    return cache


def file_of(cache: Cache) -> Path:
    return cache.folder / name(BINDING, expressions(REGEXES))


def loads(cache: Cache) -> bool:
    return cache.load(BINDING, expressions(REGEXES)) is not None


def test_what_was_compiled_is_loaded_and_finds_the_same(cache):
    assert loads(cache)
    assert made(cache).lines(LOG) == FOUND


def test_it_is_written_for_this_user_alone(cache):
    assert cache.folder.stat().st_mode & 0o777 == 0o700
    assert file_of(cache).stat().st_mode & 0o777 == 0o600
    assert [p.name for p in cache.folder.iterdir()] == [file_of(cache).name]


def test_other_patterns_have_another_file():
    assert name(BINDING, [b"a", b"b"]) != name(BINDING, [b"ab"])
    assert name(BINDING, [b"a", b"b"]) != name(BINDING, [b"a", b"bc"])


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o711, 0o755])
def test_a_folder_open_to_others_is_not_used(cache, mode):
    cache.folder.chmod(mode)
    assert not loads(cache)
    assert made(cache).lines(LOG) == FOUND


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_file_open_to_others_is_not_loaded(cache, mode):
    file_of(cache).chmod(mode)
    assert not loads(cache)


def test_a_link_is_not_followed(cache, tmp_path):
    file_of(cache).rename(tmp_path / "real")
    file_of(cache).symlink_to(tmp_path / "real")
    assert not loads(cache)
    link = tmp_path / "link"
    link.symlink_to(cache.folder)
    assert not loads(Cache(link))


def test_a_fifo_does_not_hold_us(cache):
    file_of(cache).unlink()
    os.mkfifo(file_of(cache), 0o600)
    assert not loads(cache)


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:100] + bytes([b[100] ^ 1]) + b[101:], lambda b: b"x" + b])
def test_a_damaged_file_is_compiled_again(cache, damage):
    file = file_of(cache)
    file.write_bytes(damage(file.read_bytes()))
    assert not loads(cache)
    assert made(cache).lines(LOG) == FOUND
    assert loads(cache)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_or_folder_of_somebody_else_is_not_used(cache, tmp_path):
    os.chown(file_of(cache), 65534, 65534)
    assert not loads(cache)
    os.chown(file_of(cache), 0, 0)
    os.chown(cache.folder, 65534, 65534)
    assert not loads(cache)
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 65534, 65534)
    assert made(Cache(home / "gpualert")).lines(LOG) == FOUND
    assert list(home.iterdir()) == [], "as root, nothing is left in somebody else's home"


def test_a_place_that_cannot_be_written_costs_nothing_but_compiling(tmp_path):
    (tmp_path / "file").write_text("")
    assert made(Cache(tmp_path / "file" / "gpualert")).lines(LOG) == FOUND


def test_the_number_of_databases_is_bounded(cache):
    for number in range(20):
        regexes = [f"pattern{number}"]
        Hyper(BINDING, regexes, Plain(regexes, [(regexes[0],)]), cache)
    assert len(list(cache.folder.iterdir())) <= 8


def test_a_relative_home_is_no_place(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert default_folder() is None
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache/u")
    assert default_folder() == Path("/var/cache/u/gpualert")


def test_a_database_that_fails_on_a_block_is_replaced_by_the_plain_nominator(cache, monkeypatch):
    hyper = made(cache)
    monkeypatch.setattr(hyper, "_scan", lambda *_: (_ for _ in ()).throw(RuntimeError("scratch in use")))
    assert hyper.lines(LOG) == FOUND
