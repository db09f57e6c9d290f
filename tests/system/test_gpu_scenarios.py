"""A real Slurm job of four nodes and eight scripted GPUs, each with a fate of its own, and what its owner's reports say of them.

One job for all, ten seconds long: the fates are those of ``tests/testbed/gpu_scenarios.py``. No real GPU was at hand.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator

import pytest

from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.series import Series
from tests.system.test_node_reports import ALICE, MAIL, reports
from tests.testbed import Cluster
from tests.testbed.daemon import wait_until
from tests.testbed.gpu_scenarios import SCENARIOS, GpuScenario, work

LATER_S = 6.0
"""A scenario's first second: by then the job has begun, on a busy machine too."""
LASTS_S = 14
LAUNCHER = """
import os, subprocess, sys
code = "import os, sys, time; time.sleep(6); os.kill(os.getpid(), 9) if os.environ['RANK'] == '1' else sys.exit(7 if os.environ['RANK'] == '0' else 0)"
node = int(os.environ["SLURM_PROCID"])
ranks = [subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "RANK": str(2 * node + i), "LOCAL_RANK": str(i)}) for i in range(2)]
[rank.wait() for rank in ranks]
import time; time.sleep(float(sys.argv[1]) - 6)
"""


@pytest.fixture(scope="module")
def ran(cluster: Cluster) -> Iterator[tuple[Cluster, dict[str, NodeReport], dict[str, tuple[str, int]]]]:
    """The bed, the reports by node, and where each scenario was played."""
    cluster.daemon.stop()
    cluster.wait_idle()
    neighbour = subprocess.Popen(["sleep", "120"])
    fates: dict[str, GpuScenario] = {
        name: SCENARIOS[name]
        for name in ("ecc_burst_at_the_end", "old_flat_remaps", "remap_pending", "thermal_throttle", "off_the_bus", "busy_spin", "straggler")
    }
    fates["neighbour"] = GpuScenario(work(16) | {"processes": f"{neighbour.pid}:1073741824"})
    places = [(node, gpu) for node in cluster.nodes for gpu in range(2)]
    where = dict(zip(fates, places, strict=True))
    start_s = time.time() + LATER_S
    for number, (name, (node, gpu)) in enumerate(where.items()):
        first = dict(fates[name].first) | {"pci.bus_id": f"0000D{os.getpid() % 4096:03X}:{number + 1:02X}:00.0"}
        cluster.nvml.script(node, gpu, first, [(at_s, gpu, changes) for at_s, changes in fates[name].later], start_s)
    home = cluster.home(ALICE)
    (home / "launcher.py").write_text(LAUNCHER)
    script = f"#!/bin/bash\nsrun -N4 --ntasks-per-node=1 /usr/bin/python3 {home}/launcher.py {LASTS_S}\n"
    job = cluster.submit(script, "-N4", "-n4", "--ntasks-per-node=1", "--gres=gpu:2", "--no-requeue", MAIL, user=ALICE)
    end = cluster.wait(job, timeout_s=90)
    assert end.state == "COMPLETED"
    wait_until(lambda: len(reports(cluster, job)) == 4, "all four reports", 60)
    yield cluster, reports(cluster, job), where
    neighbour.kill()
    neighbour.wait()
    for node in cluster.nodes:
        cluster.nvml.reset(node)


def of(ran, name: str) -> tuple[NodeReport, str]:
    """The report of the node where a scenario was played, and its GPU."""
    cluster, found, where = ran
    node, gpu = where[name]
    return found[node], cluster.nvml.uuid(node, gpu)


def series(ran, name: str, of_scenario: str) -> Series:
    report, uuid = of(ran, of_scenario)
    (found,) = [s for s in report.series if s.name == name and s.where.gpu_uuid == uuid]
    return found


def after(ran, of_scenario: str):
    report, uuid = of(ran, of_scenario)
    (found,) = [g for g in report.gpus_after if g.uuid == uuid]
    return found


def test_ecc_burst_is_there_with_its_time(ran):
    """The counter moved after the scripted moment, and before the end."""
    found = series(ran, "ecc_volatile_uncorrected", "ecc_burst_at_the_end")
    assert (found.values[0], found.values[-1]) == (0, 7)
    report, _ = of(ran, "ecc_burst_at_the_end")
    moved = [t for t, before, value in zip(found.times_ns[1:], found.values, found.values[1:], strict=False) if value != before]
    assert all(report.job_started_ns < t < report.job_ended_ns for t in moved)


def test_remaps_old_and_new(ran):
    assert (after(ran, "old_flat_remaps").remapped_rows_correctable, after(ran, "old_flat_remaps").remap_pending) == (5, False)
    assert set(series(ran, "remapped_rows_uncorrectable", "old_flat_remaps").values) == {2}
    assert (after(ran, "remap_pending").remap_pending, after(ran, "remap_pending").recovery_action) == (True, "reset")
    assert series(ran, "remap_pending", "remap_pending").values[-1] == 1


def test_thermal_throttling_is_counted_in_nanoseconds(ran):
    found = series(ran, "violation_thermal_ns", "thermal_throttle")
    assert (found.values[0], found.values[-1]) == (0, 2_050_000_000)


def test_lost_card_has_its_xid_and_no_reading_after(ran):
    report, uuid = of(ran, "off_the_bus")
    (xid,) = [e for e in report.evidence if e.says == "xid"]
    assert (xid.data["xid"], xid.where.gpu_uuid, xid.trust.value) == (79, uuid, "system")
    assert uuid not in {g.uuid for g in report.gpus_after}
    assert uuid in {g.uuid for g in report.gpus_before}


def test_sm_activity_tells_a_spin_and_a_straggler(ran):
    assert set(series(ran, "gpu_sm_activity_percent", "busy_spin").values) == {3}
    assert set(series(ran, "gpu_utilization_percent", "busy_spin").values) == {100}
    assert set(series(ran, "gpu_sm_activity_percent", "straggler").values) == {55}


def test_neighbour_is_counted(ran):
    assert after(ran, "neighbour").foreign_processes == 1
    assert after(ran, "straggler").foreign_processes == 0


def test_ranks_below_the_launcher_have_their_own_ends(ran):
    """Slurm saw four tasks that ended with 0; of the eight ranks below them one ended with 7, one by SIGKILL."""
    _, found, _ = ran
    assert {e.exit_code for report in found.values() for e in report.exits if e.step == "0"} == {0}
    ends = {p.rank: (p.exit_code, p.exit_signal) for report in found.values() for p in report.processes if "LOCAL_RANK" in p.environment}
    assert ends == {0: (7, None), 1: (None, 9), **dict.fromkeys(range(2, 8), (0, None))}
    assert all(p.step == "0" for report in found.values() for p in report.processes if "LOCAL_RANK" in p.environment)
