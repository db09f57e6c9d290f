"""The test bed refuses hosts on which it would be in a real Slurm's way."""

from __future__ import annotations

import pytest

from tests.testbed import host


def test_a_slurmd_without_the_beds_mark_is_a_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = {10: "slurmd", 11: "slurmd-wlm", 12: "slurmctld-wlm", 13: "sleep"}
    monkeypatch.setattr(host, "parents", lambda: dict.fromkeys(programs, 1))
    monkeypatch.setattr(host, "program_of", programs.get)
    monkeypatch.setattr(host, "environ", lambda pid: {host.MARK: "/var/tmp/bed"} if pid == 11 else {})
    assert [reason for reason in host.in_the_way() if "runs on this host" in reason] == [
        "a real Slurm runs on this host: slurmd with pid 10", "a real Slurm runs on this host: slurmctld with pid 12"]


def test_a_program_that_is_not_found_names_its_debian_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host.shutil, "which", lambda program, path: None if program in {"slurmctld", "sacct"} else f"/usr/sbin/{program}")
    assert host.missing_packages() == ["slurm-client", "slurmctld"]
