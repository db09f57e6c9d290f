"""How much log is on the node, as the plugin counts it: ``usage`` in a record folder and in the node's folder (doc/formats/job-file.md)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from gpualert_slurm import file_lock

_MAX_CHARS = 64
_WAIT_S = 1.0


class Usage(NamedTuple):
    """Log files, and the bytes of output in them."""

    logs: int
    bytes: int


def read(folder: Path) -> Usage:
    """The count in ``folder``; nothing where there is none, or none that can be read."""
    with contextlib.suppress(OSError, ValueError):
        fd = os.open(folder / "usage", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            logs, found = os.read(fd, _MAX_CHARS).split()
            return Usage(int(logs), int(found))
        finally:
            os.close(fd)
    return Usage(0, 0)


def count_anew(node_folder: Path) -> Usage:
    """Sum what the jobs that are still there have, and put it where the plugin adds to it; steps that end meanwhile wait, at most a second.

    Raises:
        OSError: the file cannot be written, or a step held it for longer.
    """
    with file_lock.locked(node_folder / "usage", _WAIT_S) as fd:
        each = [read(path) for path in node_folder.iterdir() if path.is_dir()]
        total = Usage(sum(u.logs for u in each), sum(u.bytes for u in each))
        text = f"{total.logs} {total.bytes}\n".encode()
        os.ftruncate(fd, os.pwrite(fd, text, 0))
        return total
