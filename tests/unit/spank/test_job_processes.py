"""Whose a process is, from /proc alone: here a folder that looks like it."""

from __future__ import annotations

from pathlib import Path

from gpualert_slurm.spank.watch.job_processes import allowed_nvidia_minors, cgroup_members, descendants, step_of, stepds, table


def process(proc: Path, pid: int, parent: int, name: str = "bash", *, cmdline: str = "", cgroup: str = "", environ: str = "") -> None:
    folder = proc / str(pid)
    folder.mkdir()
    (folder / "stat").write_text(f"{pid} ({name}) S {parent} {pid} {pid} 0 -1 4194304 0 0")
    (folder / "cmdline").write_text(cmdline)
    (folder / "cgroup").write_text(cgroup)
    (folder / "environ").write_text(environ)


def test_descendants_of_a_stepd_are_the_jobs(tmp_path):
    """Children and their children, whatever they call themselves; others' are not."""
    process(tmp_path, 10, 1, "slurmstepd", cmdline="slurmstepd: [42.0]\0")
    process(tmp_path, 11, 10, "python3")
    process(tmp_path, 12, 11, "a) S 1 (b")
    process(tmp_path, 20, 1, "slurmstepd", cmdline="slurmstepd: [43.batch]\0")
    process(tmp_path, 21, 20)
    (tmp_path / "self").mkdir()
    (tmp_path / "99").mkdir()
    found = table(tmp_path)
    assert set(found) == {10, 11, 12, 20, 21}
    assert stepds(found, "n1", tmp_path) == {10: 42, 20: 43}
    assert descendants(found, [10]) == {11, 12}
    assert step_of(20, tmp_path) == (43, "batch")
    assert step_of(11, tmp_path) is None


def test_stepd_of_another_node_on_the_same_host_is_not_ours(tmp_path):
    """Several slurmd on one host, where its environment says so."""
    process(tmp_path, 10, 1, "slurmstepd", cmdline="slurmstepd: [42.0]\0", environ="A=b\0SLURMD_NODENAME=n2\0")
    assert stepds(table(tmp_path), "n1", tmp_path) == {}
    assert stepds(table(tmp_path), "n2", tmp_path) == {10: 42}


def test_users_process_with_a_stepds_name_is_none(tmp_path, monkeypatch):
    """Argv is the process's own: only root's counts."""
    process(tmp_path, 10, 1, "slurmstepd", cmdline="slurmstepd: [42.0]\0")
    found = {pid: p.__class__(p.pid, p.parent, 1000, p.name) for pid, p in table(tmp_path).items()}
    assert stepds(found, "n1", tmp_path) == {}


def test_process_that_left_its_family_is_found_in_the_cgroup(tmp_path):
    """A daemon whose parent is init: v1 and v2 paths, the job's number whole, the owner right."""
    process(tmp_path, 30, 1, cgroup="5:devices:/slurm_n1/uid_0/job_42/step_0\n")
    process(tmp_path, 31, 1, cgroup="0::/system.slice/slurmstepd.scope/job_42/step_0/user/task_0\n")
    process(tmp_path, 32, 1, cgroup="0::/slurm/job_421/step_0\n")
    owner = tmp_path.stat().st_uid
    assert cgroup_members(table(tmp_path), owner, 42, tmp_path) == {30, 31}
    assert cgroup_members(table(tmp_path), owner + 1, 42, tmp_path) == set()


def test_devices_of_the_jobs_cgroup(tmp_path):
    """The list of the job's folder, not of the step's; None where nothing confines."""
    process(tmp_path, 30, 1, cgroup="6:devices:/slurm_n1/uid_0/job_42/step_0\n1:name=systemd:/\n")
    process(tmp_path, 31, 1, cgroup="0::/\n")
    folder = tmp_path / "cg/slurm_n1/uid_0/job_42"
    folder.mkdir(parents=True)
    (folder / "devices.list").write_text("c 195:1 rwm\n")
    assert allowed_nvidia_minors([31, 30], tmp_path, tmp_path / "cg") == "c 195:1 rwm\n"
    assert allowed_nvidia_minors([31], tmp_path, tmp_path / "cg") is None
