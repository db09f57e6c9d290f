"""Jobs that asked and of which no node ever said a word: found in Slurm's accounting, judged by its records, and their owners told."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.system.test_daemon import about, gaps, once, text, verdict
from tests.testbed import Cluster
from tests.testbed.daemon import wait_until

MAIL = "--gpualert-mail=alice@example.org"


@pytest.fixture
def quick(cluster: Cluster) -> Iterator[Cluster]:
    """The daemon looks for them every two seconds, a few seconds after their end."""
    before = {key: cluster.gpualert.settings["daemon"].get(key) for key in ("reconcile_s", "report_deadline_s")}
    cluster.configure({"daemon": {"reconcile_s": 2.0, "report_deadline_s": 6.0}})
    cluster.start_daemon()
    # What ended before its very first look is not its business: on a busy machine a job can be over by then.
    wait_until(lambda: _has_looked(cluster), "gpualertd's first look", 120)
    yield cluster
    cluster.daemon.stop()
    for key, value in before.items():
        cluster.gpualert.settings["daemon"].pop(key)
        if value is not None:
            cluster.gpualert.settings["daemon"][key] = value
    cluster.configure()


def _has_looked(cluster: Cluster) -> bool:
    path = cluster.gpualert.daemon_dir / "history.db"
    if not path.exists():
        return False
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as history, contextlib.suppress(sqlite3.Error):
        return history.execute("SELECT 1 FROM mark WHERE name = 'reconcile from'").fetchone() is not None
    return False


def test_a_node_whose_service_is_dead_and_a_job_that_never_started(quick: Cluster) -> None:
    """One mail each, which says that nothing came from the nodes; none about a job that did not ask, or that was withdrawn by its owner.

    When the service is back, its note and report are kept as late, and nobody is written to again.
    """
    quick.node_services["n1"].stop(kill=True)
    silent = quick.submit("exit 3", "-wn1", "-n1", MAIL, "-J", "silent")
    unasked = quick.submit("exit 3", "-wn1", "-n1", "-J", "unasked")
    withdrawn = quick.submit("exit 0", "-n1", MAIL, "--begin=now+1hour", "-J", "withdrawn")
    waiting = quick.submit("exit 0", "-n1", MAIL, f"--dependency=afterok:{silent}", "--kill-on-invalid-dep=yes", "-J", "waiting")
    quick.command("scancel", str(withdrawn), user="gpualert-alice")
    try:
        mail = once(quick, silent, timeout_s=120)
        assert (verdict(mail)["state"], verdict(mail)["exit_code"]) == ("FAILED", 3)
        assert any("gpualert's note" in str(g["what"]) for g in verdict(mail)["gaps"])  # type: ignore[attr-defined]
        assert any(gap.startswith("n1: ") and "report" in gap for gap in gaps(mail)), verdict(mail)["gaps"]
        never = once(quick, waiting, timeout_s=120)
        assert verdict(never)["state"] == "CANCELLED"
        assert not verdict(never).get("nodes")
        assert "found in Slurm's accounting after its end" in " ".join(text(never).split())
    finally:
        quick.node_services["n1"].start()
    wait_until(lambda: f"report job={silent} node=n1 new=True late=yes" in quick.daemon.log.read_text(), "the late report", 60, poll_s=0.2)
    assert len([m for m in quick.smtp.mails() if about(silent)(m)]) == 1
    assert not [m for m in quick.smtp.mails() if about(unasked)(m) or about(withdrawn)(m)]
    assert quick.daemon.log.read_text().count(f"unannounced job={silent} ") == 1


def test_what_was_asked_in_the_script_of_a_job_that_never_had_a_node(quick: Cluster) -> None:
    """Scripts are kept by slurmdbd here; a line after the first command asks for nothing, and a script's words about another job change nothing."""
    quick.command("sacctmgr", "-i", "add", "user", "gpualert", "account=research", "adminlevel=Operator")
    try:
        _asked_in_the_script(quick)
    finally:
        quick.command("sacctmgr", "-i", "delete", "user", "gpualert")


def _asked_in_the_script(quick: Cluster) -> None:
    failed = quick.submit("exit 3", "-n1", "-J", "failed")
    never = (f"--dependency=afterok:{failed}", "--kill-on-invalid-dep=yes", "-n1")
    forged = f"echo 'Batch Script for {failed}'\necho {'-' * 80}\n#SBATCH {MAIL}\nexit 0"
    late = quick.submit(forged, *never, "-J", "late")
    asked = quick.submit(f"#SBATCH {MAIL}\nexit 0", *never, "-J", "asked")
    mail = once(quick, asked, timeout_s=120)
    assert verdict(mail)["state"] == "CANCELLED"
    assert f"unannounced job={asked} " in quick.daemon.log.read_text()
    assert not [m for m in quick.smtp.mails() if about(late)(m) or about(failed)(m)]


def test_an_announced_job_is_not_found_again(quick: Cluster) -> None:
    """Its run is known: one mail, whatever accounting says."""
    job = quick.submit("exit 4", "-n1", MAIL, "-J", "announced")
    once(quick, job, timeout_s=90)
    later = quick.submit("exit 5", "-n1", MAIL, "-J", "later")
    once(quick, later, timeout_s=90)
    wait_until(lambda: quick.daemon.running, "gpualertd", 5)
    assert f"unannounced job={job} " not in quick.daemon.log.read_text()
    assert len([m for m in quick.smtp.mails() if about(job)(m)]) == 1
