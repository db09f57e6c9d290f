"""How the bed's Slurm keeps hold of a job's processes, and what that takes in the installed version.

GPUALERT_TESTBED_TRACKING chooses: ``linuxproc`` (the default; needs nothing of the host) or ``cgroup`` (version 1 hierarchies must be mounted).
"""

from __future__ import annotations

import functools
import os
import re
import subprocess

VARIABLE = "GPUALERT_TESTBED_TRACKING"
SETTINGS = {
    "linuxproc": {"ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "JobAcctGatherType": "jobacct_gather/linux"},
    # A task is held to its memory only where memory is handed out: CR_CPU alone gives every job all of the node's.
    "cgroup": {"ProctrackType": "proctrack/cgroup", "TaskPlugin": "task/cgroup", "JobAcctGatherType": "jobacct_gather/cgroup",
               "SelectTypeParameters": "CR_CPU_Memory", "DefMemPerCPU": "500"},
}
# Since then slurmd opens control groups even where no plugin asks for them, and "disabled" is a value (cgroup.conf(5)).
DISABLED_SINCE = (24, 5)


def chosen() -> str:
    """``linuxproc`` or ``cgroup``, as the environment says; raises ``ValueError`` for anything else."""
    word = os.environ.get(VARIABLE, "linuxproc")
    if word not in SETTINGS:
        raise ValueError(f"{VARIABLE}={word}: it must be one of {', '.join(SETTINGS)}")
    return word


@functools.cache
def slurm_version() -> tuple[int, int]:
    """Major and minor of the installed Slurm, such as (22, 5)."""
    said = subprocess.run(["slurmctld", "-V"], capture_output=True, text=True, timeout=10, check=True).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None:
        raise ValueError(f"slurmctld -V says no version: {said!r}")
    return int(found[1]), int(found[2])


def cgroup_conf(tracking: str) -> list[str]:
    """The lines of cgroup.conf. Cores are not constrained: the bed's nodes claim more of them than the host has."""
    if tracking == "cgroup":
        return ["CgroupPlugin=cgroup/v1", "ConstrainRAMSpace=yes", "ConstrainDevices=yes"]
    return ["CgroupPlugin=disabled"] if slurm_version() >= DISABLED_SINCE else []
