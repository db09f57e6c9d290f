"""Whether the spool was read to its end: until then no report is missing."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

import pytest

from gpualert_slurm.config import Config, Site
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.seals.munge import SEAL
from gpualert_slurm.epilog.transports.spool import TRANSPORT
from gpualert_slurm.programs.gpualertd import intake as module
from gpualert_slurm.programs.gpualertd.intake import Intake


@pytest.fixture
def intake(tmp_path: Path) -> Intake:
    """An intake whose munged is not there."""
    (tmp_path / "spool").mkdir()
    config = Config(site=Site(spool_dir=tmp_path / "spool", munge_socket=tmp_path / "no-munged"))
    made = Intake(config, "c", transport=TRANSPORT, seal=SEAL, history=History(tmp_path / "history.db"))
    made.prepare()
    return made


def put(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "spool" / secrets.token_hex(16)).write_bytes(content)


def test_more_than_one_look_takes(intake, tmp_path, monkeypatch):
    """A look opens a bounded number; while it does not get to the end, more may lie there."""
    monkeypatch.setattr(module, "MOST_AT_ONCE", 2)
    for _ in range(3):
        put(tmp_path, b"no credential")
    assert not intake.unread
    intake.take_in()
    assert intake.unread
    intake.take_in()
    assert not intake.unread


@pytest.mark.skipif(shutil.which("unmunge") is None, reason="unmunge is not installed")
def test_munged_that_is_away(intake, tmp_path):
    """What cannot be opened just now may be any node's report."""
    put(tmp_path, b"MUNGE:AwQFAAD:")
    intake.take_in()
    assert intake.unread
