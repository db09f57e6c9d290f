"""Parts of the cluster that are away when a job's report comes: the owner's mail waits for them, or says what it lacks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.system.test_daemon import MAIL, about, gaps, once, verdict, wait_log, wait_over
from tests.testbed import Cluster
from tests.testbed.daemon import wait_until


@pytest.fixture
def reported(cluster: Cluster) -> Iterator[tuple[Cluster, int]]:
    """A job that ended with 3; its report lies in the spool, its end is in accounting, and no gpualertd runs yet."""
    job = cluster.submit("sleep 6; exit 3", "-n1", MAIL)  # long enough for slurmdbd to be told whose it is
    wait_over(cluster, job)
    cluster.sacct(job)
    out = cluster.gpualert.spool_dir

    def arrived() -> bool:
        return not any(path.name.startswith(f"{job}.") for path in cluster.gpualert.state_dir.glob("node/*/out/*")) and any(out.rglob("[0-9a-f]" * 32))

    wait_until(arrived, "the report in the spool", 60, poll_s=0.2)
    yield cluster, job
    cluster.daemon.stop()


def test_slurmctld_is_away(reported: tuple[Cluster, int]) -> None:
    """Accounting says how it ended; what only slurmctld knows is a gap."""
    cluster, job = reported
    cluster.slurmctld.stop()
    try:
        cluster.start_daemon()
        mail = once(cluster, job, timeout_s=150)
        assert verdict(mail)["exit_code"] == 3
        assert any("the nodes' state" in gap for gap in gaps(mail)), gaps(mail)
        wait_log(cluster, "controller_away")
    finally:
        cluster.slurmctld.start()
        cluster.wait_idle()


def test_munged_is_away_and_comes_back(reported: tuple[Cluster, int]) -> None:
    """Nothing can be opened and nothing be asked: the daemon waits, says why, and the mail then lacks nothing."""
    cluster, job = reported
    cluster.munged.stop()
    try:
        cluster.start_daemon()
        wait_log(cluster, "intake_waits")
        assert not [m for m in cluster.smtp.mails() if about(job)(m)]
    finally:
        cluster.munged.start()
    mail = once(cluster, job, timeout_s=150)
    assert (verdict(mail)["exit_code"], gaps(mail)) == (3, [])
