"""A job file that moves while it is looked at is no bad file."""

from __future__ import annotations

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
