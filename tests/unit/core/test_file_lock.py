"""Locks that are not waited for without end."""

from __future__ import annotations

import time

import pytest

from gpualert_slurm import file_lock


def test_one_holder_at_a_time_and_the_wait_has_an_end(tmp_path):
    """A holder that was stopped must not stop whoever queues: that is an OSError, and is tried again later."""
    with file_lock.locked(tmp_path / "lock"):
        began = time.monotonic()
        with pytest.raises(OSError, match="held"), file_lock.locked(tmp_path / "lock", patience_s=0.1):
            pass
        assert 0.1 <= time.monotonic() - began < 5
    with file_lock.locked(tmp_path / "lock", patience_s=0.0):
        pass


def test_a_link_in_the_lock_s_place_is_not_followed(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lock"), file_lock.locked(tmp_path / "lock"):
        pass
    assert not (tmp_path / "elsewhere").exists()
