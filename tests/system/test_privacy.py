"""No user reads another's log, report, verdict or mail: everything that a job leaves anywhere, looked through by somebody else, while it runs and after."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from tests.system.test_daemon import once, wait_log
from tests.testbed import Cluster, host

MAIL = "--gpualert-mail=alice@example.org"
LOOK = """
for folder in "$@"; do
    find "$folder" -type f -readable 2>/dev/null
done | sort -u | while IFS= read -r file; do
    if grep -q -a -F -e "$WORD" "$file" 2>/dev/null; then echo "reads $file"; fi
done
for folder in "$@"; do
    find "$folder" -mindepth 1 2>/dev/null
done | grep -F -e "$WORD" | sed 's/^/sees /'
"""


@pytest.fixture
def daemon(cluster: Cluster) -> Iterator[Cluster]:
    if not cluster.daemon.running:
        cluster.start_daemon()
    yield cluster
    cluster.daemon.stop()


def found(cluster: Cluster, user: str, word: str) -> str:
    """What ``user`` finds of the word in gpualert's folders and in the owner's archive."""
    gpualert = cluster.gpualert
    folders = [gpualert.state_dir, gpualert.spool_dir, gpualert.daemon_dir, cluster.root / "home" / host.ALICE / ".gpualert"]
    return cluster.command("sh", "-c", LOOK, "look", *map(str, folders), user=user, env={"WORD": word}, check=False, timeout_s=120).stdout


def test_another_user_finds_nothing_of_a_job(daemon: Cluster) -> None:
    """The owner's word stands in his job's output, its name and an artifact; Bob finds it nowhere, while it runs and after its mail."""
    word = f"only-for-alice-{secrets.token_hex(8)}"
    script = f"echo {word}; echo {word} > {word}.txt; chmod 600 {word}.txt; srun sh -c 'echo {word} >&2; sleep 6'; exit 3"
    job = daemon.submit(script, MAIL, f"--job-name={word}", f"--gpualert-artifacts={word}.txt", "--output=/dev/null")
    daemon.wait_running(job)
    wait_log(daemon, f"note job={job}")
    assert found(daemon, host.BOB, word) == ""
    mail = once(daemon, job, 120)
    assert word in str(mail.message())
    assert found(daemon, host.BOB, word) == ""
    assert "reads" in found(daemon, "root", word)
    assert "reads" in found(daemon, host.ALICE, word), "the owner himself must find his logs, or this test looks at nothing"


def test_another_user_cannot_ask_the_commands_for_it(daemon: Cluster) -> None:
    """Neither the outbox, nor the way of a job, nor the signals kept on a node: the commands run with the caller's rights."""
    job = daemon.submit("exit 3", MAIL)
    once(daemon, job, 120)
    gpualert, config = str(daemon.gpualert.program("gpualert")), str(daemon.gpualert.config)
    listed = daemon.command(gpualert, "outbox", "--config", config, "list", user=host.BOB, check=False)
    assert str(job) not in listed.stdout
    assert listed.returncode != 0
    followed = daemon.command(gpualert, "doctor", "--config", config, "--as", "login", "--follow", str(job), "--wait", "5", user=host.BOB, check=False)
    assert "cannot be seen from here" in followed.stdout
    assert "judged" not in followed.stdout


def test_folders_and_files_have_the_owners_and_modes_of_the_page(daemon: Cluster) -> None:
    """doc/security.md, looked up on a cluster that has just run a job: nothing is open that is not meant to be."""
    job = daemon.submit("exit 3", MAIL)
    once(daemon, job, 120)
    service = daemon.gpualert.daemon_dir.stat().st_uid
    for path in daemon.gpualert.daemon_dir.rglob("*"):
        status = path.lstat()
        assert (status.st_uid, status.st_mode & 0o077) == (service, 0) or path.is_symlink(), f"{path}: {status.st_mode:o} of uid {status.st_uid}"
    for path in (daemon.gpualert.state_dir / "node").glob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    for path in (daemon.gpualert.state_dir / "logs").glob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
