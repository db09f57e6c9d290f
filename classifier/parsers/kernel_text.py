"""Lines of the kernel log that stand in a job's own output (a node's console, ``dmesg`` in the script). USER trust: a job can print the same."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="kernel log in a job's output",
    patterns=(
        Pattern(
            name="oom_killed",
            says="oom_kill_text",
            role=Role.CONFIRMATION,
            regex=r"(?:Memory cgroup out of memory|Out of memory): Killed process (?P<pid>\d{1,10}) \((?P<process>[^)]{1,64})\)",
            literals=("ut of memory: Killed process", "cgroup out of memory: Killed process"),
            samples=(
                "[12973.443102] Out of memory: Killed process 4011 (python3) total-vm:39214488kB, anon-rss:30277712kB, file-rss:0kB",
                "Memory cgroup out of memory: Killed process 31400 (python3) total-vm:105300kB",
            ),
            near_misses=("Out of memory: trying again", "Out of memory: Killed processes: 0"),
            cause=Cause.OOM_KILLER,
        ),
        Pattern(
            name="xid",
            says="hardware_text",
            role=Role.CONFIRMATION,
            regex=r"NVRM: Xid \(PCI:[0-9a-fA-F:.]{7,20}\): (?P<xid>\d{1,4})",
            literals=("NVRM: Xid (PCI:",),
            samples=(
                "NVRM: Xid (PCI:0000:44:00): 79, pid=1234, GPU has fallen off the bus.",
                "[ 12.3] NVRM: Xid (PCI:0000:3b:00): 48, pid=1, name=python",
            ),
            near_misses=("NVRM: Xid is documented at NVIDIA", "Xid 79"),
        ),
    ),
)
