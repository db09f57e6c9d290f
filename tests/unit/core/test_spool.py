from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpualert_slurm import spool


def test_a_file_appears_whole_with_its_mode_and_no_private_name_stays(tmp_path: Path) -> None:
    spool.write_whole(tmp_path / "a", b"content", mode=0o640)

    assert (tmp_path / "a").read_bytes() == b"content"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        spool.write_whole(tmp_path / "a", b"content")

    assert list(tmp_path.iterdir()) == []


def test_reading_refuses_links_fifos_and_large_files(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 11)
    (tmp_path / "link").symlink_to(tmp_path / "large")
    os.mkfifo(tmp_path / "fifo")

    for name in ("large", "link", "fifo"):
        with pytest.raises(OSError):  # noqa: PT011
            spool.read_bounded(tmp_path / name, 10)
    assert spool.read_bounded(tmp_path / "large", 11) == b"x" * 11


def test_private_names_are_not_finished(tmp_path: Path) -> None:
    for name in ("b", "a", ".a.private"):
        (tmp_path / name).touch()

    assert [p.name for p in spool.finished(tmp_path)] == ["a", "b"]
    assert list(spool.finished(tmp_path / "absent")) == []
