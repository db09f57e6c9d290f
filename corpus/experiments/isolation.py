"""Notifier isolation: does a mail relay that is away, or that hangs, change how a job ends? Over all fifteen causes."""

from __future__ import annotations

import time

from gpualert_slurm.cause import Cause
from tests.testbed import Cluster
from tests.testbed.host import ALICE

RAISE = "python3 -c 'raise RuntimeError(\"{}\")'"
COMMANDS = {
    Cause.CUDA_OOM: RAISE.format("CUDA out of memory. Tried to allocate 2.00 GiB"),
    Cause.NCCL: RAISE.format("NCCL error in: ProcessGroupNCCL.cpp:1333, unhandled system error"),
    Cause.CUDA_RUNTIME: RAISE.format("CUDA error: an illegal memory access was encountered"),
    Cause.RAM_OOM: "ulimit -v 400000; python3 -c 'x = bytearray(3000000000)'",
    Cause.SEGFAULT: "python3 -c 'import ctypes; ctypes.string_at(0)'",
    Cause.FILE_NOT_FOUND: "python3 -c 'open(\"/data/none\")'",
    Cause.PERMISSION: "python3 -c 'open(\"/etc/shadow\")'",
    Cause.MISSING_MODULE: "python3 -c 'import apex'",
    Cause.DIV_ZERO: "python3 -c '1 / 0'",
    Cause.DEVICE_MISMATCH: RAISE.format("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"),
    Cause.NAN_LOSS: "python3 -c 'raise ValueError(\"loss is nan at step 3\")'",
    Cause.OOM_KILLER: "bash -c 'kill -9 $$'",
    Cause.TRACEBACK: "python3 -c '{}[1]'",
    Cause.ASSERTION: "python3 -c 'assert 0'",
    Cause.RUNTIME_ERROR: RAISE.format("odd"),
}
"""GPU causes are played by their words and their exit status: the question is the notifier's, not the GPU's."""


def table(cluster: Cluster) -> str:
    """State and exit code of job and step, and the seconds from submission to the end, with the relay well, away, hanging at its greeting, and hanging after the message."""
    settings = ("well", "away", "no greeting", "no answer to the message")
    ends: dict[str, dict[Cause, tuple[str, ...]]] = {}
    took: dict[str, float] = {}
    mails: dict[str, int] = {}
    for setting in settings:
        if setting == "away":
            cluster.smtp.stop()
        elif setting != "well":
            if not cluster.smtp.daemon.running:
                cluster.smtp.start()
            cluster.smtp.behave(greet=setting != "no greeting", answer_data=setting != "no answer to the message")
        before = len(cluster.smtp.mails()) if setting == "well" else 0
        began = time.monotonic()
        ids = {cause: cluster.submit(f"#!/bin/bash\nsrun -n1 bash -c {_quoted(command)}\ncode=$?; sleep 0.5; exit $code\n", "-n1", "--gpualert-mail=alice@example.org", user=ALICE) for cause, command in COMMANDS.items()}
        for job in ids.values():
            cluster.wait(job, 180)
        took[setting] = time.monotonic() - began
        ends[setting] = {cause: tuple(f"{r['State']} {r['ExitCode']}" for r in cluster.sacct(job, ("JobID", "State", "ExitCode"), final_within_s=60)) for cause, job in ids.items()}
        if setting == "well":
            cluster.smtp.wait_mail(lambda _: True, count=before + len(ids), timeout_s=240)
            mails[setting] = len(cluster.smtp.mails()) - before
    cluster.smtp.behave()
    rows = ["| cause | job and steps, relay well | away | no greeting | no answer to the message |", "|---|---|---|---|---|"]
    same = 0
    for cause in COMMANDS:
        well = ends["well"][cause]
        cells = ["the same" if ends[s][cause] == well else ", ".join(ends[s][cause]) for s in settings[1:]]
        same += sum(c == "the same" for c in cells)
        rows.append(f"| {cause.value} | {', '.join(well)} | " + " | ".join(cells) + " |")
    rows.append("| seconds until all fifteen had ended | " + " | ".join(f"{took[s]:.0f}" for s in settings) + " |")
    waiting = cluster.command(str(cluster.gpualert.program("gpualert")), "outbox", "--config", str(cluster.gpualert.config), "list", user="gpualert", check=False).stdout
    return "\n".join(rows) + f"\n\n{same} of {3 * len(COMMANDS)} the same as with a relay that works; {mails['well']} mails then, and {len(waiting.splitlines()) - 1 if waiting else 0} lines about what waits in the outbox after the last setting.\n"


def _quoted(command: str) -> str:
    import shlex

    return shlex.quote(command)
