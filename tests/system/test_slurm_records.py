"""The records that gpualert asks of Slurm's own commands say what was done to real jobs, on the Slurm that runs here."""

from __future__ import annotations

import pwd
import time

import pytest

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.epilog.provider import Asking, JobQuery, Provider
from gpualert_slurm.epilog.slurm_records.command_line import PROVIDER
from tests.testbed import Cluster, host
from tests.testbed.tracking import slurm_version

pytestmark = pytest.mark.timeout(240)
HOSTILE = "a\nb|c\x1f1\x1fCOMPLETED\x1f0:0"


@pytest.fixture
def slurm(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Provider:
    """The command-line provider, asking the bed."""
    monkeypatch.setenv("SLURM_CONF", str(cluster.conf.path))
    return PROVIDER.open(Asking(cluster=cluster.name))


def records(cluster: Cluster, slurm: Provider, job: int, *, raw: int | None = None) -> list[AccountingRecord]:
    """The job's attempts once accounting has all its ends."""
    cluster.sacct(job, ("JobID",))
    query = [JobQuery(job_id=raw or job, not_before_ns=time.time_ns() - 3600 * 10**9, label=str(job))]
    return slurm.describe(query, told(slurm, query))


def told(slurm: Provider, query: list[JobQuery]) -> list[AccountingRecord]:
    """The records once slurmctld has told slurmdbd owner, name and array, which it does every 5 s."""
    until = time.monotonic() + 15
    found = slurm.accounting(query)
    while any(r.uid is None for r in found) and time.monotonic() < until:
        time.sleep(0.5)
        found = slurm.accounting(query)
    return found


def test_a_failed_job_with_a_hostile_name(cluster: Cluster, slurm: Provider) -> None:
    """Identity, exit code and times are Slurm's; the name is the owner's, byte for byte, and moves nothing."""
    job = cluster.submit("srun -n2 true; exit 3", f"--job-name={HOSTILE}", f"--comment={HOSTILE}", "-n2", "--time=3")
    cluster.wait(job)
    (record,) = records(cluster, slurm, job)
    assert (record.job_id, record.state, record.exit_code, record.exit_signal) == (job, "FAILED", 3, 0)
    assert (record.user, record.uid, record.account) == (host.ALICE, pwd.getpwnam(host.ALICE).pw_uid, "research")
    assert (record.nnodes, record.time_limit_s, record.partition) == (1, 180, "gpu")
    assert [(step.step, step.state, step.exit_code) for step in record.steps] == [("batch", "FAILED", 3), ("0", "COMPLETED", 0)]
    assert record.submit_ns is not None
    assert record.end_ns is not None
    assert abs(record.submit_ns - time.time_ns()) < 120 * 10**9
    assert record.submit_ns <= record.end_ns
    assert record.name in {HOSTILE, HOSTILE.replace("\n", "")}
    assert record.work_dir == str(cluster.home())
    if slurm_version() >= (24, 5):
        assert record.std_out == str(cluster.home() / f"slurm-{job}.out")
    if slurm_version() >= (24, 11):
        assert record.restarts == 0
        assert record.sluid


def test_a_signal_that_ends_a_step_is_the_steps(cluster: Cluster, slurm: Provider) -> None:
    """The step has the signal; the batch script's word for it is 11:0 or 139:0, as the version has it."""
    job = cluster.submit("srun -n1 bash -c 'kill -SEGV $$'")
    cluster.wait(job)
    (record,) = records(cluster, slurm, job)
    step = next(step for step in record.steps if step.step == "0")
    assert (step.exit_code, step.exit_signal) == (0, 11)
    assert (record.state, record.exit_signal) == ("FAILED", 0)
    assert record.exit_code in {11, 139}
    assert (record.derived_exit_code, record.derived_exit_signal) == (0, 11)


def test_who_cancelled_a_job(cluster: Cluster, slurm: Provider) -> None:
    job = cluster.submit("sleep 60")
    cluster.wait_running(job)
    assert slurm.unfinished([job]) == {job: "RUNNING"}
    cluster.command("scancel", str(job), user=host.ALICE)
    cluster.wait(job)
    (record,) = records(cluster, slurm, job)
    assert (record.state, record.cancelled_by_uid) == ("CANCELLED", pwd.getpwnam(host.ALICE).pw_uid)


def test_each_element_of_an_array_names_its_array(cluster: Cluster, slurm: Provider) -> None:
    job = cluster.submit("exit $SLURM_ARRAY_TASK_ID", "--array=0,4")
    cluster.wait(job)
    raw: set[int] = set()
    until = time.monotonic() + 15
    while len(raw) < 2 and time.monotonic() < until:
        time.sleep(0.5)  # accounting learns of each element on its own
        raw = {int(row["JobIDRaw"]) for row in cluster.sacct(job, ("JobID", "JobIDRaw")) if "." not in row["JobIDRaw"]}
    query = [JobQuery(job_id=one, not_before_ns=time.time_ns() - 3600 * 10**9) for one in sorted(raw)]
    found = told(slurm, query)
    assert {(r.array_job_id, r.array_task_id, r.state, r.exit_code) for r in found} == {(job, 0, "COMPLETED", 0), (job, 4, "FAILED", 4)}


def test_a_requeued_job_has_a_record_for_each_attempt(cluster: Cluster, slurm: Provider) -> None:
    job = cluster.submit("sleep 60", "--requeue")
    cluster.wait_running(job)
    cluster.scontrol("requeue", str(job))
    until = time.monotonic() + 30
    while cluster.job(job)[0]["JobState"] != "PENDING" and time.monotonic() < until:
        time.sleep(0.2)
    assert slurm.unfinished([job]) == {job: "PENDING"}
    cluster.run_again(job)
    cluster.wait_running(job, timeout_s=60)
    cluster.command("scancel", str(job))
    cluster.wait(job)
    first, second = records(cluster, slurm, job)
    assert first.state in {"REQUEUED", "PREEMPTED"}
    assert (second.state, second.cancelled_by_uid) == ("CANCELLED", 0)
    assert first.start_ns != second.start_ns
    assert [[step.step for step in record.steps] for record in (first, second)] == [["batch"], ["batch"]]
    if slurm_version() >= (24, 11):
        assert (first.restarts, second.restarts) == (0, 1)


def test_a_node_that_goes_down_is_named_with_its_reason(cluster: Cluster, slurm: Provider) -> None:
    """The job's record, the node's state and its history name the node and the admin's reason."""
    since = time.time_ns() - 10**9
    job = cluster.submit("sleep 60", "--no-requeue", "-w", "n3")
    cluster.wait_running(job)
    slurmd = cluster.nodes["n3"].slurmd
    slurmd.pause()  # with ReturnToService=2 a slurmd that answers brings its node back at once
    try:
        cluster.node_down("n3", reason="Xid 79 | fell off\x1f the bus")
        cluster.wait(job)
        (state,) = slurm.node_states(["n3"])
        assert state.state.startswith("DOWN")
        assert (state.reason or "").startswith("Xid 79 | fell off")
        until = time.monotonic() + 20
        while not (events := slurm.node_events(["n3"], since)) and time.monotonic() < until:
            time.sleep(0.5)
        assert any(event.node == "n3" and event.state.startswith("DOWN") and (event.reason or "").startswith("Xid 79") for event in events)
        (record,) = records(cluster, slurm, job)
        assert (record.state, record.node_list) == ("NODE_FAIL", "n3")
        if slurm_version() >= (23, 2):
            assert record.failed_node == "n3"
    finally:
        slurmd.resume()
        cluster.restore_node("n3")
