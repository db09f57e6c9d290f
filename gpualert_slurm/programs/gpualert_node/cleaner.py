"""Removes what jobs that are over left behind, when it is old enough: record folders, log folders, litter."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gpualert_slurm.programs.gpualert_node.folders import Folders

_ATTEMPT = re.compile(r"[0-9]{1,10}\.[0-9a-f]{16}")
_DAY_S = 86400.0
DEADLINE_S = 300.0
EVERY_S = 6 * 3600.0


def clean(folders: Folders, keep_days: float) -> list[str]:
    """Remove folders of attempts that have no job file and no document left and were last touched ``keep_days`` ago; gives their names.

    The log folder belongs to the user, who may have put anything there: nothing is followed out of it, and what cannot be
    removed is left for the next time.
    """
    oldest = time.time() - keep_days * _DAY_S
    busy = {path.name.removesuffix(".report").removesuffix(".note") for f in (folders.jobs, folders.ended, folders.out) for path in _entries(f)}
    removed = []
    for path in _entries(folders.base):
        if not _ATTEMPT.fullmatch(path.name) or path.name in busy or _touched(path) > oldest:
            continue
        for folder in (folders.state_dir / "logs" / path.name, path):  # the record last: it is what a next try finds the logs by
            with suppress(OSError, RecursionError):
                shutil.rmtree(folder)
        if not path.exists():
            removed.append(path.name)
    for path in _entries(folders.bad):
        if _touched(path) < oldest:
            with suppress(OSError):
                path.unlink()
    return removed


def _entries(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from folder.iterdir()


def _touched(path: Path) -> float:
    """The latest change below the folder, as far as one level: a job of a week writes its samples until it ends."""
    times = [0.0]
    for entry in (path, *_entries(path)):
        with suppress(OSError):
            times.append(entry.lstat().st_mtime)
    return max(times)
