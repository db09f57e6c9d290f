"""``gpualert doctor`` on a real cluster: well as it stands, and each thing that is broken is named with what mends it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from tests.testbed import Cluster


def doctor(cluster: Cluster, *words: str) -> tuple[int, str]:
    """Its exit status and what it said, as root on a node that is also the daemon's host."""
    argv = [str(cluster.gpualert.program("gpualert")), "doctor", "--config", str(cluster.gpualert.config), "--as", "node", "--as", "daemon", *words]
    environment = {**os.environ, **cluster.environment(), **cluster.nvml.environment("n1")}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout


def bad(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("BAD")]


@pytest.fixture
def running(cluster: Cluster) -> Iterator[Cluster]:
    if not cluster.daemon.running:
        cluster.start_daemon()
    yield cluster
    cluster.daemon.stop()


def test_a_bed_that_is_well(running: Cluster) -> None:
    status, said = doctor(running)
    assert bad(said) == [], said
    assert status == 0
    for words in ("sbatch knows --gpualert-mail", "munge seals for", "driver", "sacct answers", "gpualertd runs", "answers", "can be read", "it was built for Slurm"):
        assert words in said, f"{words!r} is not in:\n{said}"


def test_what_is_broken_is_named_and_its_command_mends_it(running: Cluster) -> None:
    running.gpualert.state_dir.chmod(0o755)
    running.smtp.stop()
    try:
        status, said = doctor(running)
        assert status == 1
        words = "\n".join(bad(said))
        assert f"{running.gpualert.state_dir} (site.state_dir): its mode is 0755, not 0711" in words
        assert "mail: 127.0.0.1" in words
        mend = next(line.partition("mend: ")[2] for line in said.splitlines() if "mend: chmod" in line)
        subprocess.run(["sh", "-c", mend], check=True)
        assert bad(doctor(running, "--only", "folders")[1]) == []
    finally:
        running.gpualert.state_dir.chmod(0o711)
        running.smtp.start()
