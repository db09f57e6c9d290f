"""A job file that moves while it is looked at is no bad file."""

from __future__ import annotations

import resource

import pytest

from gpualert_slurm.programs.gpualert_node.watched_job import read_job


def test_file_that_was_just_moved_is_told_from_one_that_is_none(tmp_path):
    """The epilog renames it at any time: taking that for a bad file would lose the job."""
    with pytest.raises(FileNotFoundError):
        read_job(tmp_path / "42.5f0c8a3b9d2e4f61")
    (tmp_path / "42.5f0c8a3b9d2e4f61").write_text("{}")
    assert isinstance(read_job(tmp_path / "42.5f0c8a3b9d2e4f61"), str)
    (tmp_path / "link").symlink_to("42.5f0c8a3b9d2e4f61")
    assert isinstance(read_job(tmp_path / "link"), str)
    (tmp_path / "folder").mkdir()
    assert isinstance(read_job(tmp_path / "folder"), str)


def test_file_that_cannot_be_read_just_now_is_no_bad_file(tmp_path):
    """A node short of descriptors or memory, a disk that stumbles: the job is looked at again, not put aside for ever."""
    path = tmp_path / "42.5f0c8a3b9d2e4f61"
    path.write_text("{}")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            read_job(path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
