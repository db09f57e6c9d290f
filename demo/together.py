"""An array whose tasks fail and succeed, and a job that is requeued by hand: what is told together, and in one thread."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from tests.testbed import Cluster
from tests.testbed.daemon import wait_until
from tests.testbed.smtp import Mail

from .scenarios import OWNER

GROUP_INTERVAL_S = 5.0
"""The site's ten minutes, shortened for who watches."""
TASKS = 6
WAIT_S = 240
"""Slurm lets a requeued job wait for two minutes: until the credential of its last run has expired."""
SCRIPT = """echo "task $SLURM_ARRAY_TASK_ID"
test $((SLURM_ARRAY_TASK_ID % 3)) = 2 || exec python3 -c 'import tokenizer_that_is_not_there'
echo done"""


def run(cluster: Cluster, say: Callable[[str], None]) -> list[tuple[str, Mail]]:
    """(name, mail) of the array's first mail, its digest, and the two mails of the requeued job."""
    array = cluster.submit(SCRIPT, f"--array=0-{TASKS - 1}", "--job-name=sweep", f"--gpualert-mail={OWNER}")
    say(f"(f) an array of {TASKS} tasks, of which four lack a module: job {array}")
    first, *digests = _thread(cluster, array, TASKS)
    say(f"    {1 + len(digests)} mails about {TASKS} tasks: {first.message()['Subject']}; {digests[-1].message()['Subject']}")
    job = cluster.submit("echo run $SLURM_RESTART_COUNT; exit 3", "--job-name=again", "--requeue", f"--gpualert-mail={OWNER}")
    say(f"(g) a job that fails and is requeued by hand: job {job}")
    cluster.wait(job, WAIT_S)
    _wait_for(cluster, job, 1)
    cluster.command("scontrol", "requeue", str(job))
    one, two = _wait_for(cluster, job, 2)
    say(f"    two mails in one thread: {one.message()['Subject']}; {two.message()['Subject']}")
    told = [(f"f-array-digest-{n}", mail) for n, mail in enumerate(digests, 1)]
    return [("f-array-first", first), *told, ("g-requeue-1", one), ("g-requeue-2", two)]


def right(mails: list[tuple[str, Mail]]) -> list[str]:
    """What is not as it should be: subjects, threads, counts."""
    by_name = {name: mail.message() for name, mail in mails}
    wrong = []
    digests = [by_name[n] for n in by_name if n.startswith("f-array-digest")]
    for first, later in (("f-array-first", digests), ("g-requeue-1", [by_name["g-requeue-2"]])):
        begun = by_name[first]
        apart = [m for m in later if m["References"] != begun["References"] or m["Subject"] != f"Re: {begun['Subject']}"]
        wrong += [f"{mail['Subject']!r} is not in the thread of {begun['Subject']!r}" for mail in apart]
    told = 1 + sum(_runs(mail) for mail in digests)
    if told != TASKS or len(digests) >= TASKS - 1:
        wrong.append(f"the array's {TASKS} tasks are told as {told}, in {1 + len(digests)} mails")
    return wrong


def _runs(mail: EmailMessage) -> int:
    """How many runs a mail is about."""
    return int(str(mail["X-GPUAlert-Digest"] or "1").split()[0])


def _thread(cluster: Cluster, array: int, tasks: int) -> list[Mail]:
    found: list[Mail] = []

    def all_told() -> bool:
        nonlocal found
        found = _about(cluster, array)
        return sum(_runs(mail.message()) for mail in found) >= tasks

    wait_until(all_told, f"mails about all {tasks} tasks of array {array}", WAIT_S, poll_s=0.5)
    return found


def _wait_for(cluster: Cluster, job: int, count: int) -> list[Mail]:
    wait_until(lambda: len(_about(cluster, job)) >= count, f"{count} mails about job {job}", WAIT_S, poll_s=0.5)
    return _about(cluster, job)


def _about(cluster: Cluster, job: int) -> list[Mail]:
    """The mails of a job's thread, in order of arrival."""
    mails = [mail for mail in cluster.smtp.mails() if f".{job}.thread@" in str(mail.message()["References"])]
    return sorted(mails, key=lambda mail: mail.time_s)


def files(mails: list[tuple[str, Mail]], out: Path) -> list[tuple[Path, EmailMessage]]:
    """Where each mail's files go, and the mail."""
    return [(out / name, mail.message()) for name, mail in mails]
