"""The demo touches no host on which it has no business: it says what is in the way, and what works anyway."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[2] / "demo" / "run.sh"
ANYWAY = (".venv/bin/gpualert-run -- python3 train.py", ".venv/bin/gpualert diagnose LOG")


def refused(argv: list[str]) -> str:
    """What the demo says on stderr when it refuses; fails where it does not."""
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert all(words in done.stderr for words in ANYWAY), done.stderr
    return done.stderr


def in_a_changed_host(change: str) -> str:
    """The demo in a mount namespace of its own, in which ``change`` was done first; the host itself stays as it is."""
    if os.geteuid() != 0:
        pytest.skip("a mount namespace needs root")
    probe = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip(f"no mount namespaces here: {probe.stderr.decode().strip()}")
    return refused(["unshare", "--mount", "--", "sh", "-eu", "-c", f"{change}\nexec bash {RUN}"])


def test_without_root_it_refuses() -> None:
    argv = ["bash", str(RUN)]
    if os.geteuid() == 0:
        argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", *argv]
        if subprocess.run([*argv[:5], "test", "-r", str(RUN)], check=False).returncode != 0:
            pytest.skip("the checkout is closed to other users")
    assert "not root" in refused(argv)


def test_beside_a_real_slurm_it_refuses() -> None:
    if not Path("/etc/slurm").is_dir():
        pytest.skip("/etc/slurm does not exist, and this test makes nothing on the host")
    said = in_a_changed_host("mount -t tmpfs none /etc/slurm; echo ClusterName=real > /etc/slurm/slurm.conf")
    assert "a real Slurm is configured on this host: /etc/slurm/slurm.conf exists" in said


def test_on_another_distribution_it_refuses(tmp_path: Path) -> None:
    release = tmp_path / "os-release"
    release.write_text('ID="rocky"\nID_LIKE="rhel centos fedora"\n')
    said = in_a_changed_host(f"mount --bind {release} $(readlink -f /etc/os-release)")
    assert "not a Debian-like system" in said
