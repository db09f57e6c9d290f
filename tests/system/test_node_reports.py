"""A real job's reports on their way to the daemon: every node's, with exits, evidence, GPU counters, kernel lines; the nodes stay up."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.config import load
from gpualert_slurm.epilog.pieces import Piece, complete, join, open_sealed
from gpualert_slurm.epilog.seal import SealKeys
from gpualert_slurm.epilog.seals.munge import SEAL
from gpualert_slurm.epilog.transports.spool import TRANSPORT
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport
from tests.integration.node.as_user import as_uid
from tests.integration.node.test_kernel_log import write as write_kernel_line
from tests.testbed import Cluster, host
from tests.testbed.daemon import wait_until

ALICE = "gpualert-alice"
MAIL = "--gpualert-mail=alice@example.org"
PCI_DOMAIN = f"B5{os.getpid() % 256:02X}"
"""The kernel log is shared by all simulated nodes: a card of its own address is on one node only."""


@pytest.fixture
def bed(cluster: Cluster) -> Iterator[Cluster]:
    """The cluster without its daemon, so that reports stay in the spool; lines that root writes count as the kernel's."""
    cluster.daemon.stop()
    cluster.wait_idle()
    cluster.configure({"node": {"kernel_log_from_root": True}})
    yield cluster
    for node in cluster.nodes:
        cluster.nvml.reset(node)
    cluster.configure({"node": {"kernel_log_from_root": False}})


def documents(cluster: Cluster, job: int) -> list[JobNote | NodeReport]:
    """What arrived about the job, opened as the daemon's user."""
    site = load(cluster.gpualert.config).site
    owner = site.spool_dir.stat().st_uid
    keys = SealKeys(owner, site.munge_socket)

    def opened() -> list[Piece]:
        return [open_sealed(arrival.sealed, SEAL, keys, str(site.cluster)) for arrival in TRANSPORT.arrivals(site)]

    wholes: dict[str, list[Piece]] = {}
    for piece in as_uid(owner, opened):
        wholes.setdefault(piece.whole_sha256, []).append(piece)
    joined = [join(pieces, 1 << 25) for pieces in wholes.values() if complete(pieces)]
    return [document for document in joined if document.attempt.job_id == job]


def reports(cluster: Cluster, job: int) -> dict[str, NodeReport]:
    """By node."""
    return {d.node: d for d in documents(cluster, job) if isinstance(d, NodeReport)}


def test_two_nodes_report_what_happened_to_their_ranks(bed):
    """A rank dies of a missing file on n2 while its card falls off the bus: n2 says both, n1 says that its rank was well."""
    go_on = bed.home(ALICE) / "go-on"
    go_on.unlink(missing_ok=True)
    script = f"""#!/bin/bash
touch metrics.txt
srun -n2 --ntasks-per-node=1 bash -c 'echo rank $SLURM_PROCID; for i in {{1..600}}; do [ -e {go_on} ] && break; sleep 0.2; done
if [ $SLURM_PROCID = 1 ]; then exec python3 -c "open(\\"data/train.bin\\")"; fi'
"""
    bed.nvml.set("n2", 0, {"pci.bus_id": f"0000{PCI_DOMAIN}:3B:00.0"})
    job = bed.submit(script, "-N2", "-n2", "-wn[1-2]", "--gres=gpu:1", "--no-requeue", MAIL, "--gpualert-artifacts=*.txt", user=ALICE)
    bed.wait_running(job)
    wait_until(lambda: any(isinstance(d, JobNote) for d in documents(bed, job)), "the note, while the job runs", 60)
    read = bed.gpualert.state_dir / "node" / "n2"
    wait_until(lambda: any(read.glob(f"{job}.*/gpus.jsonl")), "n2's GPUs are read before anything happens", 60)
    time.sleep(0.5)
    write_kernel_line(f"NVRM: Xid (PCI:{PCI_DOMAIN}:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")
    bed.nvml.set("n2", 0, {"ecc.volatile.uncorrected": 1})
    time.sleep(1)
    go_on.touch()
    end = bed.wait(job, timeout_s=60)
    assert (end.state, end.exit_code) == ("FAILED", "1:0")
    wait_until(lambda: len(reports(bed, job)) == 2, "both reports", 90)
    found = reports(bed, job)
    failed = {(e.step, e.rank): e.exit_code for e in found["n2"].exits}
    assert failed == {("0", 1): 1}
    assert {(e.step, e.rank): e.exit_code for e in found["n1"].exits} == {("batch", 0): 1, ("0", 0): 0}
    says = {(e.says, e.trust.value) for e in found["n2"].evidence}
    assert {("xid", "system"), ("exception", "user")} <= says
    (xid,) = [e for e in found["n2"].evidence if e.says == "xid"]
    assert (xid.where.gpu_uuid, xid.data["tied_by"]) == (bed.nvml.uuid("n2", 0), "gpu")
    assert not [e for e in found["n1"].evidence if e.says == "xid"]
    (exception,) = [e for e in found["n2"].evidence if e.says == "exception"]
    (exit_of_rank,) = found["n2"].exits
    assert exception.time_ns is not None
    assert exit_of_rank.end_time_ns is not None
    assert abs(exception.time_ns - exit_of_rank.end_time_ns) < 2e9
    before, after = found["n2"].gpus_before, found["n2"].gpus_after
    assert [(g.uuid, g.ecc_volatile_uncorrected) for g in (*before, *after)] == [(bed.nvml.uuid("n2", 0), 0), (bed.nvml.uuid("n2", 0), 1)]
    assert {s.name for s in found["n2"].series} >= {"gpu_utilization_percent", "gpu_memory_used_bytes"}
    assert [a.path for a in found["n1"].artifacts] == ["metrics.txt"]
    assert found["n2"].artifacts == ()
    assert found["n1"].epilog_env["SLURM_JOB_EXIT_CODE2"] == "1:0"
    assert found["n2"].attempt.restart_count == 0
    (note,) = [d for d in documents(bed, job) if isinstance(d, JobNote)]
    assert (note.node, note.nodes, note.uid) == ("n1", "n[1-2]", found["n1"].uid)


def test_hanging_nvml_delays_neither_the_job_nor_its_end(bed):
    """Every NVML call on the node hangs: the job runs, its exit code is its own, the node is not drained, the report says so."""
    bed.nvml.set_host("n3", {"init": "@hang=600"})
    begun = time.monotonic()
    job = bed.submit("#!/bin/bash\nexit 3\n", "-wn3", "--gres=gpu:1", MAIL, user=ALICE)
    end = bed.wait(job, timeout_s=60)
    assert (end.state, end.exit_code) == ("FAILED", "3:0")
    assert time.monotonic() - begun < 15
    wait_until(lambda: len(reports(bed, job)) == 1, "the report", 90)
    (report,) = reports(bed, job).values()
    assert any("NVML did not answer" in g.why for g in report.gaps)
    assert "DRAIN" not in bed.node_state("n3")


def test_segfault_that_the_kernel_logs_is_tied_to_its_rank(cluster):
    """A task reads address 0: the kernel's own line has its pid, and so its rank, beside the exit record's signal.

    Not in its first second: until gpualert-node is up, a line could be from before the job, and is then counted, not shown.
    """
    if why := host.kernel_log_has_other_pids():
        pytest.skip(why)
    cluster.daemon.stop()
    script = """#!/bin/bash
srun -n2 bash -c 'if [ $SLURM_PROCID = 1 ]; then sleep 4; exec /usr/bin/python3 -c "import ctypes; ctypes.string_at(0)"; fi; sleep 2'
"""
    job = cluster.submit(script, "-wn4", "-n2", MAIL, user=ALICE)
    cluster.wait(job, timeout_s=60)
    wait_until(lambda: len(reports(cluster, job)) == 1, "the report", 90)
    (report,) = reports(cluster, job).values()
    exits = {e.rank: e for e in report.exits if e.step == "0"}
    assert (exits[0].signal, exits[1].signal) == (None, 11)
    if Path("/proc/sys/debug/exception-trace").read_text().strip() != "1":
        pytest.skip("this kernel does not log segfaults: debug.exception-trace is 0")
    (line,) = [e for e in report.evidence if e.says == "kernel_segfault"]
    assert (line.data["tied_by"], line.where.rank, line.where.pid, line.data["address"]) == ("pid", 1, exits[1].pid, "0")


def test_kernels_own_line_about_a_kill_for_memory_is_the_jobs_by_its_cgroup(cluster):
    """A real OOM kill, in the kernel's own words and without believing root's: tied to this job, this rank, the step's limit."""
    if cluster.conf.tracking != "cgroup":
        pytest.skip("only tracking by cgroup holds a job to its memory: GPUALERT_TESTBED_TRACKING=cgroup")
    if why := host.kernel_log_has_other_pids():
        pytest.skip(why)
    cluster.daemon.stop()
    eat = "/usr/bin/python3 -c 'x = bytearray(); [x.extend(bytes([1]) * 1000000) for _ in range(400)]'"
    job = cluster.submit(f"sleep 1; srun -n1 {eat}", MAIL, "--mem=100M", "-wn1", user=ALICE)
    cluster.wait(job, timeout_s=60)
    wait_until(lambda: len(reports(cluster, job)) == 1, "the report", 90)
    (report,) = reports(cluster, job).values()
    lines = [e for e in report.evidence if e.says == "kernel_oom"]
    (chosen,) = [e for e in lines if e.pattern == "kernel.oom_kill"]
    assert (chosen.data["scope"], chosen.data["job_id"], chosen.data["tied_by"]) == ("cgroup", job, "cgroup")
    (task,) = [e for e in report.exits if e.step == "0"]
    assert (task.signal, chosen.where.rank, chosen.data["pid"]) == (9, 0, task.pid)
    (held,) = [e for e in lines if e.pattern == "kernel.oom_killed_process"]
    assert 50 << 20 < int(held.data["anon_rss_bytes"]) <= 100 << 20
    assert held.data["pid"] == task.pid
    assert chosen.time_ns is not None
    assert task.end_time_ns is not None
    assert abs(chosen.time_ns - task.end_time_ns) < 2e9
