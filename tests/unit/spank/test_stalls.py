"""When a run is taken to stand still, what its ranks wait in, and who is named."""

from __future__ import annotations

import json
import struct
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.spank.watch.log_activity import LogActivity
from gpualert_slurm.spank.watch.stall_frames import culprit, judged
from gpualert_slurm.spank.watch.stall_probe import frames_of
from gpualert_slurm.spank.watch.stall_rhythm import GpuFlatness, Stuck, suspect
from gpualert_slurm.stall import RankStand, Waits

BOUNDS = {"factor": 5.0, "least_s": 300.0}
UNKNOWN = (None, None)


def test_silence_counts_against_the_runs_own_rhythm_and_its_longest_pause():
    """2 s a step: 300 s; 120 s a step: 600 s; an evaluation of 500 s before: 750 s."""
    assert suspect(299, [2.0] * 50, 3.0, UNKNOWN, **BOUNDS) is None
    assert suspect(301, [2.0] * 50, 3.0, UNKNOWN, **BOUNDS).needed_s == 300
    assert suspect(599, [120.0] * 50, 130.0, UNKNOWN, **BOUNDS) is None
    assert suspect(601, [120.0] * 50, 130.0, UNKNOWN, **BOUNDS).usual_s == 120
    assert suspect(749, [2.0] * 50, 500.0, UNKNOWN, **BOUNDS) is None
    assert suspect(751, [2.0] * 50, 500.0, UNKNOWN, **BOUNDS) is not None


def test_run_that_never_wrote_or_has_no_rhythm_yet_is_not_taken_to_hang_soon():
    """A download or a compilation comes first."""
    assert suspect(None, [], 0.0, UNKNOWN, **BOUNDS) is None
    assert suspect(1700, [1.0] * 4, 2.0, UNKNOWN, **BOUNDS) is None
    assert suspect(1801, [1.0] * 4, 2.0, UNKNOWN, **BOUNDS) is not None


def gpus(*samples: tuple[float, float]) -> GpuFlatness:
    made = GpuFlatness()
    for sm, power in samples:
        made.add({"GPU-a": {"gpu_sm_activity_percent": sm, "gpu_power_mw": power}})
    return made


def test_gpu_that_works_unevenly_is_at_work_whatever_the_log_says():
    """A silent evaluation: activity goes up and down from sample to sample."""
    at_work = gpus((80, 600_000), (20, 300_000), (75, 610_000), (10, 200_000), (80, 600_000), (30, 350_000)).judge(["GPU-a"])
    assert at_work == (False, False)
    assert suspect(10_000, [2.0] * 50, 3.0, at_work, **BOUNDS) is None


def test_spinning_and_idle_gpus_are_flat_and_an_unknown_one_says_nothing():
    """A collective that waits is flat and busy, a dead loop flat and idle."""
    assert gpus(*[(3, 125_000)] * 6).judge(["GPU-a"]) == (True, True)
    assert gpus(*[(48, 520_000)] * 6).judge(["GPU-a"]) == (True, False)
    assert gpus(*[(48, 520_000)] * 5).judge(["GPU-a"]) == UNKNOWN
    assert gpus(*[(48, 520_000)] * 6).judge(["GPU-a", "GPU-b"]) == UNKNOWN
    assert gpus().judge([]) == UNKNOWN


COLLECTIVE = ("all_reduce (torch/distributed/distributed_c10d.py:2806)", "backward (train.py:41)", "<module> (train.py:88)")
LOADER = ("wait (threading.py:320)", "get (multiprocessing/queues.py:103)", "_try_get_data (torch/utils/data/dataloader.py:1131)", "train (train.py:30)")


def stand(rank: int, state: str | None = "S", **more: object) -> RankStand:
    return judged(RankStand(node="n1", pid=100 + rank, rank=rank, state=state, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given_", "waits", "by"),
    [
        ({"python_stack": COLLECTIVE}, Waits.COLLECTIVE, "stack"),
        ({"python_stack": LOADER}, Waits.DATA_LOADER, "stack"),
        ({"python_stack": ("barrier (torch/distributed/distributed_c10d.py:1)", "init_process_group (x.py:1)")}, Waits.COLLECTIVE, "stack"),
        ({"python_stack": ("get (torch/distributed/rendezvous.py:5)",)}, Waits.RENDEZVOUS, "stack"),
        ({"python_stack": ("acquire (threading.py:1)", "mine (train.py:3)")}, Waits.LOCK, "stack"),
        ({"python_stack": ("mine (train.py:3)",), "cpu_percent": 99.0, "state": "R"}, Waits.COMPUTE, "kernel"),
        ({"python_stack": COLLECTIVE, "state": "T", "wchan": "do_signal_stop"}, Waits.STOPPED, "kernel"),
        ({"state": "D", "wchan": "rpc_wait_bit_killable", "python_stack": COLLECTIVE}, Waits.STORAGE, "kernel"),
        ({"state": "D", "wchan": "cv_wait_common", "kernel_stack": ("cv_wait_common+0x1/0x2", "ll_file_read+0x3/0x4")}, Waits.STORAGE, "kernel"),
        ({"state": "D", "wchan": "nv_open_device"}, Waits.KERNEL, "kernel"),
        ({"state": "D", "wchan": None, "file_systems": ("nfs4 /scratch",)}, Waits.STORAGE, "kernel"),
        ({"state": None}, Waits.DEAD, "kernel"),
        ({"state": "Z"}, Waits.DEAD, "kernel"),
        ({"python_stack": ("mine (train.py:3)",)}, Waits.UNKNOWN, None),
    ],
)
def test_the_kernels_word_comes_before_the_stacks(given_, waits, by):
    """A stopped process has a stack too; what it waits in is the stop."""
    found = stand(0, **given_)
    assert (found.waits, found.waits_by) == (waits, by)


def test_rank_that_does_not_wait_for_a_peer_while_the_others_do_is_named():
    ranks = [stand(i, python_stack=COLLECTIVE) for i in range(15)] + [stand(15, python_stack=LOADER)]
    who, why = culprit(ranks)
    assert who.rank == 15
    assert why == "waits in its data loader (_try_get_data (torch/utils/data/dataloader.py:1131)) while 15 ranks wait for a peer"


def test_stopped_rank_is_named_before_one_in_its_loader():
    who, why = culprit([stand(0, python_stack=COLLECTIVE), stand(1, python_stack=LOADER), stand(2, "T", wchan="do_signal_stop")])
    assert (who.rank, why) == (2, "is stopped by a signal (do_signal_stop) while 1 rank waits for a peer")


def test_nobody_is_named_where_all_look_alike_or_several_do():
    """All in the collective: the culprit is on another node. Two loaders: neither."""
    assert culprit([stand(i, python_stack=COLLECTIVE) for i in range(4)]) is None
    assert culprit([stand(0, python_stack=LOADER), stand(1, python_stack=LOADER), stand(2, python_stack=COLLECTIVE)]) is None
    assert culprit([stand(0, python_stack=("x (y.py:1)",)), stand(1, python_stack=("x (y.py:1)",))]) is None
    assert culprit([]) is None
    assert culprit([stand(0, python_stack=LOADER)])[0].rank == 0


def test_frames_are_the_main_threads_with_paths_shortened_and_made_text():
    said = [
        {"thread_name": "Thread-1", "frames": [{"name": "other", "filename": "/x.py", "line": 1}]},
        {"thread_name": "MainThread", "frames": [
            {"name": "all_reduce", "filename": "/opt/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", "line": 9},
            {"name": "tr\x1b[31main", "filename": "/home/a/run/train.py", "line": 3}]},
    ]  # fmt: skip
    assert frames_of(json.dumps(said).encode()) == ("all_reduce (torch/distributed/distributed_c10d.py:9)", "tr\\x1b[31main (run/train.py:3)")


@given(st.binary(max_size=300) | st.recursive(st.none() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)).map(lambda o: json.dumps(o).encode()))
def test_no_answer_of_py_spy_raises(said):
    """It reads a process whose owner may write anything there."""
    assert all(isinstance(frame, str) for frame in frames_of(said))


def record(at_s: float, offset: int, stream: int = 1, kind: int = 1) -> bytes:
    body = struct.pack("<qqQBBH", 10**18 + int(at_s * 1e9), int(at_s * 1e9), offset, stream, kind, 100)
    return body + struct.pack("<I", zlib.crc32(body))


def test_intervals_are_between_bursts_of_anybody_on_the_node(tmp_path: Path):
    """Two ranks that print within the same tenth of a second are one burst; the index is read while it grows."""
    first, second = tmp_path / "0.0.idx", tmp_path / "0.1.idx"
    first.write_bytes(b"\0" * 64 + record(1.0, 0) + record(3.0, 50))
    second.write_bytes(b"\0" * 64 + record(1.1, 0) + record(3.1, 70))
    logs = LogActivity(tmp_path)
    logs.look()
    assert [round(gap, 1) for gap in logs.gaps_s] == [1.9]
    assert (logs.bursts, logs.tasks["0", 1].bytes) == (1, 70)
    with first.open("ab") as file:
        file.write(record(9.0, 99) + record(9.0, 5, stream=2)[:7])
    logs.look()
    assert (round(logs.longest_gap_s, 1), logs.tasks["0", 0].bytes, logs.bursts) == (5.9, 99, 2)
    with first.open("ab") as file:
        file.write(record(9.0, 5, stream=2)[7:] + b"\xff" * 32)
    logs.look()
    assert (logs.tasks["0", 0].bytes, logs.tasks["0", 0].ended) == (104, True)
    assert "garbage" in str(logs.tasks["0", 0].problem)


def test_silence_is_measured_on_the_clock_that_nobody_steps(tmp_path: Path):
    """CLOCK_MONOTONIC: a wall clock that was set an hour on makes no hang."""
    now = time.monotonic_ns()
    body = struct.pack("<qqQBBH", 10**18, now, 0, 1, 1, 0)
    (tmp_path / "0.0.idx").write_bytes(b"\0" * 64 + body + struct.pack("<I", zlib.crc32(body)))
    logs = LogActivity(tmp_path)
    logs.look()
    assert logs.last_monotonic_ns == now


def test_rank_that_is_stuck_at_every_look_is_counted_from_the_first_and_one_that_went_on_is_not():
    """Stopped or in the kernel, by pid and start; a rank that was running at one look has not been stuck."""
    stuck = Stuck()
    assert stuck.look({(1, 10): "S", (2, 20): "R"}, 100.0) == 0
    assert stuck.look({(1, 10): "T", (2, 20): "D"}, 110.0) == 0
    assert stuck.look({(1, 10): "T", (2, 20): "S"}, 130.0) == 20
    assert stuck.look({(1, 10): "T", (2, 20): "D"}, 140.0) == 30
    assert stuck.look({(1, 11): "T"}, 150.0) == 0, "another process by that pid"
    assert stuck.look({}, 160.0) == 0
