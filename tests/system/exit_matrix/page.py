"""doc/exit-status-matrix.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .cells import Table, Verdict
from .columns import Column
from .rows import Row

HEAD = """# The exit-status matrix

Every way a job ends (lines), under everything that can be wrong with gpualert (columns), on a real cluster of the test bed. A cell is `=`
when job and steps have the same state, exit code, signal and derived exit code in sacct, and every output file the same bytes, as on the same
cluster without gpualert (the plugin and the Epilog taken out of Slurm's configuration). Ranks have no rows of their own in sacct: their codes and
signals are those that srun prints in the job's output, which is compared. Job ids, times, node names and pids in Slurm's own messages are
replaced before. Where several programs write one file at the same time (srun, slurmstepd and the script), lines are compared, not their order.

Processes are tracked by cgroup, as on real clusters. Under `proctrack/linuxproc` Slurm loses srun when a cancelled script dies before it; srun then prints
on, and meets a closed pipe where the script's output was captured: its last line (`srun: error: …: task 1: Terminated`) is missing from `--output` more often
than without gpualert (doc/capture.md, "A process that outlives its step"). Under cgroup Slurm kills srun in both cases. Where the test runs under linuxproc
it leaves srun's last words out of the rows "time limit" and "scancel".

Written by `make matrix-full` (`tests/system/exit_matrix/`). `make test` runs the column "all well" (`tests/system/test_exit_matrix.py`), on the Slurm
version it finds; `make matrix` does so on three versions.
"""
SIGNS = """`=` same. `=²` one run differed from the first runs without gpualert, another (with or without it) did not: a race in Slurm, see below. `≠ documented`: the one documented exception, a program whose own
`--output` is full no longer sees ENOSPC (doc/capture.md). `**≠**` different, see below. `–` not run."""


def page(table: Table, rows: Sequence[Row], columns: Sequence[Column], facts: str) -> str:
    """The whole page; ``facts``: when, where, how."""
    numbers = {column: index + 1 for index, column in enumerate(columns)}
    lines = [HEAD, facts, "", summary(table, rows, columns), "", SIGNS, "", "| | column | runs of jobs with a log | node drained or lost |", "|---:|---|---:|---|"]
    lines += [f"| {numbers[column]} | {column.title} | {table.captured.get(column, 0)} | {table.drained.get(column, 'not run') or 'none'} |" for column in columns]
    lines += ["", f"| ends by | as | {' | '.join(str(numbers[column]) for column in columns)} |", f"|---|---|{'---|' * len(columns)}"]
    for row in rows:
        cells = [table.cells.get((row, column)) for column in columns]
        signs = " | ".join(cell.verdict.value if cell else Verdict.NOT_RUN.value for cell in cells)
        lines.append(f"| {row.title} | {row.kind} | {signs} |")
    lines += _native(table, rows)
    told = [cell for cell in table.cells.values() if cell.words and cell.verdict in (Verdict.DIFFERENT, Verdict.SAME_LATER)]
    if told:
        lines += ["", "## What differed", ""]
        lines += [f"- {cell.row.title} ({cell.row.kind}), {cell.column.title}: {_flat(cell.words)}" for cell in told]
    return "\n".join(lines) + "\n"


def summary(table: Table, rows: Sequence[Row], columns: Sequence[Column]) -> str:
    """One line of counts."""
    verdicts = [cell.verdict for cell in table.cells.values()]
    whole = len(rows) * len(columns)
    counts = [(len(verdicts), f"of {whole} cells ran"), (verdicts.count(Verdict.SAME), "the same"), (verdicts.count(Verdict.SAME_LATER), "the same in one run of several"),
              (verdicts.count(Verdict.EXCEPTION), "the documented exception"), (verdicts.count(Verdict.DIFFERENT), "different")]
    drained = sum(1 for words in table.drained.values() if words)
    return ", ".join(f"{number} {words}" for number, words in counts) + f"; nodes were drained or lost in {drained} columns. {table.jobs} jobs."


def _native(table: Table, rows: Sequence[Row]) -> list[str]:
    lines = ["", "## Without gpualert", "", "| ends by | as | runs | ways seen | sacct: job and steps, first run |", "|---|---|---:|---:|---|"]
    for row in rows:
        for seen in table.native.get(row, [])[:1]:
            words = ", ".join(f"{step or 'job'} {state.partition(' ')[0]} {code}" for step, state, code, _ in seen.accounting)
            runs = table.native[row]
            lines.append(f"| {row.title} | {row.kind} | {len(runs)} | {len(set(runs))} | {words} |")
    return lines


def _flat(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")[:600]


def write(path: Path, text: str) -> None:
    """Replace the page."""
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)
