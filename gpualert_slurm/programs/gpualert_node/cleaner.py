"""Removes what jobs that are over left behind, when it is old enough or too much: record folders, log folders, litter."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gpualert_slurm.programs.gpualert_node import usage
from gpualert_slurm.programs.gpualert_node.folders import Folders

_ATTEMPT = re.compile(r"[0-9]{1,10}\.[0-9a-f]{16}")
_DAY_S = 86400.0
DEADLINE_S = 300.0
EVERY_S = 6 * 3600.0
_LITTER_S = 3600.0
_BEGUN_S = 60.0
_JOB_FILE_MAX_BYTES = 65_536


def clean(folders: Folders, keep_days: float, max_mib: int = 1 << 40) -> list[str]:
    """Remove folders of attempts that have no job file and no document left and were last touched ``keep_days`` ago; gives their names.

    Where all logs of the node have more than ``max_mib``, the oldest of these go earlier. The log folder belongs to the user, who may have
    put anything there: nothing is followed out of it, and what cannot be removed is left for the next time. Litter goes as well: of writers
    that died, of attempts that never were, of jobs whose epilog never came. At the end the node's ``usage``, by which the plugin
    bounds it, is counted anew.
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
    removed += _remove_until_it_fits(folders, busy, max_mib << 20)
    for path in _entries(folders.bad):
        if _touched(path) < oldest:
            _unlink(path)
    _remove_litter(folders)
    with suppress(OSError):
        usage.count_anew(folders.base)
    return removed


def _remove_until_it_fits(folders: Folders, busy: set[str], max_bytes: int) -> list[str]:
    """The attempts that are over, the oldest first, until the plugin's count of all logs is within the bound."""
    removed = []
    kept = {path: usage.read(path) for path in _entries(folders.base) if _ATTEMPT.fullmatch(path.name)}
    total = sum(found.bytes for found in kept.values())
    begun = time.time() - _BEGUN_S
    for path in sorted((p for p in kept if p.name not in busy), key=_touched):
        if total <= max_bytes or _touched(path) > begun:
            break
        if _remove(folders.state_dir / "logs" / path.name) and _remove(path):
            total -= kept[path].bytes
            removed.append(path.name)
    return removed


def _remove_litter(folders: Folders) -> None:
    """Files on their way whose writer died, log folders without a record, and ways to attempts that are gone; each an hour old at least."""
    before = time.time() - _LITTER_S
    for folder in (folders.base / "tmp", folders.jobs, folders.ended, folders.out):
        for path in _entries(folder):
            if (path.name.startswith(".") or folder.name == "tmp") and _touched(path) < before:
                _unlink(path)
    for path in _entries(folders.base / "byjob"):
        try:
            attempt = json.loads(path.read_bytes()[:_JOB_FILE_MAX_BYTES]).get("attempt")
        except (OSError, ValueError, AttributeError):
            continue
        if _touched(path) < before and isinstance(attempt, str) and _ATTEMPT.fullmatch(attempt) and not (folders.base / attempt).exists():
            _unlink(path)
    records = {path.name for node in _entries(folders.base.parent) for path in _entries(node)}  # several nodes may share a host
    for path in _entries(folders.state_dir / "logs"):
        if _ATTEMPT.fullmatch(path.name) and path.name not in records and _touched(path) < before:
            _remove(path)


def _unlink(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


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
