"""``gpualert diagnose``: why did this run fail, from its logs alone; of a folder of many jobs: of each of them, in a table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gpualert_slurm.programs.command import Command

if TYPE_CHECKING:
    from gpualert_slurm.programs.many_jobs import JobPaths

BAR_CELLS = 30
NAMED_FILES = 5
"""So many files that belong to no job are named."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    what = "a log, a bundle of gpualert-run, a job's log or record folder, a folder of logs: one run; or one folder that holds many jobs"
    parser.add_argument("paths", nargs="+", metavar="PATH", help=what)
    parser.add_argument("--json", action="store_true", help="the verdict as one JSON object; of many jobs one a line, with the job's name as 'label'")
    parser.add_argument("--exit-code", type=int, metavar="N", help="how the run ended, where nothing else says it: 128 + n and -n are signal n")
    parser.add_argument("--each", action="store_true", help="every entry of a folder is a job of its own")
    parser.add_argument("--jobs", type=int, metavar="N", help="of many jobs, so many at a time (as many as there are cores)")
    parser.epilog = (
        "Ranks are taken from exit records and log headers, else from names: rank3.log, task_3.err, 3.out, log.3, <run>/attempt_0/3/stderr.log. "
        "slurm-42.out names the job, not a rank. Many jobs are told apart by bundles, by log headers, and by names like slurm-42.out. "
        "Exit status: 0 a verdict was given (also 'unknown'), 1 of many jobs some had none, 2 a PATH is missing, unreadable or holds no log, "
        "130 interrupted: those that were done are told."
    )


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.programs.log_paths import PathError
    from gpualert_slurm.programs.many_jobs import diagnose, jobs_in
    from gpualert_slurm.programs.verdict_text import as_json, as_text, write

    if arguments.jobs is not None and arguments.jobs < 1:
        print("gpualert diagnose: --jobs is at least 1", file=sys.stderr)
        return 2
    try:
        jobs = jobs_in([Path(p) for p in arguments.paths], each=arguments.each)
        if len(jobs) > 1:
            return _many(arguments, jobs)
        verdict = diagnose(jobs[0].paths, arguments.exit_code)
    except BrokenPipeError:
        raise
    except (PathError, OSError) as error:
        print(f"gpualert diagnose: {error}", file=sys.stderr)
        return 2
    write(as_json(verdict) if arguments.json else as_text(verdict))
    return 0


def _many(arguments: argparse.Namespace, jobs: Sequence[JobPaths]) -> int:
    import json

    from gpualert_slurm.notify.plain import visible
    from gpualert_slurm.programs.many_jobs import INTERRUPTED, beside, cores, outcomes
    from gpualert_slurm.programs.verdict_table import table
    from gpualert_slurm.programs.verdict_text import as_object, write

    tick, clear = _bar(len(jobs))
    try:
        found = outcomes(jobs, arguments.exit_code, min(arguments.jobs or cores(), len(jobs)), tick)
    finally:
        clear()
    left = sum(one.why == INTERRUPTED for one in found)
    found = [one for one in found if one.why != INTERRUPTED]
    if arguments.json:
        for one in found:
            told = as_object(one.verdict) if one.verdict is not None else {"error": one.why}
            write(json.dumps({"label": one.label, **told}, ensure_ascii=True, allow_nan=False))
    elif found:
        write(table(found))
    nobodys = [] if arguments.each else [name for path in arguments.paths for name in beside(Path(path))]
    if nobodys:
        more = f" and {len(nobodys) - NAMED_FILES} more" if len(nobodys) > NAMED_FILES else ""
        named = visible(", ".join(nobodys[:NAMED_FILES]))
        words = "not looked at, for they lie beside gpualert-run's folders"
        print(f"gpualert diagnose: {words}: {named}{more} (--each takes every entry for a job)", file=sys.stderr)
    if left:
        print(f"gpualert diagnose: interrupted: {left} of {len(jobs)} jobs were not looked at", file=sys.stderr)
        return 130
    return 1 if any(one.verdict is None for one in found) else 0


def _bar(of: int) -> tuple[Callable[[int, int], None], Callable[[], None]]:
    """A progress bar on a terminal's stderr, as wide as fits; elsewhere nothing. Blanks clear it: every terminal knows them."""
    if not sys.stderr.isatty():
        return (lambda _done, _of: None), (lambda: None)
    columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    cells = max(0, min(BAR_CELLS, columns - len(f"[] {of}/{of} jobs") - 1))

    def draw(done: int, of: int) -> None:
        full = cells * done // max(of, 1)
        bar = f"[{'#' * full}{'.' * (cells - full)}] " if cells > 3 else ""
        print(f"\r{bar}{done}/{of} jobs", end="", file=sys.stderr, flush=True)

    def clear() -> None:
        print(f"\r{' ' * min(columns - 1, cells + len(f'[] {of}/{of} jobs'))}\r", end="", file=sys.stderr, flush=True)

    draw(0, of)
    return draw, clear


COMMAND = Command(help="say why a run failed, from its logs, its folder or a bundle; of many jobs, a table", arguments=_arguments, run=_run)
