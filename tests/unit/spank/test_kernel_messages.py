"""Kernel lines: every kind recognises its samples and not its near-misses, and nobody's words are taken for the driver's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.evidence import Evidence, Role, Trust, Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.spank.watch.kernel_evidence import MOST_EVIDENCE, KernelMatcher, messages, tied
from gpualert_slurm.spank.watch.kernel_log import KernelLine
from gpualert_slurm.spank.watch.kernel_message import pci_address
from gpualert_slurm.spank.watch.kernel_record import parse

BOOT = "41278a59-c2da-46cb-b7f2-87d683b3e2d0"
XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=31400, name=python3, GPU has fallen off the bus."
OOM = (
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0,oom_memcg=/slurm/uid_1000/job_42,"
    "task_memcg=/slurm/uid_1000/job_42/step_0,task=python3,pid=31400,uid=1000"
)


def evidence(text: str, *, from_kernel: bool = True, sequence: int = 7) -> Evidence | None:
    return KernelMatcher("n1", BOOT).match(KernelLine(sequence, 1000, 5, text, from_kernel))


def certain(text: str, sequence: int = 7) -> Evidence:
    found = evidence(text, sequence=sequence)
    assert found is not None, text
    return found


@pytest.mark.parametrize(("name", "sample"), [(n, s) for n, m in messages().items() for s in m.samples])
def test_samples_are_recognised_by_their_own_kind(name, sample):
    """Each sample matches the file it stands in, as SYSTEM evidence with the whole line."""
    found = certain(sample)
    assert (found.pattern, found.trust) == (f"kernel.{name}", Trust.SYSTEM)
    assert found.source.kind == "field"
    assert found.source.value == sample


@pytest.mark.parametrize(("name", "line"), [(n, s) for n, m in messages().items() for s in m.near_misses])
def test_near_misses_are_not(name, line):
    """What looks like it and is something else is not taken."""
    found = evidence(line)
    assert found is None or found.pattern != f"kernel.{name}"


def test_xid_line_gives_number_card_and_process():
    """The driver's line in numbers: the address as both driver and NVML can be compared by."""
    data = certain(XID).data
    assert (data["xid"], data["pci"], data["pid"], data["process"]) == (79, "0000:3b:00", 31400, "python3")
    assert certain("NVRM: Xid (PCI:0000:3b:00): 45, pid=31400, Ch 00000008").role is Role.CASCADE
    assert "pid" not in certain("NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.").data
    assert certain("NVRM: Xid (PCI:0000:44:00): 74, pid=1234, NVLink: fatal error detected on link 6(0x10000)").data["nvlink"] == 6


def test_process_name_cannot_choose_the_killed_pid():
    """A process that calls itself ``a,pid=1,uid=0`` does not blame pid 1: the kernel's own numbers stand last."""
    data = certain(OOM.replace("task=python3", "task=a,pid=1,uid=0")).data
    assert (data["pid"], data["uid"], data["job_id"]) == (31400, 1000, 42)


@pytest.mark.parametrize(
    "line",
    [
        OOM.replace("/slurm/uid_1000/job_42", "/user.slice/user-1001.slice/user@1001.service/job_42"),
        OOM.replace("/slurm/uid_1000/job_42", "/user.slice/user-1001.slice/user@1001.service/slurmstepd.scope/job_42"),
        OOM.replace("/slurm/uid_1000/job_42", "/user.slice/u,task_memcg=/slurm/uid_1000/job_42"),
        OOM.replace("cpuset=step_0", "cpuset=u,task_memcg=/slurm/uid_1000/job_42/step_0,task=a").replace("=/slurm/uid_1000/job_42,", "=/x,", 1),
    ],
)
def test_a_users_own_cgroup_is_no_job(line):
    """Who may make cgroups (a login session, rootless containers) chooses their names: one called ``job_42`` blames no job 42."""
    assert "job_id" not in certain(line).data


def test_no_file_name_chooses_the_process_that_crashed():
    """The kernel's line ends with a file's name, which is its owner's: what looks like ``[pid]:`` there is not the pid."""
    data = certain("traps: a[31400] trap int3 ip:10000 sp:0 error:0 in b[99]: segfault at 0 ip 1[10000+1000]").data
    assert (data["pid"], data["process"]) == (31400, "a")


@given(st.text(max_size=15))
def test_no_process_name_makes_a_segfault_an_xid(name):
    """Whatever a process or a file is called, its segfault line is not the driver's."""
    found = evidence(f"{name}[77]: segfault at 0 ip 0 sp 0 error 4 in {name}{XID}")
    assert found is None or found.says == "kernel_segfault"


def test_line_that_was_written_by_a_process_is_not_the_kernels():
    """The same words with another facility are nobody's evidence."""
    assert evidence(XID, from_kernel=False) is None


def test_card_of_a_message_in_three_lines_is_found_in_the_first():
    """``The NVIDIA GPU … / installed in this system has / fallen off the bus``: the address stands two lines before."""
    matcher = KernelMatcher("n1", BOOT)
    lines = ("NVRM: The NVIDIA GPU 0000:b3:00.0", "NVRM: (PCI ID: 10de:20b2) installed in this system has",
             "NVRM: fallen off the bus and is not responding to commands.")
    found = [matcher.match(KernelLine(i, 0, 0, text, True)) for i, text in enumerate(lines)]
    assert found[:2] == [None, None]
    assert found[2] is not None
    assert found[2].data["pci"] == "0000:b3:00"


@pytest.mark.parametrize("text", ["00000000:3B:00.0", "0000:3b:00", "3b:00", "0000:3B:00.0"])
def test_pci_addresses_of_driver_and_nvml_are_the_same(text):
    """NVML writes eight digits of domain and a function, the driver four and none."""
    assert pci_address(text) == "0000:3b:00"


def gpu(bus: str = "00000000:3B:00.0") -> GpuSnapshot:
    return GpuSnapshot(node="n1", uuid="GPU-a", time_ns=1, pci_bus_id=bus)


def ties(*lines: Evidence, pids: frozenset[int] = frozenset(), gpus: tuple[GpuSnapshot, ...] = (), alone: bool | None = False):
    return tied(lines, 42, pids, gpus, "n1", alone=alone, rank_of=lambda pid: Where(node="n1", rank=3, pid=pid) if pid == 31400 else None)


def test_lines_are_the_jobs_by_process_card_or_cgroup():
    """Each tie is named; the rank comes from the exit record of that pid, the card's UUID from its address."""
    xid, segfault, oom = certain(XID, 1), certain("python3[31400]: segfault at 0 ip 0 sp 0 error 4", 2), certain(OOM, 3)
    kept, gaps = ties(xid, segfault, oom, pids=frozenset({31400}), gpus=(gpu(),))
    assert [e.data["tied_by"] for e in kept] == ["pid", "pid", "cgroup"]
    assert (kept[0].where.rank, kept[0].where.gpu_uuid) == (3, "GPU-a")
    assert gaps == []
    by_card, _ = ties(xid, gpus=(gpu(),))
    assert [e.data["tied_by"] for e in by_card] == ["gpu"]


def test_other_jobs_lines_are_only_counted():
    """Another pid, another card, another job's cgroup: the owner learns how many, not what."""
    foreign = (certain(XID, 1), certain(OOM.replace("job_42", "job_43"), 2), certain("mce: [Hardware Error]: Machine check events logged", 3))
    kept, gaps = ties(*foreign, pids=frozenset({31400}) - {31400}, gpus=(gpu("00000000:5B:00.0"),))
    assert kept == []
    assert [g.what for g in gaps] == ["3 kernel lines in the job's time"]


def test_cgroup_of_another_job_wins_over_a_recycled_pid():
    """A line that names job 43 is not job 42's, although the pid once was."""
    kept, _ = ties(certain(OOM.replace("job_42", "job_43")), pids=frozenset({31400}), alone=True)
    assert kept == []


@pytest.mark.parametrize(("alone", "count"), [(True, 1), (False, 0), (None, 0)])
def test_line_about_the_whole_node_is_the_jobs_only_if_it_was_alone(alone, count):
    """An NVSwitch serves everybody; not known to be alone is not alone."""
    kept, _ = ties(certain("nvidia-nvswitch0: SXid (PCI:0000:a9:00.0): 20034, Fatal, Link 30 LTSSM Fault Up"), alone=alone)
    assert len(kept) == count


def test_flood_of_lines_is_bounded_and_counted():
    """A dying card repeats itself: the first lines travel, the rest is a number."""
    kept, gaps = ties(*(certain(XID, i) for i in range(MOST_EVIDENCE + 5)), pids=frozenset({31400}))
    assert len(kept) == MOST_EVIDENCE
    assert gaps[0].what == "5 more kernel lines of this job"


def test_record_of_the_device():
    """Priority, sequence, time and text of a real record; the dictionary below it is left out."""
    record = parse(b"4,1234,5678901,-,caller=T1;NVRM: Xid (PCI:0000:3b:00): 79\n SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n")
    assert record is not None
    assert (record.sequence, record.level, record.facility, record.time_us, record.text) == (1234, 4, 0, 5678901, "NVRM: Xid (PCI:0000:3b:00): 79")
    assert parse(b"11,1,1,-;x").facility == 1  # type: ignore[union-attr]
    assert parse(b"6,1,1,-;a\\x0aNVRM: Xid").text == "a\\x0aNVRM: Xid"  # type: ignore[union-attr]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_record_or_none(raw):
    """The reader never raises, and no text of a record holds a line break."""
    record = parse(raw)
    assert record is None or "\n" not in record.text
    record = parse(b"6,1,2,-;" + raw)
    assert record is not None
    assert record.text.isprintable()
    evidence(record.text)
