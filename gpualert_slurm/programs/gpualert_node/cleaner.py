"""Removes what jobs that are over left behind, when it is old enough: record folders, log folders, litter."""

from __future__ import annotations

import os
import random
import re
import subprocess
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
    old = list(_entries(folders.base))
    random.shuffle(old)  # a folder that takes all the time, or hangs, must not be the first one each time
    for path in old:
        if not _ATTEMPT.fullmatch(path.name) or path.name in busy or _touched(path) > oldest:
            continue
        logs = folders.state_dir / "logs" / path.name
        if _remove(logs) and _remove(path):  # the record last: it is what a next try finds the logs by
            removed.append(path.name)
    for path in _entries(folders.bad):
        if _touched(path) < oldest:
            with suppress(OSError):
                path.unlink()
    return removed


def _remove(folder: Path) -> bool:
    """Whether it is gone. By rm(1), which follows no link, crosses into no mount, and needs neither stack nor descriptors for a deep tree."""
    with suppress(OSError):
        subprocess.run(["rm", "-rf", "--one-file-system", "--", str(folder)], check=False, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return not os.path.lexists(folder)


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
