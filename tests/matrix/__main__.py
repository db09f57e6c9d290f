"""``python -m tests.matrix``: the system tests on every Slurm version of the table, one after the other."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from . import checkout, environment
from .cgroups import CgroupError, sweep
from .folder import CHECKOUT, Folder, FolderError, Made
from .page import Row, page, write
from .run import run
from .space import SpaceError, end_all
from .suite import SUITES, Suite, Tracking, by_name

PROGRAMS = ("debootstrap", "unshare", "setpriv", "chroot", "git", "mount")


def main() -> int:
    """0: every run asked for was good, or could not be had here and that was said. 1: a test failed. 2: nothing ran."""
    asked = _arguments()
    if os.geteuid() != 0:
        print("matrix: not root: folders, namespaces and clusters need it; nothing runs", file=sys.stderr)
        return 2
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        print(f"matrix: {', '.join(missing)} not found; on Debian as root: bash tests/testbed/install-packages.sh tests/matrix/packages.txt",
              file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: end_all())  # the runs end, what was made is taken away, and the table says so
    sweep()
    started, when = time.monotonic(), datetime.now(timezone.utc)
    suites = [by_name(name) for name in asked.suite] or list(SUITES)
    rows: list[Row] = []
    commit = checkout.commit_of(CHECKOUT, asked.commit)
    with checkout.snapshot(CHECKOUT, asked.folder, asked.commit) as taken, ThreadPoolExecutor(asked.jobs) as pool:
        for done in pool.map(lambda suite: _suite(suite, taken, asked, started + asked.limit_min * 60), suites):
            rows += done
    seconds = time.monotonic() - started
    command = f"python -m tests.matrix {' '.join(sys.argv[1:])}".strip()
    text = page(rows, command, commit, when.strftime("%Y-%m-%d %H:%M UTC"), seconds)
    print("\n" + text)
    if asked.page is not None:
        write(asked.page, text)
    ran = [row.outcome for row in rows if row.outcome is not None]
    if asked.prepare:
        return 0 if any(row.made for row in rows) else 2
    return 2 if not ran else int(not all(outcome.good for outcome in ran))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    parser.add_argument("--suite", action="append", default=[], help="only this suite or Slurm version (repeatable)")
    parser.add_argument("--tracking", action="append", choices=[t.value for t in Tracking], default=[], help="only this one (default: both)")
    parser.add_argument("--tests", action="append", default=[], help="files or node ids to run with every tracking (repeatable)")
    parser.add_argument("-k", default="", help="pytest's -k")
    parser.add_argument("--limit-min", type=float, default=180, help="minutes for all of it")
    parser.add_argument("--run-limit-min", type=float, default=45, help="minutes for one run of the tests")
    parser.add_argument("--commit", help="test this commit instead of the files as they lie here")
    parser.add_argument("--jobs", type=int, default=1, help="suites at a time")
    parser.add_argument("--prepare", action="store_true", help="make folders, environments and plugins; run no test")
    parser.add_argument("--page", type=Path, help="where the page goes; without it, only to stdout")
    parser.add_argument("--folder", type=Path, default=Path(os.environ.get("GPUALERT_MATRIX", "/var/cache/gpualert-matrix")),
                        help="where folders are kept between runs (also GPUALERT_MATRIX)")
    return parser.parse_args()


def _suite(suite: Suite, taken: Path, asked: argparse.Namespace, until: float) -> list[Row]:
    trackings = [Tracking(value) for value in asked.tracking] or list(Tracking)
    say = _speaker(f"{suite.name} {suite.slurm}")
    folder = Folder(asked.folder, suite, say)
    made: Made | None = None
    try:
        with folder.held(), folder.cleared():
            made = folder.prepare(_left(until, 15))
            checkout.place(taken, folder.work)
            say("environment and plugin")
            for line in environment.make(folder, made, _left(until, 15)):
                if "warning" in line.lower() or "skipped" in line:
                    say(line)
            plugin = folder.work / "var/tmp/checkout/spank/plugin/build/gpualert.so"
            built = f"built, {plugin.stat().st_size // 1024} KiB" if plugin.exists() else "not built"
            say(f"plugin {built}")
            if asked.prepare:
                return [Row(suite, tracking, made, built, None, "only prepared") for tracking in trackings]
            return [_run(folder, tracking, Row(suite, tracking, made, built), asked, until) for tracking in trackings]
    except (FolderError, SpaceError) as error:
        say(str(error))
        return [Row(suite, tracking, made, "not built" if made else "", None, str(error)) for tracking in trackings]


def _run(folder: Folder, tracking: Tracking, row: Row, asked: argparse.Namespace, until: float) -> Row:
    say = _speaker(f"{row.suite.name} {row.suite.slurm} {tracking.value}")
    limit_s = _left(until, asked.run_limit_min)
    if limit_s < 60:
        return replace(row, why=f"the {asked.limit_min:.0f} minutes for the whole matrix are used up")
    say(f"tests (at most {limit_s / 60:.0f} minutes)")
    try:
        outcome = run(folder, tracking, [*(asked.tests or tracking.tests), *(["-k", asked.k] if asked.k else [])], limit_s, say)
    except (CgroupError, SpaceError) as error:
        say(str(error))
        return replace(row, why=str(error))
    say(f"{outcome.passed} passed, {len(outcome.failed)} failed, {len(outcome.skipped)} skipped in {outcome.seconds:.0f} s {outcome.ended}")
    return replace(row, outcome=outcome)


def _left(until: float, at_most_min: float) -> float:
    return max(1.0, min(until - time.monotonic(), at_most_min * 60))


def _speaker(name: str) -> Callable[[str], None]:
    def say(words: str) -> None:
        print(f"{datetime.now(timezone.utc):%H:%M:%S} [{name}] {words}", flush=True)

    return say


if __name__ == "__main__":
    sys.exit(main())
