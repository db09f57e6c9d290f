"""A card cut into slices: each job hears of its own slices and of what concerns the whole card, never of its neighbours'."""

from __future__ import annotations

import pytest

from gpualert_slurm.evidence import Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.programs.gpualert_node.xid_evidence import xid_evidence
from gpualert_slurm.spank.watch.gpu_choice import choose
from gpualert_slurm.spank.watch.kernel_evidence import KernelMatcher, tied
from gpualert_slurm.spank.watch.kernel_log import KernelLine
from gpualert_slurm.spank.watch.snapshots import neighbours, snapshots
from gpualert_slurm.spank.watch.watch_files import NvmlEvent

CARD = GpuSnapshot(node="n1", uuid="GPU-a", time_ns=1, pci_bus_id="00000000:3B:00.0", mig_enabled=True, mig_instances=("MIG-1", "MIG-2"))
ROW = {"uuid": "GPU-a", "time_ns": 5, "process_pids": [10, 20, 30], "process_memory_bytes": [100, 200, 300], "process_slices": ["MIG-1", "MIG-1", "MIG-2"]}


def foreign(pid: int) -> bool:
    return pid != 10


def test_snapshot_names_the_jobs_own_processes_and_counts_the_others_on_its_slice():
    ((card,), gaps) = snapshots([ROW], "n1", {10}, foreign)
    assert gaps == []
    assert (card.process_pids, card.process_memory_bytes, card.process_slices, card.job_attached) == ((10,), (100,), ("MIG-1",), True)
    assert (card.foreign_processes, card.foreign_memory_bytes) == (1, 200)


def test_before_the_job_is_on_a_slice_its_neighbours_are_not_known():
    """None at all would be a guess, and so would all of the card's."""
    ((card,), _) = snapshots([ROW], "n1", {99}, foreign)
    assert (card.process_pids, card.job_attached, card.foreign_processes, card.foreign_memory_bytes) == ((), False, None, None)


def test_on_a_whole_card_everybody_else_is_a_neighbour_and_nobody_elses_pid_travels():
    whole = {name: value for name, value in ROW.items() if name != "process_slices"}
    ((card,), _) = snapshots([whole], "n1", {10}, foreign)
    assert (card.process_pids, card.process_slices, card.foreign_processes, card.foreign_memory_bytes) == ((10,), None, 2, 500)
    assert neighbours(whole, {10}, lambda _pid: None) == [], "who cannot be told is not counted"


@pytest.mark.parametrize("alone", [True, False])
def test_card_of_a_slice_is_known_by_nvmls_list(alone):
    """Slurm's numbers count slices; the parent card of the slice that a process of the job was on is the job's."""
    other = CARD.model_copy(update={"uuid": "GPU-b"})
    choice = choose([CARD, other], "0", None, alone, {"GPU-a"})
    assert choice.uuids == {"GPU-a"}
    assert "sliced (MIG)" in str(choice.why_not)


def test_xid_of_another_slice_is_anothers_and_one_of_the_card_is_everybodys():
    events = [
        NvmlEvent(time_ns=1, uuid="GPU-a", kind="xid", number=31, gpu_instance=7, slice="MIG-1"),
        NvmlEvent(time_ns=2, uuid="GPU-a", kind="xid", number=13, gpu_instance=8, slice="MIG-2"),
        NvmlEvent(time_ns=3, uuid="GPU-a", kind="xid", number=43, gpu_instance=9),
        NvmlEvent(time_ns=4, uuid="GPU-a", kind="xid", number=79),
    ]
    assert [e.data["xid"] for e in xid_evidence(events, [CARD], [], "n1", {"MIG-1"})] == [31, 79]


@pytest.mark.parametrize(
    ("text", "tie"),
    [
        ("NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", "gpu"),
        ("NVRM: Xid (PCI:0000:3b:00 GPU-I:07): 31, pid=10, name=python3, MMU Fault", "pid"),
        ("NVRM: Xid (PCI:0000:3b:00 GPU-I:08): 31, pid=30, name=secret-model, MMU Fault", None),
        ("NVRM: Xid (PCI:0000:3b:00): 31, pid=30, name=secret-model, MMU Fault", None),
        ("NVRM: Xid (PCI:0000:3b:00 GPU-I:08): 94, Contained: CE User Channel", None),
    ],
)
def test_kernel_line_about_a_slice_is_the_jobs_by_its_process_only(text, tie):
    """The name and pid of a neighbour's process on the same card are the neighbour's."""
    line = KernelMatcher("n1", "b" * 32).match(KernelLine(sequence=1, time_ns=5, uncertainty_ns=1, text=text, from_kernel=True))
    assert line is not None
    kept, gaps = tied([line], 42, {10}, [CARD], "n1", alone=False, rank_of=lambda pid: Where(node="n1", pid=pid))
    assert [e.data["tied_by"] for e in kept] == ([tie] if tie else [])
    assert bool(gaps) is (tie is None)
    assert "secret-model" not in "".join(str(gap) for gap in gaps)
