"""What the comparisons share about steps on the bed: the plugin switched by its line, and what slurmstepd's threads cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.bench.compare import timed
from tests.testbed import Cluster

ASK = ("--gpualert-mail=alice@example.org", "--gpualert-when=never")
OUR_THREADS = ("gpualert-drain", "gpualert-fwd")


def plugin_lines(cluster: Cluster, *settings: str) -> list[str]:
    """plugstack.conf with the plugin, and with more or other arguments. Clients and steps read it afresh: it is the switch."""
    others = {setting.split("=", 1)[0] for setting in settings}
    own = [word for word in cluster.gpualert.plugstack_line().split() if word.split("=", 1)[0] not in others]
    return [" ".join((*own, *settings))]


def srun_timed(cluster: Cluster, lines: list[str], *words: str, after: Callable[[], None] | None = None) -> Callable[[], float]:
    """A variant: ``srun words`` as a new job under plugstack.conf ``lines``; what it prints itself goes to /dev/null."""

    def once() -> float:
        cluster.plugstack(lines)
        took = timed(lambda: cluster.command("sh", "-c", 'exec "$@" > /dev/null', "sh", "srun", *words, user="gpualert-alice", timeout_s=300))
        if after is not None:
            after()
        cluster.wait_idle()
        return took

    return once


def note_threads(cluster: Cluster, name: str) -> Path:
    """A script for a task to run: appends the name and CPU nanoseconds of each thread of its slurmstepd to the file it is given."""
    script = cluster.home() / name
    script.write_text('#!/bin/sh\nfor t in /proc/$1/task/*; do read -r c < $t/comm; read -r ns rest < $t/schedstat; echo "$c $ns"; done > "$2"\n')
    script.chmod(0o755)
    return script


def our_cpu_s(noted: Path) -> float | None:
    """CPU seconds of our threads in what ``note_threads`` wrote; None when none of them was there."""
    lines = [line.rsplit(" ", 1) for line in noted.read_text(encoding="utf-8").splitlines()]
    ours = [int(ns) for name, ns in lines if name in OUR_THREADS]
    return sum(ours) / 1e9 if ours else None
