"""Scripted GPUs under the real pynvml, in NVML's own process, watched by the real service: what the report says of each.

One job on many cards, each with a scenario of its own: the readings change while it runs. No real GPU was at hand.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.series import Series
from tests.integration.node.a_node import ANode, a_failing_job, sampled, until
from tests.testbed import nvml_library
from tests.testbed.gpu_scenarios import SCENARIOS, work

NAMES = [*SCENARIOS, "neighbour", "stop_and_go"]
END_S = 4.2
NEVER_S = 86_400.0


def uuid(name: str) -> str:
    return nvml_library.healthy("scenarios", NAMES.index(name))["uuid"]


def play(node: ANode, neighbour: int, start_s: float) -> None:
    """The cards' readings: as they are first, and what becomes of them from a UNIX time on."""
    start_us = int(min(start_s, time.time()) * 1e6)  # a sample of the future would hide those that come
    samples = " ".join(f"{start_us + int(at * 1e6 / 6)}:{100 if at % 6 < 3 else 0}" for at in range(36))
    cards = [nvml_library.healthy("scenarios", i) | {"pci.bus_id": f"0000C{os.getpid() % 4096:03X}:{i + 1:02X}:00.0"} for i in range(len(NAMES))]
    timeline = []
    for i, name in enumerate(NAMES):
        if name in SCENARIOS:
            cards[i] |= SCENARIOS[name].first
            timeline += [(at, i, changes) for at, changes in SCENARIOS[name].later]
    cards[NAMES.index("neighbour")] |= work(48) | {"processes": f"{neighbour}:12884901888"}
    cards[NAMES.index("stop_and_go")] |= work(24) | {"samples.gpu": samples.split(" ")[0]}
    timeline.append((1.0, NAMES.index("stop_and_go"), {"samples.gpu": samples}))
    nvml_library.write_readings(node.readings, cards, {"start": f"{start_s:.3f}"}, sorted(timeline, key=lambda change: change[0]))


@pytest.fixture(scope="module")
def run(library: Path, munge_daemon: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """The report of a job, when the cards' fates began and ended: for four seconds, once the service has read them as they were before."""
    import shutil
    import tempfile

    root = Path(tempfile.mkdtemp(prefix="gpualert-scenarios-", dir="/var/tmp"))
    root.chmod(0o755)
    node = ANode(root, munge_daemon[1], library)  # type: ignore[index]
    neighbour = subprocess.Popen(["sleep", "60"])
    play(node, neighbour.pid, time.time() + NEVER_S)
    job = a_failing_job(node)
    service = node.start()
    until(lambda: sampled(job) > 1, "the cards are read twice as they were before", 60)
    begun_ns = time.time_ns()
    play(node, neighbour.pid, begun_ns / 1e9)
    time.sleep(END_S)
    ended_ns = time.time_ns()
    job.end(env={"SLURM_JOB_GPUS": f"0-{len(NAMES) - 1}"})
    until(node.reports, "the report arrives", 60)
    (report,) = node.reports()
    yield SimpleNamespace(report=report, begun_ns=begun_ns, ended_ns=ended_ns, job=job, log=node.words())
    neighbour.kill()
    neighbour.wait()
    for process in (service, *node.started):
        process.kill()
        process.wait()
    shutil.rmtree(root, ignore_errors=True)


def series(report: NodeReport, name: str, of: str) -> Series:
    (found,) = [s for s in report.series if s.name == name and s.where.gpu_uuid == uuid(of)]
    return found


def snapshot(gpus: tuple[GpuSnapshot, ...], of: str) -> GpuSnapshot:
    (found,) = [g for g in gpus if g.uuid == uuid(of)]
    return found


def when_moved(found: Series) -> list[tuple[int, int, float, float]]:
    """(not before, not after, from, to) of each move, ns."""
    times, values = found.times_ns, found.values
    return [(times[i - 1] or 0, times[i] or 0, values[i - 1], values[i]) for i in range(1, len(values)) if values[i] != values[i - 1]]


def test_ecc_burst_is_dated_to_the_end_and_an_early_error_to_the_beginning(run):
    """Only the end of a run matters: when a counter moved is known to a sample, for volatile and aggregate alike."""
    for counter in ("ecc_volatile_uncorrected", "ecc_aggregate_uncorrected"):
        late = when_moved(series(run.report, counter, "ecc_burst_at_the_end"))
        assert [(before, after) for _, _, before, after in late] in ([(0, 2), (2, 7)], [(0, 7)])
        assert all(run.begun_ns + 2.5e9 < no_sooner <= no_later < run.ended_ns + 1e9 for no_sooner, no_later, _, _ in late)
        (early,) = when_moved(series(run.report, counter, "ecc_early_then_flat"))
        assert run.begun_ns < early[0] < early[1] < run.begun_ns + 2.5e9
        assert early[2:] == (0, 1)
    assert (snapshot(run.report.gpus_before, "ecc_burst_at_the_end").ecc_volatile_uncorrected, snapshot(run.report.gpus_after, "ecc_burst_at_the_end").ecc_volatile_uncorrected) == (0, 7)


def test_counter_that_falls_was_reset_and_is_kept_as_it_was(run):
    """A driver that was reloaded counts from zero: not an error that went away, and not a negative one."""
    assert [(before, after) for _, _, before, after in when_moved(series(run.report, "ecc_volatile_uncorrected", "ecc_reset"))] == [(4, 0)]


def test_remap_that_becomes_pending_in_the_job_against_old_flat_ones(run):
    """The one moved, and the driver asks for a reset; the others stood still from before to after."""
    (moved,) = when_moved(series(run.report, "remap_pending", "remap_pending"))
    assert moved[2:] == (0, 1)
    after = snapshot(run.report.gpus_after, "remap_pending")
    assert (after.remap_pending, after.remapped_rows_uncorrectable, after.recovery_action) == (True, 1, "reset")
    old = [snapshot(gpus, "old_flat_remaps") for gpus in (run.report.gpus_before, run.report.gpus_after)]
    assert [(g.remapped_rows_correctable, g.remapped_rows_uncorrectable, g.remap_pending, g.recovery_action) for g in old] == [(5, 2, False, "none")] * 2
    assert when_moved(series(run.report, "remapped_rows_uncorrectable", "old_flat_remaps")) == []


def test_thermal_throttling_shows_in_times_held_down_clock_and_reasons(run):
    """The violation counters grow by what was held down, whatever a sample happened to see."""
    before, after = snapshot(run.report.gpus_before, "thermal_throttle"), snapshot(run.report.gpus_after, "thermal_throttle")
    assert after.violation_thermal_ns - before.violation_thermal_ns == 2_050_000_000
    assert after.violation_hw_thermal_ns == 2_050_000_000
    assert series(run.report, "violation_thermal_ns", "thermal_throttle").unit == "ns"
    assert len(when_moved(series(run.report, "violation_thermal_ns", "thermal_throttle"))) == 3
    assert min(series(run.report, "gpu_sm_clock_mhz", "thermal_throttle").values) == 810
    assert 0x60 in series(run.report, "gpu_throttle_reasons", "thermal_throttle").values
    assert (after.temperature_c, after.temperature_slowdown_c) == (91, 92)


def test_card_off_the_bus_has_an_xid_from_nvml_and_is_there_before_only(run):
    """NVML's event names it although no kernel line does; from then on it has no reading, and the others are read."""
    (xid,) = [e for e in run.report.evidence if e.says == "xid" and e.where.gpu_uuid == uuid("off_the_bus")]
    assert (xid.data["xid"], xid.trust.value, xid.pattern, xid.data["tied_by"]) == (79, "system", "nvml.xid", "gpu")
    assert run.begun_ns + 1.4e9 < xid.time_ns < run.begun_ns + 2.4e9
    assert uuid("off_the_bus") in {g.uuid for g in run.report.gpus_before}
    assert uuid("off_the_bus") not in {g.uuid for g in run.report.gpus_after}
    assert any(uuid("off_the_bus") in gap.what and "lost" in gap.why for gap in run.report.gaps)
    assert len(run.report.gpus_after) == len(NAMES) - 1
    assert series(run.report, "gpu_power_mw", "off_the_bus").times_ns[-1] < run.begun_ns + 3.2e9


def test_neighbour_on_the_card_is_counted_not_named(run):
    """A process that is not the job's: how many, never whose."""
    found = snapshot(run.report.gpus_before, "neighbour")
    assert (found.foreign_processes, found.job_attached) == (1, False)
    assert set(series(run.report, "gpu_foreign_processes", "neighbour").values) == {1.0}
    assert set(series(run.report, "gpu_foreign_processes", "idle").values) == {0.0}


def test_spinning_card_is_told_from_working_and_idle_ones_by_sm_activity(run):
    """Utilisation is 100 % for both; the SMs are not."""
    assert max(series(run.report, "gpu_sm_activity_percent", "busy_spin").values) == 3
    assert set(series(run.report, "gpu_utilization_percent", "busy_spin").values) == {100.0}
    assert set(series(run.report, "gpu_sm_activity_percent", "idle").values) == {0.0}
    assert set(series(run.report, "gpu_sm_activity_percent", "straggler").values) == {55.0}
    assert set(series(run.report, "gpu_sm_activity_percent", "waiting_for_the_straggler").values) == {16.0}


def test_card_without_gpm_has_no_sm_activity_and_the_report_says_what_stands_in_for_it(run):
    """Before Hopper: power and memory-bandwidth utilisation, and no made-up number."""
    assert not [s for s in run.report.series if s.name == "gpu_sm_activity_percent" and s.where.gpu_uuid == uuid("before_hopper")]
    assert "power and memory-bandwidth" in snapshot(run.report.gpus_after, "before_hopper").sm_activity_source
    assert set(series(run.report, "gpu_memory_utilization_percent", "before_hopper").values) == {45.0}


def test_duty_comes_from_nvmls_own_samples(run):
    """Six a second, half of them busy: the spread tells stop and go from steady, without more wake-ups."""
    duty, spread = (series(run.report, name, "stop_and_go").values for name in ("gpu_duty_percent", "gpu_duty_spread_percent"))
    assert 100.0 in spread
    assert 20 < sum(duty) / len(duty) < 80


def test_slow_counters_are_read_before_and_after(run):
    """NVLink and PCIe hardly move and take many calls: their move lies between two slow readings."""
    (moved,) = when_moved(series(run.report, "nvlink_replay_errors", "nvlink_errors"))
    assert moved[2:] == (0, 4)
    after = snapshot(run.report.gpus_after, "nvlink_errors")
    assert (after.nvlink_crc_errors, after.pcie_replay_count, after.nvlink_links_active) == (9, 3, 2)


def test_first_reading_is_there_within_a_second_of_the_job_file(run):
    """``before`` has to be before the job's first allocation."""
    assert run.report.gpus_before[0].time_ns - run.job.started_ns < 3e9, "the service itself has to start here"


def test_nothing_else_is_said_to_be_missing(run):
    """Every gap of this report is about the lost card (or a kernel line of another test)."""
    assert [str(g) for g in run.report.gaps if uuid("off_the_bus") not in g.what and "kernel line" not in g.what and g.what != "GPU 5"] == []
