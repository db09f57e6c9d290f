"""The command-line provider against a slurmdbd that hangs or is away, several jobs at once, and how often the daemon asks."""

from __future__ import annotations

import itertools
import os
import time

import pytest

from gpualert_slurm.epilog.provider import Asking, JobQuery, Provider, RecordsError
from gpualert_slurm.epilog.slurm_records.command_line import PROVIDER
from tests.testbed import Cluster


@pytest.fixture
def provider(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Provider:
    monkeypatch.setenv("SLURM_CONF", str(cluster.conf.path))
    monkeypatch.setenv("SACCT_FORMAT", "jobid")  # a login's own settings must not reach us
    monkeypatch.setenv("SLURM_TIME_FORMAT", "relative")
    monkeypatch.setenv("TZ", "America/New_York")
    return PROVIDER.open(Asking(cluster=cluster.name, timeout_s=10))


def query(job: int) -> JobQuery:
    return JobQuery(job_id=job, not_before_ns=time.time_ns() - 300 * 10**9)


def test_many_jobs_in_one_query(cluster: Cluster, provider: Provider) -> None:
    """Records of several jobs, each with its steps and times in UTC; a job nobody asked about is not among them."""
    begun = time.time()
    jobs = [cluster.submit(f"srun -n1 true; exit {code}") for code in (0, 3)]
    other = cluster.submit("exit 9")
    for job in (*jobs, other):
        cluster.wait(job)
        cluster.sacct(job)
    found = provider.accounting([query(job) for job in jobs])
    assert [(r.job_id, r.state, r.exit_code, [s.step for s in r.steps]) for r in sorted(found, key=lambda r: r.job_id)] == [
        (jobs[0], "COMPLETED", 0, ["batch", "0"]), (jobs[1], "FAILED", 3, ["batch", "0"])]
    assert all(r.end_ns is not None and begun - 2 <= r.end_ns / 1e9 <= time.time() + 2 for r in found)
    assert all(r.name is None for r in found)


def test_older_jobs_of_the_same_id_are_not_taken(cluster: Cluster, provider: Provider) -> None:
    """Job ids wrap: a row that ended before this run can have begun is another job's."""
    job = cluster.submit("true")
    cluster.wait(job)
    cluster.sacct(job)
    future = JobQuery(job_id=job, not_before_ns=time.time_ns() + 3600 * 10**9)
    assert provider.accounting([future]) == []
    assert PROVIDER.open(Asking(cluster="another", timeout_s=10)).accounting([query(job)]) == []


def test_slurmdbd_that_is_away_is_an_error_with_its_words(cluster: Cluster, provider: Provider) -> None:
    cluster.slurmdbd.stop()
    try:
        with pytest.raises(RecordsError, match=r"sacct ended with 1: .*[Cc]onnection"):
            provider.accounting([query(1)])
    finally:
        cluster.slurmdbd.start()


def test_slurmdbd_that_hangs_is_given_up(cluster: Cluster, provider: Provider) -> None:
    provider.accounting([query(1)])
    impatient = PROVIDER.open(Asking(cluster=cluster.name, timeout_s=1))
    cluster.slurmdbd.pause()
    try:
        begun = time.monotonic()
        with pytest.raises(RecordsError, match="sacct did not answer within 1 s and was killed"):
            impatient.accounting([query(1)])
        assert time.monotonic() - begun < 5
    finally:
        cluster.slurmdbd.resume()


def test_slurm_is_asked_once_for_all_jobs_and_not_too_often(cluster: Cluster) -> None:
    """With a dozen jobs at their end, the daemon runs at most one sacct for facts in slurm_poll_s (0.5 s on the bed)."""
    shims, calls = cluster.root / "shims", cluster.root / "sacct-calls"
    shims.mkdir()
    calls.touch()
    calls.chmod(0o666)
    (shims / "sacct").write_text(f'#!/bin/bash\ncase "$*" in *SubmitLine*|*helpformat*) ;; *) date +%s.%N >> {calls};; esac\nexec /usr/bin/sacct "$@"\n')
    (shims / "sacct").chmod(0o755)
    before = dict(cluster.daemon.env or {})
    cluster.daemon.env = {**before, "PATH": f"{shims}{os.pathsep}{before['PATH']}"}
    cluster.start_daemon()
    try:
        jobs = [cluster.submit("sleep 7; exit 1", "-n1", "--gpualert-mail=alice@example.org") for _ in range(12)]
        for job in jobs:
            cluster.smtp.wait_mail(lambda m, job=job: f"job {job} " in str(m.message()["subject"]), timeout_s=120)  # type: ignore[misc]
    finally:
        cluster.daemon.stop()
        cluster.daemon.env = before
    times = [float(line) for line in calls.read_text().split()]
    assert len(times) > 2
    # The daemon counts from the end of one to the start of the next; a process takes its time to begin.
    assert min(b - a for a, b in itertools.pairwise(times)) >= 0.4
