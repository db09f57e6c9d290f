"""``python -m tests.system.exit_matrix``: all rows under all columns, and doc/exit-status-matrix.md. Root; half an hour.

Mounts live in a mount namespace of its own (``unshare --mount``), so that a hung one is nobody else's.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tests.testbed import Cluster

from . import page, trial
from .cells import Table, Verdict
from .columns import COLUMNS, WITHOUT, Column, full_disk
from .rows import ROWS, Row

NATIVE_RUNS = 5
INSIDE = "GPUALERT_MATRIX_INSIDE"


def run_column(c: Cluster, table: Table, column: Column, rows: Sequence[Row], tries: int = 3) -> None:
    """All rows under one column; those that differ are run again, at most ``tries`` times altogether."""
    since = time.strftime("%Y-%m-%dT%H:%M:%S")
    states: set[str] = set()
    with column.enter(c):
        left = list(rows)
        for again in range(tries):
            started = trial.start(c, left, asked=column.asked)
            table.jobs += len(left)
            for row, seen in trial.finish(c, started).items():
                if column is WITHOUT:
                    table.native.setdefault(replace(row, copy=0), []).append(seen)
                else:
                    table.judge(row, column, seen, again=again > 0)
            states |= started.node_states
            table.captured[column] = table.captured.get(column, 0) + trial.captured(c, started)
            if column is WITHOUT:
                break
            left = [cell.row for cell in table.different() if cell.column is column and not cell.row.slow]
            if not left:
                break
    table.drained[column] = trial.drained(c, since, states)


def run_bed(table: Table, rows: Sequence[Row], columns: Sequence[Column], tracking: str, after_column: Callable[[], None]) -> None:
    """One bed: the rows without gpualert, several times; then under every column."""
    os.environ["GPUALERT_TESTBED_TRACKING"] = tracking
    with Cluster(nodes=2, cpus=8, gpualert=True) as c, contextlib.ExitStack() as stack:
        trial.places(c)
        stack.enter_context(full_disk(c.root / "full"))
        for service in c.node_services.values():
            service.stop()
        run_column(c, table, WITHOUT, [*rows, *(replace(row, copy=1 + copy) for row in rows if row.slow for copy in range(NATIVE_RUNS - 1))])
        quick = [row for row in rows if not row.slow]
        for _ in range(NATIVE_RUNS - 1 if quick else 0):
            run_column(c, table, WITHOUT, quick)
        for column in columns:
            started = time.monotonic()
            try:
                run_column(c, table, column, rows)
            except Exception as error:  # the other columns are still worth running
                table.drained.setdefault(column, f"not finished: {str(error).splitlines()[0]}")
                print(f"{column.title}: {error}", flush=True)
            cells = [cell for (_, at), cell in table.cells.items() if at is column]
            different = [cell for cell in cells if cell.verdict is Verdict.DIFFERENT]
            print(f"{time.monotonic() - started:5.0f} s  {column.title}: {len(cells)} cells, {len(different)} different; drained: {table.drained[column] or 'none'}", flush=True)
            for cell in different:
                print(f"      {cell.row.key}: {cell.words[:1500]}", flush=True)
            after_column()
        for _ in range(2 * NATIVE_RUNS):
            left = {cell.row for cell in table.different()}
            if left:
                run_column(c, table, WITHOUT, [replace(row, copy=copy) for row in rows if row in left for copy in range(4 if row.slow else 1)])
                table.judge_again()
        after_column()


def main() -> int:
    """Run what the arguments choose; 1 when a cell differs or a node was drained."""
    parser = argparse.ArgumentParser(prog="tests.system.exit_matrix")
    parser.add_argument("--page", type=Path, help="write the table here")
    parser.add_argument("--columns", default="", help="only columns whose title has one of these words (separated by commas)")
    parser.add_argument("--rows", default="", help="only rows whose title has one of these words")
    parser.add_argument("--tracking", choices=("both", "linuxproc", "cgroup"), default="cgroup",
                        help="cgroup: all rows; linuxproc: those that need no cgroup; both: by cgroup only where a row needs it")
    parser.add_argument("--quick", action="store_true", help="without the time limit, which takes more than a minute a column")
    options = parser.parse_args()
    if os.environ.get(INSIDE) != "1":
        argv = ["unshare", "--mount", "--propagation", "private", "--", sys.executable, "-m", "tests.system.exit_matrix", *sys.argv[1:]]
        return subprocess.run(argv, check=False, env={**os.environ, INSIDE: "1"}).returncode
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # take the bed down
    columns = [column for column in COLUMNS if any(word in column.title for word in options.columns.split(","))]
    rows = [row for row in ROWS if any(word in row.title for word in options.rows.split(",")) and not (row.slow and options.quick)]
    table, began, ran = Table(), time.time(), []
    version = subprocess.run(["slurmctld", "-V"], capture_output=True, text=True, check=True).stdout.strip()

    def write() -> None:
        command = " ".join(["python -m tests.system.exit_matrix", *sys.argv[1:]])
        when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(began))
        facts = f"`{command}` on {when} UTC, {version}, processes tracked by {' and '.join(ran)}, {(time.time() - began) / 60:.0f} min."
        if options.page:
            page.write(options.page, page.page(table, rows, columns, facts))

    for tracking in ("linuxproc", "cgroup"):
        everything = options.tracking == "cgroup"
        chosen = [row for row in rows if everything or (row.tracking or "linuxproc") == tracking]
        if chosen and options.tracking in ("both", tracking):
            ran.append(f"{tracking} ({len(chosen)} rows)")
            run_bed(table, chosen, columns, tracking, write)
    print(page.summary(table, rows, columns))
    return 1 if table.different() or any(table.drained.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
