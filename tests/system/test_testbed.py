"""The bed is a real Slurm: what it reports is what Slurm reports anywhere."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.testbed import Cluster, CommandError, DaemonError, host, processes
from tests.testbed.daemon import wait_until

pytestmark = pytest.mark.timeout(180)


def test_a_job_that_ends_well_is_completed(cluster: Cluster) -> None:
    job = cluster.submit("echo hello; id -un")
    assert cluster.wait(job).state == "COMPLETED"
    assert cluster.output(job) == f"hello\n{host.ALICE}\n"


def test_an_exit_status_is_reported_by_slurmctld_and_by_accounting(cluster: Cluster) -> None:
    job = cluster.submit("exit 3")
    end = cluster.wait(job)
    assert (end.state, end.exit_code) == ("FAILED", "3:0")
    rows = cluster.sacct(job)
    assert [(row["JobID"], row["State"], row["ExitCode"]) for row in rows] == [(f"{job}", "FAILED", "3:0"), (f"{job}.batch", "FAILED", "3:0")]
    assert rows[0]["User"] == host.ALICE


def test_a_segmentation_fault_in_a_step_is_signal_11(cluster: Cluster) -> None:
    job = cluster.submit("srun -n1 bash -c 'kill -SEGV $$'", user=host.BOB)
    assert cluster.wait(job).state == "FAILED"
    step = next(row for row in cluster.sacct(job) if row["JobID"] == f"{job}.0")
    assert step["ExitCode"] == "0:11"
    assert step["State"] in {"CANCELLED", "FAILED"}  # accounting calls a step that a signal ended CANCELLED


def test_four_ranks_on_two_nodes_see_their_own_gpus(cluster: Cluster) -> None:
    says = "echo $SLURM_PROCID $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES"
    done = cluster.srun("-N2", "-n4", "--ntasks-per-node=2", "--gres=gpu:2", "bash", "-c", says)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in sorted(done.stdout.splitlines())]
    assert [line[0] for line in lines] == ["0", "1", "2", "3"]
    assert len({line[1] for line in lines}) == 2
    assert {line[2] for line in lines} == {"0,1"}


def test_the_fake_gpus_are_counted_and_can_run_out(cluster: Cluster) -> None:
    assert {line.split()[1] for line in cluster.command("sinfo", "-h", "-N", "-o", "%N %G").stdout.splitlines()} == {"gpu:h100:2"}
    with pytest.raises(CommandError, match="Requested node configuration is not available"):
        cluster.submit("true", "--gres=gpu:3", "-N1")


def test_a_failing_command_is_quoted_with_its_stderr_and_the_daemons_logs(cluster: Cluster) -> None:
    with pytest.raises(CommandError) as caught:
        cluster.submit("true", "--partition=nosuch")
    assert all(words in str(caught.value) for words in ("sbatch --parsable --partition=nosuch", "invalid partition specified", "slurmctld.log"))


def test_a_lost_node_ends_its_job_with_node_fail(cluster: Cluster) -> None:
    job = cluster.submit("setsid sleep 120 & sleep 120", "--no-requeue", "-N1")
    node = cluster.wait_running(job)
    wait_until(lambda: len(cluster.nodes[node].pids()) >= 5, "slurmd, slurmstepd, the script and both its sleeps are found", 60)
    pids = cluster.nodes[node].pids()
    try:
        cluster.lose_node(node)
        assert not any(processes.alive(pid) for pid in pids)
        assert cluster.wait(job, timeout_s=90).state == "NODE_FAIL"
        assert cluster.node_state(node).startswith("DOWN")
        assert cluster.sacct(job)[0]["State"] == "NODE_FAIL"
    finally:
        cluster.restore_node(node)


def test_a_node_that_an_admin_sets_down_ends_its_job_at_once(cluster: Cluster) -> None:
    job = cluster.submit("sleep 120", "--no-requeue", "-w", "n4")
    cluster.wait_running(job)
    try:
        cluster.node_down("n4", reason="Xid 79")
        assert cluster.wait(job, timeout_s=20).state == "NODE_FAIL"
    finally:
        cluster.restore_node("n4")


def test_accounting_catches_up_after_slurmdbd_was_away(cluster: Cluster) -> None:
    cluster.slurmdbd.stop()
    try:
        job = cluster.submit("exit 5")
        assert cluster.wait(job).exit_code == "5:0"
        with pytest.raises(CommandError, match="ended with 1"):
            cluster.sacct(job)
    finally:
        cluster.slurmdbd.start()
    rows = cluster.sacct(job, final_within_s=60)
    assert rows[0]["ExitCode"] == "5:0"


def test_an_epilog_runs_as_root_on_the_jobs_node(cluster: Cluster) -> None:
    before = cluster.conf.settings.get("Epilog")
    note = cluster.root / "epilog-note"
    script = cluster.root / "epilog.sh"
    script.write_text(f"#!/bin/sh\necho $SLURM_JOB_ID $(/usr/bin/id -u) $SLURMD_NODENAME >> {note}\n")
    script.chmod(0o755)
    cluster.epilog(script)
    try:
        job = cluster.submit("true", "-w", "n3")
        cluster.wait(job)
        wait_until(lambda: note.exists() and bool(note.read_text()), "the epilog's note", 60)
        assert note.read_text().split()[:2] == [str(job), "0"]
    finally:
        cluster.epilog(Path(before) if before else None)


def test_a_kernel_log_line_can_be_written_and_read_back() -> None:
    if os.geteuid() != 0 or not Path("/dev/kmsg").exists():
        pytest.skip("/dev/kmsg needs root and a kernel that shows it")
    words = f"NVRM: Xid (PCI:0000:3b:00): 79, pid={os.getpid()}, GPU has fallen off the bus. test {time.time_ns()}"
    reader = os.open("/dev/kmsg", os.O_RDONLY)
    try:
        os.lseek(reader, 0, os.SEEK_END)
        with Path("/dev/kmsg").open("w") as kmsg:
            kmsg.write(words + "\n")
        seen: list[str] = []
        while not any(words in record for record in seen) and select.select([reader], [], [], 5)[0]:
            seen.append(os.read(reader, 8192).decode(errors="replace"))
        assert any(words in record for record in seen)
    finally:
        os.close(reader)


def test_two_beds_run_side_by_side_and_leave_no_process_and_no_folder(bed_host: None) -> None:
    pids: set[int] = set()
    with Cluster(nodes=1) as one, Cluster(nodes=1) as two:
        jobs = [(bed, bed.submit("setsid sleep 300 & echo $SLURM_CLUSTER_NAME; sleep 300")) for bed in (one, two)]
        for bed, job in jobs:
            bed.wait_running(job)
            until = time.monotonic() + 10
            while not bed.output(job) and time.monotonic() < until:
                time.sleep(0.1)
            assert bed.output(job) == f"{bed.name}\n"
            pids |= processes.of_bed(bed.root)
        assert len(pids) >= 2 * 10  # seven daemons with SMTP's, a stepd, a script and its sleeps
        roots = [one.root, two.root]
    assert not [pid for pid in pids if processes.alive(pid)]
    assert not [root for root in roots if root.exists()]


def test_a_bed_that_cannot_come_up_says_why_and_leaves_nothing(bed_host: None) -> None:
    bed = Cluster(nodes=1, extra={"SelectType": "select/nosuch"})
    with pytest.raises(DaemonError, match=r"slurmctld ended .*before it was ready"):
        bed.start()
    assert not processes.of_bed(bed.root)
    assert not bed.root.exists()


def test_the_daemons_of_a_bed_whose_process_is_killed_die_with_it(bed_host: None) -> None:
    argv = [sys.executable, "-m", "tests.testbed"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[2]) as bed:
        assert bed.stdout is not None
        name, _, conf = bed.stdout.readline().strip().removeprefix("export ").partition("=")
        assert name == "SLURM_CONF"
        root = Path(conf).parents[1]
        try:
            assert len(processes.of_bed(root)) >= 9
            bed.kill()
            bed.wait(10)
            wait_until(lambda: not processes.of_bed(root), "no process of the bed is left", 60)
        finally:
            bed.kill()
            shutil.rmtree(root)


def test_every_daemon_can_be_stopped_and_started_again(cluster: Cluster) -> None:
    """The cluster goes on afterwards: munged's old socket, slurmctld's state and MariaDB's data are taken up again."""
    cluster.slurmctld.stop()
    cluster.slurmdbd.stop()
    cluster.mariadb.daemon.stop()
    cluster.munged.stop()
    assert not any(daemon.running for daemon in (cluster.slurmctld, cluster.slurmdbd, cluster.mariadb.daemon, cluster.munged))
    for daemon in (cluster.munged, cluster.mariadb, cluster.slurmdbd, cluster.slurmctld):
        daemon.start()
    cluster.wait_idle()
    job = cluster.submit("exit 4")
    assert cluster.wait(job).exit_code == "4:0"
    # slurmdbd may hold a first, poorer record for a moment: what slurmctld had queued for it comes later.
    wait_until(lambda: cluster.sacct(job, final_within_s=60)[0]["ExitCode"] == "4:0", "accounting has the job's exit status", 60, poll_s=1)


def test_epilog_slurmctld_runs_as_the_user_slurm(cluster: Cluster) -> None:
    note = cluster.root / "slurmctld" / "epilog-note"
    script = cluster.root / "epilog-slurmctld.sh"
    script.write_text(f"#!/bin/sh\necho $SLURM_JOB_ID $(/usr/bin/id -un) > {note}\n")
    script.chmod(0o755)
    cluster.epilog_slurmctld(script)
    try:
        job = cluster.submit("true")
        cluster.wait(job)
        wait_until(lambda: note.exists() and note.read_text() == f"{job} slurm\n", "the epilog's note", 60)
    finally:
        cluster.epilog_slurmctld(None)
