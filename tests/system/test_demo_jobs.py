"""The demo's five jobs, on the session's bed: every owner gets one mail, and it names what was really done to the job."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo import jobs, verdicts
from demo.scenarios import ALL, prepare
from tests.testbed import Cluster
from tests.testbed.gpu_load import GpuLoad

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def busy(cluster: Cluster) -> Iterator[Cluster]:
    """The bed with gpualertd running and GPUs that are busy while tasks run."""
    ours = not cluster.daemon.running
    if ours:
        cluster.start_daemon()
    with GpuLoad(cluster):
        yield cluster
    for node in cluster.node_names:
        cluster.nvml.reset(node)
    if ours:
        cluster.daemon.stop()


def test_each_of_the_five_jobs_is_mailed_once_and_diagnosed_right(busy: Cluster) -> None:
    home = Path(tempfile.mkdtemp(prefix="demo-", dir=busy.root))
    home.chmod(0o755)
    prepare(home)
    story: list[str] = []
    ids = jobs.run(busy, home, gpualert=True, say=story.append)
    words, right = verdicts.table({letter: jobs.mail_of(busy, job).message() for letter, job in ids.items()})
    assert right, words
    subjects = [str(mail.message()["Subject"]) for mail in busy.smtp.mails()]
    assert [sum(f"job {job} " in subject for subject in subjects) for job in ids.values()] == [1] * len(ALL)
    assert any("deferred" in line for line in story)
