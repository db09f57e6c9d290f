"""From NVML's rows to snapshots and series: absence stays absence, extremes survive."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.discovery import discover
from gpualert_slurm.evidence import Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.spank.watch import gpu_counters
from gpualert_slurm.spank.watch.gpu_counter import GpuCounter
from gpualert_slurm.spank.watch.sample_file import Moves, SampleWriter, place, read
from gpualert_slurm.spank.watch.snapshots import moving, numbers, sampled, series, snapshots, thin
from gpualert_slurm.spank.watch.watch_files import GpuLine, WatchFiles

COUNTERS = discover(gpu_counters, "COUNTER", GpuCounter)


def test_every_counter_fills_fields_of_a_snapshot_and_each_has_one_counter():
    """A misspelt field would be dropped silently; two files for one field would overwrite each other."""
    fields = [field for counter in COUNTERS.values() for field in counter.fields]
    assert len(fields) == len(set(fields))
    assert set(fields) <= set(GpuSnapshot.model_fields)
    left = set(GpuSnapshot.model_fields) - set(fields)
    assert left == {"node", "time_ns", "index", "job_attached", "foreign_processes", "foreign_memory_bytes"}
    assert set(sampled()) <= set(fields)
    assert {*moving(slow=True), *moving(slow=False)} <= set(fields)
    names = [name for name, _ in sampled().values()]
    assert len(names) == len(set(names))


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


def of(gpu_uuid: str, where: Where) -> Where | None:
    return where if where.gpu_uuid == gpu_uuid else None


def test_series_are_the_jobs_gpus_only(tmp_path):
    """Samples hold all GPUs of the node; a series is made of the wanted ones."""
    writer = SampleWriter(tmp_path / "samples.jsonl")
    for t in range(3):
        writer.add(t * 1_000_000, [(place(gpu_uuid="GPU-a"), {"gpu_power_mw": 100.0 + t}), (place(gpu_uuid="GPU-b"), {"gpu_power_mw": 7.0})])
    (found,) = series(read(tmp_path / "samples.jsonl"), "n1", partial(of, "GPU-a"))
    assert (found.name, found.unit, found.where.gpu_uuid, found.values, found.points_seen) == ("gpu_power_mw", "mW", "GPU-a", (100.0, 101.0, 102.0), 3)
    assert found.times_ns == (0, 1_000_000, 2_000_000)


def test_number_that_comes_later_or_goes_missing_is_absent_not_zero(tmp_path):
    """NVML begins to say something, stops, and says it again."""
    writer = SampleWriter(tmp_path / "s")
    for t, numbers_then in enumerate([{"a": 1.0}, {"a": 2.0, "b": 0.5}, {"b": 0.75}, {"a": 4.0, "b": 1.0}]):
        writer.add(t * 1_000_000, [(place(gpu_uuid="G"), numbers_then)])
    found = {name: (list(c.times_ns), list(c.values)) for (_, name), c in read(tmp_path / "s").items()}
    assert found == {"a": ([0, 1_000_000, 3_000_000], [1.0, 2.0, 4.0]), "b": ([1_000_000, 2_000_000, 3_000_000], [0.5, 0.75, 1.0])}


def test_samples_of_two_services_and_torn_and_strange_lines_are_read(tmp_path):
    """A service that was killed leaves half a line; the next declares its columns anew under the same numbers."""
    path = tmp_path / "s"
    SampleWriter(path).add(1_000_000, [(place(pid=7), {"cpu_percent": 5.0})])
    with path.open("ab") as file:
        file.write(b'[2,[0,\n{"group": "x"}\n[3,[0,1,2,3]]\nnull\n[4,[9,1]]\n')
    SampleWriter(path).add(5_000_000, [(place(gpu_uuid="G"), {"gpu_power_mw": 1.0})])
    assert {(dict(where).get("pid"), name): list(c.values) for (where, name), c in read(path).items()} == {(7, "cpu_percent"): [5.0], (None, "gpu_power_mw"): [1.0]}


@given(st.binary(max_size=400))
def test_no_samples_file_makes_the_reader_raise(content):
    """Root wrote it, a disk may have changed it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s"
        path.write_bytes(b'{"group":0,"where":{"gpu_uuid":"G"},"columns":["a"]}\n[1,[0,1]]\n' + content)
        read(path)


def test_moves_keep_the_reading_before_and_after_each_and_nothing_between(tmp_path):
    """When a counter moved is known as closely as it was read; a reset is a move too; flat readings cost nothing."""
    moves, kept = Moves(), []
    for t, errors in enumerate([0, 0, 0, 2, 2, 2, 0, 0]):
        kept += [(at, dict(n)["ecc"]) for at, _, n in moves.rows(t, place(gpu_uuid="G"), {"ecc": float(errors)}, always=t == 7)]
    assert kept == [(0, 0.0), (2, 0.0), (3, 2.0), (5, 2.0), (6, 0.0), (7, 0.0)]


def test_series_of_many_ranks_share_the_points_of_a_report(tmp_path):
    """A report stays small however many there are; the first and the last of each stay."""
    writer = SampleWriter(tmp_path / "s")
    for t in range(700):
        writer.add(t * 1_000_000, [(place(pid=pid), {"cpu_percent": float(t % 7)}) for pid in range(100)])
    found = series(read(tmp_path / "s"), "n1", lambda where: where)
    assert len(found) == 100
    assert sum(len(s.values) for s in found) <= 30_000
    assert {(s.times_ns[0], s.times_ns[-1], s.points_seen) for s in found} == {(0, 699_000_000, 700)}


def test_flags_are_numbers_and_what_is_none_is_left_out():
    """A pending remap is 1; NaN, text and absence are no points."""
    assert numbers({"a": True, "b": None, "c": "x", "d": float("nan"), "e": 3}, ("a", "b", "c", "d", "e", "f")) == {"a": 1.0, "e": 3.0}


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
