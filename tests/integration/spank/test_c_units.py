"""The C unit tests, run by pytest so that one command runs all."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[3] / "spank" / "plugin"


@pytest.mark.parametrize("target", ["check", "sanitize"])
def test_c_units(target):
    """Each program asserts for itself and ends with 0, as shipped and under sanitizers."""
    done = subprocess.run(["make", "-s", "-C", str(PLUGIN), target], check=False, capture_output=True, text=True, timeout=250)
    if "cannot find -l" in done.stderr:
        pytest.skip(f"this compiler comes without the sanitizer's library: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_plugin_exports_slurms_names_only():
    """Only plugin_*, spank_plugin_version and slurm_spank_*: no name of ours can meet another plugin's; and neither prolog nor epilog,
    which would cost every job of the cluster a fork.
    """
    plugin = PLUGIN / "build" / "gpualert.so"
    if not plugin.exists():
        pytest.skip("gpualert.so is not built here: slurm/spank.h is missing")
    listed = subprocess.run(["nm", "-D", "--defined-only", str(plugin)], check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in listed.splitlines()}
    assert {"plugin_name", "plugin_type", "plugin_version", "spank_plugin_version", "slurm_spank_init"} <= names
    assert all(name.startswith(("plugin_", "slurm_spank_")) or name == "spank_plugin_version" for name in names)
    assert not names & {"slurm_spank_job_prolog", "slurm_spank_job_epilog"}
    dynamic = subprocess.run(["readelf", "-d", str(plugin)], check=True, capture_output=True, text=True).stdout
    assert "NODELETE" in dynamic
    assert "BIND_NOW" in dynamic or "NOW" in dynamic
