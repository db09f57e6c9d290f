"""Real Slurm jobs on four nodes of two scripted GPUs each, every card with a fate of its own, and what their owners' reports say of them.

Two rounds of some twenty seconds; the fates are those of ``tests/testbed/gpu_scenarios.py``, and begin when each node has read its cards twice. No real
GPU was at hand.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.series import Series
from gpualert_slurm.spank.watch import sample_file
from gpualert_slurm.spank.watch.watch_files import WatchFiles
from tests.system.test_node_reports import ALICE, MAIL, reports
from tests.testbed import Cluster, host
from tests.testbed.daemon import wait_until
from tests.testbed.gpu_scenarios import HANGING, SCENARIOS, SLICED, SLICES, GpuScenario, work
from tests.testbed.host import BOB

NEVER_S = 86_400.0
LASTS_S = 14
"""A job goes on for so long once the fates have begun."""
GO = """
import os, time
until = time.monotonic() + 90
while not os.path.exists(os.environ["GO"]) and time.monotonic() < until:
    time.sleep(0.1)
"""
LAUNCHER = GO + """
import subprocess, sys
code = "import os, sys, time; time.sleep(6); os.kill(os.getpid(), 9) if os.environ['RANK'] == '1' else sys.exit(7 if os.environ['RANK'] == '0' else 0)"
node = int(os.environ["SLURM_PROCID"])
ranks = [subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "RANK": str(2 * node + i), "LOCAL_RANK": str(i)}) for i in range(2)]
[rank.wait() for rank in ranks]
import time; time.sleep(float(sys.argv[1]) - 6)
"""


@dataclass(frozen=True)
class Ran:
    """The bed, the reports by node, and where each scenario was played."""

    cluster: Cluster
    found: Mapping[str, NodeReport]
    where: Mapping[str, tuple[str, int]]
    start_s: float
    """UNIX time that the scenarios count from."""

    def of(self, scenario: str) -> tuple[NodeReport, str]:
        """The report of the node where a scenario was played, and its GPU."""
        node, gpu = self.where[scenario]
        return self.found[node], self.cluster.nvml.uuid(node, gpu)

    def series(self, name: str, scenario: str) -> Series:
        """One counter of its card over time."""
        report, uuid = self.of(scenario)
        (found,) = [s for s in report.series if s.name == name and s.where.gpu_uuid == uuid]
        return found

    def after(self, scenario: str) -> GpuSnapshot:
        """Its card's counters when the job was over."""
        report, uuid = self.of(scenario)
        (found,) = [g for g in report.gpus_after if g.uuid == uuid]
        return found


def play(cluster: Cluster, fates: Mapping[str, tuple[str, int, GpuScenario]]) -> None:
    """Every card's readings as they are until ``begin``."""
    for node in cluster.nodes:
        cluster.nvml.reset(node)
    for name in ("go-first", "go-second"):  # of a run before this one
        (cluster.home(ALICE) / name).unlink(missing_ok=True)
    for number, (node, gpu, fate) in enumerate(fates.values()):
        first = dict(fate.first) | {"pci.bus_id": f"0000D{os.getpid() % 4096:03X}:{number + 1:02X}:00.0"}
        cluster.nvml.script(node, gpu, first, [(at_s, gpu, changes) for at_s, changes in fate.later], time.time() + NEVER_S)


def begin(cluster: Cluster, job: int, nodes: Iterable[str], go: Path) -> float:
    """From now on their cards' fates take their course, for each node has read them twice; the job is told by ``go``. The UNIX time of it."""

    def read_twice(node: str) -> bool:
        where = sample_file.place(gpu_uuid=cluster.nvml.uuid(node, 0))
        files = [*(cluster.gpualert.state_dir / "node" / node).glob(f"{job}.*/samples.jsonl")]
        columns = [sample_file.read(path).get((where, "gpu_foreign_processes")) for path in files]
        return any(column is not None and len(column.values) > 1 for column in columns)

    wait_until(lambda: all(map(read_twice, nodes)), "each node has read its cards twice", 60)
    start_s = time.time()
    for node in nodes:
        cluster.nvml.start(node, start_s)
    go.touch()
    return start_s


@pytest.fixture(scope="module")
def bed(cluster: Cluster) -> Iterator[Cluster]:
    """Without its daemon, so that reports stay in the spool."""
    cluster.daemon.stop()
    cluster.wait_idle()
    yield cluster
    for node in cluster.nodes:
        cluster.nvml.reset(node)


@pytest.fixture(scope="module")
def ran(bed: Cluster) -> Iterator[Ran]:
    """One job on eight cards, with two ranks below each task."""
    neighbour = subprocess.Popen(["sleep", "120"])
    names = (
        "ecc_burst_at_the_end", "ecc_early_then_flat", "old_flat_remaps", "remap_pending", "thermal_throttle", "off_the_bus", "busy_spin", "neighbour",
    )  # fmt: skip
    scenarios = SCENARIOS | {"neighbour": GpuScenario(work(16) | {"processes": f"{neighbour.pid}:1073741824"})}
    places = [(node, gpu) for node in bed.nodes for gpu in range(2)]
    fates = {name: (*place, scenarios[name]) for name, place in zip(names, places, strict=True)}
    play(bed, fates)
    home = bed.home(ALICE)
    (home / "launcher.py").write_text(LAUNCHER)
    script = f"#!/bin/bash\nGO={home}/go-first srun -N4 --ntasks-per-node=1 /usr/bin/python3 {home}/launcher.py {LASTS_S}\n"
    job = bed.submit(script, "-N4", "-n4", "--ntasks-per-node=1", "--gres=gpu:2", "--no-requeue", MAIL, user=ALICE)
    start_s = begin(bed, job, bed.nodes, home / "go-first")
    end = bed.wait(job, timeout_s=120)
    assert end.state == "COMPLETED"
    wait_until(lambda: len(reports(bed, job)) == 4, "all four reports", 60)
    yield Ran(bed, reports(bed, job), {name: (node, gpu) for name, (node, gpu, _) in fates.items()}, start_s)
    neighbour.kill()
    neighbour.wait()
    for node in bed.nodes:
        bed.nvml.reset(node)


def moves(found: Series) -> list[tuple[int, int, float, float]]:
    """(not before, not after, from, to) of each move, ns."""
    return [(t, u, v, w) for t, u, v, w in zip(found.times_ns, found.times_ns[1:], found.values, found.values[1:], strict=False) if w != v]


def test_ecc_burst_at_the_end_and_an_early_error_are_told_apart_by_their_times(ran: Ran) -> None:
    """Only the end of a run matters: each move lies between two readings around its scripted moment, and the early one is flat from then on."""
    for scenario, last_s, last in (("ecc_burst_at_the_end", 3.5, 7), ("ecc_early_then_flat", 1.0, 1)):
        found = ran.series("ecc_volatile_uncorrected", scenario)
        assert (found.values[0], found.values[-1]) == (0, last)
        no_sooner, no_later, _, _ = moves(found)[-1]
        assert no_sooner - 1e9 < (ran.start_s + last_s) * 1e9 < no_later + 1e9
        report, _ = ran.of(scenario)
        assert all(report.job_started_ns < t < report.job_ended_ns for _, t, _, _ in moves(found))
        assert found.times_ns[-1] - no_later > 2e9


def test_remaps_old_and_new(ran):
    assert (ran.after("old_flat_remaps").remapped_rows_correctable, ran.after("old_flat_remaps").remap_pending) == (5, False)
    assert set(ran.series("remapped_rows_uncorrectable", "old_flat_remaps").values) == {2}
    assert (ran.after("remap_pending").remap_pending, ran.after("remap_pending").recovery_action) == (True, "reset")
    assert ran.series("remap_pending", "remap_pending").values[-1] == 1


def test_thermal_throttling_is_counted_in_nanoseconds(ran):
    found = ran.series("violation_thermal_ns", "thermal_throttle")
    assert (found.values[0], found.values[-1]) == (0, 2_050_000_000)


def test_lost_card_has_its_xid_and_no_reading_after(ran):
    report, uuid = ran.of("off_the_bus")
    (xid,) = [e for e in report.evidence if e.says == "xid"]
    assert (xid.data["xid"], xid.where.gpu_uuid, xid.trust.value) == (79, uuid, "system")
    assert uuid not in {g.uuid for g in report.gpus_after}
    assert uuid in {g.uuid for g in report.gpus_before}


def test_sm_activity_tells_a_spin(ran):
    assert set(ran.series("gpu_sm_activity_percent", "busy_spin").values) == {3}
    assert set(ran.series("gpu_utilization_percent", "busy_spin").values) == {100}


def test_neighbour_is_counted_with_its_memory_and_not_named(ran: Ran) -> None:
    found = ran.after("neighbour")
    assert (found.foreign_processes, found.foreign_memory_bytes, found.process_pids) == (1, 1 << 30, ())
    assert (ran.after("busy_spin").foreign_processes, ran.after("busy_spin").foreign_memory_bytes) == (0, 0)


def test_ranks_below_the_launcher_have_their_own_ends(ran):
    """Slurm saw four tasks that ended with 0; of the eight ranks below them one ended with 7, one by SIGKILL."""
    if host.kernel_log_has_other_pids():
        pytest.skip("the kernel's proc connector speaks to the first pid namespace only, and this runs in one of its own")
    found = ran.found
    assert {e.exit_code for report in found.values() for e in report.exits if e.step == "0"} == {0}
    ends = {p.rank: (p.exit_code, p.exit_signal) for report in found.values() for p in report.processes if "LOCAL_RANK" in p.environment}
    assert ends == {0: (7, None), 1: (None, 9), **dict.fromkeys(range(2, 8), (0, None))}
    assert all(p.step == "0" for report in found.values() for p in report.processes if "LOCAL_RANK" in p.environment)


PID_AND_WAIT = """#!/bin/bash
echo $$ > pid-$SLURM_JOB_ID.part && mv pid-$SLURM_JOB_ID.part pid-$SLURM_JOB_ID
exec sleep 300
"""


@dataclass(frozen=True)
class Shared:
    """What two owners hear of one card that is cut in two; each had one slice. By owner: the report, and the pid that was on the slice."""

    uuid: str
    found: Mapping[str, NodeReport]
    pids: Mapping[str, int]


@pytest.fixture(scope="module")
def second(bed: Cluster, ran: Ran) -> tuple[Ran, Shared]:
    """Three jobs at once: one on three nodes, and two owners on slices of one card of the fourth."""
    assert ran.found
    fates = {
        "straggler": ("n1", 0, SCENARIOS["straggler"]), "waiting_for_the_straggler": ("n1", 1, SCENARIOS["waiting_for_the_straggler"]),
        "idle": ("n2", 0, SCENARIOS["idle"]), "before_hopper": ("n2", 1, SCENARIOS["before_hopper"]),
        "hanging": ("n3", 0, HANGING), "beside_the_hanging": ("n3", 1, SCENARIOS["straggler"]),
        "sliced": ("n4", 0, SLICED), "whole": ("n4", 1, SCENARIOS["straggler"]),
    }  # fmt: skip
    play(bed, fates)
    home = bed.home(ALICE)
    (home / "wait.py").write_text(f"{GO}time.sleep({LASTS_S})\n")
    ranks = f"#!/bin/bash\nGO={home}/go-second srun -N3 --ntasks-per-node=1 /usr/bin/python3 {home}/wait.py\n"
    job = bed.submit(ranks, "-wn[1-3]", "-N3", "-n3", "--ntasks-per-node=1", "--gres=gpu:2", "--no-requeue", MAIL, user=ALICE)
    jobs = {user: bed.submit(PID_AND_WAIT, "-wn4", "-n1", "--gres=gpu:1", MAIL, user=user) for user in (ALICE, BOB)}
    start_s = begin(bed, job, ("n1", "n2", "n3"), home / "go-second")
    shared = _on_slices(bed, jobs)
    assert bed.wait(job, timeout_s=120).state == "COMPLETED"
    wait_until(lambda: len(reports(bed, job)) == 3, "all three reports", 60)
    return Ran(bed, reports(bed, job), {name: (node, gpu) for name, (node, gpu, _) in fates.items()}, start_s), shared


def _on_slices(bed: Cluster, jobs: Mapping[str, int]) -> Shared:
    files = {user: bed.home(user) / f"pid-{job}" for user, job in jobs.items()}
    wait_until(lambda: all(path.exists() for path in files.values()), "both run", 60)
    pids = {user: int(path.read_text()) for user, path in files.items()}
    state = bed.gpualert.state_dir / "node" / "n4"
    wait_until(lambda: all(any(state.glob(f"{job}.*/gpus.jsonl")) for job in jobs.values()), "the cards were read before", 60)
    processes = f"{pids[ALICE]}:1073741824@7 {pids[BOB]}:2147483648@8"
    bed.nvml.set("n4", 0, {"processes": processes, "ecc.volatile.uncorrected": 1, "events": "8:31@8 8:63"})

    where = sample_file.place(gpu_uuid=bed.nvml.uuid("n4", 0))

    def both_were_read() -> bool:
        files = [path for job in jobs.values() for path in state.glob(f"{job}.*/samples.jsonl")]
        found = [sample_file.read(path).get((where, "gpu_foreign_processes")) for path in files]
        told = [{event.number for line in WatchFiles(path.parent).gpus() for event in line.events} for path in files]
        return len(found) == 2 and all(column is not None and len(column.values) > 2 for column in found) and all(63 in numbers for numbers in told)

    wait_until(both_were_read, "some readings with both", 60)
    bed.command("scancel", *map(str, jobs.values()))
    for job in jobs.values():
        bed.wait(job)
    wait_until(lambda: all(reports(bed, job) for job in jobs.values()), "both reports", 60)
    return Shared(bed.nvml.uuid("n4", 0), {user: reports(bed, job)["n4"] for user, job in jobs.items()}, pids)


def test_straggler_is_told_from_who_waits_for_it_and_both_from_an_idle_card(second: tuple[Ran, Shared]) -> None:
    ran, _ = second
    for scenario, percent in (("straggler", 55), ("waiting_for_the_straggler", 16), ("idle", 0)):
        assert set(ran.series("gpu_sm_activity_percent", scenario).values) == {percent}
    assert {ran.series("gpu_utilization_percent", name).values[-1] for name in ("straggler", "waiting_for_the_straggler")} == {98}
    assert set(ran.series("gpu_utilization_percent", "idle").values) == {0}


def test_card_before_hopper_says_what_stands_in_for_its_sm_activity(second: tuple[Ran, Shared]) -> None:
    ran, _ = second
    report, uuid = ran.of("before_hopper")
    assert not [s for s in report.series if s.name == "gpu_sm_activity_percent" and s.where.gpu_uuid == uuid]
    assert "power and memory-bandwidth" in str(ran.after("before_hopper").sm_activity_source)


def test_calls_that_hang_on_a_lost_card_cost_readings_and_neither_the_job_nor_its_report(second: tuple[Ran, Shared]) -> None:
    """NVML does not return for one card, so from then on nothing is read of either; both were read before, and what is missing is said."""
    ran, _ = second
    report, uuid = ran.of("hanging")
    assert {g.uuid for g in report.gpus_before} == {uuid, ran.of("beside_the_hanging")[1]}
    assert report.gpus_after == ()
    assert ran.series("gpu_sm_activity_percent", "hanging").times_ns[-1] < (ran.start_s + 4) * 1e9
    said = {gap.what: gap.why for gap in report.gaps}
    assert "NVML did not answer within" in said["GPU samples"]
    assert "NVML" in said["GPU counters after the job"]
    assert {e.exit_code for e in report.exits} == {0}


def test_each_owner_of_a_slice_hears_of_the_own_slice_and_of_the_whole_cards_errors(second: tuple[Ran, Shared]) -> None:
    """The parent's counters with the caveat that they are the card's; the slice by UUID; the Xid of the card for both, that of one slice for its owner."""
    _, shared = second
    for user, part, xids in ((ALICE, SLICES[0], {63}), (BOB, SLICES[1], {31, 63})):
        report = shared.found[user]
        (process,) = [p for p in report.processes if p.pid == shared.pids[user]]
        assert (process.gpu_uuids, process.gpu_slices) == ((shared.uuid,), (part,))
        assert {g.uuid for g in (*report.gpus_before, *report.gpus_after)} == {shared.uuid}
        (after,) = report.gpus_after
        assert (after.mig_enabled, after.mig_instances, after.ecc_volatile_uncorrected) == (True, SLICES, 1)
        assert {s.where.gpu_uuid for s in report.series if s.where.gpu_uuid} == {shared.uuid}
        (foreign,) = [s for s in report.series if s.name == "gpu_foreign_processes"]
        assert set(foreign.values) == {0}, "who is on the other slice is no neighbour"
        assert {e.data["xid"] for e in report.evidence if e.says == "xid"} == xids
        assert any("MIG slices" in gap.what and "whole card" in gap.why for gap in report.gaps)


def test_nothing_of_the_other_owner_is_in_a_report_of_a_shared_node(second: tuple[Ran, Shared]) -> None:
    _, shared = second
    for user, other in ((ALICE, BOB), (BOB, ALICE)):
        report = shared.found[user]
        pid = shared.pids[other]
        assert pid not in {p.pid for p in report.processes} | {pid for g in (*report.gpus_before, *report.gpus_after) for pid in g.process_pids or ()}
        assert other not in report.model_dump_json()
        assert all(s.where.pid != pid for s in report.series)
        assert all(e.where.pid != pid and e.data.get("pid") != pid for e in report.evidence)


def test_report_is_drawn_as_timelines(second: tuple[Ran, Shared]) -> None:
    """``gpualert show FOLDER --signals``: GPUs, logs and load by rank on one time axis, as the owner sees it."""
    ran, _ = second
    report, uuid = ran.of("straggler")
    folder = ran.cluster.home(ALICE) / "bundle"
    folder.mkdir(exist_ok=True)
    (folder / "report.json").write_bytes(report.json_bytes())
    shown = ran.cluster.command(str(ran.cluster.gpualert.program("gpualert")), "show", str(folder), "--signals", user=ALICE).stdout
    lines = shown.splitlines()
    at = next(number for number, line in enumerate(lines) if uuid in line)
    assert any(re.match(r"\s*sm_activity_percent .*▅{10,}.* 55 … 55 percent", line) for line in lines[at : at + 12]), shown
    assert any("rank 0 on n1" in line for line in lines), shown
