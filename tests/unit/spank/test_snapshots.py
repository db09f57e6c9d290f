"""From NVML's rows to snapshots and series: absence stays absence, extremes survive."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.discovery import discover
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.spank.watch import gpu_counters
from gpualert_slurm.spank.watch.gpu_counter import GpuCounter
from gpualert_slurm.spank.watch.snapshots import SAMPLED, series, snapshots, thin
from gpualert_slurm.spank.watch.watch_files import GpuLine, WatchFiles

COUNTERS = discover(gpu_counters, "COUNTER", GpuCounter)


def test_every_counter_fills_fields_of_a_snapshot_and_each_has_one_counter():
    """A misspelt field would be dropped silently; two files for one field would overwrite each other."""
    fields = [field for counter in COUNTERS.values() for field in counter.fields]
    assert len(fields) == len(set(fields))
    assert set(fields) <= set(GpuSnapshot.model_fields)
    left = set(GpuSnapshot.model_fields) - set(fields)
    assert left == {"node", "time_ns", "index", "job_attached"}
    assert set(SAMPLED) <= set(fields)


def test_absent_field_is_absent_and_nonsense_is_a_gap():
    """A row without ECC has no ECC; a row whose time is a word is named and left out."""
    found, gaps = snapshots([{"uuid": "GPU-a", "time_ns": 5, "process_pids": [7, 9]}, {"uuid": "GPU-b", "time_ns": "soon", "index": 1}], "n1", {9})
    assert [s.uuid for s in found] == ["GPU-a"]
    assert found[0].ecc_volatile_uncorrected is None
    assert found[0].job_attached is True
    assert [g.what for g in gaps] == ["counters of GPU 1"]


def test_attached_is_unknown_where_nvml_lists_no_processes():
    """No list is not an empty list."""
    found, _ = snapshots([{"uuid": "GPU-a", "time_ns": 5}, {"uuid": "GPU-b", "time_ns": 5, "process_pids": []}], "n1", {9})
    assert [s.job_attached for s in found] == [None, False]


@given(st.lists(st.floats(allow_nan=False), max_size=3000), st.integers(4, 700))
def test_thinned_series_keeps_first_last_lowest_and_highest(values, most):
    """Whatever is left out, the extremes are not; the order stays."""
    keep = thin(values, most)
    assert keep == sorted(set(keep))
    assert len(keep) <= max(most, 0) or len(values) <= most
    if values:
        assert keep[0] == 0
        assert keep[-1] == len(values) - 1
        assert min(values) in [values[i] for i in keep]
        assert max(values) in [values[i] for i in keep]


def test_series_are_the_jobs_gpus_only():
    """Samples hold all GPUs of the node; a series is made of the wanted ones."""
    samples = [(t, {"GPU-a": {"power_mw": 100.0 + t}, "GPU-b": {"power_mw": 7.0}}) for t in range(3)]
    (found,) = series(samples, "n1", {"GPU-a"}.__contains__)
    assert (found.name, found.where.gpu_uuid, found.values, found.points_seen) == ("gpu_power_mw", "GPU-a", (100.0, 101.0, 102.0), 3)


def test_torn_last_line_costs_itself_only(tmp_path):
    """A service that was killed while it wrote leaves half a line."""
    files = WatchFiles(tmp_path)
    files.add_gpus(GpuLine(when="before", time_ns=1))
    files.add_gpus(GpuLine(when="sample", time_ns=2))
    with (tmp_path / "gpus.jsonl").open("ab") as file:
        file.write(b'{"when":"after","ti')
    assert [line.when for line in files.gpus()] == ["before", "sample"]
    assert files.has("before")
    assert not files.has("after")
