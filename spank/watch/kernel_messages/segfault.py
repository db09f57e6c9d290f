"""A process died of a bad address, instruction or trap, and the kernel noted where."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.spank.watch.kernel_message import Data, KernelMessage


def _read(match: re.Match[str], recent: Sequence[str]) -> Data:  # noqa: ARG001
    data: Data = {"process": match["task"][:64], "pid": int(match["pid"]), "kind": match["kind"]}
    if match["address"]:
        data["address"] = match["address"]
    inside = re.search(r" in (.{1,200}?)\[", match["rest"])
    if inside:
        data["object"] = inside.group(1)
    return data


# A process name has 15 bytes at most (TASK_COMM_LEN): the file's name, further along, is out of the match's reach.
MESSAGE = KernelMessage(
    says="kernel_segfault",
    pattern=re.compile(
        r"(?:traps: )?(?P<task>(?:\\x[0-9a-f]{2}|.){1,15})\[(?P<pid>\d{1,10})\]:? "
        r"(?:trap )?(?P<kind>segfault|general protection fault|invalid opcode|divide error|stack segment|int3)"
        r"(?: at (?P<address>[0-9a-f]+))?(?P<rest> ip.*)$"
    ),
    read=_read,
    samples=(
        "python3[31400]: segfault at 0 ip 00007f1e6d0a1b2c sp 00007ffd1c2b3a40 error 4 in libtorch_cpu.so[7f1e6c000000+1000] likely on CPU 3",
        "traps: python3[31400] general protection fault ip:7f1e6d0a1b2c sp:7ffd1c2b3a40 error:0 in libc.so.6[7f1e6c000000+1000]",
        "traps: a.out[5] trap invalid opcode ip:401136 sp:7ffd1c2b3a40 error:0 in a.out[401000+1000]",
    ),
    near_misses=("audit: type=1701 audit(1.2:3): auid=0 uid=0 gid=0 ses=1 pid=5 comm=\"a\" exe=\"/a\" sig=11 res=1", "segfault at 0 ip 0"),
)
