"""The kernel's log can be read: Xids and OOM kills stand there and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown


def _run(who: Patient) -> Iterator[Found]:
    del who
    try:
        os.close(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except PermissionError:
        if os.geteuid() == 0:
            yield bad(
                "/dev/kmsg cannot be read even by root",
                "sysctl kernel.dmesg_restrict; and look at the container's devices and capabilities (CAP_SYSLOG)",
            )
        else:
            yield unknown("/dev/kmsg cannot be read as this user", "run gpualert doctor as root")
        return
    except OSError as error:
        yield bad(f"/dev/kmsg: {error.strerror}", "ls -l /dev/kmsg   # a container needs it passed in")
        return
    yield good("/dev/kmsg can be read")


CHECK = Check("kernel log", frozenset({Host.NODE}), _run, order=60)
