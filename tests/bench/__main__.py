"""Runs every comparison on one cluster and writes doc/performance.md."""

from __future__ import annotations

import argparse
import platform
import sys
from datetime import datetime, timezone
from pathlib import Path

from tests.bench import launch, mail_latency, volume, wrapper
from tests.bench.compare import Row
from tests.testbed import Cluster

PAGE = Path(__file__).parents[2] / "doc" / "performance.md"
BENCHES = {"launch": launch.run, "volume": volume.run, "mail_latency": mail_latency.run, "wrapper": wrapper.run}


def page(rows: list[Row]) -> str:
    """The page as Markdown."""
    with Path("/proc/cpuinfo").open() as file:
        cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.processor())
        cores = len([line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("processor")])
    lines = [
        "# Performance",
        "",
        f"Written by `make bench` on {datetime.now(timezone.utc):%Y-%m-%d}: {cores} cores of {cpu}, Linux {platform.release()},",
        "Slurm of Debian 12 on this repository's test bed (four nodes on this one host). Interleaved runs, medians with quartiles;",
        "a difference or a ratio to the same cluster without the plugin.",
        "",
        "| what | figure | bound | met | runs |",
        "|---|---|---|---|---|",
        *(f"| {r.what} | {r.figure} | {r.bound} | {'' if r.met is None else 'yes' if r.met else '**no**'} | {r.runs} |" for r in rows),
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Exit status 0 when every bound is met, 1 when one is not."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("only", nargs="*", choices=[[], *BENCHES], help="run these only, and print instead of writing the page")
    only = parser.parse_args().only
    rows: list[Row] = []
    with Cluster(gpualert=True) as cluster:
        cluster.start_daemon()
        for name, bench in BENCHES.items():
            if only and name not in only:
                continue

            def progress(words: str, name: str = name) -> None:
                print(f"\r{name}: {words}   ", end="", file=sys.stderr, flush=True)

            rows += bench(cluster, progress)
            print(file=sys.stderr)
    text = page(rows)
    print(text)
    if not only:
        PAGE.write_text(text, encoding="utf-8")
    return 0 if all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
