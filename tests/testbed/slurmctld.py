"""slurmctld, as the user slurm."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from .daemon import Daemon


def slurmctld(root: Path, env: Mapping[str, str]) -> Daemon:
    """The controller in the foreground; it is ready when ``scontrol ping`` says UP."""
    folder = root / "slurmctld"
    folder.mkdir(mode=0o755, exist_ok=True)
    shutil.chown(folder, "slurm", "slurm")
    log = root / "log" / "slurmctld.log"
    return Daemon("slurmctld", ["slurmctld", "-D"], log=root / "log" / "slurmctld.out", user="slurm", env=env, cwd=folder,
                  ready=lambda: _up(env), ready_timeout_s=60, more_logs=[log])


def _up(env: Mapping[str, str]) -> bool:
    try:
        done = subprocess.run(["scontrol", "ping"], env=dict(env), capture_output=True, text=True, timeout=10, check=False)
    except subprocess.TimeoutExpired:
        return False
    return " is UP" in done.stdout
