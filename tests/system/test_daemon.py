"""From a job's end to the mail, on a real cluster: late reports, lost nodes, and every part of the way away for a while."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator

import pytest

from tests.testbed import Cluster
from tests.testbed.daemon import wait_until
from tests.testbed.smtp import Mail

MAIL = "--gpualert-mail=alice@example.org"
OVER = {"FAILED", "COMPLETED", "CANCELLED", "NODE_FAIL", "TIMEOUT", "COMPLETING"}


@pytest.fixture
def daemon(cluster: Cluster) -> Iterator[Cluster]:
    """The cluster with gpualertd running."""
    if not cluster.daemon.running:
        cluster.start_daemon()
    yield cluster
    cluster.smtp.behave()
    cluster.daemon.stop()


def about(job: int) -> Callable[[Mail], bool]:
    return lambda mail: re.search(rf"\bjob {job}\b", str(mail.message()["subject"])) is not None


def text(mail: Mail) -> str:
    part = mail.message().get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def verdict(mail: Mail) -> dict[str, object]:
    """The verdict.json that the mail carries."""
    found = next(p for p in mail.message().iter_attachments() if p.get_filename() == "verdict.json")
    content = found.get_payload(decode=True)
    assert isinstance(content, bytes)
    loaded: dict[str, object] = json.loads(content)
    return loaded


def gaps(mail: Mail) -> list[str]:
    """What the verdict says is missing of reports and of Slurm's records; what a node could not read on this host is not ours."""
    said = verdict(mail).get("gaps", [])
    assert isinstance(said, list)
    return [f"{g.get('node', '')}: {g['what']}" for g in said if re.search("report|Slurm|diagnosis|the nodes'|step", g["what"])]


def wait_over(cluster: Cluster, job: int) -> float:
    """Wait for the job's end as slurmctld sees it; gives the moment."""
    wait_until(lambda: cluster.job(job)[0]["JobState"] not in ("PENDING", "RUNNING", "CONFIGURING"), f"job {job} over", 120, poll_s=0.03)
    return time.time()


def wait_log(cluster: Cluster, words: str, timeout_s: float = 90) -> None:
    wait_until(lambda: words in cluster.daemon.log.read_text(), f"gpualertd to say {words!r}", timeout_s, poll_s=0.1)


def once(cluster: Cluster, job: int, timeout_s: float = 120) -> Mail:
    """The mail about the job; a second one would be an error."""
    cluster.smtp.wait_mail(about(job), timeout_s=timeout_s)
    time.sleep(1)
    (mail,) = [m for m in cluster.smtp.mails() if about(job)(m)]
    return mail


def test_a_failure_is_mailed_within_ten_seconds(daemon: Cluster, record_property: Callable[[str, object], None]) -> None:
    """From the job's end, as slurmctld sees it, to the mail on the wire."""
    job = daemon.submit("sleep 7; python3 -c 'import no_such_module'", MAIL)
    ended = wait_over(daemon, job)
    mail = once(daemon, job)
    record_property("end_to_mail_s", round(mail.time_s - ended, 2))
    print(f"job end to mail on the wire: {mail.time_s - ended:.2f} s")
    assert mail.time_s - ended <= 10
    assert mail.recipients == ("alice@example.org",)
    said = verdict(mail)
    assert (said["state"], said["exit_code"], said["cause"], said["job_name"]) == ("FAILED", 1, "missing_module", f"job-{_script(daemon, job)}.sh")
    assert gaps(mail) == []


def _script(cluster: Cluster, job: int) -> str:
    return re.findall(r"job-(\d+)\.sh", cluster.sacct(job, ("JobName",))[0]["JobName"])[0]


def test_a_late_report_is_waited_for(daemon: Cluster) -> None:
    """Node n2's gpualert-node is stopped when the job ends: the mail waits for its report and has it."""
    job = daemon.submit("srun sleep 5; exit 4", "-N2", "-n2", "-w", "n1,n2", MAIL)
    daemon.wait_running(job)
    service = daemon.node_services["n2"].daemon
    wait_until(lambda: service.running, "gpualert-node on n2", 60)
    time.sleep(1)
    service.pause()
    try:
        wait_over(daemon, job)
        wait_log(daemon, f'ending job={job} why="FAILED, waits for the report of n2"')
        time.sleep(2)
        assert [m for m in daemon.smtp.mails() if about(job)(m)] == []
    finally:
        service.resume()
    assert gaps(once(daemon, job)) == []


def test_a_report_that_never_comes_is_a_gap(daemon: Cluster) -> None:
    """Node n2 keeps its report to itself: after the deadline (20 s on the bed) the mail goes out and says so."""
    job = daemon.submit("srun sleep 5; exit 4", "-N2", "-n2", "-w", "n1,n2", MAIL)
    daemon.wait_running(job)
    time.sleep(2)
    daemon.node_services["n2"].stop(kill=True)
    try:
        ended = wait_over(daemon, job)
        mail = once(daemon, job)
        assert 18 <= mail.time_s - ended <= 32
        assert gaps(mail) == ["n2: no report"]
        assert "none arrived within 20 s" in text(mail)
    finally:
        daemon.node_services["n2"].start()
    wait_log(daemon, f"report job={job} node=n2 new=True late=yes")


def test_the_only_node_dies(daemon: Cluster) -> None:
    """No epilog, no report, no node: the mail is made from the note and Slurm's records, without waiting for the node."""
    job = daemon.submit("sleep 300", "--no-requeue", "-w", "n4", MAIL)
    daemon.wait_running(job)
    wait_log(daemon, f"note job={job} node=n4")
    daemon.lose_node("n4")
    try:
        ended = wait_over(daemon, job)
        mail = once(daemon, job)
        assert mail.time_s - ended <= 12
        assert (verdict(mail)["state"], verdict(mail)["mode"]) == ("NODE_FAIL", "F1")
        assert gaps(mail) == ["n4: no report"]
        assert "Slurm has the node as DOWN" in text(mail)
    finally:
        daemon.restore_node("n4")


def test_slurmdbd_is_away_and_comes_back(daemon: Cluster) -> None:
    """The verdict waits for the accounting record, and then lacks nothing."""
    daemon.slurmdbd.stop()
    try:
        job = daemon.submit("exit 5", MAIL)
        wait_log(daemon, f"report job={job}")
        wait_log(daemon, "accounting_away")
        time.sleep(3)
        assert [m for m in daemon.smtp.mails() if about(job)(m)] == []
    finally:
        daemon.slurmdbd.start()
    mail = once(daemon, job)
    assert (verdict(mail)["state"], verdict(mail)["exit_code"], gaps(mail)) == ("FAILED", 5, [])


def test_slurmdbd_stays_away(cluster: Cluster) -> None:
    """After the deadline the mail goes out with what the node knows, and says what it lacks."""
    before = dict(cluster.gpualert.settings["daemon"])
    cluster.gpualert.configure({"daemon": {"accounting_deadline_s": 4.0}})
    cluster.start_daemon()
    cluster.slurmdbd.stop()
    try:
        job = cluster.submit("exit 6", MAIL)
        mail = once(cluster, job, 40)
        assert verdict(mail)["exit_code"] == 6
        assert ": Slurm's final accounting record" in gaps(mail)
    finally:
        cluster.slurmdbd.start()
        cluster.daemon.stop()
        cluster.gpualert.configure({"daemon": before})


def test_kill_9_between_spool_and_mail(cluster: Cluster) -> None:
    """The daemon is killed at ever later moments after a report arrived; the owner gets the mail, and the same one if twice."""
    cluster.start_daemon()
    jobs = []
    for wait_s in (0.0, 0.2, 0.4, 0.7, 1.0, 1.4, 2.0):
        job = cluster.submit("exit 7", MAIL)
        wait_log(cluster, f"report job={job}")
        time.sleep(wait_s)
        cluster.daemon.kill()
        jobs.append(job)
        cluster.start_daemon()
    for job in jobs:
        cluster.smtp.wait_mail(about(job), timeout_s=60)
    time.sleep(2)
    for job in jobs:
        assert len({m.message()["message-id"] for m in cluster.smtp.mails() if about(job)(m)}) == 1
    cluster.daemon.stop()


def test_the_daemon_was_away_while_the_job_ended(cluster: Cluster) -> None:
    job = cluster.submit("exit 8", MAIL)
    cluster.wait(job)
    time.sleep(3)
    assert list(cluster.gpualert.spool_dir.rglob("[0-9a-f]" * 32))
    cluster.start_daemon()
    assert verdict(once(cluster, job))["exit_code"] == 8
    wait_until(lambda: not list(cluster.gpualert.spool_dir.rglob("[0-9a-f]" * 32)), "an empty spool", 60)
    cluster.daemon.stop()


def test_smtp_is_down_and_comes_back(daemon: Cluster) -> None:
    """The mail stays in the outbox, and goes out by itself."""
    daemon.smtp.stop()
    try:
        job = daemon.submit("exit 9", MAIL)
        wait_log(daemon, f"queued job={job}")
        time.sleep(3)
    finally:
        daemon.smtp.start()
    assert verdict(once(daemon, job, 90))["exit_code"] == 9
    wait_log(daemon, f"sent job={job}")


def test_a_requeued_job_is_one_mail_about_its_last_run(daemon: Cluster) -> None:
    """Requeued by hand in its first run, failing in its second: the mail is about the second, after the second."""
    job = daemon.submit('[ "${SLURM_RESTART_COUNT:-0}" = 0 ] && sleep 100; sleep 7; exit 11', "--requeue", MAIL)
    daemon.wait_running(job)
    wait_log(daemon, f"note job={job}")
    daemon.scontrol("requeue", str(job))
    wait_log(daemon, f"report job={job}")
    daemon.run_again(job)
    wait_until(lambda: daemon.job(job)[0]["JobState"] == "RUNNING", "the second run", 60)
    assert [m for m in daemon.smtp.mails() if about(job)(m)] == []
    mail = once(daemon, job)
    said = verdict(mail)
    assert (said["state"], said["exit_code"]) == ("FAILED", 11)
    attempt = said["attempt"]
    assert isinstance(attempt, dict)
    assert attempt["restart_count"] == 1
    assert gaps(mail) == []


@pytest.mark.parametrize(("options", "script"), [(("--gpualert-when=never",), "exit 1"), (("--gpualert-when=problem",), "sleep 7"), ((), "exit 1")])
def test_who_does_not_want_mail_gets_none(daemon: Cluster, options: tuple[str, ...], script: str) -> None:
    """``never``, ``problem`` for a healthy run; and an address outside mail.allowed_domains is not written to."""
    address = MAIL if options else "--gpualert-mail=alice@elsewhere.org"
    job = daemon.submit(script, address, *options)
    wait_log(daemon, f"no_mail job={job}")
    assert [m for m in daemon.smtp.mails() if about(job)(m)] == []


def test_a_second_daemon_says_who_has_the_folder(daemon: Cluster) -> None:
    argv = daemon.daemon.argv
    second = daemon.command(*argv, user="gpualert", check=False)
    assert second.returncode == 1
    assert f"pid {daemon.daemon.pid} on" in second.stderr
    assert "only one may run" in second.stderr
    assert daemon.command(*argv, "--once", user="gpualert", check=False).returncode == 1


def test_sigterm_ends_it_within_seconds(cluster: Cluster) -> None:
    """Also while a relay says nothing and slurmdbd is stopped dead in the middle of an answer."""
    cluster.smtp.behave(answer_data=False)
    cluster.start_daemon()
    job = cluster.submit("exit 12", MAIL)
    wait_log(cluster, f"queued job={job}")
    cluster.slurmdbd.pause()
    try:
        cluster.submit("exit 13", MAIL)
        time.sleep(3)
        begun = time.monotonic()
        cluster.daemon.stop(term_timeout_s=20)
        assert time.monotonic() - begun < 10
        assert cluster.daemon.returncode == 0
    finally:
        cluster.slurmdbd.resume()
        cluster.smtp.behave()
    cluster.start_daemon()
    cluster.smtp.wait_mail(about(job), timeout_s=60)
    cluster.daemon.stop()


def test_the_log_is_one_line_an_event(daemon: Cluster) -> None:
    """Every line has journald's severity in front, and no job's name breaks it."""
    job = daemon.submit("exit 1", MAIL, "--job-name=a\n<0>forged job=1")
    wait_log(daemon, f"judged job={job}")
    lines = daemon.daemon.log.read_text().splitlines()
    assert [line for line in lines if not re.match(r"<[2-7]>[a-z_0-9]", line)] == []


def test_it_may_not_run_as_another_user(cluster: Cluster) -> None:
    done = cluster.command(*cluster.daemon.argv, user="root", check=False)
    assert done.returncode == 1
    assert "reports are sealed for gpualert" in done.stderr
