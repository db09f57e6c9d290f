"""CPU time of the plugin's threads while ranks print nothing."""

from __future__ import annotations

from tests.bench.compare import Progress, Row
from tests.bench.steps import ASK, note_threads, our_cpu_s, plugin_lines
from tests.testbed import Cluster

SECONDS = 8


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Looks twice, from a task: nanoseconds that the scheduler gave the two threads in between. One rank has printed before, past its cap."""
    noter, home = note_threads(cluster, "note-idle.sh"), cluster.home()
    look = f"{noter} $PPID {home}/idle-%s"
    loud = "test $SLURM_PROCID = 1 && dd if=/dev/zero bs=64K count=64 status=none"
    words = f"{loud}; sleep 7; test $SLURM_PROCID = 0 && {look % 'first'}; sleep {SECONDS}; test $SLURM_PROCID = 0 && {look % 'last'}; true"
    cluster.plugstack(plugin_lines(cluster, "rank_max_mib=1"))
    cluster.srun("-N1", "-n2", *ASK, "--output=/dev/null", "sh", "-c", words, check=True)
    cluster.wait_idle()
    first, last = our_cpu_s(home / "idle-first"), our_cpu_s(home / "idle-last")
    progress("looked")
    cluster.plugstack(plugin_lines(cluster))
    if first is None or last is None:
        raise RuntimeError("the step had no thread of the plugin's: nothing was captured, so nothing was measured")
    spent_us = (last - first) * 1e6
    return [
        Row(f"CPU of the plugin's threads in {SECONDS} s in which no rank prints", f"{spent_us:.0f} µs", "0", spent_us == 0, "the scheduler's count")
    ]
