"""The bounded copy of the logs that the owner can open: made as the owner, in a folder of the owner's."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Node
from gpualert_slurm.epilog.collect_account import Account
from gpualert_slurm.epilog.collect_files import open_own
from gpualert_slurm.epilog.collect_user import Limits, Send, run_as
from gpualert_slurm.gap import Gap
from gpualert_slurm.rank import RankLog

_STEP_BYTES = 1 << 20


def folder_for(template: str, account: Account, attempt: Attempt) -> str | Gap:
    """``%h`` home, ``%u`` user, ``%j`` job, ``%%`` a percent sign; a restart gets a sub-folder, so that it does not overwrite the run before."""
    words = {"h": account.home, "u": account.name, "j": attempt.label, "%": "%"}
    missing = [k for k in re.findall(r"%(.)", template) if not words.get(k)]
    if missing:
        return Gap(what="the copy of the logs in archive_dir", why=f"%{missing[0]} of {template!r} is not known: {account.problem or 'no such word'}")
    folder = re.sub(r"%(.)", lambda m: words[m.group(1)] or "", template)
    if not folder.startswith("/"):
        return Gap(what="the copy of the logs in archive_dir", why=f"{folder!r} is not absolute")
    return f"{folder}/restart-{attempt.restart_count}" if attempt.restart_count else folder


def archive(logs: Sequence[RankLog], folder: str, account: Account, bounds: Node, deadline_s: float) -> tuple[str | None, list[Gap]]:
    """Copy the logs in the order given until ``archive_max_bytes``; the folder when anything lies there, and a gap for what does not."""
    work = _Work(tuple(log.path for log in logs), folder, account.uid, bounds.archive_max_bytes)
    limits = Limits(deadline_s=deadline_s, memory_mib=bounds.parse_max_memory_mib, answer_bytes=4 << 20, file_bytes=max(1, bounds.archive_max_bytes))
    answer = run_as(account, work, limits)
    gaps: list[Gap] = []
    copied = 0
    for frame in answer.frames:
        with suppress(ValueError, TypeError):
            path, why = json.loads(frame)
            if why is None:
                copied += 1
            else:
                gaps.append(Gap(what=f"the copy of {str(path)[:300]} in {folder}", why=str(why)[:300]))
    if answer.cut_short is not None:
        gaps.append(Gap(what=f"copies of {len(logs) - copied} logs in {folder}", why=f"copying: {answer.cut_short}"))
    return (folder if copied else None), gaps


@dataclass(frozen=True)
class _Work:
    """Runs in the user's child: for each log ``[path, null]`` or ``[path, why it was not copied]``."""

    paths: tuple[str, ...]
    folder: str
    uid: int
    most_bytes: int

    def __call__(self, send: Send) -> None:
        left = self.most_bytes
        try:
            Path(self.folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            into = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            for path in self.paths:
                send(json.dumps([path, f"the folder cannot be made: {error.strerror}"]).encode())
            return
        for path in self.paths:
            why: str | None = None
            try:
                left -= self._copy(path, into, left)
            except OSError as error:
                why = error.strerror or str(error)
            send(json.dumps([path, why]).encode())

    def _copy(self, path: str, into: int, left: int) -> int:
        """The bytes copied. Raises OSError, also when the copy would not fit."""
        fd, status = open_own(path, self.uid)
        try:
            if status.st_size > left:
                raise OSError(f"{status.st_size} bytes are more than archive_max_bytes leaves")
            name = Path(path).name
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            target = os.open(f".{name}.part", flags, 0o600, dir_fd=into)
            try:
                done = 0
                while done < status.st_size:
                    part = os.read(fd, min(_STEP_BYTES, status.st_size - done))
                    if not part:
                        break
                    view = memoryview(part)
                    while view:
                        view = view[os.write(target, view) :]
                    done += len(part)
            finally:
                os.close(target)
            os.rename(f".{name}.part", name, src_dir_fd=into, dst_dir_fd=into)
        finally:
            os.close(fd)
        return done
