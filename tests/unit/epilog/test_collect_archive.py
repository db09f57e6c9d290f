"""Where the owner's copy of the logs goes."""

from __future__ import annotations

import pytest

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.epilog.collect_account import Account
from gpualert_slurm.epilog.collect_archive import folder_for
from gpualert_slurm.gap import Gap

ALICE = Account(uid=1000, gid=1000, name="alice", home="/home/alice")
RUN = Attempt(cluster="hpc", job_id=42, array_job_id=40, array_task_id=2)


@pytest.mark.parametrize(
    ("template", "folder"), [("%h/.gpualert/%j", "/home/alice/.gpualert/40_2"), ("/arch/%u/%j", "/arch/alice/40_2"), ("/a/100%%", "/a/100%")]
)
def test_template(template, folder):
    """Home, user, job as sacct prints it."""
    assert folder_for(template, ALICE, RUN) == folder


def test_restart_does_not_overwrite_the_run_before():
    """A requeued job has the same id."""
    assert folder_for("/a/%j", ALICE, RUN.model_copy(update={"restart_count": 2})) == "/a/40_2/restart-2"
    assert folder_for("/a/%j", ALICE, RUN.model_copy(update={"restart_count": 0})) == "/a/40_2"


@pytest.mark.parametrize("template", ["%h/x", "relative/%j", "/x/%q"])
def test_what_cannot_be_filled_in_is_a_gap(template):
    """No home, no absolute path, an unknown word: no copy, and it is said."""
    assert isinstance(folder_for(template, Account(uid=1, gid=1, name="bob", problem="no name service"), RUN), Gap)
