"""The kernel chose a process to kill because memory ran out: in a cgroup, or on the node."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.spank.watch.kernel_message import Data, KernelMessage

_USERS_OWN = re.compile(r"^/user\.slice/|/user@\d+\.service(?:/|$)")


def _read(match: re.Match[str], recent: Sequence[str]) -> Data:  # noqa: ARG001
    data: Data = {
        "scope": "cgroup" if match["constraint"] == "MEMCG" else "node",
        "constraint": f"CONSTRAINT_{match['constraint']}",
        "task_memcg": match["memcg"][:300],
        "process": match["task"][:64],
        "pid": int(match["pid"]),
        "uid": int(match["uid"]),
    }
    if match["limit"]:
        data["oom_memcg"] = match["limit"][:300]
    # A name with a comma would make other fields, and who has cgroups of his own (systemd's user manager) calls them as he likes.
    ambiguous = match.group(0).count("task_memcg=") != 1 or _USERS_OWN.search(match["memcg"])
    job = None if ambiguous else re.search(r"/job_(\d{1,10})(?:/|$)", match["memcg"])
    if job:
        data["job_id"] = int(job.group(1))
    return data


# The process name comes from the user and stands before pid and uid: the greedy match leaves the kernel's own at the end.
MESSAGE = KernelMessage(
    says="kernel_oom",
    pattern=re.compile(
        r"oom-kill:constraint=CONSTRAINT_(?P<constraint>NONE|CPUSET|MEMORY_POLICY|MEMCG),.*?"
        r"(?:,oom_memcg=(?P<limit>[^,]*))?,(?:global_oom,)?task_memcg=(?P<memcg>[^,]*),task=(?P<task>.*),pid=(?P<pid>\d{1,10}),uid=(?P<uid>\d{1,10})$"
    ),
    read=_read,
    samples=(
        (
            "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0,oom_memcg=/slurm/uid_1000/job_42,"
            "task_memcg=/slurm/uid_1000/job_42/step_0,task=python3,pid=31400,uid=1000"
        ),
        (
            "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,"
            "task_memcg=/system.slice/slurmstepd.scope/job_42/step_0/user/task_0,task=a,pid=1,uid=0,pid=31400,uid=1000"
        ),
    ),
    near_misses=(
        "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        "Memory cgroup out of memory: Killed process 31400 (python3) total-vm:1000kB, anon-rss:900kB, file-rss:0kB, shmem-rss:0kB, UID:1000",
    ),
)
