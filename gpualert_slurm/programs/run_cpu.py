"""What ``gpualert-run`` read of its command's CPU, as the series that a rank's watcher would have left. Format: ``doc/formats/bundle.md``."""

from __future__ import annotations

from itertools import pairwise

from gpualert_slurm.evidence import Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.run_file import RunEnd
from gpualert_slurm.series import Series

ELSEWHERE = frozenset(
    [
        *("srun", "salloc", "sbatch", "ssh", "docker", "podman", "nerdctl", "kubectl", "oc", "ray", "sky", "dstack"),
        *("mpirun", "mpiexec", "orterun", "prterun", "hydra_pmi_proxy", "mpiexec.hydra"),
    ]
)
"""Their processes work below a daemon, or on another machine: a client of theirs sleeps while its job works."""


def cpu_series(end: RunEnd, where: Where) -> Series | Gap | None:
    """``cpu_percent`` (of one core, of the command and all below it together), each value for the time since the look before.

    Between two looks of which the later has less, a process had left the tree with what it had used: nothing is said of that time. A Gap where
    part of the command may have run elsewhere; None where there are no two looks.
    """
    if end.cpu is None or len(end.cpu.looks) < 2:
        return None
    if sent := sorted(ELSEWHERE & {*end.cpu.names}):
        why = f"{sent[0]} ran below it: what it started has its processes elsewhere"
        return Gap(what="whether the command worked or slept", why=why, node=where.node)
    spans = [((at_ns, used_ms - before_ms), (at_ns - before_ns) / 1e6) for (before_ns, before_ms), (at_ns, used_ms) in pairwise(end.cpu.looks)]
    read = [(at_ns, 100.0 * used_ms / span_ms) for (at_ns, used_ms), span_ms in spans if used_ms >= 0 and span_ms > 0]
    if not read:
        return None
    times, values = zip(*read, strict=True)
    return Series(name="cpu_percent", where=where, unit="percent", times_ns=times, values=values, points_seen=len(read))
