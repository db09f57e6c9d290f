"""A process has been waiting in the kernel, uninterruptibly, for minutes: storage or a driver that does not answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.spank.watch.kernel_message import Data, KernelMessage


def _read(match: re.Match[str], recent: Sequence[str]) -> Data:  # noqa: ARG001
    return {"process": match["task"][:64], "pid": int(match["pid"]), "blocked_s": int(match["seconds"])}


MESSAGE = KernelMessage(
    says="kernel_hung_task",
    pattern=re.compile(r"INFO: task (?P<task>.{1,64}):(?P<pid>\d{1,10}) blocked for more than (?P<seconds>\d{1,6}) seconds"),
    read=_read,
    samples=("INFO: task python3:31400 blocked for more than 120 seconds.", "INFO: task a:b:5 blocked for more than 241 seconds."),
    near_misses=('"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',),
)
