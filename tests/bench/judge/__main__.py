"""``make bench-judge``: a job of 1,024 ranks, from eight sealed-off reports to its verdict; writes its section of doc/performance.md."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import sys
import time

from gpualert_slurm.classifier import judge
from gpualert_slurm.epilog.merge import merge
from gpualert_slurm.node_report import NodeReport
from tests.bench import page
from tests.bench.compare import Row
from tests.bench.judge.job import KINDS, NODES, RANKS, build

COMMAND = "make bench-judge"
BOUND_S = 3.0
ROUNDS = 5


def main() -> int:
    """0 when every kind of job keeps the bound."""
    load = os.getloadavg()[0]
    rows = []
    for kind in KINDS:
        accounting, texts = build(kind)
        each: list[tuple[float, float, float]] = []
        mode = ""
        for _ in range(ROUNDS):
            gc.collect()
            begun = time.process_time()
            reports = [NodeReport.model_validate_json(text) for text in texts]
            read = time.process_time()
            record = merge((), reports, accounting)
            merged = time.process_time()
            verdict = judge(record)
            each.append((read - begun, merged - read, time.process_time() - merged))
            mode = verdict.mode
        middle = [statistics.median(part) for part in zip(*each, strict=True)]
        total = statistics.median(merge_s + judge_s for _, merge_s, judge_s in each)
        size = sum(map(len, texts)) / 1e6
        rows.append(
            Row(
                f"{RANKS} ranks, {NODES} reports, {kind.replace('_', ' ')} ({mode}): merged and judged",
                f"{total:.2f} s of CPU",
                f"≤ {BOUND_S:.0f} s",
                total <= BOUND_S,
                f"n={ROUNDS}; reading {size:.0f} MB of JSON {middle[0]:.2f} s more, merge {middle[1]:.2f} s, judge {middle[2]:.2f} s; "
                f"all three {min(map(sum, each)):.2f} to {max(map(sum, each)):.2f} s",
            )
        )
        print(f"{rows[-1].what}: {rows[-1].figure} ({rows[-1].runs})", file=sys.stderr, flush=True)
    text = page.section(COMMAND, rows, (load, os.getloadavg()[0]), f"Python {platform.python_version()}, CPU time of one process")
    print(text)
    page.put(COMMAND, text)
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
