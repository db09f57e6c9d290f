"""Runs the five jobs in three waves on the bed's four nodes; one of them loses its node, one meets a mail server that is down."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.testbed import Cluster, DaemonError
from tests.testbed.daemon import wait_until
from tests.testbed.smtp import Mail

from .scenarios import HEALTHY, MISSING_FILE, NODE_LOST, OWNER, SEGFAULT, SMTP_DOWN, Scenario

JOB_TIMEOUT_S = 120
MAIL_TIMEOUT_S = 90

Jobs = dict[str, int]  # job id by the scenario's letter


def run(cluster: Cluster, home: Path, *, gpualert: bool, say: Callable[[str], None]) -> Jobs:
    """All five jobs, with gpualert's option or without; gives their ids when all have ended (and, with it, all mails are in)."""
    option = (f"--gpualert-mail={OWNER}",) if gpualert else ()

    def submit(scenario: Scenario) -> int:
        job = scenario.submit(cluster, home, *option)
        say(f"({scenario.letter}) {scenario.title}: job {job}")
        return job

    jobs = {s.letter: submit(s) for s in (MISSING_FILE, SEGFAULT)}
    ended_s = {letter: _wait(cluster, job) for letter, job in jobs.items()}
    if gpualert:  # before a node dies that may still owe its report
        _arrived(cluster, jobs, ended_s, say)
    jobs |= {s.letter: submit(s) for s in (HEALTHY, NODE_LOST)}
    lost = jobs[NODE_LOST.letter]
    node = cluster.wait_running(lost)
    try:
        wait_until(lambda: "step 40/" in cluster.output(lost), f"progress in job {lost}'s output", 60, poll_s=0.2)
    except DaemonError as error:
        raise DaemonError(f"{error}; so far: {cluster.output(lost)}\n{cluster.gpualert_words()}") from None
    if gpualert:
        wait_until(lambda: f"note job={lost} " in cluster.daemon.log.read_text(encoding="utf-8"), f"the note that job {lost} runs", 60, poll_s=0.2)
    say(f"    {node} dies in mid-training: its slurmd, its steps and its gpualert-node are killed")
    cluster.lose_node(node)
    try:
        ended_s[HEALTHY.letter] = _wait(cluster, jobs[HEALTHY.letter])
        if gpualert:
            _arrived(cluster, {HEALTHY.letter: jobs[HEALTHY.letter]}, ended_s, say)
            cluster.smtp.stop()
            say("    the mail server is down")
        jobs[SMTP_DOWN.letter] = submit(SMTP_DOWN)
        _wait(cluster, jobs[SMTP_DOWN.letter])
        if gpualert:
            _through_the_outbox(cluster, jobs[SMTP_DOWN.letter], say)
        cluster.wait(lost, JOB_TIMEOUT_S)
        if gpualert:
            mail_of(cluster, lost)
            say("    mail about (e) arrived, although its only node never reported")
    finally:
        cluster.restore_node(node)
    return dict(sorted(jobs.items()))


def mail_of(cluster: Cluster, job_id: int) -> Mail:
    """The one mail whose subject names the job; waits for it."""
    def fits(mail: Mail) -> bool:
        return f"job {job_id} " in str(mail.message()["Subject"])

    try:
        return cluster.smtp.wait_mail(fits, timeout_s=MAIL_TIMEOUT_S)[0]
    except DaemonError as error:
        raise DaemonError(f"no mail about job {job_id}: {error}\n{cluster.gpualert_words()}") from None


def _arrived(cluster: Cluster, jobs: Jobs, ended_s: dict[str, float], say: Callable[[str], None]) -> None:
    for letter, job in jobs.items():
        mail = mail_of(cluster, job)
        say(f"    mail about ({letter}) arrived {mail.time_s - ended_s[letter]:.0f} s after the job's end")


def _wait(cluster: Cluster, job_id: int) -> float:
    return cluster.wait(job_id, JOB_TIMEOUT_S).end_s


def _through_the_outbox(cluster: Cluster, job_id: int, say: Callable[[str], None]) -> None:
    """The message waits in the outbox while the relay is away, and goes out when it is back."""
    listing = ""

    def deferred() -> bool:
        nonlocal listing
        listing = cluster.command(str(cluster.gpualert.program("gpualert")), "outbox", "--config", str(cluster.gpualert.config), "list",
                                  user="gpualert", check=False).stdout
        return str(job_id) in listing and "deferred" in listing

    wait_until(deferred, f"the message about job {job_id} in the outbox", MAIL_TIMEOUT_S, poll_s=0.5)
    say("    gpualert outbox list:\n" + "\n".join(f"      {line}" for line in listing.splitlines()))
    cluster.smtp.start()
    say("    the mail server is up again")
    mail_of(cluster, job_id)
    say("    mail about (d) arrived")
