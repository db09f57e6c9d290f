"""What PySlurm's objects become: its attributes stand in here. The real thing was compared by hand, on Slurm 24.11: doc/pyslurm.md."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace

import pytest

from gpualert_slurm.epilog.slurm_records import pyslurm
from gpualert_slurm.epilog.slurm_text import sacct
from gpualert_slurm.programs.daemon import StartError
from gpualert_slurm.programs.gpualertd.service import choose_provider

STEP = SimpleNamespace(id="batch", name="batch", state="FAILED", exit_code=3, exit_code_signal=0, nodelist="n1", ntasks=1, start_time=100, end_time=110)
JOB = SimpleNamespace(
    id=7, cluster="c", name="train", user_name="alice", user_id=1000, account="research", partition="gpu", qos="normal", state="CANCELLED by 1000",
    state_reason="None", exit_code=3, exit_code_signal=0, derived_exit_code=0, derived_exit_code_signal=0, nodelist="n1", failed_node=None, num_nodes=1,
    submit_time=90, eligible_time=90, start_time=100, end_time=110, elapsed_time=10, time_limit=10, priority=5, working_directory="/home/alice",
    submit_command="sbatch x.sh", comment=None, array_id=None, array_task_id=None, suspended_time=10, steps={"batch": STEP},
)


def test_a_job_is_what_sacct_says_of_it() -> None:
    """Field by field the same record as from sacct's row, but for where it came from and what PySlurm lacks."""
    row = {
        "DBIndex": "1", "JobIDRaw": "7", "JobID": "7", "Cluster": "c", "State": "CANCELLED by 1000", "ExitCode": "3:0", "DerivedExitCode": "0:0",
        "User": "alice", "UID": "1000", "Account": "research", "Partition": "gpu", "QOS": "normal", "NNodes": "1", "NodeList": "n1", "Submit": "90",
        "Eligible": "90", "Start": "100", "End": "110", "ElapsedRaw": "10", "TimelimitRaw": "10", "Priority": "5", "Reason": "None",
    }
    step = {**dict.fromkeys(row, ""), "DBIndex": "1", "JobIDRaw": "7.batch", "State": "FAILED", "ExitCode": "3:0", "NodeList": "n1", "Start": "100", "End": "110",
            "NTasks": "1"}
    own = {("1", "7"): {"WorkDir": "/home/alice", "SubmitLine": "sbatch x.sh", "JobName": "train"}, ("1", "7.batch"): {"JobName": "batch"}}
    (by_sacct,) = sacct.records([row, step], own)
    by_pyslurm = pyslurm.job_record(JOB)
    assert by_pyslurm.model_copy(update={"source": by_sacct.source, "cancelled_by_uid": 1000}) == by_sacct


def test_a_node() -> None:
    node = SimpleNamespace(name="n1", state="DOWN*", reason="Xid 79", reason_time=100, boot_time=50, slurmd_start_time="2026-01-01", cpu_load=1.5,
                           free_memory=1024, configured_gres={"gpu:h100": 2})
    found = pyslurm.node_state(node)
    assert (found.state, found.reason_time_ns, found.slurmd_start_ns, found.free_memory_mb, found.gres) == ("DOWN*", 100 * 10**9, None, 1024, "gpu:h100:2")


@pytest.mark.skipif(importlib.util.find_spec("pyslurm") is not None, reason="PySlurm is installed")
def test_where_pyslurm_is_absent_the_commands_are_used() -> None:
    """``auto`` takes them silently; a site that asks for PySlurm by name is told why not."""
    assert choose_provider("auto")[0] == "command_line"
    with pytest.raises(StartError, match=r"daemon\.provider = 'pyslurm': PySlurm cannot be used: .*No module named 'pyslurm'"):
        choose_provider("pyslurm")


@pytest.mark.parametrize(("text", "version"), [("slurm 25.11.2", "25.11"), ("slurm-wlm 22.05.8", "22.5"), ("25.11.0", "25.11"), ("none", None)])
def test_versions(text: str, version: str | None) -> None:
    assert pyslurm._major_minor(text) == version
