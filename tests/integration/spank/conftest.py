"""What the plugin's tests share: its build."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[3] / "spank" / "plugin"


@pytest.fixture(scope="module")
def build() -> Path:
    """The stub, the plugin, and the stub with failing calls."""
    if not Path("/usr/include/slurm/spank.h").exists():
        pytest.skip("slurm/spank.h is missing (Debian: libslurm-dev): no plugin can be built here")
    done = subprocess.run(["make", "-s", "-C", str(PLUGIN), "plugin"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return PLUGIN / "build"
