"""What a PATH on the command line means: which logs, whose, and which exit records go with them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.gap import Gap
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.run_file import RUN_NAME
from gpualert_slurm.time_index import StreamName

MAX_FILES = 4096
MAX_DEPTH = 5
_CONTROLS = [bytes([b]) for b in range(32) if b not in b"\t\n\r\b\x1b\f"]

_NUMBER = r"(?<![0-9])(?P<rank>[0-9]{1,5})(?![0-9])"
_RANK_NAMES = (
    re.compile(rf"(?:^|[^a-z])(?:rank|procid|task)[-_.=]?{_NUMBER}", re.IGNORECASE),  # rank3.log, job-42.task_3.err
    re.compile(r"^(?P<rank>[0-9]{1,5})\.(?:log|out|err|txt|stdout|stderr)$", re.IGNORECASE),  # 3.err
    re.compile(r"^(?:log|out|err|stdout|stderr)[-_.](?P<rank>[0-9]{1,5})(?:\.(?:log|txt))?$", re.IGNORECASE),  # log.3
)
_TORCHRUN_FILE = re.compile(r"^(?P<stream>stdout|stderr)\.log$")  # torchrun --log-dir: <run>/attempt_<n>/<local rank>/stderr.log
JOB_NAME = re.compile(r"^slurm-(?P<job>[0-9]{1,10})(?:_(?P<task>[0-9]{1,10}))?(?:-[0-9]+)?\.(?:out|err)$")
"""sbatch's default --output."""
_ERR_NAME = re.compile(r"(?:[._-]|^)(?:err|stderr)(?:\.|$)", re.IGNORECASE)
_NO_LOG = re.compile(
    r"\.(?:idx|json|eml|safetensors|pt|pth|bin|ckpt|npy|npz|png|jpg|pdf|zip|gz|xz|zst|tar|so|pyc|parquet|arrow|db|toml|ya?ml)$", re.IGNORECASE
)


class PathError(Exception):
    """A PATH cannot be diagnosed; the text says which, why, and what would do."""


@dataclass(frozen=True)
class LogSource:
    """One log: where it lies, and what its name, header or exit record says of whose it is."""

    path: Path
    frame: LogFrame
    stream: StreamName = "out"
    both_streams: bool = False
    rank: int | None = None
    local_rank: int | None = None
    step: str | None = None
    node: str | None = None
    index_path: Path | None = None


@dataclass
class Found:
    """All that the PATHs of one run gave. ``bundle`` is set where one of them is a gpualert-run's folder."""

    logs: list[LogSource] = field(default_factory=list)
    exits: list[ExitRecord] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    bundle: Path | None = None
    job_id: int | None = None
    array_task_id: int | None = None


def find(paths: Sequence[Path]) -> Found:
    """The logs and exit records below ``paths``, which belong to one run.

    Raises:
        PathError: a path is missing, unreadable or no log, or there is nothing to read at all. What is wrong inside
            a folder is a gap instead.
    """
    found = Found()
    files: list[Path] = []
    records: list[Path] = []
    for path in paths:
        if str(path) == "-":
            raise PathError("-: stdin is not read, for a verdict quotes its logs by name and place; save the output to a file first")
        try:
            mode = path.stat().st_mode
        except OSError as error:
            raise PathError(f"{shown(path)}: {(error.strerror or str(error)).lower()}; name a log, a bundle, or a folder of logs") from error
        if stat.S_ISDIR(mode):
            _enter(path.resolve(), files, records, found)
        elif not stat.S_ISREG(mode):
            raise PathError(f"{shown(path)}: is neither a file nor a folder; save the output to a file first")
        elif path.name.endswith(".exit.json"):
            records.append(path)
        else:
            _check_readable(path)
            files.append(path.resolve())
    for path in dict.fromkeys(records):
        _take_record(path, found)
    record_folders = list(dict.fromkeys(p.parent for p in records))
    for path in dict.fromkeys(files):
        source = _source(path, found, record_folders)
        if source is not None:
            found.logs.append(source)
    if not found.logs and not found.exits:
        names = ", ".join(shown(p) for p in paths)
        why = f"; {found.gaps[0]}" if found.gaps else ""
        raise PathError(f"{names}: no log in there{why}; name a log, a bundle, or a folder of logs")
    return found


def _take_record(path: Path, found: Found) -> None:
    try:
        found.exits.append(ExitRecord.read(path))
    except (OSError, ValueError) as error:
        found.gaps.append(Gap(what=f"exit record {shown(path)}", why=str(error).splitlines()[0]))


def is_bundle(folder: Path) -> bool:
    """Whether it is a gpualert-run's folder; False where that cannot be looked at."""
    try:
        return (folder / RUN_NAME).is_file()
    except OSError:  # before Python 3.14 a closed folder is an error here
        return False


def shown(path: Path | str) -> str:
    r"""A path for people and for records: bytes that are no UTF-8 as ``\xNN``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def rank_in_name(path: Path) -> int | None:
    """The rank a file's name (or the folder of a torchrun log) gives, None where it gives none or two."""
    if _TORCHRUN_FILE.match(path.name) and path.parent.name.isascii() and path.parent.name.isdigit() and len(path.parent.name) <= 5:
        return int(path.parent.name)
    for pattern in _RANK_NAMES:
        ranks = {int(m["rank"]) for m in pattern.finditer(path.name)}
        if len(ranks) == 1:
            return ranks.pop()
    return None


def files_below(folder: Path) -> list[Path]:
    """The files below a folder that can be logs or exit records, in name order, no link followed; bounded as ``find`` is."""
    return [p for p in _walk(folder, Found()) if p.name.endswith(".exit.json") or not _NO_LOG.search(p.name)]


def _check_readable(path: Path) -> None:
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise PathError(f"{shown(path)}: {(error.strerror or str(error)).lower()}; it must be readable for you") from error


def _enter(folder: Path, files: list[Path], records: list[Path], found: Found) -> None:
    if is_bundle(folder):
        if found.bundle is not None and found.bundle != folder:
            raise PathError(f"{shown(folder)} and {shown(found.bundle)} are two runs; diagnose one at a time")
        found.bundle = folder
        records.extend(sorted(folder.glob("*.exit.json")))
        files.extend(sorted(p for p in folder.iterdir() if re.fullmatch(r"run\.[0-9]+\.(out|err)", p.name)))
        return
    for path in _walk(folder, found):
        if path.name.endswith(".exit.json"):
            records.append(path)
        elif not _NO_LOG.search(path.name):
            files.append(path)


def _walk(folder: Path, found: Found) -> Iterator[Path]:
    """Regular files below ``folder``, name order, no symlink followed, at most MAX_FILES and MAX_DEPTH folders deep."""

    def closed(error: OSError) -> None:
        found.gaps.append(Gap(what=f"logs in {shown(str(error.filename))}", why=str(error.strerror)))

    count = 0
    for place, folders, names in os.walk(folder, onerror=closed):
        if len(Path(place).relative_to(folder).parts) >= MAX_DEPTH:
            folders.clear()
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            if name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            count += 1
            if count > MAX_FILES:
                found.gaps.append(Gap(what=f"more files in {shown(folder)}", why=f"only the first {MAX_FILES} were read"))
                return
            yield path


def _source(path: Path, found: Found, record_folders: list[Path]) -> LogSource | None:
    try:
        frame = LogFrame.read(path)
        text = _is_text(path, frame)
    except OSError as error:
        found.gaps.append(Gap(what=f"log {shown(path)}", why=error.strerror or str(error)))
        return None
    if not text:
        found.gaps.append(Gap(what=f"log {shown(path)}", why="it is no text"))
        return None
    if frame.problem:
        found.gaps.append(Gap(what=f"all of log {shown(path)}", why=frame.problem))
    if frame.header is not None:
        return _captured(path, frame, found, record_folders)
    job = JOB_NAME.match(path.name)
    if job and found.job_id is None:
        found.job_id = int(job["job"])
        found.array_task_id = int(job["task"]) if job["task"] else None
    return LogSource(path=path, frame=frame, stream="err" if _ERR_NAME.search(path.name) else "out", rank=rank_in_name(path))


def _captured(path: Path, frame: LogFrame, found: Found, record_folders: list[Path]) -> LogSource | None:
    header = frame.header
    if header is None or (frame.footer and frame.footer.merged):
        return None  # all of its stream is in the other log
    found.job_id = found.job_id or header.job or None
    record = next((e for e in found.exits if (e.attempt, e.step, e.task) == (header.attempt, header.step, header.task)), None)
    index = next((p for f in (path.parent, *record_folders) if (p := f / f"{header.step}.{header.task}.idx").is_file()), None)
    numbered = record.step_tasks if record else None
    rank = record.rank if record and record.rank is not None else header.task if header.step.isdigit() and numbered != 1 else None
    return LogSource(
        path=path,
        frame=frame,
        stream="err" if header.stream == "err" else "out",
        both_streams=bool(record and record.streams.err and record.streams.err.merged),
        rank=rank,
        local_rank=header.local,
        step=header.step,
        node=header.node,
        index_path=index,
    )


def _is_text(path: Path, frame: LogFrame) -> bool:
    """False where a third of the first 64 KiB is no text (a picture, a checkpoint, UTF-16): a log may hold some broken bytes."""
    with path.open("rb") as file:
        file.seek(frame.start)
        start = file.read(65536)
    odd = sum(start.count(byte) for byte in _CONTROLS) + start.decode("utf-8", "replace").count("\ufffd")
    return odd * 3 <= len(start)
