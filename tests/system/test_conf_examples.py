"""The example files that Slurm itself reads, on a real cluster; and the way without a daemon: EpilogSlurmctld and cron."""

from __future__ import annotations

import re
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.testbed import Cluster
from tests.testbed.daemon import wait_until
from tests.testbed.processes import MARK

EXAMPLES = Path(__file__).parents[2] / "slurm_conf_examples"
MAIL = "--gpualert-mail=alice@example.org"


def lines(name: str, cluster: Cluster) -> list[str]:
    """The example's lines without comments, with the bed's installation in place of /opt/gpualert."""
    text = (EXAMPLES / name).read_text().replace("/opt/gpualert", str(cluster.gpualert.prefix))
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_plugstack_and_slurm_conf(cluster: Cluster) -> None:
    """Slurm takes the lines as they are: the options are there, the Epilog runs, no node is drained."""
    (plugin,) = lines("plugstack.conf", cluster)
    settings = dict(line.split("=", 1) for line in lines("slurm.conf", cluster))
    here = f" state_dir={cluster.gpualert.state_dir} off_file={cluster.gpualert.off_file}"
    try:
        cluster.plugstack([plugin + here])
        cluster.reconfigure(settings)
        shown = cluster.scontrol("show", "config")
        for key, value in settings.items():
            # 23.11 and later: "Epilog[0] = …", since there may be several.
            assert re.search(rf"^{key}(\[\d+\])?\s*=.*{re.escape(value)}", shown, re.MULTILINE | re.IGNORECASE), key
        assert "--gpualert-mail" in cluster.command("srun", "--help").stdout
        assert cluster.srun("-n1", "true").returncode == 0  # asks for nothing: the Epilog line knows only the usual state_dir
        cluster.wait_idle()
    finally:
        cluster.hook_in()


@pytest.fixture
def without_daemon(cluster: Cluster) -> Iterator[Path]:
    """A site without gpualertd: reports are sealed for SlurmUser, whom EpilogSlurmctld runs as. Gives the script to set."""
    before = {table: dict(keys) for table, keys in cluster.gpualert.settings.items()}
    state, spool = cluster.root / "once-state", cluster.root / "once-reports"
    for folder, mode in ((state, 0o700), (spool, 0o1733)):
        folder.mkdir()
        folder.chmod(mode)
        shutil.chown(folder, "slurm", "slurm")
    cluster.daemon.stop()
    cluster.configure({"site": {"daemon_user": "slurm", "spool_dir": str(spool)}, "daemon": {"state_dir": str(state)}})
    shutil.copy(EXAMPLES / "epilog-slurmctld.sh", cluster.root / "etc" / "epilog-slurmctld.sh")
    script = cluster.root / "etc" / "once.sh"
    script.write_text(
        f"#!/bin/sh\nexport GPUALERTD={cluster.gpualert.program('gpualertd')} GPUALERT_CONFIG={cluster.gpualert.config} GPUALERT_USER=slurm\n"
        f"export SLURM_CONF={cluster.conf.path} {MARK}={cluster.root}\nexec {cluster.root}/etc/epilog-slurmctld.sh\n"
    )
    script.chmod(0o755)
    try:
        yield script
    finally:
        cluster.configure(before)
        for folder in (state, spool):
            shutil.rmtree(folder)


def mails_about(cluster: Cluster, job: int) -> int:
    return len([m for m in cluster.smtp.mails() if f"job {job} " in str(m.message()["subject"])])


def test_epilogslurmctld_instead_of_a_daemon(cluster: Cluster, without_daemon: Path) -> None:
    """Two jobs end at nearly the same time: both owners have one mail within seconds, and no process is left."""
    cluster.epilog_slurmctld(without_daemon)
    try:
        jobs = [cluster.submit("sleep 6; exit 3", MAIL) for _ in range(2)]
        for job in jobs:
            cluster.wait(job)
        ended = time.monotonic()
        wait_until(lambda: all(mails_about(cluster, job) for job in jobs), "a mail about each job", 60, poll_s=0.1)
        print(f"two jobs' end to their mails, without a daemon: {time.monotonic() - ended:.1f} s")
        wait_until(lambda: not list((cluster.root / "once-reports").rglob("[0-9a-f]" * 32)), "an empty spool", 90)
        assert [mails_about(cluster, job) for job in jobs] == [1, 1]
    finally:
        cluster.epilog_slurmctld(None)
    lock = cluster.root / "once-state" / "gpualertd.lock"
    wait_until(lambda: cluster.command("flock", "-n", str(lock), "true", check=False).returncode == 0, "gpualertd --once to end", 60)


def test_the_cron_line_instead_of_a_daemon(cluster: Cluster, without_daemon: Path) -> None:
    """The command of gpualert.cron, run once after a job has ended, sends the mail and ends."""
    (line,) = [ln for ln in lines("gpualert.cron", cluster) if ln.startswith("*")]
    command = line.split(None, 6)[6].replace("gpualertd --once", f"gpualertd --once --config {shlex.quote(str(cluster.gpualert.config))}")
    job = cluster.submit("sleep 6; exit 3", MAIL)
    cluster.wait(job)
    wait_until(lambda: len(list((cluster.root / "once-reports").rglob("[0-9a-f]" * 32))) >= 2, "note and report in the spool", 90)
    assert mails_about(cluster, job) == 0
    begun = time.monotonic()
    cluster.command("sh", "-c", command, user="slurm", timeout_s=120, cwd=cluster.root)
    print(f"the cron line took {time.monotonic() - begun:.1f} s")
    assert mails_about(cluster, job) == 1
