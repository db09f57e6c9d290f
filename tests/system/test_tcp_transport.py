"""A cluster without a shared folder and without MUNGE for gpualert: reports come over TCP, sealed with a key file, and the owner gets his mail."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator

import pytest

from tests.system.test_daemon import about, gaps, once, verdict, wait_log
from tests.testbed import Cluster, host
from tests.testbed.daemon import wait_until
from tests.testbed.ports import Ports, listening

MAIL = "--gpualert-mail=alice@example.org"
NOWHERE = "/nonexistent/munge.socket"


@pytest.fixture
def bed(cluster: Cluster) -> Iterator[Cluster]:
    """The cluster with the key file and TCP; gpualert is told of a munged that is not there, so that nothing can go by it."""
    ports, site = Ports(), cluster.gpualert.settings["site"]
    before = dict(site)
    inbox, key = cluster.root / "inbox", cluster.root / "etc" / "seal.key"
    inbox.mkdir(mode=0o700)
    key.touch(mode=0o400)
    key.write_text(f"bed {secrets.token_hex(32)}\n")
    for path in (inbox, key):
        shutil.chown(path, host.SERVICE, host.SERVICE)
    cluster.daemon.stop()
    cluster.configure({"site": {
        "seal": "key_file", "seal_key_file": str(key), "transport": "tcp", "daemon_host": "127.0.0.1", "daemon_port": ports.take(), "listen": ["127.0.0.1"],
        "spool_dir": str(inbox), "munge_socket": NOWHERE,
    }})  # fmt: skip
    yield cluster
    cluster.daemon.stop()
    site.clear()
    cluster.configure({"site": before})
    ports.release()
    shutil.rmtree(inbox)
    key.unlink()


def waiting(cluster: Cluster, node: str) -> list[str]:
    """What lies in the node's queue."""
    return sorted(p.name for p in (cluster.gpualert.state_dir / "node" / node / "out").glob("[!.]*"))


def test_a_failed_job_of_two_nodes_is_mailed(bed: Cluster) -> None:
    """Note and both reports arrive over TCP, and nothing is missing."""
    bed.start_daemon()
    job = bed.submit("srun -N2 -n2 sleep 5; exit 4", "-N2", "-w", "n1,n2", MAIL)
    mail = once(bed, job, 120)
    assert verdict(mail)["exit_code"] == 4
    assert gaps(mail) == []
    said = bed.daemon.log.read_text()
    assert {node for node in ("n1", "n2") if re.search(rf"report job={job} node={node} new=True", said)} == {"n1", "n2"}
    wait_until(lambda: not waiting(bed, "n1") and not waiting(bed, "n2"), "the nodes' queues to be empty", 60)


def test_what_cannot_be_delivered_waits_on_the_node(bed: Cluster) -> None:
    """No daemon while the job ends: note and report stay in the node's queue, and arrive when it is back."""
    job = bed.submit("exit 6", MAIL, "-w", "n3")
    bed.wait(job)
    wait_until(lambda: any(name.startswith(f"{job}.") and name.endswith(".report") for name in waiting(bed, "n3")), "the report in the node's queue", 60)
    wait_until(lambda: "not handed over" in bed.gpualert_words(400), "gpualert-node to say so", 60)
    assert [m for m in bed.smtp.mails() if about(job)(m)] == []
    bed.start_daemon()
    assert verdict(once(bed, job, 120))["exit_code"] == 6
    wait_until(lambda: not waiting(bed, "n3"), "the node's queue to be empty", 60)


def test_a_node_with_another_key_is_refused_and_both_sides_say_why(bed: Cluster) -> None:
    """Its report waits; with the right key in place it arrives."""
    path = bed.root / "etc" / "seal.key"
    right = path.read_text()
    port = int(str(bed.gpualert.settings["site"]["daemon_port"]))
    path.write_text(f"other {secrets.token_hex(32)}\n{right}")
    daemons = path.with_name("daemon.key")
    try:
        daemons.touch(mode=0o400)
        daemons.write_text(right)
        shutil.chown(daemons, host.SERVICE, host.SERVICE)
        bed.gpualert.configure({"site": {"seal_key_file": str(daemons)}})
        bed.start_daemon()
        wait_until(lambda: listening(port), "gpualertd to have read its configuration", 60)
        bed.configure({"site": {"seal_key_file": str(path)}})
        job = bed.submit("exit 7", MAIL, "-w", "n4")
        wait_log(bed, "refused: sealed with key", 90)
        wait_until(lambda: "the daemon refuses it: sealed with key 'other'; this side has bed" in bed.gpualert_words(400), "the node to say why", 60)
        path.write_text(right)
        assert verdict(once(bed, job, 180))["exit_code"] == 7
    finally:
        daemons.unlink(missing_ok=True)
