"""``python -m tests.goldens``: run every recipe and compare with the recorded logs; ``--update`` records them anew."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.goldens.masking import differences
from tests.goldens.recipe import HERE, Run, all_runs
from tests.goldens.sandbox import MAX_LOG_BYTES, Recorded, record


def build(name: str, environments: Path) -> None:
    """The environment ``name`` from its pinned requirements, if it is not there or its requirements changed."""
    files = [file for file in (HERE / "requirements" / f"{name}.txt", HERE / "requirements" / f"{name}.built.txt") if file.exists()]
    wanted = b"".join(file.read_bytes() for file in files)
    stamp = environments / name / "requirements.txt"
    if stamp.exists() and stamp.read_bytes() == wanted:
        return
    environments.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(f"building the environment {name} (several GB; see doc/goldens.md)\n")
    subprocess.run([sys.executable, "-m", "venv", "--clear", environments / name], check=True)
    pip = [environments / name / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", files[0], "torch"], check=True)  # with what its build of the machine's choice needs; all else is pinned whole
    pip.append("--no-deps")
    for file in files:
        more = ["--no-build-isolation"] if file.name.endswith(".built.txt") else []
        subprocess.run([*pip, *more, "-r", file], check=True, env={**os.environ, "DS_BUILD_OPS": "0"})
    stamp.write_bytes(wanted)


def write(run: Run, made: Recorded) -> None:
    """The log, and beside it what the program noted, with how it ended."""
    run.path.parent.mkdir(parents=True, exist_ok=True)
    run.path.write_bytes(made.log)
    run.path.with_suffix(".json").write_text(json.dumps({**made.notes, "ends": made.ends}, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def one(run: Run, environments: Path, *, update: bool) -> list[str]:
    """Run it; what is wrong, in words."""
    try:
        made = record(run, environments)
    except (OSError, TimeoutError) as error:
        return [str(error)]
    if update:
        write(run, made)
    if len(made.log) > MAX_LOG_BYTES:
        return [f"its log has {len(made.log)} bytes, more than {MAX_LOG_BYTES}"]
    if run.ends is not None and made.ends != run.ends:
        return [f"it ended with {made.ends}, not {run.ends}; its last words: {made.log[-400:].decode(errors='replace')}"]
    if update:
        return []
    if not run.path.exists():
        return [f"{run.path} is missing: make goldens UPDATE=1 records it"]
    return differences(run.path.read_bytes(), made.log, steady=run.steady)


def main() -> int:
    """0 when every run gives what is recorded."""
    parser = argparse.ArgumentParser(prog="python -m tests.goldens", description=__doc__)
    parser.add_argument("--home", type=Path, default=HERE.parents[1] / ".goldens", help="where the environments are built (about 9 GB)")
    parser.add_argument("--update", action="store_true", help="write the logs instead of comparing")
    parser.add_argument("--only", default="", help="only logs whose name holds this")
    wish = parser.parse_args()
    home = wish.home.resolve()
    runs = [run for run in all_runs() if wish.only in run.log]
    for name in sorted({run.env for run in runs}):
        build(name, home)
    bad = late = 0
    for run in runs:
        wrong = one(run, home, update=wish.update)
        tell("differs" if wrong else "ok", run, wrong)
        if wrong and not wish.update:  # a busy machine, or a race of a framework's own: told, and tried once more
            wrong = one(run, home, update=False)
            tell("differs" if wrong else "ok now", run, wrong)
            late += not wrong
        bad += bool(wrong)
    again = f", {late} of them only when run once more" if late else ""
    sys.stdout.write(f"{len(runs) - bad} of {len(runs)} runs are as recorded{again}\n")
    return 1 if bad else 0


def tell(word: str, run: Run, wrong: list[str]) -> None:
    """A line for the run, and below it what is wrong."""
    sys.stdout.write(f"{word:8s}{run.log:28s}{run.what}\n" + "".join(f"        {line}\n" for line in wrong))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
