"""On which CPU a new mount namespace is older than all that are made in it later."""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import subprocess
import sys

NS_GET_MNTNS_ID = 0x8008B705  # _IOR(0xb7, 5, __u64), linux/nsfs.h, Linux 6.11
CLONE_NEWNS = 0x00020000


def oldest_cpu() -> int | None:
    """The CPU whose new namespaces get the lowest number; None where the kernel does not tell numbers, or this is not root. Asked of a process
    of its own, for it forks.

    Linux 6.18 hands out namespaces' numbers to each CPU in lots, and refuses to bind a mount namespace (EINVAL) in one with a higher number,
    as if it were older: what job_container/tmpfs does for each job then fails by chance of CPU. The first namespace of a machine has the lowest number of all.
    """
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=30, check=False)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else None


def _new_on(cpu: int) -> int | None:
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.sched_setaffinity(0, {cpu})
            if ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0:
                number = bytearray(8)
                fcntl.ioctl(os.open("/proc/self/ns/mnt", os.O_RDONLY), NS_GET_MNTNS_ID, number)
                os.write(write_end, number)
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as told:
        number_bytes = told.read()
    os.waitpid(child, 0)
    return int(struct.unpack("=Q", number_bytes)[0]) if len(number_bytes) == 8 else None


if __name__ == "__main__":
    found = {cpu: number for cpu in sorted(os.sched_getaffinity(0)) if (number := _new_on(cpu)) is not None}
    if found:
        print(min(found, key=lambda cpu: found[cpu]))
