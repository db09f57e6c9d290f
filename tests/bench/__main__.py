"""Runs a group of comparisons on one cluster and writes its section of doc/performance.md."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack

from tests.bench import (
    drain_cost,
    full_speed,
    further_logs,
    hooks,
    idle_rank,
    launch,
    launch_and_output,
    mail_latency,
    not_asked,
    page,
    run_launch,
    run_output,
    stepd_memory,
    volume,
)
from tests.bench.compare import Progress, Row
from tests.bench.own_disk import OwnDisk
from tests.testbed import Cluster

Bench = Callable[[Cluster, Progress], list[Row]]
OVERALL: dict[str, Bench] = {"launch": launch.run_overall, "volume": volume.run, "mail_latency": mail_latency.run, "run_launch": run_launch.run}
CAPTURE: dict[str, Bench] = {
    "launch": launch.run, "further_logs": further_logs.run, "launch_and_output": launch_and_output.run, "not_asked": not_asked.run,
    "hooks": hooks.run, "run_launch": run_launch.run, "run_output": run_output.run, "full_speed": full_speed.run,
    "drain_cost": drain_cost.run, "stepd_memory": stepd_memory.run, "idle_rank": idle_rank.run,
}  # fmt: skip
GROUPS = {"bench": OVERALL, "bench-capture": CAPTURE}
NEED_DAEMON = {"mail_latency"}


def _progress(name: str) -> Progress:
    def progress(words: str) -> None:
        print(f"\r{name}: {words}   ", end="", file=sys.stderr, flush=True)

    return progress


def measure(benches: dict[str, Bench]) -> tuple[list[Row], str]:
    """The rows of ``benches``, one after the other on one bed, and the Slurm and the disk they ran on.

    gpualert-node, which is Python, is started only where a comparison needs it: on a host that plays four nodes it would take the cores
    that the job's own part is timed on. The database is on another file system than the logs, as on a cluster: its flushes would hold up theirs.
    """
    rows: list[Row] = []
    with OwnDisk() as disk, ExitStack() as stack:
        if disk.path:
            stack.enter_context(OwnDisk(disk.path / "bed" / "state"))
        cluster = stack.enter_context(Cluster(disk.path / "bed" if disk.path else None, gpualert=True))
        place = "the bed and gpualert's logs each on a new ext4 with a journal, on loop devices"
        if not disk.path:
            place = f"the bed on this machine's own disk ({disk.why})"
        slurm = f"{cluster.command('sinfo', '--version').stdout.strip()}, {place}"
        for service in cluster.node_services.values():
            service.stop()
        for name, bench in benches.items():
            if name in NEED_DAEMON:
                cluster.start_daemon()
                for service in cluster.node_services.values():
                    service.start()
            found = bench(cluster, _progress(name))
            print("", *(f"  {row.what}: {row.figure} ({row.bound}); {row.runs}" for row in found), sep="\n", file=sys.stderr, flush=True)
            rows += found
    return rows, slurm


def main() -> int:
    """Exit status 0 when every bound is met, 1 when one is not."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--group", choices=list(GROUPS), default="bench", help="which comparisons, and which section of the page")
    parser.add_argument("only", nargs="*", help="run these comparisons only, and print instead of writing the page")
    asked = parser.parse_args()
    benches = GROUPS[asked.group]
    for name in asked.only:
        if name not in benches:
            parser.error(f"{name} is no comparison of {asked.group}; these are: {', '.join(benches)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the bed is taken down
    before = os.getloadavg()[0]
    rows, slurm = measure({name: bench for name, bench in benches.items() if not asked.only or name in asked.only})
    text = page.section(f"make {asked.group}", rows, (before, os.getloadavg()[0]), slurm)
    print(text)
    if not asked.only:
        page.put(f"make {asked.group}", text)
    return 0 if all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
