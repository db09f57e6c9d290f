"""Parts of the node service that need no node: its folders, its children, its cleaner, what it hands over."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from gpualert_slurm.config import Config, Site
from gpualert_slurm.programs.gpualert_node import child, outgoing, usage
from gpualert_slurm.programs.gpualert_node.child import KILLED, Child
from gpualert_slurm.programs.gpualert_node.cleaner import clean
from gpualert_slurm.programs.gpualert_node.cluster_name import cluster_name
from gpualert_slurm.programs.gpualert_node.folders import Folders, StartError
from gpualert_slurm.programs.gpualert_node.outgoing import Outgoing


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    made = Folders(tmp_path, "n1")
    made.make()
    return made


def ended(of: Child, seconds: float = 5) -> int:
    until = time.monotonic() + seconds
    while (code := of.poll()) is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    return code


@pytest.mark.parametrize("name", ["", "../n1", "n/1", "-n", "n 1", "n1\n", "x" * 300])
def test_name_that_is_no_nodes_is_refused(tmp_path, name):
    """It becomes a folder's name."""
    with pytest.raises(StartError, match="no node's name"):
        Folders(tmp_path, name)


def test_child_that_returns_raises_or_is_late():
    """0, 1, and killed at its deadline."""
    assert ended(Child("a", lambda: None, 5)) == 0
    assert ended(Child("b", lambda: 1 / 0 and None, 5)) == 1
    late = Child("c", lambda: time.sleep(60), 0.2)
    assert ended(late) == KILLED
    assert late.late
    assert late.gone


def test_child_holds_nothing_of_its_parents():
    """The lock and the kernel log are the service's; a stuck child must not keep them."""
    lock = os.open("/dev/null", os.O_RDONLY)
    here = Child("fds", lambda: os._exit(7 if Path(f"/proc/self/fd/{lock}").exists() else 0), 5)
    assert ended(here) == 0
    os.close(lock)


def test_stuck_child_is_followed_by_no_second_one(folders, monkeypatch):
    """A process that not even SIGKILL ends (a hung file system): the document waits until it is gone; at most one is ever stuck."""
    (folders.out / "42.5f0c8a3b9d2e4f61.report").write_text("{}")
    begun: list[int] = []
    monkeypatch.setattr(outgoing, "DEADLINE_S", 0.1)
    monkeypatch.setattr(outgoing, "_FIRST_DELAY_S", 0.0)
    monkeypatch.setattr(outgoing, "deliver", lambda *_: time.sleep(60))
    real_kill, real_init = Child.kill, Child.__init__
    monkeypatch.setattr(child.Child, "kill", lambda _self: None)

    def counted(self, *arguments):
        begun.append(1)
        real_init(self, *arguments)

    monkeypatch.setattr(child.Child, "__init__", counted)
    out = Outgoing(folders.out, folders.bad, Config(), list)
    out.step()
    first = out.child
    assert first is not None
    until = time.monotonic() + 3.0
    while time.monotonic() < until:
        out.step()
        time.sleep(0.02)
    assert len(begun) == 1
    assert out.child is None
    assert out.waiting()
    real_kill(first)
    until = time.monotonic() + 5
    while len(begun) == 1 and time.monotonic() < until:
        out.step()
        time.sleep(0.02)
    assert len(begun) == 2
    assert out.child is not None
    real_kill(out.child)
    ended(out.child)


def test_report_is_held_back_while_its_job_file_is_there(folders, monkeypatch):
    """It may yet be written again; the note of the same job is not held."""
    monkeypatch.setattr(outgoing, "deliver", lambda *_: None)
    (folders.out / "42.5f0c8a3b9d2e4f61.report").write_text("{}")
    held = ["42.5f0c8a3b9d2e4f61"]
    out = Outgoing(folders.out, folders.bad, Config(), lambda: held)
    out.step()
    assert out.child is None
    assert out.due() is None
    held.clear()
    out.step()
    assert out.child is not None
    ended(out.child)


def test_newest_document_is_handed_over_first(folders, monkeypatch):
    """After munged or the spool was away for a day, a job that ends now does not wait for yesterday's."""
    handed = folders.base / "handed"
    monkeypatch.setattr(outgoing, "deliver", lambda path, _: handed.open("a").write(f"{path.name}\n"))
    for number, name in enumerate(("42.5f0c8a3b9d2e4f61.report", "43.5f0c8a3b9d2e4f61.report", "9.5f0c8a3b9d2e4f61.note", "44.5f0c8a3b9d2e4f61.report")):
        (folders.out / name).write_text("{}")
        os.utime(folders.out / name, ns=(number * 10**9, number * 10**9))
    out = Outgoing(folders.out, folders.bad, Config(), list)
    until = time.monotonic() + 20
    while out.waiting() and time.monotonic() < until:
        out.step()
        time.sleep(0.01)
    assert [name.partition(".")[0] for name in handed.read_text().split()] == ["44", "9", "43", "42"]


def test_document_that_is_none_is_put_aside(folders):
    """A disk that lost its bytes: trying again for ever would not bring them back."""
    (folders.out / "42.5f0c8a3b9d2e4f61.report").write_bytes(b"\0" * 100)
    out = Outgoing(folders.out, folders.bad, Config(), list)
    until = time.monotonic() + 20
    while out.waiting() and time.monotonic() < until:
        out.step()
        time.sleep(0.02)
    assert [p.name for p in folders.bad.iterdir()] == ["42.5f0c8a3b9d2e4f61.report"]


def test_old_folders_of_jobs_that_are_over_are_removed(folders):
    """Record and logs together; young ones, running ones and undelivered ones stay, and so does what a link points to."""
    names = {n: f"{i}.5f0c8a3b9d2e4f6{i}" for i, n in enumerate(("old", "young", "running", "ended", "undelivered"))}
    kept = folders.state_dir / "kept"
    kept.mkdir()
    (kept / "file").touch()
    for name in names.values():
        (folders.base / name).mkdir()
        logs = folders.state_dir / "logs" / name
        logs.mkdir(parents=True)
        (logs / "0.0.out").touch()
        (logs / "link").symlink_to(kept)
        for path in (folders.base / name,):
            os.utime(path, (1, 1))
    os.utime(folders.base / names["young"])
    (folders.jobs / names["running"]).touch()
    (folders.ended / names["ended"]).touch()
    (folders.out / f"{names['undelivered']}.report").touch()
    assert clean(folders, keep_days=7) == [names["old"]]
    assert not (folders.base / names["old"]).exists()
    assert not (folders.state_dir / "logs" / names["old"]).exists()
    assert sorted(p.name for p in (folders.state_dir / "logs").iterdir()) == sorted(n for k, n in names.items() if k != "old")
    assert (kept / "file").exists()
    assert (folders.jobs).exists()


def made(folders: Folders, name: str, mib: int, days_ago: float) -> Path:
    """An attempt's two folders; its logs are counted as ``mib``."""
    record, logs = folders.base / name, folders.state_dir / "logs" / name
    record.mkdir()
    logs.mkdir(parents=True)
    (record / "usage").write_text(f"2 {mib << 20}\n")
    when = time.time() - days_ago * 86400
    for path in (record / "usage", record, logs):
        os.utime(path, (when, when))
    return record


def test_oldest_logs_go_first_when_there_are_too_many(folders):
    """Until the rest fits; those of a job that runs, that is not reported yet, or that begins just now are never among them."""
    oldest, older, young = (made(folders, f"{i}.5f0c8a3b9d2e4f61", 400, 4 - i) for i in (1, 2, 3))
    running, begins = made(folders, "8.5f0c8a3b9d2e4f61", 400, 5), made(folders, "9.5f0c8a3b9d2e4f61", 400, 0)
    (folders.jobs / running.name).touch()
    assert clean(folders, 30, max_mib=1300) == [oldest.name, older.name]
    assert all(path.exists() for path in (young, running, begins))
    assert (folders.base / "usage").read_text() == f"6 {1200 << 20}\n"
    assert clean(folders, 30, max_mib=1) == [young.name]
    assert usage.read(folders.base) == usage.Usage(4, 800 << 20)


def test_litter_of_writers_that_died_is_removed(folders):
    """Private names, tmp/, a log folder without a record, a byjob entry of an attempt that is gone: after an hour, not before."""
    gone, there = "7.5f0c8a3b9d2e4f61", made(folders, "8.5f0c8a3b9d2e4f61", 1, 1)
    for name in ("tmp", "byjob"):
        (folders.base / name).mkdir()
    (folders.state_dir / "logs" / gone).mkdir()
    litter = [folders.out / ".42.note.abc", folders.base / "tmp" / gone, folders.base / "byjob" / "7", folders.state_dir / "logs" / gone]
    kept = [folders.base / "byjob" / "8", folders.base / "byjob" / "9", folders.out / "42.5f0c8a3b9d2e4f61.note"]
    for path, text in ((litter[0], ""), (litter[1], ""), (litter[2], json.dumps({"attempt": gone})), (kept[0], json.dumps({"attempt": there.name})),
                       (kept[1], "no job file"), (kept[2], "{}")):  # fmt: skip
        path.write_text(text)
    clean(folders, 30)
    assert all(path.exists() for path in (*litter, *kept))
    for path in (*litter, *kept):
        os.utime(path, (1, 1))
    clean(folders, 30)
    assert [path for path in litter if path.exists()] == []
    assert all(path.exists() for path in kept)


def test_cluster_name_from_the_configuration_or_slurm_conf(tmp_path, monkeypatch):
    """gpualert.toml first; Slurm's file, in lower case as Slurm has it; neither: what to set."""
    conf = tmp_path / "slurm.conf"
    conf.write_text("# ClusterName=wrong\nSlurmctldHost=a\nclustername = HPC # the big one\n")
    monkeypatch.setenv("SLURM_CONF", str(conf))
    assert cluster_name(Site(cluster="toml")) == "toml"
    assert cluster_name(Site()) == "hpc"
    conf.write_text("")
    with pytest.raises(StartError, match=r"set cluster = "):
        cluster_name(Site())


def test_log_folder_nested_without_end_is_removed(folders):
    """Its owner may have nested folders deeper than any stack or descriptor table: they go as well, and the record not before the logs."""
    name = "7.5f0c8a3b9d2e4f61"
    record, logs = folders.base / name, folders.state_dir / "logs" / name
    record.mkdir()
    logs.mkdir(parents=True)
    here = os.open(logs, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    long_ago = time.time() - 100 * 86400
    os.utime(record, (long_ago, long_ago))
    assert clean(folders, 30) == [name]
    assert not logs.exists()
    assert not record.exists()
