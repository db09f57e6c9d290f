"""Runs the rows of one column in bulk, and looks at what can be seen of them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.testbed import Cluster
from tests.testbed.command import CommandError
from tests.testbed.host import ALICE

from .observed import LAST_WORDS, Observed, normal
from .rows import Places, Row

ASKED = ("--gpualert-mail=alice@example.org",)
FIELDS = ("JobID", "State", "ExitCode", "DerivedExitCode", "End")
_RUNS = count(1)


@dataclass
class Trial:
    """The rows of one column as run once: jobs by row, and the node states that were seen meanwhile."""

    jobs: dict[Row, int]
    places: Places
    node_states: set[str]


def places(c: Cluster) -> Places:
    """Fresh folders for one run's outputs; ``full`` and ``locked`` are the bed's."""
    home = c.home(ALICE)
    out = home / f"matrix-{next(_RUNS)}"
    out.mkdir()
    out.chmod(0o777)
    locked, full = home / "locked", c.root / "full"
    locked.mkdir(exist_ok=True)
    locked.chmod(0o700)
    full.mkdir(exist_ok=True)
    return Places(out, full, locked)


def start(c: Cluster, rows: Sequence[Row], *, asked: bool) -> Trial:
    """Submit all rows, the slow ones first."""
    trial = Trial({}, places(c), set())
    for row in sorted(rows, key=lambda row: not row.slow):
        trial.jobs[row] = c.submit(row.script(trial.places), *row.sbatch(trial.places), *(ASKED if asked else ()))
    return trial


def finish(c: Cluster, trial: Trial, timeout_s: float = 240) -> dict[Row, Observed]:
    """Wait until every job has ended and is accounted for; raises ``CommandError`` when some are late, naming them."""
    if not trial.jobs:
        return {}  # sacct -j '' would tell of every job there is
    until = time.monotonic() + timeout_s
    while True:
        trial.node_states |= set(c.command("sinfo", "-h", "-N", "-o", "%T").stdout.split())
        left = set(c.command("squeue", "-h", "-o", "%i").stdout.split()) & {str(job) for job in trial.jobs.values()}
        if not left:
            break
        if time.monotonic() > until:
            late = [row.key for row, job in trial.jobs.items() if str(job) in left]
            raise CommandError(f"not ended after {timeout_s} s: {late}\n{c.log_tails()}")
        time.sleep(0.5)
    accounting = _accounting(c, trial)
    return {row: Observed(accounting[job], _files(trial.places, row, job, c.conf.tracking)) for row, job in trial.jobs.items()}


def _accounting(c: Cluster, trial: Trial, within_s: float = 30) -> dict[int, tuple[tuple[str, str, str, str], ...]]:
    until = time.monotonic() + within_s
    jobs = ",".join(str(job) for job in trial.jobs.values())
    while True:
        done = c.command("sacct", "-D", "-n", "-P", "--delimiter=\x1f", "-j", jobs, f"--format={','.join(FIELDS)}")
        rows = [line.split("\x1f") for line in done.stdout.splitlines()]
        if len({row[0].partition(".")[0] for row in rows}) == len(trial.jobs) and all(row[4] != "Unknown" for row in rows):
            break
        if time.monotonic() > until:
            raise CommandError(f"no final accounting after {within_s} s: {[row for row in rows if row[4] == 'Unknown']}\n{c.log_tails()}")
        time.sleep(0.3)
    found: dict[int, list[tuple[str, str, str, str]]] = {job: [] for job in trial.jobs.values()}
    for name, state, code, derived, _end in rows:
        job, _, step = name.partition(".")
        found[int(job)].append((step, state, code, derived))
    return {job: tuple(sorted(rows)) for job, rows in found.items()}


def _files(places: Places, row: Row, job: int, tracking: str) -> tuple[tuple[str, bytes], ...]:
    own = [*places.out.glob(f"{row.key}.*out"), *places.out.glob(f"{row.key}.*err"), *places.full.glob(f"{job}.*")]
    if row.excepted and row.kind == "batch":
        own += places.out.glob(f"{row.key}.full")
    return tuple(sorted((path.name.replace(str(job), "<job>").replace(row.key, "<row>"), _content(path, places, row, job, tracking)) for path in own))


def _content(path: Path, places: Places, row: Row, job: int, tracking: str) -> bytes:
    # A rank's file has one writer, and slurmstepd where it speaks of the rank.
    several = row.mixed and path.suffixes[-2:] not in ([".0", ".out"], [".1", ".out"])
    content = normal(path.read_bytes().replace(row.key.encode(), b"<row>"), job, str(places.out), mixed=several)
    return LAST_WORDS.sub(b"", content) if row.outlives and tracking == "linuxproc" else content


def captured(c: Cluster, trial: Trial) -> int:
    """How many of the jobs have a log folder: that a column did not switch off what it was to test. 0 where nobody may look."""
    if f" {c.gpualert.state_dir} fuse " in Path("/proc/self/mounts").read_text():
        return 0
    with contextlib.suppress(OSError):
        folders = {path.name.partition(".")[0] for path in (c.gpualert.state_dir / "logs").iterdir()}
        return len(folders & {str(job) for job in trial.jobs.values()})
    return 0


def drained(c: Cluster, since: str, trial_states: set[str]) -> str:
    """Nodes that were drained or down at any time since then, by what was seen and by Slurm's own events; empty when none was."""
    seen = sorted(state for state in trial_states if any(word in state.lower() for word in ("drain", "down", "fail", "unk")))
    said = c.command("sacctmgr", "-n", "-P", "show", "event", f"start={since}", "format=NodeName,State,Reason").stdout.split("\n")
    events = [line for line in said if line and not line.startswith("|")]
    return "; ".join([*seen, *events])
