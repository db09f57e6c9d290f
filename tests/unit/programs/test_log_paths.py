"""What a PATH means to ``gpualert diagnose``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gpualert_slurm.programs import log_paths
from gpualert_slurm.programs.log_paths import PathError, find, rank_in_name

GOLDENS = Path(__file__).parents[1] / "goldens"


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("rank3.log", 3), ("rank_12.err", 12), ("job-42.rank-7.out", 7), ("train_rank0.txt", 0), ("Rank=5.log", 5), ("task_3.err", 3), ("procid2.out", 2),
        ("3.err", 3), ("15.log", 15), ("log.3", 3), ("stderr_4.txt", 4), ("run1/attempt_0/6/stderr.log", 6),
        ("slurm-42.out", None), ("slurm-42_7.out", None), ("train.log", None), ("2026-11-20.log", None), ("frank3.log", None), ("rank1_rank2.log", None),
        ("rank.log", None), ("node3.log", None), ("worker3.log", None), ("crank4.log", None), ("logs/stderr.log", None), ("1234567.log", None),
        ("v3.2.log", None), ("task.log", None),
    ],
)  # fmt: skip
def test_a_rank_is_taken_from_a_name_only_where_it_says_so(name: str, rank: int | None) -> None:
    assert rank_in_name(Path(name)) == rank


def test_a_folder_of_logs_is_read_in_name_order_without_what_is_no_log(tmp_path: Path) -> None:
    for name in ("rank1.log", "rank0.log", "model.safetensors", ".hidden.log", "config.yaml", "deep/rank2.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text\n")
    (tmp_path / "link.log").symlink_to("/etc/passwd")
    (tmp_path / "picture.log").write_bytes(bytes(range(256)) * 40)
    found = find([tmp_path])
    assert [(s.path.name, s.rank) for s in found.logs] == [("rank0.log", 0), ("rank1.log", 1), ("rank2.log", 2)]
    assert [g.why for g in found.gaps] == ["it is no text"]


def test_a_log_with_some_broken_bytes_is_text(tmp_path: Path) -> None:
    path = tmp_path / "mixed.log"
    path.write_bytes(b"loss 1.0\n" * 10 + b"\xff\xfe\x00\x01" * 5)
    assert len(find([path]).logs) == 1


def test_the_same_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("x\n")
    (tmp_path / "b.log").symlink_to(path)
    assert len(find([path, path, tmp_path / "b.log"]).logs) == 1


@pytest.mark.parametrize("what", ["missing", "empty_folder", "fifo", "only_binary", "folder_of_no_logs"])
def test_what_cannot_be_diagnosed_is_refused_by_name(tmp_path: Path, what: str) -> None:
    path = tmp_path / what
    if what in ("empty_folder", "folder_of_no_logs"):
        path.mkdir()
    if what == "folder_of_no_logs":
        (path / "a.json").write_text("{}")
    if what == "fifo":
        os.mkfifo(path)
    if what == "only_binary":
        path.write_bytes(os.urandom(4096))
    with pytest.raises(PathError, match=what):
        find([path])


def test_one_missing_path_refuses_all(tmp_path: Path) -> None:
    """A typing error must not give a verdict on half of the run."""
    (tmp_path / "a.log").write_text("x\n")
    with pytest.raises(PathError, match=r"b\.log: no such file or directory"):
        find([tmp_path / "a.log", tmp_path / "b.log"])


def test_a_name_that_is_no_utf_8_is_shown_escaped(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/rank1\xff.log"))
    path.write_text("x\n")
    (source,) = find([tmp_path]).logs
    assert log_paths.shown(source.path).endswith("rank1\\xff.log")


def test_slurms_default_name_gives_the_job(tmp_path: Path) -> None:
    (tmp_path / "slurm-42_7.out").write_text("x\n")
    found = find([tmp_path / "slurm-42_7.out"])
    assert (found.job_id, found.array_task_id) == (42, 7)


def test_a_jobs_log_folder_and_record_folder_give_ranks_and_ends(tmp_path: Path) -> None:
    """The capture's own files: the exit record says which rank, the index lies in the record folder."""
    logs, records = tmp_path / "logs", tmp_path / "records"
    logs.mkdir()
    records.mkdir()
    record = json.loads((GOLDENS / "exit-record" / "failed.json").read_bytes())
    (records / f"{record['step']}.{record['task']}.exit.json").write_text(json.dumps(record))
    (records / f"{record['step']}.{record['task']}.idx").write_bytes((GOLDENS / "time-index" / "two-streams.idx").read_bytes())
    (logs / f"{record['step']}.{record['task']}.err").write_bytes((GOLDENS / "rank-log" / "failed.err").read_bytes())
    found = find([logs, records])
    (source,), (end,) = found.logs, found.exits
    assert (source.rank, source.node, source.stream, source.step) == (end.rank, end.node, "err", end.step)
    assert source.index_path == records / f"{record['step']}.{record['task']}.idx"
    assert found.job_id == record["job_id"]


def test_a_rank_log_alone_names_its_task_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "renamed.txt"
    path.write_bytes((GOLDENS / "rank-log" / "failed.err").read_bytes())
    (source,) = find([path]).logs
    assert source.frame.header is not None
    assert (source.rank, source.index_path) == (source.frame.header.task, None)


def test_two_bundles_are_two_runs(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text("{}")
    with pytest.raises(PathError, match="two runs"):
        find([tmp_path / "one", tmp_path / "two"])


def test_a_walk_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_paths, "MAX_FILES", 3)
    for number in range(5):
        (tmp_path / f"rank{number}.log").write_text("x\n")
    found = find([tmp_path])
    assert len(found.logs) == 3
    assert "only the first 3" in str(found.gaps[0])
