"""Files the owner asked for (``--gpualert-artifacts``): globs below the work directory, taken as the user, within a budget.

No link is followed on the way, nothing but regular files is opened (``collect_beneath.py``), the walk is bounded, and what is left out is named.
"""

from __future__ import annotations

import base64
import fnmatch
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from gpualert_slurm.artifact import Artifact
from gpualert_slurm.config import Node
from gpualert_slurm.epilog.collect_account import Account
from gpualert_slurm.epilog.collect_beneath import file_beneath, folder_beneath, in_kernel_file_system
from gpualert_slurm.epilog.collect_files import name_of
from gpualert_slurm.epilog.collect_user import Limits, Send, run_as
from gpualert_slurm.gap import Gap

MOST_GLOBS = 20
MOST_NAMED = 100
_MOST_LOOKED_AT = 20_000
_MOST_DEPTH = 12


@dataclass
class Artifacts:
    """What was taken, what was left out and why."""

    files: list[Artifact] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


def take_artifacts(globs: Sequence[str], work_dir: str | None, account: Account, bounds: Node, deadline_s: float) -> Artifacts:
    """The files that ``globs`` name below ``work_dir``, newest first, as far as the budget goes. Never raises."""
    found = Artifacts()
    if not globs:
        return found
    if work_dir is None or not work_dir.startswith("/") or "\0" in work_dir:
        found.gaps.append(Gap(what="the artifacts asked for", why="the job's work directory is not known"))
        return found
    budget = bounds.artifacts_max_total_bytes
    limits = Limits(deadline_s=deadline_s, memory_mib=bounds.parse_max_memory_mib, answer_bytes=2 * budget + (4 << 20))
    answer = run_as(account, _Work(tuple(globs[:MOST_GLOBS]), work_dir, bounds.artifact_max_bytes, budget), limits)
    total = 0
    for frame in answer.frames[: 2 * MOST_NAMED]:
        try:
            if frame.startswith(b"G"):
                gap = Gap.model_validate_json(frame[1:])
                found.gaps.append(Gap(what=gap.what[:500], why=gap.why[:500]))
                continue
            file = Artifact.model_validate_json(frame)
        except ValidationError:
            found.gaps.append(Gap(what="an artifact", why="its reader's answer makes no sense"))
            continue
        total += len(file.content or "")
        if total <= 2 * budget:
            found.files.append(file)
    if answer.cut_short is not None:
        found.gaps.append(Gap(what="artifacts asked for", why=f"taking them: {answer.cut_short}"))
    if len(globs) > MOST_GLOBS:
        found.gaps.append(Gap(what=f"{len(globs) - MOST_GLOBS} patterns of artifacts", why=f"at most {MOST_GLOBS} are looked for"))
    return found


@dataclass(frozen=True)
class _Work:
    """Runs in the user's child: one JSON artifact a frame, or ``G`` and a gap."""

    globs: tuple[str, ...]
    work_dir: str
    most_bytes: int
    budget: int

    def __call__(self, send: Send) -> None:
        matched: dict[str, float] = {}
        walk = _Walk()
        try:
            root = os.open(self.work_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            send(b"G" + Gap(what=f"artifacts below {name_of(self.work_dir)}", why=error.strerror or str(error)).json_bytes())
            return
        if in_kernel_file_system(root):
            send(b"G" + Gap(what=f"artifacts below {name_of(self.work_dir)}", why="it lies in a file system of the kernel's own").json_bytes())
            return
        for pattern in self.globs:
            before = len(matched)
            parts = [p for p in pattern.split("/") if p not in ("", ".")]
            if pattern.startswith("/") or ".." in parts or "\0" in pattern:
                send(b"G" + Gap(what=f"artifacts {pattern}", why="a pattern stays below the work directory").json_bytes())
                continue
            for path, mtime in walk.matching(root, parts, ""):
                matched.setdefault(path, mtime)
            if len(matched) == before:
                send(b"G" + Gap(what=f"artifacts {pattern}", why=f"nothing below {name_of(self.work_dir)} matches").json_bytes())
        if walk.left <= 0:
            send(b"G" + Gap(what="some artifacts", why=f"more than {_MOST_LOOKED_AT} names were looked at").json_bytes())
        newest = sorted(matched, key=lambda path: -matched[path])
        left = self.budget
        for path in newest[:MOST_NAMED]:
            artifact = self._take(root, path, left)
            left -= (artifact.size_bytes or 0) if artifact.content is not None else 0
            send(artifact.json_bytes())
        if len(newest) > MOST_NAMED:
            send(b"G" + Gap(what=f"{len(newest) - MOST_NAMED} more artifacts", why=f"the newest {MOST_NAMED} are named").json_bytes())

    def _take(self, root: int, path: str, left: int) -> Artifact:
        name = name_of(path)
        try:
            fd, status = file_beneath(root, path)
        except OSError as error:
            return Artifact(path=name, left_out=error.strerror or str(error))
        try:
            size = status.st_size
            if size > self.most_bytes:
                return Artifact(path=name, size_bytes=size, left_out=f"larger than {self.most_bytes} bytes")
            if size > left:
                return Artifact(path=name, size_bytes=size, left_out=f"all artifacts of a node together are {self.budget} bytes at most")
            content = _exactly(fd, size)
            return Artifact(path=name, size_bytes=len(content), content=base64.b64encode(content).decode("ascii"))
        except OSError as error:
            return Artifact(path=name, left_out=error.strerror or str(error))
        finally:
            os.close(fd)


class _Walk:
    """Expands patterns through directory descriptors, and counts what it looks at."""

    def __init__(self) -> None:
        self.left = _MOST_LOOKED_AT

    def matching(self, folder: int, parts: Sequence[str], above: str, depth: int = 0) -> Iterator[tuple[str, float]]:
        """(path, mtime) of the regular files that match below ``folder``."""
        if not parts or depth > _MOST_DEPTH:
            return
        part, rest = parts[0], parts[1:]
        if part == "**":
            yield from self.matching(folder, rest or ["*"], above, depth)
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in _bounded(entries, self))
        except OSError:
            return  # it went, or its server did, while it was listed
        for name in names:
            if part == "**":
                if not name.startswith("."):
                    yield from self._inside(folder, name, parts, above, depth)
            elif _fits(name, part):
                if rest:
                    yield from self._inside(folder, name, rest, above, depth)
                else:
                    changed = _changed(folder, name)
                    if changed is not None:
                        yield above + name, changed

    def _inside(self, folder: int, name: str, parts: Sequence[str], above: str, depth: int) -> Iterator[tuple[str, float]]:
        try:
            inner = folder_beneath(folder, name)
        except OSError:
            return  # no folder, or a link to one
        try:
            yield from self.matching(inner, parts, f"{above}{name}/", depth + 1)
        finally:
            os.close(inner)


def _changed(folder: int, name: str) -> float | None:
    """The mtime of what is no folder; None also for what is gone by now, or in a folder that may be listed and not entered."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return None if stat.S_ISDIR(status.st_mode) else status.st_mtime


def _bounded(entries: Iterator[os.DirEntry[str]], walk: _Walk) -> Iterator[os.DirEntry[str]]:
    for entry in entries:
        walk.left -= 1
        if walk.left < 0:
            return
        yield entry


def _fits(name: str, part: str) -> bool:
    return fnmatch.fnmatchcase(name, part) and (not name.startswith(".") or part.startswith("."))


def _exactly(fd: int, size: int) -> bytes:
    """Up to ``size`` bytes: a file that grows meanwhile is cut, one that shrinks is what it is."""
    parts = []
    while size > 0:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
