"""What waits is kept in memory: folders are listed when they changed."""

from __future__ import annotations

import os
import time

import pytest

from gpualert_slurm.notify import due as due_module
from gpualert_slurm.notify.due import Due


@pytest.fixture
def folders(tmp_path):
    for name in ("queued", "deferred"):
        (tmp_path / name).mkdir()
    return tmp_path / "queued", tmp_path / "deferred"


@pytest.fixture
def listings(monkeypatch):
    """Which folders were listed."""
    seen: list[str] = []
    real = due_module.listed
    monkeypatch.setattr(due_module, "listed", lambda folder: seen.append(folder.name) or real(folder))
    return seen


def put(folder, name, at_ns=1):
    path = folder / f"{name}.msg"
    path.write_bytes(b"x")
    os.utime(path, ns=(at_ns, at_ns))
    return path


def age(folder):
    """As if the folder had last changed a while ago."""
    then = time.time_ns() - 10 * due_module.SETTLED_NS
    os.utime(folder, ns=(then, then))


def test_queued_ones_come_oldest_first_then_deferred_ones_that_are_due(folders):
    queued, deferred = folders
    put(queued, "b", 2), put(queued, "a", 3), put(deferred, "c", 50), put(deferred, "d", 500)
    assert [p.name for p in Due(queued, deferred).ready(100)] == ["b.msg", "a.msg", "c.msg"]


def test_nothing_is_listed_while_nothing_changes(folders, listings):
    queued, deferred = folders
    put(deferred, "c", 500)
    age(queued)
    due = Due(queued, deferred)
    for _ in range(100):
        assert due.ready(100) == []
    assert listings == ["queued", "deferred"]
    assert [p.name for p in due.ready(600)] == ["c.msg"]
    assert listings == ["queued", "deferred"]


def test_what_is_queued_meanwhile_is_found_even_within_one_tick_of_the_clock(folders):
    queued, deferred = folders
    due = Due(queued, deferred)
    for i in range(50):
        path = put(queued, f"k{i}")
        assert path in due.ready(10), i
        path.unlink()


def test_what_was_deferred_comes_when_its_time_has_come(folders):
    queued, deferred = folders
    due = Due(queued, deferred)
    due.ready(0)
    due.defer(put(deferred, "a", 70).name, 70)
    assert due.ready(69) == []
    assert [p.name for p in due.ready(70)] == ["a.msg"]
    assert due.ready(71) == [], "once, until it is reported back"


def test_a_held_one_waits_in_the_queue_for_its_place(folders):
    queued, deferred = folders
    put(queued, "a")
    due = Due(queued, deferred)
    due.hold("a.msg", 100)
    assert due.ready(99) == []
    assert [p.name for p in due.ready(100)] == ["a.msg"]
    assert due.had_its_turn("a.msg")
