"""A folder that holds many jobs: which logs and records belong to which, and the diagnosis of all of them side by side."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.programs.log_paths import JOB_NAME, MAX_DEPTH, PathError, files_below, is_bundle, shown
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.run_file import RUN_NAME
from gpualert_slurm.verdict import Verdict

INTERRUPTED = "interrupted before it was looked at"


@dataclass
class JobPaths:
    """One job's paths, under the name that the table gives it."""

    label: str
    paths: list[Path] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """What became of one job: its verdict, or why there is none."""

    label: str
    verdict: Verdict | None
    why: str = ""


def jobs_in(paths: Sequence[Path], *, each: bool = False) -> list[JobPaths]:
    """The jobs below ``paths``: one entry when they are one run, or when nothing tells several apart.

    Several are told by the folders of several gpualert-runs, however deep, by the jobs that logs' and exit records' headers name, and by
    sbatch's own file names. With ``each``, every entry of a folder is a job of its own, whatever it says. A path that cannot be looked at is
    left to ``diagnose`` to refuse.
    """
    found: dict[str, JobPaths] = {}
    loose: list[Path] = []

    def add(label: str, path: Path) -> None:
        found.setdefault(label, JobPaths(label)).paths.append(path)

    for path in paths:
        if not _is_folder(path) or is_bundle(path):
            loose.append(path)
            continue
        entries = sorted(p for p in path.iterdir() if not p.name.startswith(".") and not p.is_symlink()) if each else _bundles(path)
        for entry in entries:
            add(shown(entry.relative_to(path)), entry)
        if not each and not entries:
            loose.append(path)
    if len(paths) == 1 and len(loose) == 1 and _is_folder(loose[0]) and not is_bundle(loose[0]):
        for label, path in _by_job(loose[0]):
            add(label, path)
        named = [label for label in found if label]
        if len(named) <= 1:
            return [JobPaths(shown(paths[0]), [paths[0]])]
        unnamed = [JobPaths("(no job named)", found.pop("").paths)] if "" in found else []
        return [found[label] for label in sorted(found, key=_in_order)] + unnamed
    if not found:
        return [JobPaths(", ".join(shown(p) for p in paths[:3]), list(paths))]
    return [found[label] for label in sorted(found, key=_in_order)] + [JobPaths(shown(p), [p]) for p in loose]


def _bundles(folder: Path) -> list[Path]:
    """The gpualert-runs' folders below one, and beside them those that may not be entered: each of them may be one."""
    found: list[Path] = []
    closed: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=lambda error: closed.append(Path(os.fsdecode(error.filename)))):
        if RUN_NAME in names:
            found.append(Path(place))
        if RUN_NAME in names or len(Path(place).relative_to(folder).parts) >= MAX_DEPTH:
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
    return [*found, *closed] if found else []


def beside(folder: Path) -> list[str]:
    """The files that lie beside several gpualert-runs' folders: nobody's, and not looked at."""
    if not _is_folder(folder) or is_bundle(folder) or not _bundles(folder):
        return []
    return sorted(shown(p.name) for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir() and os.access(path, os.R_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)
    except OSError:
        return False


@dataclass(frozen=True)
class _Named:
    """Whose a file says that it is. ``attempt`` is a node's own name for a run of the job."""

    path: Path
    job: str = ""
    node: str = ""
    attempt: str = ""
    made_ns: int = 0


def _by_job(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file below a folder with the job, and the run of it, that it names; ``""`` for those that name none."""
    files = [_named(path) for path in files_below(folder)]
    first: dict[tuple[str, str, str], int] = {}
    for one in files:
        key = (one.job, one.node, one.attempt)
        first[key] = min(one.made_ns, first.get(key, one.made_ns))
    runs: dict[tuple[str, str], list[str]] = {}
    for job, node, attempt in sorted(first, key=lambda key: (first[key], key)):
        runs.setdefault((job, node), []).append(attempt)
    several = {job for (job, _), attempts in runs.items() if len(attempts) > 1}
    for one in files:
        number = runs[one.job, one.node].index(one.attempt) + 1
        run = f"run {number}"
        yield (f"{one.job}, {run}" if one.job else run) if one.job in several else one.job, one.path


def _named(path: Path) -> _Named:
    try:
        if path.name.endswith(".exit.json"):
            record = ExitRecord.read(path)
            return _Named(path, str(record.job_id or ""), record.node, record.attempt, record.prepared.ns)
        header = LogFrame.read(path).header
    except (OSError, ValueError):
        return _Named(path)
    if header is not None:
        return _Named(path, str(header.job or ""), header.node, header.attempt, header.created_ns)
    name = JOB_NAME.match(path.name)
    return _Named(path, "" if name is None else f"{name['job']}_{name['task']}" if name["task"] else name["job"])


def _in_order(label: str) -> list[tuple[int, str]]:
    """As people count: job 9 before job 10, run 2 before run 11; names after numbers."""
    parts = [part for part in re.split(r"([0-9]{1,18})", label) if part]
    return [(int(part), "") if part.isascii() and part.isdigit() else (1 << 62, part) for part in parts]


def diagnose(paths: Iterable[Path], exit_code: int | None) -> Verdict:
    """The verdict on one run.

    Raises:
        PathError: a path is missing, unreadable or holds no log.
    """
    from gpualert_slurm.classifier import judge
    from gpualert_slurm.programs.bundle import job_of
    from gpualert_slurm.programs.log_paths import find
    from gpualert_slurm.programs.loose_logs import job_of_logs

    found = find(list(paths))
    if found.bundle is not None:
        return judge(job_of(found.bundle, found=found, exit_code=exit_code))
    return judge(job_of_logs(found, exit_code))


def outcomes(jobs: Sequence[JobPaths], exit_code: int | None, workers: int, tick: Callable[[int, int], None]) -> list[Outcome]:
    """Every job's verdict, in the order of ``jobs``, ``workers`` at a time in processes of their own. ``tick`` hears (done, of).

    A job that cannot be read, or whose process dies, is an outcome without a verdict; it costs no other job its own. Where the user
    interrupts it, what was not done is INTERRUPTED.
    """
    told: dict[int, Outcome] = {}
    left = list(range(len(jobs)))
    width = workers
    try:
        while left:  # a process that dies breaks its pool: those that were not done are tried again, in the end one by one
            width = min(width, len(left))
            _some({n: jobs[n] for n in left}, exit_code, width, told, lambda: tick(len(told), len(jobs)))
            left = [n for n in left if n not in told]
            width = 1
    except KeyboardInterrupt:
        for process in multiprocessing.active_children():
            process.terminate()
    return [told.get(n) or Outcome(jobs[n].label, None, INTERRUPTED) for n in range(len(jobs))]


def _some(jobs: Mapping[int, JobPaths], exit_code: int | None, width: int, told: dict[int, Outcome], tick: Callable[[], None]) -> None:
    """As many of them as can be done before a process dies."""
    pool = ProcessPoolExecutor(width, initializer=_quietly)
    try:
        running: dict[Future[bytes | str], int] = {pool.submit(_one, one.paths, exit_code): n for n, one in jobs.items()}
        for done in as_completed(running):
            number = running[done]
            try:
                answer = done.result()
            except BrokenProcessPool:
                if width == 1:
                    told[number] = Outcome(jobs[number].label, None, "the process that read it died (memory?)")
                    break
                continue
            told[number] = _outcome(jobs[number].label, answer)
            tick()
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def _quietly() -> None:
    """A terminal's Ctrl-C goes to every process of the group: they end without a word, and the one that asked them tells what was done."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _one(paths: list[Path], exit_code: int | None) -> bytes | str:
    try:
        return diagnose(paths, exit_code).json_bytes()
    except (PathError, OSError, MemoryError, RecursionError, ValueError) as error:
        said = str(error) or type(error).__name__
        for place in (paths[0].resolve(), paths[0]) if paths else ():  # the row's name says whose it is
            said = re.sub(rf"(?<![^\s'])(?:{re.escape(shown(place))}|{re.escape(shown(place.parent))})/", "", said)
        return said


def _outcome(label: str, answer: bytes | str) -> Outcome:
    return Outcome(label, None, answer) if isinstance(answer, str) else Outcome(label, Verdict.model_validate_json(answer))


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))
