"""The checkout as git sees it: one copy for all of a matrix, so that every version tests the same files."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .space import remove

INSIDE = Path("/var/tmp/checkout")


@contextlib.contextmanager
def snapshot(source: Path, cache: Path, commit: str | None = None) -> Iterator[Path]:
    """A folder in ``cache`` with the tracked and new files of ``source`` (none that git ignores), or with those of ``commit``, for as long as
    the context lasts; raises ``CalledProcessError`` where git fails.
    """
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob("checkout-*"):  # of a matrix that was killed
        if not Path("/proc", old.name.split("-")[1]).exists():
            remove(old)
    target = Path(tempfile.mkdtemp(prefix=f"checkout-{os.getpid()}-", dir=cache))
    try:
        if commit is not None:
            packed = subprocess.run([*_git(source), "archive", commit], capture_output=True, check=True).stdout
            subprocess.run(["tar", "-x", "-C", str(target)], input=packed, check=True)
        else:
            _copy(source, target)
        target.chmod(0o755)
        yield target
    finally:
        remove(target)


def _copy(source: Path, target: Path) -> None:
    listed = subprocess.run([*_git(source), "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, check=True)
    for name in dict.fromkeys(listed.stdout.decode().split("\0")):
        with contextlib.suppress(FileNotFoundError):  # deleted, and not yet committed
            if name and not (source / name).is_dir():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / name, target / name, follow_symlinks=False)


def place(taken: Path, work: Path) -> None:
    """Put the snapshot to where the inside of a folder sees it as /var/tmp/checkout."""
    target = work / INSIDE.relative_to("/")
    remove(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(taken, target, symlinks=True)


def commit_of(source: Path, commit: str | None = None) -> str:
    """The commit that is tested, and whether files differ from it."""
    if commit is not None:
        return subprocess.run([*_git(source), "rev-parse", "--short=12", commit], capture_output=True, text=True, check=True).stdout.strip()
    commit = subprocess.run([*_git(source), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    changed = subprocess.run([*_git(source), "status", "--porcelain"], capture_output=True, text=True, check=False).stdout.strip()
    return f"{commit or 'none'}{' and uncommitted changes' if changed else ''}"


def _git(source: Path) -> list[str]:
    return ["git", "-C", str(source), "-c", f"safe.directory={source}"]
